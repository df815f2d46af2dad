//! The scenarios on root filesystems that a test can make: of this machine's own C library, px5g and librustcrypto.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::scenarios::{Served, crowd, fixture, page};
use super::user::{Emulator, heap_with};
use crate::elf;
use crate::lab::results;
use crate::report::Measure;
use crate::sources::have;
use crate::verify_consumers::{exec, pki};

const HOST_LIBRARIES: [&str; 4] = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib"];

fn record() -> Measure {
    serde_json::from_str(
        r#"{"schema":1,"target":"","tls":"","profile":"","engine":"","method":"Sizes.","heap":[],"time":[],"tls_libraries":[],
            "rootfs":{"squashfs_bytes":0,"unpacked_bytes":0,"packages":[]}}"#,
    )
    .unwrap()
}

fn link(root: &Path, dir: &str, name: &str, to: &Path) {
    fs::create_dir_all(root.join(dir)).unwrap();
    symlink(to, root.join(dir).join(name)).unwrap();
}

#[test]
fn only_a_squashfs_file_is_unpacked() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (bytes, is) in [(&b""[..], false), (b"hsq", false), (b"sqsh big-endian", false), (b"hsqs and more", true)] {
        fs::write(file.path(), bytes).unwrap();
        assert_eq!(super::is_squashfs(file.path()), is, "{bytes:?}");
    }
    assert!(!super::is_squashfs(Path::new("/nonexistent")));
}

#[test]
fn a_root_without_programs_needs_no_emulator() {
    let dir = tempfile::tempdir().unwrap();
    let mut measure = record();
    let outcome = heap_with(dir.path(), |_| panic!("nothing is to be run")).unwrap();
    assert!(outcome.into(&mut measure).is_empty());
    assert_eq!(measure.absent["uhttpd-4"], "the root filesystem has no uhttpd");
    assert_eq!((measure.absent.len(), measure.method.as_str()), (5, "Sizes."));
}

#[test]
fn a_library_that_is_only_this_machines_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["px5g", "uhttpd", "hostapd"] {
        link(dir.path(), "usr/sbin", name, &std::env::current_exe().unwrap());
    }
    let mut measure = record();
    heap_with(dir.path(), |_| panic!("nothing can be run")).unwrap().into(&mut measure);
    assert!(measure.absent["certificate"].starts_with("the root filesystem has no lib"), "{:?}", measure.absent);
    assert!(measure.absent["sae"].contains("mac80211_hwsim"));
}

/// What `cargo test --workspace` has built beside this test, or a word about it.
fn built(name: &str) -> Option<PathBuf> {
    let path = std::env::current_exe().unwrap().parent().unwrap().join(name);
    if path.is_file() {
        return Some(path);
    }
    println!("SKIPPED: heap under qemu-user: no {name} beside the test: `cargo test --workspace` builds it");
    None
}

#[test]
fn px5g_is_run_and_counted_as_without_the_emulator() {
    let emulators = ["qemu-x86_64", "qemu-x86_64-static"];
    let Some(qemu) = emulators.into_iter().find(|name| cfg!(target_arch = "x86_64") && have(name)) else {
        println!("SKIPPED: heap under qemu-user: needs an x86-64 machine and apt-get install qemu-user-static");
        return;
    };
    let (Some(library), Some(heapmeter)) = (built("librustcrypto_capi.so"), built("libheapmeter.so")) else { return };
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    link(&root, "usr/lib", "librustcrypto.so.0", &library);
    let mut wanted = elf::dynamic(&library).unwrap().needed;
    wanted.extend(["libc.so.6".to_owned(), "ld-linux-x86-64.so.2".to_owned()]);
    for name in wanted {
        let found = HOST_LIBRARIES.iter().map(|dir| Path::new(dir).join(&name)).find(|path| path.is_file());
        let _ = fs::create_dir_all(root.join("lib64"));
        // One library may need what another did already.
        let _ = symlink(found.unwrap(), root.join("lib64").join(&name));
    }
    fs::create_dir_all(root.join("usr/sbin")).unwrap();
    let (px5g, source) = (root.join("usr/sbin/px5g"), crate::root::root().join("crates/px5g"));
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-D_GNU_SOURCE", "-I"]).arg(crate::root::root().join("crates/rustcrypto-capi/include"));
    cc.args(["px5g.c", "output.c"].map(|file| source.join(file))).arg(&library).arg("-o").arg(&px5g);
    exec::run(&mut cc).unwrap();

    let emulator = Emulator { qemu: qemu.to_owned(), heapmeter: heapmeter.clone() };
    let outcome = heap_with(&root, |loader| {
        assert_eq!(loader, "ld-linux-x86-64.so.2");
        Ok(emulator)
    });
    let mut measure = record();
    let failed = outcome.unwrap().into(&mut measure);
    assert!(failed.is_empty(), "{:?}", measure.absent);
    assert!(measure.method.contains("qemu-user (qemu-x86_64"), "{}", measure.method);
    let [heap] = &measure.heap[..] else { panic!("one scenario: {:?}", measure.heap) };
    assert_eq!((heap.scenario.as_str(), heap.process.as_str()), ("certificate", "px5g"));

    let out = dir.path().join("native.jsonl");
    let mut native = Command::new(&px5g);
    native.args("selfsigned -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout k -out c -subj /CN=x".split(' '));
    native.env("LD_LIBRARY_PATH", root.join("usr/lib")).env("LD_PRELOAD", heapmeter).env("HEAPMETER_OUT", &out);
    exec::run(native.current_dir(dir.path())).unwrap();
    let native = results::largest("native", &fs::read_to_string(out).unwrap()).unwrap().unwrap();
    let ratio = heap.peak_bytes as f64 / native.peak_bytes as f64;
    assert!((0.8..1.25).contains(&ratio), "{} bytes emulated, {} without", heap.peak_bytes, native.peak_bytes);
}

#[test]
fn a_crowd_is_served_at_a_time_and_another_page_is_noticed() {
    if !have("openssl") || !have("python3") {
        println!("SKIPPED: a crowd of clients: needs openssl and python3: apt-get install openssl python3");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("index.html"), page(64 << 10)).unwrap();
    // Nobody is answered before as many as PARTIES have asked: clients one after another would wait for ever.
    let server = "import http.server as h, ssl, sys, threading\n\
        together = threading.Barrier(int(sys.argv[4]))\n\
        class Handler(h.SimpleHTTPRequestHandler):\n\
        \x20   def do_GET(self):\n\
        \x20       together.wait(60)\n\
        \x20       super().do_GET()\n\
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\n\
        context.load_cert_chain(sys.argv[2], sys.argv[3])\n\
        server = h.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)\n\
        server.socket = context.wrap_socket(server.socket, server_side=True)\n\
        server.serve_forever()\n";
    let port = pki::free_port().unwrap();
    let mut python = Command::new("python3");
    python.args(["-c", server, &port.to_string()]).arg(fixture("server.pem")).arg(fixture("server.key")).arg("4");
    let _server = Served::start(python.current_dir(dir.path()), port, &dir.path().join("log")).unwrap();
    crowd(port, 4, &page(64 << 10)).unwrap();
    let error = crowd(port, 4, &page(1 << 10).repeat(2)).unwrap_err();
    assert!(error.to_string().starts_with("another page came"), "{error:#}");
}
