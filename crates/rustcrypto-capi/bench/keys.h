/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Keys and certificates made for measuring: they protect nothing. Leaf for "bench.test", signed by the CA; P-256 both. */
#ifndef KEYS_H
#define KEYS_H

static const char BENCH_RSA_KEY[] =
    "-----BEGIN RSA PRIVATE KEY-----\n"
    "MIIEogIBAAKCAQEAiC9Rk4kPvsF56fXh+hsumreXQX7y+KgmlIWKrkYWj61kkEMu\n"
    "aXi2sMD6GlRduCe4V9RMKJj1VEiab93or9UFpwVtniPBcDMpCpJ7W1Lv1mWg0KfJ\n"
    "veQ1hu/oFT8uxqzSIdv+kXQkRJIi9mrpxrBs2RTDaH5am64WSXTXX0NDfPIAe/Xk\n"
    "cfkNc3R85T5OqhlGeytZljHDgtuohqcz2l3PCtV+F2sx/o3P+eb7Vk6PDaeSRJFG\n"
    "4bjRcyMgRfN3DmNRdeSUQvNdDbJl7pasH9FIAKi7gb6fZ/d3rYQuQ1yq6OZ2qd2O\n"
    "4LOaAsk8HVWhWvyWASe3VVUxLLivC+kGCO+e7QIDAQABAoIBAEGiFH23Q8hadIgm\n"
    "QZeJPCfCrXoaVb0zRQy1Y4XkL4FlPp8sUZTxYZLEHoVL/bMAKZ7iqSWzuiC5sPyT\n"
    "BU6gqs25FwBtGRAbB/+ZYyw7R22boyqMgvUqpAV5X+/FeKS1q7w3y3OMduI5T/JU\n"
    "yoBAjOT+VcLpin+XIhSa5CV8RG1VfJspz70mZ6mJTvvZkJUermTZAXtZe0CejUxR\n"
    "f638e6bLxLbmmEa+q156rO7lOEGx8cAao3tdwVHE56JadsEqEYl2FXxsOhllRubP\n"
    "PXW2rrw2UM8i7/LhOfm2LLrsukd13GUADjiCYGVyt466nI44DA08fR1UcVM4mAzz\n"
    "yoWnY90CgYEAvOrMvWR8PXgtk0hsT/x79WK+jlgxyOsOMTlu4apBMU+068jsUC3j\n"
    "gFU5vRhSabUT/GgXbR8g4MOn9SOgfckz5pYAIy6iLE2vK791Qxp3CFLEoh0mWE7+\n"
    "Yv28HpZgV/GjqoXkvg7wTRYzOPow5SK+H+izIWHLU+DR7F2RO05tSvMCgYEAuIr5\n"
    "IWuBdUs+Bm7eMpgPlivG2N9Ccawn9+gR4OYaSOigPTa2dRk02+arDzxnOKcvteiQ\n"
    "zsLumDCJepYe/qeyOnNJcrRSkGbL7HamHPJaXd8lNyrfTVkbeNNpDK0QH4ul8Lpm\n"
    "MUHuzSgVrxd8qlEfLnXSanHNtxNUEFb8wF3aJp8CgYA6Zg7iYQSy78qO4+1vkGo1\n"
    "QdAMKqFBLcBWYR2wrrO2baBM3vCGHJleG3pcxP785FgIR5kuR1gfgvwRoHDFUYQ0\n"
    "vJvQRGMndOA4ktfJ5Y10Sjm0r3QiClFDApK7ldq0dOMWHIvIYM/R1JIDA/xHaMUD\n"
    "EikFobh79lyOR6JUhfrtFwKBgGaZ9btL/zUMeVawS1+LxZazjiHDtzhmA+7EGzSU\n"
    "GmcQ1w5Rng3qzsW4MMEOz0DjSxZzUBd0r5zz12vNjTv+VoxCzsI0WXcpgBVfPin3\n"
    "4KAyUYmjj3V8plZ+C/jdO4qeZMs7h1e5laCAudWYVFqJMbHuFefSkBJKb8GJ64q0\n"
    "Y3Z3AoGAHJlZXffTbxGyHgLSF/pChPp3MNs5eDe5+90pj7RRumRfvyyvvJmhJA12\n"
    "Mf/93Curp1z6rndRSf9TTeDVBAM3elkgu8NZ8yPRzh3MDJCd3pJaJzreBwiH/Shi\n"
    "70NhgtJ6oM8B4NQ5nQuqr4nVEJw+Ign6eDmfxzBtXxdtO70Gj3U=\n"
    "-----END RSA PRIVATE KEY-----\n";

