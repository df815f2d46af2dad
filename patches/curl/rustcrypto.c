/* SPDX-License-Identifier: curl */
/* TLS of curl on librustcrypto: TLS 1.2 and 1.3, PEM files or blobs, CRLs, client certificates.
 *
 * Not offered: CURLOPT_CAPATH, pinned public keys, CURLOPT_CERTINFO, key log files, ECH. curl refuses the options that its
 * list of supported features does not name. Tested with curl 8.19 to 8.21. */
#include "curl_setup.h"

#ifdef USE_RUSTCRYPTO

#include <rustcrypto.h>

#include "urldata.h"
#include "curl_trc.h"
#include "cfilters.h"
#include "curlx/dynbuf.h"
#include "curlx/fopen.h"
#include "vtls/vtls.h"
#include "vtls/vtls_int.h"
#include "vtls/rustcrypto.h"

#if LIBCURL_VERSION_NUM >= 0x081500 /* 8.21: the key moved, the peer is an object of its own */
#define PEER_NAME(connssl) ((connssl)->peer.origin->hostname)
#define KEY_FILE(config) ((config)->primary.key)
#define KEY_BLOB(config) ((config)->primary.key_blob)
#else
#define PEER_NAME(connssl) ((connssl)->peer.hostname)
#define KEY_FILE(config) ((config)->key)
#define KEY_BLOB(config) ((config)->key_blob)
#endif

/* The most that a CRL file may hold. */
#define CRL_MAX (1024 * 1024)

struct rc_backend {
  struct rustcrypto_tls_config *config;
  struct rustcrypto_tls *tls;
  /* who is calling: the callbacks need both and curl may change them between calls */
  struct Curl_cfilter *cf;
  struct Curl_easy *data;
  size_t taken; /* plain bytes that the library took while the socket blocked; curl offers them again */
  BIT(sent_shutdown);
};

static struct rc_backend *rc_enter(struct Curl_cfilter *cf, struct Curl_easy *data)
{
  struct ssl_connect_data *connssl = cf->ctx;
  struct rc_backend *backend = (struct rc_backend *)connssl->backend;

  DEBUGASSERT(backend);
  backend->cf = cf;
  backend->data = data;
  return backend;
}

static ptrdiff_t rc_read_cb(void *io, uint8_t *buf, size_t len)
{
  struct rc_backend *backend = io;
  struct ssl_connect_data *connssl = backend->cf->ctx;
  size_t nread = 0;
  CURLcode result = Curl_conn_cf_recv(backend->cf->next, backend->data, (char *)buf, len, &nread);

  if(result)
    return result == CURLE_AGAIN ? RUSTCRYPTO_WANT_READ : RUSTCRYPTO_IO;
  if(!nread)
    connssl->peer_closed = TRUE;
  return (ptrdiff_t)nread;
}

static ptrdiff_t rc_write_cb(void *io, const uint8_t *buf, size_t len)
{
  struct rc_backend *backend = io;
  size_t nwritten = 0;
  CURLcode result = Curl_conn_cf_send(backend->cf->next, backend->data, buf, len, FALSE, &nwritten);

  if(result)
    return result == CURLE_AGAIN ? RUSTCRYPTO_WANT_WRITE : RUSTCRYPTO_IO;
  return (ptrdiff_t)nwritten;
}

/* The library's sentence for the user. */
static CURLcode rc_fail(struct Curl_easy *data, const char *what, CURLcode result)
{
  failf(data, "librustcrypto: %s: %s", what, rustcrypto_last_error());
  return result;
}

static CURLcode rc_versions(struct Curl_easy *data, const struct ssl_primary_config *conn,
                            struct rustcrypto_tls_config *config)
{
  uint16_t min = 0x0303, max = 0x0304;

