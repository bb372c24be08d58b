#!/usr/bin/env python3
"""tests/testthat/ref/noncentral.csv.gz: logarithms of both tails and of the density of the non-central chi-squared
distribution.

  python3 tools/noncentral_reference.py | gzip -9n > tests/testthat/ref/noncentral.csv.gz

With 50 digits: sums of positive terms of the Poisson mixture where these are few, else the trapezoidal rule on the
vertical path through the saddle point with a step for 47 digits. Where both are cheap they are compared. Arguments
are the doubles printed. Needs mpmath.
"""
import random

from mpmath import cos, exp, expm1, inf, log, log1p, loggamma, mp, mpf, nstr, pi, sin, sqrt

mp.dps = 50


def by_rule(a, y, u, density):
    """The log of the tail on the side of u, or of the density; formulas of inst/kernels/gamma/noncentral.h."""
    a = a - 1 if density else a
    size = sqrt(a * a + 4 * u * y)
    large = (a + size) / 2
    small = u * y / large
    deviance = large * (u / large - 1 - log(u / large)) + (small * (y / small - 1 - log(y / small)) if y > 0 else 0)
    share = sqrt(220 / size)
    step = 2 * pi / (share * (1 + share / 5 + share * share / 40) * size)
    turn = abs(log(large / u))
    w, m = exp(-turn), -expm1(-turn)
    total = mpf(0)
    k = 0
    while True:
        s = (k + mpf(1) / 2) * step
        k += 1
        c = 2 * sin(s / 2) ** 2
        if s > pi or size * c > 115:
            break
        angle = a * (sin(s) - s)
        if density:
            total += exp(-size * c) * cos(angle)
        else:
            sign = 1 if u > a + y else -1
            top = cos(angle) * (w * (m - c) if sign > 0 else m + w * c) - sign * sin(angle) * w * sin(s)
            total += exp(-size * c) * top / (m * m + 2 * w * c)
    total *= step / pi
    if not density and deviance < 90:
        total += exp(deviance) / (1 + exp(2 * pi * turn / step))
    return log(total) - deviance


def upper_gamma(a, u):
    """Q(a, u) by u^a e^-u/Gamma(a + 1)."""
    if u > a + 1 and u > 2:
        t = mpf(0)
        for n in range(int(150 + 8 * float(a) ** 0.5 + 2500 / float(u) ** 0.5), 0, -1):
            t = n * (a - n) / (u + 2 * n + 1 - a + t)
        return a / (u + 1 - a + t)
    with mp.workdps(140):
        total = term = mpf(1)
        n = 0
        while term > mpf(10) ** -140:
            n += 1
            term *= u / (a + n)
            total += term
        scale = exp(a * log(u) - u - loggamma(a + 1))
        return (1 - scale * total) / scale


def by_sums(a, y, u):
    with mp.workdps(60):
        log_scale = a * log(u) - u - loggamma(a + 1) - y
        c = term = lower = mpf(1)
        b = upper = upper_gamma(a, u)
        first = a
        n = 0
        while True:
            n += 1
            b = (b + c) * y / n
            c = c * u * y / (n * (a + n))
            term = term * u / (a + n) + c
            lower += term
            upper += b
            first += c * (a + n)
            if n > 3 and max(term / lower, b / upper, c * (a + n) / first) < mpf(10) ** -60:
                break
        return log_scale + log(lower), log_scale + log(upper), log_scale - log(u) + log(first)


def logs(a, y, u):
    few = sqrt(a * a + 4 * u * y) < 70 and a < 60 and u < 1e4
    if few:
        found = by_sums(a, y, u)
        if not sqrt(a * a + 4 * u * y) > 60:
            return found
    log_tail = by_rule(a, y, u, False)
    other = log1p(-exp(log_tail)) if log_tail > -1e6 else -exp(log_tail)
    by = (other, log_tail) if u > a + y else (log_tail, other)
    result = by + (by_rule(a, y, u, True),)
    if few:
        assert max(abs(v - w) for v, w in zip(found, result)) < 1e-35
    return result


def parameter():
    way = random.random()
    low, high = (-1, 3) if way < 0.5 else ((-3, 6) if way < 0.75 else ((0, 12) if way < 0.9 else (-30, 0)))
    return 10 ** random.uniform(low, high)


def place(df, ncp):
    mean = df + ncp
    way = random.random()
    if way < 0.6:
        return mean + (2 * df + 4 * ncp) ** 0.5 * random.uniform(-8, 12)
    return mean * 10 ** random.uniform(-2, 1) if way < 0.85 else 10 ** random.uniform(-8, 4)


def main():
    random.seed(2)
    print("x,df,ncp,log_lower,log_upper,log_density")
    rows = 0
    while rows < 160:
        df, ncp = parameter(), parameter()
        x = place(df, ncp)
        if not 1e-300 < x < inf:
            continue
        lower, upper, density = logs(mpf(df) / 2, mpf(ncp) / 2, mpf(x) / 2)
        values = [nstr(v, 20) if v > -1e300 else "0" for v in (lower, upper, density - log(mpf(2)))]
        print("%r,%r,%r,%s" % (x, df, ncp, ",".join(values)))
        rows += 1


if __name__ == "__main__":
    main()
