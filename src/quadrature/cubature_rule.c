/* cubature_rule.c: see cubature_rule.h. Besides the nodes of the rules there are two next to the faces for each
 * variable, which tell what may hide there. */
#include "quadrature/cubature_rule.h"

#include <math.h>
#include <stdlib.h>

static int nodes_of(int d) { return 1 + 6 * d + 2 * d * (d - 1) + (1 << d); }

/* Genz and Malik (1980): lambda_2^2 = 9/70, lambda_3^2 = lambda_4^2 = 9/10, lambda_5^2 = 9/19. */
static void place_nodes(cubature_rule *rule) {
  const double near = sqrt(9.0 / 70), far = sqrt(0.9), corner = sqrt(9.0 / 19), face = 1 - (1 - far) / 16;
  const int d = rule->d;
  double *at = rule->node + d;
  for (int orbit = 0; orbit < 2; orbit++)
    for (int i = 0; i < d; i++)
      for (int sign = 1; sign >= -1; sign -= 2, at += d) at[i] = sign * (orbit ? far : near);
  for (int i = 0; i < d; i++)
    for (int j = i + 1; j < d; j++)
      for (int k = 0; k < 4; k++, at += d) {
        at[i] = k & 1 ? far : -far;
        at[j] = k & 2 ? far : -far;
      }
  for (int k = 0; k < 1 << d; k++, at += d)
    for (int i = 0; i < d; i++) at[i] = k >> i & 1 ? corner : -corner;
  for (int i = 0; i < d; i++)
    for (int sign = 1; sign >= -1; sign -= 2, at += d) at[i] = sign * face;
}

int cubature_rule_make(int d, cubature_rule *rule) {
  const double high[5] = {(12824 - 9120.0 * d + 400.0 * d * d) / 19683, 2940.0 / 19683, (1820 - 400.0 * d) / 19683,
                          200.0 / 19683, 6859.0 / 19683 / (1 << d)};
  const double low[5] = {(729 - 950.0 * d + 50.0 * d * d) / 729, 245.0 / 486, (265 - 100.0 * d) / 1458, 25.0 / 729,
                         0};
  rule->d = d;
  rule->n = nodes_of(d);
  rule->node = calloc((size_t)rule->n * (size_t)d, sizeof *rule->node);
  if (!rule->node) return 1;
  for (int k = 0; k < 5; k++) {
    rule->high[k] = high[k];
    rule->low[k] = low[k];
  }
  place_nodes(rule);
  return 0;
}

/* Values at the nodes of each orbit added up, and their sizes. */
static void add_orbits(const cubature_rule *rule, const double *f, double sum[5], double *size) {
  const int d = rule->d, first[6] = {0, 1, 1 + 2 * d, 1 + 4 * d, rule->n - 2 * d - (1 << d), rule->n - 2 * d};
  *size = 0;
  for (int k = 0; k < 5; k++) {
    double s = 0, a = 0;
    for (int i = first[k]; i < first[k + 1]; i++) {
      s += f[i];
      a += fabs(f[i]);
    }
    sum[k] = s;
    *size += fabs(rule->high[k]) * a;
  }
}

/* Polynomials of degree 4 along a line, next to a face within the cube and to one of the cube itself: weights of the
 * near node on that side and on the other, the far ones alike in this order, and the centre. gap: the part of a box
 * between the far node and the face. */
static const double to_face[2][5] = {
    {-0.68396662519038598, -0.3229101939581191, 1.2226548738027343, 0.032160153359676424, 0.75206179198609446},
    {-0.63744928156070058, -0.30016757318757115, 1.2080663790139432, 0.029874107050422948, 0.69967636868390559}};
static const double gap = 0.025658350974743116;

