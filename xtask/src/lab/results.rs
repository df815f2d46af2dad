//! What the scenarios left in share/out, as figures.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::report::{Heap, Time};

/// One line of heapmeter.
#[derive(Deserialize)]
pub(crate) struct HeapLine {
    process: String,
    pub(crate) peak_bytes: u64,
    pub(crate) allocations: u64,
}

#[derive(Deserialize)]
struct Handshakes {
    handshake_ns: Vec<f64>,
}

#[derive(Deserialize)]
struct Cpu {
    cpu_ns: Vec<f64>,
}

#[derive(Default)]
pub(crate) struct Results {
    pub(crate) heap: Vec<Heap>,
    pub(crate) time: Vec<Time>,
    pub(crate) absent: BTreeMap<String, String>,
    pub(crate) self_test: Option<String>,
}

/// Read every result file of `out`; `method` says how the time was taken.
pub(crate) fn read(out: &Path, method: &str) -> Result<Results> {
    let mut results = Results::default();
    let mut names: Vec<String> = fs::read_dir(out)
        .with_context(|| format!("cannot read {}", out.display()))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort_by_key(|name| natural(name));
    for name in names {
        let text = || fs::read_to_string(out.join(&name)).with_context(|| format!("cannot read {name}"));
        let parts: Vec<&str> = name.split('.').collect();
        match parts[..] {
            ["self-test", "json"] => results.self_test = Some(text()?.trim().to_owned()),
            [scenario, "absent"] => {
                results.absent.insert(scenario.to_owned(), text()?.trim().to_owned());
            }
            [scenario, role, "heap"] => results.heap.extend(heap(scenario, role, &text()?)?),
            [scenario, role @ ("client" | "server"), "json"] if scenario.starts_with("handshake-") => {
                let runs: Handshakes = json(&name, &text()?)?;
                results.time.push(time(scenario, role, runs.handshake_ns, method));
            }
            [scenario, role, "cpu"] => {
                let runs: Cpu = json(&name, &text()?)?;
                results.time.push(time(scenario, role, runs.cpu_ns, method));
            }
            _ => {}
        }
    }
    Ok(results)
}

fn json<T: for<'de> Deserialize<'de>>(name: &str, text: &str) -> Result<T> {
    serde_json::from_str(text.trim()).with_context(|| format!("{name}: not what the scenario writes: {text}"))
}

/// The process with the largest heap: a scenario runs one program, its forks are smaller.
pub(crate) fn largest(scenario: &str, text: &str) -> Result<Option<HeapLine>> {
    let lines = text.lines().map(|line| json::<HeapLine>(scenario, line)).collect::<Result<Vec<_>>>()?;
    Ok(lines.into_iter().max_by_key(|line| line.peak_bytes))
}

fn heap(scenario: &str, role: &str, text: &str) -> Result<Option<Heap>> {
    Ok(largest(scenario, text)?.map(|line| Heap {
        scenario: scenario.to_owned(),
        process: if role == line.process { line.process } else { format!("{} ({role})", line.process) },
        peak_bytes: line.peak_bytes,
        allocations: line.allocations,
    }))
}

fn time(scenario: &str, role: &str, mut nanoseconds: Vec<f64>, method: &str) -> Time {
    nanoseconds.sort_by(f64::total_cmp);
    let middle = nanoseconds.len() / 2;
    let median = match nanoseconds.len() {
        0 => 0.0,
        n if n % 2 == 1 => nanoseconds[middle],
        _ => f64::midpoint(nanoseconds[middle - 1], nanoseconds[middle]),
    };
    Time {
        scenario: scenario.to_owned(),
        process: role.to_owned(),
        unit: "ms".to_owned(),
        // Microseconds are as fine as this is.
        median: (median / 1e3).round() / 1e3,
        runs: nanoseconds.len() as u32,
        method: method.to_owned(),
    }
}

/// "https-server-16" after "https-server-4".
fn natural(name: &str) -> Vec<(u64, String)> {
    name.split(['-', '.']).map(|part| (part.parse().unwrap_or(0), part.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_figures() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        put(
            "https-download.client.heap",
            "{\"process\":\"tlsprobe\",\"pid\":1,\"peak_bytes\":1000,\"allocations\":7}\n",
        );
        put(
            "sae-19.hostapd.heap",
            "{\"process\":\"hostapd\",\"peak_bytes\":5,\"allocations\":1}\n{\"process\":\"hostapd\",\"peak_bytes\":9,\"allocations\":2}\n",
        );
        put("handshake-X25519.server.json", "{\"verb\":\"serve\",\"handshake_ns\":[3000000,1000000,2000000,2500000]}");
        put("sae-19.hostapd.cpu", "{\"cpu_ns\":[8400000]}");
        put("handshake-X25519MLKEM768.absent", "server: no such group\n");
        let results = read(dir.path(), "counted").unwrap();
        let heap: Vec<_> = results.heap.iter().map(|h| (h.process.as_str(), h.peak_bytes)).collect();
        assert_eq!(heap, [("tlsprobe (client)", 1000), ("hostapd", 9)]);
        let time: Vec<_> = results.time.iter().map(|t| (t.scenario.as_str(), t.median, t.runs)).collect();
        assert_eq!(time, [("handshake-X25519", 2.25, 4), ("sae-19", 8.4, 1)]);
        assert_eq!(results.absent["handshake-X25519MLKEM768"], "server: no such group");
    }

    #[test]
    fn sixteen_comes_after_four() {
        let mut names = ["https-server-16", "https-server-4", "https-server-1"].map(str::to_owned);
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["https-server-1", "https-server-4", "https-server-16"]);
    }
}
