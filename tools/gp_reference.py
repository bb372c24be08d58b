"""Log likelihoods of Gaussian processes with Matern covariances and their derivatives, with 40 digits:
    python3 tools/gp_reference.py tests/testthat/ref/gp_small.csv tests/testthat/ref/gp_kriging.csv
The second file has means and variances of the field without nugget at six more of these points: simple kriging of mean
0 (sk), ordinary kriging (ok), and universal kriging with a mean linear in u and v (uk).
24 observations z[i] = sin(5 u) + v at (u, v), the parts of i phi and 3 i phi^2 behind the point, phi = (sqrt(5) - 1)/2,
all rounded to six decimals; mean 0. Derivatives by central differences with a step of 1e-20, in 80 digits:
off by 1e-39."""
import sys
from mpmath import mp, mpf, matrix, besselk, gamma, sqrt, log, pi, sin, floor, nstr, cholesky, lu_solve

mp.dps = 80
N = 24
phi = (sqrt(mpf(5)) - 1) / 2


def part(v):
    return v - floor(v)


points = [(mpf("%.6f" % part(i * phi)), mpf("%.6f" % part(i * phi * phi * 3))) for i in range(1, N + 1)]
z = [mpf("%.6f" % (sin(5 * u) + v)) for u, v in points]
distance = [[sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) for b in points] for a in points]


def log_likelihood(variance, range_, nu, nugget):
    scale = variance * 2 ** (1 - nu) / gamma(nu)
    s = matrix(N, N)
    for i in range(N):
        s[i, i] = variance + nugget
        for k in range(i):
            x = distance[i][k] / range_
            s[i, k] = s[k, i] = scale * x ** nu * besselk(nu, x)
    l = cholesky(s)
    w = []
    for i in range(N):
        w.append((z[i] - sum(l[i, k] * w[k] for k in range(i))) / l[i, i])
    return -(N * log(2 * pi) + 2 * sum(log(l[i, i]) for i in range(N)) + sum(v * v for v in w)) / 2


rows = [("1.5", "0.3", "0.8", "0.1"), ("0.7", "0.15", "0.5", "0.01"), ("2", "0.4", "1.5", "0.05"),
        ("1", "0.2", "2.3", "0"), ("3", "0.5", "0.2", "0.4")]
with open(sys.argv[1], "w") as out:
    out.write("variance,range,smoothness,nugget,loglik,d_variance,d_range,d_smoothness,d_nugget\n")
    for row in rows:
        at = [mpf(v) for v in row]
        step = mpf(10) ** -20
        slopes = []
        for k in range(4):
            up, down = list(at), list(at)
            up[k] += step
            down[k] -= step
            slopes.append((log_likelihood(*up) - log_likelihood(*down)) / (2 * step))
        out.write(",".join(list(row) + [nstr(v, 20) for v in [log_likelihood(*at)] + slopes]) + "\n")

new = [(mpf("%.6f" % part(i * phi)), mpf("%.6f" % part(i * phi * phi * 3))) for i in range(N + 1, N + 7)]


def kriging(variance, range_, nu, nugget, at, basis):
    """Solution of the saddle point system of kriging with unknown coefficients of these functions."""
    def covariance(a, b):
        x = sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / range_
        return variance if x == 0 else variance * 2 ** (1 - nu) / gamma(nu) * x ** nu * besselk(nu, x)
    p = len(basis)
    system = matrix(N + p, N + p)
    right = matrix(N + p, 1)
    for i, a in enumerate(points):
        for k, b in enumerate(points):
            system[i, k] = covariance(a, b) + (nugget if i == k else 0)
        for j, f in enumerate(basis):
            system[i, N + j] = system[N + j, i] = f(*a)
        right[i] = covariance(a, at)
    for j, f in enumerate(basis):
        right[N + j] = f(*at)
    weights = lu_solve(system, right)
    mean = sum(weights[i] * z[i] for i in range(N))
    return mean, variance - sum(weights[i] * right[i] for i in range(N + p))


with open(sys.argv[2], "w") as out:
    out.write("variance,range,smoothness,nugget,u,v,sk_mean,sk_var,ok_mean,ok_var,uk_mean,uk_var\n")
    for row in rows:
        for at in new:
            values = []
            for basis in ([], [lambda u, v: mpf(1)], [lambda u, v: mpf(1), lambda u, v: u, lambda u, v: v]):
                values += kriging(*[mpf(v) for v in row], at, basis)
            out.write(",".join(list(row) + [nstr(v, 20) for v in list(at) + values]) + "\n")
