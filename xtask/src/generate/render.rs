//! Templates of `recipes/templates/KIND/`: each becomes the file of the same path, `{version}` in names filled in.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tera::Tera;

use super::context::Context;
use crate::user_bail;

/// Render every template of one kind, by the path it has in the generated folder.
pub(super) fn folder(root: &Path, kind: &str, context: &Context) -> Result<BTreeMap<PathBuf, String>> {
    let top = root.join("recipes/templates").join(kind);
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&top).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => user_bail!("cannot read the templates in {}: {error}", top.display()),
        };
        if !entry.file_type().is_file() {
            continue;
        }
        let text =
            std::fs::read_to_string(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
        let path = entry.path().strip_prefix(&top)?.to_string_lossy().replace("{version}", context.version());
        files.insert(PathBuf::from(path), one(entry.path(), &text, context.values())?);
    }
    Ok(files)
}

/// Render one template. A value that the template names and nobody has is an error, never an empty string.
pub(crate) fn one(path: &Path, text: &str, values: &tera::Context) -> Result<String> {
    match Tera::one_off(text, values, false) {
        Ok(text) => Ok(text),
        Err(error) => {
            // tera hides the cause one level down, under a made-up template name
            let mut reasons = Vec::new();
            let mut cause: Option<&dyn Error> = Some(&error);
            while let Some(reason) = cause {
                reasons.push(reason.to_string().replace("'__tera_one_off'", "this template"));
                cause = reason.source();
            }
            user_bail!("template {}: {}", path.display(), reasons.join(": "))
        }
    }
}
