"""Nodes and weights of the 21-point Gauss-Kronrod rule, null rules, and ends: quadrature_coef.h of the kernels.

The 10 Gauss points are the zeros of Legendre's P_10; the 11 others are those of Stieltjes' polynomial E_11, which is
orthogonal to all polynomials of lower degree under the weight P_10 (A. S. Kronrod, Nodes and weights of quadrature
formulas, 1965). Weights follow from exactness on Legendre polynomials. Null rules are combinations of the values that
are 0 for all polynomials below a degree (J. Berntsen and T. O. Espelid, ACM TOMS 17, 1991), those of degrees 9 to 20,
orthogonal and as long as the vector of the rule's weights, so that noise has the same size in all of them. They are
even or odd, and have their weights at 0 and the positive nodes here. The polynomial through the 21 values has its
value and slope at 1 by Lagrange's formula; at -1 the weights are those reversed, and slopes change sign. All in 60
digits.

    python3 tools/gauss_kronrod.py > inst/kernels/quadrature/quadrature_coef.h
"""
from mpmath import mp, mpf, matrix, lu_solve, legendre, polyroots, taylor, polyval

mp.dps = 60
GAUSS = 10


def coefficients(n):
    return taylor(lambda x: legendre(n, x), 0, n)


def integral(poly):
    return sum(2 * c / (k + 1) for k, c in enumerate(poly) if k % 2 == 0)


def product(a, b):
    out = [mpf(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def roots(poly):
    return [r.real for r in polyroots(poly[::-1], maxsteps=500, extraprec=400)]


def stieltjes():
    """E_11 = x^11 + c_9 x^9 + ... + c_1 x, odd like P_10 is even."""
    p, powers = coefficients(GAUSS), range(1, GAUSS + 1, 2)
    a, b = matrix(len(powers), len(powers)), matrix(len(powers), 1)
    for row, test in enumerate(powers):
        for column, power in enumerate(powers):
            a[row, column] = integral(product(p, [mpf(0)] * (test + power) + [mpf(1)]))
        b[row] = -integral(product(p, [mpf(0)] * (test + GAUSS + 1) + [mpf(1)]))
    c = lu_solve(a, b)
    poly = [mpf(0)] * (GAUSS + 2)
    poly[GAUSS + 1] = mpf(1)
    for row, power in enumerate(powers):
        poly[power] = c[row]
    return poly


def weights(nodes):
    n = len(nodes)
    a, b = matrix(n, n), matrix(n, 1)
    for row in range(n):
        for column, x in enumerate(nodes):
            a[row, column] = legendre(row, x)
        b[row] = mpf(2) if row == 0 else mpf(0)
    return list(lu_solve(a, b))


def table(name, values):
    number = ["K(%s)" % mp.nstr(v, 20, min_fixed=-3) for v in values]
    rows = [", ".join(number[k:k + 3]) for k in range(0, len(number), 3)]
    return "#define %s \\\n  %s" % (name, ", \\\n  ".join(rows))


gauss = sorted(roots(coefficients(GAUSS)))
nodes = sorted(gauss + roots(stieltjes()))
nodes = [mpf(0) if abs(x) < mpf(10) ** -30 else x for x in nodes]
kronrod = weights(nodes)


def null_rules(nodes, length):
    """Rules that are 0 for all polynomials below degree 9, 10, ..., 20, orthogonal and of this length."""
    basis = []
    for degree in range(len(nodes)):
        v = [legendre(degree, x) for x in nodes]
        for _ in range(2):
            for u in basis:
                along = sum(a * b for a, b in zip(u, v))
                v = [a - along * b for a, b in zip(v, u)]
        size = sum(a * a for a in v) ** mpf("0.5")
        basis.append([a / size for a in v])
    return [[length * a for a in v] for v in basis[9:]]


by_gauss = dict(zip([mp.nstr(x, 25) for x in gauss], weights(gauss)))
low = [by_gauss.get(mp.nstr(x, 25), mpf(0)) for x in nodes]
assert sum(1 for w in low if w) == GAUSS
for degree in range(3 * GAUSS + 2):
    exact = mpf(2) / (degree + 1) if degree % 2 == 0 else mpf(0)
    assert abs(sum(w * x ** degree for w, x in zip(kronrod, nodes)) - exact) < mpf(10) ** -40

null = null_rules(nodes, sum(w * w for w in kronrod) ** mpf("0.5"))
for k, rule in enumerate(null):
    for degree in range(9 + k):
        assert abs(sum(w * x ** degree for w, x in zip(rule, nodes))) < mpf(10) ** -40


def at_end(nodes):
    """l_k(1) and l_k'(1) of Lagrange's polynomials."""
    value, slope = [], []
    for k, x in enumerate(nodes):
        others = [y for i, y in enumerate(nodes) if i != k]
        v = mpf(1)
        for y in others:
            v *= (1 - y) / (x - y)
        value.append(v)
        slope.append(v * sum(1 / (1 - y) for y in others))
    return value, slope


end, slope = at_end(nodes)
for degree in range(21):
    assert abs(sum(w * x ** degree for w, x in zip(end, nodes)) - 1) < mpf(10) ** -40
    assert abs(sum(w * x ** degree for w, x in zip(slope, nodes)) - degree) < mpf(10) ** -40

print("/* quadrature_coef.h: made by tools/gauss_kronrod.py, which says how. */")
print("#ifndef STATCL_QUADRATURE_COEF_H\n#define STATCL_QUADRATURE_COEF_H\n")
print(table("KRONROD_NODES", nodes))
print(table("KRONROD_WEIGHTS", kronrod))
print(table("GAUSS_WEIGHTS", low))
print(table("NULL_WEIGHTS", [w if abs(w) > mpf(10) ** -40 else mpf(0) for rule in null for w in rule[GAUSS:]]))
print(table("END_WEIGHTS", end))
print(table("END_SLOPE_WEIGHTS", slope))
print("\n#endif")
