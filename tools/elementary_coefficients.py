#!/usr/bin/env python3
"""Coefficients of inst/kernels/common/elementary.h, printed as C: each polynomial is one macro that takes
the variable, its square and its fourth power.

  python3 tools/elementary_coefficients.py > inst/kernels/common/elementary_coef.h
  python3 tools/elementary_coefficients.py single > inst/kernels/common/elementary_coef_single.h

Weighted minimax by the Remez exchange in 60 digits, coefficients then rounded to double or float. Needs mpmath.
"""
import struct
import sys

from mpmath import (mp, mpf, matrix, lu_solve, exp, expm1, log, sin, cos, atan, atanh, erf, erfc, loggamma, pi, sqrt,
                    cospi)

mp.dps = 60
single = sys.argv[1:] == ["single"]


def remez(f, w, a, b, n):
    """Coefficients c[0..n-1] of the polynomial p minimising max |w (p - f)| on [a, b], and that maximum."""
    m = 24 * n
    grid = [(a + b) / 2 - (b - a) / 2 * cospi(mpf(2 * i + 1) / (2 * m)) for i in range(m)]
    fs, ws = [f(x) for x in grid], [w(x) for x in grid]
    idx = [int((i + mpf(1) / 2) * m / (n + 1)) for i in range(n + 1)]
    for _ in range(30):
        rows, rhs = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, k in enumerate(idx):
            for j in range(n):
                rows[i, j] = grid[k] ** j
            rows[i, n] = (-1) ** i / ws[k]
            rhs[i] = fs[k]
        sol = lu_solve(rows, rhs)
        c = [sol[j] for j in range(n)]
        err = [ws[k] * (horner(c, grid[k]) - fs[k]) for k in range(m)]
        new, start = [], 0  # the largest error of each run of one sign
        for k in range(1, m + 1):
            if k == m or (err[k] > 0) != (err[start] > 0):
                new.append(max(range(start, k), key=lambda q: abs(err[q])))
                start = k
        while len(new) > n + 1:
            new.pop(0 if abs(err[new[0]]) < abs(err[new[-1]]) else -1)
        if len(new) < n + 1 or new == idx:
            break
        idx = new
    return c, max(abs(e) for e in err)


def horner(c, x):
    s = mpf(0)
    for v in reversed(c):
        s = s * x + v
    return s


def rounded(v):
    return struct.unpack("f", struct.pack("f", v))[0] if single else float(v)


def literal(v):
    s = "%.9g" % rounded(v) if single else repr(rounded(v))
    return "K(%s)" % (s if "." in s or "e" in s else s + ".0")


def fma_chain(terms, x):
    text = terms[-1]
    for v in reversed(terms[:-1]):
        text = "FMA(%s, %s, %s)" % (x, text, v)
    return text


def emit(name, arg, c, note, horner_alone=False):
    """Groups of four coefficients (Estrin), joined by Horner's rule in the fourth power: short chains of dependent
    operations, since out-of-order hardware sees only a few vectors of lanes at once. Horner's rule alone where
    independent work is at hand."""
    groups = []
    for i in range(0, len(c), 4):
        pairs = [fma_chain([literal(v) for v in c[j:j + 2]], arg) for j in range(i, min(i + 4, len(c)), 2)]
        groups.append(fma_chain(pairs, arg + "2"))
    text, rows = fma_chain(groups, arg + "4"), []
    if horner_alone:
        text = fma_chain([literal(v) for v in c], arg)
    while len(text) > 108:
        cut = text.rindex(" ", 0, 108)
        rows.append(text[:cut])
        text = text[cut + 1:]
    body = " \\\n  ".join(rows + [text])
    names = arg if horner_alone else "%s, %s2, %s4" % (arg, arg, arg)
    print("/* %s */\n#define %s(%s) \\\n  %s\n" % (note, name, names, body))


def poly(name, arg, f, w, a, b, n, note, horner_alone=False):
    c, e = remez(f, w, mpf(a), mpf(b), n)
    emit(name, arg, c, "%s; error %.1e" % (note, e), horner_alone)


def split(name, v, bits):
    """v as a sum of doubles whose significands have the given numbers of bits."""
    for i, nb in enumerate(bits):
        if nb < (24 if single else 53):
            with_e = mp.floor(mp.log(abs(v), 2)) - nb + 1
            part = mp.floor(v / mpf(2) ** with_e) * mpf(2) ** with_e
        else:
            part = mpf(rounded(v))
        print("#define %s%d %s" % (name, i + 1, literal(part)))
        v = v - part


def series_tail(x):
    """x (lgam(x) - [(x - 1/2) log x - x + log(2 pi)/2])"""
    return x * (loggamma(x) - ((x - mpf(1) / 2) * log(x) - x + log(2 * pi) / 2))


def tan_pade(n):
    """Numerator and denominator of the n-th convergent of tan(y)/y = 1/(1 - z/(3 - z/(5 - ...))), z = y^2."""
    p0, p1, q0, q1 = [mpf(0)], [mpf(1)], [mpf(1)], [mpf(1)]
    for k in range(2, n + 1):
        step = lambda u, v: [(2 * k - 1) * (u[i] if i < len(u) else 0) - (v[i - 1] if 0 < i <= len(v) else 0)
                             for i in range(max(len(u), len(v) + 1))]
        p0, p1 = p1, step(p1, p0)
        q0, q1 = q1, step(q1, q0)
    return [v / p1[0] for v in p1], [v / q1[0] for v in q1]


