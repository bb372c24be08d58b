#!/usr/bin/env python3
"""Steps and numbers of nodes of the trapezoidal rules of inst/kernels/bessel/bessel.h and bessel.cl, and terms of its
expansion for large x: checks, with margins.

By Poisson's summation the rule of step h on Int exp(-x cosh t) cosh(nu t) dt over the real line errs by
4 Re Sum_j K_(nu + 2 pi i j/h)(x), of which j = 1 is all that matters; the integral is 2 K_nu(x). x, or s, runs over a
grid of each range. Exits with 1 if an error is above what is allowed."""
import sys

from mpmath import asinh, besselk, cosh, exp, hypot, inf, log, mp, mpf, pi, sinh, sqrt

mp.dps = 25
ERROR = mpf(2.1e-17)
failed = False


def rule(nu, s, h, shift):
    """Sum of f(u) = exp(-s (cosh u - 1) - nu (sinh u - u)), s = sqrt(nu^2 + x^2), over u = shift + k h, times h:
    the integrand of 2 K_nu(x), as 1 at its peak."""
    total = mpf(0)
    for side in (1, -1):
        u = shift if side > 0 else shift - h
        while True:
            f = exp(-s * (cosh(u) - 1) - nu * (sinh(u) - u))
            total, u = total + f, u + side * h
            if f < mpf(1e-22):
                break
    return total * h


def aliasing(nu, s, h):
    """2 |K_(nu + 2 pi i/h)(x)|/K_nu(x): rules shifted by h/4 err by the cosine and the sine of its phase."""
    rules = [rule(nu, s, h, h * k / 4) for k in range(4)]
    exact = sum(rules) / 4
    return hypot(rules[0] / exact - 1, rules[1] / exact - 1)


def beyond(term, h, nodes, total):
    """The terms left out, the first of them and a geometric bound of the others, relative to the sum."""
    a, b = term((nodes + 1) * h), term((nodes + 2) * h)
    return a / (1 - b / a) / total if b < a else inf


def largest_step(nu, x):
    low, high = mpf("0.5") / sqrt(19 + 2 * x), 2 / sqrt(19 + 2 * x)
    for _ in range(10):
        h = sqrt(low * high)
        low, high = (h, high) if aliasing(nu, sqrt(nu * nu + x * x), h) < ERROR else (low, h)
    return low


def grid(a, b, n):
    return [a * (b / a) ** (mpf(k) / (n - 1)) for k in range(n)]


def verdict(name, found, bound, at, note=""):
    global failed
    failed |= found > bound
    print("%-34s %9s of %s allowed, at %s%s%s" % (name, mp.nstr(found, 3), mp.nstr(bound, 3), at, note,
                                                  "   FAILS" if found > bound else ""))


def worst(pairs):
    return max(pairs, key=lambda p: p[0])


def symmetric():
    """bessel_sums(): K_mu and K_(mu+1), both relative to K_(mu+1) >= K_mu/1.5, |mu| <= 1/2."""
    for a, b, c0, c1, nodes in ((0.5, 2, 19.2, 0.55, 23), (2, 8, 18.8, 0.8, 17), (8, 1e4, 10, 1.98, 13)):
        alias, tail, need, slack = [], [], 0, []
        for x in grid(mpf(a), mpf(b), 9):
            h = 1 / sqrt(mpf(c0) + mpf(c1) * x)
            for nu in (mpf(0), mpf(1) / 2, mpf(3) / 2):
                at = "x = %s, nu = %s" % (mp.nstr(x, 4), mp.nstr(nu, 2))
                total = besselk(nu, x) * exp(x) / h

                def term(t):
                    return exp(-x * (cosh(t) - 1)) * cosh(nu * t)
                alias.append((aliasing(nu, sqrt(nu * nu + x * x), h), at))
                tail.append((beyond(term, h, nodes, total), at))
                n = nodes - 6
                while beyond(term, h, n, total) > ERROR:
                    n += 1
                need = max(need, n)
                slack.append((h / largest_step(nu, x), at))
        name = "[%g, %g)" % (a, b if b < 1e4 else inf)
        verdict(name + " error of the step", *worst_of(alias))
        verdict(name + " terms left out", *worst_of(tail), note="; %d nodes needed, %d taken" % (need, nodes))
        step, at = worst(slack)
        print("%-34s %9s of the largest one, at %s" % (name + " step", mp.nstr(step, 5), at))


