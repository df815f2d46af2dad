/* SPDX-License-Identifier: Apache-2.0 OR MIT
 *
 * librustcrypto: one crypto and TLS library for a whole image. Written by cbindgen from crates/rustcrypto-capi: change it there.
 *
 * Results    int32_t functions return RUSTCRYPTO_OK or a negative rustcrypto_result; rustcrypto_last_error() has the sentence.
 *            A function that makes a handle returns NULL on failure. A bug of the library's is RUSTCRYPTO_INTERNAL, never a crash.
 * Ids        Algorithms and formats are int32_t. Every symbol and id exists in every build: what is left out of a build
 *            answers RUSTCRYPTO_UNSUPPORTED, an unknown id RUSTCRYPTO_INVALID_ARGUMENT.
 * Handles    Opaque. Each _free takes NULL, wipes what is secret, and ends the handle. A `const` handle may be used by several
 *            threads at once, a handle that is not `const` by one at a time. Different handles never need a lock.
 * Input      (pointer, length). NULL with length 0 is empty input, NULL with another length RUSTCRYPTO_INVALID_ARGUMENT.
 *            Scattered input is (n, addr[], len[]): the n pieces one after the other.
 * Output     (out, cap, out_len): *out_len is what was written or, with RUSTCRYPTO_BUFFER_TOO_SHORT, what is needed; out_len may
 *            be NULL. (out, out_len): a result of known length; a longer buffer is fine, a shorter RUSTCRYPTO_BUFFER_TOO_SHORT;
 *            where one chooses the length (random, KDF, XOF), out_len bytes are written.
 * Overlap    Inputs may overlap an output only where the function says so or its result is short (digest, MAC, block).
 *            Elsewhere an overlap is RUSTCRYPTO_INVALID_ARGUMENT.
 * Secrets    Comparisons of tags and MACs take constant time, and so do private-key operations; see the README for what was measured.
 */


#ifndef RUSTCRYPTO_H
#define RUSTCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An unsigned integer of any size.
typedef struct rustcrypto_bignum rustcrypto_bignum;

// What every function that can fail returns.
enum rustcrypto_result
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    RUSTCRYPTO_OK = 0,
    RUSTCRYPTO_WANT_READ = -1,
    RUSTCRYPTO_WANT_WRITE = -2,
    // The peer closed the TLS session properly (`close_notify`).
    RUSTCRYPTO_CLOSED = -3,
    RUSTCRYPTO_INVALID_ARGUMENT = -10,
    RUSTCRYPTO_BUFFER_TOO_SHORT = -11,
    RUSTCRYPTO_UNSUPPORTED = -12,
    RUSTCRYPTO_NO_MEMORY = -13,
    // A tag, MAC or signature does not match.
    RUSTCRYPTO_AUTHENTICATION = -14,
    RUSTCRYPTO_BAD_KEY = -15,
    RUSTCRYPTO_BAD_CERTIFICATE = -16,
    RUSTCRYPTO_IO = -17,
    RUSTCRYPTO_TLS = -18,
    RUSTCRYPTO_BAD_STATE = -19,
    RUSTCRYPTO_ENTROPY = -20,
    // End of stream without `close_notify`.
    RUSTCRYPTO_TRUNCATED = -21,
    // A bug of ours, caught at the boundary.
    RUSTCRYPTO_INTERNAL = -99,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_result rustcrypto_result;
#else
typedef int32_t rustcrypto_result;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Hash functions.
enum rustcrypto_digest_alg
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    RUSTCRYPTO_MD4 = 1,
    RUSTCRYPTO_MD5 = 2,
    RUSTCRYPTO_SHA1 = 3,
    RUSTCRYPTO_SHA224 = 4,
    RUSTCRYPTO_SHA256 = 5,
    RUSTCRYPTO_SHA384 = 6,
    RUSTCRYPTO_SHA512 = 7,
    RUSTCRYPTO_SHA3_256 = 8,
    RUSTCRYPTO_SHA3_384 = 9,
    RUSTCRYPTO_SHA3_512 = 10,
    // Only for `rustcrypto_xof`.
    RUSTCRYPTO_SHAKE128 = 11,
    // Only for `rustcrypto_xof`.
    RUSTCRYPTO_SHAKE256 = 12,
    RUSTCRYPTO_SHA3_224 = 13,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_digest_alg rustcrypto_digest_alg;
#else
typedef int32_t rustcrypto_digest_alg;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// AEADs. The nonce is 12 bytes long (CCM: 12 or 13); the tag 16, 8 for `CCM_8`.
enum rustcrypto_aead_alg
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    RUSTCRYPTO_AES_128_GCM = 1,
    RUSTCRYPTO_AES_256_GCM = 2,
    RUSTCRYPTO_CHACHA20_POLY1305 = 3,
    RUSTCRYPTO_AES_128_CCM = 4,
    RUSTCRYPTO_AES_256_CCM = 5,
    RUSTCRYPTO_AES_128_CCM_8 = 6,
    RUSTCRYPTO_AES_256_CCM_8 = 7,
    RUSTCRYPTO_AES_192_GCM = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_aead_alg rustcrypto_aead_alg;
#else
typedef int32_t rustcrypto_aead_alg;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Kinds of keys.
enum rustcrypto_key_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    RUSTCRYPTO_KEY_RSA = 1,
    RUSTCRYPTO_KEY_P256 = 2,
    RUSTCRYPTO_KEY_P384 = 3,
    RUSTCRYPTO_KEY_P521 = 4,
    RUSTCRYPTO_KEY_ED25519 = 5,
    RUSTCRYPTO_KEY_X25519 = 6,
    RUSTCRYPTO_KEY_MLDSA44 = 7,
    RUSTCRYPTO_KEY_MLDSA65 = 8,
    RUSTCRYPTO_KEY_MLDSA87 = 9,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_key_kind rustcrypto_key_kind;
