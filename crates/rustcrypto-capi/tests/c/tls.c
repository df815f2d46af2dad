/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* TLS: misuse of every function, client and server in one program over callbacks, sessions of one configuration in two threads. */
#include <pthread.h>

#include "check.h"

/* What one side has sent and the other not yet read. */
struct pipe {
    uint8_t bytes[1 << 16];
    size_t len;
    int closed;
};

struct end {
    struct pipe *in, *out;
};

static ptrdiff_t io_read(void *io, uint8_t *buf, size_t len) {
    struct pipe *in = ((struct end *)io)->in;
    if (!in->len)
        return in->closed ? 0 : RUSTCRYPTO_WANT_READ;
    if (len > in->len)
        len = in->len;
    memcpy(buf, in->bytes, len);
    memmove(in->bytes, in->bytes + len, in->len -= len);
    return (ptrdiff_t)len;
}

static ptrdiff_t io_write(void *io, const uint8_t *buf, size_t len) {
    struct pipe *out = ((struct end *)io)->out;
    if (len > sizeof(out->bytes) - out->len)
        return RUSTCRYPTO_WANT_WRITE;
    memcpy(out->bytes + out->len, buf, len);
    out->len += len;
    return (ptrdiff_t)len;
}

/* More than there was room for: a broken callback. */
static ptrdiff_t io_lies(void *io, uint8_t *buf, size_t len) {
    (void)io, (void)buf;
    return (ptrdiff_t)len + 1;
}

static char *make(size_t *len, rustcrypto_key *key) {
    const char *subject[] = {"CN=test"}, *sans[] = {"DNS:test.example"};
    char *pem = malloc(4096);
    CHECK(pem != NULL);
    OK(rustcrypto_x509_self_signed(key, subject, 1, sans, 1, 1700000000, 4000000000, RUSTCRYPTO_PEM, (uint8_t *)pem, 4096, len));
    return pem;
}

static rustcrypto_tls_config *client_config, *server_config;

static void *talk(void *unused) {
    struct pipe *up = calloc(1, sizeof(*up)), *down = calloc(1, sizeof(*down));
    struct end ours = {down, up}, theirs = {up, down};
    (void)unused;
    CHECK(up != NULL && down != NULL);
    for (int i = 0; i < 3; i++) {
        rustcrypto_tls *client = rustcrypto_tls_new(client_config), *server = rustcrypto_tls_new(server_config);
        uint8_t buf[32], a[16], b[16];
        size_t n = 9;
        int32_t x = RUSTCRYPTO_WANT_READ, y = RUSTCRYPTO_WANT_READ;
        CHECK(client != NULL && server != NULL);
        CHECK(rustcrypto_tls_read(client, buf, sizeof buf, &n) == RUSTCRYPTO_BAD_STATE && n == 0);
        CHECK(rustcrypto_tls_write(client, buf, 1, &n) == RUSTCRYPTO_BAD_STATE);
        CHECK(rustcrypto_tls_close(client) == RUSTCRYPTO_BAD_STATE);
        CHECK(rustcrypto_tls_export(client, "x", NULL, 0, false, a, 16) == RUSTCRYPTO_BAD_STATE);
        CHECK(rustcrypto_tls_check_name(client, "test.example") == RUSTCRYPTO_BAD_STATE);
        CHECK(rustcrypto_tls_version(client) == 0 && rustcrypto_tls_alert_sent(client) == -1);
        OK(rustcrypto_tls_set_io(client, io_read, io_write, &ours));
        OK(rustcrypto_tls_set_io(server, io_read, io_write, &theirs));
        OK(rustcrypto_tls_set_server_name(client, "test.example"));
        for (int step = 0; (x || y) && step < 20; step++) {
            if (x)
                x = rustcrypto_tls_handshake(client);
            if (y)
                y = rustcrypto_tls_handshake(server);
            CHECK(x == 0 || x == RUSTCRYPTO_WANT_READ);
            CHECK(y == 0 || y == RUSTCRYPTO_WANT_READ);
        }
        OK(x);
        OK(y);
        OK(rustcrypto_tls_verify_result(client));
        CHECK(strcmp(rustcrypto_tls_verify_message(client), "") == 0);
        CHECK(strcmp(rustcrypto_tls_peer_subject(client), "CN=test") == 0);
        CHECK(strcmp(rustcrypto_tls_alpn(client), "b") == 0);
        OK(rustcrypto_tls_check_name(client, "test.example"));
        CHECK(rustcrypto_tls_check_name(client, "other") == RUSTCRYPTO_BAD_CERTIFICATE);
        CHECK(rustcrypto_tls_version(client) == 0x0304 && rustcrypto_tls_cipher(client) != 0);
        OK(rustcrypto_tls_export(client, "label", NULL, 0, false, a, 16));
        OK(rustcrypto_tls_export(server, "label", NULL, 0, false, b, 16));
        CHECK(memcmp(a, b, 16) == 0);
        OK(rustcrypto_tls_write(client, (const uint8_t *)"hello", 5, &n));
        CHECK(n == 5);
        OK(rustcrypto_tls_read(server, buf, 2, &n));
        CHECK(n == 2 && rustcrypto_tls_pending(server) == 3);
        OK(rustcrypto_tls_read(server, NULL, 0, &n));
        OK(rustcrypto_tls_read(server, buf, sizeof buf, &n));
        CHECK(n == 3 && rustcrypto_tls_pending(server) == 0);
        TOO_SHORT(rustcrypto_tls_peer_certificate(client, 0, NULL, 0, &n));
        CHECK(n > 100);
        CHECK(rustcrypto_tls_peer_certificate(client, 1, NULL, 0, &n) == RUSTCRYPTO_BAD_STATE);
        CHECK(rustcrypto_tls_read(client, buf, sizeof buf, &n) == RUSTCRYPTO_WANT_READ); /* takes the tickets */
        OK(rustcrypto_tls_close(client));
        CHECK(rustcrypto_tls_read(server, buf, sizeof buf, &n) == RUSTCRYPTO_CLOSED);
        down->closed = 1;
        CHECK(rustcrypto_tls_read(client, buf, sizeof buf, &n) == RUSTCRYPTO_TRUNCATED);
        CHECK(strstr(rustcrypto_tls_error(client), "close_notify") != NULL);
        rustcrypto_tls_free(client);
        rustcrypto_tls_free(server);
        memset(up, 0, sizeof *up);
        memset(down, 0, sizeof *down);
    }
    free(up);
    free(down);
    return NULL;
}

