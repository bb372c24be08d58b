"""Generalised Wendland functions, their slopes and spectral densities over those at 0, to 20 digits:
python3 tools/wendland_reference.py > tests/testthat/ref/wendland.csv"""
from mpmath import beta, hyp1f2, mp, mpf, quad

mp.dps = 40


def integral(x, low, high, power):
    """int_0^1 t^low (2 x + (1 - x) t)^power (1 - t)^high dt"""
    cuts = sorted({mpf(0), x / 4, x, min(mpf(1) / 2, 4 * x), mpf(1) / 2, mpf(1)}) if x < 0.5 else [0, 0.5, 1]
    return quad(lambda t: t**low * (2 * x + (1 - x) * t) ** power * (1 - t) ** high, cuts)


def value(x, kappa, mu):
    return (1 - x) ** (mu + kappa) * integral(x, kappa, mu - 1, kappa) / beta(2 * kappa + 1, mu)


def slope(x, kappa, mu):
    """-x F'(x)"""
    step = mpf(10) ** -13 * x
    return -x * (value(x + step, kappa, mu) - value(x - step, kappa, mu)) / (2 * step)


def spectrum(k, kappa, mu, dim):
    a = mpf(dim + 1) / 2 + kappa
    return hyp1f2(a, a + mu / 2, a + mu / 2 + mpf(1) / 2, -k * k / 4)


print("quantity,smoothness,shape,x,value")
for kappa, mu in [(0, 2), (0, 1.7), (0.3, 2.3), (0.05, 1.5), (0.9, 3), (1, 3), (1.7, 3.7), (2, 5), (3.5, 7.2), (12, 20)]:
    kappa, mu = mpf(kappa), mpf(mu)
    rows = [("F", x, value) for x in (1e-6, 0.001, 0.02, 0.3, 0.7, 0.99)]
    rows += [("G", x, slope) for x in (1e-6, 0.001, 0.02, 0.3, 0.7, 0.99)]
    for dim in (1, 2, 3):
        if mu >= mpf(dim + 1) / 2 + kappa:
            rows += [("S%d" % dim, k, lambda k, a, b, d=dim: spectrum(k, a, b, d)) for k in (0.1, 3, 20, 80, 130, 1000)]
    for name, x, f in rows:
        print(name, mp.nstr(kappa, 17), mp.nstr(mu, 17), repr(x), mp.nstr(f(mpf(x), kappa, mu), 20), sep=",")
