#!/usr/bin/env python3
"""Coefficients of inst/kernels/poisson/poisson.h, printed as C: minimax polynomials as in elementary_coefficients.py.

  python3 tools/poisson_coefficients.py > inst/kernels/poisson/poisson_coef.h

Needs mpmath.
"""
from mpmath import atanh, erfc, erfinv, exp, expm1, log, lu_solve, matrix, mp, mpf, sqrt

from elementary_coefficients import emit, horner, literal, poly, remez

N = 128  # terms of the power series


def inverse(a):
    c = [1 / a[0]] + [mpf(0)] * (N - 1)
    for n in range(1, N):
        c[n] = -sum(a[k] * c[n - k] for k in range(1, n + 1)) * c[0]
    return c


def mu_series():
    """mu/eta as a series in eta, where eta^2/2 = mu - log(1 + mu): from eta (1 + mu) = mu dmu/deta."""
    m = [mpf(1)] + [mpf(0)] * (N - 1)  # mu = eta sum m_k eta^k: m_k (k + 2) + (products of the others) = m_(k-1)
    for k in range(1, N):
        m[k] = (m[k - 1] - sum(m[i] * (k - i + 1) * m[k - i] for i in range(1, k))) / (k + 2)
    return m


def stirling(n):
    """Gamma*(a) = sum g_k/a^k."""
    b = [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, n + 2)]
    g = [mpf(1)]
    for k in range(1, n + 1):  # g = exp(sum b_j a^-(2j-1))
        g.append(sum((2 * j - 1) * b[j - 1] * g[k - 2 * j + 1] for j in range(1, (k + 1) // 2 + 1)) / k)
    return g


def temme(orders):
    """Power series in eta of c_0, c_1, ...: c_0 = 1/mu - 1/eta, c_k = c_(k-1)'/eta + (-1)^k g_k/mu."""
    by_mu = inverse(mu_series())  # eta/mu
    g = stirling(orders)
    c = [by_mu[1:] + [mpf(0)]]
    for k in range(1, orders):
        slope = [(i + 1) * c[-1][i + 1] for i in range(N - 1)] + [mpf(0)]
        whole = [slope[i] + (-1) ** k * g[k] * by_mu[i] for i in range(N)]  # times 1/eta
        assert abs(whole[0]) < mpf(10) ** -30
        c.append(whole[1:] + [mpf(0)])
    return c


def eta_of(ratio):
    mu = ratio - 1
    return (1 if mu > 0 else -1) * sqrt(2 * (mu - log(ratio)))


def ratio_of(s):
    """r with sign(r - 1) sqrt(2 (1 - r + r log r)) = s."""
    if s == 0:
        return mpf(1)
    r = 1 + s + s * s / 6
    for _ in range(200):
        new = (r - 1 + s * s / 2) / log(r)
        if abs(new - r) < mpf(10) ** -45 * abs(s):
            break
        r = new
    return r


def shift(s, r):
    """c_0 = log(s sqrt(r)/(r - 1))/log r."""
    return mpf(1) / 3 - s / 36 if abs(s) < mpf(10) ** -12 else log(s * sqrt(r) / (r - 1)) / log(r)


class Quantile:
    """x with Q(x, lambda) = Phi(w), s = w/sqrt(lambda), as lambda r + c_0 + c_1/lambda + ..."""
    scales = [mpf(1000) * 2 ** k for k in range(6)]

    def __init__(self):
        self.c = temme(12)

    def log_tail(self, x, scale, upper):
        eta = eta_of(scale / x)
        y = eta * sqrt(x / 2)
        rest = exp(-y * y) * sum(horner(c[:110], eta) / x ** k for k, c in enumerate(self.c)) / sqrt(2 * mp.pi * x)
        return log(erfc(-y) / 2 - rest if upper else erfc(y) / 2 + rest)

    def exact(self, s, scale):
        target = log(erfc(abs(s) * sqrt(scale / 2)) / 2)
        f = lambda x: self.log_tail(x, scale, s > 0) - target
        r = ratio_of(s)
        a = scale * r + shift(s, r)
        b, fa = a + mpf(1) / (100 * scale), f(a)
        for _ in range(30):
            fb = f(b)
            if fb == fa or abs(b - a) < mpf(10) ** -33 * b:
                return b
            a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        raise ArithmeticError("no quantile")

    def first(self, s):
        """c_1, extrapolated from six values of lambda."""
        r = ratio_of(s)
        rows = matrix([[x ** -j for j in range(6)] for x in self.scales])
        return lu_solve(rows, matrix([x * (self.exact(s, x) - x * r - shift(s, r)) for x in self.scales]))[0]


def least(f, w, a, b, tolerance):
    """The shortest minimax polynomial within the tolerance."""
    n = 2
    while True:
        c, e = remez(f, w, mpf(a), mpf(b), n)
        if e < tolerance:
            return c, e
        n += 1


def temme_macros():
    low, high = eta_of(mpf("0.499")), eta_of(mpf("2.003"))
    for k, c in enumerate(temme(11)):
        p, e = least(lambda t: horner(c[:110], t), lambda t: mpf(1), low, high, mpf(2e-18) * 20 ** k)
        emit("TEMME_%d" % k, "t", p, "c_%d(t), -0.623 < t < 0.785; absolute error %s" % (k, mp.nstr(e, 2)))


def normal_macro(tolerance):
    mid = mpf(25) / 8
    to_x = lambda t: sqrt(-expm1(-(t + mid)))  # |1 - 2 u|
    f = lambda t: sqrt(2) * erfinv(to_x(t)) / to_x(t) if t > -mid else sqrt(mp.pi / 2)
    p, e = least(f, lambda t: 1 / f(t), -mid, mid, tolerance)
    emit("NORMAL_P", "t", p, "Phi^-1(u)/(2 u - 1), t = -log(4 u (1 - u)) - 25/8, |t| <= 25/8; error %s" % mp.nstr(e, 2))


def main():
    print("/* poisson_coef.h: made by tools/poisson_coefficients.py; do not edit. Errors are those of the polynomial,\n"
          " * relative to the function named unless absolute, before rounding. */\n"
          "#ifndef STATCL_POISSON_COEF_H\n#define STATCL_POISSON_COEF_H\n")
    q, most = Quantile(), mpf("1.18")
    # what the estimate of the quantile may be wrong by: abs(s) beyond 0.55 is met where lambda < 36
    allowed = lambda s: mpf(1e-6) + mpf(3e-4) * max(0, s * s - mpf("0.3")) ** 2
    rise = lambda s: ((ratio_of(s) - 1) / s - 1) / s if abs(s) > mpf(10) ** -12 else mpf(1) / 6
    told = "an error in x of %s (1e-6 + 3e-4 max(0, s^2 - 0.3)^2)"
    for name, f, share, low, of in (
            ("QUANTILE_A", rise, mpf(11), -most, "((r - 1)/s - 1)/s, abs(w) < 3.3"),
            ("QUANTILE_B", lambda s: shift(s, ratio_of(s)), mpf(1), -most, "c_0"),
            ("QUANTILE_C", q.first, mpf(1) / 8, mpf("0.08") - most, "c_1, lambda >= 8")):
        p, e = least(f, lambda s: share / allowed(s), low, most, 1)
        emit(name, "s", p, "%s, abs(s) < %s; %s" % (of, mp.nstr(-low, 3), told % mp.nstr(e, 2)))
        values = [literal(v) for v in p]
        print("#define %s_TERMS \\\n  %s\n" % (name, ", \\\n  ".join(", ".join(values[i:i + 4])
                                                                for i in range(0, len(p), 4))))
    print("#if SINGLE\n")
    normal_macro(mpf(1e-8))
    print("#else\n")
    normal_macro(mpf(3e-17))
    z1 = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * (1 + mpf(2) ** -18)
    poly("ATANH_R", "z", lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2 - 2 * z / 3) / z ** 2 if z > mpf(10) ** -16
         else mpf(2) / 5, lambda z: mpf(1), 0, z1, 9, "(2 atanh(s)/s - 2 - 2 z/3)/z^2, z = s^2, abs(s) <= 3 - 2 sqrt 2; absolute")
    temme_macros()
    peak = lambda k: "entry(%d, %s)" % (k, literal(mpf(k) ** k * exp(-k) / mp.factorial(k)))
    rows = [" ".join(peak(k) for k in row) for row in ((1, 2, 3), (4, 5), (6, 7))]
    print("/* k^k e^-k/k! */\n#define POISSON_PEAKS(entry) \\\n  " + " \\\n  ".join(rows) + "\n")
    print("#endif\n\n#endif")


if __name__ == "__main__":
    main()
