//! Debian's archive: which mirror this machine uses, and what a suite's signed index says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Sources;
use super::cache::sha256_file;
use super::download::{Failure, download};
use super::lock::{Place, Source};
use crate::user_bail;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Paragraphs of an index: field -> value.
pub(crate) type Stanza = BTreeMap<String, String>;

/// The archive that serves `suite`: `--debian-mirror`, else what apt's own configuration names.
pub(crate) fn mirror(option: Option<&str>, suite: &str) -> Result<String> {
    let security = suite.ends_with("-security");
    if let Some(url) = option {
        let url = url.trim_end_matches('/');
        return Ok(if security { security_sibling(url) } else { url.to_owned() });
    }
    let entries = apt_entries(Path::new("/etc/apt"))?;
    let is_debian = |uri: &str| uri.trim_end_matches('/').ends_with("/debian");
    let exact = entries.iter().find(|(_, suites)| suites.iter().any(|s| s.trim_end_matches("/updates") == suite));
    let sibling = entries.iter().find(|(_, suites)| security == suites.iter().any(|s| s.ends_with("-security")));
    let main = entries.iter().find(|(uri, _)| is_debian(uri));
    // A file:, cdrom: or tor: source cannot be handed to curl.
    let usable = |uri: &String| uri.starts_with("http://") || uri.starts_with("https://");
    let found =
        [exact, sibling.filter(|(uri, _)| security || is_debian(uri))].into_iter().flatten().map(|(uri, _)| uri);
    if let Some(uri) = found.filter(|uri| usable(uri)).map(|uri| uri.trim_end_matches('/')).next() {
        return Ok(uri.to_owned());
    }
    match main.map(|(uri, _)| uri).filter(|uri| usable(uri)) {
        Some(uri) if security => Ok(security_sibling(uri.trim_end_matches('/'))),
        Some(uri) => Ok(uri.trim_end_matches('/').to_owned()),
        None => {
            user_bail!("apt's configuration names no Debian archive for {suite}: name one with --debian-mirror URL")
        }
    }
}

/// `.../debian` has its security updates at `.../debian-security`.
fn security_sibling(url: &str) -> String {
    format!("{}-security", url.trim_end_matches("-security"))
}

/// (URI, suites) of every enabled binary source, one-line and deb822 format.
fn apt_entries(etc: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let mut files = vec![etc.join("sources.list")];
    if let Ok(dir) = fs::read_dir(etc.join("sources.list.d")) {
        files.extend(dir.filter_map(Result::ok).map(|entry| entry.path()));
    }
    files.sort();
    let mut entries = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let text = || fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()));
        match file.extension().and_then(|e| e.to_str()) {
            Some("list") => entries.extend(text()?.lines().filter_map(one_line)),
            Some("sources") => entries.extend(stanzas(&text()?).iter().flat_map(deb822)),
            _ => {}
        }
    }
    Ok(entries)
}

fn one_line(line: &str) -> Option<(String, Vec<String>)> {
    let rest = line.trim().strip_prefix("deb ")?.trim_start();
    let rest = if rest.starts_with('[') { rest.split_once(']')?.1 } else { rest };
    let mut words = rest.split_whitespace();
    Some((words.next()?.to_owned(), vec![words.next()?.to_owned()]))
}

fn deb822(stanza: &Stanza) -> Vec<(String, Vec<String>)> {
    let field = |key: &str| stanza.get(key).map_or("", String::as_str);
    if field("Enabled") == "no" || !field("Types").split_whitespace().any(|t| t == "deb") {
        return Vec::new();
    }
    let suites: Vec<String> = field("Suites").split_whitespace().map(str::to_owned).collect();
    field("URIs").split_whitespace().map(|uri| (uri.to_owned(), suites.clone())).collect()
}

/// Split a control file into paragraphs; continuation lines are joined with a newline.
pub(crate) fn stanzas(text: &str) -> Vec<Stanza> {
    let mut all = Vec::new();
    let mut stanza = Stanza::new();
    let mut key = String::new();
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            if !stanza.is_empty() {
                all.push(std::mem::take(&mut stanza));
            }
        } else if line.starts_with([' ', '\t']) {
            if let Some(value) = stanza.get_mut(&key) {
                value.push('\n');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':').filter(|_| !line.starts_with('#')) {
            name.clone_into(&mut key);
            stanza.insert(key.clone(), value.trim().to_owned());
        }
    }
    all
}