  switch(conn->version) {
  case CURL_SSLVERSION_TLSv1_3:
    min = 0x0304;
    break;
  case CURL_SSLVERSION_SSLv2:
  case CURL_SSLVERSION_SSLv3:
    failf(data, "librustcrypto: no SSL before TLS 1.2");
    return CURLE_SSL_ENGINE_INITFAILED;
  default: /* TLS 1.0 and 1.1 as a floor mean TLS 1.2 here */
    break;
  }
  switch(conn->version_max) {
  case CURL_SSLVERSION_MAX_TLSv1_2:
    max = 0x0303;
    break;
  case CURL_SSLVERSION_MAX_TLSv1_0:
  case CURL_SSLVERSION_MAX_TLSv1_1:
    failf(data, "librustcrypto: no TLS before 1.2");
    return CURLE_SSL_ENGINE_INITFAILED;
  default:
    break;
  }
  if(rustcrypto_tls_config_set_versions(config, min, max))
    return rc_fail(data, "TLS versions", CURLE_SSL_ENGINE_INITFAILED);
  return CURLE_OK;
}

static CURLcode rc_ciphers(struct Curl_easy *data, const struct ssl_primary_config *conn,
                           struct rustcrypto_tls_config *config)
{
  const char *tls12 = conn->cipher_list, *tls13 = conn->cipher_list13;
  CURLcode result = CURLE_OK;

  if(tls12 || tls13) {
    char *list = curl_maprintf("%s%s%s", tls13 ? tls13 : "", tls12 && tls13 ? ":" : "", tls12 ? tls12 : "");
    if(!list)
      return CURLE_OUT_OF_MEMORY;
    if(rustcrypto_tls_config_set_ciphers(config, list))
      result = rc_fail(data, "cipher list", CURLE_SSL_CIPHER);
    curl_free(list);
  }
  if(!result && conn->curves && rustcrypto_tls_config_set_groups(config, conn->curves))
    result = rc_fail(data, "key exchange groups", CURLE_SSL_CIPHER);
  return result;
}

static CURLcode rc_crl(struct Curl_easy *data, const char *file, struct rustcrypto_tls_config *config)
{
  CURLcode result = CURLE_SSL_CRL_BADFILE;
  struct dynbuf text;
  char chunk[1024];
  size_t n;
  FILE *f = curlx_fopen(file, "rb");

  if(!f) {
    failf(data, "librustcrypto: cannot read the CRL file %s", file);
    return result;
  }
  curlx_dyn_init(&text, CRL_MAX);
  while((n = fread(chunk, 1, sizeof(chunk), f)) > 0) {
    if(curlx_dyn_addn(&text, chunk, n)) {
      curlx_fclose(f);
      failf(data, "librustcrypto: the CRL file %s is too large", file);
      return result; /* dynbuf frees itself on failure */
    }
  }
  curlx_fclose(f);
  if(rustcrypto_tls_config_add_crl(config, curlx_dyn_uptr(&text), curlx_dyn_len(&text)))
    rc_fail(data, file, result);
  else
    result = CURLE_OK;
  curlx_dyn_free(&text);
  return result;
}

/* Whom to trust, and how strictly. */
static CURLcode rc_trust(struct Curl_easy *data, const struct ssl_primary_config *conn,
                         struct rustcrypto_tls_config *config)
{
  const struct curl_blob *blob = conn->ca_info_blob;

  if(!conn->verifypeer) {
    rustcrypto_tls_config_set_verify(config, RUSTCRYPTO_VERIFY_NONE);
    return CURLE_OK;
  }
  rustcrypto_tls_config_set_verify(config, RUSTCRYPTO_VERIFY_REQUIRED);
  rustcrypto_tls_config_set_verify_name(config, conn->verifyhost);
  /* CURLOPT_CAINFO_BLOB overrides CURLOPT_CAINFO */
  if(blob) {
    if(rustcrypto_tls_config_add_ca(config, blob->data, blob->len))
      return rc_fail(data, "CA certificates from memory", CURLE_SSL_CACERT_BADFILE);
  }
  else if(conn->CAfile && rustcrypto_tls_config_add_ca_file(config, conn->CAfile))
    return rc_fail(data, conn->CAfile, CURLE_SSL_CACERT_BADFILE);
  return conn->CRLfile ? rc_crl(data, conn->CRLfile, config) : CURLE_OK;
}

