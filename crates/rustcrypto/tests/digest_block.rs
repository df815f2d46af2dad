//! Standards' own vectors for hashes (FIPS 180-4, FIPS 202, RFC 1320, RFC 1321), AES (FIPS 197, SP 800-38A), DES and RC4.

mod common;

use common::hex;
use rustcrypto::Error;
use rustcrypto::primitives::cipher::Aes;
use rustcrypto::primitives::digest::{self, Context, Digest};
use rustcrypto::primitives::legacy;

#[test]
fn again_plain_cpu() {
    common::again_plain_cpu();
}

const TWO_BLOCKS: &[u8] = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

#[rustfmt::skip]
const HASHES: &[(Digest, &[u8], &str)] = &[
    (Digest::Md4, b"abc", "a448017aaf21d8525fc10ae87aa6729d"),
    (Digest::Md5, b"abc", "900150983cd24fb0d6963f7d28e17f72"),
    (Digest::Md5, b"", "d41d8cd98f00b204e9800998ecf8427e"),
    (Digest::Sha1, b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (Digest::Sha1, TWO_BLOCKS, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (Digest::Sha224, b"abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
    (Digest::Sha224, TWO_BLOCKS, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
    (Digest::Sha256, b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (Digest::Sha256, b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (Digest::Sha256, TWO_BLOCKS, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    (Digest::Sha384, b"abc", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
    (Digest::Sha512, b"abc", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
    (Digest::Sha512, TWO_BLOCKS, "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"),
    (Digest::Sha3_224, b"abc", "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
    (Digest::Sha3_256, b"abc", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    (Digest::Sha3_384, b"abc", "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"),
    (Digest::Sha3_512, b"abc", "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"),
];

#[test]
fn hash_vectors() {
    for (digest, message, expected) in HASHES {
        assert_eq!(digest.hash(&[message]).unwrap()[..], hex(expected), "{digest:?}");
        // The same in pieces, twice, through a context and its copy.
        let mut context = Context::new(*digest).unwrap();
        for _ in 0..2 {
            let (front, back) = message.split_at(message.len() / 2);
            context.update(front);
            let mut copy = context.clone();
            context.update(back);
            copy.update(back);
            assert_eq!(context.finish()[..], hex(expected), "{digest:?}");
            assert_eq!(copy.finish()[..], hex(expected), "{digest:?}");
        }
    }
    let mut million = Context::new(Digest::Sha256).unwrap();
    for _ in 0..1000 {
        million.update(&[b'a'; 1000]);
    }
    assert_eq!(million.finish()[..], hex("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    million.update(b"to be forgotten");
    million.reset();
    assert_eq!(million.finish()[..], hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
}

#[test]
fn xof_vectors() {
    let mut out = [0; 32];
    digest::xof(Digest::Shake128, b"", &mut out).unwrap();
    assert_eq!(out[..], hex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"));
    digest::xof(Digest::Shake256, b"", &mut out).unwrap();
    assert_eq!(out[..], hex("46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"));
    assert!(matches!(Digest::Shake128.hash(&[]), Err(Error::InvalidArgument(_))));
    assert!(matches!(digest::xof(Digest::Sha256, b"", &mut out), Err(Error::InvalidArgument(_))));
}

#[test]
fn aes_blocks() {
    // FIPS 197 appendix C.
    let plain: [u8; 16] = hex("00112233445566778899aabbccddeeff").try_into().unwrap();
    let key: Vec<u8> = (0..32).collect();
    for (len, expected) in [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ] {
        let (aes, mut block) = (Aes::new(&key[..len]).unwrap(), plain);
        aes.encrypt_block(&mut block);
        assert_eq!(block[..], hex(expected));
        aes.decrypt_block(&mut block);
        assert_eq!(block, plain);
    }
    assert!(Aes::new(&key[..20]).is_err());
}

#[test]
fn ctr() {
    // SP 800-38A F.5.1 and F.5.5, whose counter block ends in fcfdfeff and so carries.
    let plain = hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    );
    let iv: [u8; 16] = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff").try_into().unwrap();
    for (key, cipher) in [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ),
    ] {
        let (aes, mut data) = (Aes::new(&hex(key)).unwrap(), plain.clone());
        aes.ctr(&iv, &mut data);
        assert_eq!(data, hex(cipher));
        let mut part = hex(cipher)[..21].to_vec();
        aes.ctr(&iv, &mut part);
        assert_eq!(part, plain[..21], "a length that is not whole blocks");
    }
    // All ones: the counter wraps over all 128 bits.
    let (aes, mut two, mut second) = (Aes::new(&[1; 16]).unwrap(), [0; 32], [0; 16]);
    aes.ctr(&[0xff; 16], &mut two);
    aes.encrypt_block(&mut second);
    assert_eq!(two[16..], second);
}

#[test]
fn des_and_rc4() {
    // FIPS 81 table B1, first block.
    let mut block: [u8; 8] = *b"Now is t";
    legacy::des_encrypt_block(&hex("0123456789abcdef").try_into().unwrap(), &mut block).unwrap();
    assert_eq!(block[..], hex("3fa40e8a984d4815"));
    // RFC 6229: 40-bit key 0102030405, offsets 0 and 240.
    let mut stream = [0; 16];
    legacy::rc4(&[1, 2, 3, 4, 5], 0, &mut stream).unwrap();
    assert_eq!(stream[..], hex("b2396305f03dc027ccc3524a0a1118a8"));
    let mut stream = [0; 16];
    legacy::rc4(&[1, 2, 3, 4, 5], 240, &mut stream).unwrap();
    assert_eq!(stream[..], hex("28cb1132c96ce286421dcaadb8b69eae"));
    assert!(legacy::rc4(&[], 0, &mut stream).is_err());
    assert!(legacy::rc4(&[0; 257], 0, &mut stream).is_err());
}
