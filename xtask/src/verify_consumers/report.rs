//! What was checked: passed, failed or skipped, and the tables that go with it.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

#[derive(Serialize)]
struct Finding {
    consumer: String,
    check: String,
    result: Outcome,
    detail: String,
}

#[derive(Serialize)]
struct Table {
    title: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Collects the checks of a run. Each is told on stderr as soon as it is known.
#[derive(Default)]
pub(crate) struct Report {
    consumer: String,
    checks: Vec<Finding>,
    tables: Vec<Table>,
}

impl Report {
    /// The checks from here on belong to `consumer`.
    pub(crate) fn begin(&mut self, consumer: &str) {
        consumer.clone_into(&mut self.consumer);
    }

    /// It holds; `detail` says what was seen (a figure, a version).
    pub(crate) fn passed(&mut self, check: impl Into<String>, detail: impl Into<String>) {
        self.add(Outcome::Passed, check.into(), detail.into());
    }

    /// It does not hold; `why` says what was expected and what came.
    pub(crate) fn failed(&mut self, check: impl Into<String>, why: impl Into<String>) {
        self.add(Outcome::Failed, check.into(), why.into());
    }

    /// It could not run; `how` says why and how to supply what is missing.
    pub(crate) fn skipped(&mut self, check: impl Into<String>, how: impl Into<String>) {
        self.add(Outcome::Skipped, check.into(), how.into());
    }

    /// Record a check by its result: `Ok` is passed with its detail, `Err` is failed with its chain of causes.
    pub(crate) fn record(&mut self, check: impl Into<String>, result: Result<String>) {
        match result {
            Ok(detail) => self.passed(check, detail),
            Err(error) => self.failed(check, format!("{error:#}")),
        }
    }

    /// A table of figures; every row as long as the header.
    pub(crate) fn table(&mut self, title: impl Into<String>, header: &[&str], rows: Vec<Vec<String>>) {
        let header = header.iter().map(ToString::to_string).collect();
        self.tables.push(Table { title: title.into(), header, rows });
    }

    pub(crate) fn failures(&self) -> usize {
        self.count(Outcome::Failed)
    }

    /// The tables, what was skipped and what failed, and the count, on stderr.
    pub(crate) fn print(&self) {
        for table in &self.tables {
            eprint!("\n{}", render(table));
        }
        eprintln!();
        for check in &self.checks {
            match check.result {
                Outcome::Passed => {}
                Outcome::Failed => eprintln!("FAILED: {}: {}: {}", check.consumer, check.check, check.detail),
                Outcome::Skipped => eprintln!("SKIPPED: {}: {}: {}", check.consumer, check.check, check.detail),
            }
        }
        let [passed, failed, skipped] =
            [Outcome::Passed, Outcome::Failed, Outcome::Skipped].map(|outcome| self.count(outcome));
        eprintln!("{passed} passed, {failed} failed, {skipped} skipped");
    }

    /// `{schema, checks: [{consumer, check, result, detail}], tables: [{title, header, rows}]}`
    pub(crate) fn json(&self) -> Result<String> {
        let value = serde_json::json!({ "schema": 1, "checks": self.checks, "tables": self.tables });
        Ok(serde_json::to_string_pretty(&value)?)
    }

    fn add(&mut self, result: Outcome, check: String, detail: String) {
        let word = match result {
            Outcome::Passed => "passed",
            Outcome::Failed => "FAILED",
            Outcome::Skipped => "SKIPPED",
        };
        eprintln!("{word:8}{}: {check}: {detail}", self.consumer);
        self.checks.push(Finding { consumer: self.consumer.clone(), check, result, detail });
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.checks.iter().filter(|check| check.result == outcome).count()
    }
}

/// First column left, the others right aligned.
fn render(table: &Table) -> String {
    let width = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(column));
        cells.chain(table.header.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut out = format!("{}\n", table.title);
    for row in std::iter::once(&table.header).chain(&table.rows) {
        for (column, cell) in row.iter().enumerate() {
            let width = width(column);
            let _ = if column == 0 { write!(out, "  {cell:width$}") } else { write!(out, "  {cell:>width$}") };
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_is_never_counted_as_passed() {
        let mut report = Report::default();
        report.begin("x");
        report.passed("a", "1");
        report.skipped("b", "no source: give --sources");
        report.record("c", Err(anyhow::anyhow!("broke")));
        assert_eq!((report.count(Outcome::Passed), report.failures(), report.count(Outcome::Skipped)), (1, 1, 1));
        let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
        assert_eq!(json["checks"][1]["result"], "skipped");
        assert_eq!(json["checks"][2]["detail"], "broke");
    }

    #[test]
    fn a_table_lines_up() {
        let rows = vec![vec!["hostapd".into(), "12".into()], vec!["x".into(), "1234".into()]];
        let table = Table { title: "Sizes".into(), header: vec!["program".into(), "B".into()], rows };
        assert_eq!(render(&table), "Sizes\n  program     B\n  hostapd    12\n  x        1234\n");
    }
}
