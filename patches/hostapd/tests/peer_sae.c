/*
 * SAE by hostap's own sae.c: one end over a pipe, both ends in one process, or against mutated frames
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "includes.h"
#include <time.h>

#include "common.h"
#include "wpabuf.h"
#include "common/ieee802_11_defs.h"
#include "common/sae.h"
#include "crypto/crypto.h"
#include "peer.h"

/* The two releases' signatures differ in an out parameter. */
#ifdef HMAC_VECTOR_MAX_ELEM
#define LAST(p) , (p)
#else
#define LAST(p)
#endif

enum method { HNP, H2E, PK };

static const u8 ap_addr[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
static const u8 sta_addr[ETH_ALEN] = { 2, 0, 0, 0, 0, 2 };

/* SAE-PK: the password is a fingerprint of SSID, modifier and key; made once by hostap's sae_pk_gen on OpenSSL. */
#define PK_SSID "rustcrypto SAE-PK"
#define PK_PASSWORD "rqg2-4nth-4uxl"
#define PK_AP "0c30403f15eef5c3b52eeafac314fa29:" \
	"MHcCAQEEIOQHcV0XEemXW6DYfnunFVPZU3Qel1U/DL/q5KWx6W3DoAoGCCqGSM49" \
	"AwEHoUQDQgAEk4fgBLWvY9kEoj7wMQvIZYHcM4XAqJ8YN1L3mcqlY3hrPukVA2Vt" \
	"D/G65XcQ/Aak035IUXj8LpeIzcJAz9A3tw=="

struct side {
	struct sae_data sae;
	struct sae_pt *pt;
	struct sae_pk *pk;
	enum method method;
	int group, ap;
};


static void side_deinit(struct side *side)
{
	sae_clear_data(&side->sae);
	sae_deinit_pt(side->pt);
#ifdef CONFIG_SAE_PK
	sae_deinit_pk(side->pk);
#endif
	os_memset(side, 0, sizeof(*side));
}


static const char * password(const struct side *side)
{
	return side->method == PK ? PK_PASSWORD : "mekmitasdigoat";
}


/* What a configuration makes once: the password element's precomputation */
static int side_init(struct side *side, int group, enum method method, int ap)
{
	const char *ssid = method == PK ? PK_SSID : "byteme";
	int groups[2] = { group, 0 };

	os_memset(side, 0, sizeof(*side));
	side->group = group;
	side->method = method;
	side->ap = ap;
	if (method == HNP)
		return 0;
	side->pt = sae_derive_pt(groups, (const u8 *) ssid, os_strlen(ssid),
				 (const u8 *) password(side),
				 os_strlen(password(side)), NULL);
#ifdef CONFIG_SAE_PK
	if (method == PK && ap) {
		side->pk = sae_parse_pk(PK_AP);
		if (!side->pk)
			return -1;
	}
#endif
	return side->pt ? 0 : -1;
}


static int side_prepare(struct side *side)
{
	const u8 *own = side->ap ? ap_addr : sta_addr;
	const u8 *peer = side->ap ? sta_addr : ap_addr;
	struct sae_data *sae = &side->sae;

	sae_clear_data(sae);
	if (sae_set_group(sae, side->group) < 0)
		return -1;
	if (side->method == HNP)
		return sae_prepare_commit(own, peer,
					  (const u8 *) password(side),
					  os_strlen(password(side)), sae);
#ifdef CONFIG_SAE_PK
	if (side->method == PK) {
		os_memcpy(sae->tmp->ssid, PK_SSID, os_strlen(PK_SSID));
		sae->tmp->ssid_len = os_strlen(PK_SSID);
		if (!side->ap && sae_pk_set_password(sae, PK_PASSWORD) < 0)
			return -1;
		sae->pk = 1;
	}
#endif
	return sae_prepare_commit_pt(sae, side->pt, own, peer, NULL, side->pk);
}


static struct wpabuf * side_commit(struct side *side)
{
	struct wpabuf *buf = wpabuf_alloc(SAE_COMMIT_MAX_LEN);

	if (buf && (side_prepare(side) < 0 ||
		    sae_write_commit(&side->sae, buf, NULL, NULL) < 0)) {
		wpabuf_free(buf);
		return NULL;
	}
	return buf;
}


static int side_take_commit(struct side *side, const u8 *data, size_t len)
{
	int groups[2] = { side->group, 0 };
	const u8 *token;
	size_t token_len;

	if (sae_parse_commit(&side->sae, data, len, &token, &token_len, groups,
			     side->method != HNP LAST(NULL)) !=
	    WLAN_STATUS_SUCCESS)
		return -1;
	return sae_process_commit(&side->sae);
}


static struct wpabuf * side_confirm(struct side *side)
{
	struct wpabuf *buf = wpabuf_alloc(SAE_CONFIRM_MAX_LEN);

	if (buf && sae_write_confirm(&side->sae, buf) < 0) {
		wpabuf_free(buf);
		return NULL;
	}
	return buf;
}


static int side_take_confirm(struct side *side, const u8 *data, size_t len)
{
	return sae_check_confirm(&side->sae, data, len LAST(NULL));
}


static int method_of(const char *name)
{
	return os_strcmp(name, "hnp") == 0 ? HNP :
		os_strcmp(name, "h2e") == 0 ? H2E :
		os_strcmp(name, "pk") == 0 ? PK : -1;
}


/* One end of an exchange over the pipe */
static int over_pipe(struct side *side)
{
	struct wpabuf *out, *in;
	int ret = -1;

	out = side_commit(side);
	if (!out || frame_send(out) < 0)
		goto fail;
	in = frame_receive();
	if (!in || side_take_commit(side, wpabuf_head(in), wpabuf_len(in)) < 0)
		goto fail_in;
	wpabuf_free(in);
	wpabuf_free(out);
	in = NULL;
	out = side_confirm(side);
	if (!out || frame_send(out) < 0)
		goto fail;
	in = frame_receive();
	if (in)
		ret = side_take_confirm(side, wpabuf_head(in), wpabuf_len(in));
fail_in:
	wpabuf_free(in);
fail:
	wpabuf_free(out);
	return ret;
}


int peer_sae(int argc, char *argv[])
{
	struct side side;
	int i, count = atoi(argv[2]), ret = -1, method = method_of(argv[1]);

	if (method < 0)
		return 2;
	if (side_init(&side, atoi(argv[0]), method,
		      os_strcmp(argv[3], "ap") == 0) == 0) {
		ret = 0;
		for (i = 0; i < count && ret == 0; i++)
			ret = over_pipe(&side);
	}
	if (ret == 0) {
		tell("pmk", side.sae.pmk, SAE_PMK_LEN);
		tell("pmkid", side.sae.pmkid, SAE_PMKID_LEN);
	}
	side_deinit(&side);
	return ret == 0 ? 0 : 1;
}


int sae_then(int group, int ap,
	     int (*next_step)(struct sae_data *sae, const u8 *own, const u8 *peer,
			      int ap))
{
	struct side side;
	int ret = -1;

	if (side_init(&side, group, H2E, ap) == 0)
		ret = over_pipe(&side);
	if (ret == 0)
		ret = next_step(&side.sae, ap ? ap_addr : sta_addr,
				ap ? sta_addr : ap_addr, ap);
	side_deinit(&side);
	return ret;
}


/* Both ends here: every step must succeed and the keys must be the same and not all zero. */
static int in_process(struct side *ap, struct side *sta)
{
	static const u8 zero[SAE_PMK_LEN];
	struct wpabuf *a = NULL, *s = NULL;
	int ret = -1;

	a = side_commit(ap);
	s = side_commit(sta);
	if (!a || !s ||
	    side_take_commit(ap, wpabuf_head(s), wpabuf_len(s)) < 0 ||
	    side_take_commit(sta, wpabuf_head(a), wpabuf_len(a)) < 0)
		goto out;
	wpabuf_free(a);
	wpabuf_free(s);
	a = side_confirm(ap);
	s = side_confirm(sta);
	if (!a || !s ||
	    side_take_confirm(ap, wpabuf_head(s), wpabuf_len(s)) < 0 ||
	    side_take_confirm(sta, wpabuf_head(a), wpabuf_len(a)) < 0)
		goto out;
	if (os_memcmp(ap->sae.pmk, sta->sae.pmk, SAE_PMK_LEN) != 0 ||
	    os_memcmp(ap->sae.pmk, zero, SAE_PMK_LEN) == 0) {
		fprintf(stderr, "weak or unequal key\n");
		exit(3);
	}
	ret = 0;
out:
	wpabuf_free(a);
	wpabuf_free(s);
	return ret;
}


int peer_self(int argc, char *argv[])
{
	struct side ap, sta;
	int i, ret = -1, count = atoi(argv[2]), group = atoi(argv[0]);
	int method = method_of(argv[1]);
	clock_t start;

	if (method < 0)
		return 2;
	os_memset(&sta, 0, sizeof(sta));
	if (side_init(&ap, group, method, 1) == 0 &&
	    side_init(&sta, group, method, 0) == 0) {
		ret = 0;
		start = clock();
		for (i = 0; i < count && ret == 0; i++)
			ret = in_process(&ap, &sta);
		if (count > 0)
			fprintf(stderr, "cpu %ld us each\n",
				(long) ((clock() - start) * 1000000.0 /
					CLOCKS_PER_SEC / count));
	}
	if (ret == 0)
		tell("pmk", ap.sae.pmk, SAE_PMK_LEN);
	else
		fprintf(stderr, "refused\n");
	side_deinit(&ap);
	side_deinit(&sta);
	return ret == 0 ? 0 : 1;
}


static unsigned int seed;

/* A little generator of our own, so that a seed means the same everywhere */
static unsigned int next(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % below;
}


/* Some octets changed, or the end cut, or something added */
static struct wpabuf * mutated(const struct wpabuf *frame)
{
	struct wpabuf *out = wpabuf_alloc(wpabuf_len(frame) + 64);
	unsigned int i, n = 1 + next(8);
	size_t len = wpabuf_len(frame);

	if (!out)
		return NULL;
	wpabuf_put_buf(out, frame);
	switch (next(4)) {
	case 0:
		out->used = next(len + 1);
		break;
	case 1:
		for (i = 0; i < 1 + next(64); i++)
			wpabuf_put_u8(out, next(256));
		break;
	case 2: /* a scalar or a coordinate of all zeros or all ones */
		i = len > 34 ? 2 + next(len - 34) : 0;
		os_memset(wpabuf_mhead_u8(out) + i, next(2) ? 0xff : 0,
			  len - i < 32 ? len - i : 32);
		break;
	default:
		while (n--)
			wpabuf_mhead_u8(out)[next(len)] = next(256);
	}
	return out;
}


/* No mutated commit and no mutated confirm may end in a key that only one side has; nothing may crash. */
int peer_fuzz(int argc, char *argv[])
{
	struct side ap, sta;
	struct wpabuf *a, *s, *m;
	int i, taken = 0, count = atoi(argv[2]), group = atoi(argv[0]);
	int method = method_of(argv[1]), same;

	seed = atoi(argv[3]);
	if (method < 0 || side_init(&ap, group, method, 1) < 0 ||
	    side_init(&sta, group, method, 0) < 0)
		return 2;
	for (i = 0; i < count; i++) {
		a = side_commit(&ap);
		s = side_commit(&sta);
		m = s ? mutated(s) : NULL;
		if (!a || !m)
			return 2;
		same = wpabuf_len(m) >= wpabuf_len(s) &&
			os_memcmp(wpabuf_head(m), wpabuf_head(s),
				  wpabuf_len(s)) == 0;
		if (side_take_commit(&ap, wpabuf_head(m), wpabuf_len(m)) == 0) {
			taken++;
			wpabuf_free(m);
			m = NULL;
			if (side_take_commit(&sta, wpabuf_head(a),
					     wpabuf_len(a)) == 0) {
				wpabuf_free(s);
				s = side_confirm(&sta);
				m = s ? mutated(s) : NULL;
			}
			wpabuf_free(side_confirm(&ap));
			if (m && !same &&
			    (side_take_confirm(&ap, wpabuf_head(s),
					       wpabuf_len(s)) == 0)) {
				fprintf(stderr, "a changed commit was confirmed\n");
				return 3;
			}
			if (m)
				side_take_confirm(&ap, wpabuf_head(m),
						  wpabuf_len(m));
		}
		wpabuf_free(a);
		wpabuf_free(s);
		wpabuf_free(m);
	}
	side_deinit(&ap);
	side_deinit(&sta);
	fprintf(stderr, "mutated %d taken %d\n", count, taken);
	return 0;
}
