/* SPDX-License-Identifier: curl */
#ifndef HEADER_CURL_RUSTCRYPTO_H
#define HEADER_CURL_RUSTCRYPTO_H
#include "curl_setup.h"

#ifdef USE_RUSTCRYPTO
extern const struct Curl_ssl Curl_ssl_rustcrypto;
#endif

#endif /* HEADER_CURL_RUSTCRYPTO_H */
