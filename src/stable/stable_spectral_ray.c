/* stable_spectral_ray.c: see stable_spectral_ray.h. With v = log t,
 *   E = t (a exp((alpha - 1) v) + i (y + b q(v))), q(v) = -T expm1((alpha - 1) v), (2/pi) v for alpha = 1,
 * T = tan(pi alpha/2), and J is an integral over v along a broken line near the valley of |exp(-E)|, where
 * Im dE/dv = 0, by the rule of Gauss and Legendre on each piece. Slopes of pieces are multiples of 1/10, so that
 * exp(v) and q(v) at the nodes are products of those at the beginning of the piece and of a table. */
#include "stable/stable_spectral_ray.h"

#include <math.h>

enum { MOST_PIECES = 200 };
static const double pi = 3.141592653589793;
static const double length_of[RAY_KINDS] = {3, 0.5};
static const int nodes_of[RAY_KINDS] = {RAY_LONG, RAY_SHORT};

static inline cplx times(cplx a, cplx b) { return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static inline cplx plus(cplx a, cplx b) { return (cplx){a.re + b.re, a.im + b.im}; }
static inline cplx by(double k, cplx a) { return (cplx){k * a.re, k * a.im}; }
static inline cplx turned(cplx a) { return (cplx){-a.im, a.re}; } /* i a */
static inline cplx exp_of(cplx a) {
  const double r = exp(a.re);
  return (cplx){r * cos(a.im), r * sin(a.im)};
}
static inline cplx expm1_of(cplx a) {
  const double h = sin(0.5 * a.im);
  return (cplx){expm1(a.re) * cos(a.im) - 2 * h * h, exp(a.re) * sin(a.im)};
}

void legendre_rule(int n, double *x, double *w) {
  for (int i = 0; i < n; i++) {
    double z = cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int k = 0; k < 8; k++) {
      double p = 1, before = 0;
      for (int j = 1; j <= n; j++) {
        const double next = ((2 * j - 1) * z * p - (j - 1) * before) / j;
        before = p;
        p = next;
      }
      slope = n * (z * p - before) / (z * z - 1);
      z -= p / slope;
    }
    x[i] = 0.5 * (1 - z);
    w[i] = 1 / ((1 - z * z) * slope * slope);
  }
}

static cplx q_of(const spectral_ray *r, cplx v) {
  return r->less == 0 ? by(r->kappa, v) : by(-r->tangent, expm1_of(by(r->less, v)));
}

double ray_q(const spectral_ray *r, double v) {
  return r->less == 0 ? r->kappa * v : -r->tangent * expm1(r->less * v);
}

void ray_prepare(spectral_ray *r, double alpha) {
  r->alpha = alpha;
  r->less = alpha - 1;
  r->tangent = r->less == 0 ? HUGE_VAL : -1 / tan(0.5 * pi * r->less);
  r->kappa = r->less == 0 ? 2 / pi : -r->tangent * r->less;
  for (int kind = 0; kind < RAY_KINDS; kind++) {
    double x[RAY_LONG], w[RAY_LONG];
    legendre_rule(nodes_of[kind], x, w);
    for (int k = 0; k < RAY_TILTS; k++)
      for (int j = 0; j < nodes_of[kind]; j++) {
        const double slope = 0.1 * (k - RAY_STEPS), u = length_of[kind] * x[j];
        const cplx v = {u, slope * u};
        r->nodes[kind][k][j] = (ray_node){exp_of(v), exp_of(by(r->less, v)), q_of(r, v),
                                          by(length_of[kind] * w[j], times(exp_of(by(2, v)), (cplx){1, slope}))};
      }
  }
}

typedef struct {
  cplx t, p, q;
} place;

static place at_place(const spectral_ray *r, cplx v) {
  place k = {exp_of(v), {0, 0}, {0, 0}};
  if (r->less == 0) {
    k.p.re = 1;
    k.q = by(r->kappa, v);
  } else {
    const cplx m = expm1_of(by(r->less, v));
    k.p = (cplx){1 + m.re, m.im};
    k.q = by(-r->tangent, m);
  }
  return k;
}

/* A step of Newton's method for Im dE/dv = 0 in the imaginary part of v, where Re E has a maximum. */
static double valley(const spectral_ray *r, double a, double b, double y, cplx v) {
  const place k = at_place(r, v);
  const cplx linear = turned(plus((cplx){y, 0}, by(b, k.q))), skew = turned(by(b * r->kappa, k.p));
  const cplx first = times(k.t, plus(by(a * r->alpha, k.p), plus(linear, skew)));
  const cplx second = times(k.t, plus(by(a * r->alpha * r->alpha, k.p), plus(linear, by(2 + r->less, skew))));
  /* d Re E/d Im v = -Im E', its derivative -Re E'' */
  const double size = fabs(second.re) + 0.1 * hypot(second.re, second.im);
  const double move = size > 0 ? -first.im / size : 0;
  return fmin(fmax(v.im + fmin(fmax(move, -0.5), 0.5), -1.5), 1.5);
}

/* The integral is of size exp(2 start); its part below start - 17.5 is e^-35 of that. Long pieces, on a straight
 * line, lie where E is small, short ones along the valley. */
double ray_value(const spectral_ray *r, double a, double b, double y) {
  const double start = -log(pow(a, 1 / r->alpha) + fabs(y));
  cplx v = {start - 2.5 - 5 * length_of[0], 0};
  for (int k = 0; k < 4; k++) v.im = valley(r, a, b, y, (cplx){start - 2.5, v.im});
  double sum = 0;
  place k = at_place(r, v);
  for (int piece = 0; piece < MOST_PIECES; piece++) {
    const int kind = piece >= 5;
    const double length = length_of[kind];
    int slope = 0;
    if (kind) {
      double aim = v.im;
      for (int i = 0; i < 2; i++) aim = valley(r, a, b, y, (cplx){v.re + length, aim});
      slope = (int)lrint((aim - v.im) / (0.1 * length));
      slope = slope < -RAY_STEPS ? -RAY_STEPS : slope > RAY_STEPS ? RAY_STEPS : slope;
    }
    const ray_node *table = r->nodes[kind][slope + RAY_STEPS];
    cplx own = {0, 0};
    for (int j = 0; j < nodes_of[kind]; j++) {
      const ray_node *d = table + j;
      const cplx q = plus(k.q, times(k.p, d->q)), p = times(k.p, d->p);
      const cplx e = times(times(k.t, d->t), plus(by(a, p), turned(plus((cplx){y, 0}, by(b, q)))));
      const double m = exp(-e.re);
      own = plus(own, times(d->weight, (cplx){m * cos(e.im), -m * sin(e.im)}));
    }
    const double scaled = exp(2 * (v.re - start));
    sum += scaled * (cos(2 * v.im) * own.re - sin(2 * v.im) * own.im);
    v = (cplx){v.re + length, v.im + 0.1 * slope * length};
    k = at_place(r, v);
    const double left = times(k.t, plus(by(a, k.p), turned(plus((cplx){y, 0}, by(b, k.q))))).re;
    if (v.re > start && 2 * (v.re - start) - left < -37) break;
  }
  return sum * exp(2 * start);
}
