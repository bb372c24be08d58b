#!/usr/bin/env python3
"""tests/testthat/ref/gamma.csv.gz: logarithms of the density and of both tails of the gamma distribution.

  python3 tools/gamma_reference.py | gzip -9n > tests/testthat/ref/gamma.csv.gz

The lower tail by its series or the upper one by its continued fraction in 50 digits, 90 where the other one is small
beside it. Arguments are the doubles printed. Needs mpmath.
"""
import random

from mpmath import exp, log, loggamma, mp, mpf, nstr, sqrt


def series(a, x, digits):
    mp.dps = digits + 10
    total = term = mpf(1)
    n = 0
    while term > total * mpf(10) ** -digits:
        n += 1
        term *= x / (a + n)
        total += term
    return exp(a * log(x) - x - loggamma(a + 1)) * total


def fraction(a, x):
    terms = int(200 + 8 * sqrt(float(a)) + 1500 / float(x) ** 0.5)
    t = mpf(0)
    for n in range(terms, 0, -1):
        t = n * (a - n) / (x + 2 * n + 1 - a + t)
    return exp(a * log(x) - x - loggamma(a)) / (x + 1 - a + t)


def logs(a, x):
    mp.dps = 60
    density = a * log(x) - x - loggamma(a) - log(x)
    if x < a + 1 or x < 2:
        lower = series(a, x, 90)
        return log(lower), log(1 - lower), density
    upper = fraction(a, x)
    return log(1 - upper), log(upper), density


def places(a):
    way = random.random()
    if way < 0.6:
        return abs(a + a ** 0.5 * random.uniform(-9, 9))
    return a * 10 ** random.uniform(-3, 2) if way < 0.8 else 10 ** random.uniform(-5, 3)


def main():
    random.seed(1)
    print("x,shape,log_lower,log_upper,log_density")
    for _ in range(600):
        a = 10 ** (random.uniform(-10, 5) if random.random() < 0.5 else random.uniform(-1, 2.3))
        x = places(a)
        if x > 1e-300:
            print("%r,%r,%s" % (x, a, ",".join(nstr(v, 20) for v in logs(mpf(a), mpf(x)))))


if __name__ == "__main__":
    main()
