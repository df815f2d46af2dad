//! The prototypes in the generated header. cbindgen's layout is regular, so lines and a few separators are enough to find them.

use std::fmt::Write as _;

/// Every function's prototype on one line, sorted by name.
pub(crate) fn prototypes(header: &str) -> Vec<String> {
    let code: String = header
        .lines()
        .filter(|line| !line.starts_with("//") && !line.starts_with('#'))
        .flat_map(|line| [line.trim(), " "])
        .collect();
    let mut found: Vec<String> = code
        .split(';')
        .map(|statement| statement.rsplit(['{', '}', '/']).next().unwrap_or_default())
        .map(|statement| statement.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|statement| statement.ends_with(')') && !statement.starts_with("typedef"))
        .collect();
    found.sort_by(|a, b| name(a).cmp(name(b)));
    found
}

/// The function's name in a prototype.
pub(crate) fn name(prototype: &str) -> &str {
    let before = prototype.split('(').next().unwrap_or_default();
    before.rsplit([' ', '*']).next().unwrap_or_default()
}

/// A C source that defines every function with nothing in it.
pub(crate) fn stubs(header: &str) -> String {
    let mut source = String::from("#include \"rustcrypto.h\"\nextern void abort(void);\n");
    // The ids are in no signature: a variable of each type brings their values into the debug information.
    for line in header.lines() {
        if let Some(name) = line.strip_prefix("enum ").map(|rest| rest.trim_end_matches([' ', '{'])) {
            let _ = writeln!(source, "enum {name} rustcrypto_values_of_{name};");
        }
    }
    for prototype in prototypes(header) {
        let _ = writeln!(source, "{prototype} {{ abort(); }}");
    }
    source
}
