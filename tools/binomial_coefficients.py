#!/usr/bin/env python3
"""Coefficients of inst/kernels/binomial/binomial_mixture.cl, printed as C.

  python3 tools/binomial_coefficients.py > inst/kernels/binomial/binomial_coef.h

Needs mpmath.
"""
from mpmath import mp

from beta_coefficients import legendre_nodes
from elementary_coefficients import literal

NODES = 16


def main():
    mp.dps = 40
    print("/* binomial_coef.h: made by tools/binomial_coefficients.py; do not edit. */\n"
          "#ifndef STATCL_BINOMIAL_COEF_H\n#define STATCL_BINOMIAL_COEF_H\n")
    nodes = list(legendre_nodes(NODES))
    nodes = [(1 - x, w) for x, w in nodes] + [(1 + x, w) for x, w in nodes[::-1]]
    print("/* Gauss and Legendre's rule on [0, 2]. */\n#define MIXTURE_COUNT %d" % NODES)
    for name, values in (("node", [x for x, _ in nodes]), ("weight", [w for _, w in nodes])):
        rows = [", ".join(literal(v) for v in values[i:i + 4]) for i in range(0, NODES, 4)]
        print("DEV_CONST real mixture_%s[MIXTURE_COUNT] = {\n  %s};" % (name, ",\n  ".join(rows)))
    print("\n#endif")


if __name__ == "__main__":
    main()
