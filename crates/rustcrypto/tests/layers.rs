//! Each layer may use only those before it.

use std::fs;
use std::path::{Path, PathBuf};

const LAYERS: [&str; 4] = ["primitives", "x509", "provider", "tls"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a layer's folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
    found
}

/// Does `text` name `layer` through the crate's root?
fn uses(text: &str, layer: &str) -> bool {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| {
        line.match_indices(&format!("crate::{layer}")).any(|(at, found)| {
            !line[at + found.len()..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    })
}

#[test]
fn layers_look_only_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for (depth, layer) in LAYERS.iter().enumerate() {
        for file in sources(&src.join(layer)) {
            let text = fs::read_to_string(&file).expect("a source file");
            for above in &LAYERS[depth + 1..] {
                assert!(
                    !uses(&text, above),
                    "{} (layer {layer}) uses crate::{above}, a layer above it",
                    file.display()
                );
            }
            checked += 1;
        }
    }
    assert!(checked >= LAYERS.len(), "only {checked} files found below {}", src.display());
}

#[test]
fn the_check_sees_an_upward_use() {
    assert!(uses("use crate::tls::Session;", "tls"));
    assert!(!uses("use crate::tls_names::X;", "tls"));
    assert!(!uses("// crate::tls", "tls"));
}
