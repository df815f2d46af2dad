//! `images/budgets.toml`, table `lib`: how large the library may be.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::Report;
use crate::user_bail;

/// Only this verb's table; the others are the lab's.
#[derive(Deserialize)]
struct Budgets {
    #[serde(default)]
    lib: BTreeMap<String, BTreeMap<String, Budget>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Budget {
    stripped_bytes: u64,
    squashfs_bytes: u64,
}

/// Over budget is an error; 5% under suggests the new number.
pub(super) fn check(report: &Report) -> Result<()> {
    let path = crate::root::root().join("images/budgets.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let budgets: Budgets = match toml::from_str(&text) {
        Ok(budgets) => budgets,
        Err(error) => user_bail!("{}: {error}", path.display()),
    };
    let Some(budget) = budgets.lib.get(&report.target).and_then(|of| of.get(&report.profile)) else {
        user_bail!("{}: no [lib.{}.{}]: add one", path.display(), report.target, report.profile);
    };
    for line in judge(report, *budget)? {
        eprintln!("{line}");
    }
    Ok(())
}

fn judge(report: &Report, budget: Budget) -> Result<Vec<String>> {
    let rows = [
        ("stripped-bytes", report.stripped_bytes, budget.stripped_bytes),
        ("squashfs-bytes", report.squashfs_bytes, budget.squashfs_bytes),
    ];
    let mut advice = Vec::new();
    for (key, is, allowed) in rows {
        if is > allowed {
            bail!(
                "over budget: {} {}: {key} is {is}, {} more than the {allowed} allowed",
                report.target,
                report.profile,
                is - allowed
            );
        }
        if is * 100 < allowed * 95 {
            advice.push(format!(
                "budget: {} {}: {key} is {is} of {allowed}: lower it in images/budgets.toml",
                report.target, report.profile
            ));
        }
    }
    Ok(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_budgets_are_valid_and_name_known_profiles() {
        let text = std::fs::read_to_string(crate::root::root().join("images/budgets.toml")).unwrap();
        let budgets: Budgets = toml::from_str(&text).unwrap();
        assert!(!budgets.lib.is_empty());
        for profile in budgets.lib.values().flat_map(BTreeMap::keys) {
            crate::toolchain::lib_profile(profile).unwrap();
        }
    }

    #[test]
    fn over_fails_and_well_under_advises() {
        let report = Report {
            target: "t".into(),
            profile: "p".into(),
            features: vec![],
            stripped_bytes: 1000,
            xz_bytes: 0,
            squashfs_bytes: 500,
            soname: None,
            needed: vec![],
            exported_symbols: 0,
            seconds: 0.0,
            rustc: String::new(),
            cc: String::new(),
            prefix: "x".into(),
        };
        let judge = |stripped_bytes, squashfs_bytes| judge(&report, Budget { stripped_bytes, squashfs_bytes });
        assert!(judge(999, 500).unwrap_err().to_string().contains("1 more than the 999 allowed"));
        assert_eq!(judge(1000, 500).unwrap().len(), 0);
        assert_eq!(judge(2000, 500).unwrap().len(), 1);
    }
}
