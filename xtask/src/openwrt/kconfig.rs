//! What the `.config` says after `make defconfig`, and why Kconfig refused what was asked.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Symbols by name without `CONFIG_`: `y`, `m` or a string; what is not set is not in it.
pub(super) fn parse(config: &str) -> BTreeMap<&str, &str> {
    config.lines().filter_map(|line| line.strip_prefix("CONFIG_")?.split_once('=')).collect()
}

/// Which of `wanted` are not `y`, with the dependencies that are not met; `None` if all are. `menus` is the text of
/// tmp/.config-package.in, where OpenWrt collects the packages' dependencies.
pub(super) fn refused(wanted: &[String], config: &str, menus: &str) -> Option<String> {
    let config = parse(config);
    let mut out = String::new();
    for symbol in wanted.iter().filter(|symbol| config.get(symbol.as_str()) != Some(&"y")) {
        let is = config.get(symbol.as_str()).map_or("not set", |value| value);
        let _ = write!(out, "\n  CONFIG_{symbol} is {is}");
        explain(symbol, &config, menus, 1, &mut out);
    }
    (!out.is_empty()).then_some(out)
}

/// The lines `depends on` of a symbol that do not hold, and of the symbols in them, three levels deep.
fn explain(symbol: &str, config: &BTreeMap<&str, &str>, menus: &str, depth: usize, out: &mut String) {
    let head = [format!("config {symbol}"), format!("menuconfig {symbol}")];
    let mut lines = menus.lines().skip_while(|line| !head.iter().any(|head| line.trim() == head)).skip(1);
    if !menus.lines().any(|line| head.iter().any(|head| line.trim() == head)) {
        let _ = write!(out, "\n{}no package defines it: is its feed installed?", "  ".repeat(depth + 1));
        return;
    }
    let block = lines
        .by_ref()
        .take_while(|line| !line.trim().starts_with("config ") && !line.trim().starts_with("menuconfig "));
    for condition in block.filter_map(|line| line.trim().strip_prefix("depends on ")) {
        if holds(condition, config) {
            continue;
        }
        let _ = write!(out, "\n{}because it depends on {condition}", "  ".repeat(depth + 1));
        for name in symbols(condition).filter(|name| depth < 3 && !config.contains_key(name)) {
            if menus.lines().any(|line| line.trim() == format!("config {name}")) {
                let _ = write!(out, "\n{}CONFIG_{name} is not set", "  ".repeat(depth + 2));
                explain(name, config, menus, depth + 2, out);
            }
        }
    }
}

fn symbols(condition: &str) -> impl Iterator<Item = &str> {
    let words = condition.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    words.filter(|word| word.len() > 1)
}

/// Does a Kconfig expression of `||`, `&&`, `!`, `=`, `!=` and brackets allow y?
fn holds(condition: &str, config: &BTreeMap<&str, &str>) -> bool {
    Expression { rest: condition.trim(), config }.or() == 2
}

/// Kconfig's three values as 0, 1, 2; `||` is the greater, `&&` the smaller, `!` is 2 - x.
struct Expression<'a> {
    rest: &'a str,
    config: &'a BTreeMap<&'a str, &'a str>,
}

impl<'a> Expression<'a> {
    fn take(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn or(&mut self) -> u8 {
        let mut value = self.and();
        while self.take("||") {
            value = value.max(self.and());
        }
        value
    }

    fn and(&mut self) -> u8 {
        let mut value = self.atom();
        while self.take("&&") {
            value = value.min(self.atom());
        }
        value
    }

    fn atom(&mut self) -> u8 {
        if self.take("(") {
            let value = self.or();
            self.take(")");
            return value;
        }
        if !self.rest.trim_start().starts_with("!=") && self.take("!") {
            return 2 - self.atom();
        }
        let left = self.word();
        if self.take("!=") {
            let right = self.word();
            return if self.text(left) == self.text(right) { 0 } else { 2 };
        }
        if self.take("=") {
            let right = self.word();
            return if self.text(left) == self.text(right) { 2 } else { 0 };
        }
        match self.text(left) {
            "y" => 2,
            "m" => 1,
            _ => 0,
        }
    }

    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| " &|=!()".contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn text(&self, word: &'a str) -> &'a str {
        match word {
            "y" | "m" | "n" => word,
            _ => self.config.get(word).copied().unwrap_or("n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_kconfigs_values() {
        let config = parse("CONFIG_A=y\nCONFIG_M=m\n# CONFIG_B is not set\n");
        for (text, value) in [
            ("A", true),
            ("B", false),
            ("!B", true),
            ("M", false),
            ("A && !B", true),
            ("m || (A != y)", false),
            ("m || (B != y)", true),
            ("(B || A) && A=y", true),
            ("!(A||B)", false),
        ] {
            assert_eq!(holds(text, &config), value, "{text}");
        }
    }

    #[test]
    fn a_refusal_tells_its_chain() {
        let menus = "config PACKAGE_x\n\tdepends on m || (PACKAGE_y != y)\n\tdepends on PACKAGE_z\nconfig PACKAGE_y\nconfig PACKAGE_z\n\tdepends on TARGET_toy\n";
        let config = "CONFIG_PACKAGE_y=y\nCONFIG_PACKAGE_x=m\n";
        let why = refused(&["PACKAGE_x".into(), "PACKAGE_y".into()], config, menus).unwrap();
        assert_eq!(
            why,
            "\n  CONFIG_PACKAGE_x is m\n    because it depends on m || (PACKAGE_y != y)\n    because it depends on PACKAGE_z\n      CONFIG_PACKAGE_z is not set\n        because it depends on TARGET_toy"
        );
        assert_eq!(refused(&["PACKAGE_y".into()], config, menus), None);
        assert!(refused(&["PACKAGE_q".into()], config, menus).unwrap().contains("no package defines it"));
    }
}
