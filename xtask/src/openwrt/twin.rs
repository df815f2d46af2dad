//! Deriving the rustcrypto variants of a package from its Mbed TLS ones, by structure.
//!
//! Every unit that exists for Mbed TLS is cloned with the names changed: package definitions, their descriptions and
//! install rules, `ifeq` blocks on the variant, compile rules, `BuildPackage` lines. Lists that name all backends are
//! widened. Whatever mentions Mbed TLS in another way is a shape this code does not know, and an error that says so.

use anyhow::{Result, bail, ensure};

use super::makefile::{Kind, Unit, balance, join, parse};

const FROM: &str = "mbedtls";
const TO: &str = "rustcrypto";
const LIBRARY: &str = "librustcrypto";

/// A Makefile with the variants added.
#[derive(Debug)]
pub(crate) struct Derived {
    pub(crate) text: String,
    /// (Mbed TLS package, package on librustcrypto), in the order of the file.
    pub(crate) packages: Vec<(String, String)>,
}

/// Add the variants to the Makefile `text`; `provides` are virtual names that every new package shall answer to,
/// besides the name of the package it stands for, and `arguments` go to make where the backend is chosen.
pub(crate) fn derive(text: &str, provides: &[String], arguments: &[String]) -> Result<Derived> {
    let units = parse(text)?;
    let packages: Vec<String> = units.iter().filter_map(|unit| twin_package(unit, FROM)).map(str::to_owned).collect();
    ensure!(!packages.is_empty(), "no 'define Package/NAME-{FROM}' with a VARIANT");
    let virtuals: Vec<&str> = provides.iter().map(String::as_str).filter(|name| !provided(&units, name)).collect();
    let explicit = explicit_conflicts(&units, &packages)?;

    let mut out = expand(&units, &virtuals, arguments)?;
    for (package, sibling) in siblings(&units, &packages, &explicit) {
        let unit = out.iter_mut().find(|unit| unit.kind == Kind::Define && unit.name == format!("Package/{sibling}"));
        let unit = unit.expect("siblings() names defines of this file");
        *unit = append_line(unit, &format!("  CONFLICTS+={}", rename(package)));
    }
    order_builds(&units, &packages, &mut out)?;

    let derived = Derived {
        text: join(&out),
        packages: packages.iter().map(|package| (package.clone(), rename(package))).collect(),
    };
    verify(text, &derived)?;
    Ok(derived)
}

/// The package that a definition with a VARIANT ending in `backend` defines.
fn twin_package<'a>(unit: &'a Unit, backend: &str) -> Option<&'a str> {
    let name = unit.name.strip_prefix("Package/")?;
    let is_twin = unit.kind == Kind::Define
        && name.ends_with(&format!("-{backend}"))
        && unit.values("VARIANT").iter().any(|variant| variant.ends_with(backend));
    is_twin.then_some(name)
}

fn provided(units: &[Unit], name: &str) -> bool {
    let mut values = units.iter().filter(|unit| unit.kind == Kind::Define).flat_map(|unit| unit.values("PROVIDES"));
    values.any(|value| value.split_whitespace().any(|word| word == name))
}

/// Clone what is for Mbed TLS, in place; widen the lists.
fn expand(units: &[Unit], virtuals: &[&str], arguments: &[String]) -> Result<Vec<Unit>> {
    let mut out = Vec::new();
    for unit in units {
        if !mentions(&unit.text) || unit.text.trim_start().starts_with('#') {
            out.push(unit.clone());
            continue;
        }
        match unit.kind {
            Kind::Define if mentions(&unit.name) => {
                out.push(unit.clone());
                if out.len() > 1 && out[out.len() - 2].text.trim().is_empty() {
                    out.push(Unit { kind: Kind::Other, name: String::new(), text: "\n".into() });
                }
                out.push(clone_define(unit, virtuals));
            }
            Kind::Assign | Kind::Build if mentions(&unit.name) => out.extend([unit.clone(), clone(unit)]),
            Kind::Condition if mentions(&unit.name) => out.extend([unit.clone(), clone_condition(unit, arguments)]),
            Kind::Condition => out.push(unit.with_body(&join(&expand(&parse(unit.body())?, virtuals, arguments)?))),
            Kind::Assign => out.push(widen(unit)?),
            // another backend's package that names its Mbed TLS sibling needs no change for that
            Kind::Define if only_in(unit, &["CONFLICTS", "PROVIDES"]) => out.push(unit.clone()),
            _ => bail!("'{}' mentions {FROM} in a way this tool does not know", unit.name),
        }
    }
    Ok(out)
}

fn mentions(text: &str) -> bool {
    text.contains(FROM)
}

fn only_in(unit: &Unit, keys: &[&str]) -> bool {
    let in_keys: usize = keys.iter().flat_map(|key| unit.values(key)).map(|value| value.matches(FROM).count()).sum();
    in_keys == unit.text.matches(FROM).count()
}

fn clone(unit: &Unit) -> Unit {
    Unit { kind: unit.kind, name: rename(&unit.name), text: rename(&unit.text) }
}

