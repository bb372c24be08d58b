#!/usr/bin/env python3
"""Coefficients of inst/kernels/bessel/bessel.h, printed as C: minimax polynomials as in elementary_coefficients.py.

  python3 tools/bessel_coefficients.py > inst/kernels/bessel/bessel_coef.h

Needs mpmath.
"""
from mpmath import factorial, mpf, rgamma, taylor

from elementary_coefficients import poly


def main():
    print("/* bessel_coef.h: made by tools/bessel_coefficients.py; do not edit. Errors are those of the polynomial,\n"
          " * relative to the function named, before rounding. */\n"
          "#ifndef STATCL_BESSEL_COEF_H\n#define STATCL_BESSEL_COEF_H\n")
    c = taylor(lambda m: rgamma(1 + m), 0, 44)
    even = lambda z: sum(c[2 * k] * z ** k for k in range(22))
    odd = lambda z: -sum(c[2 * k + 1] * z ** k for k in range(22))
    sinhc = lambda z: sum(z ** k / factorial(2 * k + 1) for k in range(30))
    slope = lambda y: sum(y ** k / (factorial(k) * (k + 2)) for k in range(40))
    quarter = mpf(1) / 4
    poly("GAMMA_EVEN", "z", even, lambda z: 1 / even(z), 0, quarter, 8,
         "(1/Gamma(1 + m) + 1/Gamma(1 - m))/2, z = m^2 <= 1/4")
    poly("GAMMA_ODD", "z", odd, lambda z: 1 / odd(z), 0, quarter, 8,
         "(1/Gamma(1 - m) - 1/Gamma(1 + m))/(2 m), z = m^2 <= 1/4")
    poly("SINHC", "z", sinhc, lambda z: 1 / sinhc(z), 0, 1, 8, "sinh(s)/s, z = s^2 <= 1")
    poly("EXPM1_SLOPE", "y", slope, lambda y: 1 / slope(y), -mpf(1) / 2, mpf(1) / 2, 12,
         "(y e^y - e^y + 1)/y^2, |y| <= 1/2")
    print("/* Taylor coefficients of 1/Gamma(1 + m), which leave 1e-24 for |m| <= 1/2 */\n#define RGAMMA_TAYLOR \\\n  "
          + ", \\\n  ".join(", ".join(repr(float(v)) for v in c[i:i + 4]) for i in range(0, 24, 4)) + "\n")
    print("#endif")


if __name__ == "__main__":
    main()
