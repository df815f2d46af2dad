//! Known workloads, compiled by the machine's C compiler and run under the library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

fn library() -> PathBuf {
    // target/<profile>/deps/this-test -> target/<profile>/deps/libheapmeter.so
    std::env::current_exe().unwrap().parent().unwrap().join("libheapmeter.so")
}

fn compile(source: &str, out: &str, flags: &[&str]) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(out);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source);
    let status = Command::new("cc")
        .args(["-O1", "-Wall", "-Werror", "-pthread"])
        .args(flags)
        .arg("-o")
        .arg(&out)
        .arg(source)
        .status();
    assert!(status.expect("cc, the C compiler").success());
    out
}

fn workload() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| compile("workload.c", "workload", &[]))
}

/// Run one workload; the reported lines, oldest first.
fn run(name: &str, environment: &[(&str, &str)]) -> Vec<String> {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{run}.jsonl"));
    let _ = std::fs::remove_file(&out);
    let status = Command::new(workload())
        .arg(name)
        .env("LD_PRELOAD", library())
        .env("HEAPMETER_OUT", &out)
        .envs(environment.iter().copied())
        .status()
        .unwrap();
    assert!(status.success(), "{name}: {status}");
    std::fs::read_to_string(out).unwrap().lines().map(str::to_owned).collect()
}

fn number(line: &str, key: &str) -> u64 {
    let at = line.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("no {key} in {line}")) + key.len() + 3;
    line[at..].chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// What the C library itself keeps for an empty program (stdio buffers, thread bookkeeping).
fn idle() -> u64 {
    number(&run("nothing", &[])[0], "peak_bytes")
}

#[test]
fn the_malloc_family_is_counted_to_the_byte() {
    let line = &run("family", &[])[0];
    assert_eq!(number(line, "peak_bytes") - idle(), 300_000 + 100_000 + 50_000 + 64_000);
    assert_eq!(number(line, "live_bytes"), 300_000 + 50_000 + 64_000);
    assert_eq!(number(line, "allocations"), 5);
    assert!(line.starts_with("{\"process\":\"workload\""), "{line}");
}

#[test]
fn an_arena_counts_and_a_hole_in_it_does_not() {
    let line = &run("arena", &[])[0];
    assert_eq!(number(line, "mapped_peak_bytes"), 1 << 20);
    assert_eq!(number(line, "peak_bytes"), 1 << 20);
    assert_eq!(number(line, "live_bytes"), 1000);
}

#[test]
fn a_child_counts_from_what_it_inherited() {
    let lines = run("fork", &[]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(number(&lines[0], "peak_bytes"), 30_000);
    assert_eq!(number(&lines[0], "allocations"), 1);
    assert_eq!(number(&lines[1], "peak_bytes"), 510_000);
}

#[test]
fn threads_lose_no_count() {
    let line = &run("threads", &[])[0];
    assert!(number(line, "allocations") >= 80_000, "{line}");
    assert!(number(line, "peak_bytes") < 4 * 100 + 8192, "{line}");
}

#[test]
fn the_largest_holder_comes_first() {
    let line = &run("family", &[("HEAPMETER_SITES", "3")])[0];
    let sites = &line[line.find("\"sites\":").expect("sites")..];
    assert_eq!(sites.matches("\"site\":").count(), 3, "{sites}");
    assert_eq!(number(sites, "bytes"), 300_000);
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    assert!(sites.contains("workload+0x"), "{sites}");
}

#[test]
fn a_calloc_that_calls_malloc_is_one_allocation() {
    let shim = compile("calloc_on_malloc.c", "calloc_on_malloc.so", &["-shared", "-fPIC", "-fno-builtin"]);
    let preload = format!("{}:{}", library().display(), shim.display());
    let line = &run("family", &[("LD_PRELOAD", &preload)])[0];
    // While aligned_alloc runs, malloc's block with its slack of 63 bytes is live.
    assert_eq!(number(line, "peak_bytes") - idle(), 300_000 + 100_000 + 50_000 + 64_000 + 63);
    assert_eq!(number(line, "live_bytes"), 300_000 + 50_000 + 64_000);
    assert_eq!(number(line, "allocations"), 5);
}
