#!/usr/bin/env python3
"""Coefficients of inst/kernels/stable/stable_node.h, printed as C: exp and sin for the nodes of a quadrature, where an
error of 2e-16 is harmless and every operation is paid per node. Horner's rule: fewest operations."""
from mpmath import cos, expm1, log, mpf, pi, sin, sqrt

from elementary_coefficients import fma_chain, literal, remez


def show(name, arg, f, w, a, b, n, note, chain=None):
    c, e = remez(f, w, mpf(a), mpf(b), n)
    k, rows = [literal(v) for v in c], []
    text = chain(k, arg) if chain else fma_chain(k, arg)
    while len(text) > 108:
        cut = text.rindex(" ", 0, 108)
        rows.append(text[:cut])
        text = text[cut + 1:]
    print("/* %s; error %.1e */\n#define %s(%s) \\\n  %s\n" % (note, e, name, arg, " \\\n  ".join(rows + [text])))


def estrin_9(k, _):  # for r and z = r^2: the operations of one exponential wait less for each other
    pair = ["FMA(r, %s, %s)" % (k[i + 1], k[i]) for i in (0, 2, 4, 6)]
    return "FMA(z * z, FMA(z, FMA(z, %s, %s), %s), FMA(z, %s, %s))" % (k[8], pair[3], pair[2], pair[1], pair[0])


h = log(mpf(2)) / 2 * (1 + mpf(2) ** -30)
show("EXP_NODE", "r, z", lambda r: (expm1(r) - r) / r ** 2, lambda r: r ** 2, -h, h, 9,
     "(e^r - 1 - r)/r^2, z = r^2, |r| <= log(2)/2, relative to e^r", estrin_9)
z = (pi / 2) ** 2 * (1 + mpf(2) ** -30)
show("SIN_NODE", "z", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sin(sqrt(z)),
     mpf(10) ** -20, z, 7, "(sin(r)/r - 1)/z, z = r^2, |r| <= pi/2, relative to sin r")
show("COS_NODE", "z", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, lambda z: z ** 2,
     mpf(10) ** -20, z, 7, "(cos r - 1 + z/2)/z^2, z = r^2, |r| <= pi/2, absolute")
show("EXP_ROUGH", "r", lambda r: (expm1(r) - r) / r ** 2, lambda r: r ** 2, -h, h, 4,
     "the same, for positions alone")
show("LOG_ROUGH", "f", lambda f: log(1 + f) / f, lambda f: f, sqrt(mpf(1) / 2) - 1 - mpf(2) ** -20, sqrt(mpf(2)) - 1, 7,
     "log(1 + f)/f, sqrt(1/2) <= 1 + f <= sqrt(2), absolute of log(1 + f)")