static const char BENCH_CA_CERT[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBjDCCATOgAwIBAgIUHuNfbNv8vVSQxLYdWWngGwMlZGwwCgYIKoZIzj0EAwIw\n"
    "EzERMA8GA1UEAwwIYmVuY2ggQ0EwIBcNMjYxMTMwMjEzNTM1WhgPMjEyNjExMDYy\n"
    "MTM1MzVaMBMxETAPBgNVBAMMCGJlbmNoIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0D\n"
    "AQcDQgAEHjRZCFvX1hEX9vcUDTxQUZVaT3J7wRkeFXk+bJVX271Fmxi9ipm0jGXj\n"
    "LwjMjtlSvKKFvGH076KOMe0nePG7hqNjMGEwHQYDVR0OBBYEFJBwOa9HnYlJ4Q8e\n"
    "EyymEygczN1lMB8GA1UdIwQYMBaAFJBwOa9HnYlJ4Q8eEyymEygczN1lMA8GA1Ud\n"
    "EwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoGCCqGSM49BAMCA0cAMEQCIA4v\n"
    "tM3tPPrmz7rLgtVHzeDo1bAZqyHwylRKJlro+USUAiA50Fx6ybQMzIg6dEcumZYo\n"
    "BHe9W9peChT01X3ikgH9rw==\n"
    "-----END CERTIFICATE-----\n";

static const char BENCH_LEAF_CERT[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBrjCCAVSgAwIBAgIIEjRWeJCrze8wCgYIKoZIzj0EAwIwEzERMA8GA1UEAwwI\n"
    "YmVuY2ggQ0EwIBcNMjYxMTMwMjEzNTM2WhgPMjEyNjA3MjkyMTM1MzZaMBUxEzAR\n"
    "BgNVBAMMCmJlbmNoLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASafCfa\n"
    "G/XxNeBY+7WqT6c6GcD2+GgEy8pka3vhdIAVP0szYJLcerK2m2jYIkjSoWeb442E\n"
    "ieAyrvebJzUFp8kWo4GNMIGKMAwGA1UdEwEB/wQCMAAwFQYDVR0RBA4wDIIKYmVu\n"
    "Y2gudGVzdDAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYD\n"
    "VR0OBBYEFFu+P9EzHkLKQCGAzlUleWdLA7quMB8GA1UdIwQYMBaAFJBwOa9HnYlJ\n"
    "4Q8eEyymEygczN1lMAoGCCqGSM49BAMCA0gAMEUCIQD7iiB0xF9yRVqsWSKZJYft\n"
    "I7sDoxNa2Fqr894Gv0zpuQIgGRYF//3H7kNtv2ifDVgjFeVX9O7er3qVKGKLF5V7\n"
    "ROA=\n"
    "-----END CERTIFICATE-----\n";

static const char BENCH_LEAF_KEY[] =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEIJXMzHJmIB0ywPP9npQ2BS5hAWh9Gnp2W2MuZPcJ4GJmoAoGCCqGSM49\n"
    "AwEHoUQDQgAEmnwn2hv18TXgWPu1qk+nOhnA9vhoBMvKZGt74XSAFT9LM2CS3Hqy\n"
    "tpto2CJI0qFnm+ONhIngMq73myc1BafJFg==\n"
    "-----END EC PRIVATE KEY-----\n";

#endif
