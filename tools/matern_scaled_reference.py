"""Derivatives for nu of Matern correlations at distances scaled by sqrt(nu): d/dnu E exp(-a/s), s a gamma variable of
mean 1 and variance 1/nu, by the trapezoidal rule with 40 digits; the first checked against K_nu:
python3 tools/matern_scaled_reference.py > tests/testthat/ref/matern_scaled.csv"""
from mpmath import besselk, exp, gamma, log, loggamma, mp, mpf, psi, sqrt

mp.dps = 40


def derivative(nu, a):
    step = 1 / (4 * sqrt(nu + 2 * sqrt(nu * a)))
    peak = log((1 + sqrt(1 + 4 * a / nu)) / 2)
    mean = psi(0, nu) - log(nu)
    size = nu * log(nu) - nu - loggamma(nu)
    total = mpf(0)
    for i in range(-110, 111):
        y = peak + i * step
        gap = y + 1 - exp(y)
        total += exp(nu * gap - a * exp(-y) + size) * (gap - mean)
    return total * step


def by_bessel(nu, a):
    x = 2 * sqrt(nu * a)
    return 2 ** (1 - nu) / gamma(nu) * x**nu * besselk(nu, x)


h = mpf(10) ** -12
apart = (by_bessel(50 + h, mpf(3)) - by_bessel(50 - h, mpf(3))) / (2 * h) / derivative(mpf(50), mpf(3)) - 1
assert abs(apart) < 1e-18
print("nu,a,value")
for nu in ("50", "77.3", "200", "1000.5", "1e4", "1e6", "8e6", "1.1e7", "1e9"):
    for a in ("1e-6", "1e-3", "0.1", "0.5", "1", "1.99", "3", "8", "20", "60", "200"):
        print(nu, a, mp.nstr(derivative(mpf(nu), mpf(a)), 18), sep=",")
