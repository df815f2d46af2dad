//! The kernel from an unpacked Debian package, and the initramfs with the modules that a guest needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::cpio::Cpio;

/// `vmlinuz*` (or `vmlinux*` where the architecture has no compressed one) of an unpacked package, in boot/ or wherever
/// newer packages have it.
pub(super) fn image(tree: &Path) -> Result<PathBuf> {
    let named = |entry: &walkdir::DirEntry| {
        entry.file_type().is_file() && entry.file_name().to_str().is_some_and(|name| name.starts_with("vmlinu"))
    };
    let files = walkdir::WalkDir::new(tree).sort_by_file_name().into_iter().filter_map(std::result::Result::ok);
    let found =
        files.filter(named).last().with_context(|| format!("{}: no vmlinuz in this package", tree.display()))?;
    Ok(found.into_path())
}

/// Every module of a kernel, by its canonical name (`_`, never `-`).
pub(super) struct Modules(BTreeMap<String, PathBuf>);

fn canonical(name: &str) -> String {
    name.replace('-', "_")
}

impl Modules {
    pub(super) fn find(tree: &Path) -> Result<Self> {
        let base = [tree.join("usr/lib/modules"), tree.join("lib/modules")].into_iter().find(|dir| dir.is_dir());
        let base = base.with_context(|| format!("{}: no modules in this package", tree.display()))?;
        let mut all = BTreeMap::new();
        for entry in walkdir::WalkDir::new(base).sort_by_file_name() {
            let path = entry?.into_path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some((stem, _)) = name.split_once(".ko") {
                all.insert(canonical(stem), path);
            }
        }
        Ok(Self(all))
    }

    /// The wanted modules and all they depend on, dependencies first, uncompressed. One that the kernel has not as a
    /// module is built in (or refused by insmod's absence later: the guest then says what is missing).
    pub(super) fn closure(&self, wanted: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for name in wanted {
            self.visit(&canonical(name), &mut seen, &mut order)?;
        }
        Ok(order)
    }

    fn visit(&self, name: &str, seen: &mut BTreeSet<String>, order: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
        let Some(path) = self.0.get(name).filter(|_| seen.insert(name.to_owned())) else { return Ok(()) };
        let content = read_module(path)?;
        for dependency in depends(&content) {
            self.visit(&canonical(&dependency), seen, order)?;
        }
        order.push((name.to_owned(), content));
        Ok(())
    }
}

fn read_module(path: &Path) -> Result<Vec<u8>> {
    let tool = match path.extension().and_then(|e| e.to_str()) {
        Some("xz") => "xz",
        Some("zst") => "zstd",
        Some("gz") => "gzip",
        _ => return fs::read(path).with_context(|| format!("cannot read {}", path.display())),
    };
    let output = Command::new(tool).arg("-dc").arg(path).output().with_context(|| format!("cannot run {tool}"))?;
    if !output.status.success() {
        bail!("{tool} cannot read {}: {}", path.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

/// The `depends=a,b` record of a module's .modinfo: NUL-separated strings, so no ELF reader is needed to find it.
fn depends(module: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\0depends=";
    let Some(at) = module.windows(KEY.len()).position(|w| w == KEY) else { return Vec::new() };
    let value = &module[at + KEY.len()..];
    let value = &value[..value.iter().position(|&b| b == 0).unwrap_or(0)];
    String::from_utf8_lossy(value).split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// An initramfs: busybox, our init, and the modules with the order to load them in.
pub(super) fn initramfs(busybox: &Path, init: &[u8], modules: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut cpio = Cpio::default();
    for dir in ["bin", "dev", "proc", "sys", "share", "rom", "overlay", "root", "modules"] {
        cpio.directory(dir);
    }
    let content = fs::read(busybox).with_context(|| format!("cannot read {}", busybox.display()))?;
    cpio.file("bin/busybox", 0o755, &content);
    cpio.file("init", 0o755, init);
    let mut order = String::new();
    for (name, content) in modules {
        cpio.file(&format!("modules/{name}.ko"), 0o644, content);
        order.push_str(name);
        order.push('\n');
    }
    cpio.file("modules/order", 0o644, order.as_bytes());
    Ok(cpio.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_come_first_and_once() {
        let dir = tempfile::tempdir().unwrap();
        let modules = dir.path().join("lib/modules/1/kernel");
        fs::create_dir_all(&modules).unwrap();
        for (name, depends) in
            [("mac80211", "cfg80211"), ("cfg80211", ""), ("hw-sim", "mac80211,cfg80211"), ("other", "")]
        {
            fs::write(modules.join(format!("{name}.ko")), format!("ELF\0license=GPL\0depends={depends}\0vermagic=1\0"))
                .unwrap();
        }
        let modules = Modules::find(dir.path()).unwrap();
        let names = |wanted: &[&str]| -> Vec<String> {
            let wanted: Vec<String> = wanted.iter().map(|&w| w.to_owned()).collect();
            modules.closure(&wanted).unwrap().into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&["hw_sim", "built_in"]), ["cfg80211", "mac80211", "hw_sim"]);
    }
}
