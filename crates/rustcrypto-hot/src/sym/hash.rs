//! Hash functions behind one enum, without an allocation per context.

use digest::{Digest, FixedOutputReset, Update};

macro_rules! hashes {
    ($($(#[$cfg:meta])? $variant:ident($inner:ty), $new:ident;)*) => {
        /// A running hash. Its state is wiped when dropped.
        #[derive(Clone)]
        pub enum Hash { $($(#[$cfg])? $variant($inner),)* }

        impl Hash {
            $($(#[$cfg])? pub fn $new() -> Self { Self::$variant(<$inner>::new()) })*

            pub fn update(&mut self, data: &[u8]) {
                match self { $($(#[$cfg])? Self::$variant(h) => Update::update(h, data),)* }
            }

            /// Write the digest to the front of `out` and start over. `out` must hold it.
            pub fn finish(&mut self, out: &mut [u8]) {
                match self { $($(#[$cfg])? Self::$variant(h) => finish(h, out),)* }
            }

            pub fn reset(&mut self) {
                match self { $($(#[$cfg])? Self::$variant(h) => digest::Reset::reset(h),)* }
            }
        }
    };
}

fn finish<D: FixedOutputReset>(hash: &mut D, out: &mut [u8]) {
    let digest = hash.finalize_fixed_reset();
    out[..digest.len()].copy_from_slice(&digest);
}

hashes! {
    Sha1(sha1::Sha1), sha1;
    Sha224(sha2::Sha224), sha224;
    Sha256(sha2::Sha256), sha256;
    Sha384(sha2::Sha384), sha384;
    Sha512(sha2::Sha512), sha512;
    #[cfg(feature = "sha3")] Sha3_224(sha3::Sha3_224), sha3_224;
    #[cfg(feature = "sha3")] Sha3_256(sha3::Sha3_256), sha3_256;
    #[cfg(feature = "sha3")] Sha3_384(sha3::Sha3_384), sha3_384;
    #[cfg(feature = "sha3")] Sha3_512(sha3::Sha3_512), sha3_512;
    #[cfg(feature = "legacy")] Md4(md4::Md4), md4;
    #[cfg(feature = "legacy")] Md5(md5::Md5), md5;
}

/// SHAKE128 (FIPS 202 section 6.2) of `data`, as many bytes as `out` holds.
#[cfg(feature = "sha3")]
pub fn shake128(data: &[u8], out: &mut [u8]) {
    xof::<shake::Shake128>(data, out);
}

/// SHAKE256 (FIPS 202 section 6.2) of `data`, as many bytes as `out` holds.
#[cfg(feature = "sha3")]
pub fn shake256(data: &[u8], out: &mut [u8]) {
    xof::<shake::Shake256>(data, out);
}

#[cfg(feature = "sha3")]
fn xof<X: digest::ExtendableOutput + Default + Update>(data: &[u8], out: &mut [u8]) {
    let mut hash = X::default();
    hash.update(data);
    hash.finalize_xof_into(out);
}
