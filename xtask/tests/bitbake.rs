//! The generated layer, and recipes for real crates, under BitBake's own parser (`PyPI` `bitbake-setup`).

mod common;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{python, root};
use serde_json::{Value, json};

fn stubs() -> PathBuf {
    root().join("xtask/tests/bitbake/stubs")
}

fn layer() -> PathBuf {
    root().join("meta-rustcrypto")
}

/// Parse each recipe as `evaluate.py` describes.
fn evaluate(python: &Path, layer: &Path, requests: &Value) -> Vec<Value> {
    let mut child = Command::new(python)
        .arg(root().join("xtask/tests/bitbake/evaluate.py"))
        .args([stubs().as_path(), layer])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(requests.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "evaluate.py failed");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The one file in the layer whose name starts and ends like this.
fn in_layer(folder: &str, start: &str) -> PathBuf {
    let folder = layer().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: &PathBuf| {
        let named = path.file_name().unwrap().to_str().is_some_and(|name| name.starts_with(start));
        named && path.extension().is_some_and(|end| end == "bb")
    };
    entries.into_iter().find(named).unwrap_or_else(|| panic!("no {start}*.bb in {}", folder.display()))
}

fn words(answer: &Value, variable: &str) -> Vec<String> {
    let value = answer["values"][variable].as_str().unwrap_or_else(|| panic!("{variable} is not set: {answer:#}"));
    value.split_whitespace().map(str::to_string).collect()
}

/// (name, checksum) of every crates.io package in a lock, in the lock's order.
fn locked(lock: &Path) -> Vec<(String, String)> {
    let table: toml::Table = toml::from_str(&std::fs::read_to_string(lock).unwrap()).unwrap();
    let packages = table["package"].as_array().unwrap();
    let text = |package: &toml::Value, key: &str| {
        package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_string()
    };
    packages
        .iter()
        .filter(|package| text(package, "source").contains("crates.io"))
        .map(|package| (format!("{}-{}", text(package, "name"), text(package, "version")), text(package, "checksum")))
        .collect()
}

/// Every crate in `SRC_URI` has its checksum from the lock, and no other does.
fn assert_checksums(answer: &Value, lock: &Path) {
    let locked = locked(lock);
    assert!(!locked.is_empty());
    let uris = words(answer, "SRC_URI");
    for (name, sum) in &locked {
        assert_eq!(answer["checksums"][name].as_str(), Some(sum.as_str()), "{name}");
    }
    assert_eq!(answer["checksums"].as_object().unwrap().len(), locked.len());
    assert_eq!(uris.iter().filter(|uri| uri.starts_with("crate://crates.io/")).count(), locked.len());
}

#[test]
fn the_library_recipe() {
    let Some(python) = python("the library's recipe under BitBake's parser") else { return };
    let recipe = in_layer("recipes-crypto/rustcrypto", "rustcrypto_");
    let request = json!([
        { "recipe": recipe, "features": "" },
        { "recipe": recipe, "features": "rustcrypto" },
        { "recipe": recipe, "variables": { "RUSTCRYPTO_PROFILE": "minimal" } },
        { "recipe": recipe, "variables": { "RUSTVERSION": "1.75.0%", "LAYERSERIES_CORENAMES": "scarthgap" } },
    ]);
    let answers = evaluate(&python, &layer(), &request);
    for answer in &answers[..2] {
        // built alone, or cargo leaves LTO out
        assert!(answer["values"]["do_compile"].as_str().unwrap().contains("--crate-type=cdylib"), "{answer:#}");
        assert_checksums(answer, &root().join("dist/Cargo.lock"));
        let flags = words(answer, "CARGO_BUILD_FLAGS");
        assert!(
            flags.contains(&"--frozen".to_string()) && flags.contains(&"--features=speed,legacy-eap".to_string()),
            "{flags:?}"
        );
        // What the recipe takes from the repository must be there.
        for uri in words(answer, "SRC_URI").iter().filter_map(|uri| uri.strip_prefix("file://")) {
            let path = uri.split(';').next().unwrap();
            assert!(root().join("dist").join(path).exists() || root().join(path).exists(), "{path}");
        }
    }
    assert_eq!(
        answers[0]["values"]["DEPENDS"], answers[1]["values"]["DEPENDS"],
        "the library itself does not depend on the feature"
    );
    assert!(words(&answers[2], "CARGO_BUILD_FLAGS").contains(&"--features=minimal,legacy-eap".to_string()));
    let error = answers[3]["error"].as_str().unwrap();
    assert!(
        error.contains("needs Rust")
            && error.contains("1.75.0")
            && error.contains("meta-lts-mixins, branch scarthgap/rust"),
        "{error}"
    );
}

/// Run the recipe's own `do_configure` on a .config; gives what is in it then.
fn configured(answer: &Value, config: &str, folder: &str) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source");
    std::fs::create_dir_all(source.join(folder)).unwrap();
    std::fs::write(source.join(folder).join(".config"), config).unwrap();
    std::fs::create_dir_all(scratch.path().join("unpacked")).unwrap();
    std::fs::write(scratch.path().join("unpacked/defconfig"), config).unwrap();
    let values = &answer["values"];
    let text = |name: &str| values[name].as_str().unwrap_or("    :\n");
    let script = format!(
        "rustcrypto_config() {{\n{}}}\ndo_configure() {{\n{}}}\nset -eu\ndo_configure\n",
        text("rustcrypto_config"),
        text("do_configure")
    );
    // The parser has filled in the build's folders; put ours in their place, the longer first.
    let script = script
        .replace(text("S"), source.to_str().unwrap())
        .replace(text("UNPACKDIR"), scratch.path().join("unpacked").to_str().unwrap());
    let status = Command::new("sh").arg("-c").arg(&script).current_dir(&source).status().unwrap();
    assert!(status.success(), "{script}");
    std::fs::read_to_string(source.join(folder).join(".config")).unwrap()
}

