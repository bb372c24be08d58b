#!/usr/bin/env python3
"""Reference values of stable laws with small alpha beside zeta, where neither the tail series nor a ray serves, for
tests/testthat/ref/stable_small_alpha.csv.gz: log density and log of the upper tail at y = x - zeta > 0. Needs mpmath.

    f = 1/pi Int exp(-y s - A cos(alpha L) s^alpha) sin(A sin(alpha L) s^alpha) ds,   P(X > x) with ds/s

on the Laplace axis (alpha < 1), by the trapezoidal rule in u = log s with 30 digits. The integrand falls exponentially
to the left and double exponentially to the right, and is analytic for |Im u| < pi/2: the error of a step h is of the order
of exp(-pi^2/h). Two steps, 1/5 and 1/7, must agree to 19 digits. The tail's terms fall like s^alpha alone: below alpha = 0.05 it
is left out."""
import gzip
import random
import mpmath as mp

mp.mp.dps = 30


def logs(alpha, beta, y):
    alpha, beta, y = mp.mpf(alpha), mp.mpf(beta), mp.mpf(y)
    t = beta * mp.tan(mp.pi * alpha / 2)
    big_a, angle = mp.sqrt(1 + t * t), mp.pi * alpha / 2 + mp.atan(t)
    c, s = big_a * mp.cos(angle), big_a * mp.sin(angle)

    def rule(h):
        density = tail = mp.mpf(0)
        u, steep = 6 - mp.log(y), alpha < 0.05
        while True:
            power = mp.exp(alpha * u)
            wave = mp.exp(-y * mp.exp(u) - c * power) * mp.sin(s * power)
            density += wave * mp.exp(u)
            tail += wave
            # the rest is at most the last terms over their rate of decrease
            if c * power < 1 and (wave * mp.exp(u) < mp.mpf(10)**-24 * density if steep
                                  else wave < mp.mpf(10)**-23 * tail):
                break
            u -= h
        return density * h / mp.pi, mp.nan if steep else tail * h / mp.pi

    first, second = rule(mp.mpf(1) / 5), rule(mp.mpf(1) / 7)
    for a, b in zip(first, second):
        assert mp.isnan(a) or abs(a / b - 1) < mp.mpf(10)**-19, (alpha, beta, y, a, b)
    return [mp.log(v) for v in second]


random.seed(1)
rows = []
for alpha in (0.006, 0.01, 0.02, 0.05, 0.08, 0.1, 0.13, 0.25):
    for beta in (0, 1e-12, -1e-6, 0.3, -0.95, 0.999999):
        for _ in range(2):
            # where the density leaves its value at zeta: s^alpha = 1/alpha at s = 1/y, give or take the width there
            log_y = mp.log(alpha) / alpha + random.uniform(-3, 5) / mp.sqrt(alpha)
            y = float(mp.exp(max(log_y, mp.mpf(-690))))
            rows.append((alpha, beta, y, *logs(alpha, beta, y)))
with gzip.open("tests/testthat/ref/stable_small_alpha.csv.gz", "wt") as f:
    f.write("alpha,beta,y,log_f,log_upper\n")
    for r in rows:
        f.write(",".join(["NA" if v != v else float.hex(float(v)) for v in r]) + "\n")
