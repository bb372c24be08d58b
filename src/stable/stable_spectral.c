/* stable_spectral.c: densities of stable distributions in the plane with a discrete spectral measure.
 *
 * In polar coordinates (Abdul-Hamid and Nolan 1998, Journal of Multivariate Analysis 67, 80-89)
 *   f(x) = 1/(2 pi^2) int_0^pi Re J(theta) dtheta, J = int_0^inf t exp(-E(t)) dt,
 *   E = a t^alpha + i (y t + b t q(log t)), q(v) = -T expm1((alpha - 1) v), (2/pi) v for alpha = 1,
 *   a = sum m_j |c_j|^alpha, b = sum m_j sign(c_j) |c_j|^alpha, c_j = e's_j, e = (cos theta, sin theta),
 * T = tan(pi alpha/2): the part of the skewness that is linear in t, which grows without bound as alpha tends to 1,
 * is moved to y, as it is in the parameterisation 0 in one dimension. All is then continuous in alpha.
 *
 * J is integrated along a broken line (stable_spectral_ray.h), for many points it comes from a table of two variables
 * (stable_spectral_table.h), whose errors are below 5e-14 of the larger of 1 and (1 + y^2) |Re J| in units of a;
 * where that leaves less than 11 digits of a density, it is integrated after all.
 *
 * The integrand over theta has kinks |c_j|^alpha where c_j = 0: panels end there, and nodes are those of Gauss and
 * Legendre after a polynomial whose first four derivatives vanish at both ends. For distant x it is narrow about
 * the zeros of y, and for alpha < 1 of y without the part that was moved, where the univariate functions are the less
 * smooth the smaller alpha is: other panels, with the plain rule, end at distances from these that double.
 *
 * Measured for alpha from 0.5 to 2 - 1e-4 with two independent variables beside products of dstable(), and 12 laws of
 * 3 to 6 atoms beside references: errors are below 1e-14 of the integral of |Re J| (4e-11 of the density in the
 * references). For alpha = 0.4 they reach 1e-6. */
#include "stable/stable_spectral.h"

#include <math.h>
#include <stdlib.h>

#include "engine/threads.h"
#include "stable/stable_spectral_ray.h"
#include "stable/stable_spectral_table.h"

enum { ANGLES = 112, PLAIN = 32, AT_ONCE = 32, MOST_CUTS = 240 };
static const double SHARP = 0.02;

/* From this many points on a table pays: it takes the time of 10 to 60. */
enum { TABLE_LEAST = 64 };
/* Densities whose errors may be larger than this are not left to it. */
static const double TABLE_LOSES = 1e-11;

typedef struct {
  const spectral_law *law;
  spectral_ray ray;
  const spectral_table *table;         /* or NULL */
  double u[ANGLES], w[ANGLES];         /* places in (0, 1) of a panel of angles, from its nearer end, and weights */
  double plain[PLAIN], plain_w[PLAIN]; /* those of a panel whose ends are none of the integrand's kinks */
  double *ends;                        /* angles where a c_j is zero, in order, `panels` of them */
  int panels;
  int64_t n, from; /* points, and the first one of a batch */
  const double *x;
  double *density, *noise;
} rule;

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void prepare(rule *r, const spectral_law *law) {
  r->law = law;
  ray_prepare(&r->ray, law->alpha);
  legendre_rule(ANGLES, r->u, r->w);
  for (int i = 0; i < ANGLES; i++) {
    /* u^5 (126 - 420 u + 540 u^2 - 315 u^3 + 70 u^4), whose derivative is 630 u^4 (1 - u)^4 */
    const double u = r->u[i], m = u * (1 - u), v = u < 0.5 ? u : 1 - u;
    r->w[i] *= 630 * m * m * m * m;
    const double near = v * v * v * v * v * (126 + v * (-420 + v * (540 + v * (-315 + 70 * v))));
    r->u[i] = u < 0.5 ? near : -near;
  }
  legendre_rule(PLAIN, r->plain, r->plain_w);
  for (int j = 0; j < law->atoms; j++) {
    double at = atan2(law->s[j + law->atoms], law->s[j]) + 0.5 * pi;
    at -= pi * floor(at / pi);
    r->ends[j] = at;
  }
  qsort(r->ends, (size_t)law->atoms, sizeof *r->ends, compare);
  int m = 0;
  for (int j = 0; j < law->atoms; j++)
    if (m == 0 || r->ends[j] - r->ends[m - 1] > 1e-14) r->ends[m++] = r->ends[j];
  if (m > 1 && r->ends[0] + pi - r->ends[m - 1] < 1e-14) m--;
  r->panels = m;
}

/* Re J by the table, if there is one. */
static double radial(const spectral_ray *ray, const spectral_table *table, double a, double b, double y) {
  if (!table) return ray_value(ray, a, b, y);
  const double log_sigma = -log(a) / ray->alpha, sigma = exp(log_sigma);
  const double v = spectral_table_value(table, b / a, sigma * (y + b * ray_q(ray, log_sigma)));
  return isnan(v) ? ray_value(ray, a, b, y) : sigma * sigma * v;
}

/* An end of a panel, from which angles are counted. */
typedef struct {
  double cosine, sine;
} beginning;

