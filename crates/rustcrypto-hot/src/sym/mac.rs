//! HMAC (RFC 2104) behind one enum, without an allocation per context.

use digest::{FixedOutputReset, Update};
use hmac::{HmacReset, KeyInit};

macro_rules! macs {
    ($($(#[$cfg:meta])? $variant:ident($inner:ty), $new:ident;)*) => {
        /// A running HMAC. Its key is wiped when dropped.
        #[derive(Clone)]
        pub enum Hmac { $($(#[$cfg])? $variant(HmacReset<$inner>),)* }

        impl Hmac {
            $($(#[$cfg])? pub fn $new(key: &[u8]) -> Self { Self::$variant(keyed(key)) })*

            pub fn update(&mut self, data: &[u8]) {
                match self { $($(#[$cfg])? Self::$variant(m) => Update::update(m, data),)* }
            }

            /// Write the MAC to the front of `out` and start over with the same key. `out` must hold it.
            pub fn finish(&mut self, out: &mut [u8]) {
                match self { $($(#[$cfg])? Self::$variant(m) => finish(m, out),)* }
            }
        }
    };
}

fn keyed<M: KeyInit>(key: &[u8]) -> M {
    M::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes keys of any length"))
}

fn finish<M: FixedOutputReset>(mac: &mut M, out: &mut [u8]) {
    let value = mac.finalize_fixed_reset();
    out[..value.len()].copy_from_slice(&value);
}

macs! {
    Sha1(sha1::Sha1), sha1;
    Sha224(sha2::Sha224), sha224;
    Sha256(sha2::Sha256), sha256;
    Sha384(sha2::Sha384), sha384;
    Sha512(sha2::Sha512), sha512;
    #[cfg(feature = "legacy")] Md5(md5::Md5), md5;
}
