/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * mod_rustcrypto: HTTPS for lighttpd 1.4 on librustcrypto.
 *
 * One certificate for each listening socket: ssl.* in the global scope, or in $SERVER["socket"], which adds to the global ones.
 * What this module does not offer (certificates by host name, OCSP stapling, ACME, ticket files) stops the start with a sentence:
 * a server must not run on settings that nobody reads.
 */
#include "first.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base.h"
#include "chunk.h"
#include "fdevent.h"
#include "http_header.h"
#include "log.h"
#include "plugin.h"

#include <rustcrypto.h>

enum { SEND_BUFFER = 16384, READ_AT_ONCE = 4096 };

enum key {
    ENGINE, PEMFILE, PRIVKEY, CA_FILE, VERIFY_CA_FILE, VERIFY_CRL_FILE, VERIFY, VERIFY_ENFORCE, CONF_CMD,
    IGNORED, FIRST_REFUSED = IGNORED + 2
};

static const config_plugin_keys_t KEYS[] = {
    { CONST_STR_LEN("ssl.engine"), T_CONFIG_BOOL, T_CONFIG_SCOPE_SOCKET },
    { CONST_STR_LEN("ssl.pemfile"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.privkey"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.ca-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.ca-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.ca-crl-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.activate"), T_CONFIG_BOOL, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.enforce"), T_CONFIG_BOOL, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.openssl.ssl-conf-cmd"), T_CONFIG_ARRAY_KVSTRING, T_CONFIG_SCOPE_SOCKET },
    /* what these ask for is so anyway: records are read whole, and nothing renegotiates */
    { CONST_STR_LEN("ssl.read-ahead"), T_CONFIG_BOOL, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.disable-client-renegotiation"), T_CONFIG_BOOL, T_CONFIG_SCOPE_CONNECTION },
    /* refused */
    { CONST_STR_LEN("ssl.cipher-list"), T_CONFIG_STRING, T_CONFIG_SCOPE_SOCKET },
    { CONST_STR_LEN("ssl.stek-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_SERVER },
    { CONST_STR_LEN("ssl.stapling-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.acme-tls-1"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.ca-dn-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.ca-crl-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.ca-dn-file"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.depth"), T_CONFIG_SHORT, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.username"), T_CONFIG_STRING, T_CONFIG_SCOPE_CONNECTION },
    { CONST_STR_LEN("ssl.verifyclient.exportcert"), T_CONFIG_BOOL, T_CONFIG_SCOPE_CONNECTION },
    { NULL, 0, T_CONFIG_UNSET, T_CONFIG_SCOPE_UNSET }
};

/* What the configuration says for one socket. */
struct settings {
    int engine, verify, enforce;
    const buffer *pemfile, *privkey, *ca_file, *crl_file;
    const array *conf_cmd;
};

typedef struct {
    PLUGIN_DATA;
    rustcrypto_tls_config **configs; /* by configuration context, 0 = the global one; NULL where none was made */
    uint32_t contexts;
} plugin_data;

struct session {
    rustcrypto_tls *tls;
    size_t pending;    /* bytes of the write queue that the session has taken and the socket has not */
    int done, closing; /* the handshake is over; we are to send close_notify */
};

static int plugin_id;
static char send_buffer[SEND_BUFFER]; /* lighttpd has one thread */

/* Configuration */

/* Writes down why `what` failed; always -1. */
static int refuse(server *srv, const char *what, const buffer *value) {
    log_error(srv->errh, __FILE__, __LINE__, "rustcrypto: %s \"%s\": %s", what, value->ptr, rustcrypto_last_error());
    return -1;
}

/* "TLSv1.2" or "TLSv1.3"; 0 if it is neither. */
static uint16_t version_number(const buffer *value) {
    if (buffer_is_equal_string(value, CONST_STR_LEN("TLSv1.2"))) return 0x0303;
    return buffer_is_equal_string(value, CONST_STR_LEN("TLSv1.3")) ? 0x0304 : 0;
}

/* ssl.openssl.ssl-conf-cmd, as far as it has a meaning here. */
static int apply_commands(server *srv, rustcrypto_tls_config *config, const array *commands) {
    uint16_t min = 0x0303, max = 0x0304;
    for (uint32_t i = 0; commands && i < commands->used; ++i) {
        const data_string *command = (const data_string *)commands->data[i];
        const buffer *key = &command->key, *value = &command->value;
        int32_t result = RUSTCRYPTO_OK;
        if (buffer_is_equal_string(key, CONST_STR_LEN("MinProtocol")))
            result = (min = version_number(value)) ? RUSTCRYPTO_OK : RUSTCRYPTO_UNSUPPORTED;
        else if (buffer_is_equal_string(key, CONST_STR_LEN("MaxProtocol")))
            result = (max = version_number(value)) ? RUSTCRYPTO_OK : RUSTCRYPTO_UNSUPPORTED;
        else if (buffer_is_equal_string(key, CONST_STR_LEN("CipherString"))
                 || buffer_is_equal_string(key, CONST_STR_LEN("Ciphersuites")))
            result = rustcrypto_tls_config_set_ciphers(config, value->ptr);
        else if (buffer_is_equal_string(key, CONST_STR_LEN("Curves"))
                 || buffer_is_equal_string(key, CONST_STR_LEN("Groups")))
            result = rustcrypto_tls_config_set_groups(config, value->ptr);
        else
            result = RUSTCRYPTO_UNSUPPORTED;
        if (result != RUSTCRYPTO_OK) {
            log_error(srv->errh, __FILE__, __LINE__, "rustcrypto: ssl.openssl.ssl-conf-cmd \"%s\" => \"%s\": %s", key->ptr,
                      value->ptr, rustcrypto_strerror(result));
            return -1;
        }
    }
    if (rustcrypto_tls_config_set_versions(config, min, max) == RUSTCRYPTO_OK) return 0;
    log_error(srv->errh, __FILE__, __LINE__, "rustcrypto: MinProtocol is higher than MaxProtocol");
    return -1;
}

static int apply_crl(server *srv, rustcrypto_tls_config *config, const buffer *file) {
    off_t len = 1 << 24; /* the most that is read */
    char *data = fdevent_load_file(file->ptr, &len, srv->errh, malloc, free);
    if (!data) return -1;
    int32_t result = rustcrypto_tls_config_add_crl(config, (const uint8_t *)data, (size_t)len);
    free(data);
    return result == RUSTCRYPTO_OK ? 0 : refuse(srv, "ssl.verifyclient.ca-crl-file", file);
}

static int apply(server *srv, rustcrypto_tls_config *config, const struct settings *s) {
    const buffer *key = s->privkey ? s->privkey : s->pemfile;
    if (rustcrypto_tls_config_set_cert_file(config, s->pemfile->ptr) != RUSTCRYPTO_OK)
        return refuse(srv, "ssl.pemfile", s->pemfile);
    if (rustcrypto_tls_config_set_key_file(config, key->ptr) != RUSTCRYPTO_OK) return refuse(srv, "ssl.privkey", key);
    if (s->verify) {
        if (!s->ca_file) {
            log_error(srv->errh, __FILE__, __LINE__, "rustcrypto: ssl.verifyclient.activate needs ssl.verifyclient.ca-file");
            return -1;
        }
        if (rustcrypto_tls_config_add_ca_file(config, s->ca_file->ptr) != RUSTCRYPTO_OK)
            return refuse(srv, "ssl.verifyclient.ca-file", s->ca_file);
        if (s->crl_file && apply_crl(srv, config, s->crl_file) != 0) return -1;
        rustcrypto_tls_config_set_verify(config, s->enforce ? RUSTCRYPTO_VERIFY_REQUIRED : RUSTCRYPTO_VERIFY_OPTIONAL);
    }
    rustcrypto_tls_config_set_alpn(config, srv->srvconf.h2proto ? "h2,http/1.1" : "http/1.1");
    return apply_commands(srv, config, s->conf_cmd);
}

static rustcrypto_tls_config *make_config(server *srv, const struct settings *s) {
    if (!s->pemfile) {
        log_error(srv->errh, __FILE__, __LINE__, "rustcrypto: ssl.engine needs ssl.pemfile");
        return NULL;
    }
    rustcrypto_tls_config *config = rustcrypto_tls_config_new(RUSTCRYPTO_SERVER);
    if (config && apply(srv, config, s) == 0) return config;
    rustcrypto_tls_config_free(config);
    return NULL;
}

/* One setting into `s`; -1 if it cannot be had. */
static int take(server *srv, struct settings *s, const config_plugin_value_t *v, int of_socket) {
    if (!of_socket || v->k_id >= FIRST_REFUSED) {
        log_error(srv->errh, __FILE__, __LINE__, "rustcrypto: %s is not supported%s", KEYS[v->k_id].k,
                  of_socket ? "" : " here, only in the global scope and in $SERVER[\"socket\"]");
        return -1;
    }
    switch (v->k_id) {
      case ENGINE: s->engine = v->v.u != 0; break;
      case PEMFILE: s->pemfile = buffer_is_blank(v->v.b) ? NULL : v->v.b; break;
      case PRIVKEY: s->privkey = buffer_is_blank(v->v.b) ? NULL : v->v.b; break;
      case CA_FILE: case VERIFY_CA_FILE: s->ca_file = buffer_is_blank(v->v.b) ? NULL : v->v.b; break;
      case VERIFY_CRL_FILE: s->crl_file = buffer_is_blank(v->v.b) ? NULL : v->v.b; break;
      case VERIFY: s->verify = v->v.u != 0; break;
      case VERIFY_ENFORCE: s->enforce = v->v.u != 0; break;
      case CONF_CMD: s->conf_cmd = v->v.a; break;
      default: break;
    }
    return 0;
}

SETDEFAULTS_FUNC(mod_rustcrypto_set_defaults) {
    plugin_data * const p = p_d;
    struct settings global = { .enforce = 1 };
    plugin_id = p->id;
    if (!config_plugin_values_init(srv, p, KEYS, "mod_rustcrypto")) return HANDLER_ERROR;
    p->contexts = srv->config_context->used;
    p->configs = ck_calloc(p->contexts, sizeof(*p->configs));
    /* entry 0 is the global scope's, and empty where that has no ssl.* */
    for (int i = !p->cvlist[0].v.u2[1]; i < p->nconfig; ++i) {
        const uint32_t context = (uint32_t)p->cvlist[i].k_id;
        config_cond_info condition;
        config_get_config_cond_info(&condition, context);
        const int of_socket = i == 0 || condition.comp == COMP_SERVER_SOCKET;
        struct settings s = global;
        for (config_plugin_value_t *v = p->cvlist + p->cvlist[i].v.u2[0]; v->k_id != -1; ++v)
            if (take(srv, &s, v, of_socket) != 0) return HANDLER_ERROR;
        if (i == 0) global = s;
        if (s.engine && !(p->configs[context] = make_config(srv, &s))) return HANDLER_ERROR;
    }
    return HANDLER_GO_ON;
}

INIT_FUNC(mod_rustcrypto_init) {
    return ck_calloc(1, sizeof(plugin_data));
}

FREE_FUNC(mod_rustcrypto_free) {
    plugin_data * const p = p_d;
    for (uint32_t i = 0; p->configs && i < p->contexts; ++i) rustcrypto_tls_config_free(p->configs[i]);
    free(p->configs);
}

/* Connections */

/* What lighttpd wants to hear: 0 = again later, -2 = the peer is gone, -1 = error (written down). */
static int outcome(connection *con, struct session *s, int32_t result) {
    switch (result) {
      case RUSTCRYPTO_WANT_READ: con->is_readable = 0; return 0;
      case RUSTCRYPTO_WANT_WRITE: con->is_writable = 0; return 0;
      case RUSTCRYPTO_CLOSED: case RUSTCRYPTO_TRUNCATED:
        con->is_readable = 0;
        con->request.keep_alive = 0;
        return -2;
      case RUSTCRYPTO_IO: return -1; /* the peer reset the connection: nothing to tell */
      default:
        log_error(con->request.conf.errh, __FILE__, __LINE__, "rustcrypto: %s: %s", con->dst_addr_buf.ptr,
                  rustcrypto_tls_error(s->tls));
        return -1;
    }
}

/* close_notify, then the socket is lighttpd's alone. */
static int close_session(connection *con, struct session *s) {
    int32_t result = s->done ? rustcrypto_tls_close(s->tls) : RUSTCRYPTO_OK;
    if (result == RUSTCRYPTO_OK) result = rustcrypto_tls_flush(s->tls);
    if (result == RUSTCRYPTO_WANT_WRITE) return outcome(con, s, result);
    con->is_ssl_sock = 0;
    shutdown(con->fd, SHUT_WR);
    s->closing = 2;
    return -2;
}

static int write_queue(connection * const con, chunkqueue * const cq, off_t max_bytes) {
    struct session *s = con->plugin_ctx[plugin_id];
    if (s->closing) return s->closing == 2 ? -2 : close_session(con, s);
    int32_t result = rustcrypto_tls_flush(s->tls);
    for (;;) {
        if (result != RUSTCRYPTO_OK) return outcome(con, s, result);
        /* Only now is it gone: an empty queue is never looked at again, so what the session holds must keep it filled. */
        chunkqueue_mark_written(cq, (off_t)s->pending);
        max_bytes -= (off_t)s->pending;
        s->pending = 0;
        if (max_bytes <= 0 || chunkqueue_is_empty(cq)) return 0;
        char *data = send_buffer;
        uint32_t len = max_bytes < SEND_BUFFER ? (uint32_t)max_bytes : SEND_BUFFER;
        if (chunkqueue_peek_data(cq, &data, &len, con->request.conf.errh, 1) != 0) return -1;
        if (len == 0) {
            if (!cq->first->file.busy) chunkqueue_remove_finished_chunks(cq);
            return 0;
        }
        result = rustcrypto_tls_write(s->tls, (const uint8_t *)data, len, &s->pending);
        if (result == RUSTCRYPTO_OK) result = rustcrypto_tls_flush(s->tls);
    }
}

static int handshake(connection *con, struct session *s) {
    int32_t result = rustcrypto_tls_handshake(s->tls);
    if (result != RUSTCRYPTO_OK) return outcome(con, s, result);
    const char *protocol = rustcrypto_tls_alpn(s->tls);
    if (protocol && strcmp(protocol, "h2") == 0 && con->request.handler_module == NULL)
        con->request.http_version = HTTP_VERSION_2;
    s->done = 1;
    return 1;
}

static int read_queue(connection * const con, chunkqueue * const cq, off_t max_bytes) {
    struct session *s = con->plugin_ctx[plugin_id];
    int32_t result;
    UNUSED(max_bytes);
    if (s->closing) return s->closing == 2 ? -2 : close_session(con, s);
    if (!s->done && (result = handshake(con, s)) != 1) return result;
    do {
        size_t pending = rustcrypto_tls_pending(s->tls), n = 0;
        size_t len = pending < READ_AT_ONCE ? READ_AT_ONCE : pending;
        chunk * const last = cq->last;
        char *to = chunkqueue_get_memory(cq, &len);
        result = rustcrypto_tls_read(s->tls, (uint8_t *)to, len, &n);
        chunkqueue_use_memory(cq, last, n);
        if (result == RUSTCRYPTO_OK && n == 0) result = RUSTCRYPTO_WANT_READ;
    } while (result == RUSTCRYPTO_OK && rustcrypto_tls_pending(s->tls));
    return result == RUSTCRYPTO_OK ? 0 : outcome(con, s, result);
}

CONNECTION_FUNC(mod_rustcrypto_accept) {
    const server_socket *socket = con->srv_socket;
    plugin_data * const p = p_d;
    if (!socket->is_ssl) return HANDLER_GO_ON;
    rustcrypto_tls_config *config = p->configs[socket->sidx] ? p->configs[socket->sidx] : p->configs[0];
    struct session *s = ck_calloc(1, sizeof(*s));
    con->plugin_ctx[p->id] = s;
    s->tls = config ? rustcrypto_tls_new(config) : NULL;
    if (!s->tls || rustcrypto_tls_set_fd(s->tls, con->fd) != RUSTCRYPTO_OK) {
        log_error(con->request.conf.errh, __FILE__, __LINE__, "rustcrypto: no session: %s", rustcrypto_last_error());
        return HANDLER_ERROR;
    }
    buffer_blank(&con->request.uri.authority);
    con->network_read = read_queue;
    con->network_write = write_queue;
    con->proto_default_port = 443;
    return HANDLER_GO_ON;
}

CONNECTION_FUNC(mod_rustcrypto_shut_wr) {
    plugin_data * const p = p_d;
    struct session *s = con->plugin_ctx[p->id];
    if (s && s->closing == 0) {
        s->closing = 1;
        close_session(con, s);
    }
    return HANDLER_GO_ON;
}

CONNECTION_FUNC(mod_rustcrypto_close) {
    plugin_data * const p = p_d;
    struct session *s = con->plugin_ctx[p->id];
    if (!s) return HANDLER_GO_ON;
    con->plugin_ctx[p->id] = NULL;
    if (s->done && s->closing != 2) rustcrypto_tls_close(s->tls); /* a last try */
    rustcrypto_tls_free(s->tls);
    free(s);
    return HANDLER_GO_ON;
}

/* Requests: SSL_* for CGI and others */

static void set_env(request_st *r, const char *key, const char *value) {
    http_header_env_set(r, key, (uint32_t)strlen(key), value, (uint32_t)strlen(value));
}

REQUEST_FUNC(mod_rustcrypto_env) {
    plugin_data * const p = p_d;
    struct session *s = r->con->plugin_ctx[p->id];
    uint8_t byte;
    size_t len;
    if (!s || r->plugin_ctx[p->id]) return HANDLER_GO_ON;
    r->plugin_ctx[p->id] = (void *)(uintptr_t)1; /* once for each request */
    set_env(r, "SSL_PROTOCOL", rustcrypto_tls_version(s->tls) == 0x0304 ? "TLSv1.3" : "TLSv1.2");
    set_env(r, "SSL_CIPHER", rustcrypto_tls_cipher_name(s->tls));
    if (rustcrypto_tls_peer_certificate(s->tls, 0, &byte, 0, &len) == RUSTCRYPTO_BAD_STATE) {
        set_env(r, "SSL_CLIENT_VERIFY", "NONE");
    } else if (rustcrypto_tls_verify_result(s->tls) == RUSTCRYPTO_OK) {
        const char *subject = rustcrypto_tls_peer_subject(s->tls);
        set_env(r, "SSL_CLIENT_VERIFY", "SUCCESS");
        if (subject) set_env(r, "SSL_CLIENT_S_DN", subject);
    } else {
        buffer *value = http_header_env_set_ptr(r, CONST_STR_LEN("SSL_CLIENT_VERIFY"));
        const char *why = rustcrypto_tls_verify_message(s->tls);
        buffer_copy_string_len(value, CONST_STR_LEN("FAILED:"));
        buffer_append_string_len(value, why, strlen(why));
    }
    return HANDLER_GO_ON;
}

REQUEST_FUNC(mod_rustcrypto_reset) {
    plugin_data * const p = p_d;
    r->plugin_ctx[p->id] = NULL;
    return HANDLER_GO_ON;
}

__attribute_cold__
__declspec_dllexport__
int mod_rustcrypto_plugin_init(plugin *p);
int mod_rustcrypto_plugin_init(plugin *p) {
    p->version = LIGHTTPD_VERSION_ID;
    p->name = "rustcrypto";
    p->init = mod_rustcrypto_init;
    p->cleanup = mod_rustcrypto_free;
    p->priv_defaults = mod_rustcrypto_set_defaults;
    p->handle_connection_accept = mod_rustcrypto_accept;
    p->handle_connection_shut_wr = mod_rustcrypto_shut_wr;
    p->handle_connection_close = mod_rustcrypto_close;
    p->handle_request_env = mod_rustcrypto_env;
    p->handle_request_reset = mod_rustcrypto_reset;
    return 0;
}
