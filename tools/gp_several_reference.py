"""Log likelihoods of models of several variables, and of parameters that follow covariates, with all derivatives:
    python3 tools/gp_several_reference.py tests/testthat/ref/gp_several.csv
Observation i of 24 is of variable i mod 3 (mod 2 for "bimatern"), at the place of the parts of i phi and 3 i phi^2
behind the point, phi = (sqrt(5) - 1)/2, or from the 17th on of that of observation i - 16; it is
sin(5 u) + v + 0.3 cos(i), and the covariate is u - v^2: all rounded to six decimals. Mean 0. Derivatives by central
differences with a step of 1e-25, in 60 digits: off by some 1e-33 of the function.

"ranges" is the model of Apanasovich, Genton and Sun with a range for each variable, turned by 20 degrees with ratio
0.5; "local" that of Paciorek and Schervish with Stein's local smoothness."""
import sys
from mpmath import mp, mpf, matrix, besselk, gamma, sqrt, log, pi, sin, cos, floor, nstr, cholesky, exp

mp.dps = 60
N = 24
phi = (sqrt(mpf(5)) - 1) / 2


def part(v):
    return v - floor(v)


def rounded(v):
    return mpf("%.6f" % v)


def place(i):
    k = i if i <= 16 else i - 16
    return rounded(part(k * phi)), rounded(part(3 * k * phi * phi))


xy = [place(i) for i in range(1, N + 1)]
z = [rounded(sin(5 * a) + b + mpf("0.3") * cos(i + 1)) for i, (a, b) in enumerate(xy)]
e = [rounded(a - b * b) for a, b in xy]


def matern(x, nu):
    return mpf(1) if x == 0 else 2 ** (1 - nu) / gamma(nu) * x ** nu * besselk(nu, x)


def mapped(i, j, angle, ratio):
    """Length of the difference of places i and j along the angle, and across it over the ratio."""
    a, b = xy[i][0] - xy[j][0], xy[i][1] - xy[j][1]
    c, s = cos(angle * pi / 180), sin(angle * pi / 180)
    return sqrt((c * a + s * b) ** 2 + ((c * b - s * a) / ratio) ** 2)


def pair(i, j):
    return "%d%d" % (min(i, j) + 1, max(i, j) + 1)


def error(p, i, j, v):
    """Of observations i and j of variables v(i) and v(j)."""
    if i == j:
        return p["nugget%d" % (v(i) + 1)]
    return p.get("nugget" + pair(v(i), v(j)), 0) if xy[i] == xy[j] else 0


def multimatern(p, i, j):
    a, b = i % 3, j % 3
    r = [p.get("range%d" % (k + 1), p.get("range")) for k in (a, b)]
    nu = (p["smoothness%d" % (a + 1)] + p["smoothness%d" % (b + 1)]) / 2
    rho = 1 if a == b else p["correlation" + pair(a, b)]
    scale = sqrt((1 / r[0] ** 2 + 1 / r[1] ** 2) / 2)
    sill = rho * sqrt(p["variance%d" % (a + 1)] * p["variance%d" % (b + 1)])
    return sill * matern(scale * mapped(i, j, p.get("angle", 0), p.get("ratio", 1)), nu) + error(p, i, j, lambda k: k % 3)


def bimatern(p, i, j):
    a, b = i % 2, j % 2
    key = str(a + 1) if a == b else "12"
    rho = 1 if a == b else p["correlation"]
    sill = rho * sqrt(p["variance%d" % (a + 1)] * p["variance%d" % (b + 1)])
    return sill * matern(mapped(i, j, 0, 1) / p["range" + key], p["smoothness" + key]) + error(p, i, j, lambda k: k % 2)


def lmc(p, i, j):
    key = pair(i % 3, j % 3)
    one = matern(mapped(i, j, p["angle.1"], p["ratio.1"]) / p["range.1"], p["smoothness.1"])
    two = exp(-mapped(i, j, 0, 1) / p["range.2"])
    return p["sill1." + key] * one + p["sill2." + key] * two + error(p, i, j, lambda k: k % 3)


