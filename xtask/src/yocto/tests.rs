//! Kas files for every target, and a build directory as BitBake leaves it.

use std::fs;
use std::path::Path;
use std::process::Command;

#[path = "../../tests/common/mod.rs"]
mod common;

use super::collect::{Find, Wanted, collect};
use super::kas::Plan;
use crate::catalogue::Catalogue;
use crate::root::{UserError, root};

fn catalogue() -> Catalogue {
    Catalogue::load(&root()).unwrap()
}

#[test]
fn every_target_with_a_machine_gets_a_kas_file() {
    let catalogue = catalogue();
    for target in catalogue.targets.values().filter(|target| target.yocto.is_some()) {
        for tls in ["rustcrypto", "openssl"] {
            let plan = Plan::new(&catalogue, &target.name, tls, None).unwrap();
            let text = plan.text(&catalogue, Path::new("x.yml")).unwrap();
            assert!(text.contains(&format!("machine: \"{}\"\n", plan.machine)), "{text}");
            assert_eq!(text.contains("DISTRO_FEATURES:append = \" rustcrypto\""), tls == "rustcrypto");
            assert_eq!(text.contains("px5g-rustcrypto"), tls == "rustcrypto");
            // one repository entry for each address
            let mut urls: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("url: ")).collect();
            let all = urls.len();
            urls.sort_unstable();
            urls.dedup();
            assert_eq!(urls.len(), all, "{text}");
        }
    }
}

#[test]
fn a_layer_that_does_not_claim_the_series_is_widened_in_the_open() {
    let catalogue = catalogue();
    let text =
        Plan::new(&catalogue, "polarfire", "rustcrypto", None).unwrap().text(&catalogue, Path::new("x.yml")).unwrap();
    assert!(
        text.contains("LAYERSERIES_COMPAT_meta-polarfire-soc-bsp:append = \" wrynose\"")
            && text.contains("at your own risk")
            && text.find("bblayers_conf_header").unwrap() < text.find("LAYERSERIES_COMPAT").unwrap(),
        "{text}"
    );
}