def emit_dd(name, c):
    """An X-macro over the coefficients, highest power first: first(hi, lo) step(hi, lo) step(hi, lo) ..."""
    rows = ["step(%s, %s)" % (literal(v), literal(v - mpf(float(v)))) for v in reversed(c)]
    rows[0] = rows[0].replace("step", "first")
    print("#define %s(first, step) \\\n  %s\n" % (name, " \\\n  ".join(rows)))


def in_either_precision(exp_terms, log_terms, sin_terms, cos_terms, atan_terms, erfcx_terms):
    h = log(mpf(2)) / 2 * (1 + mpf(2) ** (-20 if single else -30))
    poly("EXP_Q", "r", lambda r: (expm1(r) - r) / r ** 2, lambda r: abs(r ** 2 / expm1(r)), -h, h, exp_terms,
         "(e^r - 1 - r)/r^2, |r| <= log(2)/2, relative to e^r - 1")
    s = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)
    z1 = s * s * (1 + mpf(2) ** -18)
    poly("LOG_R", "z", lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, lambda z: z / 2, mpf(10) ** -20, z1,
         log_terms, "(2 atanh(s)/s - 2)/z, z = s^2, |s| <= 3 - 2 sqrt 2")
    z4 = (pi / 4) ** 2 * (1 + mpf(2) ** (-20 if single else -30))
    poly("SIN_S", "z", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(10) ** -20, z4, sin_terms,
         "(sin(r)/r - 1)/z, z = r^2, |r| <= pi/4")
    poly("COS_C", "z", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, lambda z: z * z, mpf(10) ** -18, z4, cos_terms,
         "(cos(r) - 1 + z/2)/z^2, z = r^2, |r| <= pi/4")
    za = (sqrt(mpf(2)) - 1) ** 2 * (1 + mpf(2) ** (-20 if single else -30))
    poly("ATAN_A", "z", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(10) ** -20, za, atan_terms,
         "(atan(q)/q - 1)/z, z = q^2, q <= sqrt(2) - 1")
    k = mpf(15) / 4
    ex = lambda t: (lambda x: (mpf(1) / 2 + x) * exp(x * x) * erfc(x))(k * (1 + t) / (1 - t))
    poly("ERFCX_P", "t", ex, lambda t: 1 / ex(t), -1, 1, erfcx_terms,
         "(1/2 + x) erfcx(x), t = (x - 15/4)/(x + 15/4), x >= 0")


def head(name):
    guard = "STATCL_%s_H" % name.upper()
    print("/* %s.h: made by tools/elementary_coefficients.py; do not edit. Errors are those of the\n"
          " * polynomial, relative to the function named, before rounding. */\n"
          "#ifndef %s\n#define %s\n" % (name, guard, guard))


def main_single():
    head("elementary_coef_single")
    in_either_precision(5, 3, 3, 3, 5, 12)
    split("LN2_R", log(mpf(2)), (16, 24))
    print("\n#endif")


def main():
    head("elementary_coef")
    in_either_precision(10, 7, 6, 6, 11, 25)
    z2 = (pi / 2) ** 2 * (1 + mpf(2) ** -30)
    poly("SIN_W", "z", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sin(sqrt(z)),
         mpf(10) ** -20, z2, 8, "(sin(r)/r - 1)/z, z = r^2, |r| <= pi/2")
    poly("SIN_TURN", "z", lambda z: sin(2 * pi * sqrt(z)) / sqrt(z), sqrt, mpf(10) ** -20, mpf(1) / 16, 8,
         "sin(2 pi g)/g, z = g^2, |g| <= 1/4, absolute in the sine", horner_alone=True)
    lg = lambda t: loggamma(2 + t) / t if t else 1 - mp.euler
    poly("LGAM_P", "t", lg, lambda t: 1 / lg(t), mpf(-1) / 2, mpf(1) / 2, 19, "lgam(2 + t)/t, |t| <= 1/2")
    poly("LGAM_S", "z", lambda z: series_tail(1 / sqrt(z)), lambda z: sqrt(z), mpf(10) ** -6, mpf(1) / 64, 6,
         "x (lgam(x) - [(x - 1/2) log x - x + log(2 pi)/2]), z = 1/x^2, x >= 8, absolute in lgam")
    poly("ERF_P", "z", lambda z: erf(sqrt(z)) / sqrt(z), lambda z: sqrt(z) / erf(sqrt(z)), mpf(10) ** -20,
         mpf(1) / 4, 9, "erf(x)/x, z = x^2, |x| <= 1/2")
    p, q = tan_pade(13)
    print("/* Lambert's fraction for tan(y)/y cut after 13 terms: P(z)/Q(z), z = y^2, double-double */")
    emit_dd("TAN_P", p)
    emit_dd("TAN_Q", q)
    split("PIO2_", pi / 2, (33, 33, 53))
    split("PI_R", pi, (38, 53))
    split("LN2_R", log(mpf(2)), (40, 53))
    print("\n#endif")


if __name__ == "__main__":
    main_single() if single else main()
