//! Plain tables for the terminal: first column left, the others right.

use super::{Measure, figure, sections};

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|i| self.rows.iter().filter_map(|row| Some(row.get(i)?.chars().count())).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells =
                row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
                    if i == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
                });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

/// Every section as one table; a value that is not the best says by how much.
pub(crate) fn render(measures: &[Measure]) -> String {
    let mut text = String::new();
    for section in sections(measures) {
        let mut table = Table::default();
        table.row(
            [format!("{} ({})", section.title, section.unit)].into_iter().chain(measures.iter().map(Measure::label)),
        );
        for (label, values) in &section.rows {
            let best = values.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let cells = values.iter().map(|value| match value {
                None => "-".to_owned(),
                Some(v) if measures.len() > 1 && best > 0.0 && *v > best * 1.005 => {
                    format!("{} x{:.2}", figure(*v, section.unit), v / best)
                }
                Some(v) => figure(*v, section.unit),
            });
            table.row([label.clone()].into_iter().chain(cells));
        }
        text.push_str(&table.render());
        text.push('\n');
    }
    text
}