/// A package definition loses what only the default variant has and answers to the name it stands for.
fn clone_define(unit: &Unit, virtuals: &[&str]) -> Unit {
    let copy = clone(unit);
    let Some(package) = twin_package(unit, FROM) else { return copy };
    let dropped = ["DEFAULT_VARIANT", "DEFAULT", "CONFLICTS"];
    let kept = copy.body().split_inclusive('\n').filter(|line| {
        let key = line.trim().split([':', '+', '=', ' ']).next().unwrap_or_default();
        !dropped.contains(&key)
    });
    let copy = copy.with_body(&kept.collect::<String>());
    let names: Vec<&str> = std::iter::once(package).chain(virtuals.iter().copied()).collect();
    append_line(&copy, &format!("  PROVIDES+={}", names.join(" ")))
}

/// Where make arguments choose the backend, `arguments` follow: the last one of a name counts.
fn clone_condition(unit: &Unit, arguments: &[String]) -> Unit {
    let copy = clone(unit);
    if arguments.is_empty() || !copy.body().contains("MAKEOPTS += CONFIG_TLS=") {
        return copy;
    }
    append_line(&copy, &format!("  # not offered by this backend\n  DRIVER_MAKEOPTS += {}", arguments.join(" ")))
}

fn append_line(unit: &Unit, line: &str) -> Unit {
    unit.with_body(&format!("{}{line}\n", unit.body()))
}

/// Mbed TLS's names to ours, in file text.
fn rename(text: &str) -> String {
    let mut out = String::new();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&one_library(line));
    }
    let out = out.replace("libmbedtls", LIBRARY);
    out.replace("mbedTLS", TO)
        .replace("MbedTLS", TO)
        .replace("Mbed TLS", TO)
        .replace("MBEDTLS", "RUSTCRYPTO")
        .replace(FROM, TO)
}

/// `-lmbedcrypto -lmbedx509 -lmbedtls` is one library with us.
fn one_library(line: &str) -> String {
    let mut seen = false;
    let words = line.split(' ').filter_map(|word| match word.strip_prefix("-lmbed") {
        Some(_) if std::mem::replace(&mut seen, true) => None,
        Some(_) => Some("-lrustcrypto"),
        None => Some(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A variable that asks for each backend in turn, one nested function call a line: one more call for ours.
fn widen(unit: &Unit) -> Result<Unit> {
    let lines: Vec<&str> = unit.text.split_inclusive('\n').collect();
    let asks: Vec<usize> = (0..lines.len()).filter(|&index| mentions(lines[index])).collect();
    let [ask] = asks[..] else { bail!("'{}': more than one line mentions {FROM}", unit.name) };
    ensure!(
        balance(&unit.text) == 0 && balance(lines[ask]) == 1 && lines[ask].trim_end().ends_with(",\\"),
        "'{}': expected one '$(function ...{FROM}...,\\' a line, found '{}'",
        unit.name,
        lines[ask].trim()
    );
    let close = unit.text.rfind(')').expect("the brackets balance") + 1;
    let head: String = lines[..ask].concat();
    let mut text = format!("{}){}", &unit.text[..close], &unit.text[close..]);
    text.insert_str(head.len(), &rename(lines[ask]));
    ensure!(balance(&text) == 0, "'{}': brackets do not balance after the edit", unit.name);
    Ok(Unit { text, ..unit.clone() })
}

/// The packages whose conflicts stand in their own definition. The others get theirs from a list that grows with every
/// `BuildPackage` line, where being first is enough.
fn explicit_conflicts<'a>(units: &[Unit], packages: &'a [String]) -> Result<Vec<&'a String>> {
    let growing = units.iter().any(|unit| {
        unit.kind == Kind::Define && unit.values("CONFLICTS").iter().any(|value| value.contains("_PROVIDERS)"))
    });
    let mut explicit = Vec::new();
    for package in packages {
        let unit = units.iter().find(|unit| unit.name == format!("Package/{package}")).expect("it was found there");
        if unit.values("CONFLICTS").is_empty() {
            ensure!(
                growing,
                "Package/{package} has no CONFLICTS, and no definition it calls has a growing list of providers"
            );
        } else {
            explicit.push(package);
        }
    }
    Ok(explicit)
}

/// (Mbed TLS package, other package of the same function): who must conflict with our variant.
fn siblings<'a>(units: &[Unit], packages: &[String], explicit: &[&'a String]) -> Vec<(&'a String, String)> {
    let mut out = Vec::new();
    for package in explicit {
        let base = package.trim_end_matches(FROM);
        let plain = base.trim_end_matches('-');
        for unit in units.iter().filter(|unit| unit.kind == Kind::Define && !unit.values("VARIANT").is_empty()) {
            let Some(name) = unit.name.strip_prefix("Package/") else { continue };
            // the base name alone, or with one more word: the backend
            let other_backend = name.strip_prefix(base).is_some_and(|rest| !rest.contains('-'));
            if name == plain || other_backend || (packages.contains(package) && name == package.as_str()) {
                out.push((*package, name.to_owned()));
            }
        }
    }
    out
}

