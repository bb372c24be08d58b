#!/usr/bin/env python3
"""Coefficients of inst/kernels/quadrature/integrand_ops.h, printed as C: minimax polynomials as in elementary_coefficients.py,
the digits of 2/pi, constants in two parts.

  python3 tools/integrand_coefficients.py > inst/kernels/quadrature/integrand_coef.h

Needs mpmath.
"""
from mpmath import mp, mpf, asin, digamma, polygamma, loggamma, log, log10, sqrt, exp, pi, erfc, findroot, floor

from elementary_coefficients import literal, poly, split

WORDS = 19  # of 64 bits: those of the largest double's exponent and 192 more


def pair(name, v):
    print("#define %s %s\n#define %s_LO %s" % (name, literal(v), name, literal(v - mpf(float(v)))))


def stirling(n):
    """log Gamma(n + 1) - log(sqrt(2 pi n) (n/e)^n)"""
    return loggamma(n + 1) - (n + mpf(1) / 2) * log(n) + n - log(2 * pi) / 2


def log_lower(w):
    return log(erfc(w / sqrt(mpf(2))) / 2)


def lower_quantile(log_p):
    """w with log Phi(-w) = log_p"""
    guess = sqrt(-2 * log_p - log(max(mpf(1), -4 * pi * log_p)))
    return findroot(lambda w: log_lower(w) - log_p, guess)


def main():
    print("/* integrand_coef.h: made by tools/integrand_coefficients.py; do not edit. Errors are those of the\n"
          " * polynomial, relative to the function named unless absolute, before rounding. */\n"
          "#ifndef STATCL_INTEGRAND_COEF_H\n#define STATCL_INTEGRAND_COEF_H\n")
    tiny = mpf(10) ** -20
    poly("ASIN_P", "z", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, tiny, mpf("0.2500001"), 13,
         "(asin(s)/s - 1)/z, z = s^2, s <= 1/2, relative to asin(s)/s")
    poly("STIRLING_P", "z", lambda z: (stirling(1 / sqrt(z)) / sqrt(z) - mpf(1) / 12) / z, lambda z: 12 * z,
         mpf(10) ** -6, mpf(1) / 64, 6,
         "(n (log n! - log(sqrt(2 pi n) (n/e)^n)) - 1/12)/z, z = 1/n^2, n >= 8, relative to 1/12")
    root = findroot(digamma, mpf("1.46"))
    poly("DIGAMMA_P", "t", lambda t: digamma(t + mpf(3) / 2) / (t + mpf(3) / 2 - root),
         lambda t: (t + mpf(3) / 2 - root) / digamma(t + mpf(3) / 2), mpf(-1) / 2, mpf(1) / 2, 23,
         "digamma(x)/(x - root), t = x - 3/2, 1 <= x <= 2")
    poly("DIGAMMA_S", "z", lambda z: (log(1 / sqrt(z)) - sqrt(z) / 2 - digamma(1 / sqrt(z))) / z, lambda z: z,
         mpf(10) ** -6, mpf(1) / 64, 7, "(log x - 1/(2 x) - digamma(x)) x^2, z = 1/x^2, x >= 8, absolute in digamma")
    poly("TRIGAMMA_S", "z", lambda z: (polygamma(1, 1 / sqrt(z)) - sqrt(z) - z / 2) / z / sqrt(z),
         lambda z: z * sqrt(z) * 8, mpf(10) ** -6, mpf(1) / 64, 7,
         "(trigamma(x) - 1/x - 1/(2 x^2)) x^3, z = 1/x^2, x >= 8, relative to 1/8")
    near, far = mpf("2.76"), mpf("27.31")  # roots of -log p, 4.9e-4 >= p >= 5e-324
    centre = (near * far) ** mpf("0.5")
    scale = (far + centre) / (far - centre)
    at = lambda t: centre * (scale + t) / (scale - t)
    tail = lambda t: lower_quantile(-at(t) ** 2) / at(t)
    poly("NORMAL_TAIL_P", "t", tail, lambda t: 1 / tail(t), -1, 1, 31,
         "-Phi^-1(p)/r, r = sqrt(-log p), t = NORMAL_TAIL_SCALE (r - NORMAL_TAIL_MID)/(r + NORMAL_TAIL_MID)")
    print("#define NORMAL_TAIL_MID %s\n#define NORMAL_TAIL_SCALE %s" % (literal(centre), literal(scale)))
    pair("DIGAMMA_ROOT", root)
    pair("TWELFTH", mpf(1) / 12)
    pair("LOG2_E", 1 / log(mpf(2)))
    pair("LOG10_E", 1 / log(mpf(10)))
    split("LOG10_2_R", log10(mpf(2)), (40, 53))
    print("\n/* 2/pi in words of 64 bits, after one of zeros */\n#define TWO_BY_PI_WORDS \\")
    mp.dps = 420
    rest, words = 2 / pi, [0]
    for _ in range(WORDS):
        rest *= mpf(2) ** 64
        words.append(int(floor(rest)))
        rest -= words[-1]
    rows = [", ".join("0x%016xu" % w for w in words[i:i + 5]) for i in range(0, len(words), 5)]
    print("  " + ", \\\n  ".join(rows) + "\n\n#endif")


if __name__ == "__main__":
    main()
