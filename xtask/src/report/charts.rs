//! Bar charts as SVG, without a library: one group of bars per row, one colour per measure.

use std::fmt::Write;

use super::{Section, figure};

/// Told apart also by people who do not see red and green (Okabe and Ito's palette).
pub(crate) const COLOURS: [&str; 7] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999"];

const LABEL: f64 = 330.0;
const BARS: f64 = 420.0;
const VALUE: f64 = 110.0;
const BAR: f64 = 14.0;

/// Each row is scaled to its own longest bar where `per_row`, else all to the longest of all.
pub(crate) fn bars(section: &Section, names: &[String], per_row: bool) -> String {
    let longest = |values: &[Option<f64>]| values.iter().flatten().copied().fold(0.0, f64::max);
    let overall = section.rows.iter().map(|(_, values)| longest(values)).fold(0.0, f64::max);
    let row_height = BAR * names.len() as f64 + 10.0;
    let (width, height) = (LABEL + BARS + VALUE, row_height * section.rows.len() as f64 + 4.0);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"{}\" xmlns=\"http://www.w3.org/2000/svg\">",
        escape(section.title)
    );
    for (i, (label, values)) in section.rows.iter().enumerate() {
        let top = row_height * i as f64 + 4.0;
        let scale = if per_row { longest(values) } else { overall };
        let middle = top + BAR * names.len() as f64 / 2.0 + 4.0;
        let _ = write!(svg, "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>", LABEL - 8.0, escape(label));
        for (j, value) in values.iter().enumerate() {
            let y = top + BAR * j as f64;
            let Some(value) = value else {
                let _ = write!(
                    svg,
                    "<text class=\"none\" x=\"{LABEL}\" y=\"{}\">{}: none</text>",
                    y + BAR - 3.0,
                    escape(&names[j])
                );
                continue;
            };
            let long = if scale > 0.0 { BARS * value / scale } else { 0.0 };
            let _ = write!(
                svg,
                "<rect x=\"{LABEL}\" y=\"{y:.1}\" width=\"{long:.1}\" height=\"{}\" fill=\"{}\"><title>{}: {}</title></rect><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                BAR - 2.0,
                COLOURS[j % COLOURS.len()],
                escape(&names[j]),
                figure(*value, section.unit),
                LABEL + long + 5.0,
                y + BAR - 3.0,
                figure(*value, section.unit)
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
