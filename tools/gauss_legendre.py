#!/usr/bin/env python3
"""Nodes and weights of the 16-point Gauss-Legendre rule in inst/kernels/stable/stable_angle.h, printed as C (positive half)."""
from mpmath import mp, mpf, legendre

mp.dps = 40
N = 16


def slope(x):
    return N * (x * legendre(N, x) - legendre(N - 1, x)) / (x * x - 1)


nodes = []
for k in range(N // 2, 0, -1):
    x = mp.cos(mp.pi * (k - mpf(1) / 4) / (N + mpf(1) / 2))
    for _ in range(8):
        x -= legendre(N, x) / slope(x)
    nodes.append(x)
for name, values in (("gauss_x", nodes), ("gauss_w", [2 / ((1 - x * x) * slope(x) ** 2) for x in nodes])):
    print("DEV_CONST real %s[8] = {%s};" % (name, ", ".join("K(%s)" % repr(float(v)) for v in values)))
