//! The C library of an image: Debian's, or built from musl's source where Debian builds for another ABI (MIPS: hard float).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol};

use super::image::find;
use super::userland::run;
use crate::elf;
use crate::sources::Sources;
use crate::toolchain::{self, Toolchain};

/// The dynamic loader, which is musl's C library too, under the name that programs ask for. `name` is a Debian package or a
/// source tarball of the lock.
pub(super) fn loader(sources: &Sources, toolchain: &Toolchain, name: &str) -> Result<PathBuf> {
    let tree = sources.tree(name)?;
    let dir = if tree.join("configure").is_file() { build(sources, toolchain, name)? } else { tree };
    let found = find(&dir, |name| name.starts_with("ld-musl-") && name.ends_with(".so.1"))?;
    Ok(found)
}

fn build(sources: &Sources, toolchain: &Toolchain, name: &str) -> Result<PathBuf> {
    let key = format!("{}\n{}", sources.identity(name)?, toolchain.c_name);
    sources.cache.made("loader", &key, |part| {
        eprintln!("building musl {} for {} ...", sources.version(name)?, toolchain.triple);
        let tree = part.join("source");
        sources.unpack(name, &tree)?;
        let mut configure = Command::new("./configure");
        configure.current_dir(&tree).arg(format!("--target={}", toolchain.target.zig.replace("musleabi", "musl")));
        configure.args(["--disable-static", "CFLAGS=-Os -g0"]).envs(toolchain.c_env());
        run("musl's configure", &mut configure)?;
        let mut make = Command::new("make");
        let builtins = builtins(toolchain, part)?;
        // The compiler's driver keeps zig's own options for shared objects; those that musl's check of it refused are given to
        // the linker itself. dynamic.list: what a program (or heapmeter) may replace, malloc for one.
        let style = &toolchain.target.hash_style;
        let flags = format!("LDFLAGS=-Wl,--hash-style={style},--dynamic-list=./dynamic.list -s");
        make.current_dir(&tree).arg(toolchain::jobs()).args([
            "--silent",
            &format!("LIBCC={}", builtins.join(" ")),
            &flags,
            "lib/libc.so",
        ]);
        run("musl", make.env_remove("MAKEFLAGS"))?;
        fs::copy(tree.join("lib/libc.so"), part.join(loader_name(&tree)?))
            .context("musl's make left no lib/libc.so")?;
        for file in builtins {
            fs::remove_file(file)?;
        }
        Ok(fs::remove_dir_all(&tree)?)
    })
}

/// The compiler's run-time library (arithmetic that the CPU has not) as objects in `into`, with the C library's names in it
/// visible: it has its own weak memcpy, hidden, and a name hidden in one object is hidden in what they are linked to.
fn builtins(toolchain: &Toolchain, into: &Path) -> Result<Vec<String>> {
    let lib = toolchain.cc.parent().and_then(Path::parent).context("the compiler has a folder")?.join("lib");
    let libc: BTreeSet<String> = elf::dynamic(&lib.join("libc.so"))?.exported.into_iter().collect();
    let archive = fs::read(lib.join("libcompiler_rt.a")).context("cannot read the compiler's run-time library")?;
    let mut files = Vec::new();
    for member in members(&archive)? {
        let mut object = member.to_vec();
        show(&mut object, &libc)?;
        let file = into.join(format!("builtins-{}.o", files.len()));
        fs::write(&file, object)?;
        files.push(file.display().to_string());
    }
    Ok(files)
}

/// The ELF members of an ar archive.
fn members(archive: &[u8]) -> Result<Vec<&[u8]>> {
    let mut found = Vec::new();
    for member in ArchiveFile::parse(archive)?.members() {
        found.extend(Some(member?.data(archive)?).filter(|body| body.starts_with(&object::elf::ELFMAG)));
    }
    Ok(found)
}

/// Make these names visible in an object: zero in `st_other`, byte 13 of a symbol of 32 bits and 5 of one of 64.
fn show(object: &mut [u8], names: &BTreeSet<String>) -> Result<()> {
    let file = object::File::parse(&*object)?;
    let (size, other) = if file.is_64() { (24, 5) } else { (16, 13) };
    let table = file.section_by_name(".symtab").and_then(|section| section.file_range());
    let start = table.context("an object without symbols")?.0 as usize;
    let ours = file.symbols().filter(|symbol| symbol.name().is_ok_and(|name| names.contains(name)));
    let bytes: Vec<usize> = ours.map(|symbol| start + symbol.index().0 * size + other).collect();
    for at in bytes {
        object[at] = 0;
    }
    Ok(())
}

/// As musl's own Makefile puts it together: `/lib/ld-musl-$(ARCH)$(SUBARCH).so.1`.
fn loader_name(tree: &Path) -> Result<String> {
    let config = fs::read_to_string(tree.join("config.mak")).context("musl's configure left no config.mak")?;
    let value = |key: &str| {
        let line = config.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
        line.unwrap_or_default().trim().to_owned()
    };
    Ok(format!("ld-musl-{}{}.so.1", value("ARCH"), value("SUBARCH")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_hidden_name_of_an_archive_is_made_visible() {
        let dir = tempfile::tempdir().unwrap();
        let (source, object, archive) = (dir.path().join("a.c"), dir.path().join("a.o"), dir.path().join("a.a"));
        let text = "#define H __attribute__((visibility(\"hidden\")))\nH int one(void) { return 1; } H int two(void) { return 2; }";
        std::fs::write(&source, text).unwrap();
        let run = |program: &str, args: &[&std::path::Path]| {
            std::process::Command::new(program).args(args).status().is_ok_and(|status| status.success())
        };
        if !run("cc", &["-c".as_ref(), &source, "-o".as_ref(), &object])
            || !run("ar", &["rc".as_ref(), &archive, &object])
        {
            println!("SKIPPED: names of an archive: needs cc and ar: apt-get install gcc");
            return;
        }
        let bytes = std::fs::read(&archive).unwrap();
        let members = super::members(&bytes).unwrap();
        assert_eq!(members, [std::fs::read(&object).unwrap()]);
        let mut changed = members[0].to_vec();
        super::show(&mut changed, &["one".to_owned()].into()).unwrap();
        let file = object::File::parse(&*changed).unwrap();
        let hidden = |name: &str| {
            let symbol = object::Object::symbol_by_name(&file, name).unwrap();
            object::ObjectSymbol::scope(&symbol) == object::SymbolScope::Linkage
        };
        assert!(!hidden("one") && hidden("two"));
    }

    #[test]
    fn the_loader_is_named_as_programs_ask_for_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.mak"), "AR = ar\nARCH = mips\nSUBARCH = el-sf\nASMSUBARCH = \n")
            .unwrap();
        assert_eq!(super::loader_name(dir.path()).unwrap(), "ld-musl-mipsel-sf.so.1");
        std::fs::write(dir.path().join("config.mak"), "ARCH = x86_64\nSUBARCH = \n").unwrap();
        assert_eq!(super::loader_name(dir.path()).unwrap(), "ld-musl-x86_64.so.1");
    }
}
