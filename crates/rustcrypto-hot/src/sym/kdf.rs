//! HKDF (RFC 5869) and PBKDF2 (RFC 8018) at concrete hashes.

use hkdf::Hkdf;
use hmac::EagerHash;

use super::Refused;

macro_rules! kdfs {
    ($($module:ident: $hash:ty;)*) => {
        $(pub mod $module {
            use super::Refused;

            /// HKDF-Extract; `prk` is as long as the hash's output.
            pub fn extract(salt: &[u8], ikm: &[u8], prk: &mut [u8]) {
                super::extract::<$hash>(salt, ikm, prk);
            }

            /// HKDF-Expand; `info` is the concatenation of the given parts. Refuses a `prk` shorter than the hash or too long an `okm`.
            pub fn expand(prk: &[u8], info: &[&[u8]], okm: &mut [u8]) -> Result<(), Refused> {
                super::expand::<$hash>(prk, info, okm)
            }

            pub fn pbkdf2(password: &[u8], salt: &[u8], rounds: u32, out: &mut [u8]) {
                pbkdf2::pbkdf2_hmac::<$hash>(password, salt, rounds, out);
            }
        })*
    };
}

fn extract<H: EagerHash>(salt: &[u8], ikm: &[u8], prk: &mut [u8]) {
    let (made, _) = Hkdf::<H>::extract(Some(salt), ikm);
    prk[..made.len()].copy_from_slice(&made);
}

fn expand<H: EagerHash>(prk: &[u8], info: &[&[u8]], okm: &mut [u8]) -> Result<(), Refused> {
    Hkdf::<H>::from_prk(prk).map_err(|_| Refused)?.expand_multi_info(info, okm).map_err(|_| Refused)
}

kdfs! {
    sha1: sha1::Sha1;
    sha256: sha2::Sha256;
    sha384: sha2::Sha384;
    sha512: sha2::Sha512;
}
