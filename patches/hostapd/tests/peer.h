/*
 * A peer made of hostap's own protocol code, to talk to one built on another crypto library
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef PEER_H
#define PEER_H

/* Frames over stdin and stdout: two octets of length, then the octets. 0, or -1 when the other end is gone. */
int frame_send(const struct wpabuf *frame);
struct wpabuf * frame_receive(void);

/* "name hex" on stderr, which is where results go */
void tell(const char *name, const u8 *data, size_t len);

int peer_sae(int argc, char *argv[]);  /* sae GROUP METHOD COUNT ap|sta */
int peer_self(int argc, char *argv[]); /* self GROUP METHOD COUNT: both ends in this process */
int peer_fuzz(int argc, char *argv[]); /* fuzz GROUP METHOD COUNT SEED: mutated frames */
int peer_owe(int argc, char *argv[]);  /* owe GROUP COUNT ap|sta */
int peer_wps(int argc, char *argv[]);  /* wps PIN ap|sta */
int peer_mesh(int argc, char *argv[]); /* mesh GROUP ap|sta: SAE, then a peering */
int peer_keys(int argc, char *argv[]); /* keys: what PSK and FT derive, from fixed input */
int peer_modules(int argc, char *argv[]); /* modules: hostap's own module tests */

struct sae_data;

/* SAE by hash-to-element over the pipe, then `next_step` with the result while it is valid. 0 or -1. */
int sae_then(int group, int ap,
	     int (*next_step)(struct sae_data *sae, const u8 *own, const u8 *peer,
			      int ap));

#endif /* PEER_H */