#[test]
fn wpa_supplicant_and_hostapd_switch_with_the_feature_and_only_then() {
    let Some(python) = python("appends under BitBake's parser") else { return };
    let wpa = stubs().join("recipes/wpa-supplicant_2.12.bb");
    let hostapd = stubs().join("recipes/hostapd_2.12.bb");
    let request = json!([
        { "recipe": wpa, "features": "" },
        { "recipe": wpa, "features": "wifi rustcrypto" },
        { "recipe": hostapd, "features": "", "collections": ["openembedded-layer"] },
        { "recipe": hostapd, "features": "rustcrypto", "collections": ["openembedded-layer"] },
        { "recipe": hostapd, "features": "rustcrypto" },
    ]);
    let answers = evaluate(&python, &layer(), &request);
    let config = "CONFIG_DRIVER_NL80211=y\nCONFIG_EAP_FAST=y\nCONFIG_EAP_TLS=y\n";

    // without the feature: as upstream wrote it
    assert_eq!(words(&answers[0], "PACKAGECONFIG"), ["openssl"]);
    assert_eq!(words(&answers[0], "DEPENDS"), ["dbus", "libnl"]);
    assert_eq!(words(&answers[0], "SRC_URI").len(), 1);
    assert!(configured(&answers[0], config, "wpa_supplicant").contains("CONFIG_TLS=openssl"));
    assert_eq!(words(&answers[2], "DEPENDS"), ["libnl", "openssl"]);
    assert_eq!(answers[2]["postfuncs"], "");

    // with it
    assert!(words(&answers[1], "PACKAGECONFIG").is_empty());
    assert_eq!(words(&answers[1], "DEPENDS"), ["dbus", "libnl", "rustcrypto"]);
    assert_eq!(words(&answers[3], "DEPENDS"), ["libnl", "rustcrypto"]);
    for (answer, folder) in [(&answers[1], "wpa_supplicant"), (&answers[3], "hostapd")] {
        let after = configured(answer, config, folder);
        let tls: Vec<&str> = after.lines().filter(|line| line.starts_with("CONFIG_TLS=")).collect();
        assert_eq!(tls, ["CONFIG_TLS=rustcrypto"]);
        assert!(
            after.contains("CONFIG_SAE=y") && after.contains("CONFIG_EAP_TLS=y") && !after.contains("EAP_FAST"),
            "{after}"
        );
        assert!(answer["postfuncs"].as_str().unwrap().contains("rustcrypto_hook"));
        for uri in words(answer, "SRC_URI").iter().filter(|uri| uri.contains("rustcrypto-glue")) {
            let name = uri.trim_start_matches("file://").split(';').next().unwrap();
            assert!(root().join("patches/hostapd").join(name).is_file(), "{name}");
        }
    }
    // meta-oe is not there: nothing of ours is appended
    assert_eq!(answers[4]["appends"], json!([]));
    assert_eq!(words(&answers[4], "DEPENDS"), ["libnl", "openssl"]);
}

