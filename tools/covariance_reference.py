#!/usr/bin/env python3
"""Reference values of covariance families, to 30 digits: F(x), -x F'(x) and dF/dshape at random x and parameters,
where shape is the first one of the family.

    python3 tools/covariance_reference.py 10000 build/covariance.csv      for bench/covariance.R
    python3 tools/covariance_reference.py 120 tests/testthat/ref/covariance.csv && gzip -9n tests/testthat/ref/covariance.csv

x has 53 bits and is written so that it is read back as it was. Formulas: help page of covModel(); those of "spectrum"
belong to the density k^2/(1 + k^2)^4, the difference of two Matern ones.
"""
import random
import sys

from mpmath import mp, mpf

mp.dps = 40
random.seed(11)


def matern(nu, x):
    return mpf(2) ** (1 - nu) / mp.gamma(nu) * x**nu * mp.besselk(nu, x)


def matern_slope(nu, x):
    return mpf(2) ** (1 - nu) / mp.gamma(nu) * x ** (nu + 1) * mp.besselk(nu - 1, x)


def bessel(nu, x):
    return mp.gamma(nu + 1) * (2 / x) ** nu * mp.besselj(nu, x)


def power_part(e, x, low, high):
    """int_low^high k^(e - 1) exp(i k x) dk"""
    return (-1j * x) ** (-e) * mp.gammainc(e, -1j * x * low, -1j * x * high)


def power_law(b, low, high, x):
    e = b + 3
    total = (high**e - low**e) / e
    value = mp.im(power_part(e - 1, x, low, high)) / x / total
    return value, value - mp.re(power_part(e, x, low, high)) / total


def gamma_wave(n, x):
    t = mp.atan(x)
    value = mp.sin(n * t) / (n * x) * mp.cos(t) ** n if n else t / x
    return value, value - mp.cos((n + 1) * t) * mp.cos(t) ** (n + 1)


def wendland(kappa, mu, x):
    """Int_x^1 (u^2 - x^2)^kappa (1 - u)^(mu - 1) du (Bevilacqua et al. 2019)"""
    y = 1 - x * x
    return (2**-mu * mp.beta(kappa + 1, mu) * y ** (kappa + mu) *
            mp.hyp2f1(mu / 2, (mu + 1) / 2, kappa + mu + 1, y))


def slope_for(f, v):
    """df/dv by a difference that leaves out 1e-26 of it"""
    step = mpf(10) ** -13
    return (f(v + step) - f(v - step)) / (2 * step)


def spectrum(x):
    # volumes of (1 + k^2)^-(nu + 3/2): 4 pi int k^2 ... dk = pi^(3/2) Gamma(nu)/Gamma(nu + 3/2)
    a, b = [mp.gamma(nu) / mp.gamma(nu + mpf(3) / 2) for nu in (mpf(3) / 2, mpf(5) / 2)]
    both = [(a * f(mpf(3) / 2, x) - b * f(mpf(5) / 2, x)) / (a - b) for f in (matern, matern_slope)]
    return both[0], both[1]


def row(family, x):
    """shape, F, -x F', dF/dshape (None: there is none)"""
    pick = random.choice
    if family == "exponential":
        return "", mp.exp(-x), x * mp.exp(-x), None
    if family == "gaussian":
        f = mp.exp(-x * x)
        return "", f, 2 * x * x * f, None
    if family == "cauchy":
        a = mpf(pick([0.05, 0.5, 0.7, 1.0, 2.5, 40.0]))
        f = (1 + x * x) ** -a
        return a, f, 2 * a * x * x / (1 + x * x) * f, -mp.log1p(x * x) * f
    if family == "powexp":
        a = mpf(pick([0.05, 0.4, 1.0, 1.3, 1.95, 2.0]))
        t = x**a
        f = mp.exp(-t)
        return a, f, a * t * f, -t * mp.log(x) * f
    if family == "spherical":
        h = min(x, mpf(1))
        return "", (1 - h) ** 2 * (2 + h) / 2, 1.5 * h * (1 - h) * (1 + h), None
    if family == "cubic":
        h = min(x, mpf(1))
        return ("", (1 - h) ** 4 * (1 + 4 * h + 3 * h**2 + 0.75 * h**3),
                h**2 * (1 - h) ** 3 * (14 + 15.75 * h + 5.25 * h**2), None)
    if family == "pentaspherical":
        h = min(x, mpf(1))
        return ("", (1 - h) ** 3 * (1 + 9 * h / 8 + 3 * h**2 / 8), 15 * h / 8 * ((1 - h) * (1 + h)) ** 2, None)
    if family == "circular":
        h = min(x, mpf(1))
        root = mp.sqrt((1 - h) * (1 + h))
        return "", 2 / mp.pi * (mp.acos(h) - h * root), 4 / mp.pi * h * root, None
    if family == "cosine":
        return "", mp.cos(x), x * mp.sin(x), None
    if family == "sinc":
        f = mp.sin(x) / x
        return "", f, f - mp.cos(x), None
    if family == "gammaspectrum":
        b = mpf(pick([-2.5, -2.0, -1.3, 0.0, 2.0, 7.5]))
        return b, *gamma_wave(b + 2, x), slope_for(lambda n: gamma_wave(n, x)[0], b + 2)
    if family == "besselj":
        nu = mpf(pick([0.5, 0.8, 1.7, 6.0, 30.0]))
        return nu, bessel(nu, x), x * x / (2 * (nu + 1)) * bessel(nu + 1, x), slope_for(lambda v: bessel(v, x), nu)
    if family == "powerlaw":
        b = mpf(pick([-3.25, -4.5, 0.3]))
        ends = mpf(0.25), mpf(16)
        return b, *power_law(b, *ends, x), slope_for(lambda v: power_law(v, *ends, x)[0], b)
    if family == "spectrum":
        return "", *spectrum(x), None
    if family == "wendland":  # of shape smoothness + 2
        kappa = mpf(pick([0.05, 0.5, 1.0, 1.7, 3.5, 12.0]))
        mu, h = kappa + 2, min(x, mpf(1))
        total = mp.beta(2 * kappa + 1, mu)
        return (kappa, wendland(kappa, mu, h) / total, 2 * kappa * h**2 * wendland(kappa - 1, mu, h) / total,
                slope_for(lambda v: wendland(v, mu, h) / mp.beta(2 * v + 1, mu), kappa))
    raise ValueError(family)


def main(number, path):
    families = {"exponential": 700, "gaussian": 26, "cauchy": 1e8, "powexp": 300, "spherical": 1.1, "cubic": 1.1,
                "sinc": 1e6, "gammaspectrum": 1e6, "besselj": 300, "powerlaw": 60, "spectrum": 300,
                "wendland": 1.1, "pentaspherical": 1.1, "circular": 1.1, "cosine": 300}
    text = lambda v: "NA" if v is None else mp.nstr(v, 25) if v else "0"
    with open(path, "w") as out:
        out.write("family,shape,x,value,slope,dshape\n")
        for family, far in families.items():
            for _ in range(number):
                x = float(mp.exp(mp.log(1e-6) + random.random() * mp.log(far / 1e-6)))
                shape, value, slope, dshape = row(family, mpf(x))
                out.write(f"{family},{text(shape) if shape != '' else 'NA'},{x!r},{text(value)},{text(slope)},{text(dshape)}\n")


main(int(sys.argv[1]), sys.argv[2])