def hankel():
    """bessel_hankel(): the sum of 16 terms besides 1 against e^x K_mu(x) sqrt(2 x/pi), |mu| <= 3/2."""
    left = []
    for x in (mpf(30), mpf(35), mpf(60), mpf(1000)):
        for nu in [mpf(k) / 8 for k in range(-4, 13)]:
            total, term = mpf(1), mpf(1)
            for k in range(1, 17):
                term *= (4 * nu * nu - (2 * k - 1) ** 2) / (8 * k * x)
                total += term
            exact = besselk(nu, x) * exp(x) * sqrt(2 * x / pi)
            left.append((abs(total / exact - 1), "x = %s, nu = %s" % (mp.nstr(x, 4), mp.nstr(nu, 4))))
    verdict("Hankel's expansion left out", *worst_of(left))


def worst_of(pairs, bound=ERROR):
    found, at = worst(pairs)
    return found, bound, at


def centred():
    """bessel_sums_centred(): u is the distance from the peak, the slow end is the left one. It serves x >= 2, or
    nu > 20.5; for small x and nu the left end is too far away (nu = s = 2: 85 nodes)."""
    for a, b, nodes in ((2, 60, 28), (60, 1e5, 17)):
        left, need, alias = [], 0, []
        for s in grid(mpf(a), mpf(b), 12):
            h = mpf("0.7") / sqrt(s + 8)
            for share in (0, 0.5, 0.9, 0.99, 1):
                nu = s * share
                at = "s = %s, nu = %s s" % (mp.nstr(s, 4), share)
                if nu <= 20.5 and s * s - nu * nu < 4:
                    continue

                def term(u):
                    return exp(-s * (cosh(u) - 1) + nu * (sinh(u) - u))
                total = sum(term(k * h) + term(-k * h) for k in range(1, nodes + 1)) + 1
                left.append((beyond(term, h, nodes, total), at))
                n = nodes - 10
                while beyond(term, h, n, total) > mpf(1e-16):
                    n += 1
                need = max(need, n)
                alias.append((aliasing(nu, s, h), at))
        name = "centred, s in [%g, %g)" % (a, b if b < 1e5 else inf)
        verdict(name + " left out", *worst_of(left, mpf(1e-16)), note="; %d nodes needed, %d taken" % (need, nodes))
        verdict(name + " step", *worst_of(alias, mpf(3e-16)))


def slope():
    """bessel_slope: step and end u = log(1 + y + sqrt(2 y)), y = 80/(s + nu), for numerator and denominator."""
    alias, left = [], []
    for x in (mpf("1e-3"), mpf("0.1"), mpf("0.5"), mpf(2), mpf(8), mpf(30), mpf(140), mpf(1000), mpf("1e7")):
        for nu in (mpf("1e-3"), mpf(1) / 2, mpf(2), mpf(7), mpf("20.5")):
            s, t0 = sqrt(x * x + nu * nu), asinh(nu / x)
            h, y = mpf("0.7") / sqrt(s + 8), 80 / (s + nu)
            at = "x = %s, nu = %s" % (mp.nstr(x, 3), mp.nstr(nu, 3))
            nodes = int((t0 + log(1 + y + sqrt(2 * y))) / h) + 1

            def both(t):
                e = exp(-x * (cosh(t) - 1) - (nu * t0 - x * (cosh(t0) - 1)))
                return e * cosh(nu * t), e * t * sinh(nu * t)

            def sums(step, count):
                terms = [both(k * step) for k in range(1, count + 1)]
                return (step * (both(mpf(0))[0] / 2 + sum(c for c, _ in terms)), step * sum(d for _, d in terms))
            coarse, fine = sums(h, nodes + 8), sums(h / 2, 2 * nodes + 16)
            alias.append((max(abs(c / f - 1) for c, f in zip(coarse, fine)), at))
            for i in (0, 1):
                left.append((beyond(lambda t: both(t)[i], h, nodes, coarse[i] / h), at))
    verdict("slope step", *worst_of(alias, mpf(5.5e-16)))
    verdict("slope left out", *worst_of(left, mpf(1e-16)))


if __name__ == "__main__":
    symmetric()
    hankel()
    centred()
    slope()
    sys.exit(failed)