#[test]
fn faults() {
    let catalogue = catalogue();
    for (target, tls, series, part) in [
        ("malta", "rustcrypto", None, "has no [yocto] table"),
        ("rpi5", "mbedtls", None, "builds rustcrypto or openssl"),
        ("rpi5", "rustcrypto", Some("wrynos"), "did you mean 'wrynose'"),
        ("rpi5", "rustcrypto", Some("blacksail"), "meta-raspberrypi has no branch for blacksail"),
    ] {
        let error = Plan::new(&catalogue, target, tls, series).unwrap_err();
        assert!(
            error.chain().any(<dyn std::error::Error + 'static>::is::<UserError>)
                && format!("{error:#}").contains(part),
            "{error:#}"
        );
    }
}

/// A build directory with what BitBake's buildhistory writes; `extra` is one more library file with its package.
fn built(top: &Path, openssl: bool) -> Wanted {
    let deploy = top.join("tmp/deploy/images/raspberrypi5");
    let history = top.join("buildhistory/images/raspberrypi5/glibc/core-image-minimal");
    fs::create_dir_all(&deploy).unwrap();
    fs::create_dir_all(&history).unwrap();
    fs::write(deploy.join("core-image-minimal-raspberrypi5.rootfs-20260822000000.squashfs-xz"), vec![0; 2000]).unwrap();
    std::os::unix::fs::symlink(
        "core-image-minimal-raspberrypi5.rootfs-20260822000000.squashfs-xz",
        deploy.join("core-image-minimal-raspberrypi5.rootfs.squashfs-xz"),
    )
    .unwrap();
    let (sizes, files, names) = if openssl {
        (
            "6000\tKiB\tlibcrypto3\n",
            "-rwxr-xr-x root root 6000 ./usr/lib/libcrypto.so.3\n",
            "libcrypto3_3.5.7-r0_cortexa76.ipk\n",
        )
    } else {
        ("", "", "")
    };
    fs::write(history.join("installed-package-sizes.txt"), format!("{sizes}2000\tKiB\trustcrypto\n10\tKiB\tbusybox\n"))
        .unwrap();
    fs::write(
        history.join("installed-packages.txt"),
        format!("{names}rustcrypto_0.1.0-r0_cortexa76.ipk\nbusybox_1.37-r0_cortexa76.ipk\n"),
    )
    .unwrap();
    let list = format!(
        "drwxr-xr-x root root 4096 ./usr/lib\n-rwxr-xr-x root root 2000 ./usr/lib/librustcrypto.so.0\n{files}lrwxrwxrwx root root 7 ./bin/sh -> busybox\n"
    );
    fs::write(history.join("files-in-image.txt"), list).unwrap();
    fs::write(
        history.join("depends.dot"),
        "digraph depends {\n\"openssh\" -> \"libcrypto3\";\n\"openssh\" -> \"libcrypto3\" [style=dotted];\n}\n",
    )
    .unwrap();
    Wanted {
        target: "rpi5".into(),
        tls: "rustcrypto".into(),
        machine: "raspberrypi5".into(),
        image: "core-image-minimal".into(),
    }
}

#[test]
fn a_clean_image_is_collected_and_measured() {
    let top = tempfile::tempdir().unwrap();
    let out = top.path().join("out");
    fs::create_dir(&out).unwrap();
    let wanted = built(top.path(), false);
    let (measure, lint) = collect(&catalogue(), &wanted, top.path(), &out).unwrap();
    assert_eq!(lint, []);
    assert_eq!(measure.tls_libraries, ["rustcrypto"]);
    assert_eq!((measure.rootfs.squashfs_bytes, measure.rootfs.unpacked_bytes), (2000, 2010 * 1024));
    let ours = measure.rootfs.packages.iter().find(|package| package.name == "rustcrypto").unwrap();
    assert_eq!((ours.version.as_str(), ours.bytes, ours.squashfs_share), ("0.1.0-r0", 2000 * 1024, 1990));
    assert!(
        out.join("core-image-minimal-raspberrypi5.rootfs.squashfs-xz").is_file() && out.join("manifest.json").is_file()
    );
}

#[test]
fn another_tls_library_is_found_with_the_package_that_pulled_it_in() {
    let top = tempfile::tempdir().unwrap();
    let wanted = built(top.path(), true);
    let (measure, lint) = collect(&catalogue(), &wanted, top.path(), top.path()).unwrap();
    assert_eq!(measure.tls_libraries, ["openssl", "rustcrypto"]);
    assert_eq!(
        lint,
        [Find { library: "OpenSSL".into(), package: "libcrypto3".into(), pulled_in_by: vec!["openssh".into()] }]
    );
    assert_eq!(lint[0].to_string(), "OpenSSL is in the image as libcrypto3, pulled in by openssh");
    let names = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(lint[0].allowed(&names(&["openssh"])));
    // a consumer allows itself, never the library for all
    for list in [&["libcrypto3"][..], &["openssl"], &[]] {
        assert!(!lint[0].allowed(&names(list)), "{list:?}");
    }
    let mut find = Find { library: "OpenSSL".into(), package: "libssl3".into(), pulled_in_by: vec![] };
    assert!(find.allowed(&names(&["libssl3"])) && !find.allowed(&names(&["openssh"])));
    find.pulled_in_by = names(&["openssh", "python3-crypt"]);
    assert!(!find.allowed(&names(&["openssh"])));
}

#[test]
fn a_build_directory_without_the_image_is_said_to_be_one() {
    let top = tempfile::tempdir().unwrap();
    let wanted = Wanted {
        target: "rpi5".into(),
        tls: "rustcrypto".into(),
        machine: "raspberrypi5".into(),
        image: "core-image-minimal".into(),
    };
    let error = format!("{:#}", collect(&catalogue(), &wanted, top.path(), top.path()).unwrap_err());
    assert!(error.contains("nothing was built there"), "{error}");
}

/// A clone as kas would have made it, so that it need not: the branch is there and the address is the one asked for.
fn pretend_clone(work: &Path, name: &str, url: &str, branch: &str) {
    let folder = work.join(name);
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(&folder)
            .args(["-c", "user.name=t", "-c", "user.email=t@t"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    fs::create_dir_all(&folder).unwrap();
    git(&["init", "-q", "-b", branch]);
    git(&["commit", "-q", "--allow-empty", "-m", "empty"]);
    git(&["remote", "add", "origin", url]);
    git(&["update-ref", &format!("refs/remotes/origin/{branch}"), "HEAD"]);
}

/// The real kas reads, checks and resolves each file.
#[test]
fn kas_accepts_every_file() {
    let Some(python) = common::python("kas dump") else { return };
    let catalogue = catalogue();
    for target in catalogue.targets.values().filter(|target| target.yocto.is_some()) {
        let work = tempfile::tempdir().unwrap();
        let file = work.path().join("image.yml");
        let plan = Plan::new(&catalogue, &target.name, "rustcrypto", None).unwrap();
        fs::write(&file, plan.text(&catalogue, &file).unwrap()).unwrap();
        let bitbake = ("bitbake".to_string(), catalogue.yocto.layers["bitbake"].clone());
        for (_, layer) in plan.layers.iter().chain([&bitbake]) {
            let name = layer.url.trim_end_matches(".git").rsplit('/').next().unwrap();
            if !work.path().join(name).exists() {
                pretend_clone(work.path(), name, &layer.url, &layer.branches[&plan.series]);
            }
        }
        let output = Command::new(python.with_file_name("kas"))
            .args(["dump", "--format", "json"])
            .arg(&file)
            .env("KAS_WORK_DIR", work.path())
            .env("GIT_ALLOW_PROTOCOL", "file") // nothing here may reach out
            .output()
            .unwrap();
        assert!(output.status.success(), "{}: {}", target.name, String::from_utf8_lossy(&output.stderr));
        let dump: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(dump["machine"], plan.machine.as_str());
        assert_eq!(
            dump["repos"]["bitbake"]["branch"],
            catalogue.yocto.layers["bitbake"].branches[&plan.series].as_str()
        );
        assert!(dump["local_conf_header"]["rustcrypto"].as_str().unwrap().contains(" rustcrypto\""));
    }
}
