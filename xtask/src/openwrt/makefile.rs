//! An OpenWrt package Makefile as a list of units: what can be cloned, moved or looked into as a whole.
//!
//! Parsing keeps every byte: the units' texts joined are the file again.

use anyhow::{Result, bail};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `define NAME` to `endef`; `name` is NAME.
    Define,
    /// `ifeq`/`ifneq`/`ifdef`/`ifndef` to its `endif`; `name` is the first line, trimmed.
    Condition,
    /// A variable assignment with its continuation lines; `name` is the variable.
    Assign,
    /// `$(eval $(call BuildPackage,NAME))`; `name` is NAME.
    Build,
    /// Anything else, one line (with its continuations).
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// The whole text, with its line ends.
    pub(crate) text: String,
}

impl Unit {
    /// The text between the first and the last line of a define or a condition.
    pub(crate) fn body(&self) -> &str {
        let start = self.text.find('\n').map_or(self.text.len(), |at| at + 1);
        let end = self.text.trim_end_matches('\n').rfind('\n').map_or(start, |at| at + 1);
        &self.text[start.min(end)..end]
    }

    /// The same unit with another body.
    pub(crate) fn with_body(&self, body: &str) -> Self {
        let start = self.text.find('\n').map_or(self.text.len(), |at| at + 1);
        let end = self.text.trim_end_matches('\n').rfind('\n').map_or(start, |at| at + 1);
        Self { text: format!("{}{body}{}", &self.text[..start], &self.text[end..]), ..self.clone() }
    }

    /// The value of `KEY:=`, `KEY =` or `KEY+=` inside a define; every one of them, in order.
    pub(crate) fn values(&self, key: &str) -> Vec<&str> {
        self.body()
            .lines()
            .filter_map(|line| assignment(line).filter(|(name, _)| *name == key))
            .map(|(_, value)| value)
            .collect()
    }
}

/// `NAME`, value of an assignment line.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let at = line.find('=')?;
    let name = line[..at].trim_end_matches([':', '+', '?']).trim();
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "$(){}\"'".contains(c));
    (is_name && !line.starts_with('\t')).then(|| (name, line[at + 1..].trim()))
}

/// Cut `text` into units.
pub(crate) fn parse(text: &str) -> Result<Vec<Unit>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut units = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let first = lines[at].trim();
        let word = first.split([' ', '\t']).next().unwrap_or_default();
        let (kind, name, end) = match word {
            "define" => {
                (Kind::Define, first["define".len()..].trim().to_owned(), close(&lines, at, &["define"], "endef")?)
            }
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                (Kind::Condition, first.to_owned(), close(&lines, at, CONDITIONS, "endif")?)
            }
            _ => {
                let mut end = at;
                while lines[end].trim_end_matches('\n').ends_with('\\') && end + 1 < lines.len() {
                    end += 1;
                }
                let (kind, name) = classify(lines[at]);
                (kind, name, end)
            }
        };
        units.push(Unit { kind, name, text: lines[at..=end].concat() });
        at = end + 1;
    }
    Ok(units)
}

pub(crate) fn join(units: &[Unit]) -> String {
    units.iter().map(|unit| unit.text.as_str()).collect()
}

const CONDITIONS: &[&str] = &["ifeq", "ifneq", "ifdef", "ifndef"];

/// The index of the line that closes the block opened on line `at`.
fn close(lines: &[&str], at: usize, open: &[&str], end: &str) -> Result<usize> {
    let mut depth = 0;
    for (index, line) in lines.iter().enumerate().skip(at) {
        let word = line.trim().split([' ', '\t', '#']).next().unwrap_or_default();
        if open.contains(&word) {
            depth += 1;
        } else if word == end {
            depth -= 1;
            if depth == 0 {
                return Ok(index);
            }
        }
    }
    bail!("line {}: '{}' has no '{end}'", at + 1, lines[at].trim())
}

fn classify(line: &str) -> (Kind, String) {
    if let Some(name) = built_package(line) {
        return (Kind::Build, name.to_owned());
    }
    match assignment(line) {
        Some((name, _)) if !line.starts_with('#') => (Kind::Assign, name.to_owned()),
        _ => (Kind::Other, line.trim().to_owned()),
    }
}

/// `NAME` of `$(eval $(call BuildPackage,NAME))`.
fn built_package(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix("$(eval $(call BuildPackage,")?;
    rest.strip_suffix("))")
}

/// Open minus closed round brackets.
pub(crate) fn balance(text: &str) -> i32 {
    text.chars().map(|c| i32::from(c == '(') - i32::from(c == ')')).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "A:=1\nB = x \\\n  y\n\ndefine Package/p\n  TITLE:=t\n  TITLE += u\nendef\n\nifeq ($(A),1)\n  ifdef B\n    C:=2\n  endif\n  define Q\n  r\n  endef\nendif\n\tcommand = not an assignment\n$(eval $(call BuildPackage,p))\n";

    #[test]
    fn units_joined_are_the_file() {
        let units = parse(SAMPLE).unwrap();
        assert_eq!(join(&units), SAMPLE);
        let kinds: Vec<Kind> = units.iter().filter(|unit| !unit.name.is_empty()).map(|unit| unit.kind).collect();
        assert_eq!(kinds, [Kind::Assign, Kind::Assign, Kind::Define, Kind::Condition, Kind::Other, Kind::Build]);
        assert_eq!(units[3].values("TITLE"), ["t", "u"]);
        assert_eq!(join(&parse(units[5].body()).unwrap()), units[5].body());
        assert_eq!(units[3].with_body("  X\n").text, "define Package/p\n  X\nendef\n");
    }

    #[test]
    fn an_open_block_is_told_with_its_line() {
        let error = parse("A:=1\ndefine X\n").unwrap_err().to_string();
        assert_eq!(error, "line 2: 'define X' has no 'endef'");
    }
}