static void misuse(void) {
    rustcrypto_tls_config *config;
    rustcrypto_tls *tls;
    uint8_t buf[4];
    size_t n;
    CHECK(rustcrypto_tls_config_new(0) == NULL && rustcrypto_tls_config_new(99) == NULL);
    CHECK(rustcrypto_tls_new(NULL) == NULL);
    rustcrypto_tls_free(NULL);
    rustcrypto_tls_config_free(NULL);
    REFUSED(rustcrypto_tls_config_add_ca_file(NULL, "x"));
    REFUSED(rustcrypto_tls_config_set_verify(NULL, 1));
    REFUSED(rustcrypto_tls_handshake(NULL));
    REFUSED(rustcrypto_tls_read(NULL, buf, 4, &n));
    REFUSED(rustcrypto_tls_write(NULL, buf, 4, &n));
    REFUSED(rustcrypto_tls_flush(NULL));
    REFUSED(rustcrypto_tls_close(NULL));
    REFUSED(rustcrypto_tls_set_fd(NULL, 0));
    REFUSED(rustcrypto_tls_verify_result(NULL));
    CHECK(rustcrypto_tls_pending(NULL) == 0 && rustcrypto_tls_version(NULL) == 0 && rustcrypto_tls_resumed(NULL) == 0);
    CHECK(rustcrypto_tls_peer_subject(NULL) == NULL && rustcrypto_tls_alpn(NULL) == NULL);
    CHECK(strcmp(rustcrypto_tls_error(NULL), "") == 0 && strcmp(rustcrypto_tls_cipher_name(NULL), "") == 0);

    CHECK((config = rustcrypto_tls_config_new(RUSTCRYPTO_CLIENT)) != NULL);
    REFUSED(rustcrypto_tls_config_add_ca_file(config, NULL));
    CHECK(rustcrypto_tls_config_add_ca_file(config, "/no/such/file") == RUSTCRYPTO_IO);
    CHECK(strstr(rustcrypto_last_error(), "/no/such/file") != NULL);
    CHECK(rustcrypto_tls_config_add_ca(config, NULL, 0) == RUSTCRYPTO_BAD_CERTIFICATE);
    REFUSED(rustcrypto_tls_config_add_ca(config, NULL, 5));
    CHECK(rustcrypto_tls_config_add_crl(config, (const uint8_t *)"x", 1) == RUSTCRYPTO_BAD_CERTIFICATE);
    CHECK(rustcrypto_tls_config_set_key(config, (const uint8_t *)"x", 1) == RUSTCRYPTO_BAD_KEY);
    REFUSED(rustcrypto_tls_config_set_ciphers(config, "none:known"));
    REFUSED(rustcrypto_tls_config_set_groups(config, ""));
    REFUSED(rustcrypto_tls_config_set_versions(config, 0x0301, 0x0302));
    REFUSED(rustcrypto_tls_config_set_verify(config, 7));
    REFUSED(rustcrypto_tls_config_set_time(config, -1));
    REFUSED(rustcrypto_tls_config_set_record_size(config, 1));
    CHECK((tls = rustcrypto_tls_new(config)) != NULL);
    rustcrypto_tls_config_free(config); /* the session goes on */
    CHECK(rustcrypto_tls_handshake(tls) == RUSTCRYPTO_BAD_STATE); /* no name */
    REFUSED(rustcrypto_tls_set_server_name(tls, "not a name"));
    OK(rustcrypto_tls_set_server_name(tls, "test.example"));
    CHECK(rustcrypto_tls_handshake(tls) == RUSTCRYPTO_IO); /* no socket */
    REFUSED(rustcrypto_tls_set_io(tls, NULL, io_write, NULL));
    REFUSED(rustcrypto_tls_set_fd(tls, -1));
    rustcrypto_tls_free(tls);

    CHECK((config = rustcrypto_tls_config_new(RUSTCRYPTO_SERVER)) != NULL);
    CHECK(rustcrypto_tls_new(config) == NULL); /* a server without a certificate */
    rustcrypto_tls_config_free(config);
}

