//! Key pairs: RSA, EC, Ed25519, X25519, ML-DSA.

use rustcrypto::Error;
use rustcrypto::primitives::digest::Digest;
use rustcrypto::primitives::ec::Curve;
use rustcrypto::primitives::mldsa::MlDsa;
use rustcrypto::x509::keys::{Form, KeyType, PrivateKey, PublicKey};
use zeroize::Zeroizing;

use crate::boundary::{borrow, bytes, guard, guard_new, guard_or, release, text, write_out};
use crate::digest::digest_of;

/// Kinds of keys.
#[repr(i32)]
#[derive(Debug, Clone, Copy)]
pub enum rustcrypto_key_kind {
    RUSTCRYPTO_KEY_RSA = 1,
    RUSTCRYPTO_KEY_P256 = 2,
    RUSTCRYPTO_KEY_P384 = 3,
    RUSTCRYPTO_KEY_P521 = 4,
    RUSTCRYPTO_KEY_ED25519 = 5,
    RUSTCRYPTO_KEY_X25519 = 6,
    RUSTCRYPTO_KEY_MLDSA44 = 7,
    RUSTCRYPTO_KEY_MLDSA65 = 8,
    RUSTCRYPTO_KEY_MLDSA87 = 9,
}
use rustcrypto_key_kind as K;

/// Forms of files.
#[repr(i32)]
#[derive(Debug, Clone, Copy)]
pub enum rustcrypto_format {
    RUSTCRYPTO_PEM = 1,
    RUSTCRYPTO_DER = 2,
}

/// Forms of signatures.
#[repr(i32)]
#[derive(Debug, Clone, Copy)]
pub enum rustcrypto_padding {
    /// RSA: PKCS#1 v1.5. ECDSA: DER.
    RUSTCRYPTO_DEFAULT = 0,
    /// RSA: PSS with a salt as long as the digest.
    RUSTCRYPTO_PSS = 1,
    /// ECDSA: r || s, each of the curve's length.
    RUSTCRYPTO_RAW_RS = 2,
}

/// A private key, or a public one.
pub struct rustcrypto_key {
    private: Option<PrivateKey>,
    public: PublicKey,
}

impl rustcrypto_key {
    pub(crate) fn from_private(key: PrivateKey) -> Result<Self, Error> {
        let public = key.public()?;
        Ok(Self { private: Some(key), public })
    }

    fn from_public(public: PublicKey) -> Self {
        Self { private: None, public }
    }

    /// The private half.
    pub(crate) fn private(&self) -> Result<&PrivateKey, Error> {
        self.private.as_ref().ok_or(Error::InvalidArgument("this operation needs a private key"))
    }
}

fn kind_of(id: i32, rsa_bits: u32) -> Result<KeyType, Error> {
    let curve = |group| Curve::from_iana(group).map(KeyType::Ec);
    match id {
        _ if id == K::RUSTCRYPTO_KEY_RSA as i32 => Ok(KeyType::Rsa(rsa_bits)),
        _ if id == K::RUSTCRYPTO_KEY_P256 as i32 => curve(19),
        _ if id == K::RUSTCRYPTO_KEY_P384 as i32 => curve(20),
        _ if id == K::RUSTCRYPTO_KEY_P521 as i32 => curve(21),
        _ if id == K::RUSTCRYPTO_KEY_ED25519 as i32 => Ok(KeyType::Ed25519),
        _ if id == K::RUSTCRYPTO_KEY_X25519 as i32 => Ok(KeyType::X25519),
        _ if id == K::RUSTCRYPTO_KEY_MLDSA44 as i32 => Ok(KeyType::MlDsa(MlDsa::MlDsa44)),
        _ if id == K::RUSTCRYPTO_KEY_MLDSA65 as i32 => Ok(KeyType::MlDsa(MlDsa::MlDsa65)),
        _ if id == K::RUSTCRYPTO_KEY_MLDSA87 as i32 => Ok(KeyType::MlDsa(MlDsa::MlDsa87)),
        _ => Err(Error::InvalidArgument("unknown kind of key")),
    }
}