/* Re J at the distance `off` from an end of a panel; cosines of atoms whose kink that is are sines of it. */
static double at_angle(const rule *r, const spectral_table *table, const beginning *from, double off, double x1,
                       double x2) {
  const spectral_law *law = r->law;
  const double c0 = from->cosine, s0 = from->sine, co = cos(off), so = sin(off);
  const double e1 = c0 * co - s0 * so, e2 = s0 * co + c0 * so;
  double a = 0, b = 0, y = 0;
  for (int j = 0; j < law->atoms; j++) {
    const double s1 = law->s[j], s2 = law->s[j + law->atoms];
    double there = c0 * s1 + s0 * s2;
    if (fabs(there) < 1e-14) there = 0; /* the end is this atom's */
    const double c = there * co + (c0 * s2 - s0 * s1) * so, size = fabs(c);
    if (size == 0) continue;
    const double l = log(size), m = law->mass[j] * exp(r->ray.alpha * l);
    a += m;
    b += c > 0 ? m : -m;
    /* c (|c|^(alpha - 1) - 1) times -T, or (2/pi) c log|c| */
    y += law->mass[j] * c * ray_q(&r->ray, l);
  }
  return radial(&r->ray, table, a, b, y + x1 * e1 + x2 * e2);
}

/* Adds to the places where panels end those at distances of width 2^k from the zero of y, modulo pi, for the point
 * (x1, x2). Returns how many there are then. */
static int add_cuts(double x1, double x2, double width, double *cuts, int count) {
  const double zero = atan2(x2, x1) + 0.5 * pi;
  for (double h = width; h < 1.2; h *= 2)
    for (int side = -1; side <= 1 && count < MOST_CUTS; side += 2) {
      const double at = zero + side * h;
      cuts[count++] = at - pi * floor(at / pi);
    }
  return count;
}

/* Panels between two kinks, of which those at the kinks are not much shorter than the next; their number. */
static int ends_between(double low, double high, const double *cuts, int count, double *ends) {
  int m = 0;
  ends[m++] = low;
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < count; k++) {
      const double at = cuts[k] + turn * pi;
      if (at > ends[m - 1] + 1e-13 && at < high - 1e-13) ends[m++] = at;
    }
  ends[m] = high;
  while (m > 1 && ends[m] - ends[m - 1] < 0.45 * (ends[m - 1] - ends[m - 2])) ends[--m] = high;
  int drop = 0;
  while (m - drop > 1 && ends[drop + 1] - low < 0.45 * (ends[drop + 2] - ends[drop + 1])) drop++;
  for (int j = 1; j <= m - drop && drop > 0; j++) ends[j] = ends[j + drop];
  return m - drop;
}

/* Density of point i and the estimate of its error. */
static void integrate(const rule *r, const spectral_table *table, int64_t i) {
  /* what is linear in the skewness moves the point */
  double x1 = r->x[i], x2 = r->x[i + r->n];
  for (int j = 0; j < r->law->atoms && r->ray.less != 0; j++) {
    x1 -= r->ray.tangent * r->law->mass[j] * r->law->s[j];
    x2 -= r->ray.tangent * r->law->mass[j] * r->law->s[j + r->law->atoms];
  }
  double cuts[MOST_CUTS], ends[MOST_CUTS + 2];
  int count = add_cuts(x1, x2, 1 / (hypot(x1, x2) + 1), cuts, 0);
  if (r->ray.less < 0) {
    const double u1 = r->x[i], u2 = r->x[i + r->n];
    count = add_cuts(u1, u2, SHARP / (hypot(u1, u2) + 1), cuts, count);
  }
  qsort(cuts, (size_t)count, sizeof *cuts, compare);
  double sum = 0, size = 0;
  for (int k = 0; k < r->panels; k++) {
    const double low = r->ends[k], high = k + 1 < r->panels ? r->ends[k + 1] : r->ends[0] + pi;
    const int m = ends_between(low, high, cuts, count, ends);
    for (int j = 0; j < m; j++) {
      const double length = ends[j + 1] - ends[j];
      const beginning side[2] = {{cos(ends[j]), sin(ends[j])}, {cos(ends[j + 1]), sin(ends[j + 1])}};
      const int kink = j == 0 || j == m - 1, nodes = kink ? ANGLES : PLAIN;
      for (int l = 0; l < nodes; l++) {
        const double u = kink ? r->u[l] : r->plain[l], w = kink ? r->w[l] : r->plain_w[l];
        const double v = w * length * at_angle(r, table, side + (u <= 0), u * length, x1, x2);
        sum += v;
        size += fabs(v);
      }
    }
  }
  r->density[i] = sum / (2 * pi * pi);
  r->noise[i] = 8e-15 * size / (2 * pi * pi);
}

static int one_point(void *context, int64_t piece, int thread) {
  const rule *r = context;
  const int64_t i = r->from + piece;
  (void)thread;
  integrate(r, r->table, i);
  if (r->table && !(r->noise[i] <= TABLE_LOSES * r->density[i])) integrate(r, NULL, i);
  return 1;
}

status spectral_density(enum stable_route route, const spectral_law *law, int64_t n, const double *x, double *density,
                        double *noise) {
  rule *r = malloc(sizeof *r);
  double *ends = malloc((size_t)law->atoms * sizeof *ends);
  status st = r && ends ? STATUS_OK : fail(STATUS_MEMORY, "no memory for a law of %d atoms", law->atoms);
  if (st == STATUS_OK) {
    r->ends = ends;
    r->n = n;
    r->x = x;
    r->density = density;
    r->noise = noise;
    prepare(r, law);
    r->table = NULL;
    if (route == BY_TABLE || (route == BY_SIZE && n >= TABLE_LEAST)) st = spectral_table_of(&r->ray, &r->table);
    /* in batches, between which the user is heard */
    for (r->from = 0; r->from < n && st == STATUS_OK; r->from += AT_ONCE) {
      const int64_t m = n - r->from < AT_ONCE ? n - r->from : AT_ONCE;
      threads_run(threads_for(5e6 * (double)m), m, one_point, r);
      if (backend_pause((double)(r->from + m) / (double)n)) st = STATUS_INTERRUPT;
    }
  }
  free(ends);
  free(r);
  return st;
}
