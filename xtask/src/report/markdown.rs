//! report.md

use std::fmt::Write;

use super::{Measure, figure, sections, thousands};

pub(super) fn render(measures: &[Measure]) -> String {
    let mut text = String::new();
    let names: Vec<String> = measures.iter().map(Measure::label).collect();
    let target = measures.first().map_or("", |m| m.target.as_str());
    let _ = writeln!(text, "# {target}: {}\n", names.join(", "));
    for line in methods(measures) {
        let _ = writeln!(text, "{line}\n");
    }
    for section in sections(measures) {
        let _ = writeln!(text, "## {} ({})\n", section.title, section.unit);
        let _ = writeln!(text, "| | {} |", names.join(" | "));
        let _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
        for (label, values) in &section.rows {
            let cells: Vec<String> =
                values.iter().map(|v| v.map_or_else(|| "-".to_owned(), |v| figure(v, section.unit))).collect();
            let _ = writeln!(text, "| {label} | {} |", cells.join(" | "));
        }
        text.push('\n');
    }
    if let [first, others @ ..] = measures
        && !others.is_empty()
    {
        let _ = writeln!(text, "## What differs in size\n");
        for other in others {
            let _ = writeln!(text, "{} against {}: {}\n", first.label(), other.label(), difference(first, other));
        }
    }
    let _ = writeln!(text, "## TLS libraries and what was not measured\n");
    for measure in measures {
        let _ = writeln!(text, "- {}: contains {}", measure.label(), measure.tls_libraries.join(", "));
        for (scenario, reason) in &measure.absent {
            let _ = writeln!(text, "  - {scenario}: {reason}");
        }
    }
    text
}

/// The distinct statements of how the figures came about.
pub(super) fn methods(measures: &[Measure]) -> Vec<String> {
    let mut lines = Vec::new();
    for measure in measures {
        for line in std::iter::once(&measure.method).chain(measure.time.iter().map(|t| &t.method)) {
            if !line.is_empty() && !lines.contains(line) {
                lines.push(line.clone());
            }
        }
    }
    lines
}

/// "-123,456 bytes (package a -100,000, package b -23,456)", largest reasons first.
pub(super) fn difference(a: &Measure, b: &Measure) -> String {
    let signed = |v: i64| format!("{}{}", if v < 0 { "-" } else { "+" }, thousands(v.unsigned_abs()));
    let share = |m: &Measure, name: &str| {
        m.rootfs.packages.iter().find(|p| p.name == name).map_or(0, |p| p.squashfs_share as i64)
    };
    let mut names: Vec<&str> = a.rootfs.packages.iter().chain(&b.rootfs.packages).map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut reasons: Vec<(i64, &str)> = names.iter().map(|name| (share(a, name) - share(b, name), *name)).collect();
    reasons.sort_by_key(|(delta, _)| std::cmp::Reverse(delta.abs()));
    let reasons: Vec<String> = reasons
        .iter()
        .filter(|(delta, _)| delta.abs() > 1024)
        .take(8)
        .map(|(delta, name)| format!("{name} {}", signed(*delta)))
        .collect();
    let total = a.rootfs.squashfs_bytes as i64 - b.rootfs.squashfs_bytes as i64;
    let mut text = format!("{} bytes", signed(total));
    if !reasons.is_empty() {
        let _ = write!(text, " ({})", reasons.join(", "));
    }
    let uneven = super::uneven(&[a, b]);
    if !uneven.is_empty() {
        let extra: i64 = uneven.iter().map(|name| share(a, name) - share(b, name)).sum();
        let _ =
            write!(text, "; with the same programs in both, without {}: {}", uneven.join(", "), signed(total - extra));
    }
    text
}
