/*
 * WPS by hostap's own code: an access point as registrar and a station as enrollee, with a PIN (DH group 5)
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "includes.h"

#include "common.h"
#include "eloop.h"
#include "wpabuf.h"
#include "common/ieee802_11_defs.h"
#include "wps/wps.h"
#include "peer.h"

static u8 network_key[] = "twelve of one and a dozen of the other";


static int learned(void *ctx, const struct wps_credential *cred)
{
	tell("network key", cred->key, cred->key_len);
	*(int *) ctx = 1;
	return 0;
}


static int rf_band(void *ctx)
{
	return WPS_RF_24GHZ;
}


static void describe(struct wps_context *wps, int ap)
{
	os_memset(wps, 0, sizeof(*wps));
	wps->ap = ap;
	wps->rf_band_cb = rf_band;
	wps->wps_state = ap ? WPS_STATE_CONFIGURED : WPS_STATE_NOT_CONFIGURED;
	os_memset(wps->uuid, ap ? 0xaa : 0x55, sizeof(wps->uuid));
	os_memset(wps->dev.mac_addr, ap ? 2 : 4, ETH_ALEN);
	wps->config_methods = WPS_CONFIG_LABEL | WPS_CONFIG_DISPLAY;
	wps->auth_types = wps->ap_auth_type = WPS_AUTH_WPA2PSK;
	wps->encr_types = wps->encr_types_rsn = wps->ap_encr_type =
		WPS_ENCR_AES;
	os_memcpy(wps->ssid, "rustcrypto", 10);
	wps->ssid_len = 10;
}


/* One octet of op code before the message: EAP-WSC has it in its header. */
static int send_message(struct wps_data *wps, enum wsc_op_code *op)
{
	struct wpabuf *msg = wps_get_msg(wps, op), *frame;
	int ret = -1;

	frame = msg ? wpabuf_alloc(1 + wpabuf_len(msg)) : NULL;
	if (frame) {
		wpabuf_put_u8(frame, *op);
		wpabuf_put_buf(frame, msg);
		ret = frame_send(frame);
	}
	wpabuf_free(frame);
	wpabuf_free(msg);
	return ret;
}


static enum wps_process_res take_message(struct wps_data *wps)
{
	struct wpabuf *frame = frame_receive(), msg;
	enum wps_process_res res = WPS_FAILURE;

	if (frame && wpabuf_len(frame) > 0) {
		wpabuf_set(&msg, wpabuf_head_u8(frame) + 1,
			   wpabuf_len(frame) - 1);
		res = wps_process_msg(wps, wpabuf_head_u8(frame)[0], &msg);
	}
	wpabuf_free(frame);
	return res;
}


static int talk(struct wps_data *data, int ap)
{
	enum wps_process_res res;
	enum wsc_op_code op = WSC_MSG;

	if (!ap && send_message(data, &op) < 0)
		return -1;
	for (;;) {
		res = take_message(data);
		if (res == WPS_DONE)
			return op == WSC_NACK ? -1 : 0;
		if (res == WPS_FAILURE) {
			/* the other end is told, as EAP-WSC does it */
			send_message(data, &op);
			return -1;
		}
		if (send_message(data, &op) < 0)
			return -1;
		if (op == WSC_Done)
			return 0;
		if (op == WSC_NACK)
			return -1;
	}
}


int peer_wps(int argc, char *argv[])
{
	struct wps_context wps;
	struct wps_registrar_config reg;
	struct wps_config cfg;
	struct wps_data *data;
	const char *pin = argv[0];
	int ap = os_strcmp(argv[1], "ap") == 0, ret = -1, told = 0;

	if (eloop_init() < 0)
		return 2;
	describe(&wps, ap);
	os_memset(&reg, 0, sizeof(reg));
	os_memset(&cfg, 0, sizeof(cfg));
	cfg.wps = &wps;
	if (ap) {
		wps.network_key = network_key;
		wps.network_key_len = sizeof(network_key) - 1;
		wps.registrar = wps_registrar_init(&wps, &reg);
		if (!wps.registrar ||
		    wps_registrar_add_pin(wps.registrar, NULL, NULL,
					  (const u8 *) pin, os_strlen(pin),
					  0) < 0)
			return 2;
		cfg.registrar = 1;
	} else {
		wps.cred_cb = learned;
		wps.cb_ctx = &told;
		cfg.pin = (const u8 *) pin;
		cfg.pin_len = os_strlen(pin);
		cfg.dev_pw_id = DEV_PW_DEFAULT;
	}
	data = wps_init(&cfg);
	if (data)
		ret = talk(data, ap);
	if (ret == 0 && ap)
		tell("network key", network_key, sizeof(network_key) - 1);
	else if (ret == 0 && !told)
		ret = -1;
	if (data)
		wps_deinit(data);
	if (ap)
		wps_registrar_deinit(wps.registrar);
	wpabuf_clear_free(wps.dh_privkey);
	wpabuf_free(wps.dh_pubkey);
	eloop_destroy();
	return ret == 0 ? 0 : 1;
}