fn id_of(kind: KeyType) -> K {
    match kind {
        KeyType::Rsa(_) => K::RUSTCRYPTO_KEY_RSA,
        KeyType::Ec(curve) => match curve.iana() {
            19 => K::RUSTCRYPTO_KEY_P256,
            20 => K::RUSTCRYPTO_KEY_P384,
            _ => K::RUSTCRYPTO_KEY_P521,
        },
        KeyType::Ed25519 => K::RUSTCRYPTO_KEY_ED25519,
        KeyType::X25519 => K::RUSTCRYPTO_KEY_X25519,
        KeyType::MlDsa(MlDsa::MlDsa44) => K::RUSTCRYPTO_KEY_MLDSA44,
        KeyType::MlDsa(MlDsa::MlDsa65) => K::RUSTCRYPTO_KEY_MLDSA65,
        KeyType::MlDsa(MlDsa::MlDsa87) => K::RUSTCRYPTO_KEY_MLDSA87,
    }
}

/// Is PEM asked for?
fn is_pem(format: i32) -> Result<bool, Error> {
    match format {
        _ if format == rustcrypto_format::RUSTCRYPTO_PEM as i32 => Ok(true),
        _ if format == rustcrypto_format::RUSTCRYPTO_DER as i32 => Ok(false),
        _ => Err(Error::InvalidArgument("unknown format (PEM and DER are known)")),
    }
}

fn form_of(padding: i32) -> Result<Form, Error> {
    match padding {
        _ if padding == rustcrypto_padding::RUSTCRYPTO_DEFAULT as i32 => Ok(Form::Default),
        _ if padding == rustcrypto_padding::RUSTCRYPTO_PSS as i32 => Ok(Form::Pss),
        _ if padding == rustcrypto_padding::RUSTCRYPTO_RAW_RS as i32 => Ok(Form::RawRs),
        _ => Err(Error::InvalidArgument("unknown padding")),
    }
}

/// The hash a signature is made with. Ed25519 and ML-DSA hash by themselves and are called with 0.
fn hash_of(alg: i32, key: &PublicKey) -> Result<Digest, Error> {
    let hashes_itself = matches!(key.kind(), KeyType::Ed25519 | KeyType::MlDsa(_));
    match (hashes_itself, alg) {
        (true, 0) => Ok(Digest::Sha512),
        (true, _) => Err(Error::InvalidArgument("keys of this kind hash by themselves: the digest must be 0")),
        (false, _) => digest_of(alg),
    }
}

/// Read a key file of at most 64 KiB, wiped afterwards.
///
/// # Safety
/// As [`text`].
unsafe fn read_file(path: *const std::ffi::c_char) -> Result<Zeroizing<Vec<u8>>, Error> {
    use std::io::Read;
    const MOST: u64 = 64 * 1024;
    // SAFETY: the caller's promise.
    let path = unsafe { text(path) }?;
    let failed = |error| Error::Io(format!("cannot read {path}: {error}"));
    // Room for everything from the start: growing would leave unwiped copies behind.
    let mut data = Zeroizing::new(Vec::with_capacity(MOST as usize + 1));
    std::fs::File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut data)).map_err(failed)?;
    if data.len() as u64 > MOST {
        return Err(Error::BadKey(format!("{path} is larger than any key file").into()));
    }
    Ok(data)
}

/// A fresh key; `rsa_bits` (2048, 3072 or 4096) is for RSA alone. NULL on error.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_key_generate(type_: i32, rsa_bits: u32) -> *mut rustcrypto_key {
    guard_new(|| rustcrypto_key::from_private(PrivateKey::generate(kind_of(type_, rsa_bits)?)?))
}

/// A private key from PEM or DER: PKCS#1, SEC 1 or PKCS#8. NULL on error; `rustcrypto_last_error` says why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_load_private(data: *const u8, len: usize) -> *mut rustcrypto_key {
    // SAFETY: the header's contract.
    guard_new(|| rustcrypto_key::from_private(PrivateKey::load(unsafe { bytes(data, len) }?)?))
}

/// A public key from PEM or DER (SubjectPublicKeyInfo). NULL on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_load_public(data: *const u8, len: usize) -> *mut rustcrypto_key {
    // SAFETY: the header's contract.
    guard_new(|| PublicKey::load(unsafe { bytes(data, len) }?).map(rustcrypto_key::from_public))
}

/// `rustcrypto_key_load_private` from a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_load_private_file(path: *const std::ffi::c_char) -> *mut rustcrypto_key {
    // SAFETY: the header's contract.
    guard_new(|| rustcrypto_key::from_private(PrivateKey::load(&unsafe { read_file(path) }?)?))
}

