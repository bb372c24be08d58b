#!/usr/bin/env python3
"""Coefficients of inst/kernels/gamma/gamma_direct.h and gamma_quantile.h, printed as C: polynomials of two variables
for quantiles of the gamma distribution, from their values at Chebyshev's nodes in 28 digits, without the terms that do
not count.

  python3 tools/gamma_quantile_coefficients.py > inst/kernels/gamma/gamma_quantile_coef.h

Needs mpmath; takes half a minute.
"""
from contextlib import redirect_stdout
from io import StringIO

from mpmath import cospi, erfc, exp, gammainc, hyp1f1, log, loggamma, mp, mpf, nstr, sqrt

from elementary_coefficients import emit
from gamma_coefficients import least, ratio

mp.dps = 28


def settled(x, gap, slope, curve):
    """The root of a function of log x near x, by steps of third order: gap its value, slope and curve derivatives."""
    for _ in range(80):
        g, h = gap(x), slope(x)
        d = -g / h
        by = max(min(d, mpf(0.5)), mpf(-0.5)) if abs(d) > 0.05 else d * (1 - curve(x, h) * d / 2)
        x *= exp(by)
        if abs(by) < mpf(10) ** -10:
            return x
    raise ValueError("no convergence")


def quantile(w, a):
    """x with P(a, x) = Phi(w), a >= 1."""
    up, tail = w > 0, erfc(abs(w) / sqrt(mpf(2))) / 2
    p = lambda x: gammainc(a, x, mp.inf, regularized=True) if up else gammainc(a, 0, x, regularized=True)
    density = lambda x: exp(a * log(x) - x - loggamma(a))
    start = a * (1 - 1 / (9 * a) + w / (3 * sqrt(a))) ** 3
    return settled(start, lambda x: log(p(x) / tail), lambda x: (-1 if up else 1) * density(x) / p(x),
                   lambda x, h: a - x - h)


def eta(r):
    d = r - 1
    if abs(d) < mpf(10) ** -6:
        return d * (1 - d / 3 + 7 * d ** 2 / 36 - 73 * d ** 3 / 540 + 1331 * d ** 4 / 12960)
    return sqrt(2 * (d - log(r))) * (1 if d > 0 else -1)


def shift(s, v):
    """(eta - s)/v of the quantile of s/sqrt(v) for shape 1/v."""
    return (eta(quantile(s / sqrt(v), 1 / v) * v) - s) / v


def rise(z, a):
    """log(x (a + 1)/y)/z, y = z (a + 1), for P(a, x) = y^a/Gamma(a + 1)."""
    y = z * (a + 1)
    sum_of = lambda x: hyp1f1(a, a + 1, -x)
    x = settled(y * exp(z), lambda x: log(x / y) + log(sum_of(x)) / a, lambda x: exp(-x) / sum_of(x),
                lambda x, h: a * (1 - h) - x)
    return log(x / y) / z


def above(y, a):
    """(y - x)/(1 - a) where Gamma(a, x) = e^-y."""
    tail = lambda x: gammainc(a, x, mp.inf)
    x = settled(max(y - (1 - a) * log(y + 1), mpf(0.3)), lambda x: log(tail(x)) + y,
                lambda x: -x ** a * exp(-x) / tail(x), lambda x, h: a - x - h)
    return (y - x) / (1 - a)


def chebyshev(values):
    n = len(values)
    return [(2 if k else 1) * sum(v * cospi(k * mpf(2 * i + 1) / (2 * n)) for i, v in enumerate(values)) / n
            for k in range(n)]


def powers(c):
    """Coefficients of powers from those of Chebyshev polynomials, of numbers."""
    before, now, out = [mpf(1)], [mpf(0), mpf(1)], [mpf(0)] * len(c)
    for k, v in enumerate(c):
        t = before if k == 0 else now
        for i, u in enumerate(t):
            out[i] += v * u
        if k:
            twice = [mpf(0)] + [2 * u for u in now]
            before, now = now, [u - (before[i] if i < len(before) else 0) for i, u in enumerate(twice)]
    return out