#else
typedef int32_t rustcrypto_key_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Forms of files.
enum rustcrypto_format
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    RUSTCRYPTO_PEM = 1,
    RUSTCRYPTO_DER = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_format rustcrypto_format;
#else
typedef int32_t rustcrypto_format;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Forms of signatures.
enum rustcrypto_padding
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // RSA: PKCS#1 v1.5. ECDSA: DER.
    RUSTCRYPTO_DEFAULT = 0,
    // RSA: PSS with a salt as long as the digest.
    RUSTCRYPTO_PSS = 1,
    // ECDSA: r || s, each of the curve's length.
    RUSTCRYPTO_RAW_RS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_padding rustcrypto_padding;
#else
typedef int32_t rustcrypto_padding;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Parameter sets.
enum rustcrypto_kem
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    RUSTCRYPTO_MLKEM512 = 1,
    RUSTCRYPTO_MLKEM768 = 2,
    RUSTCRYPTO_MLKEM1024 = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_kem rustcrypto_kem;
#else
typedef int32_t rustcrypto_kem;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Which side of a session.
enum rustcrypto_role
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    RUSTCRYPTO_CLIENT = 1,
    RUSTCRYPTO_SERVER = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_role rustcrypto_role;
#else
typedef int32_t rustcrypto_role;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What becomes of the peer's certificate.
enum rustcrypto_verify
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // Not looked at; a server does not ask for one.
    RUSTCRYPTO_VERIFY_NONE = 0,
    // Checked; a failure is told by rustcrypto_tls_verify_result and does not end the handshake.
    RUSTCRYPTO_VERIFY_OPTIONAL = 1,
    // Checked; a failure ends the handshake.
    RUSTCRYPTO_VERIFY_REQUIRED = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rustcrypto_verify rustcrypto_verify;
#else
typedef int32_t rustcrypto_verify;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A key of one AEAD. Any number of threads may seal and open with it at once.
typedef struct rustcrypto_aead_ctx rustcrypto_aead_ctx;

// An expanded AES key.
typedef struct rustcrypto_aes rustcrypto_aes;

// A running hash.
typedef struct rustcrypto_digest_ctx rustcrypto_digest_ctx;

// A curve and its parameters.
typedef struct rustcrypto_ec rustcrypto_ec;

// A point of a curve, or the one at infinity.
typedef struct rustcrypto_ec_point rustcrypto_ec_point;

// A running HMAC.
typedef struct rustcrypto_hmac_ctx rustcrypto_hmac_ctx;

// A decapsulation key.
typedef struct rustcrypto_kem_key rustcrypto_kem_key;

// A private key, or a public one.
typedef struct rustcrypto_key rustcrypto_key;

// One TLS session, used by one thread at a time.
typedef struct rustcrypto_tls rustcrypto_tls;

// The parameters of TLS sessions. Many sessions, on any threads, may share one that is not being changed.
typedef struct rustcrypto_tls_config rustcrypto_tls_config;

// Reads at most `len` bytes: returns how many, 0 at the end, `RUSTCRYPTO_WANT_READ`, or `RUSTCRYPTO_IO`.
typedef ptrdiff_t (*rustcrypto_io_read)(void *io, uint8_t *buf, size_t len);

// Writes at most `len` bytes: returns how many, `RUSTCRYPTO_WANT_WRITE`, or `RUSTCRYPTO_IO`.
typedef ptrdiff_t (*rustcrypto_io_write)(void *io, const uint8_t *buf, size_t len);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The library's version, for example "0.1.0". Static text.
const char *rustcrypto_version(void);

// The ABI's version: the number in the SONAME. It grows only when a symbol or its meaning is taken away.
uint32_t rustcrypto_abi_version(void);

// This thread's last failure as a sentence, "" if there was none. Valid until this thread's next call.
const char *rustcrypto_last_error(void);

// What a result code means. Static text, also for codes that do not exist.
const char *rustcrypto_strerror(int32_t result);

// One line per algorithm: its name, the implementation that serves it on this CPU, and why. Not NUL-terminated.
int32_t rustcrypto_cpu_report(uint8_t *out, size_t cap, size_t *out_len);

// Random bytes from the operating system. On failure nothing in `out` may be used.
int32_t rustcrypto_random(uint8_t *out, size_t len);

// Overwrite memory with zeros in a way that the compiler keeps.
void rustcrypto_wipe(void *p, size_t len);

// 1 if `len` bytes are equal, else 0; the time taken depends on `len` alone. NULL equals nothing but length 0.
int rustcrypto_equal(const void *a, const void *b, size_t len);

// Bytes of a digest; 0 if the function is unknown, not in this build, or has no fixed length.
size_t rustcrypto_digest_len(int32_t alg);

// The digest of `n` pieces, one after the other.
int32_t rustcrypto_digest(int32_t alg,
                          size_t n,
                          const uint8_t *const *addr,
                          const size_t *len,
                          uint8_t *out,
                          size_t out_len);

// Start a hash.
struct rustcrypto_digest_ctx *rustcrypto_digest_new(int32_t alg);

// Add data.
int32_t rustcrypto_digest_update(struct rustcrypto_digest_ctx *ctx, const uint8_t *data, size_t len);

// Write the digest and start over. Too short a buffer leaves the hash running.
int32_t rustcrypto_digest_finish(struct rustcrypto_digest_ctx *ctx, uint8_t *out, size_t out_len);

// Forget the data so far and start over.
int32_t rustcrypto_digest_reset(struct rustcrypto_digest_ctx *ctx);

// A second hash with the same data so far.
struct rustcrypto_digest_ctx *rustcrypto_digest_clone(const struct rustcrypto_digest_ctx *ctx);

// Wipe and free; NULL is fine.
void rustcrypto_digest_free(struct rustcrypto_digest_ctx *ctx);

