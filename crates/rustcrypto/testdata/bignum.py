#!/usr/bin/env python3
"""Writes bignum.txt: "operation result operands...", hexadecimal, "-" where there is no result. Python's integers are the
independent implementation. Fixed seed: the same file comes out each time."""
import math
import pathlib
import random

rng = random.Random(12)
P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
P521 = 2**521 - 1
SIZES = [1, 8, 31, 32, 33, 63, 64, 65, 127, 128, 256, 521, 1024]
EDGES = [0, 1, 2, 3, 2**32 - 1, 2**32, 2**64 - 1, 2**64, 2**64 + 1, 2**128 - 1, P256 - 1, P256, P256 + 1]


def number():
    return rng.choice(EDGES) if rng.random() < 0.3 else rng.getrandbits(rng.choice(SIZES))


def invert(a, m):
    return pow(a, -1, m) if m > 0 and math.gcd(a, m) == 1 else None


def legendre(a, p):
    return {0: 0, 1: 1, p - 1: -1}[pow(a, (p - 1) // 2, p)]


OPERATIONS = {
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b if a >= b else None),
    "mod": (2, lambda a, b: a % b if b else None),
    "div": (2, lambda a, b: a // b if b else None),
    "inverse": (2, invert),
    "addmod": (3, lambda a, b, m: (a + b) % m if m else None),
    "mulmod": (3, lambda a, b, m: a * b % m if m else None),
    "exptmod": (3, lambda a, b, m: pow(a, b, m) if m else None),
    "cmp": (2, lambda a, b: (a > b) - (a < b)),
}

lines = []
for name, (operands, operation) in OPERATIONS.items():
    for _ in range(60):
        values = [number() for _ in range(operands)]
        lines.append((name, operation(*values), values))
for _ in range(30):
    a, n = number(), rng.randrange(0, 600)
    lines.append(("rshift", a >> n, [a, n]))
for p in (3, 5, 7, 2**61 - 1, P256, P521):
    for a in [0, 1, 2, p - 1, p, p + 1] + [rng.randrange(2 * p) for _ in range(6)]:
        lines.append(("legendre", legendre(a, p), [a, p]))

text = "".join(
    " ".join([name, "-" if result is None else f"{result:x}", *(f"{value:x}" for value in values)]) + "\n"
    for name, result, values in lines
)
pathlib.Path(__file__).with_name("bignum.txt").write_text(text)