#[test]
fn curl_switches_with_the_feature_and_only_on_the_target() {
    let Some(python) = python("curl's append under BitBake's parser") else { return };
    let curl = stubs().join("recipes/curl_8.21.0.bb");
    let request = json!([
        { "recipe": curl, "features": "" },
        { "recipe": curl, "features": "rustcrypto" },
        { "recipe": curl, "features": "rustcrypto", "variables": { "CLASSOVERRIDE": "class-native" } },
    ]);
    let answers = evaluate(&python, &layer(), &request);
    assert_eq!(words(&answers[0], "EXTRA_OECONF"), ["--enable-optimize"]);
    assert_eq!(words(&answers[1], "PACKAGECONFIG"), ["basic-auth", "zlib"]);
    assert_eq!(words(&answers[1], "EXTRA_OECONF"), ["--enable-optimize", "--with-rustcrypto"]);
    assert_eq!(words(&answers[1], "DEPENDS"), ["rustcrypto"]);
    assert!(words(&answers[1], "SRC_URI").iter().any(|uri| uri == "file://rustcrypto.c;subdir=rustcrypto-glue"));
    // what the hook says came through BitBake's variables whole
    let hook: Value = serde_json::from_str(answers[1]["values"]["RUSTCRYPTO_HOOK"].as_str().unwrap()).unwrap();
    let file: toml::Table =
        toml::from_str(&std::fs::read_to_string(root().join("patches/curl/hook.toml")).unwrap()).unwrap();
    assert_eq!(hook, serde_json::to_value(file).unwrap());
    for index in [0, 2] {
        assert_eq!(words(&answers[index], "PACKAGECONFIG"), ["basic-auth", "openssl", "zlib"]);
        assert_eq!(words(&answers[index], "SRC_URI").len(), 1);
    }
}

#[test]
fn lighttpd_and_ustream_ssl_switch_with_the_feature() {
    let Some(python) = python("the appends of lighttpd and ustream-ssl under BitBake's parser") else { return };
    let lighttpd = stubs().join("recipes/lighttpd_1.4.82.bb");
    let ustream = stubs().join("recipes/ustream-ssl_git.bb");
    let request = json!([
        { "recipe": lighttpd, "features": "" },
        { "recipe": lighttpd, "features": "rustcrypto" },
        { "recipe": ustream, "features": "rustcrypto" },
        { "recipe": ustream, "features": "", "collections": ["openwrt-layer"] },
        { "recipe": ustream, "features": "rustcrypto", "collections": ["openwrt-layer"] },
    ]);
    let answers = evaluate(&python, &layer(), &request);
    assert_eq!(words(&answers[0], "PACKAGECONFIG"), ["openssl", "pcre", "zlib"]);
    assert_eq!(words(&answers[1], "PACKAGECONFIG"), ["pcre", "zlib"]);
    assert_eq!(words(&answers[1], "DEPENDS"), ["virtual/crypt", "rustcrypto"]);
    assert_eq!(answers[2]["appends"], json!([]));
    for index in [2, 3] {
        assert_eq!(words(&answers[index], "DEPENDS"), ["libubox", "openssl"]);
    }
    assert_eq!(words(&answers[4], "DEPENDS"), ["libubox", "rustcrypto"]);
    assert!(words(&answers[4], "RDEPENDS:ustream-ssl").is_empty());
    assert_eq!(words(&answers[4], "EXTRA_OECMAKE"), ["-DRUSTCRYPTO=ON"]);
    // an edit's apostrophes and ${...} came through BitBake's quotes and expansion whole
    for (answer, folder) in [(&answers[1], "lighttpd"), (&answers[4], "ustream-ssl")] {
        let hook: Value = serde_json::from_str(answer["values"]["RUSTCRYPTO_HOOK"].as_str().unwrap()).unwrap();
        let file = std::fs::read_to_string(root().join("patches").join(folder).join("hook.toml")).unwrap();
        assert_eq!(hook, serde_json::to_value(toml::from_str::<toml::Table>(&file).unwrap()).unwrap());
        for uri in words(answer, "SRC_URI").iter().filter(|uri| uri.contains("rustcrypto-glue")) {
            let name = uri.trim_start_matches("file://").split(';').next().unwrap();
            assert!(root().join("patches").join(folder).join(name).is_file(), "{name}");
        }
    }
}