/// `rustcrypto_key_load_public` from a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_load_public_file(path: *const std::ffi::c_char) -> *mut rustcrypto_key {
    // SAFETY: the header's contract.
    guard_new(|| PublicKey::load(&unsafe { read_file(path) }?).map(rustcrypto_key::from_public))
}

/// A public EC key from a point of group 19, 20 or 21: x || y, 04 || x || y or compressed. NULL if it is not one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_from_ec_point(group: i32, xy: *const u8, len: usize) -> *mut rustcrypto_key {
    guard_new(|| {
        let curve = Curve::from_iana(group)?;
        // SAFETY: the header's contract.
        let point = unsafe { bytes(xy, len) }?;
        if point.len() == curve.len() {
            // x alone serves key agreement (OWE), where the sign of y does not matter; a key must be one point.
            return Err(Error::InvalidArgument("a public key needs y, or its sign, too"));
        }
        PublicKey::from_point(curve, point).map(rustcrypto_key::from_public)
    })
}

/// A private EC key from its scalar, big endian. NULL if it is 0 or not below the order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_from_ec_scalar(group: i32, be: *const u8, len: usize) -> *mut rustcrypto_key {
    guard_new(|| {
        // SAFETY: the header's contract.
        let scalar = unsafe { bytes(be, len) }?;
        rustcrypto_key::from_private(PrivateKey::from_scalar(Curve::from_iana(group)?, scalar)?)
    })
}

/// Wipe and free; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_free(key: *mut rustcrypto_key) {
    // SAFETY: the header's contract.
    unsafe { release(key) }
}

/// The same key once more; NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_clone(key: *const rustcrypto_key) -> *mut rustcrypto_key {
    guard_new(|| {
        // SAFETY: the header's contract.
        let key = unsafe { borrow(key) }?;
        Ok(rustcrypto_key { private: key.private.clone(), public: key.public.clone() })
    })
}

/// `enum rustcrypto_key_kind`; INVALID_ARGUMENT for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_type(key: *const rustcrypto_key) -> i32 {
    let on_error = crate::boundary::rustcrypto_result::RUSTCRYPTO_INVALID_ARGUMENT as i32;
    // SAFETY: the header's contract.
    guard_or(on_error, || unsafe { borrow(key) }.map_or(on_error, |key| id_of(key.public.kind()) as i32))
}

/// Size as it is usually told: RSA modulus, curve, 255 for the 25519 family, public key for ML-DSA; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_bits(key: *const rustcrypto_key) -> u32 {
    guard_or(0, || {
        // SAFETY: the header's contract.
        unsafe { borrow(key) }.map_or(0, |key| match key.public.kind() {
            KeyType::Rsa(bits) => bits,
            KeyType::Ec(curve) => curve.bits() as u32,
            KeyType::Ed25519 | KeyType::X25519 => 255,
            KeyType::MlDsa(set) => set.public_len() as u32 * 8,
        })
    })
}

/// 1 if the private half is there, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_is_private(key: *const rustcrypto_key) -> i32 {
    // SAFETY: the header's contract.
    guard_or(0, || unsafe { borrow(key) }.map_or(0, |key| i32::from(key.private.is_some())))
}

/// Write the private key: EC as SEC 1, RSA as PKCS#1, others as PKCS#8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_private(
    key: *const rustcrypto_key,
    format: i32,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let key = unsafe { borrow(key) }?.private()?;
        let written = if is_pem(format)? { key.to_pem() } else { key.to_der() }?;
        // SAFETY: the header's contract.
        unsafe { write_out(&written, out, cap, out_len) }
    })
}

/// Write the private key as PKCS#8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_private_pkcs8(
    key: *const rustcrypto_key,
    format: i32,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let key = unsafe { borrow(key) }?.private()?;
        let written = if is_pem(format)? { key.to_pkcs8_pem() } else { key.to_pkcs8() }?;
        // SAFETY: the header's contract.
        unsafe { write_out(&written, out, cap, out_len) }
    })
}

/// Write the public key as SubjectPublicKeyInfo.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_public(
    key: *const rustcrypto_key,
    format: i32,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let key = &unsafe { borrow(key) }?.public;
        let written = if is_pem(format)? { key.to_pem() } else { key.to_der() };
        // SAFETY: the header's contract.
        unsafe { write_out(&written, out, cap, out_len) }
    })
}