/* Our own certificate and key, each from a file or from memory. */
static CURLcode rc_identity(struct Curl_easy *data, const struct ssl_primary_config *conn,
                            const struct ssl_config_data *ssl_config, struct rustcrypto_tls_config *config)
{
  const struct curl_blob *cert = conn->cert_blob, *key = KEY_BLOB(ssl_config);
  const char *key_file = KEY_FILE(ssl_config) ? KEY_FILE(ssl_config) : conn->clientcert;
  int32_t rc;

  if(!cert && !conn->clientcert)
    return CURLE_OK;
  rc = cert ? rustcrypto_tls_config_set_cert(config, cert->data, cert->len) :
    rustcrypto_tls_config_set_cert_file(config, conn->clientcert);
  if(rc)
    return rc_fail(data, "client certificate", CURLE_SSL_CERTPROBLEM);
  if(key)
    rc = rustcrypto_tls_config_set_key(config, key->data, key->len);
  else if(key_file)
    rc = rustcrypto_tls_config_set_key_file(config, key_file);
  else /* one blob may hold both */
    rc = rustcrypto_tls_config_set_key(config, cert->data, cert->len);
  return rc ? rc_fail(data, "key of the client certificate", CURLE_SSL_CERTPROBLEM) : CURLE_OK;
}

static CURLcode rc_init_backend(struct Curl_cfilter *cf, struct Curl_easy *data, struct rc_backend *backend)
{
  struct ssl_connect_data *connssl = cf->ctx;
  const struct ssl_primary_config *conn = Curl_ssl_cf_get_primary_config(cf);
  const struct ssl_config_data *ssl_config = Curl_ssl_cf_get_config(cf, data);
  struct rustcrypto_tls_config *config = rustcrypto_tls_config_new(RUSTCRYPTO_CLIENT);
  CURLcode result;

  if(!config)
    return CURLE_OUT_OF_MEMORY;
  backend->config = config;
  if((result = rc_versions(data, conn, config)) || (result = rc_ciphers(data, conn, config)) ||
     (result = rc_trust(data, conn, config)) || (result = rc_identity(data, conn, ssl_config, config)))
    return result;
  if(connssl->alpn) {
    struct alpn_proto_buf protocols;
    if(Curl_alpn_to_proto_str(&protocols, connssl->alpn) ||
       rustcrypto_tls_config_set_alpn(config, (const char *)protocols.data))
      return rc_fail(data, "ALPN", CURLE_SSL_CONNECT_ERROR);
  }
  backend->tls = rustcrypto_tls_new(config);
  if(!backend->tls)
    return rc_fail(data, "session", CURLE_SSL_CONNECT_ERROR);
  if(rustcrypto_tls_set_io(backend->tls, rc_read_cb, rc_write_cb, backend) ||
     rustcrypto_tls_set_server_name(backend->tls, PEER_NAME(connssl)))
    return rc_fail(data, PEER_NAME(connssl), CURLE_SSL_CONNECT_ERROR);
  return CURLE_OK;
}

/* What a blocked call waits for; TRUE if it is only blocked. */
static bool rc_blocked(struct ssl_connect_data *connssl, int32_t rc)
{
  if(rc == RUSTCRYPTO_WANT_READ)
    connssl->io_need = CURL_SSL_IO_NEED_RECV;
  else if(rc == RUSTCRYPTO_WANT_WRITE)
    connssl->io_need = CURL_SSL_IO_NEED_SEND;
  else
    return FALSE;
  return TRUE;
}