// SHAKE128 or SHAKE256: `out_len` bytes of output.
int32_t rustcrypto_xof(int32_t alg, const uint8_t *data, size_t len, uint8_t *out, size_t out_len);

// HMAC (RFC 2104) of `n` pieces, one after the other.
int32_t rustcrypto_hmac(int32_t alg,
                        const uint8_t *key,
                        size_t key_len,
                        size_t n,
                        const uint8_t *const *addr,
                        const size_t *len,
                        uint8_t *out,
                        size_t out_len);

// Start an HMAC with a key of any length.
struct rustcrypto_hmac_ctx *rustcrypto_hmac_new(int32_t alg, const uint8_t *key, size_t key_len);

// Add data.
int32_t rustcrypto_hmac_update(struct rustcrypto_hmac_ctx *ctx, const uint8_t *data, size_t len);

// Write the MAC and start over with the same key. Too short a buffer leaves the HMAC running.
int32_t rustcrypto_hmac_finish(struct rustcrypto_hmac_ctx *ctx, uint8_t *out, size_t out_len);

// Wipe and free; NULL is fine.
void rustcrypto_hmac_free(struct rustcrypto_hmac_ctx *ctx);

// HKDF (RFC 5869): `out_len` bytes, at most 255 digests.
int32_t rustcrypto_hkdf(int32_t alg,
                        const uint8_t *salt,
                        size_t salt_len,
                        const uint8_t *ikm,
                        size_t ikm_len,
                        const uint8_t *info,
                        size_t info_len,
                        uint8_t *out,
                        size_t out_len);

// HKDF-Extract: the key is as long as the digest.
int32_t rustcrypto_hkdf_extract(int32_t alg,
                                const uint8_t *salt,
                                size_t salt_len,
                                const uint8_t *ikm,
                                size_t ikm_len,
                                uint8_t *prk,
                                size_t prk_len);

// HKDF-Expand: `out_len` bytes, at most 255 digests.
int32_t rustcrypto_hkdf_expand(int32_t alg,
                               const uint8_t *prk,
                               size_t prk_len,
                               const uint8_t *info,
                               size_t info_len,
                               uint8_t *out,
                               size_t out_len);

// PBKDF2 (RFC 8018) with HMAC: `out_len` bytes.
int32_t rustcrypto_pbkdf2(int32_t alg,
                          const uint8_t *password,
                          size_t password_len,
                          const uint8_t *salt,
                          size_t salt_len,
                          uint32_t iterations,
                          uint8_t *out,
                          size_t out_len);

// SP 800-108 counter mode with HMAC: `K(i) = HMAC(key, [i] || label || 00 || context || [bits])`, 32-bit fields.
int32_t rustcrypto_kbkdf_ctr(int32_t alg,
                             const uint8_t *key,
                             size_t key_len,
                             const uint8_t *label,
                             size_t label_len,
                             const uint8_t *context,
                             size_t context_len,
                             uint8_t *out,
                             size_t out_len);

// Expand a key of 16, 24 or 32 bytes.
struct rustcrypto_aes *rustcrypto_aes_new(const uint8_t *key, size_t key_len);

// Encrypt one block of 16 bytes; `in` and `out` may be the same.
int32_t rustcrypto_aes_encrypt_block(const struct rustcrypto_aes *aes, const uint8_t *in, uint8_t *out);

// Decrypt one block of 16 bytes; `in` and `out` may be the same.
int32_t rustcrypto_aes_decrypt_block(const struct rustcrypto_aes *aes, const uint8_t *in, uint8_t *out);

// Wipe and free; NULL is fine.
void rustcrypto_aes_free(struct rustcrypto_aes *aes);

// CBC in place: whole 16-byte blocks, no padding. `iv` is 16 bytes long and not changed.
int32_t rustcrypto_aes_cbc_encrypt(const uint8_t *key, size_t key_len, const uint8_t *iv, uint8_t *data, size_t len);

// CBC in place: whole 16-byte blocks, no padding. `iv` is 16 bytes long and not changed.
int32_t rustcrypto_aes_cbc_decrypt(const uint8_t *key, size_t key_len, const uint8_t *iv, uint8_t *data, size_t len);

// CTR in place, encryption and decryption alike: a 128-bit big-endian counter that starts at `iv` (16 bytes, not changed).
int32_t rustcrypto_aes_ctr(const uint8_t *key,
                           size_t key_len,
                           const uint8_t *iv,
                           uint8_t *data,
                           size_t len);

// Key wrap (RFC 3394): whole 8-byte blocks, two at least; `out` is 8 bytes longer than `plain` and may overlap it.
int32_t rustcrypto_aes_wrap(const uint8_t *kek,
                            size_t kek_len,
                            const uint8_t *plain,
                            size_t plain_len,
                            uint8_t *out,
                            size_t out_len);

// Key unwrap (RFC 3394): `out` is 8 bytes shorter than `in` and may overlap it; on failure it is zero.
int32_t rustcrypto_aes_unwrap(const uint8_t *kek,
                              size_t kek_len,
                              const uint8_t *in,
                              size_t in_len,
                              uint8_t *out,
                              size_t out_len);

// CMAC (SP 800-38B) of `n` pieces, one after the other; `mac` is 16 bytes long.
int32_t rustcrypto_aes_cmac(const uint8_t *key,
                            size_t key_len,
                            size_t n,
                            const uint8_t *const *addr,
                            const size_t *len,
                            uint8_t *mac);

// AES-SIV (RFC 5297): the 16-byte tag, then the ciphertext; `out_len` is `in_len + 16`. `key` is 32, 48 or 64 bytes long;
// at most 126 pieces of associated data, a nonce being the last. `in` may overlap `out`, the other inputs may not.
int32_t rustcrypto_aes_siv_encrypt(const uint8_t *key,
                                   size_t key_len,
                                   size_t n,
                                   const uint8_t *const *ad,
                                   const size_t *ad_len,
                                   const uint8_t *in,
                                   size_t in_len,
                                   uint8_t *out,
                                   size_t out_len);