static void broken_callback(void) {
    struct pipe pipe = {{0}, 0, 0};
    struct end end = {&pipe, &pipe};
    rustcrypto_tls *tls = rustcrypto_tls_new(client_config);
    CHECK(tls != NULL);
    OK(rustcrypto_tls_set_server_name(tls, "test.example"));
    OK(rustcrypto_tls_set_io(tls, io_lies, io_write, &end));
    CHECK(rustcrypto_tls_handshake(tls) == RUSTCRYPTO_IO);
    CHECK(strstr(rustcrypto_tls_error(tls), "more than it was asked for") != NULL);
    rustcrypto_tls_free(tls);
}

int main(void) {
    rustcrypto_key *key = rustcrypto_key_generate(RUSTCRYPTO_KEY_P256, 0), *other = rustcrypto_key_generate(RUSTCRYPTO_KEY_P256, 0);
    uint8_t pem[1024];
    size_t len, n;
    pthread_t threads[2];
    CHECK(key != NULL && other != NULL);
    misuse();

    char *certificate = make(&len, key);
    CHECK((client_config = rustcrypto_tls_config_new(RUSTCRYPTO_CLIENT)) != NULL);
    CHECK((server_config = rustcrypto_tls_config_new(RUSTCRYPTO_SERVER)) != NULL);
    OK(rustcrypto_tls_config_add_ca(client_config, (uint8_t *)certificate, len));
    OK(rustcrypto_tls_config_set_session_cache(client_config, 0)); /* each session shows its certificate */
    OK(rustcrypto_tls_config_set_alpn(client_config, "a,b"));
    OK(rustcrypto_tls_config_set_alpn(server_config, "b"));
    OK(rustcrypto_tls_config_set_cert(server_config, (uint8_t *)certificate, len));
    OK(rustcrypto_key_private(other, RUSTCRYPTO_PEM, pem, sizeof pem, &n));
    CHECK(rustcrypto_tls_config_set_key(server_config, pem, n) == RUSTCRYPTO_BAD_KEY);
    OK(rustcrypto_key_private(key, RUSTCRYPTO_PEM, pem, sizeof pem, &n));
    OK(rustcrypto_tls_config_set_key(server_config, pem, n));

    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, talk, NULL) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    broken_callback();

    rustcrypto_tls_config_free(client_config);
    rustcrypto_tls_config_free(server_config);
    rustcrypto_key_free(key);
    rustcrypto_key_free(other);
    free(certificate);
    return 0;
}
