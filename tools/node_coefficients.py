#!/usr/bin/env python3
"""Coefficients of inst/kernels/stable/stable_node.h, printed as C: exp and sin for the nodes of a quadrature, where an
error of 2e-16 is harmless and every operation is paid per node. Horner's rule: fewest operations."""
from mpmath import cos, expm1, log, mpf, pi, sin, sqrt

from elementary_coefficients import fma_chain, literal, remez


def show(name, arg, f, w, a, b, n, note):
    c, e = remez(f, w, mpf(a), mpf(b), n)
    text, rows = fma_chain([literal(v) for v in c], arg), []
    while len(text) > 108:
        cut = text.rindex(" ", 0, 108)
        rows.append(text[:cut])
        text = text[cut + 1:]
    print("/* %s; error %.1e */\n#define %s(%s) \\\n  %s\n" % (note, e, name, arg, " \\\n  ".join(rows + [text])))


h = log(mpf(2)) / 2 * (1 + mpf(2) ** -30)
show("EXP_NODE", "r", lambda r: (expm1(r) - r) / r ** 2, lambda r: r ** 2, -h, h, 9,
     "(e^r - 1 - r)/r^2, |r| <= log(2)/2, relative to e^r")
z = (pi / 2) ** 2 * (1 + mpf(2) ** -30)
show("SIN_NODE", "z", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / sin(sqrt(z)),
     mpf(10) ** -20, z, 7, "(sin(r)/r - 1)/z, z = r^2, |r| <= pi/2, relative to sin r")
show("COS_NODE", "z", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, lambda z: z ** 2,
     mpf(10) ** -20, z, 7, "(cos r - 1 + z/2)/z^2, z = r^2, |r| <= pi/2, absolute")