static CURLcode rc_connect(struct Curl_cfilter *cf, struct Curl_easy *data, bool *done)
{
  struct ssl_connect_data *connssl = cf->ctx;
  const struct ssl_primary_config *conn = Curl_ssl_cf_get_primary_config(cf);
  struct rc_backend *backend = rc_enter(cf, data);
  const char *alpn;
  int32_t rc;

  *done = FALSE;
  connssl->io_need = CURL_SSL_IO_NEED_NONE;
  if(!backend->tls) {
    CURLcode result = rc_init_backend(cf, data, backend);
    if(result)
      return result;
    connssl->state = ssl_connection_negotiating;
  }
  rc = rustcrypto_tls_handshake(backend->tls);
  if(!rc)
    rc = rustcrypto_tls_flush(backend->tls);
  if(rc_blocked(connssl, rc))
    return CURLE_OK;
  if(rc) {
    failf(data, "librustcrypto: %s", rustcrypto_tls_error(backend->tls));
    return rc == RUSTCRYPTO_BAD_CERTIFICATE ? CURLE_PEER_FAILED_VERIFICATION : CURLE_SSL_CONNECT_ERROR;
  }
  /* Without verification of the chain the library looks at nothing; curl may still want the name checked. */
  if(!conn->verifypeer && conn->verifyhost && rustcrypto_tls_check_name(backend->tls, PEER_NAME(connssl)))
    return rc_fail(data, PEER_NAME(connssl), CURLE_PEER_FAILED_VERIFICATION);
  alpn = rustcrypto_tls_alpn(backend->tls);
  infof(data, "librustcrypto: %s, %s, key exchange %s",
        rustcrypto_tls_version(backend->tls) == 0x0304 ? "TLSv1.3" : "TLSv1.2",
        rustcrypto_tls_cipher_name(backend->tls), rustcrypto_tls_group_name(backend->tls));
  Curl_alpn_set_negotiated(cf, data, connssl, (const unsigned char *)alpn, alpn ? strlen(alpn) : 0);
  connssl->connecting_state = ssl_connect_done;
  connssl->state = ssl_connection_complete;
  *done = TRUE;
  return CURLE_OK;
}

static bool rc_data_pending(struct Curl_cfilter *cf, const struct Curl_easy *data)
{
  const struct ssl_connect_data *connssl = cf->ctx;
  const struct rc_backend *backend = (struct rc_backend *)connssl->backend;

  (void)data;
  return backend && backend->tls && rustcrypto_tls_pending(backend->tls) > 0;
}

static CURLcode rc_recv(struct Curl_cfilter *cf, struct Curl_easy *data, char *buf, size_t len, size_t *pnread)
{
  struct ssl_connect_data *connssl = cf->ctx;
  struct rc_backend *backend = rc_enter(cf, data);
  int32_t rc;

  *pnread = 0;
  connssl->io_need = CURL_SSL_IO_NEED_NONE;
  rc = rustcrypto_tls_read(backend->tls, (uint8_t *)buf, len, pnread);
  if(!rc)
    return CURLE_OK;
  *pnread = 0;
  if(rc_blocked(connssl, rc))
    return CURLE_AGAIN;
  if(rc == RUSTCRYPTO_CLOSED)
    return CURLE_OK;
  failf(data, "librustcrypto: %s", rustcrypto_tls_error(backend->tls));
  return CURLE_RECV_ERROR;
}

/* When the socket blocks after the library took bytes, curl hears "again" and offers the same bytes anew: they are only
 * flushed then. */
static CURLcode rc_send(struct Curl_cfilter *cf, struct Curl_easy *data, const void *buf, size_t len, size_t *pnwritten)
{
  struct ssl_connect_data *connssl = cf->ctx;
  struct rc_backend *backend = rc_enter(cf, data);
  int32_t rc = 0;

  *pnwritten = 0;
  connssl->io_need = CURL_SSL_IO_NEED_NONE;
  if(!backend->taken && len)
    rc = rustcrypto_tls_write(backend->tls, buf, len, &backend->taken);
  if(!rc)
    rc = rustcrypto_tls_flush(backend->tls);
  if(rc_blocked(connssl, rc))
    return CURLE_AGAIN;
  if(rc) {
    failf(data, "librustcrypto: %s", rustcrypto_tls_error(backend->tls));
    return CURLE_SEND_ERROR;
  }
  *pnwritten = backend->taken;
  backend->taken = 0;
  return CURLE_OK;
}