/// Our `BuildPackage` lines go before the first of a package with variants: who is evaluated first wins in Kconfig.
fn order_builds(units: &[Unit], packages: &[String], out: &mut Vec<Unit>) -> Result<()> {
    let ours: Vec<String> = packages.iter().map(|package| rename(package)).collect();
    let is_ours = |unit: &Unit| unit.kind == Kind::Build && ours.contains(&unit.name);
    let builds: Vec<Unit> = out.iter().filter(|unit| is_ours(unit)).cloned().collect();
    ensure!(
        builds.len() == ours.len(),
        "expected one '$(eval $(call BuildPackage,NAME))' for each of {}",
        packages.join(", ")
    );
    out.retain(|unit| !is_ours(unit));
    let has_variant = |name: &str| {
        units.iter().any(|unit| unit.name == format!("Package/{name}") && !unit.values("VARIANT").is_empty())
    };
    let first = out
        .iter()
        .position(|unit| unit.kind == Kind::Build && has_variant(&unit.name))
        .expect("the Mbed TLS ones stand there");
    out.splice(first..first, builds);
    Ok(())
}

/// Look at the result as a stranger would: is everything there, and is everything else as it was?
fn verify(original: &str, derived: &Derived) -> Result<()> {
    let units = parse(&derived.text)?;
    for (theirs, ours) in &derived.packages {
        let define =
            |name: &str| units.iter().find(|unit| unit.kind == Kind::Define && unit.name == format!("Package/{name}"));
        let (Some(old), Some(new)) = (define(theirs), define(ours)) else {
            bail!("Package/{ours} is missing after the edit")
        };
        let variants: Vec<String> = old.values("VARIANT").iter().map(|variant| rename(variant)).collect();
        ensure!(
            new.values("VARIANT") == variants,
            "Package/{ours}: VARIANT is {:?} after the edit",
            new.values("VARIANT")
        );
        ensure!(
            new.values("DEPENDS").iter().any(|value| value.contains(LIBRARY)),
            "Package/{ours} does not depend on {LIBRARY} after the edit: is the dependency of Package/{theirs} on libmbedtls elsewhere?"
        );
        ensure!(
            !new.text.contains("-l mbed") && !new.values("DEPENDS").iter().any(|value| value.contains("mbed")),
            "Package/{ours} still depends on Mbed TLS after the edit"
        );
        ensure!(
            derived.text.contains(&format!("Package/{ours}/install")),
            "Package/{ours} has no install rule after the edit"
        );
        let position = |name: &str| units.iter().position(|unit| unit.kind == Kind::Build && unit.name == name);
        ensure!(
            position(ours) < position(theirs) && position(ours).is_some(),
            "{ours} is not evaluated before {theirs} after the edit"
        );
    }
    // every line of the original, in order; a widened list closes one bracket more
    let mut lines = derived.text.lines();
    for line in original.lines().filter(|line| !line.trim().is_empty()) {
        let found = lines
            .any(|new| new == line || (new.len() == line.len() + 1 && new.replace(')', "") == line.replace(')', "")));
        ensure!(found, "the edit lost the line '{line}'");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_in_every_spelling() {
        assert_eq!(
            rename("  DEPENDS+=+PACKAGE_x-mbedtls:libmbedtls"),
            "  DEPENDS+=+PACKAGE_x-rustcrypto:librustcrypto"
        );
        assert_eq!(rename("  TARGET_LDFLAGS += -lmbedcrypto -lmbedx509 -lmbedtls"), "  TARGET_LDFLAGS += -lrustcrypto");
        assert_eq!(
            rename("-DMBEDTLS=on (mbedTLS full)\n-lmbedtls\n"),
            "-DRUSTCRYPTO=on (rustcrypto full)\n-lrustcrypto\n"
        );
    }

    #[test]
    fn an_unknown_shape_is_named() {
        let start = "define Package/p-mbedtls\n  VARIANT:=mbedtls\n  DEPENDS:=+libmbedtls\n  CONFLICTS:=p-x\nendef\nPackage/p-mbedtls/install = x\n";
        let end = "$(eval $(call BuildPackage,p-mbedtls))\n";
        derive(&format!("{start}{end}"), &[], &[]).unwrap();
        let error = derive(&format!("{start}include mbedtls.mk\n{end}"), &[], &[]).unwrap_err().to_string();
        assert_eq!(error, "'include mbedtls.mk' mentions mbedtls in a way this tool does not know");
        let error = derive(&format!("{start}V = mbedtls openssl\n{end}"), &[], &[]).unwrap_err().to_string();
        assert!(error.starts_with("'V': expected one '$(function"), "{error}");
        assert!(
            derive(start, &[], &[]).unwrap_err().to_string().starts_with("expected one '$(eval"),
            "no BuildPackage line"
        );
        assert!(
            derive("PKG_NAME:=x\n", &[], &[]).unwrap_err().to_string().starts_with("no 'define Package/NAME-mbedtls'")
        );
    }
}
