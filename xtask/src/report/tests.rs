use super::*;

fn measure(tls: &str, squashfs: u64, library: u64, handshake: f64) -> Measure {
    Measure {
        schema: SCHEMA,
        target: "board".into(),
        tls: tls.into(),
        profile: String::new(),
        engine: "lab".into(),
        method: "Counted.".into(),
        rootfs: Rootfs {
            squashfs_bytes: squashfs,
            unpacked_bytes: squashfs * 2,
            packages: vec![PackageSize {
                name: format!("lib{tls}"),
                version: "1".into(),
                bytes: library * 2,
                squashfs_share: library,
            }],
            marginal: BTreeMap::from([(format!("lib{tls}"), library)]),
        },
        heap: vec![Heap {
            scenario: "https-download".into(),
            process: "client".into(),
            peak_bytes: 2048,
            allocations: 3,
        }],
        time: vec![Time {
            scenario: "handshake-X25519".into(),
            process: "client".into(),
            unit: "ms".into(),
            median: handshake,
            runs: 20,
            method: "Instructions.".into(),
        }],
        tls_libraries: vec![format!("lib{tls}")],
        absent: BTreeMap::new(),
        self_test: None,
    }
}

#[test]
fn a_comparison_shows_every_row_once_and_how_much_worse() {
    let measures = [measure("a", 1_000_000, 300_000, 1.0), measure("b", 1_500_000, 800_000, 1.25)];
    let text = table::render(&measures);
    assert!(text.contains("1,500,000 x1.50"), "{text}");
    assert!(text.contains("1.25 x1.25"), "{text}");
    assert!(text.lines().any(|l| l.starts_with("liba") && l.trim_end().ends_with('-')), "{text}");
}

#[test]
fn the_difference_names_the_largest_reason_first() {
    let text = markdown::difference(&measure("a", 1_000_000, 300_000, 1.0), &measure("b", 1_500_000, 800_000, 1.0));
    assert_eq!(text, "-500,000 bytes (libb -800,000, liba +300,000)");
}

#[test]
fn reports_are_whole_and_escape_what_they_are_given() {
    let mut odd = measure("<b>", 1, 1, 1.0);
    odd.absent.insert("x".into(), "a & b".into());
    let dir = tempfile::tempdir().unwrap();
    let files = write_reports(&[odd], dir.path()).unwrap();
    let html = fs::read_to_string(&files[1]).unwrap();
    assert!(
        html.ends_with("</html>\n") && html.contains("<svg ") && html.contains("&lt;b&gt;") && !html.contains("<b>")
    );
    assert!(!html.contains("<script") && !html.contains("src=") && html.contains("a &amp; b"));
}

#[test]
fn a_measure_survives_its_file_and_a_foreign_schema_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut one = measure("a", 5, 3, 1.0);
    one.save(dir.path()).unwrap();
    assert_eq!(Measure::load(dir.path()).unwrap().rootfs.squashfs_bytes, 5);
    one.schema = 99;
    one.save(dir.path()).unwrap();
    let error = Measure::load(dir.path()).unwrap_err();
    assert!(error.is::<crate::root::UserError>() && error.to_string().contains("schema 99"), "{error}");
}

#[test]
fn thousands_are_grouped() {
    assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
}

#[test]
fn a_program_that_one_image_lacks_is_taken_off_the_others() {
    let (a, mut b) = (measure("a", 1_000_000, 300_000, 1.0), measure("b", 1_500_000, 800_000, 1.0));
    b.rootfs.packages.push(PackageSize {
        name: "hostapd".into(),
        version: "1".into(),
        bytes: 9,
        squashfs_share: 200_000,
    });
    let text = markdown::difference(&b, &a);
    assert!(text.ends_with("; with the same programs in both, without hostapd: +300,000"), "{text}");
    let sections = sections(&[a, b]);
    let row = sections[0].rows.iter().find(|(label, _)| label == "squashfs without hostapd").unwrap();
    assert_eq!(row.1, [Some(1_000_000.0), Some(1_300_000.0)]);
}
