//! Reading TOML so that a fault says where it is and what would be right.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::de::DeserializeOwned;

use crate::user_bail;

/// Read one TOML file. The error is one line: `FILE:LINE: what is wrong[; did you mean 'x'?]`.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => user_bail!("cannot read {}: {error}", path.display()),
    };
    match toml::from_str(&text) {
        Ok(value) => Ok(value),
        Err(error) => {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let quoted: Vec<&str> = error.message().split('`').skip(1).step_by(2).collect();
            let hint = match quoted.split_first() {
                Some((wrong, allowed)) if error.message().starts_with("unknown") => {
                    did_you_mean(wrong, allowed.iter().copied())
                }
                _ => String::new(),
            };
            let source = text.lines().nth(line - 1).unwrap_or_default().trim();
            user_bail!("{}:{line}: {}{hint}, in the line '{source}'", path.display(), error.message().trim())
        }
    }
}

/// `name` if it is one of `allowed`, else an error that lists them all and guesses.
pub(crate) fn choose<'a>(what: &str, name: &str, allowed: impl Iterator<Item = &'a str>) -> Result<&'a str> {
    let allowed: Vec<&str> = allowed.collect();
    if let Some(found) = allowed.iter().find(|known| **known == name) {
        return Ok(found);
    }
    let hint = did_you_mean(name, allowed.iter().copied());
    user_bail!("unknown {what} '{name}'{hint}; allowed: {}", allowed.join(", "))
}

/// The `*.toml` files directly in `dir`, as (stem, path) in name order, without the stems in `except`.
pub(crate) fn toml_files(dir: &Path, except: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) => user_bail!("cannot list {}: {error}", dir.display()),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "toml") && !except.contains(&stem.as_str()) {
            files.push((stem, path));
        }
    }
    files.sort();
    Ok(files)
}

/// A path as the user sees it: relative to the checkout.
pub(super) fn show(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

fn did_you_mean<'a>(wrong: &str, allowed: impl Iterator<Item = &'a str>) -> String {
    let best = allowed.map(|candidate| (distance(wrong, candidate), candidate)).min();
    match best {
        Some((distance, candidate)) if distance <= 1 + wrong.chars().count() / 3 => {
            format!("; did you mean '{candidate}'?")
        }
        _ => String::new(),
    }
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(ca != *cb)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}
