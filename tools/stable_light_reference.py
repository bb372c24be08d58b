#!/usr/bin/env python3
"""Reference values of light sides of stable laws, for tests/testthat/ref/stable_light.csv.gz: of |beta| = 1 from where g
has the minimum 1/4 to where the density is e^-700, and of alpha = 1 with beta near 1, where what the heavy side adds is as
large as the light side itself; log density and log of the light tail. Needs mpmath.

    f = alpha |e1|/(pi y) Int g e^-g da,  alpha = 1: f = 1/(2 beta) Int g e^-g da,  tail = 1/pi Int e^-g da

(Zolotarev; Nolan 1997) with 36 digits by Gauss-Legendre rules on pieces that shrink towards both ends, whose estimate of
the error must be below 1e-19. pm says what x counts from: 1 zeta, 0 at alpha = 1."""
import gzip
import random
from mpmath import mp, mpf

mp.dps = 36


def integrals(log_g, ends):
    """of g e^-g and e^-g between the first and the last of ends, relative to e^-least, and least"""
    least = min(mp.exp(log_g(mpf(x))) for x in ends[1:-1])

    def integrand(power):
        def at(x):
            if not ends[0] < x < ends[-1]:
                return mpf(0)
            v = log_g(x)
            if not isinstance(v, mpf) or v > 100:
                return mpf(0)
            g = mp.exp(v)
            return g**power * mp.exp(least - g) if g - least < 300 else mpf(0)
        return at
    values = []
    for power in (1, 0):
        value, error = mp.quad(integrand(power), ends, method="gauss-legendre", maxdegree=6, error=True)
        assert error < value * mpf(10)**-19, (value, error)
        values.append(value)
    return values[0], values[1], least


def ladder(size, first, ratio):
    """0, first, first ratio, ..., and the same from size downwards"""
    low = [mpf(0), mpf(first)]
    while low[-1] * ratio < size / 2:
        low.append(low[-1] * ratio)
    high, gap = [], size / 2
    while gap > size * mpf(10)**-20:
        high.append(size - gap)
        gap /= ratio
    return low + high + [size]


def one_sided(alpha, y):
    a, y = mpf(alpha), mpf(y)
    am1, size = a - 1, mp.pi if a < 1 else mp.pi / a
    t = mp.tan(mp.pi * a / 2)
    big_a = mp.sqrt(1 + t * t)
    log_least = a / am1 * mp.log(y / (a * big_a)) + mp.log(abs(am1) * big_a)

    def log_g(d):
        return (log_least + (mp.log(mp.sinc(d)) - mp.log(mp.sinc(a * d))) / am1
                + mp.log(mp.sinc(am1 * d) / mp.sinc(a * d)))
    width = min(size / 4, 1 / mp.sqrt(a * mp.exp(log_least)))
    density, tail, least = integrals(log_g, ladder(size, width, mpf(2)))
    return mp.log(a / abs(am1) / mp.pi / y * density) - least, mp.log(tail / mp.pi) - least


def at_one(beta, x):
    b, x = mpf(beta), mpf(x)

    def log_g(a):
        q = mp.pi / 2 * (1 - b) + b * a
        return -mp.pi * x / (2 * b) + mp.log(2 / mp.pi) + mp.log(q / mp.sin(a)) - q * mp.cot(a) / b
    ends = ladder(mp.pi, max((1 - b) / 64, mpf(10)**-14), mpf(2))
    density, tail, least = integrals(log_g, ends)
    return mp.log(density / (2 * b)) - least, mp.log(tail / mp.pi) - least


NEAR_1 = [("0x1.fffffd51993b1p-1", "-0x1.52f4264cp+1"),
           ("0x1.ffffff5e4352ap-1", "-0x1.78db0aap+1"),
           ("0x1.fffffc2147adap-1", "-0x1.624c1ef8p+1"),
           ("0x1.fffffe4f9237cp-1", "-0x1.641f54fcp+1"),
           ("0x1.fffffa1496f52p-1", "-0x1.522c6a76696d6p+1"),
           ("0x1.ffffe3ceefd9fp-1", "-0x1.4f1684b4p+1"),
           ("0x1.ffffffd2e196fp-1", "-0x1.566adab342816p+1"),
           ("0x1.ffffffcca425ap-1", "-0x1.7695cbd8p+1"),
           ("0x1.fffffff3f4a2p-1", "-0x1.5b9771430a7adp+1"),
           ("0x1.ffffffd90437bp-1", "-0x1.68b6ad1efc6b7p+1")]
random.seed(1)
rows = []
for alpha in (1e-3, 0.01, 0.07, 0.3, 0.5, 0.72, 0.95, 1 - 1e-7, 1 + 1e-4, 1.07, 1.35, 1.8, 2 - 1e-5):
    a = mpf(alpha)
    t = mp.tan(mp.pi * a / 2)
    big_a, least = mp.sqrt(1 + t * t), mp.exp(random.uniform(-1.38, 6.5))
    y = float(a * big_a * (least / (abs(a - 1) * big_a))**((a - 1) / a))
    if 1e-300 < y < 1e300:
        rows.append((alpha, 1.0 if alpha < 1 else -1.0, y, 1, *one_sided(alpha, y)))
for x in (-0.7, -2.6):
    rows.append((1.0, 1.0, x, 0, *at_one(1.0, x)))
for near in NEAR_1:
    beta, x = map(float.fromhex, near)
    rows.append((1.0, beta, x, 0, *at_one(beta, x)))
with gzip.open("tests/testthat/ref/stable_light.csv.gz", "wt") as f:
    f.write("alpha,beta,x,pm,log_f,log_tail\n")
    for r in rows:
        f.write(",".join([float.hex(float(v)) if i != 3 else str(v) for i, v in enumerate(r)]) + "\n")