static CURLcode rc_shutdown(struct Curl_cfilter *cf, struct Curl_easy *data, bool send_shutdown, bool *done)
{
  struct ssl_connect_data *connssl = cf->ctx;
  struct rc_backend *backend = rc_enter(cf, data);
  CURLcode result = CURLE_OK;
  int32_t rc = 0;

  *done = TRUE;
  connssl->io_need = CURL_SSL_IO_NEED_NONE;
  if(!backend->tls || cf->shutdown)
    return CURLE_OK;
  if(!backend->sent_shutdown) {
    backend->sent_shutdown = TRUE;
    if(send_shutdown)
      rc = rustcrypto_tls_close(backend->tls);
  }
  if(!rc || rc_blocked(connssl, rc))
    rc = rustcrypto_tls_flush(backend->tls);
  while(!rc) { /* what the peer still sends, up to its close_notify */
    uint8_t rest[1024];
    size_t n;
    rc = rustcrypto_tls_read(backend->tls, rest, sizeof(rest), &n);
  }
  if(rc_blocked(connssl, rc))
    *done = FALSE;
  else if(rc != RUSTCRYPTO_CLOSED && rc != RUSTCRYPTO_TRUNCATED)
    result = CURLE_RECV_ERROR;
  cf->shutdown = (result || *done);
  return result;
}

static void rc_close(struct Curl_cfilter *cf, struct Curl_easy *data)
{
  struct rc_backend *backend = rc_enter(cf, data);

  rustcrypto_tls_free(backend->tls);
  rustcrypto_tls_config_free(backend->config);
  backend->tls = NULL;
  backend->config = NULL;
}

static size_t rc_version(char *buffer, size_t size)
{
  return curl_msnprintf(buffer, size, "librustcrypto/%s", rustcrypto_version());
}

static CURLcode rc_random(struct Curl_easy *data, unsigned char *entropy, size_t length)
{
  (void)data;
  return rustcrypto_random(entropy, length) ? CURLE_FAILED_INIT : CURLE_OK;
}

static CURLcode rc_sha256sum(const unsigned char *input, size_t inputlen, unsigned char *sum, size_t sumlen)
{
  return rustcrypto_digest(RUSTCRYPTO_SHA256, 1, &input, &inputlen, sum, sumlen) ? CURLE_FAILED_INIT : CURLE_OK;
}

/* CURLSSLBACKEND_RUSTLS, whose id we use, promises a pointer of another library here. */
static void *rc_get_internals(struct ssl_connect_data *connssl, CURLINFO info)
{
  (void)connssl;
  (void)info;
  return NULL;
}

const struct Curl_ssl Curl_ssl_rustcrypto = {
  { CURLSSLBACKEND_RUSTLS, "librustcrypto" },
  SSLSUPP_CAINFO_BLOB | SSLSUPP_HTTPS_PROXY | SSLSUPP_CIPHER_LIST | SSLSUPP_TLS13_CIPHERSUITES | SSLSUPP_SSL_EC_CURVES |
  SSLSUPP_CRLFILE,
  sizeof(struct rc_backend),

  NULL,                    /* init */
  NULL,                    /* cleanup */
  rc_version,              /* version */
  rc_shutdown,             /* shutdown */
  rc_data_pending,         /* data_pending */
  rc_random,               /* random */
  NULL,                    /* cert_status_request */
  rc_connect,              /* connect */
  Curl_ssl_adjust_pollset, /* adjust_pollset */
  rc_get_internals,        /* get_internals */
  rc_close,                /* close_one */
  NULL,                    /* close_all */
  NULL,                    /* set_engine */
  NULL,                    /* set_engine_default */
  NULL,                    /* engines_list */
  rc_sha256sum,            /* sha256sum */
  rc_recv,                 /* recv decrypted data */
  rc_send,                 /* send data to encrypt */
  NULL,                    /* get_channel_binding */
};

#endif /* USE_RUSTCRYPTO */