/// The public key without its algorithm: PKCS#1 RSAPublicKey for RSA, 04 || x || y for EC, else the raw key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_public_raw(
    key: *const rustcrypto_key,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { write_out(borrow(key)?.public.raw(), out, cap, out_len) })
}

/// The scalar of a private EC key, of the curve's length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_scalar(
    key: *const rustcrypto_key,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { write_out(borrow(key)?.private()?.scalar()?, out, cap, out_len) })
}

/// Hash a message and sign it. `digest` is 0 for Ed25519 and ML-DSA. UNSUPPORTED for RSA on a CPU, or in a build, without
/// constant-time RSA.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_sign(
    key: *const rustcrypto_key,
    digest: i32,
    padding: i32,
    msg: *const u8,
    len: usize,
    sig: *mut u8,
    cap: usize,
    sig_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the message is no longer used when the signature is written.
        let (key, message) = unsafe { (borrow(key)?, bytes(msg, len)?) };
        let signature = key.private()?.sign(hash_of(digest, &key.public)?, form_of(padding)?, message)?;
        // SAFETY: the header's contract.
        unsafe { write_out(&signature, sig, cap, sig_len) }
    })
}

/// As `rustcrypto_key_sign`, for what no network can time (package indexes, firmware files): RSA then works everywhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_sign_offline(
    key: *const rustcrypto_key,
    digest: i32,
    padding: i32,
    msg: *const u8,
    len: usize,
    sig: *mut u8,
    cap: usize,
    sig_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the message is no longer used when the signature is written.
        let (key, message) = unsafe { (borrow(key)?, bytes(msg, len)?) };
        let signature = key.private()?.sign_offline(hash_of(digest, &key.public)?, form_of(padding)?, message)?;
        // SAFETY: the header's contract.
        unsafe { write_out(&signature, sig, cap, sig_len) }
    })
}

/// Sign a digest with an EC key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_sign_digest(
    key: *const rustcrypto_key,
    digest: i32,
    padding: i32,
    hash: *const u8,
    len: usize,
    sig: *mut u8,
    cap: usize,
    sig_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the hash is no longer used when the signature is written.
        let (key, hash) = unsafe { (borrow(key)?, bytes(hash, len)?) };
        let signature = key.private()?.sign_digest(hash_of(digest, &key.public)?, form_of(padding)?, hash)?;
        // SAFETY: the header's contract.
        unsafe { write_out(&signature, sig, cap, sig_len) }
    })
}

/// Hash a message and check its signature: OK or AUTHENTICATION. SHA-1 is checked if it is asked for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_verify(
    key: *const rustcrypto_key,
    digest: i32,
    padding: i32,
    msg: *const u8,
    len: usize,
    sig: *const u8,
    sig_len: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let (key, message, signature) = unsafe { (&borrow(key)?.public, bytes(msg, len)?, bytes(sig, sig_len)?) };
        key.verify(hash_of(digest, key)?, form_of(padding)?, message, signature)
    })
}

/// Check a signature of a digest (RSA and EC keys): OK or AUTHENTICATION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_verify_digest(
    key: *const rustcrypto_key,
    digest: i32,
    padding: i32,
    hash: *const u8,
    len: usize,
    sig: *const u8,
    sig_len: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let (key, hash, signature) = unsafe { (&borrow(key)?.public, bytes(hash, len)?, bytes(sig, sig_len)?) };
        key.verify_digest(hash_of(digest, key)?, form_of(padding)?, hash, signature)
    })
}

/// Shared secret of an own X25519 or EC key and a peer's public value: 32 bytes for X25519; x || y, 04 || x || y, compressed, or
/// x alone for EC. The secret is the shared x.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_agree(
    own: *const rustcrypto_key,
    peer: *const u8,
    peer_len: usize,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the peer's value is no longer used when the secret is written.
        let secret = unsafe { borrow(own)?.private()?.agree(bytes(peer, peer_len)?)? };
        // SAFETY: the header's contract.
        unsafe { write_out(&secret, out, cap, out_len) }
    })
}

/// 1 if both have the same public half, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_key_equal_public(a: *const rustcrypto_key, b: *const rustcrypto_key) -> i32 {
    guard_or(0, || {
        // SAFETY: the header's contract.
        let both = unsafe { (borrow(a), borrow(b)) };
        matches!(both, (Ok(a), Ok(b)) if a.public == b.public).into()
    })
}