#[test]
fn benchmarks_are_built_from_the_repository_and_asked_for_only_where_they_are() {
    let Some(python) = python("the benchmark recipes under BitBake's parser") else { return };
    let recipe = in_layer("recipes-crypto/rustcrypto-bench", "rustcrypto-bench_");
    let group = in_layer("recipes-core/packagegroups", "packagegroup-rustcrypto-benchmark");
    let request = json!([
        { "recipe": recipe },
        { "recipe": group, "variables": { "BBFILE_COLLECTIONS": "core rustcrypto" } },
        { "recipe": group, "variables": { "BBFILE_COLLECTIONS": "core networking-layer wolfssl rustcrypto" } },
    ]);
    let answers = evaluate(&python, &layer(), &request);
    let compile = answers[0]["values"]["do_compile"].as_str().unwrap();
    assert!(compile.contains("--libs rustcrypto"), "{compile}");
    assert!(root().join("crates/rustcrypto-capi/bench/rustcrypto.c").is_file());
    let needs = |answer| words(answer, "RDEPENDS:packagegroup-rustcrypto-benchmark");
    assert!(needs(&answers[1]).contains(&"rustcrypto-bench".to_string()));
    assert!(!needs(&answers[1]).iter().any(|name| name.contains("wolf")));
    let all = needs(&answers[2]);
    assert!(
        all.iter().any(|name| name == "crypto-bench-wolfssl") && all.iter().any(|name| name == "wolfcryptbenchmark")
    );
}

/// With the feature off, every variable of a recipe is what it is without the layer, but for BitBake's lists of layers and files.
#[test]
fn without_the_feature_the_layer_changes_no_variable() {
    let Some(python) = python("the layer without its feature") else { return };
    let empty = tempfile::tempdir().unwrap();
    std::fs::create_dir(empty.path().join("conf")).unwrap();
    std::fs::write(empty.path().join("conf/layer.conf"), "").unwrap();
    let names =
        ["wpa-supplicant_2.12.bb", "hostapd_2.12.bb", "curl_8.21.0.bb", "lighttpd_1.4.82.bb", "ustream-ssl_git.bb"];
    for name in names {
        let recipe = stubs().join("recipes").join(name);
        let request =
            json!([{ "recipe": recipe, "features": "x11", "collections": ["openembedded-layer", "openwrt-layer"] }]);
        let with = evaluate(&python, &layer(), &request).remove(0);
        let without = evaluate(&python, empty.path(), &request).remove(0);
        assert_eq!(with["appends"].as_array().unwrap().len(), 1);
        for (variable, value) in with["values"].as_object().unwrap() {
            let of_layers = ["BBFILE", "BBINCLUDED", "BBPATH", "LAYER"].iter().any(|start| variable.starts_with(start));
            assert!(
                of_layers || *value == without["values"][variable],
                "{name}: {variable} = {value}, was {}",
                without["values"][variable]
            );
        }
    }
}

/// Crates in cargo's cache that carry a lock of the given format with some dependencies.
fn crates_with_lock(version: &str, count: usize) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"), PathBuf::from);
    let folders = walkdir::WalkDir::new(home.join("registry/src")).min_depth(2).max_depth(2).sort_by_file_name();
    let fits = |folder: &PathBuf| {
        std::fs::read_to_string(folder.join("Cargo.lock")).is_ok_and(|lock| {
            lock.contains(&format!("\nversion = {version}\n")) && lock.matches("checksum = ").count() > 4
        })
    };
    folders
        .into_iter()
        .filter_map(Result::ok)
        .map(|entry| entry.path().to_path_buf())
        .filter(fits)
        .take(count)
        .collect()
}

#[test]
fn recipes_for_five_real_crates_of_both_lock_formats_and_a_workspace() {
    let Some(python) = python("recipes for real crates under BitBake's parser") else { return };
    let mut crates: Vec<(PathBuf, PathBuf)> = ["3", "4"]
        .iter()
        .flat_map(|version| crates_with_lock(version, 2))
        .map(|folder| (folder.clone(), folder.join("Cargo.lock")))
        .collect();
    crates.push((root().join("crates/rustcrypto-capi"), root().join("Cargo.lock")));
    if crates.len() < 5 {
        println!(
            "SKIPPED: recipes for real crates: cargo's cache has too few crates with a Cargo.lock; `cargo fetch` brings them"
        );
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let mut requests = Vec::new();
    for (folder, _) in &crates {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("recipe")
            .arg(folder)
            .arg("--output")
            .arg(out.path())
            .arg("--json")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}: {}", folder.display(), String::from_utf8_lossy(&output.stderr));
        let written: Value = serde_json::from_slice(&output.stdout).unwrap();
        requests.push(json!({ "recipe": written["recipe"] }));
    }
    for (answer, (folder, lock)) in evaluate(&python, &layer(), &json!(requests)).iter().zip(&crates) {
        assert!(answer["error"].is_null(), "{}: {}", folder.display(), answer["error"]);
        assert_checksums(answer, lock);
        assert!(!answer["values"]["LICENSE"].as_str().unwrap().is_empty());
        println!(
            "{}: {} crates",
            folder.file_name().unwrap().to_string_lossy(),
            answer["checksums"].as_object().unwrap().len()
        );
    }
}