/* Errors beside the difference of the two rules, which is that of the lower one, of degree 5.
 *
 * second, fourth: what terms of degrees 2 and 4 add to the mean. f(t) + f(-t) - 2 f(0) along one variable at t^2 =
 * 9/70 and 9/10 is 2 (a t^2 + b t^4), so that the fourth difference, the near one less 1/7 of the far one, is
 * 2 b (9/70)^2 - 2 b (9/10)^2 / 7 = -0.19837 b, and the mean of b t^4 is b/5; that of a t^2 is a/3.
 *
 * sixth: values next to both faces less the polynomials there are 0.161 c for c t^6, of which the lower rule has
 * 0.0244 c too much in any number of variables.
 *
 * jumps: where f jumps between a face and the far node, the value next to the face is off by more than the fourth
 * difference, which knows nothing of it. */
typedef struct {
  double second, fourth, sixth, jumps;
} side_sums;

static void add_side(const double *f, const double *near, const double *far, const double *face, unsigned outer,
                     double *difference, side_sums *s) {
  const double wide = far[0] + far[1] - 2 * f[0];
  double even = 0, jumps = 0;
  *difference = fabs(near[0] + near[1] - 2 * f[0] - wide / 7);
  for (int k = 0; k < 2; k++) {
    const double *to = to_face[outer >> k & 1];
    const double there = to[0] * near[k] + to[1] * near[!k] + to[2] * far[k] + to[3] * far[!k] + to[4] * f[0];
    const double off = face[k] - there;
    even += off;
    jumps += fmax(fabs(off) - *difference, 0);
  }
  s->sixth += 0.15 * fabs(even);
  s->second += fabs(wide) / 5.4;
  s->fourth += *difference / (5 * 0.19837);
  s->jumps += jumps;
  *difference += jumps; /* for the choice of a side */
}

/* What terms of degree 2 in each of two variables add to the mean: f at (+-t, +-t) less what f has at t along both
 * variables is b t^4 of b x^2 y^2, t^2 = 9/10, of which the mean is b/9. A kink across a corner of the box is seen by
 * this alone, where it passes none of the nodes along the variables. Smooth functions have these terms for all pairs:
 * a part of them counts, without which roofs in three variables had 7 silent errors of 300, with it 2. In the plane
 * the difference of the rules sees such kinks. */
static const double mixed_part = 0.3;

static double mixed_terms(const cubature_rule *rule, const double *f) {
  const int d = rule->d;
  const double *far = f + 1 + 2 * d, *pair = f + 1 + 4 * d;
  double sum = 0;
  for (int i = 0; i < d; i++)
    for (int j = i + 1; j < d; j++, pair += 4) {
      const double along = (far[2 * i] + far[2 * i + 1] + far[2 * j] + far[2 * j + 1]) / 2 - f[0];
      sum += fabs((pair[0] + pair[1] + pair[2] + pair[3]) / 4 - along);
    }
  return sum / (9 * 0.81);
}

/* The difference of the rules may be small by chance where the box holds more than they see. A function whose terms
 * fall by the ratio of fourth and second has an error of about fourth * ratio^2 in the higher rule. Where the number
 * of variables is large so are the numbers of boxes that a kink passes, and their errors have all signs. */
void cubature_rule_sums(const cubature_rule *rule, const double *f, unsigned outer, cubature_sums *sums) {
  const int d = rule->d;
  double orbit[5], value = 0, low = 0;
  side_sums s = {0, 0, 0, 0};
  add_orbits(rule, f, orbit, &sums->size);
  for (int k = 0; k < 5; k++) {
    value += rule->high[k] * orbit[k];
    low += rule->low[k] * orbit[k];
  }
  for (int i = 0; i < d; i++) {
    const double *near = f + 1 + 2 * i;
    add_side(f, near, near + 2 * d, f + rule->n - 2 * d + 2 * i, outer >> 2 * i, sums->fourth + i, &s);
  }
  if (d > 2) s.fourth += mixed_part * mixed_terms(rule, f);
  const double ratio = s.fourth < s.second ? s.fourth / s.second : 1, rough = s.fourth * ratio * ratio;
  const double least = fmax((d > 3 ? 0.1 : 0.3) * rough, 0.5 * s.sixth), error = fabs(value - low) + gap * s.jumps;
  const int finite = isfinite(value) && isfinite(error) && isfinite(least);
  sums->value = value;
  sums->rough = finite ? rough : 0;
  sums->error = finite ? fmax(error, least) : INFINITY;
}