// The reverse of `rustcrypto_aes_siv_encrypt`; `out_len` is `in_len - 16`. On failure `out` is zero.
int32_t rustcrypto_aes_siv_decrypt(const uint8_t *key,
                                   size_t key_len,
                                   size_t n,
                                   const uint8_t *const *ad,
                                   const size_t *ad_len,
                                   const uint8_t *in,
                                   size_t in_len,
                                   uint8_t *out,
                                   size_t out_len);

// Expand a key.
struct rustcrypto_aead_ctx *rustcrypto_aead_new(int32_t alg, const uint8_t *key, size_t key_len);

// Encrypt: `out` receives ciphertext and tag. A nonce must never be used twice with one key. `in` may overlap `out`, `aad` may not.
int32_t rustcrypto_aead_seal(const struct rustcrypto_aead_ctx *ctx,
                             const uint8_t *nonce,
                             size_t nonce_len,
                             const uint8_t *aad,
                             size_t aad_len,
                             const uint8_t *in,
                             size_t in_len,
                             uint8_t *out,
                             size_t cap,
                             size_t *out_len);

// Decrypt: `in` is ciphertext and tag. On failure nothing of the plaintext is in `out`. `in` may overlap `out`, `aad` may not.
int32_t rustcrypto_aead_open(const struct rustcrypto_aead_ctx *ctx,
                             const uint8_t *nonce,
                             size_t nonce_len,
                             const uint8_t *aad,
                             size_t aad_len,
                             const uint8_t *in,
                             size_t in_len,
                             uint8_t *out,
                             size_t cap,
                             size_t *out_len);

// Wipe and free; NULL is fine.
void rustcrypto_aead_free(struct rustcrypto_aead_ctx *ctx);

// DES on one block of 8 bytes, with a key of 8 bytes whose parity bits are ignored.
int32_t rustcrypto_des_encrypt_block(const uint8_t *key, const uint8_t *in, uint8_t *out);

// RC4 in place after dropping `skip` bytes of the key stream; a key of 1 to 256 bytes.
int32_t rustcrypto_rc4(const uint8_t *key, size_t key_len, size_t skip, uint8_t *data, size_t len);

// 0.
rustcrypto_bignum *rustcrypto_bignum_new(void);

// From big-endian bytes, at most 2048; no bytes are 0.
rustcrypto_bignum *rustcrypto_bignum_from_bytes(const uint8_t *be, size_t len);

// From a small number.
rustcrypto_bignum *rustcrypto_bignum_from_uint(uint32_t v);

// Wipe and free; NULL is fine.
void rustcrypto_bignum_free(rustcrypto_bignum *a);

// Big-endian bytes, left-padded with zeros to `pad_to` (0 = shortest; a longer number takes the bytes it needs).
int32_t rustcrypto_bignum_to_bytes(const rustcrypto_bignum *a,
                                   uint8_t *out,
                                   size_t cap,
                                   size_t pad_to,
                                   size_t *out_len);

// `r` = a number uniform in 0 <= r < m.
int32_t rustcrypto_bignum_rand(rustcrypto_bignum *r, const rustcrypto_bignum *m);

// c = a + b.
int32_t rustcrypto_bignum_add(const rustcrypto_bignum *a, const rustcrypto_bignum *b, rustcrypto_bignum *c);

// c = a - b; INVALID_ARGUMENT if b is greater.
int32_t rustcrypto_bignum_sub(const rustcrypto_bignum *a, const rustcrypto_bignum *b, rustcrypto_bignum *c);

// c = a mod b.
int32_t rustcrypto_bignum_mod(const rustcrypto_bignum *a, const rustcrypto_bignum *b, rustcrypto_bignum *c);

// c = a / b, rounded down.
int32_t rustcrypto_bignum_div(const rustcrypto_bignum *a, const rustcrypto_bignum *b, rustcrypto_bignum *c);

// a * c = 1 mod m; INVALID_ARGUMENT if there is no such c.
int32_t rustcrypto_bignum_inverse(const rustcrypto_bignum *a, const rustcrypto_bignum *m, rustcrypto_bignum *c);

// c = a * a mod m.
int32_t rustcrypto_bignum_sqrmod(const rustcrypto_bignum *a, const rustcrypto_bignum *m, rustcrypto_bignum *c);

// d = a ^ b mod m, in constant time.
int32_t rustcrypto_bignum_exptmod(const rustcrypto_bignum *a,
                                  const rustcrypto_bignum *b,
                                  const rustcrypto_bignum *m,
                                  rustcrypto_bignum *d);

// d = a + b mod m.
int32_t rustcrypto_bignum_addmod(const rustcrypto_bignum *a,
                                 const rustcrypto_bignum *b,
                                 const rustcrypto_bignum *m,
                                 rustcrypto_bignum *d);

// d = a * b mod m.
int32_t rustcrypto_bignum_mulmod(const rustcrypto_bignum *a,
                                 const rustcrypto_bignum *b,
                                 const rustcrypto_bignum *m,
                                 rustcrypto_bignum *d);

// r = a >> n.
int32_t rustcrypto_bignum_rshift(const rustcrypto_bignum *a, int32_t n, rustcrypto_bignum *r);

// -1, 0 or 1 as a is less than, equal to or greater than b, in constant time; a NULL is less than any number.
int32_t rustcrypto_bignum_cmp(const rustcrypto_bignum *a, const rustcrypto_bignum *b);

// 1 if a is 0, else 0 (also for NULL).
int32_t rustcrypto_bignum_is_zero(const rustcrypto_bignum *a);

// 1 if a is 1, else 0 (also for NULL).
int32_t rustcrypto_bignum_is_one(const rustcrypto_bignum *a);

