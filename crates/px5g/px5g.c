/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * px5g: keys and self-signed certificates for routers, with the command line of OpenWrt's px5g, on librustcrypto. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <rustcrypto.h>

#include "px5g.h"

#define RSA_MIN 2048
#define RSA_SLOW 4096
#define RSA_MAX 8192
#define DAY 86400LL
#define MAX_DAYS 36500
/* A clock before 2024 was never set. The certificate must be valid when it is, so it starts then and gets ten years more. */
#define CLOCK_UNSET_BEFORE 1704067200LL
#define CLOCK_UNSET_EXTRA (3652 * DAY)

struct key_options {
	int32_t type; /* of rustcrypto_key_type */
	uint32_t bits; /* of an RSA key */
	int32_t format;
};

void die(const char *format, ...)
{
	va_list args;

	fputs("px5g: error: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void die_of_library(const char *what)
{
	die("%s: %s", what, rustcrypto_last_error());
}

char *format_name(const char *format, ...)
{
	va_list args;
	char *out;

	va_start(args, format);
	if (vasprintf(&out, format, args) < 0)
		die("out of memory");
	va_end(args);
	return out;
}

void add_name(struct names *names, const char *name)
{
	if (names->n == MAX_NAMES)
		die("more than %d names", MAX_NAMES);
	names->name[names->n++] = name;
}

static long number(const char *what, const char *text, long min, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end)
		die("%s is not a number: %s", what, text);
	if (value < min || value > max)
		die("%s must be %ld to %ld, not %s", what, min, max, text);
	return value;
}

static void set_rsa(struct key_options *key, const char *bits)
{
	key->type = RUSTCRYPTO_KEY_RSA;
	key->bits = (uint32_t)number("the length of an RSA key in bits", bits, RSA_MIN, RSA_MAX);
}

static void set_curve(struct key_options *key, const char *name)
{
	static const struct {
		const char *name;
		int32_t type;
	} curves[] = {
		{ "P-256", RUSTCRYPTO_KEY_P256 }, { "prime256v1", RUSTCRYPTO_KEY_P256 }, { "secp256r1", RUSTCRYPTO_KEY_P256 },
		{ "P-384", RUSTCRYPTO_KEY_P384 }, { "secp384r1", RUSTCRYPTO_KEY_P384 },
		{ "P-521", RUSTCRYPTO_KEY_P521 }, { "secp521r1", RUSTCRYPTO_KEY_P521 },
	};
	size_t i;

	for (i = 0; i < sizeof(curves) / sizeof(curves[0]); i++) {
		if (!strcasecmp(name, curves[i].name)) {
			key->type = curves[i].type;
			return;
		}
	}
	die("unknown curve: %s (known: P-256, P-384, P-521)", name);
}

static rustcrypto_key *generate(const struct key_options *options)
{
	rustcrypto_key *key;

	if (options->type == RUSTCRYPTO_KEY_RSA) {
		fprintf(stderr, "Generating RSA private key, %u bit long modulus\n", options->bits);
		if (options->bits >= RSA_SLOW)
			fputs("px5g: warning: an RSA key this long makes every HTTPS connection slow; -newkey ec does not\n", stderr);
	} else {
		fputs("Generating EC private key\n", stderr);
	}
	key = rustcrypto_key_generate(options->type, options->bits);
	if (!key)
		die_of_library("cannot generate the key");
	return key;
}

/* Ask for the length, then for the bytes. The caller frees. */
static uint8_t *private_key(const rustcrypto_key *key, int32_t format, size_t *len)
{
	uint8_t *out;

	rustcrypto_key_private(key, format, NULL, 0, len);
	out = malloc(*len + 1);
	if (!out)
		die("out of memory");
	if (rustcrypto_key_private(key, format, out, *len, len) != RUSTCRYPTO_OK)
		die_of_library("cannot write the key");
	return out;
}

static void write_private_key(const rustcrypto_key *key, int32_t format, const char *path)
{
	size_t len;
	uint8_t *data = private_key(key, format, &len);

	write_output(path, data, len, true);
	rustcrypto_wipe(data, len);
	free(data);
}

/* The value of an option, or a complaint. */
static const char *value(char ***arg)
{
	if (!(*arg)[1])
		die("%s needs a value", **arg);
	return *++*arg;
}

static int key_command(bool rsa, char **arg)
{
	struct key_options options = {
		.type = rsa ? RUSTCRYPTO_KEY_RSA : RUSTCRYPTO_KEY_P256, .bits = RSA_MIN, .format = RUSTCRYPTO_PEM
	};
	const char *out = NULL;
	rustcrypto_key *key;

	for (; *arg && **arg == '-'; arg++) {
		if (!strcmp(*arg, "-out"))
			out = value(&arg);
		else if (!strcmp(*arg, "-der"))
			options.format = RUSTCRYPTO_DER;
		else if (!strcmp(*arg, "-3"))
			die("-3 (public exponent 3) is not offered; without it the exponent is 65537");
		else
			die("unknown option: %s", *arg);
	}
	if (*arg) {
		if (rsa)
			set_rsa(&options, *arg);
		else
			set_curve(&options, *arg);
		if (arg[1])
			die("one argument too many: %s", arg[1]);
	}

	key = generate(&options);
	write_private_key(key, options.format, out);
	rustcrypto_key_free(key);
	return 0;
}

/* "/C=ZZ/O=OpenWrt/CN=router" as an array of KEY=value. */
static void set_subject(struct names *subject, const char *text)
{
	char *copy = format_name("%s", text), *part, *rest;

	if (*copy != '/')
		die("the subject must look like /C=ZZ/O=OpenWrt/CN=router: %s", text);
	subject->n = 0;
	for (part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		char *equals = strchr(part, '=');

		if (!equals)
			die("a part of the subject is not KEY=value: %s", part);
		if (equals[1]) /* an empty attribute, as scripts produce from unset options, is left out */
			add_name(subject, part);
	}
}

static void add_extension(struct names *sans, const char *text)
{
	const char *equals = strchr(text, '=');

	if (equals && !strncmp(text, "subjectAltName=", (size_t)(equals + 1 - text))) {
		char *copy = format_name("%s", equals + 1), *part, *rest;

		for (part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest))
			add_name(sans, part + strspn(part, " "));
	} else if (!strcmp(text, "extendedKeyUsage=serverAuth")) {
		/* always there */
	} else if (!strncmp(text, "extendedKeyUsage=", strlen("extendedKeyUsage="))) {
		fputs("px5g: note: the extended key usage is serverAuth, which is what browsers want\n", stderr);
	} else {
		die("unknown extension: %s (known: subjectAltName=DNS:...,IP:...)", text);
	}
}

