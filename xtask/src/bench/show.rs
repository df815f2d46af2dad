//! The report as a table and as a chart.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Report, Row};
use crate::report::{Section, charts, figure};

pub(super) fn table(report: &Report, names: &[String]) -> String {
    let mut text = format!("{}, median of {} rounds, {}\n", report.cpu, report.rounds, report.method);
    for (name, version) in &report.libraries {
        let _ = writeln!(text, "  {name:<12} {version}");
    }
    let _ = write!(text, "\n{:<20} {:>6}      ", "", "bytes");
    for name in names {
        let _ = write!(text, " {name:>11}");
    }
    let _ = writeln!(text, "   ratio  target");
    for row in &report.rows {
        let _ = write!(text, "{:<20} {:>6} {:<5}", row.algorithm, row.size, row.unit);
        for name in names {
            let cell = row.results.get(name).map_or_else(|| "-".to_owned(), |value| figure(*value, row.unit));
            let _ = write!(text, " {cell:>11}");
        }
        let ratio = row.ratio_to_best.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let target = row.target.map_or_else(String::new, |target| format!("{target:.2}"));
        let _ = writeln!(text, "  {ratio:>6}  {target:>6}{}", if row.is_short() { "  UNDER" } else { "" });
    }
    let mut said: Vec<&str> = Vec::new();
    for limit in report.rows.iter().filter_map(|row| row.limit.as_deref()) {
        if !said.contains(&limit) {
            let _ = writeln!(text, "{}{limit}", if said.is_empty() { "\nRows under 1:\n  " } else { "  " });
            said.push(limit);
        }
    }
    text
}

/// One group of bars per row, each library relative to the best of the others.
pub(super) fn write_svg(file: &Path, report: &Report, names: &[String]) -> Result<()> {
    let relative = |row: &Row| {
        let best = row.results.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        names.iter().map(|name| row.results.get(name).map(|value| value / best)).collect()
    };
    let label = |row: &Row| match row.size {
        0 => row.algorithm.clone(),
        size => format!("{} {} KiB", row.algorithm, size / 1024),
    };
    let section = Section {
        title: "Speed relative to the fastest",
        unit: "of the fastest",
        rows: report.rows.iter().map(|row| (label(row), relative(row))).collect(),
    };
    let bars = charts::bars(&section, names, false);
    let height = 50 + report.rows.len() * (14 * names.len() + 10);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 870 {height}\" width=\"870\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <text x=\"10\" y=\"18\" font-size=\"14\">Speed relative to the fastest: {}</text>",
        charts::escape(&report.cpu)
    );
    for (index, name) in names.iter().enumerate() {
        let x = 10 + index * 130;
        let colour = charts::COLOURS[index % charts::COLOURS.len()];
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"27\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"37\">{}</text>",
            x + 17,
            charts::escape(name)
        );
    }
    let _ = write!(svg, "<g transform=\"translate(0 45)\">{bars}</g></svg>");
    let part = file.with_extension("part");
    fs::write(&part, svg).with_context(|| format!("cannot write {}", part.display()))?;
    fs::rename(&part, file).with_context(|| format!("cannot write {}", file.display()))
}