// 1 if a is odd, else 0 (also for NULL).
int32_t rustcrypto_bignum_is_odd(const rustcrypto_bignum *a);

// Legendre symbol (a / p) of an odd prime p: 1, 0 or -1, in constant time in a; -2 on error.
int32_t rustcrypto_bignum_legendre(const rustcrypto_bignum *a, const rustcrypto_bignum *p);

// Length in bits; 0 for 0 and for NULL.
size_t rustcrypto_bignum_bits(const rustcrypto_bignum *a);

// A curve by its IANA number: 19 P-256, 20 P-384, 21 P-521.
struct rustcrypto_ec *rustcrypto_ec_new(int32_t group);

// Free; NULL is fine. Numbers and the generator that the curve owns go with it.
void rustcrypto_ec_free(struct rustcrypto_ec *e);

// Bytes of a coordinate.
size_t rustcrypto_ec_prime_len(const struct rustcrypto_ec *e);

// Bits of the field's prime.
size_t rustcrypto_ec_prime_bits(const struct rustcrypto_ec *e);

// Bytes of a scalar.
size_t rustcrypto_ec_order_len(const struct rustcrypto_ec *e);

// The field's prime; owned by the curve, NULL for NULL.
const rustcrypto_bignum *rustcrypto_ec_prime(const struct rustcrypto_ec *e);

// The number of points; owned by the curve, NULL for NULL.
const rustcrypto_bignum *rustcrypto_ec_order(const struct rustcrypto_ec *e);

// a of y^2 = x^3 + ax + b; owned by the curve, NULL for NULL.
const rustcrypto_bignum *rustcrypto_ec_a(const struct rustcrypto_ec *e);

// b of y^2 = x^3 + ax + b; owned by the curve, NULL for NULL.
const rustcrypto_bignum *rustcrypto_ec_b(const struct rustcrypto_ec *e);

// The generator; owned by the curve, NULL for NULL.
const struct rustcrypto_ec_point *rustcrypto_ec_generator(const struct rustcrypto_ec *e);

// The point at infinity.
struct rustcrypto_ec_point *rustcrypto_ec_point_new(const struct rustcrypto_ec *e);

// Wipe and free; NULL is fine.
void rustcrypto_ec_point_free(struct rustcrypto_ec_point *p);

// The x coordinate; INVALID_ARGUMENT at infinity.
int32_t rustcrypto_ec_point_x(const struct rustcrypto_ec *e, const struct rustcrypto_ec_point *p, rustcrypto_bignum *x);

// Both coordinates, `rustcrypto_ec_prime_len` bytes each; either may be NULL. INVALID_ARGUMENT at infinity.
int32_t rustcrypto_ec_point_to_bytes(const struct rustcrypto_ec *e,
                                     const struct rustcrypto_ec_point *p,
                                     uint8_t *x,
                                     uint8_t *y);

// From x || y, `rustcrypto_ec_prime_len` bytes each; NULL if that is not a point of the curve.
struct rustcrypto_ec_point *rustcrypto_ec_point_from_bytes(const struct rustcrypto_ec *e, const uint8_t *xy);

// c = a + b.
int32_t rustcrypto_ec_point_add(const struct rustcrypto_ec *e,
                                const struct rustcrypto_ec_point *a,
                                const struct rustcrypto_ec_point *b,
                                struct rustcrypto_ec_point *c);

// res = k * p for any k, in constant time.
int32_t rustcrypto_ec_point_mul(const struct rustcrypto_ec *e,
                                const struct rustcrypto_ec_point *p,
                                const rustcrypto_bignum *k,
                                struct rustcrypto_ec_point *res);

// p = -p.
int32_t rustcrypto_ec_point_invert(const struct rustcrypto_ec *e, struct rustcrypto_ec_point *p);

// x^3 + ax + b mod the prime, for any x; NULL on error.
rustcrypto_bignum *rustcrypto_ec_y_squared(const struct rustcrypto_ec *e, const rustcrypto_bignum *x);

// 1 at infinity, else 0.
int32_t rustcrypto_ec_point_is_infinity(const struct rustcrypto_ec *e, const struct rustcrypto_ec_point *p);

// 1 for a point of this curve (no other can be made), 0 for one of another curve or NULL.
int32_t rustcrypto_ec_point_is_on_curve(const struct rustcrypto_ec *e, const struct rustcrypto_ec_point *p);

// 0 if both are the same point of this curve, else 1.
int32_t rustcrypto_ec_point_cmp(const struct rustcrypto_ec *e,
                                const struct rustcrypto_ec_point *a,
                                const struct rustcrypto_ec_point *b);

// A fresh key; `rsa_bits` (2048, 3072 or 4096) is for RSA alone. NULL on error.
struct rustcrypto_key *rustcrypto_key_generate(int32_t type_, uint32_t rsa_bits);

// A private key from PEM or DER: PKCS#1, SEC 1 or PKCS#8. NULL on error; `rustcrypto_last_error` says why.
struct rustcrypto_key *rustcrypto_key_load_private(const uint8_t *data, size_t len);

// A public key from PEM or DER (SubjectPublicKeyInfo). NULL on error.
struct rustcrypto_key *rustcrypto_key_load_public(const uint8_t *data, size_t len);

// `rustcrypto_key_load_private` from a file.
struct rustcrypto_key *rustcrypto_key_load_private_file(const char *path);

// `rustcrypto_key_load_public` from a file.
struct rustcrypto_key *rustcrypto_key_load_public_file(const char *path);

// A public EC key from a point of group 19, 20 or 21: x || y, 04 || x || y or compressed. NULL if it is not one.
struct rustcrypto_key *rustcrypto_key_from_ec_point(int32_t group, const uint8_t *xy, size_t len);

