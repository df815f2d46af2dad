/*
 * A mesh peering by hostap's own code: SAE, then the keys and the protected peering frames of 802.11s (AMPE, AES-SIV)
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "includes.h"

#include "common.h"
#include "wpabuf.h"
#include "common/ieee802_11_defs.h"
#include "common/ieee802_11_common.h"
#include "common/sae.h"
#include "common/wpa_common.h"
#include "ap/hostapd.h"
#include "ap/sta_info.h"
#include "wpa_supplicant_i.h"
#include "driver_i.h"
#include "mesh_rsn.h"
#include "peer.h"

/* category, action, capability */
#define HEAD 4

static const struct wpa_driver_ops no_driver = { .name = "none" };
static struct wpa_supplicant wpa_s;
static struct mesh_rsn rsn;
static struct sta_info sta;


static int send_open(void)
{
	struct wpabuf *frame = wpabuf_alloc(512);
	int ret = -1;

	if (!frame)
		return -1;
	wpabuf_put_u8(frame, WLAN_ACTION_SELF_PROTECTED);
	wpabuf_put_u8(frame, PLINK_OPEN);
	wpabuf_put_le16(frame, 0);
	if (mesh_rsn_protect_frame(&rsn, &sta, wpabuf_head(frame), frame) == 0)
		ret = frame_send(frame);
	wpabuf_free(frame);
	return ret;
}


/* 0 if the frame is the peer's. Decrypting changes it, so a copy is taken; `flip` is an octet to change before. */
static int take_open(const struct wpabuf *frame, int flip)
{
	struct wpabuf *copy = wpabuf_dup(frame);
	struct ieee802_11_elems elems;
	const u8 *head, *ies;
	size_t len;
	int ret = -1;

	if (copy && wpabuf_len(copy) > HEAD + 60) {
		if (flip)
			wpabuf_mhead_u8(copy)[wpabuf_len(copy) - flip] ^= 1;
		head = wpabuf_head_u8(copy);
		ies = head + HEAD;
		len = wpabuf_len(copy) - HEAD;
		if (ieee802_11_parse_elems(ies, len, &elems, 0) != ParseFailed)
			ret = mesh_rsn_process_ampe(&wpa_s, &sta, &elems, head,
						    NULL, ies, len);
	}
	wpabuf_free(copy);
	return ret;
}


/* After SAE: `sae` has the PMK; addresses are those of the SAE exchange. */
static int peering(struct sae_data *sae, const u8 *own, const u8 *peer, int ap)
{
	struct wpabuf *frame;
	int ret = -1;

	wpa_s.driver = &no_driver;
	wpa_s.mesh_rsn = &rsn;
	os_memcpy(wpa_s.own_addr, own, ETH_ALEN);
	os_memcpy(sta.addr, peer, ETH_ALEN);
	sta.sae = sae;
	sta.my_lid = ap ? 1 : 2;
	sta.peer_lid = ap ? 2 : 1;
	rsn.wpa_s = &wpa_s;
	rsn.pairwise_cipher = rsn.group_cipher = WPA_CIPHER_CCMP;
	rsn.mgmt_group_cipher = WPA_CIPHER_AES_128_CMAC;
	rsn.mgtk_len = rsn.igtk_len = 16;
	rsn.mgtk_key_id = 1;
	rsn.igtk_key_id = 4;
	if (os_get_random(rsn.mgtk, 16) < 0 ||
	    os_get_random(rsn.igtk, 16) < 0)
		return -1;

	mesh_rsn_init_ampe_sta(&wpa_s, &sta);
	if (send_open() < 0)
		return -1;
	frame = frame_receive();
	if (!frame)
		return -1;
	if (take_open(frame, 1) == 0 || take_open(frame, 40) == 0)
		fprintf(stderr, "a changed frame was taken\n");
	else if (take_open(frame, 0) == 0)
		ret = mesh_rsn_derive_mtk(&wpa_s, &sta);
	wpabuf_free(frame);
	if (ret == 0) {
		tell("mtk", sta.mtk, sta.mtk_len);
		tell("mgtk", ap ? rsn.mgtk : sta.mgtk, 16);
		tell("mgtk", ap ? sta.mgtk : rsn.mgtk, 16);
		tell("igtk", ap ? rsn.igtk : sta.igtk, 16);
		tell("igtk", ap ? sta.igtk : rsn.igtk, 16);
	}
	sta.sae = NULL;
	return ret;
}


int peer_mesh(int argc, char *argv[])
{
	int ap = os_strcmp(argv[1], "ap") == 0;

	return sae_then(atoi(argv[0]), ap, peering) == 0 ? 0 : 1;
}
