//! Cipher suites and groups by the names that people write: OpenSSL's, IANA's and Mbed TLS's. As C strings, for the C ABI.

use std::ffi::CStr;

use rustls::crypto::SupportedKxGroup;
use rustls::{CipherSuite, NamedGroup, SupportedCipherSuite};

use crate::provider;
use crate::{Error, Result};

/// Cipher suite by number and OpenSSL's name.
const SUITES: [(CipherSuite, &CStr); 9] = [
    (CipherSuite::TLS13_AES_128_GCM_SHA256, c"TLS_AES_128_GCM_SHA256"),
    (CipherSuite::TLS13_AES_256_GCM_SHA384, c"TLS_AES_256_GCM_SHA384"),
    (CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, c"TLS_CHACHA20_POLY1305_SHA256"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, c"ECDHE-ECDSA-AES128-GCM-SHA256"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, c"ECDHE-ECDSA-AES256-GCM-SHA384"),
    (CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, c"ECDHE-ECDSA-CHACHA20-POLY1305"),
    (CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, c"ECDHE-RSA-AES128-GCM-SHA256"),
    (CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, c"ECDHE-RSA-AES256-GCM-SHA384"),
    (CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, c"ECDHE-RSA-CHACHA20-POLY1305"),
];

/// Group by number, the name we print, and other names for it.
const GROUPS: [(NamedGroup, &CStr, &[&str]); 5] = [
    (NamedGroup::X25519MLKEM768, c"X25519MLKEM768", &[]),
    (NamedGroup::X25519, c"X25519", &[]),
    (NamedGroup::secp256r1, c"P-256", &["P256", "SECP256R1", "PRIME256V1"]),
    (NamedGroup::secp384r1, c"P-384", &["P384", "SECP384R1"]),
    (NamedGroup::secp521r1, c"P-521", &["P521", "SECP521R1"]),
];

/// OpenSSL's name of a suite.
pub(crate) fn suite_name(suite: CipherSuite) -> &'static CStr {
    SUITES.iter().find(|(id, _)| *id == suite).map_or(c"unknown", |(_, name)| name)
}

/// The name we print for a group.
pub(crate) fn group_name(group: NamedGroup) -> &'static CStr {
    GROUPS.iter().find(|(id, ..)| *id == group).map_or(c"unknown", |(_, name, _)| name)
}

/// One spelling for all: `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`, `TLS-ECDHE-RSA-WITH-AES-128-GCM-SHA256` and
/// `ECDHE-RSA-AES128-GCM-SHA256` become the last; `TLS1-3-AES-128-GCM-SHA256` and `TLS_AES_128_GCM_SHA256` become
/// `AES128-GCM-SHA256`.
fn plain(name: &str) -> String {
    let name = name.to_ascii_uppercase().replace('_', "-");
    let name = name.strip_prefix("TLS1-3-").or(name.strip_prefix("TLS-")).unwrap_or(&name);
    let name = name.replace("-WITH-", "-").replace("AES-", "AES");
    match name.strip_suffix("POLY1305-SHA256") {
        Some(start) => format!("{start}POLY1305"),
        None => name,
    }
}

/// The suites of a `:` or `,` separated list, in its order. Unknown names are skipped; `ALL`, `DEFAULT` and `HIGH` stand for
/// all. A list without a TLS 1.3 suite leaves those of TLS 1.3 as they are, as with OpenSSL.
pub(crate) fn suites(list: &str) -> Result<Vec<SupportedCipherSuite>> {
    let all = provider::cipher_suites();
    let mut out: Vec<SupportedCipherSuite> = Vec::new();
    for word in list.split([':', ',', ' ']).filter(|word| !word.is_empty()) {
        let everything = ["ALL", "DEFAULT", "HIGH"].contains(&word);
        let wanted = plain(word);
        for &suite in &all {
            if (everything || plain(&suite_name(suite.suite()).to_string_lossy()) == wanted) && !out.contains(&suite) {
                out.push(suite);
            }
        }
    }
    if out.is_empty() {
        return Err(Error::InvalidArgument("no known cipher suite in the list; known: see rustcrypto_tls_cipher_name"));
    }
    if !out.iter().any(|suite| suite.tls13().is_some()) {
        let tls13 = all.iter().filter(|suite| suite.tls13().is_some());
        out.splice(0..0, tls13.copied());
    }
    Ok(out)
}

/// The groups of a `:` or `,` separated list, in its order; unknown names are skipped.
pub(crate) fn groups(list: &str) -> Result<Vec<&'static dyn SupportedKxGroup>> {
    let all = provider::kx_groups();
    let mut out: Vec<&'static dyn SupportedKxGroup> = Vec::new();
    for word in list.split([':', ',', ' ']).filter(|word| !word.is_empty()) {
        let word = word.to_ascii_uppercase();
        let known = GROUPS
            .iter()
            .find(|(_, name, others)| name.to_bytes() == word.as_bytes() || others.contains(&word.as_str()));
        if let Some((id, ..)) = known
            && let Some(group) = all.iter().find(|group| group.name() == *id)
            && !out.iter().any(|have| have.name() == *id)
        {
            out.push(*group);
        }
    }
    if out.is_empty() {
        return Err(Error::InvalidArgument(
            "no known group in the list; known: X25519MLKEM768, X25519, P-256, P-384, P-521",
        ));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_notations_name_one_suite() {
        for list in [
            "ECDHE-ECDSA-CHACHA20-POLY1305",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS-ECDHE-ECDSA-WITH-CHACHA20-POLY1305-SHA256",
            "no-such,ecdhe-ecdsa-chacha20-poly1305",
        ] {
            let ids: Vec<_> = suites(list).unwrap().iter().map(SupportedCipherSuite::suite).collect();
            assert_eq!(ids.len(), 4, "{list}");
            assert_eq!(ids[3], CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, "{list}");
        }
        for list in ["TLS_AES_256_GCM_SHA384", "TLS1-3-AES-256-GCM-SHA384", "TLS-AES-256-GCM-SHA384"] {
            let ids: Vec<_> = suites(list).unwrap().iter().map(SupportedCipherSuite::suite).collect();
            assert_eq!(ids, [CipherSuite::TLS13_AES_256_GCM_SHA384], "{list}");
        }
        assert!(suites("RC4-MD5:NULL").is_err());
        assert_eq!(suites("HIGH:!aNULL").unwrap().len(), provider::cipher_suites().len());
    }

    #[test]
    fn groups_keep_the_order_asked_for() {
        let names: Vec<_> =
            groups("secp384r1,prime256v1:bogus:P-256").unwrap().iter().map(|g| group_name(g.name())).collect();
        assert_eq!(names, [c"P-384", c"P-256"]);
        assert!(groups("ffdhe2048").is_err());
    }
}
