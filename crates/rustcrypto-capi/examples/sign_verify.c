/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * Sign a file and check the signature, as a package manager does:
 *   sign_verify sign KEY.pem FILE > SIGNATURE      sign_verify verify PUBLIC.pem FILE SIGNATURE */
#include "common.h"

static uint8_t *read_file(const char *path, size_t *len)
{
	uint8_t *data = NULL;
	size_t n, room = 0;
	FILE *file = fopen(path, "rb");

	if (!file)
		die(1, path, strerror(errno));
	*len = 0;
	do {
		room += 65536;
		data = realloc(data, room);
		if (!data)
			die(1, path, "out of memory");
		n = fread(data + *len, 1, room - *len, file);
		*len += n;
	} while (n == 65536);
	fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	int sign = argc == 4 && !strcmp(argv[1], "sign");
	rustcrypto_key *key;
	size_t len, sig_len;
	uint8_t *data, *sig;
	int32_t result;

	if (!sign && !(argc == 5 && !strcmp(argv[1], "verify")))
		die(1, "usage", "sign_verify sign KEY FILE | sign_verify verify PUBLIC-KEY FILE SIGNATURE");
	key = sign ? rustcrypto_key_load_private_file(argv[2]) : rustcrypto_key_load_public_file(argv[2]);
	if (!key)
		die(EXIT_TLS, argv[2], rustcrypto_last_error());
	data = read_file(argv[3], &len);

	if (sign) {
		uint8_t out[8192];

		result = rustcrypto_key_sign(key, RUSTCRYPTO_SHA256, RUSTCRYPTO_DEFAULT, data, len, out, sizeof(out), &sig_len);
		check(result, "sign");
		fwrite(out, 1, sig_len, stdout);
	} else {
		sig = read_file(argv[4], &sig_len);
		result = rustcrypto_key_verify(key, RUSTCRYPTO_SHA256, RUSTCRYPTO_DEFAULT, data, len, sig, sig_len);
		check(result, "verify");
		puts("good signature");
		free(sig);
	}
	free(data);
	rustcrypto_key_free(key);
	return 0;
}