impl Sources {
    /// The paragraphs of an index of `suite`: `binary-arm64` or `source`, its signature checked. One fetch per day.
    pub(crate) fn debian_index(&self, suite: &str, kind: &str) -> Result<Vec<Stanza>> {
        let base = format!("{}/dists/{suite}", mirror(self.options.debian_mirror.as_deref(), suite)?);
        let dir = self.cache.dir.join("indexes").join(suite);
        let _guard = self.cache.lock(&format!("index-{suite}"))?;
        fs::create_dir_all(&dir).map_err(|e| self.cache.unwritable(&e))?;
        let leaf = if kind == "source" { "Sources" } else { "Packages" };
        let name = format!("main/{kind}/{leaf}.xz");
        let release = Self::signed_release(&base, &dir, suite)?;
        let Some(want) = release_hash(&release, &name) else { bail!("suite {suite} has no index {name}") };
        let file = dir.join(format!("{kind}-{leaf}.xz"));
        if sha256_file(&file).ok().as_ref() != Some(&want) {
            fetch_plain(&format!("{base}/{name}"), &file, &format!("{suite} {kind} index"))?;
            if sha256_file(&file)? != want {
                bail!(
                    "{suite}: the index {name} does not match its signed Release file: the mirror is being updated, try again later"
                );
            }
        }
        let output =
            Command::new("xz").arg("-dc").arg(&file).stderr(Stdio::null()).output().context("cannot run xz")?;
        Ok(stanzas(&String::from_utf8_lossy(&output.stdout)))
    }