// A private EC key from its scalar, big endian. NULL if it is 0 or not below the order.
struct rustcrypto_key *rustcrypto_key_from_ec_scalar(int32_t group, const uint8_t *be, size_t len);

// Wipe and free; NULL is fine.
void rustcrypto_key_free(struct rustcrypto_key *key);

// The same key once more; NULL for NULL.
struct rustcrypto_key *rustcrypto_key_clone(const struct rustcrypto_key *key);

// `enum rustcrypto_key_kind`; INVALID_ARGUMENT for NULL.
int32_t rustcrypto_key_type(const struct rustcrypto_key *key);

// Size as it is usually told: RSA modulus, curve, 255 for the 25519 family, public key for ML-DSA; 0 for NULL.
uint32_t rustcrypto_key_bits(const struct rustcrypto_key *key);

// 1 if the private half is there, else 0.
int32_t rustcrypto_key_is_private(const struct rustcrypto_key *key);

// Write the private key: EC as SEC 1, RSA as PKCS#1, others as PKCS#8.
int32_t rustcrypto_key_private(const struct rustcrypto_key *key,
                               int32_t format,
                               uint8_t *out,
                               size_t cap,
                               size_t *out_len);

// Write the private key as PKCS#8.
int32_t rustcrypto_key_private_pkcs8(const struct rustcrypto_key *key,
                                     int32_t format,
                                     uint8_t *out,
                                     size_t cap,
                                     size_t *out_len);

// Write the public key as SubjectPublicKeyInfo.
int32_t rustcrypto_key_public(const struct rustcrypto_key *key,
                              int32_t format,
                              uint8_t *out,
                              size_t cap,
                              size_t *out_len);

// The public key without its algorithm: PKCS#1 RSAPublicKey for RSA, 04 || x || y for EC, else the raw key.
int32_t rustcrypto_key_public_raw(const struct rustcrypto_key *key, uint8_t *out, size_t cap, size_t *out_len);

// The scalar of a private EC key, of the curve's length.
int32_t rustcrypto_key_scalar(const struct rustcrypto_key *key, uint8_t *out, size_t cap, size_t *out_len);

// Hash a message and sign it. `digest` is 0 for Ed25519 and ML-DSA. UNSUPPORTED for RSA on a CPU, or in a build, without
// constant-time RSA.
int32_t rustcrypto_key_sign(const struct rustcrypto_key *key,
                            int32_t digest,
                            int32_t padding,
                            const uint8_t *msg,
                            size_t len,
                            uint8_t *sig,
                            size_t cap,
                            size_t *sig_len);

// As `rustcrypto_key_sign`, for what no network can time (package indexes, firmware files): RSA then works everywhere.
int32_t rustcrypto_key_sign_offline(const struct rustcrypto_key *key,
                                    int32_t digest,
                                    int32_t padding,
                                    const uint8_t *msg,
                                    size_t len,
                                    uint8_t *sig,
                                    size_t cap,
                                    size_t *sig_len);

// Sign a digest with an EC key.
int32_t rustcrypto_key_sign_digest(const struct rustcrypto_key *key,
                                   int32_t digest,
                                   int32_t padding,
                                   const uint8_t *hash,
                                   size_t len,
                                   uint8_t *sig,
                                   size_t cap,
                                   size_t *sig_len);

// Hash a message and check its signature: OK or AUTHENTICATION. SHA-1 is checked if it is asked for.
int32_t rustcrypto_key_verify(const struct rustcrypto_key *key,
                              int32_t digest,
                              int32_t padding,
                              const uint8_t *msg,
                              size_t len,
                              const uint8_t *sig,
                              size_t sig_len);

// Check a signature of a digest (RSA and EC keys): OK or AUTHENTICATION.
int32_t rustcrypto_key_verify_digest(const struct rustcrypto_key *key,
                                     int32_t digest,
                                     int32_t padding,
                                     const uint8_t *hash,
                                     size_t len,
                                     const uint8_t *sig,
                                     size_t sig_len);

// Shared secret of an own X25519 or EC key and a peer's public value: 32 bytes for X25519; x || y, 04 || x || y, compressed, or
// x alone for EC. The secret is the shared x.
int32_t rustcrypto_key_agree(const struct rustcrypto_key *own,
                             const uint8_t *peer,
                             size_t peer_len,
                             uint8_t *out,
                             size_t cap,
                             size_t *out_len);

// 1 if both have the same public half, else 0.
int32_t rustcrypto_key_equal_public(const struct rustcrypto_key *a, const struct rustcrypto_key *b);

// A private and a public value for an odd prime of at least 512 bits; `priv` and `pub` take `prime_len` bytes each.
int32_t rustcrypto_dh_generate(const uint8_t *prime,
                               size_t prime_len,
                               uint32_t generator,
                               uint8_t *priv_,
                               size_t priv_len,
                               uint8_t *pub_,
                               size_t pub_len);

// The shared secret, `prime_len` bytes. The peer's value y must satisfy 1 < y < p - 1, and y^order = 1 if `order` is given
// (NULL, 0 if not).
int32_t rustcrypto_dh_derive(const uint8_t *prime,
                             size_t prime_len,
                             const uint8_t *order,
                             size_t order_len,
                             const uint8_t *priv_,
                             size_t priv_len,
                             const uint8_t *peer,
                             size_t peer_len,
                             uint8_t *out,
                             size_t cap,
                             size_t *out_len);

// base ^ exp mod `mod`, `mod_len` bytes, in constant time in base and exponent.
int32_t rustcrypto_modexp(const uint8_t *base,
                          size_t base_len,
                          const uint8_t *exp,
                          size_t exp_len,
                          const uint8_t *mod_,
                          size_t mod_len,
                          uint8_t *out,
                          size_t cap,
                          size_t *out_len);

// A fresh key; NULL on error.
struct rustcrypto_kem_key *rustcrypto_kem_generate(int32_t alg);

