/*
 * What differs between the hostap releases that the rustcrypto backend is built for, and what its files share
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 */

#ifndef RUSTCRYPTO_COMPAT_H
#define RUSTCRYPTO_COMPAT_H

#include <rustcrypto.h>

/* v2.11 is the first release with this macro in crypto.h. */
#ifdef HMAC_VECTOR_MAX_ELEM
#define RC_HOSTAP_2_11
#endif

/* Up to v2.10 these two gave out pointers to const that callers must free all the same. */
#ifdef RC_HOSTAP_2_11
#define RC_OWNED_CONST
#else
#define RC_OWNED_CONST const
#endif

/* hostap's scatter lists are const in the elements only. */
#define RC_ADDR(addr) ((const uint8_t *const *) (addr))

/* 0 or -1 as hostap wants it, with the library's own sentence in the debug log. */
static inline int rc_result(int32_t result, const char *what)
{
	if (result == RUSTCRYPTO_OK)
		return 0;
	wpa_printf(MSG_DEBUG, "rustcrypto: %s: %s", what,
		   rustcrypto_last_error());
	return -1;
}

#define RC(call) rc_result((call), __func__)

#endif /* RUSTCRYPTO_COMPAT_H */