/* Names for a certificate that was asked for without any: its common name and the LAN's addresses. */
static void complete_names(struct names *sans, const struct names *subject)
{
	bool has_address = false;
	size_t i;

	for (i = 0; i < sans->n; i++)
		has_address |= !strncasecmp(sans->name[i], "IP:", 3);
	if (!sans->n) {
		for (i = 0; i < subject->n; i++) {
			const char *name = subject->name[i];
			unsigned char address[16];

			if (strncasecmp(name, "CN=", 3))
				continue;
			name += 3;
			if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1)
				add_name(sans, format_name("IP:%s", name));
			else if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")] == 0)
				add_name(sans, format_name("DNS:%s", name));
		}
	}
	if (!has_address)
		add_lan_addresses(sans);
	if (!sans->n)
		die("no name for the certificate: give -subj /CN=HOST or -addext subjectAltName=DNS:HOST,IP:ADDRESS");
}

static int selfsigned_command(char **arg)
{
	struct key_options options = { .type = RUSTCRYPTO_KEY_P256, .format = RUSTCRYPTO_PEM };
	struct names subject = { .n = 0 }, sans = { .n = 0 };
	const char *keyout = NULL, *out = NULL, *curve = NULL;
	int64_t from = time(NULL), to, days = 30;
	size_t len = 0;
	rustcrypto_key *key;
	uint8_t *certificate;

	for (; *arg; arg++) {
		const char *option = *arg;

		if (!strcmp(option, "-der")) {
			options.format = RUSTCRYPTO_DER;
		} else if (!strcmp(option, "-newkey")) {
			const char *kind = value(&arg);

			if (!strncmp(kind, "rsa:", 4))
				set_rsa(&options, kind + 4);
			else if (!strcmp(kind, "ec"))
				options.type = RUSTCRYPTO_KEY_P256;
			else
				die("unknown kind of key: %s (known: ec, rsa:BITS)", kind);
		} else if (!strcmp(option, "-days")) {
			days = number("-days", value(&arg), 1, MAX_DAYS);
		} else if (!strcmp(option, "-pkeyopt")) {
			const char *text = value(&arg);

			if (strncmp(text, "ec_paramgen_curve:", strlen("ec_paramgen_curve:")))
				die("unknown key option: %s (known: ec_paramgen_curve:CURVE)", text);
			curve = text + strlen("ec_paramgen_curve:");
		} else if (!strcmp(option, "-keyout")) {
			keyout = value(&arg);
		} else if (!strcmp(option, "-out")) {
			out = value(&arg);
		} else if (!strcmp(option, "-subj")) {
			set_subject(&subject, value(&arg));
		} else if (!strcmp(option, "-addext")) {
			add_extension(&sans, value(&arg));
		} else if (strcmp(option, "-sha256") && strcmp(option, "-nodes") && strcmp(option, "-x509")) {
			die("unknown option: %s", option); /* the three are openssl's, and what is done anyway */
		}
	}
	if (curve && options.type != RUSTCRYPTO_KEY_RSA)
		set_curve(&options, curve);
	complete_names(&sans, &subject);

	if (from < CLOCK_UNSET_BEFORE) {
		fputs("px5g: note: the clock is not set, so the certificate starts in 2024 and lasts ten years longer\n", stderr);
		from = CLOCK_UNSET_BEFORE;
		to = from + days * DAY + CLOCK_UNSET_EXTRA;
	} else {
		to = from + days * DAY;
	}

	key = generate(&options);
	rustcrypto_x509_self_signed(key, subject.name, subject.n, sans.name, sans.n, from, to, options.format, NULL, 0, &len);
	certificate = malloc(len + 512); /* a signature's length varies by a few bytes from one to the next */
	if (!certificate)
		die("out of memory");
	if (rustcrypto_x509_self_signed(key, subject.name, subject.n, sans.name, sans.n, from, to, options.format, certificate,
					len + 512, &len) != RUSTCRYPTO_OK)
		die_of_library("cannot make the certificate");

	/* Both are made: now the files, the key first, as a server reads them only when the certificate is there. */
	if (keyout)
		write_private_key(key, options.format, keyout);
	write_output(out, certificate, len, false);
	free(certificate);
	rustcrypto_key_free(key);
	return 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (!strcmp(command, "eckey"))
		return key_command(false, argv + 2);
	if (!strcmp(command, "rsakey"))
		return key_command(true, argv + 2);
	if (!strcmp(command, "selfsigned"))
		return selfsigned_command(argv + 2);

	fprintf(stderr,
		"px5g: keys and self-signed certificates, on librustcrypto %s\n"
		"usage: px5g eckey [-der] [-out FILE] [P-256|P-384|P-521]\n"
		"       px5g rsakey [-der] [-out FILE] [BITS]\n"
		"       px5g selfsigned [-der] [-days N] [-newkey ec|rsa:BITS] [-pkeyopt ec_paramgen_curve:CURVE]\n"
		"                       [-keyout FILE] [-out FILE] [-subj /C=../O=../CN=..]\n"
		"                       [-addext subjectAltName=DNS:NAME,IP:ADDRESS]\n",
		rustcrypto_version());
	return 1;
}
