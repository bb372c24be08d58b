#!/usr/bin/env python3
"""Derivatives of correlations for the parameters of their family, to 25 digits:

    python3 tools/covariance_shapes_reference.py | gzip -9n > tests/testthat/ref/covariance_shapes.csv.gz

by differences of order 2 at 60 digits, with steps of 1e-20: what these leave out is some 1e-40 of the derivative's
scale. Formulas: help page of covModel(). x is written so that it is read back as it was.
"""
from mpmath import mp, mpf

mp.dps = 60
STEP = mpf(10) ** -20


def bessel(p, x):
    return mp.hyp0f1(p["shape"] + 1, -x * x / 4)


def power_part(e, x, k):
    """int_0^k q^(e - 1) sin(q x)/(q x) dq less what does not depend on k"""
    mp.dps += max(0, int(x * k / 2.3))  # digits that the series loses
    sum = k**e / e * mp.hyp1f2(e / 2, mpf(3) / 2, e / 2 + 1, -(x * k) ** 2 / 4)
    mp.dps = 60
    return sum


def power_law(p, x):
    e, low, high = p["exponent"] + 3 or mpf(10) ** -25, p["kmin"], p["kmax"]
    total = (high**e - low**e) / e
    return (power_part(e, x, high) - power_part(e, x, low)) / total


def gamma_spectrum(p, x):
    n, t = p["exponent"] + 2, mp.atan(x)
    return mp.sin(n * t) / (n * x) * mp.cos(t) ** n if n else t / x


def wendland(p, x):
    """by the hypergeometric function (Bevilacqua et al. 2019, with 2^-mu B(kappa + 1, mu) from x = 1)"""
    kappa, mu = p["smoothness"], p["shape"]
    if x >= 1:
        return mpf(0)
    y = 1 - x * x
    size = 2**-mu * mp.beta(kappa + 1, mu) / mp.beta(2 * kappa + 1, mu) * y ** (kappa + mu)
    return size * mp.hyp2f1(mu / 2, (mu + 1) / 2, kappa + mu + 1, y)


def derivative(f, p, name, x):
    def at(step):
        return f({**p, name: p[name] + step}, x)

    if name == "smoothness" and p[name] < STEP:  # at the border
        return (4 * at(STEP) - at(2 * STEP) - 3 * at(mpf(0))) / (2 * STEP)
    return (at(STEP) - at(-STEP)) / (2 * STEP)


def rows(family, f, sets, points):
    for given in sets:
        p = {name: mpf(v) for name, v in given.items()}
        scale = float(1 / p["kmax"]) if "kmax" in p else float(mp.sqrt(p["shape"] + 1)) if family == "besselj" else 1
        for name in given:
            for x in points:
                x *= scale
                value = derivative(f, p, name, mpf(x))
                text = ";".join(f"{n}={v!r}" for n, v in given.items())
                print(family, text, name, repr(x), mp.nstr(value, 25), sep=",", flush=True)


print("family,parameters,deriv,x,value")
far = [1e-6, 1e-3, 0.05, 0.37, 1.1, 2.3, 4.7, 9.3, 15.1, 23.3, 37.7, 48.1, 53.3, 77.7, 130.3, 411.1, 1009.7]
rows("besselj", bessel, [{"shape": nu} for nu in (0.0, 0.2, 0.5, 1.0, 1.7, 6.0, 19.5, 30.0, 100.25, 500.0)], far)
sets = [(0.0, 1.0), (0.0, 2.0), (0.05, 1.5), (0.3, 2.3), (0.5, 1.5), (0.5, 4.0), (1.0, 3.0), (1.5, 2.5), (1.7, 3.7),
        (2.0, 5.0), (3.5, 7.2), (12.0, 20.0), (30.0, 40.0)]
rows("wendland", wendland, [dict(zip(("smoothness", "shape"), pair)) for pair in sets],
     [1e-6, 1e-3, 0.02, 0.1, 0.21, 0.5, 0.7, 0.9, 0.99, 0.9999, 1.0, 1.5])
bands = [(-11 / 3, 0.25, 16.0), (-3.25, 2.0, 100.0), (-3.0, 1.0, 20.0), (-4.5, 0.25, 16.0), (-2.9999, 1.0, 64.0),
         (0.3, 0.25, 16.0), (-3.0000000001, 0.1, 100.0), (-3.7, 1e-4, 10.0), (2.0, 1.0, 3.0), (-4.0, 1.0, 1.01),
         (6.0, 0.5, 1.5), (-4.0, 1.0, 1.00001), (-5.1, 1.0, 1.9999)]
rows("powerlaw", power_law, [dict(zip(("exponent", "kmin", "kmax"), band)) for band in bands],
     [1e-6, 1e-3, 0.05, 0.37, 1.1, 2.3, 4.7, 9.3, 23.3, 39.9, 41.1, 77.7, 163.3, 411.1, 1009.7])
exponents = (-2.9, -2.5, -2.0, -1.9999, -1.3, 0.0, 2.0, 7.5, 40.0)
rows("gammaspectrum", gamma_spectrum, [{"exponent": b} for b in exponents],
     [1e-6, 1e-3, 0.05, 0.2, 0.37, 1.1, 2.3, 4.7, 9.3, 77.7, 1009.7, 1e6])
