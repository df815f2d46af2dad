//! Layer 2: keys and certificates as files carry them.

mod certificate;
mod der;
pub mod keys;
mod name;
mod self_signed;
mod time;

pub use certificate::Certificate;
pub use self_signed::SelfSigned;
pub(crate) use time::readable as readable_time;

/// PEM of a DER certificate.
pub fn certificate_to_pem(der: &[u8]) -> Vec<u8> {
    keys::pem::encode("CERTIFICATE", der).to_vec()
}
