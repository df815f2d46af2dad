//! What an ELF file of any architecture says about itself.

use std::path::Path;

use anyhow::{Context, Result};
use object::elf::{DT_NEEDED, DT_SONAME, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, ElfFile, FileHeader, ProgramHeader};
use object::{Endianness, FileKind, Object, ObjectSymbol};

/// Names that matter for packaging.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Dynamic {
    pub(crate) soname: Option<String>,
    pub(crate) needed: Vec<String>,
    /// Symbols that other objects can use.
    pub(crate) exported: Vec<String>,
    /// The dynamic loader that a program asks for.
    pub(crate) loader: Option<String>,
}

/// Read the dynamic section of the file; an error if it is not ELF.
pub(crate) fn dynamic(path: &Path) -> Result<Dynamic> {
    let data = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let what = || format!("{} is not a readable ELF file", path.display());
    match FileKind::parse(&*data).with_context(what)? {
        FileKind::Elf32 => read::<FileHeader32<Endianness>>(&data).with_context(what),
        FileKind::Elf64 => read::<FileHeader64<Endianness>>(&data).with_context(what),
        _ => anyhow::bail!(what()),
    }
}

fn read<H: FileHeader<Endian = Endianness>>(data: &[u8]) -> Result<Dynamic> {
    let file = ElfFile::<H>::parse(data)?;
    let (header, endian) = (file.elf_header(), file.endian());
    let sections = header.sections(endian, data)?;
    let mut out = Dynamic::default();
    if let Some((entries, link)) = sections.dynamic(endian, data)? {
        let strings = sections.strings(endian, data, link)?;
        for entry in entries {
            let tag = entry.tag32(endian);
            if tag == Some(DT_NEEDED) || tag == Some(DT_SONAME) {
                let name = String::from_utf8_lossy(entry.string(endian, strings)?).into_owned();
                if tag == Some(DT_NEEDED) { out.needed.push(name) } else { out.soname = Some(name) }
            }
        }
    }
    for segment in header.program_headers(endian, data)? {
        if let Some(path) = segment.interpreter(endian, data)? {
            out.loader = Some(String::from_utf8_lossy(path).into_owned());
        }
    }
    let named = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    out.exported = named.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect();
    out.exported.sort();
    Ok(out)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_test_program_itself_needs_a_c_library() {
        let this = std::env::current_exe().unwrap();
        let this = super::dynamic(&this).unwrap();
        assert!(this.needed.iter().any(|name| name.starts_with("libc.")));
        assert!(this.loader.unwrap().starts_with('/'));
        assert!(super::dynamic(std::path::Path::new(file!())).is_err());
    }
}
