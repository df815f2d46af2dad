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
int peer_keys(int argc, char *argv[]); /* keys: what PSK and FT derive, from fixed input */
int peer_modules(int argc, char *argv[]); /* modules: hostap's own module tests */

#endif /* PEER_H */