// Wipe and free; NULL is fine.
void rustcrypto_kem_free(struct rustcrypto_kem_key *key);

// The encapsulation key: 800, 1184 or 1568 bytes.
int32_t rustcrypto_kem_public(const struct rustcrypto_kem_key *key, uint8_t *out, size_t cap, size_t *out_len);

// Ciphertext (768, 1088 or 1568 bytes) and shared secret (32 bytes) for the holder of an encapsulation key.
int32_t rustcrypto_kem_encapsulate(int32_t alg,
                                   const uint8_t *pub_,
                                   size_t pub_len,
                                   uint8_t *ct,
                                   size_t ct_cap,
                                   size_t *ct_len,
                                   uint8_t *secret,
                                   size_t secret_len);

// The shared secret (32 bytes) of a ciphertext. A wrong ciphertext of the right length gives one that nobody else has.
int32_t rustcrypto_kem_decapsulate(const struct rustcrypto_kem_key *key,
                                   const uint8_t *ct,
                                   size_t ct_len,
                                   uint8_t *secret,
                                   size_t secret_len);

// A self-signed certificate for a server: version 3, subjectAltName, key usage digitalSignature, extended key usage serverAuth,
// CA:FALSE, a random serial. `subject` is an array of "KEY=value" (C, ST, L, O, OU, CN), `sans` of "DNS:name" and "IP:address";
// times are unix seconds.
int32_t rustcrypto_x509_self_signed(const struct rustcrypto_key *key,
                                    const char *const *subject,
                                    size_t n_subject,
                                    const char *const *sans,
                                    size_t n_sans,
                                    int64_t not_before,
                                    int64_t not_after,
                                    int32_t format,
                                    uint8_t *out,
                                    size_t cap,
                                    size_t *out_len);

// A configuration for clients (verify: required) or servers (verify: none). NULL on failure.
struct rustcrypto_tls_config *rustcrypto_tls_config_new(int32_t role);

// Free; NULL is fine. Sessions go on: they keep what they need.
void rustcrypto_tls_config_free(struct rustcrypto_tls_config *config);

// Trust the certificates in a PEM bundle or DER file; cumulative. Only the path is kept: each verification streams the file.
// RUSTCRYPTO_IO if it cannot be read, RUSTCRYPTO_BAD_CERTIFICATE if no certificate is in it.
int32_t rustcrypto_tls_config_add_ca_file(struct rustcrypto_tls_config *config,
                                          const char *path);

// Trust the certificates in `data` (PEM or DER); cumulative.
int32_t rustcrypto_tls_config_add_ca(struct rustcrypto_tls_config *config, const uint8_t *data, size_t len);

// Refuse what a certificate revocation list names (PEM or DER); cumulative.
int32_t rustcrypto_tls_config_add_crl(struct rustcrypto_tls_config *config, const uint8_t *data, size_t len);

// Our certificate chain from a file (PEM, leaf first, or one DER). Certificate and key in any order: the second is checked
// against the first, RUSTCRYPTO_BAD_KEY if they do not belong together.
int32_t rustcrypto_tls_config_set_cert_file(struct rustcrypto_tls_config *config,
                                            const char *path);

// Our private key from a file (PEM or DER; PKCS#1, SEC1 or PKCS#8, not encrypted).
int32_t rustcrypto_tls_config_set_key_file(struct rustcrypto_tls_config *config, const char *path);

// As rustcrypto_tls_config_set_cert_file, from memory.
int32_t rustcrypto_tls_config_set_cert(struct rustcrypto_tls_config *config, const uint8_t *data, size_t len);

// As rustcrypto_tls_config_set_key_file, from memory.
int32_t rustcrypto_tls_config_set_key(struct rustcrypto_tls_config *config, const uint8_t *data, size_t len);

// Cipher suites in order of preference, ':' or ',' between them, as OpenSSL, IANA or Mbed TLS write them. Unknown names are
// skipped; RUSTCRYPTO_INVALID_ARGUMENT if none is known. A list without TLS 1.3 suites leaves those as they are.
int32_t rustcrypto_tls_config_set_ciphers(struct rustcrypto_tls_config *config,
                                          const char *list);

// Key exchange groups in order of preference, of X25519MLKEM768, X25519, P-256, P-384, P-521.
int32_t rustcrypto_tls_config_set_groups(struct rustcrypto_tls_config *config, const char *list);

// Lowest and highest version, 0x0303 (TLS 1.2) or 0x0304 (TLS 1.3).
int32_t rustcrypto_tls_config_set_versions(struct rustcrypto_tls_config *config, uint16_t min, uint16_t max);

// Application protocols, best first, ',' between them; "" for none.
int32_t rustcrypto_tls_config_set_alpn(struct rustcrypto_tls_config *config, const char *list);

// What becomes of the peer's certificate: one of rustcrypto_verify.
int32_t rustcrypto_tls_config_set_verify(struct rustcrypto_tls_config *config, int32_t mode);

// Off: the chain is checked and the host name is left to the caller (rustcrypto_tls_check_name). Default: on.
int32_t rustcrypto_tls_config_set_verify_name(struct rustcrypto_tls_config *config, bool on);

// Judge certificates as of this time; 0 is now.
int32_t rustcrypto_tls_config_set_time(struct rustcrypto_tls_config *config, int64_t unix_seconds);

// Sessions to remember for resumption (default: client 4 servers, server 8 and tickets); 0 turns resumption off.
// A server's TLS 1.3 tickets have nonces of 32 bytes, at which clients on wolfSSL before 5.6 give up (they keep 8): 0 serves them.
int32_t rustcrypto_tls_config_set_session_cache(struct rustcrypto_tls_config *config,
                                                size_t entries);

// Most plaintext per record sent, 512 to 16384 bytes: what a slow peer can make a session hold. Default: client 16384, server 4096.
int32_t rustcrypto_tls_config_set_record_size(struct rustcrypto_tls_config *config,
                                              size_t bytes);

