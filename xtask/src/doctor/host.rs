//! This machine: tools, disk, Rust, locale, user, clock.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use super::{Engine, Finding};
use crate::catalogue::Catalogue;
use crate::root::root;

/// GiB of free disk that a build needs.
const DISK: [(Engine, u64); 3] = [(Engine::Lab, 6), (Engine::Openwrt, 30), (Engine::Yocto, 100)];

pub(super) fn check() -> Result<Vec<Finding>> {
    let catalogue = Catalogue::load(&root())?;
    let mut findings = tools()?;
    findings.push(rust(&catalogue.workspace.rust_version));
    findings.extend(disk(&root()));
    findings.push(locale());
    findings.push(user());
    findings.push(clock(&root()));
    Ok(findings)
}

fn finding(what: &str, ok: bool, engines: &[Engine], why: String, mend: &str) -> Finding {
    let mend = if ok { String::new() } else { mend.to_string() };
    Finding { what: what.to_string(), ok, engines: engines.to_vec(), why, mend }
}

/// Standard output of a program, None if it is missing or fails.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn on_path(program: &str) -> bool {
    // /usr/sbin holds what an ordinary user's PATH may not name, and builds look there too
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .any(|folder| folder.join(program).is_file())
}

fn tools() -> Result<Vec<Finding>> {
    let table: BTreeMap<String, Vec<[String; 2]>> =
        toml::from_str(include_str!("tools.toml")).context("xtask/src/doctor/tools.toml")?;
    let mut findings = Vec::new();
    for (name, engine) in [("lab", Engine::Lab), ("openwrt", Engine::Openwrt), ("yocto", Engine::Yocto)] {
        let missing: Vec<&[String; 2]> = table[name].iter().filter(|[program, _]| !on_path(program)).collect();
        let programs: Vec<&str> = missing.iter().map(|pair| pair[0].as_str()).collect();
        let packages: Vec<&str> = missing.iter().map(|pair| pair[1].as_str()).collect();
        let why = if missing.is_empty() {
            format!("all {} programs are there", table[name].len())
        } else {
            format!("missing: {}", programs.join(", "))
        };
        findings.push(finding(
            "tools",
            missing.is_empty(),
            &[engine],
            why,
            &format!("sudo apt-get install {}", packages.join(" ")),
        ));
    }
    Ok(findings)
}

fn rust(floor: &str) -> Finding {
    let have = output("rustc", &["--version"]);
    let number = |text: &str| -> Vec<u32> { text.split('.').take(2).filter_map(|part| part.parse().ok()).collect() };
    let version = have.as_deref().and_then(|text| text.split(' ').nth(1)).unwrap_or("none");
    let ok = number(version) >= number(floor);
    finding(
        "Rust",
        ok,
        &[],
        format!("found {version}, needs {floor}"),
        "rustup update stable   # without rustup: https://rustup.rs",
    )
}

fn disk(root: &Path) -> Vec<Finding> {
    // POSIX output: one line per file system, the fourth column is free KiB
    let free = output("df", &["-Pk", &root.to_string_lossy()])
        .and_then(|text| text.lines().nth(1)?.split_whitespace().nth(3)?.parse::<u64>().ok())
        .map(|kib| kib / (1024 * 1024));
    let judge = |(engine, needed): (Engine, u64)| {
        let why =
            free.map_or("df did not say".to_string(), |free| format!("{free} GiB free, a build needs about {needed}"));
        finding(
            "disk",
            free.is_some_and(|free| free >= needed),
            &[engine],
            why,
            "cargo clean; or clone to a larger disk",
        )
    };
    DISK.map(judge).into()
}

fn locale() -> Finding {
    let known = output("locale", &["-a"]).unwrap_or_default().to_lowercase();
    let ok = known.lines().any(|name| name == "en_us.utf8" || name == "en_us.utf-8");
    let why = if ok { "en_US.UTF-8 is there" } else { "BitBake refuses to start without en_US.UTF-8" };
    let mend = "sudo apt-get install locales && sudo sed -i 's/^# *en_US.UTF-8/en_US.UTF-8/' /etc/locale.gen && sudo locale-gen";
    finding("locale", ok, &[Engine::Yocto], why.to_string(), mend)
}

fn user() -> Finding {
    let root = output("id", &["-u"]).as_deref() == Some("0");
    let why = if root { "this is root: BitBake refuses, OpenWrt's host tools refuse" } else { "an ordinary user" };
    let mend = "sudo adduser builder && sudo -u builder -i   # in a container, for OpenWrt only: export FORCE_UNSAFE_CONFIGURE=1";
    finding("user", !root, &[Engine::Openwrt, Engine::Yocto], why.to_string(), mend)
}

/// A clock behind the newest commit makes make and ninja rebuild or skip at random, and TLS downloads fail.
fn clock(root: &Path) -> Finding {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let newest = output("git", &["-C", &root.to_string_lossy(), "log", "-1", "--format=%ct"])
        .and_then(|text| text.parse::<u64>().ok());
    let ok = newest.is_none_or(|newest| now + 60 >= newest);
    let why = if ok {
        "not behind the newest commit"
    } else {
        "behind the newest commit: make, ninja and TLS will misbehave"
    };
    finding("clock", ok, &[], why.to_string(), "sudo timedatectl set-ntp true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_that_is_wrong_has_a_command() {
        let findings = check().unwrap();
        assert!(findings.len() >= 10);
        assert!(findings.iter().all(|finding| finding.ok == finding.mend.is_empty()), "{findings:#?}");
    }

    #[test]
    fn an_old_rust_is_refused() {
        assert!(!rust("99.0").ok);
        assert!(rust("1.50").ok);
    }
}