    /// `InRelease`, its signature checked with Debian's own keyring.
    fn signed_release(base: &str, dir: &Path, suite: &str) -> Result<String> {
        let file = dir.join("InRelease");
        let fresh = |file: &PathBuf| Some(fs::metadata(file).ok()?.modified().ok()?.elapsed().ok()?.as_secs() < 86_400);
        if fresh(&file) != Some(true) {
            fetch_plain(&format!("{base}/InRelease"), &file, &format!("{suite} InRelease"))?;
        }
        if !Path::new(KEYRING).exists() {
            user_bail!(
                "to check the signature of Debian's index this machine needs {KEYRING}: install debian-archive-keyring"
            );
        }
        let output = Command::new("gpgv")
            .args(["--quiet", "--keyring", KEYRING, "--output", "-"])
            .arg(&file)
            .output()
            .context("cannot run gpgv: install the package gpgv")?;
        if !output.status.success() {
            let _ = fs::remove_file(&file);
            let text = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
            bail!("the signature of {suite}'s Release file is not good ({text}); it is not used");
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What the suite has today in place of `source`: its package (or source package file) of the same name.
    pub(crate) fn debian_lookup(&self, source: &Source) -> Result<Option<Source>> {
        let Place::Debian { suite, .. } = &source.place else { return Ok(None) };
        let file = source.file_name();
        if let Some((package, rest)) = file.strip_suffix(".deb").and_then(|stem| stem.split_once('_')) {
            let arch = rest.rsplit('_').next().unwrap_or("amd64");
            let found = self.debian_package(suite, arch, package)?;
            return found.map(|stanza| from_stanza(&source.name, suite, &stanza)).transpose();
        }
        // name_version.orig.tar.xz of a source package
        let Some((package, rest)) = file.split_once('_') else { return Ok(None) };
        let suffix = rest.find(".orig").map_or("", |at| &rest[at..]);
        let stem = suffix.rsplit_once('.').map_or(suffix, |(stem, _)| stem); // the compression may change
        for stanza in self.debian_index(suite, "source")? {
            if stanza.get("Package").map(String::as_str) == Some(package) {
                return Ok(source_file(&source.name, suite, &stanza, stem));
            }
        }
        Ok(None)
    }

    /// The newest binary package of that name in the suite.
    pub(crate) fn debian_package(&self, suite: &str, arch: &str, package: &str) -> Result<Option<Stanza>> {
        let arch = if arch == "all" { "amd64" } else { arch };
        let index = self.debian_index(suite, &format!("binary-{arch}"))?;
        Ok(newest(index.into_iter().filter(|s| s.get("Package").map(String::as_str) == Some(package))))
    }
}

/// The last by Debian's version order; dpkg decides where it is there, else the index's own order.
fn newest(stanzas: impl Iterator<Item = Stanza>) -> Option<Stanza> {
    stanzas.reduce(|best, next| {
        let version = |s: &Stanza| s.get("Version").cloned().unwrap_or_default();
        let newer = Command::new("dpkg").args(["--compare-versions", &version(&next), "gt", &version(&best)]).status();
        if newer.is_ok_and(|status| status.success()) { next } else { best }
    })
}

/// A lock entry from a binary package's paragraph.
pub(crate) fn from_stanza(name: &str, suite: &str, stanza: &Stanza) -> Result<Source> {
    let field = |key: &str| stanza.get(key).cloned().with_context(|| format!("{suite}: package {name} has no {key}"));
    Ok(Source {
        name: name.to_owned(),
        version: field("Version")?,
        place: Place::Debian { suite: suite.to_owned(), path: field("Filename")? },
        sha256: field("SHA256")?,
        size: field("Size")?.parse().unwrap_or(0),
    })
}

/// A lock entry for the file of a source package whose name contains `stem` (such as `.orig.tar`).
pub(crate) fn source_file(name: &str, suite: &str, stanza: &Stanza, stem: &str) -> Option<Source> {
    let directory = stanza.get("Directory")?;
    let sums = stanza.get("Checksums-Sha256")?;
    let line = sums.lines().find(|line| line.contains(stem) && !line.contains(".asc"))?; // not its signature
    let mut words = line.split_whitespace();
    let (sha256, size, file) = (words.next()?, words.next()?, words.next()?);
    Some(Source {
        name: name.to_owned(),
        version: stanza.get("Version")?.clone(),
        place: Place::Debian { suite: suite.to_owned(), path: format!("{directory}/{file}") },
        sha256: sha256.to_owned(),
        size: size.parse().ok()?,
    })
}

fn release_hash(release: &str, name: &str) -> Option<String> {
    let section = release.split_once("\nSHA256:")?.1;
    section.lines().skip(1).take_while(|line| line.starts_with(' ')).find_map(|line| {
        let mut words = line.split_whitespace();
        let hash = words.next()?;
        (words.nth(1)? == name).then(|| hash.to_owned())
    })
}

/// Fetch a small file that has no hash of its own, through a temporary name.
fn fetch_plain(url: &str, file: &Path, label: &str) -> Result<()> {
    let part = file.with_extension("part");
    let _ = fs::remove_file(&part);
    match download(url, &part, label, 0)? {
        Ok(()) => Ok(fs::rename(&part, file)?),
        Err(Failure::Gone) => bail!("{label}: the mirror does not have {url}"),
        Err(Failure::Other(reason)) => bail!("{label}: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apt(list: &str, sources: &str) -> Vec<(String, Vec<String>)> {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sources.list.d")).unwrap();
        fs::write(dir.path().join("sources.list"), list).unwrap();
        fs::write(dir.path().join("sources.list.d/debian.sources"), sources).unwrap();
        apt_entries(dir.path()).unwrap()
    }

    #[test]
    fn both_formats_of_apt_sources_are_read() {
        let entries = apt(
            "# deb http://no.example/debian x main\ndeb [signed-by=/k arch=amd64] http://a.example/debian bookworm main\n",
            "Types: deb deb-src\n# a comment\nURIs: http://b.example/debian\nSuites: trixie trixie-updates\nComponents: main\n\n\
             Types: deb\nEnabled: no\nURIs: http://c.example/debian\nSuites: sid\n",
        );
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0], ("http://a.example/debian".into(), vec!["bookworm".into()]));
        assert_eq!(entries[1].1, ["trixie", "trixie-updates"]);
    }

    #[test]
    fn the_option_wins_and_security_is_the_sibling() {
        assert_eq!(mirror(Some("http://m.example/debian/"), "trixie").unwrap(), "http://m.example/debian");
        assert_eq!(
            mirror(Some("http://m.example/debian"), "bookworm-security").unwrap(),
            "http://m.example/debian-security"
        );
    }

    #[test]
    fn a_release_file_gives_the_hash_of_an_index() {
        let release = "Suite: x\nMD5Sum:\n aa 1 main/source/Sources.xz\nSHA256:\n bb 2 main/binary-amd64/Packages.xz\n cc 3 main/source/Sources.xz\nEnd: 1\n";
        assert_eq!(release_hash(release, "main/source/Sources.xz").as_deref(), Some("cc"));
        assert_eq!(release_hash(release, "main/source/Sources.gz"), None);
    }

    #[test]
    fn a_source_package_gives_its_orig_tarball() {
        let text = "Package: p\nVersion: 2-1\nDirectory: pool/main/p/p\nChecksums-Sha256:\n aa 9 p_2-1.dsc\n bb 5 p_2.orig.tar.bz2.asc\n cc 7 p_2.orig.tar.bz2\n";
        let source = source_file("p", "sid", &stanzas(text)[0], ".orig.tar").unwrap();
        assert_eq!((source.sha256.as_str(), source.size, source.file_name()), ("cc", 7, "p_2.orig.tar.bz2"));
    }
}