// A session; the configuration is built by its first. NULL on failure.
struct rustcrypto_tls *rustcrypto_tls_new(const struct rustcrypto_tls_config *config);

// Free; NULL is fine. Sends nothing and leaves the socket open.
void rustcrypto_tls_free(struct rustcrypto_tls *tls);

// Run over two callbacks; `io` is handed to both.
int32_t rustcrypto_tls_set_io(struct rustcrypto_tls *tls, rustcrypto_io_read read, rustcrypto_io_write write, void *io);

// Run over a stream socket, blocking or not; it stays the caller's, who keeps it open while the session uses it.
int32_t rustcrypto_tls_set_fd(struct rustcrypto_tls *tls, int fd);

// The server's host name or IP address: sent as SNI (a name only) and, by default, checked against the certificate. Before the
// handshake.
int32_t rustcrypto_tls_set_server_name(struct rustcrypto_tls *tls,
                                       const char *name);

// Go on with the handshake: RUSTCRYPTO_OK when done, RUSTCRYPTO_WANT_READ or _WRITE, or an error, which stays.
int32_t rustcrypto_tls_handshake(struct rustcrypto_tls *tls);

// Up to `cap` decrypted bytes; `*n` is how many. RUSTCRYPTO_CLOSED at the peer's close_notify, RUSTCRYPTO_TRUNCATED if the
// connection ended without one.
int32_t rustcrypto_tls_read(struct rustcrypto_tls *tls,
                            uint8_t *buf,
                            size_t cap,
                            size_t *n);

// Encrypt and send; `*n` is how many bytes were taken. RUSTCRYPTO_WANT_WRITE if none could be. What was taken but could not
// leave yet leaves with rustcrypto_tls_flush or the next write.
int32_t rustcrypto_tls_write(struct rustcrypto_tls *tls,
                             const uint8_t *buf,
                             size_t len,
                             size_t *n);

// Send what is still waiting: RUSTCRYPTO_OK when nothing is left.
int32_t rustcrypto_tls_flush(struct rustcrypto_tls *tls);

// Send close_notify: no more data will come from us.
int32_t rustcrypto_tls_close(struct rustcrypto_tls *tls);

// Decrypted bytes that wait for rustcrypto_tls_read.
size_t rustcrypto_tls_pending(const struct rustcrypto_tls *tls);

// Is the peer's certificate good? RUSTCRYPTO_OK or RUSTCRYPTO_BAD_CERTIFICATE; also the latter if none was checked.
int32_t rustcrypto_tls_verify_result(const struct rustcrypto_tls *tls);

// Why the peer's certificate is not good; "" if it is. Valid until the next call of this function on the session.
const char *rustcrypto_tls_verify_message(struct rustcrypto_tls *tls);

// The fatal error of the session as a sentence; "" if none. Valid until the next call of this function on the session.
const char *rustcrypto_tls_error(struct rustcrypto_tls *tls);

// Is the peer's certificate valid for this host name or IP address? RUSTCRYPTO_OK or RUSTCRYPTO_BAD_CERTIFICATE.
int32_t rustcrypto_tls_check_name(const struct rustcrypto_tls *tls, const char *name);

// DER of the peer's certificate number `index` (0 is the leaf). RUSTCRYPTO_BAD_STATE if there is none.
int32_t rustcrypto_tls_peer_certificate(const struct rustcrypto_tls *tls,
                                        size_t index,
                                        uint8_t *out,
                                        size_t cap,
                                        size_t *out_len);

// Subject of the peer's certificate, such as "CN=router, O=OpenWrt"; NULL if there is none. Valid until the next call of this
// function on the session.
const char *rustcrypto_tls_peer_subject(struct rustcrypto_tls *tls);

// Name number `index` of the peer's certificate, as DNS:name or IP:address, without a terminating NUL. RUSTCRYPTO_BAD_STATE
// if there is none.
int32_t rustcrypto_tls_peer_alt_name(const struct rustcrypto_tls *tls,
                                     size_t index,
                                     uint8_t *out,
                                     size_t cap,
                                     size_t *out_len);

// 0x0303 or 0x0304; 0 before it is known.
uint16_t rustcrypto_tls_version(const struct rustcrypto_tls *tls);

// IANA number of the cipher suite; 0 before it is known.
uint16_t rustcrypto_tls_cipher(const struct rustcrypto_tls *tls);

// OpenSSL's name of the cipher suite; "" before it is known. Static text.
const char *rustcrypto_tls_cipher_name(const struct rustcrypto_tls *tls);

// Name of the key exchange group; "" before it is known, and where there was no exchange. Static text.
const char *rustcrypto_tls_group_name(const struct rustcrypto_tls *tls);

// The application protocol agreed on; NULL if none. Valid until the next call of this function on the session.
const char *rustcrypto_tls_alpn(struct rustcrypto_tls *tls);

// 1 if an earlier session was resumed, else 0.
int rustcrypto_tls_resumed(const struct rustcrypto_tls *tls);

// 1 if our client certificate was asked for and sent, else 0.
int rustcrypto_tls_own_certificate_used(const struct rustcrypto_tls *tls);

// Keying material for another protocol (RFC 5705; EAP-TLS).
int32_t rustcrypto_tls_export(const struct rustcrypto_tls *tls,
                              const char *label,
                              const uint8_t *context,
                              size_t context_len,
                              bool has_context,
                              uint8_t *out,
                              size_t out_len);

// Number of the alert that we sent because of an error; -1 if none.
int32_t rustcrypto_tls_alert_sent(const struct rustcrypto_tls *tls);

// Number of the alert that ended the session; -1 if none.
int32_t rustcrypto_tls_alert_received(const struct rustcrypto_tls *tls);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RUSTCRYPTO_H */
