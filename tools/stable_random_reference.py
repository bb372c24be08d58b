"""Writes tests/engine/stable_random_ref.h: stable variates for given (alpha, beta, sign, u, v) by the textbook
formula of Chambers, Mallows and Stuck (1976) in 60 digits. The angle is d = u pi/2 from its end point, with u pi/2
rounded to a double.

    python3 tools/stable_random_reference.py > tests/engine/stable_random_ref.h
"""
import random

from mpmath import atan, cos, log, mp, mpf, pi, sin, sqrt, tan

mp.dps = 60
random.seed(1976)

ALPHAS = [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 1 - 1e-6, 1 - 1e-9, 1, 1 + 1e-9, 1 + 1e-6, 1.01, 1.1, 1.2, 1.5, 1.7,
          1.9, 1.999999, 2]
BETAS = [0, 0.3, -0.5, 0.9, 1, -1, -0.999999]


def uniform(bits):
    return (2 * random.getrandbits(bits) + 1) * 2.0 ** -53


def variate(alpha, beta, sign, u, v):
    """S0 and S1 (scale 1, location 0)"""
    alpha, beta = mpf(alpha), mpf(beta)
    angle = sign * (pi / 2 - mpf(u * 1.5707963267948966))
    w = -log(mpf(v))
    if alpha == 1:
        q = pi / 2 + beta * angle
        x = 2 / pi * (q * tan(angle) - beta * log(pi / 2 * w * cos(angle) / q))
        return x, x
    t = beta * tan(pi * alpha / 2)
    theta, a = atan(t) / alpha, sqrt(1 + t * t)
    z = (a * cos(angle)) ** (1 / alpha) / cos(angle) ** (2 / alpha) * sin(alpha * (angle + theta)) \
        * (cos(angle - alpha * (angle + theta)) / w) ** ((1 - alpha) / alpha)
    return z - t, z


print("/* Written by tools/stable_random_reference.py: alpha, beta, sign, u, v, and the variate in S0 and S1. */")
for alpha in ALPHAS:
    for beta in BETAS:
        for _ in range(2):
            row = (alpha, beta, random.choice((-1, 1)), uniform(random.choice((20, 51, 52))),
                   uniform(random.choice((20, 51, 52))))
            x, z = variate(*row)
            if abs(z) < mpf(10) ** 300:
                print("{" + ", ".join(float(value).hex() for value in (*row, x, z)) + "},")
