//! The lazy trust store.
//!
//! A CA bundle is some 145 certificates and 220 KB of text; a handshake needs one or two of them. So a file is only
//! remembered by its path, and each verification streams it and keeps the roots whose subject is an issuer that is looked
//! for: the memory needed is one PEM section, whatever the bundle's size. Every root with a matching subject is kept, so
//! cross-signed intermediates and several roots of one name work.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use rustls_pki_types::pem::{self, SectionKind};
use rustls_pki_types::{CertificateDer, TrustAnchor};

use crate::x509::Certificate;
use crate::{Error, Result};

/// Largest DER certificate or PEM section worth reading.
const LONGEST: u64 = 64 * 1024;

/// What may be trusted: paths of PEM bundles, and certificates handed in as bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrustStore {
    files: Vec<PathBuf>,
    certificates: Vec<CertificateDer<'static>>,
}

/// What a chain needs of the store.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Roots whose subject is one of the issuers asked for.
    pub(crate) anchors: Vec<TrustAnchor<'static>>,
    /// The leaf itself is in the store: its owner trusts exactly this certificate.
    pub(crate) leaf: bool,
}

impl TrustStore {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.certificates.is_empty()
    }

    /// Remember a file. Reads up to its first certificate, to tell a wrong path at once.
    pub(crate) fn add_file(&mut self, path: &Path) -> Result<()> {
        let mut any = false;
        each_in_file(path, |_| {
            any = true;
            false
        })?;
        if !any {
            return Err(Error::BadCertificate(format!("there is no certificate in {}", path.display()).into()));
        }
        self.files.push(path.to_path_buf());
        Ok(())
    }

    /// Keep the certificates in `data`, PEM or one DER certificate.
    pub(crate) fn add(&mut self, data: &[u8]) -> Result<()> {
        self.certificates.extend(read_certificates(data)?);
        Ok(())
    }

    /// Look for the roots that have issued any of `issuers` (contents of issuer Names), and for `leaf` itself.
    pub(crate) fn find(&self, issuers: &[&[u8]], leaf: &[u8]) -> Result<Found> {
        let mut found = Found::default();
        for certificate in &self.certificates {
            found.consider(certificate, issuers, leaf);
        }
        for path in &self.files {
            each_in_file(path, |der| {
                found.consider(der, issuers, leaf);
                true
            })?;
        }
        Ok(found)
    }
}

impl Found {
    fn consider(&mut self, der: &[u8], issuers: &[&[u8]], leaf: &[u8]) {
        self.leaf |= der == leaf;
        // A root that cannot be read is as good as not there; one broken entry must not disable a bundle.
        if Certificate::subject_of(der).is_ok_and(|subject| issuers.contains(&subject))
            && let Ok(anchor) = webpki::anchor_from_trusted_cert(&CertificateDer::from(der))
        {
            self.anchors.push(anchor.to_owned());
        }
    }
}

/// Certificates of a PEM chain in its order, or the one DER certificate.
pub(crate) fn read_certificates(mut data: &[u8]) -> Result<Vec<CertificateDer<'static>>> {
    let mut out = Vec::new();
    if data.first() == Some(&0x30) {
        out.push(CertificateDer::from(data.to_vec()));
    } else {
        each_in_pem(&mut data, |der| {
            out.push(CertificateDer::from(der.to_vec()));
            true
        });
    }
    if out.is_empty() {
        return Err(Error::BadCertificate("there is no certificate in it (neither PEM nor DER)".into()));
    }
    for certificate in &out {
        Certificate::parse(certificate)?;
    }
    Ok(out)
}

/// Hand each certificate of a PEM or DER file to `f` until it returns false.
fn each_in_file(path: &Path, mut f: impl FnMut(&[u8]) -> bool) -> Result<()> {
    let failed = |error| Error::Io(format!("cannot read {}: {error}", path.display()));
    let mut reader = BufReader::with_capacity(4096, File::open(path).map_err(failed)?);
    if reader.fill_buf().map_err(failed)?.first() == Some(&0x30) {
        let mut der = Vec::new();
        reader.take(LONGEST).read_to_end(&mut der).map_err(failed)?;
        if Certificate::parse(&der).is_ok() {
            f(&der);
        }
    } else {
        each_in_pem(&mut reader, f);
    }
    Ok(())
}

/// Hand each certificate of a PEM stream to `f` until it returns false; other sections and broken ones are passed over.
fn each_in_pem(reader: &mut dyn BufRead, mut f: impl FnMut(&[u8]) -> bool) {
    loop {
        match pem::from_buf(reader) {
            Ok(Some((SectionKind::Certificate, der))) => {
                if !f(&der) {
                    return;
                }
            }
            Ok(None) | Err(pem::Error::Io(_)) => return,
            Ok(Some(_)) | Err(_) => {}
        }
    }
}
