#!/usr/bin/env python3
"""Nodes that the rays of inst/kernels/stable/stable_ray.h need, in plain double precision: of random points of random
stable laws (|alpha - 1| > 0.2, points of the tail series left out), the fewest nodes whose even and odd half agree to
RAY_GAP, on the ray through the contour's point where g is LEVEL, on the one where g is 1, and on one half way to an
axis; the cost of RAY_NODES where points that need more are tried again with twice as many; and the errors of what is
accepted. The Laplace axis, which the kernel takes for some points, is left out: all its points are on rays here."""
import math
import random
import sys

POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
LEVEL, MOST_ANGLE, V_END, NODES = math.log(41), 1.5, 3.2, 44
COUNTS = list(range(20, 129, 4))


def draw():
    """alpha, A, L, y of a point with y > 0, by the method of Chambers, Mallows and Stuck."""
    while True:
        alpha = random.choice((random.uniform(0.2, 0.8), random.uniform(1.2, 1.99)))
        beta, u, w = random.uniform(-1, 1), random.uniform(-1, 1) * math.pi / 2, random.expovariate(1)
        t = beta * math.tan(math.pi * alpha / 2)
        big_a, theta = math.hypot(1, t), math.atan(t) / alpha
        y = (big_a ** (1 / alpha) * math.sin(alpha * (u + theta)) / math.cos(u) ** (1 / alpha) *
             (math.cos(u - alpha * (u + theta)) / w) ** ((1 - alpha) / alpha))
        at = math.pi / 2 + math.copysign(theta, theta * y)
        if y != 0 and math.log(big_a) - alpha * math.log(abs(y)) > math.log(0.05):
            return alpha, big_a, at, abs(y)


def contour(point, b):
    """log g and log s of the contour's point on the ray b."""
    alpha, big_a, left, y = point
    a = left - b
    log_s = math.log(y * math.sin(b) / (big_a * math.sin(alpha * a))) / (alpha - 1)
    return log_s + math.log(y * math.sin(b + alpha * a) / math.sin(alpha * a)), log_s


def ray_at(point, level):
    """b where log g is level: g falls in b for alpha < 1, and grows for alpha > 1."""
    alpha, left = point[0], point[2]
    low, high = -40.0, 40.0 # log(b/a)
    for _ in range(60):
        u = (low + high) / 2
        b = left / (1 + math.exp(-u))
        if (contour(point, b)[0] < level) == (alpha > 1):
            low = u
        else:
            high = u
    return left / (1 + math.exp(-(low + high) / 2))


def capped(point, b, most=MOST_ANGLE):
    alpha, left = point[0], point[2]
    return left - min(left - b, most / alpha) if alpha > 1 else min(b, most)


def rule(point, b):
    """(kappa, c, v0, coefficients) of the map, or None where the exponent has no end."""
    alpha, big_a, left, y = point
    p, q = y * math.cos(b), big_a * math.cos(alpha * (left - b))
    size = (p, q, y * math.sin(b), big_a * math.sin(alpha * (left - b)))
    one = None
    end = 38 + 4 * (1 + alpha)
    for target in (1, end):
        if (q if alpha > 1 else p) <= 0:
            return None
        low, high = -2000.0, 2000.0
        for _ in range(80):
            middle = (low + high) / 2
            r = p * math.exp(min(middle, 300)) + q * math.exp(min(alpha * middle, 300))
            low, high = (middle, high) if r < target else (low, middle)
        if target == 1:
            one = low
            end = 38
        c = low
    extra = alpha if alpha < 1 else 0
    for _ in range(40):
        end = 38 + (1 + extra) * (c - one)
        r, grown = (p * math.exp(c) + k * q * math.exp(alpha * c) for k in (1, alpha))
        c += max(-2, min(2, math.log(end / r) * r / grown)) if r > 0 and grown > 0 else 1
    kappa = max(min(1, 1 / alpha), min(max(1, 1 / alpha), r / grown))
    return kappa, c - kappa * (V_END - math.exp(-V_END)), -math.log(38 / (kappa * min(alpha, 1))), size


def halves(point, b, made, nodes):
    """Even and odd half of the sum for the density, with their step."""
    alpha = point[0]
    kappa, c, v0, (p, q, p_sin, q_sin) = made
    h = (V_END - v0) / nodes
    half = [0.0, 0.0]
    for k in range(nodes + 1):
        v = v0 + k * h
        log_s = kappa * (v - math.exp(-v)) + c
        s, power = math.exp(max(log_s, -700)), math.exp(max(alpha * log_s, -700))
        r = min(-p * s - q * power, 700)
        term = kappa * (1 + math.exp(-v)) * s * math.exp(r) * math.sin(q_sin * power - p_sin * s + b)
        half[k % 2] += term * (0.5 if k in (0, nodes) else 1)
    return half[0], half[1], h


def fewest(point, b, gap=1e-8):
    made = rule(point, b)
    if made:
        for nodes in COUNTS:
            even, odd, _ = halves(point, b, made, nodes)
            if abs(even - odd) <= gap * (even + odd):
                return nodes
    return math.inf


def quantiles(needed):
    needed = sorted(needed)
    at = [needed[min(len(needed) - 1, int(f * len(needed)))] for f in (0.05, 0.5, 0.9, 0.99)]
    return "  ".join("%5s" % ("more" if n == math.inf else n) for n in at)


random.seed(1)
points = [draw() for _ in range(POINTS)]
print("nodes that %d points need: 5 %%, 50 %%, 90 %%, 99 %%" % POINTS)
needed = [fewest(z, capped(z, ray_at(z, LEVEL))) for z in points]
print("  ray where g is 41     ", quantiles(needed))
for most in (1.3, 1.5, 1.57):
    share = sum(capped(z, ray_at(z, LEVEL), most) != ray_at(z, LEVEL) for z in points) / POINTS
    rays = [fewest(z, capped(z, ray_at(z, LEVEL), most)) for z in points]
    print("    at most %4.2f         " % most, quantiles(rays), " %.1f %% were beyond" % (100 * share))
print("  ray where g is 5      ", quantiles([fewest(z, capped(z, ray_at(z, 1.6))) for z in points]))
print("  ray where g is 1      ", quantiles([fewest(z, capped(z, ray_at(z, 0.0))) for z in points]))
print("  half way to an axis   ", quantiles([fewest(z, capped(z, z[2] / 2)) for z in points]))

print("nodes: accepted at once, nodes per point with those of the second rule")
for nodes in range(28, 65, 4):
    share = sum(n <= nodes for n in needed) / POINTS
    print("  %d  %5.1f %%  %5.1f" % (nodes, 100 * share, nodes + 2 * nodes * (1 - share)))

print("%d nodes, by what even and odd ones may differ: largest difference from %d" % (NODES, 4 * NODES))
for gap in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9):
    worst, accepted = 0.0, 0
    for z in points:
        b = capped(z, ray_at(z, LEVEL))
        made = rule(z, b)
        if not made:
            continue
        even, odd, h = halves(z, b, made, NODES)
        if even + odd > 0 and abs(even - odd) <= gap * (even + odd):
            accepted += 1
            fine = halves(z, b, made, 4 * NODES)
            worst = max(worst, abs((even + odd) * h / ((fine[0] + fine[1]) * fine[2]) - 1))
    print("  %.0e  %5.1f %% accepted, %.1e" % (gap, 100 * accepted / POINTS, worst))
