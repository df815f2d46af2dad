//! A unified diff of two texts, line by line.

use std::fmt::Write as _;
use std::ops::Range;

const CONTEXT: usize = 3;

/// `diff -u` of `old` and `new`, with git's header lines for `path`; empty when they are the same.
pub(crate) fn unified(path: &str, old: &str, new: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let changes = changes(&old, &new);
    if changes.is_empty() {
        return String::new();
    }
    let mut out = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
    let mut group: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for change in changes {
        // changes whose contexts touch share a hunk
        if group.last().is_some_and(|last| change.0.start - last.0.end > 2 * CONTEXT) {
            hunk(&mut out, &old, &new, &group);
            group.clear();
        }
        group.push(change);
    }
    hunk(&mut out, &old, &new, &group);
    out
}

fn hunk(out: &mut String, old: &[&str], new: &[&str], group: &[(Range<usize>, Range<usize>)]) {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let before = first.0.start.min(CONTEXT);
    let behind = (old.len() - last.0.end).min(CONTEXT);
    let (start, end) = (first.0.start - before, last.0.end + behind);
    let (new_start, new_end) = (first.1.start - before, last.1.end + behind);
    let _ = writeln!(out, "@@ -{},{} +{},{} @@", start + 1, end - start, new_start + 1, new_end - new_start);
    let mut at = start;
    for (from, to) in group {
        old[at..from.start].iter().for_each(|text| line(out, ' ', text));
        old[from.clone()].iter().for_each(|text| line(out, '-', text));
        new[to.clone()].iter().for_each(|text| line(out, '+', text));
        at = from.end;
    }
    old[at..end].iter().for_each(|text| line(out, ' ', text));
}

fn line(out: &mut String, sign: char, text: &str) {
    out.push(sign);
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

/// Pairs of ranges that differ, in order; outside of them the texts are the same. By longest common subsequence.
fn changes(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let width = new.len() + 1;
    let mut length = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            length[i * width + j] = if old[i] == new[j] {
                length[(i + 1) * width + j + 1] + 1
            } else {
                length[(i + 1) * width + j].max(length[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let removes = j == new.len() || (i < old.len() && length[(i + 1) * width + j] >= length[i * width + j + 1]);
        let (next_i, next_j) = if removes { (i + 1, j) } else { (i, j + 1) };
        match out.last_mut() {
            Some((from, to)) if from.end == i && to.end == j => (from.end, to.end) = (next_i, next_j),
            _ => out.push((i..next_i, j..next_j)),
        }
        (i, j) = (next_i, next_j);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_makes_the_new_text_of_the_old() {
        let old = (0..40).fold(String::new(), |text, n| text + &n.to_string() + "\n");
        let new = old.replace("3\n4\n", "3\nx\n4\n").replace("30\n", "").replace("39\n", "39");
        let diff = unified("f", &old, &new);
        assert_eq!(diff.matches("@@ -").count(), 3, "{diff}");
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("f"), &old).unwrap();
        std::fs::write(dir.path().join("p"), &diff).unwrap();
        let status = std::process::Command::new("patch")
            .args(["-s", "-p1", "-i", "p"])
            .current_dir(dir.path())
            .status()
            .unwrap();
        assert!(status.success());
        assert_eq!(std::fs::read_to_string(dir.path().join("f")).unwrap(), new);
        assert_eq!(unified("f", &old, &old), "");
    }
}