def local(p, i, j):
    def at(k, what):
        return p[what + ".(Intercept)"] + p[what + ".e"] * e[k]

    def square(k):
        r, t = exp(at(k, "range")), at(k, "angle") * pi / 180
        c, s = cos(t), sin(t)
        u, w = r * r, (p["ratio"] * r) ** 2
        return u * c * c + w * s * s, (u - w) * c * s, u * s * s + w * c * c

    def det(m):
        return m[0] * m[2] - m[1] ** 2

    first, second = square(i), square(j)
    mean = [(a + b) / 2 for a, b in zip(first, second)]
    a, b = xy[i][0] - xy[j][0], xy[i][1] - xy[j][1]
    x = sqrt((mean[2] * a * a - 2 * mean[1] * a * b + mean[0] * b * b) / det(mean))
    nu = [exp(at(k, "smoothness")) for k in (i, j)]
    m = sum(nu) / 2
    norm = (det(first) * det(second)) ** mpf("0.25") / sqrt(det(mean))
    sill = exp((at(i, "variance") + at(j, "variance")) / 2)
    value = sill * norm * gamma(m) / sqrt(gamma(nu[0]) * gamma(nu[1])) * matern(x, m)
    return value + (exp(at(i, "nugget")) if i == j else 0)


def log_likelihood(model, p):
    s = matrix(N, N)
    for i in range(N):
        for j in range(i + 1):
            s[i, j] = s[j, i] = model(p, i, j)
    l = cholesky(s)
    w = []
    for i in range(N):
        w.append((z[i] - sum(l[i, k] * w[k] for k in range(i))) / l[i, i])
    return -(N * log(2 * pi) + 2 * sum(log(l[i, i]) for i in range(N)) + sum(v * v for v in w)) / 2


common = {"variance1": "1", "variance2": "2", "variance3": "3"}
smooth = {"smoothness1": "0.5", "smoothness2": "1.5", "smoothness3": "0.9"}
errors = {"nugget1": "0.2", "nugget2": "0.3", "nugget3": "0.1"}
shared = {"nugget12": "0.05", "nugget13": "0.02", "nugget23": "-0.01"}
models = {
    "parsimonious": (multimatern, {**common, "range": "0.2", **smooth, "correlation12": "0.3", "correlation13": "0.2",
                                   "correlation23": "-0.1", **errors}),
    "ranges": (multimatern, {**common, "range1": "0.2", "range2": "0.3", "range3": "0.25", **smooth,
                             "correlation12": "0.1", "correlation13": "0.2", "correlation23": "-0.1", "angle": "20",
                             "ratio": "0.5", **errors, **shared}),
    "bimatern": (bimatern, {"variance1": "1", "variance2": "2", "range1": "0.2", "range2": "0.3", "range12": "0.25",
                            "smoothness1": "0.5", "smoothness2": "1.2", "smoothness12": "1", "correlation": "0.3",
                            "nugget1": "0.1", "nugget2": "0.2"}),
    "lmc": (lmc, {"sill1.11": "1", "sill1.12": "0.4", "sill1.13": "0.2", "sill1.22": "1.3", "sill1.23": "-0.3",
                  "sill1.33": "0.8", "range.1": "0.1", "smoothness.1": "0.7", "angle.1": "30", "ratio.1": "0.4",
                  "sill2.11": "0.5", "sill2.12": "0.2", "sill2.13": "0.1", "sill2.22": "0.65", "sill2.23": "-0.15",
                  "sill2.33": "0.4", "range.2": "0.5", **errors, **shared}),
    "local": (local, {"variance.(Intercept)": "0.2", "variance.e": "0.5", "range.(Intercept)": "-1.5", "range.e": "0.4",
                      "smoothness.(Intercept)": "-0.2", "smoothness.e": "0.3", "nugget.(Intercept)": "-2",
                      "nugget.e": "0.4", "angle.(Intercept)": "20", "angle.e": "35", "ratio": "0.6"}),
}
step = mpf(10) ** -25
with open(sys.argv[1], "w") as out:
    out.write("model,parameter,value,slope\n")
    for name, (model, given) in models.items():
        at = {k: mpf(v) for k, v in given.items()}
        out.write("%s,loglik,%s,\n" % (name, nstr(log_likelihood(model, at), 20)))
        for k in given:
            up, down = {**at, k: at[k] + step}, {**at, k: at[k] - step}
            slope = (log_likelihood(model, up) - log_likelihood(model, down)) / (2 * step)
            out.write("%s,%s,%s,%s\n" % (name, k, given[k], nstr(slope, 20)))
