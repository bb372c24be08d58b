"""Writes tests/testthat/ref/esstable.csv: expected shortfalls E[X | X > q], P(X > q) = p, of standard stable laws in the
parameterisation 0, from contour integrals of the characteristic function in 80 digits.

With y = x + T, A, L as in inst/kernels/stable/stable.h and F(u) = exp(-y u - A exp(-i alpha L) u^alpha) on the ray arg u = b,
    P(X > x) = b/pi + (1/pi) Im int F du/u,
    int_x^inf P(X > s) ds = -y b/pi + (1/pi) Im int (F - 1) du/u^2              (alpha > 1),
    int_y0^y P(X > s) ds = (y - y0) b/pi + (1/pi) Im int (F_y0 - F_y) du/u^2    (any alpha),
and for alpha = 1 x in the place of y and F(u) = exp(-u x + i u (1 + beta) - (2 beta/pi) u log u). Powers u^alpha (for
alpha = 1, u log u) that make the second converge slowly at 0 are taken out and integrated in closed form. The
trapezoidal rule in log u converges exponentially; rows are kept where two steps agree to 20 digits.

Lines of the input: alpha, beta, p and the quantile to start from, as hexadecimal doubles, as R writes them by
    g <- expand.grid(p = c(1e-12, 1e-4, 0.05, 0.5, 0.9, 1 - 2^-20), beta = c(-1, -0.5, 0, 0.8, 1),
                     alpha = c(1.001, 1.1, 1.5, 1.9, 1.999))
    g <- rbind(g, expand.grid(p = unique(g$p), beta = -1, alpha = c(0.2, 0.6, 0.9, 0.999, 1)),
               expand.grid(p = c(1e-12, 0.05, 0.9), beta = c(-0.9, 0.3), alpha = 1 + 1e-9))
    g$x <- statcl::qstable(g$p, g$alpha, g$beta, lower.tail = FALSE)
    write(sprintf("%a %a %a %a", g$alpha, g$beta, g$p, g$x), "start.txt")

    python3 tools/esstable_reference.py < start.txt > tests/testthat/ref/esstable.csv      (half an hour)
"""
import math
import sys

from mpmath import atan, beta as euler_beta, exp, expj, log, mp, mpc, mpf, pi, sqrt, tan

mp.dps = 80


class Law:
    def __init__(self, alpha, beta):
        self.alpha, self.beta, self.one = mpf(alpha), mpf(beta), alpha == 1
        self.t = mpf(0) if self.one else self.beta * tan(pi * self.alpha / 2)
        self.a = sqrt(1 + self.t ** 2)
        self.l = pi if self.one else pi / 2 + atan(self.t) / self.alpha
        self.c = 2 * self.beta / pi if self.one else self.a * expj(-self.alpha * self.l)

    def exponent(self, u, log_u):
        """log F + y u"""
        if self.one:
            return mpc(0, 1) * u * (1 + self.beta) - self.c * u * log_u
        return -self.c * exp(self.alpha * log_u)

    def growth(self, y, b):
        """the largest real part of log F on a ray, in doubles; inf if F does not vanish at its end"""
        c, alpha, beta = complex(self.c), float(self.alpha), float(self.beta)
        rotation, top, last = complex(math.cos(b), math.sin(b)), 0.0, 0.0
        for k in range(-40, 440):
            s = math.exp(k / 4) / max(abs(y), 1)
            u = s * rotation
            if self.one:
                last = (-y * u + 1j * u * (1 + beta) - c * u * (math.log(s) + 1j * b)).real
            else:
                last = (-y * u - c * s ** alpha * complex(math.cos(alpha * b), math.sin(alpha * b))).real
            top = max(top, last)
        return top if last < -200 else math.inf

    def ray(self, *values):
        """the angle with the widest strip of small growth around it for all values of y, and half the strip's width"""
        angles = [k * math.pi / 800 for k in range(0, 720)]
        good = [max(self.growth(float(y), b) for y in values) < 25 for b in angles]
        best, start = (0, 0), None
        for k, g in enumerate(good + [False]):
            if g and start is None:
                start = k
            if not g and start is not None:
                best, start = max(best, (k - 1 - start, start)), None
        width, start = best
        return (angles[start] + angles[start + width]) / 2, (angles[start + width] - angles[start]) / 2

    def integrals(self, y, y0, fine):
        """P(X > x), and its integral from x to infinity (y0 None) or from y0 to y"""
        angle, strip = self.ray(y) if y0 is None else self.ray(y, y0)
        if strip < 0.004:
            return None
        b, turn = mpf(angle), expj(mpf(angle))
        step = mpf(2 * math.pi * strip / (2.303 * 42)) / fine
        tail, rest = mpf(0), mpf(0)
        scale = log(max(abs(y), 1))
        low, high = -110 - scale, mpf(110)
        for k in range(int((high - low) / step) + 1):
            log_s = low + k * step
            s, log_u = exp(log_s), mpc(log_s, b)
            u = s * turn
            core = self.exponent(u, log_u)
            e = core - y * u
            f = exp(e) if e.real > -250 else mpc(0)
            tail += f.imag
            if y0 is not None:
                g = core - y0 * u
                left = (exp(g) if g.real > -250 else mpc(0)) - f
            elif self.one:
                left = f - 1 + self.c * u * log_u / (1 + u) ** 2
            else:
                left = f - 1 + self.c * exp(self.alpha * log_u) / (1 + u) ** 2
            rest += (left / u).imag
        tail, rest = b / pi + tail * step / pi, rest * step / pi
        if y0 is not None:
            return tail, rest + (y - y0) * b / pi
        if not self.one:
            rest -= self.c.imag * euler_beta(self.alpha - 1, 3 - self.alpha) / pi
        return tail, rest - y * b / pi

def shortfall(alpha, beta, p, start):
    """start: the quantile to double precision, from which one step is taken; what is left is of second order"""
    law, x = Law(alpha, beta), mpf(start)
    values = []
    for fine in (1, mpf("1.3")):
        y = x + law.t
        if alpha < 1:
            # the upper end is y = 0: int_y^0 P(X > s) ds
            found = law.integrals(y, mpf(0), fine)
            if found is None:
                return None
            tail, rest = found[0], -found[1]
        else:
            found = law.integrals(y, None, fine)
            if found is None:
                return None
            tail, rest = found
        # E[X; X > x] = x P + int, corrected to the probability p: its slope in P is x
        values.append((x * tail + rest + x * (p - tail)) / p)
        if abs(tail / p - 1) > mpf(10) ** -11:
            sys.stderr.write("alpha %s beta %s p %s: start is off by %s\n" %
                             (alpha, beta, float(p), float(tail / p - 1)))
    first, second = values
    return second if abs(first - second) <= mpf(10) ** -20 * abs(second) else None


if __name__ == "__main__":
    print("alpha,beta,p,shortfall,alpha_hex,beta_hex,p_hex")
    for line in sys.stdin:
        alpha, beta, p, start = (float.fromhex(v) for v in line.split())
        value = shortfall(alpha, beta, mpf(p), start)
        if value is None:
            sys.stderr.write("no value at alpha %s beta %s p %s\n" % (alpha, beta, p))
            continue
        print(",".join(["%.17g" % v for v in (alpha, beta, p)] + [mp.nstr(value, 20)] +
                       [v.hex() for v in (alpha, beta, p)]), flush=True)
