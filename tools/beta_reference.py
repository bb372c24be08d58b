#!/usr/bin/env python3
"""tests/testthat/ref/beta.csv.gz: logarithms of the density and of both tails of the beta distribution.

  python3 tools/beta_reference.py | gzip -9n > tests/testthat/ref/beta.csv.gz

The tail on the side of x below a/(a + b), or y = 1 - x, by Gauss's series of the incomplete beta function in 130
digits, which has positive terms alone. Arguments are the doubles printed.
Needs mpmath.
"""
import random

from mpmath import exp, log, loggamma, mp, mpf, nstr


def tail(a, b, x, y):
    """log of I_x(a, b) by x^a y^b/(a B) (1 + n x/(a + 1) (1 + ...))."""
    total = term = mpf(1)
    k = 0
    while term > total * mpf(10) ** -(mp.dps - 5) or k < b * x / y:
        term *= (a + b + k) * x / (a + 1 + k)
        total += term
        k += 1
        if k > 60000:
            raise ArithmeticError
    return a * log(x) + b * log(y) + loggamma(a + b) - loggamma(a + 1) - loggamma(b) + log(total)


def logs(a, b, x):
    mp.dps = 60
    y = 1 - x
    density = (a - 1) * log(x) + (b - 1) * log(y) + loggamma(a + b) - loggamma(a) - loggamma(b)
    mp.dps = 130
    if b * x <= a * y:
        lower = tail(a, b, x, y)
        return lower, log(1 - exp(lower)), density
    upper = tail(b, a, y, x)
    return log(1 - exp(upper)), upper, density


def main():
    random.seed(1)
    print("x,a,b,log_lower,log_upper,log_density")
    left = 400
    while left > 0:
        wide = random.random() < 0.5
        a, b = (10 ** (random.uniform(-10, 5) if wide else random.uniform(-1, 3.3)) for _ in range(2))
        n = a + b
        way = random.random()
        if way < 0.6:
            x = a / n + (a * b / n / n / (n + 1)) ** 0.5 * random.uniform(-6, 6)
        elif way < 0.8:
            x = a / n * 10 ** random.uniform(-3, 1)
        else:
            x = random.random()
        if not 1e-300 < x < 1:
            continue
        try:
            values = logs(mpf(a), mpf(b), mpf(x))
            print("%r,%r,%r,%s" % (x, a, b, ",".join(nstr(v, 20) for v in values)))
            left -= 1
        except (ArithmeticError, ValueError):
            pass


if __name__ == "__main__":
    main()
