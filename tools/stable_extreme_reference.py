"""Writes tests/testthat/ref/stable_extreme.csv: logarithms of density and both tails of stable laws where doubles run
out, from the angle integral (inst/kernels/stable/stable_angle.h) in 60 digits and the trapezoidal rule in the
logistic variable, whose step is halved until two sums agree to 18 digits.

    end    tiny alpha, the point next to zeta, down to the smallest denormal numbers; light tails where g > 1e6
    range  (x - delta)/gamma over- or underflows
    light  light tails from 1e-5 to 1e-300

    python3 tools/stable_extreme_reference.py > tests/testthat/ref/stable_extreme.csv      (3 minutes)
"""
import random

from mpmath import exp, expm1, log, mp, mpf, nstr, pi, sin, sqrt, tan, atan

random.seed(3)


def values(alpha, beta, z, pm):
    """log f, log P(X <= z) and log P(X > z) for scale 1 and location 0; None outside the support"""
    mp.dps = 60 if abs(alpha - 1) > 1e-3 else 90
    alpha, beta, z = mpf(alpha), mpf(beta), mpf(z)
    t = beta * tan(pi * alpha / 2)
    y = z if pm == 1 else z + t
    mirror = y < 0
    if mirror:
        y, beta, t = -y, -beta, -t
    a1, e1 = alpha - 1, 1 / (alpha - 1)
    size = pi / 2 + atan(t) / alpha
    if abs(beta) == 1 and alpha < 1:
        size = pi if beta > 0 else mpf(0)
    if size == 0:
        return None
    rest = pi - size
    delta = mpf(0) if beta == -1 and alpha > 1 else pi - alpha * size
    c0 = e1 * log(y / sqrt(1 + t * t)) + log(y)

    def terms(u):
        e = exp(-abs(u))
        a, b = (size / (1 + e), size * e / (1 + e)) if u > 0 else (size * e / (1 + e), size / (1 + e))
        sin_aa = sin(delta + alpha * b) if alpha > 1 and alpha * a > pi / 2 else sin(alpha * a)
        sin_sum = sin(delta + a1 * b) if alpha > 1 else sin(rest - a1 * a)
        sin_b = sin(b) if b < pi / 2 else sin(a + rest)
        log_g, weight = c0 + e1 * log(sin_b / sin_aa) + log(sin_sum / sin_aa), a * b / size
        if log_g > 100:
            return mpf(0), mpf(0), weight
        g = exp(log_g)
        return g * exp(-g) * weight, exp(-g) * weight, -expm1(-g) * weight

    grid = [(u, terms(mpf(u))) for u in range(-1000, 1001, 4)]
    top = [max(v[k] for _, v in grid) for k in range(3)]
    seen = [u for u, v in grid if any(v[k] > mpf(10) ** -34 * top[k] for k in range(3))]
    low, n = mpf(seen[0] - 8), 64
    step, last = (mpf(seen[-1] + 8) - low) / n, None
    sums = [sum(v) for v in zip(*(terms(low + k * step) for k in range(n + 1)))]
    while True:
        step /= 2
        more = zip(*(terms(low + (2 * k + 1) * step) for k in range(n)))
        sums = [s + sum(v) for s, v in zip(sums, more)]
        n *= 2
        now = [s * step for s in sums]
        if last and all(abs(p - q) <= mpf(10) ** -18 * p for p, q in zip(now, last)):
            break
        last = now
    below, above = (now[1], now[2]) if alpha < 1 else (now[2], now[1])
    lower, upper = log(rest / pi + below / pi), log(above / pi)
    if mirror:
        lower, upper = upper, lower
    return log(alpha * abs(e1) / (pi * y) * now[0]), lower, upper


def light_y(alpha, log_g):
    """y where the minimum of g is e^log_g, |beta| = 1"""
    mp.dps = 40
    alpha = mpf(alpha)
    e1, t = 1 / (alpha - 1), tan(pi * alpha / 2)
    above = log_g + alpha * e1 * log(alpha) - log(abs(alpha - 1)) + e1 * log(1 + t * t) / 2
    return exp(above / (alpha * e1)), t


def points():
    for k in range(24):
        alpha = 10 ** random.uniform(-3, -1) if k % 3 else random.uniform(0.015, 0.06)
        beta = random.choice([-1., 1.]) if k % 2 else random.choice([-1 + 1e-5, 0.999, 0.3])
        side = beta if abs(beta) == 1 else random.choice([1, -1])
        yield "end", alpha, beta, side * 10 ** random.uniform(-323, -280), 1., 1
    for k in range(14):
        alpha = random.uniform(0.02, 0.9) if k % 2 else random.uniform(1.15, 1.95)
        x = float(light_y(alpha, random.uniform(15, 30))[0])
        yield "end", alpha, 1. if alpha < 1 else -1., x, 1., 1
    for k in range(30):
        alpha = 10 ** random.uniform(-9, -3) if k % 3 == 0 else 10 ** random.uniform(-3.5, -2)
        beta = random.choice([-1., 1., -0.5, 0.3, 0.999, -1 + 1e-9])
        power = random.uniform(308, 610) * (1 if k % 2 else -1)
        side = beta if abs(beta) == 1 and (power < 0 or k % 5) else random.choice([-1, 1])
        yield "range", alpha, beta, side * 10. ** (power / 2), 10. ** (-power / 2), 1
    for k in range(100):
        alpha = random.uniform(0.1, 2)
        if k % 7 == 0:
            alpha = 1 + random.choice([-1, 1]) * 10 ** random.uniform(-4, -1)
        if k % 10 == 0:
            alpha = 2 - 10 ** random.uniform(-4, -1)
        beta = 1. if k % 5 < 3 else 1 - 10 ** random.uniform(-12, -2)
        beta = beta if alpha < 1 else -beta
        y, t = light_y(alpha, log(random.uniform(11.5, 100 if k % 2 else 690)))
        x, side = float(y - beta * t), random.choice([1, -1])
        yield "light", alpha, side * beta, side * x, 1., 0


print("kind,alpha,beta,x,gamma,pm,logpdf,logcdf,logsf")
for kind, alpha, beta, x, gamma, pm in points():
    v = values(alpha, beta, mpf(x) / mpf(gamma), pm)
    if v:
        v = (v[0] - log(mpf(gamma)), v[1], v[2])
        print(",".join([kind] + [w.hex() for w in (alpha, beta, x, gamma)] + [str(pm)] + [nstr(w, 20) for w in v]),
              flush=True)