def surface(name, f, x_of, y_of, sizes, tolerance, note):
    """name(x, x2, x4, y): f by x and y mapped to [-1, 1]."""
    (x0, x1), (y0, y1) = [tuple(mpf(v) for v in r) for r in (x_of, y_of)]
    place = lambda a, b, n: [(a + b) / 2 + (b - a) / 2 * cospi(mpf(2 * i + 1) / (2 * n)) for i in range(n)]
    xs, ys = place(x0, x1, sizes[0]), place(y0, y1, sizes[1])
    columns = [chebyshev([f(x, y) for y in ys]) for x in xs]
    rows = [chebyshev([column[m] for column in columns]) for m in range(sizes[1])]
    kept = [row[:max([k + 1 for k, v in enumerate(row) if abs(v) > tolerance], default=0)] for row in rows]
    left = sum(abs(v) for row, keep in zip(rows, kept) for v in row[len(keep):])
    while not kept[-1]:
        kept.pop()
    most = max(len(row) for row in kept)
    by_y = [powers([row[k] if k < len(row) else mpf(0) for row in kept]) for k in range(most)]
    print("/* %s; error %s */" % (note, nstr(left, 2)))
    text = ""
    for m in range(len(kept) - 1, -1, -1):
        row = powers([by_y[k][m] for k in range(most)])
        while row and abs(row[-1]) < tolerance / 10:
            row.pop()
        digits = mpf(10) ** int(3 - mp.log10(tolerance))  # no more than count
        with redirect_stdout(StringIO()) as said:
            emit("%s_%d" % (name, m), "x", [mp.nint(v * digits) / digits for v in row], "of y^%d" % m)
        print(said.getvalue().split("\n", 1)[1].rstrip("\n"))
        this = "%s_%d(x, x2, x4)" % (name, m)
        text = "FMA(y, %s, %s)" % (text, this) if text else this
    rows = []
    while len(text) > 108:
        cut = text.rindex(" ", 0, 108)
        rows.append(text[:cut])
        text = text[cut + 1:]
    print("#define %s(x, x2, x4, y) \\\n  %s\n" % (name, " \\\n  ".join(rows + [text])))


def main():
    print("/* gamma_quantile_coef.h: made by tools/gamma_quantile_coefficients.py; do not edit. Errors are absolute\n"
          " * ones of the polynomials, before rounding. */\n#ifndef STATCL_GAMMA_QUANTILE_COEF_H\n"
          "#define STATCL_GAMMA_QUANTILE_COEF_H\n")
    of = "(eta - s)/v, eta of the quantile s/sqrt(v), v = 1/a; x and y: s and v mapped to [-1, 1]\n * from "
    surface("SHIFT_MANY", shift, ("-0.92", "1.22"), ("0", "0.125"), (26, 12), mpf(1e-16),
            of + "[-0.92, 1.22], [0, 1/8]")
    surface("SHIFT_SOME", shift, ("-1.12", "2.2"), ("0.125", "0.45"), (34, 14), mpf(5e-17),
            of + "[-1.12, 2.2], [1/8, 0.45]")
    surface("SHIFT_FEW", shift, ("-1.12", "3.36"), ("0.45", "1"), (42, 16), mpf(3e-17),
            of + "[-1.12, 3.36], [0.45, 1]")
    surface("RISE", rise, ("0", "0.27"), ("0", "1"), (26, 14), mpf(1e-16),
            "log(x/(z (a + 1)))/z, P(a, x) = (z (a + 1))^a/Gamma(a + 1); x and y: z and a mapped to [-1, 1] from\n"
            " * [0, 0.27], [0, 1]")
    surface("SHIFT_START", shift, ("-1.6", "3.4"), ("0", "1"), (20, 8), mpf(3e-4), of + "[-1.6, 3.4], [0, 1]")
    surface("RISE_START", rise, ("0", "0.3"), ("0", "1"), (10, 6), mpf(1e-3), "as RISE, from [0, 0.3], [0, 1]")
    surface("ABOVE_START", above, ("0.2", "7.8"), ("0", "1"), (16, 8), mpf(2e-3),
            "(y - x)/(1 - a), Gamma(a, x) = e^-y; x and y: y and a mapped to [-1, 1] from\n * [0.2, 7.8], [0, 1]")
    tiny = mpf(10) ** -9
    c, e = least(lambda s: log(ratio(s)) / s if abs(s) > tiny else 1 - s / 6, -2, 3.5, mpf(1e-4), 4)
    emit("LOG_RATIO_START", "s", c, "log(lambda)/s, -2 <= s <= 3.5; error %s" % nstr(e, 2))
    c, e = least(lambda s: ((ratio(s) - 1) / s - 1) / s if abs(s) > tiny else mpf(1) / 3 + s / 36, -0.97, 1.22,
                 mpf(3e-17), 14)
    emit("RATIO_NEAR", "s", c, "((lambda - 1)/s - 1)/s, lambda - 1 - log lambda = s^2/2, -0.97 <= s <= 1.22; error %s"
         % nstr(e, 2))
    c, e = least(lambda s: log(ratio(s)) / s if abs(s) > tiny else 1 - s / 6, -1.5, 3.36, mpf(4e-17), 14)
    emit("LOG_RATIO", "s", c, "log(lambda)/s, -1.5 <= s <= 3.36; error %s" % nstr(e, 2))
    print("#endif")


if __name__ == "__main__":
    main()
