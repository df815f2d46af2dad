/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What tlsprobe needs of a TLS library: one backend_*.c per library fills this in, the way ustream-ssl and apk use it. */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROBE_OK = 0, PROBE_ERROR = -1, PROBE_WANT_READ = -2, PROBE_WANT_WRITE = -3 };

struct probe_options {
    bool server;
    const char *ca_file; /* client: PEM bundle to trust */
    const char *cert_file, *key_file;
    const char *group; /* X25519, P-256 or X25519MLKEM768; NULL = the library's own choice */
};

struct probe_ctx;  /* shared configuration */
struct probe_conn; /* one connection on a non-blocking socket */

const char *probe_library(void); /* name and version */
struct probe_ctx *probe_ctx_new(const struct probe_options *options); /* NULL: see probe_error(NULL) */
void probe_ctx_free(struct probe_ctx *ctx);
struct probe_conn *probe_conn_new(struct probe_ctx *ctx, int fd, const char *host);
void probe_conn_free(struct probe_conn *conn);
int probe_handshake(struct probe_conn *conn);                             /* PROBE_* */
ssize_t probe_read(struct probe_conn *conn, void *buf, size_t len);       /* bytes, 0 = end, or PROBE_* */
ssize_t probe_write(struct probe_conn *conn, const void *buf, size_t len); /* bytes or PROBE_* */
void probe_close(struct probe_conn *conn);                                /* close_notify */
const char *probe_error(struct probe_conn *conn);

bool probe_sha256(const void *data, size_t len, uint8_t out[32]);
/* ECDSA P-256 with SHA-256 over a file's bytes, public key as PEM, signature as DER: what apk checks on an index. */
bool probe_verify(const char *key_pem, size_t key_len, const uint8_t *data, size_t len, const uint8_t *sig, size_t sig_len);

#endif
