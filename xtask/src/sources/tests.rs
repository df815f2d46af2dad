//! Fetching against a small archive on this machine's own disk (`file://` mirror), and against `--sources`.

use super::*;

struct Bench {
    dir: tempfile::TempDir,
    sources: Sources,
}

fn bench(content: &[u8]) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    let pool = dir.path().join("mirror/pool/main/t");
    fs::create_dir_all(&pool).unwrap();
    fs::write(pool.join("thing_1_all.deb"), content).unwrap();
    let source = Source {
        name: "thing".into(),
        version: "1".into(),
        place: Place::Debian { suite: "x".into(), path: "pool/main/t/thing_1_all.deb".into() },
        sha256: hex(&<sha2::Sha256 as sha2::Digest>::digest(b"the right bytes")),
        size: 15,
    };
    let options = Options {
        cache: Some(dir.path().join("cache")),
        sources: None,
        debian_mirror: Some(format!("file://{}/mirror", dir.path().display())),
    };
    let lock = Lock { sources: [("thing".to_owned(), source)].into(), ..Lock::default() };
    let cache = Cache::open(options.cache.as_deref()).unwrap();
    Bench { dir, sources: Sources { options, lock, cache } }
}

#[test]
fn a_fetched_file_is_verified_and_kept() {
    if !have("curl") {
        println!("SKIPPED: fetch from a file:// mirror: needs curl: apt-get install curl");
        return;
    }
    let bench = bench(b"the right bytes");
    let file = bench.sources.fetch("thing").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"the right bytes");
    fs::remove_dir_all(bench.dir.path().join("mirror")).unwrap();
    assert_eq!(bench.sources.fetch("thing").unwrap(), file); // now from the cache
}

#[test]
fn an_interrupted_download_is_gone_on_with() {
    if !have("curl") {
        println!("SKIPPED: resume from a file:// mirror: needs curl: apt-get install curl");
        return;
    }
    let bench = bench(b"XXX right bytes"); // the first bytes can only come from the part that was there
    let part = bench.sources.cache.file(&bench.sources.source("thing").unwrap().sha256, "part");
    fs::create_dir_all(part.parent().unwrap()).unwrap();
    fs::write(&part, b"the").unwrap();
    assert_eq!(fs::read(bench.sources.fetch("thing").unwrap()).unwrap(), b"the right bytes");
}

#[test]
fn corrupted_bytes_are_refused_and_removed() {
    if !have("curl") {
        println!("SKIPPED: corruption from a file:// mirror: needs curl: apt-get install curl");
        return;
    }
    let bench = bench(b"the wrong bytes");
    let error = bench.sources.fetch("thing").unwrap_err().to_string();
    assert!(error.starts_with("thing: corrupted: "), "{error}");
    fs::write(bench.dir.path().join("mirror/pool/main/t/thing_1_all.deb"), b"the right bytes").unwrap();
    bench.sources.fetch("thing").unwrap();
}

#[test]
fn a_vanished_file_is_named_with_what_can_be_done() {
    if !have("curl") {
        println!("SKIPPED: a vanished file of a file:// mirror: needs curl: apt-get install curl");
        return;
    }
    let bench = bench(b"the right bytes");
    fs::remove_file(bench.dir.path().join("mirror/pool/main/t/thing_1_all.deb")).unwrap();
    let error = format!("{:#}", bench.sources.fetch("thing").unwrap_err());
    assert!(error.starts_with("thing 1 has vanished from the mirror (file://"), "{error}");
    assert!(error.contains("InRelease") && !error.contains('\n'), "{error}");
}

#[test]
fn a_file_that_does_not_fit_is_not_begun() {
    let dir = tempfile::tempdir().unwrap();
    let reason = download::too_full(&dir.path().join("part"), u64::MAX).unwrap();
    assert!(reason.starts_with("disk full: ") && reason.contains(" free"), "{reason}");
    assert!(download::too_full(&dir.path().join("part"), 0).is_none());
}

#[test]
fn a_directory_of_sources_comes_before_the_mirror() {
    let mut bench = bench(b"the wrong bytes");
    let dir = bench.dir.path().join("own");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("thing_1_all.deb"), b"the right bytes").unwrap();
    bench.sources.options.sources = Some(dir);
    bench.sources.fetch("thing").unwrap();
}

#[test]
fn an_unusable_cache_is_the_users_to_mend() {
    let mut bench = bench(b"the right bytes");
    fs::write(bench.dir.path().join("file"), "").unwrap();
    bench.sources.cache.dir = bench.dir.path().join("file/cache");
    let error = bench.sources.fetch("thing").unwrap_err();
    assert!(error.is::<crate::root::UserError>() && error.to_string().contains("--cache DIR"), "{error}");
}

#[test]
fn a_git_source_comes_from_a_local_repository() {
    let mut bench = bench(b"");
    let repo = bench.dir.path().join("own/lib");
    fs::create_dir_all(&repo).unwrap();
    fs::write(repo.join("file.c"), "int x;").unwrap();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let output = Command::new("git").arg("-C").arg(&repo).args(identity).args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let place = Place::Git { url: "nowhere".into(), rev: git(&["rev-parse", "HEAD"]) };
    let source = Source { name: "lib".into(), version: "0".into(), place, sha256: String::new(), size: 0 };
    bench.sources.lock.sources.insert("lib".into(), source);
    bench.sources.options.sources = Some(bench.dir.path().join("own"));
    assert!(bench.sources.tree("lib").unwrap().join("file.c").exists());
}
