#!/usr/bin/env python3
"""Coefficients of inst/kernels/gamma/gamma.h, printed as C: minimax polynomials as in elementary_coefficients.py.

  python3 tools/gamma_coefficients.py > inst/kernels/gamma/gamma_coef.h

Needs mpmath.
"""
from mpmath import log, loggamma, mp, mpf, pi, sqrt

from elementary_coefficients import emit, poly, remez


def stirling(v):
    """a log(Gamma(a) e^a a^(1/2 - a)/sqrt(2 pi)), v = 1/a."""
    if v < mpf(10) ** -8:
        return mpf(1) / 12 - v * v / 360
    return (loggamma(1 / v) - (1 / v - mpf(1) / 2) * log(1 / v) + 1 / v - log(2 * pi) / 2) / v


def ratio(eta):
    """lambda with lambda - 1 - log lambda = eta^2/2 and the sign of eta for lambda - 1."""
    if abs(eta) < mpf(10) ** -12:
        return 1 + eta + eta * eta / 3
    r = 1 + eta + eta * eta / 3 + eta ** 3 / 36
    for _ in range(60):
        new = r * (eta * eta / 2 + log(r)) / (r - 1)
        if abs(new - r) < mpf(10) ** -45:
            break
        r = new
    return r


def first(eta):
    return -mpf(1) / 3 + eta / 36 if abs(eta) < mpf(10) ** -12 else log(eta / (ratio(eta) - 1)) / eta


def least(f, a, b, tolerance, n=2):
    while True:
        c, e = remez(f, lambda x: mpf(1), mpf(a), mpf(b), n)
        if e < tolerance:
            return c, e
        n += 1


def main():
    print("/* gamma_coef.h: made by tools/gamma_coefficients.py; do not edit. Errors are absolute ones of the\n"
          " * polynomial, before rounding. */\n#ifndef STATCL_GAMMA_COEF_H\n#define STATCL_GAMMA_COEF_H\n")
    c, e = least(stirling, 0, 1, mpf(3e-17))
    emit("STIRLING_S", "v", c, "a log(Gamma(a) e^a a^(1/2 - a)/sqrt(2 pi)), v = 1/a, a >= 1; error %s"
         % mp.nstr(e, 2))
    c, e = least(lambda a: loggamma(1 + a) / a if a > mpf(10) ** -20 else -mp.euler, 0, 1, mpf(3e-17))
    emit("LGAM_L", "a", c, "log(Gamma(1 + a))/a, 0 <= a <= 1; error %s" % mp.nstr(e, 2))
    c, e = least(lambda s: ((ratio(s) - 1) / s - 1) / s if abs(s) > mpf(10) ** -12 else mpf(1) / 3, -1.2, 1.2,
                 mpf(1e-7))
    emit("RATIO_A", "s", c, "((lambda - 1)/s - 1)/s, lambda - 1 - log lambda = s^2/2, |s| <= 1.2; error %s"
         % mp.nstr(e, 2))
    c, e = least(first, -1.2, 1.2, mpf(1e-7))
    emit("RATIO_E", "s", c, "log(s/(lambda - 1))/s, |s| <= 1.2; error %s" % mp.nstr(e, 2))
    print("#endif")


if __name__ == "__main__":
    main()
