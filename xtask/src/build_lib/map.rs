//! Where the bytes of the library are, from the linker's map.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

/// Bytes by crate and by section, and the largest symbols.
#[derive(Debug, Default)]
pub(super) struct Breakdown {
    pub(super) crates: BTreeMap<String, u64>,
    pub(super) sections: Vec<(String, u64)>,
    pub(super) symbols: Vec<(String, u64)>,
}

/// Parse lld's map: `VMA LMA Size Align Out In Symbol`, where the depth of indentation tells the kind of a line.
pub(super) fn parse(text: &str) -> Breakdown {
    let mut out = Breakdown::default();
    let (mut at, mut loaded) = (0, false);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let mut next = || words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
        let (Some(vma), Some(_), Some(size)) = (next(), next(), next()) else { continue };
        // Four numeric columns, then a space, then 0, 8 or 16 spaces before the name.
        let Some(align_end) = nth_word_end(line, 4) else { continue };
        let rest = &line[align_end..];
        let indent = rest.len() - rest.trim_start().len();
        let name = rest.trim();
        match indent {
            1 => {
                loaded = vma != 0; // debug and string sections are not loaded
                at = 0;
                if loaded && name.starts_with('.') {
                    out.sections.push((name.to_owned(), size));
                }
            }
            9 if loaded => {
                // An input section; with one function per section its name carries the symbol.
                let section = name.rsplit(":(").next().unwrap_or(name).trim_end_matches(')');
                let symbol = ["_ZN", "_R"].iter().find_map(|p| section.find(p).map(|i| &section[i..]));
                at = size;
                if let Some(symbol) = symbol {
                    out.add(symbol, size);
                    at = 0;
                }
            }
            17 if loaded && at > 0 && size > 0 => {
                out.add(name, size);
                at = at.saturating_sub(size);
            }
            _ => {}
        }
    }
    out.symbols.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    out
}

fn nth_word_end(line: &str, n: usize) -> Option<usize> {
    let mut inside = false;
    let mut seen = 0;
    for (i, c) in line.char_indices() {
        if inside && c == ' ' {
            seen += 1;
            if seen == n {
                return Some(i);
            }
        }
        inside = c != ' ';
    }
    None
}

impl Breakdown {
    fn add(&mut self, symbol: &str, size: u64) {
        let name = format!("{:#}", rustc_demangle::demangle(symbol));
        *self.crates.entry(crate_of(&name)).or_default() += size;
        self.symbols.push((name, size));
    }
}

/// `<rustls::x::Y as core::fmt::Debug>::fmt` is rustls'; `core::ptr::drop_in_place::<rustls::Z>` is rustls' too.
fn crate_of(name: &str) -> String {
    let name = name
        .strip_prefix("core::ptr::drop_in_place::<")
        .or_else(|| name.strip_prefix("core::ptr::drop_in_place<"))
        .unwrap_or(name);
    let path = name.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let path = path.trim_start_matches("dyn ").trim_start_matches("mut ");
    let first: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if path[first.len()..].starts_with("::") { first } else { "(C and runtime)".to_owned() }
}

pub(super) fn print(map: &Path) -> Result<()> {
    let text = std::fs::read_to_string(map)
        .with_context(|| format!("cannot read {}: build without --table first", map.display()))?;
    let found = parse(&text);
    println!("\nsections");
    for (name, size) in found.sections.iter().filter(|(_, size)| *size > 1000) {
        println!("  {size:>9}  {name}");
    }
    let mut crates: Vec<_> = found.crates.iter().collect();
    crates.sort_by(|a, b| b.1.cmp(a.1));
    println!("\ncrates (code and named data)");
    for (name, size) in crates.iter().take(30) {
        println!("  {size:>9}  {name}");
    }
    println!("\nlargest symbols");
    for (name, size) in found.symbols.iter().take(40) {
        println!("  {size:>9}  {}", name.chars().take(120).collect::<String>());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "             VMA              LMA     Size Align Out     In      Symbol
             2e8              2e8       24     4 .note
             300              300      100    16 .text
             300              300       80    16         lto.o:(.text._ZN6rustls4conn3new17h0123456789abcdefE)
             300              300       80     1                 rustls::conn::new
             380              380       80    16         lto.o:(.text)
             380              380       20     1                 memcpy
               0                0       40     1 .debug_str
               0                0       40     1         <internal>:(.debug_str)
";

    #[test]
    fn bytes_go_to_the_crate_that_the_symbol_names() {
        let found = parse(MAP);
        assert_eq!(found.crates.get("rustls"), Some(&0x80));
        assert_eq!(found.crates.get("(C and runtime)"), Some(&0x20));
        assert_eq!(found.sections, [(".note".to_owned(), 0x24), (".text".to_owned(), 0x100)]);
    }

    #[test]
    fn crates_are_found_behind_impls_and_drops() {
        assert_eq!(crate_of("<rustls::A as core::fmt::Debug>::fmt"), "rustls");
        assert_eq!(crate_of("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>"), "alloc");
        assert_eq!(crate_of("<&dyn webpki::X as y::Z>::f"), "webpki");
        assert_eq!(crate_of("memcpy"), "(C and runtime)");
    }
}
