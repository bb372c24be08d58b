#!/usr/bin/env python3
"""Reference values of dM/dnu, M(x) = 2^(1-nu)/Gamma(nu) x^nu K_nu(x), where its formulas meet (nu from 2.3 to 300, x
around sqrt(2 nu)): differences of fourth order, of step 1e-9 in 45 digits, right to 25 digits or so.

  python3 tools/matern_slope_reference.py | gzip -9n > tests/testthat/ref/matern_slope.csv.gz

Needs mpmath.
"""
from mpmath import besselk, gamma, mp, mpf, nstr

mp.dps = 45


def correlation(nu, x):
    return 2 ** (1 - nu) / gamma(nu) * x ** nu * besselk(nu, x)


def slope(nu, x):
    nu, x, h = mpf(nu), mpf(x), mpf(10) ** -9
    return (correlation(nu - 2 * h, x) - 8 * correlation(nu - h, x) + 8 * correlation(nu + h, x)
            - correlation(nu + 2 * h, x)) / (12 * h)


def main():
    print("nu,x,slope")
    for nu in [2.3, 3.1, 4.7, 6.2, 8.3, 9.9, 11.2, 12.6, 14.1, 15.999, 16.5, 18.2, 20.4, 25.0, 35.0, 53.4, 80.0, 100.0,
               300.0]:
        for factor in [.3, .5, .7, .9, 1, 1.2, 1.5, 2, 2.5, 3, 4, 6]:
            x = float(factor * (2 * nu) ** .5)
            x = x if x >= 2 else 2 + factor / 10
            print("%s,%s,%s" % (nu.hex(), x.hex(), float(slope(nu, x)).hex()))


if __name__ == "__main__":
    main()
