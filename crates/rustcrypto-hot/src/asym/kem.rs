//! One module per ML-KEM parameter set.

/// Defines a module with a decapsulation key and encapsulation for one parameter set of FIPS 203.
macro_rules! ml_kem {
    ($name:ident, $params:ident, $doc:literal) => {
        #[doc = $doc]
        pub mod $name {
            use ml_kem::kem::{Decapsulate, Kem, KeyExport};
            use zeroize::Zeroizing;

            type Public = <ml_kem::$params as Kem>::EncapsulationKey;

            /// A decapsulation key; wiped when dropped.
            pub struct SecretKey(<ml_kem::$params as Kem>::DecapsulationKey);

            impl SecretKey {
                /// From the seed d || z (FIPS 203 section 7.1).
                pub fn from_seed(seed: &[u8; 64]) -> Self {
                    Self(ml_kem::DecapsulationKey::from_seed((*seed).into()))
                }

                /// The encapsulation key, encoded.
                pub fn public(&self) -> Vec<u8> {
                    self.0.encapsulation_key().to_bytes().to_vec()
                }

                /// The shared secret; `None` if the ciphertext has the wrong length. A wrong ciphertext of the right
                /// length gives a secret that nobody else has (implicit rejection).
                pub fn decapsulate(&self, ciphertext: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
                    let ciphertext: &ml_kem::Ciphertext<ml_kem::$params> = ciphertext.try_into().ok()?;
                    Some(Zeroizing::new(self.0.decapsulate(ciphertext).into()))
                }
            }

            /// Ciphertext and shared secret for the random `m` (FIPS 203 section 6.2); `None` if the key is not one (wrong
            /// length, or the modulus check of section 7.2 fails).
            pub fn encapsulate(public: &[u8], m: &[u8; 32]) -> Option<(Vec<u8>, Zeroizing<[u8; 32]>)> {
                let key = Public::new(public.try_into().ok()?).ok()?;
                let (ciphertext, shared) = key.encapsulate_deterministic(&(*m).into());
                Some((ciphertext.to_vec(), Zeroizing::new(shared.into())))
            }
        }
    };
}
