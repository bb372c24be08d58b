/* given_program.h: sets (given_sets.h) side by side, one in each lane, as given_lanes in given_levels.h has them, for
 * one instruction set: configure has it compiled by src/engine/cpu_program.c for each. Sets of fewer places than the
 * largest of their lanes have places before their own that are independent of all others, with variance 1 and data 0.
 * Element (i, j) of a lower triangle is at row_at(i) + j, number k of lane l at k LANES + l. */
#include <float.h>

#include "covariance/given_levels.h"
#define COLUMN_STEP 1
#define RESULT_ARGS real *results
#define RESULTS results
#define RESULT(k) (results + (k) * LANES)
#include "kernels/covariance/covariance_pairs.h"
#include "kernels/common/lane_factor.h"

typedef char lanes_are_those_of_kernels[LANES == GIVEN_LANES ? 1 : -1];

/* The memory of a thread for sets of q places, of which no set has those before `first`: factors, their diagonals
 * before, u, columns or what is left of them, g; numbers for each column and parameter; single: g of one set, then u.
 * In lanes that make covariances: coordinates, variables and places as numbers, `here` 1 where a set has a place; F,
 * -x F'(x) and dF/dshape of all pairs, u of one variable after the other, and sums. */
typedef struct {
  i32 q, first;
  real *l, *diagonal, *u, *solved, *g, *w, *moved, *a, *single;
  real *at, *here, *kept, *masked, *sum;
  i32 *variable, *place;
} room;

static i32 in_blocks(int64_t q) { return (i32)((q + LANE_BLOCK - 1) / LANE_BLOCK * LANE_BLOCK); }
static i32 pairs_of(i32 q) { return row_at(q); }

static int64_t lay_out_room(const given_sets *s, const several_lanes *d, i32 q, real *memory, room *t) {
  const int64_t all = LANES * q, v = d ? d->places->p->variables : 0, slots = d ? d->places->slots : 0;
  const int64_t kept = d && s->count ? slots * d->columns : 0;
  int64_t at = 0;
#define TAKE(name, size)                                                                                     \
  t->name = memory + at;                                                                                     \
  at += ((size) + 7) / 8 * 8;
  t->q = q;
  TAKE(l, pairs_of(q) * LANES)
  TAKE(diagonal, all)
  TAKE(u, all)
  TAKE(solved, all * s->columns)
  TAKE(g, all * s->count)
  TAKE(w, LANES * s->columns)
  TAKE(moved, LANES * s->columns)
  TAKE(a, LANES * s->count)
  TAKE(single, d ? 0 : q * (s->count + 1))
  TAKE(at, d ? all * several_numbers(d->places) : 0)
  TAKE(here, all)
  TAKE(kept, pairs_of(q) * LANES * kept)
  TAKE(masked, kept ? v * all : 0)
  TAKE(sum, all * v * kept)
  t->variable = (i32 *)(memory + at);
  t->place = t->variable + all;
  return at + all;
}
#undef TAKE

static int64_t memory_of(const given_sets *s, const several_lanes *d) {
  room t;
  return lay_out_room(s, d, in_blocks(s->most + 1) + LANE_BLOCK, NULL, &t) + 64;
}

static i32 size_of(const given_work *w, int64_t k) {
  return k < w->in->sets ? (i32)(w->in->place[k + 1] - w->in->place[k]) : 0;
}

static room room_of(const given_work *w, int64_t k) {
  int64_t q = 1;
  room t;
  for (i32 l = 0; l < LANES; l++)
    if (size_of(w, k + l) > q) q = size_of(w, k + l);
  lay_out_room(w->s, w->c->lanes, in_blocks(q), w->memory, &t);
  t.first = t.q - (i32)q;
  return t;
}

/* ---- covariances ---- */

/* Matrices from the values of pairs, which are column after column of a set. */
static void lay_out(const given_work *w, int64_t k, const room *t) {
  memset(t->l, 0, (size_t)(pairs_of(t->q) * LANES) * sizeof *t->l);
  for (i32 l = 0; l < LANES; l++) {
    const i32 own = size_of(w, k + l), before = t->q - own;
    const double *value = w->value + (own ? w->in->pair[k + l] : 0);
    for (i32 i = 0; i < before; i++) t->l[(row_at(i) + i) * LANES + l] = 1;
    for (i32 j = before; j < t->q; j++)
      for (i32 i = j; i < t->q; i++) t->l[(row_at(i) + j) * LANES + l] = *value++;
    for (i32 i = before; i < t->q; i++)
      t->l[(row_at(i) + i) * LANES + l] += w->s->diagonal[w->in->index[w->in->place[k + l] + i - before]];
  }
}

/* Places of the lanes; those that a set lacks repeat its last one. Is there such a set? */
static flag gather_places(const given_work *w, int64_t k, const room *t) {
  const several_places *a = w->c->lanes->places;
  const several_pairs *p = a->p;
  const i32 numbers = several_numbers(a);
  flag missing = 0;
  for (i32 l = 0; l < LANES; l++) {
    const i32 own = size_of(w, k + l), before = t->q - own;
    const int32_t *index = w->in->index + (own ? w->in->place[k + l] : 0);
    missing |= before > t->first;
    for (i32 i = t->first; i < t->q; i++) {
      const i32 of = index[i < before ? (own ? own - 1 : 0) : i - before];
      for (i32 c = 0; c < numbers; c++) t->at[(c * t->q + i) * LANES + l] = a->at[c * p->n + of];
      t->variable[i * LANES + l] = p->variable[of];
      t->here[i * LANES + l] = i >= before;
      t->diagonal[i * LANES + l] = w->s->diagonal[of];
      t->place[i * LANES + l] = p->shared && of < p->observed ? p->place[of] : -1 - i;
    }
  }
  return missing;
}

DEV_FN void distances(const several_places *a, const room *t, i32 geometry, i32 i, i32 j, real *r) {
  const i32 stride = t->q * LANES, columns = a->columns;
  const real *first = t->at + geometry * columns * stride, *row = first + i * LANES, *column = first + j * LANES;
  if (a->p->metric.kind != METRIC_EUCLIDEAN) {
    cov_sphere(row, stride, column, stride, 2 * a->p->metric.radius, a->p->metric.kind == METRIC_CHORDAL, r);
    return;
  }
  real square[LANES];
  LANE_LOOP(l) square[l] = 0;
  for (i32 c = 0; c < columns; c++)
    LANE_LOOP(l) {
      const real d = row[c * stride + l] - column[c * stride + l];
      square[l] = FMA(d, d, square[l]);
    }
  LANE_LOOP(l) r[l] = sqrt(square[l]);
}

/* F, -x F'(x) and dF/dshape of the terms `pair` at distances r, which are finite. */
DEV_FN void term_values(const several_lanes *d, i32 columns, const i32 *pair, const real *r, real *f, real *g,
                        real *s) {
  const cov_table *table = &d->alike.table;
  const double *part = d->alike.part, *cells = table->coefficients;
  const i32 stride = CELL_TERMS * (table->columns & NEED_SHAPE ? 3 : 2);
  cov_weights by;
  i32 cell[LANES];
  real x[LANES], u[LANES];
  if (d->one_scale) cov_scaled_by_all(d->hi[0], d->lo[0], 0, r, x);
  else LANE_LOOP(l) x[l] = cov_scaled_by(r[l], d->hi[pair[l]], d->lo[pair[l]]);
  cov_cells(part, x, cell, u);
  LANE_LOOP(l) cell[l] += d->cell[pair[l]];
  cov_column(cells, stride, cell, u, f);
  cov_weights_of(part, x, &by);
  cov_weight(part, &by, x, 0, NAN_, f);
  LANE_LOOP(l) f[l] = x[l] == 0 ? 1 : f[l];
  if (columns < 2) return;
  cov_column(cells + CELL_TERMS, stride, cell, u, g);
  cov_weight(part, &by, x, 0, NAN_, g);
  LANE_LOOP(l) g[l] = x[l] == 0 ? 0 : g[l];
  if (columns < 3) return;
  cov_column(cells + 2 * CELL_TERMS, stride, cell, u, s);
  cov_weight(part, &by, x, 0, NAN_, s);
  LANE_LOOP(l) s[l] = x[l] == 0 ? 0 : s[l];
}

#define KEPT(slot, column) (t->kept + (int64_t)((slot) * d->columns + (column)) * pairs_of(t->q) * LANES)

/* The covariances of place i and those up to it; what they are made of is kept where there are more columns. */
DEV_FN void row_in_lanes(const several_lanes *d, const room *t, i32 columns, i32 i) {
  const several_places *a = d->places;
  const i32 v = a->p->variables;
  const i32 *vi = t->variable + i * LANES;
  for (i32 j = t->first; j <= i; j++) {
    const i32 at = (row_at(i) + j) * LANES;
    const i32 *vj = t->variable + j * LANES;
    i32 geometry = -1, pair[LANES];
    real r[LANES], total[LANES], f[LANES], g[LANES], s[LANES];
    LANE_LOOP(l) pair[l] = v * vi[l] + vj[l];
    LANE_LOOP(l) total[l] = 0;
    for (i32 slot = 0; slot < a->slots; slot++) {
      if (d->geometry[slot] != geometry) distances(a, t, geometry = d->geometry[slot], i, j, r);
      term_values(d, columns, pair, r, f, g, s);
      LANE_LOOP(l) total[l] = FMA(d->weight[pair[l]], f[l], total[l]);
      LANE_LOOP(l) pair[l] += v * v;
      if (columns > 1) LANE_LOOP(l) KEPT(slot, 0)[at + l] = f[l];
      if (columns > 1) LANE_LOOP(l) KEPT(slot, 1)[at + l] = g[l];
      if (columns > 2) LANE_LOOP(l) KEPT(slot, 2)[at + l] = s[l];
    }
    if (a->p->shared)
      for (i32 l = 0; l < LANES; l++)
        if (i != j && t->place[i * LANES + l] == t->place[j * LANES + l])
          total[l] += a->p->shared[v * vi[l] + vj[l]];
    LANE_LOOP(l) t->l[at + l] = total[l];
  }
}
DEV_BLOCK_FN void values_in_lanes(const several_lanes *d, const room *t, i32 i) { row_in_lanes(d, t, 1, i); }
DEV_BLOCK_FN void slopes_in_lanes(const several_lanes *d, const room *t, i32 i) { row_in_lanes(d, t, 2, i); }
DEV_BLOCK_FN void shapes_in_lanes(const several_lanes *d, const room *t, i32 i) { row_in_lanes(d, t, 3, i); }

static void make_in_lanes(const given_work *w, int64_t k, const room *t, flag keep) {
  const several_lanes *d = w->c->lanes;
  const flag missing = gather_places(w, k, t);
  const real *here = t->here;
  for (i32 i = 0; i < t->q; i++) {
    real *row = t->l + row_at(i) * LANES;
    for (i32 j = 0; j <= i && j < t->first; j++) LANE_LOOP(l) row[j * LANES + l] = i == j;
    if (i < t->first) continue;
    if (!keep) values_in_lanes(d, t, i);
    else if (d->columns < 3) slopes_in_lanes(d, t, i);
    else shapes_in_lanes(d, t, i);
    LANE_LOOP(l) row[i * LANES + l] += t->diagonal[i * LANES + l];
    for (i32 j = t->first; j <= i && missing; j++)
      LANE_LOOP(l) row[j * LANES + l] = here[i * LANES + l] * here[j * LANES + l] > 0 ? row[j * LANES + l] : i == j;
  }
}

/* ---- factors ---- */

/* Matrices and their factors, variances of the last places; sound: 0 where a matrix is not positive definite, of
 * which the last pivot is taken into account if asked for. Covariances in lanes are NaN beyond the ends of tables,
 * and then nothing is said. */
static void factorise(const given_work *w, int64_t k, const room *t, flag keep, flag with_last, real *variance,
                      i32 *sound) {
  real bad[LANES];
  const i32 q = t->q;
  if (w->c->lanes) make_in_lanes(w, k, t, keep);
  else lay_out(w, k, t);
  for (i32 i = 0; i < q; i++) LANE_LOOP(l) t->diagonal[i * LANES + l] = t->l[(row_at(i) + i) * LANES + l];
  LANE_LOOP(l) bad[l] = 0;
  lane_factor(t->l, LANES, q, variance, bad);
  for (i32 i = t->first; i < q - 1; i++)
    LANE_LOOP(l) {
      const real inverse = t->l[(row_at(i) + i) * LANES + l];
      const flag small = 4 * DBL_EPSILON * t->diagonal[i * LANES + l] * inverse * inverse >= 1;
      bad[l] = small ? 1 : bad[l];
    }
  LANE_LOOP(l) {
    const flag positive = variance[l] > 4 * DBL_EPSILON * t->diagonal[(q - 1) * LANES + l];
    const flag known = variance[l] == variance[l];
    variance[l] = positive | !known ? variance[l] : 0;
    sound[l] = (bad[l] == 0) & (positive | !with_last) & known;
  }
  if (w->c->lanes) LANE_LOOP(l) sound[l] |= variance[l] != variance[l];
}

#define FACTOR(i, j) t->l[(row_at(i) + (j)) * LANES + l]

/* inv(l') e in the place of e, and inv(l) e */
DEV_BLOCK_FN void solve_back(const room *t, real *e) {
  for (i32 i = t->q - 1; i >= 0; i--) {
    LANE_LOOP(l) e[i * LANES + l] *= FACTOR(i, i);
    for (i32 c = 0; c < i; c++)
      LANE_LOOP(l) e[c * LANES + l] = FMA(-FACTOR(i, c), e[i * LANES + l], e[c * LANES + l]);
  }
}

DEV_BLOCK_FN void solve_ahead(const room *t, real *e) {
  for (i32 i = 0; i < t->q; i++) {
    real left[LANES];
    LANE_LOOP(l) left[l] = e[i * LANES + l];
    for (i32 c = 0; c < i; c++) LANE_LOOP(l) left[l] = FMA(-FACTOR(i, c), e[c * LANES + l], left[l]);
    LANE_LOOP(l) e[i * LANES + l] = left[l] * FACTOR(i, i);
  }
}

DEV_BLOCK_FN void product(i32 n, const real *a, const real *b, real *sum) {
  real total[LANES];
  LANE_LOOP(l) total[l] = 0;
  for (i32 i = 0; i < n; i++) LANE_LOOP(l) total[l] = FMA(a[i * LANES + l], b[i * LANES + l], total[l]);
  LANE_LOOP(l) sum[l] = total[l];
}

static void last_row(const room *t) {
  memset(t->u, 0, (size_t)(t->q * LANES) * sizeof *t->u);
  LANE_LOOP(l) t->u[(t->q - 1) * LANES + l] = 1;
  solve_back(t, t->u);
}

/* Column c of the data of the places. */
static void gather(const given_work *w, int64_t k, i32 c, const room *t) {
  const double *column = w->s->column + c * w->s->n;
  real *v = t->solved + c * t->q * LANES;
  memset(v, 0, (size_t)(t->q * LANES) * sizeof *v);
  for (i32 l = 0; l < LANES; l++) {
    const i32 own = size_of(w, k + l);
    const int32_t *index = w->in->index + (own ? w->in->place[k + l] : 0);
    for (i32 i = 0; i < own; i++) v[(t->q - own + i) * LANES + l] = column[index[i]];
  }
}

/* ---- rows ---- */

static void rows(const given_work *w, int64_t k, int of_weights, double *all) {
  const given_sets *s = w->s;
  const int64_t asked = s->n - s->ahead;
  const room t = room_of(w, k);
  real variance[LANES];
  i32 sound[LANES];
  factorise(w, k, &t, 0, 0, variance, sound);
  last_row(&t);
  for (i32 l = 0; l < LANES; l++) {
    const i32 own = size_of(w, k + l);
    const real *u = t.u + (t.q - own) * LANES + l;
    double *out = all + w->first + k + l;
    if (!own) continue;
    const int32_t *index = w->in->index + w->in->place[k + l];
    const int columns = of_weights ? (int)s->most : s->columns;
    out[0] = sound[l] ? variance[l] : -INFINITY;
    for (int c = 0, at = 0; c < columns; c++) {
      double value = 0;
      if (of_weights) {
        const int there = s->member[(w->first + k + l) * s->most + c] >= 1;
        if (there && sound[l]) value = -u[at++ * LANES] / u[(own - 1) * LANES];
      } else
        for (i32 i = 0; i < own - 1 && sound[l]; i++)
          value -= u[i * LANES] / u[(own - 1) * LANES] * s->column[c * s->n + index[i]];
      out[(c + 1) * asked] = value;
    }
  }
}

/* ---- derivatives ---- */

/* g = S_k u for the derivative S_k of the matrix for each parameter: place by place in each set. */
static void move_sets(const given_work *w, int64_t k, const room *t) {
  const int count = w->s->count;
  double *u = t->single + t->q * count;
  memset(t->g, 0, (size_t)(t->q * count * LANES) * sizeof *t->g);
  for (i32 l = 0; l < LANES; l++) {
    const i32 own = size_of(w, k + l), before = t->q - own;
    if (!own) continue;
    for (i32 i = 0; i < own; i++) u[i] = t->u[(before + i) * LANES + l];
    w->c->move(w->c->of, w->in, k + l, u, t->single, w->thread);
    for (int e = 0; e < count; e++)
      for (i32 i = 0; i < own; i++) t->g[(e * t->q + before + i) * LANES + l] = t->single[e * own + i];
  }
}

/* Of covariances that lanes have made sums come first: those over all places j of variable v of what is kept of the
 * pairs of i and j times u_j. */
#define SUM(i, v, slot, column)                                                                              \
  (t->sum + (int64_t)((((i) * variables + (v)) * slots + (slot)) * d->columns + (column)) * LANES)
static void add_up(const several_lanes *d, const room *t) {
  const i32 variables = d->places->p->variables, slots = d->places->slots, q = t->q;
  memset(t->sum, 0, (size_t)(q * variables * slots * d->columns * LANES) * sizeof *t->sum);
  for (i32 v = 0; v < variables; v++)
    for (i32 i = t->first; i < q; i++)
      LANE_LOOP(l) t->masked[(v * q + i) * LANES + l] = t->variable[i * LANES + l] == v ? t->u[i * LANES + l] : 0;
  for (i32 slot = 0; slot < slots; slot++)
    for (i32 c = 0; c < d->columns; c++) {
      const real *kept = KEPT(slot, c);
      for (i32 v = 0; v < variables; v++) {
        const real *masked = t->masked + v * q * LANES;
        for (i32 i = t->first; i < q; i++) {
          real total[LANES];
          LANE_LOOP(l) total[l] = 0;
          for (i32 j = t->first; j < i; j++) {
            const real *value = kept + (row_at(i) + j) * LANES;
            real *other = SUM(j, v, slot, c);
            LANE_LOOP(l) {
              total[l] = FMA(value[l], masked[j * LANES + l], total[l]);
              other[l] = FMA(value[l], masked[i * LANES + l], other[l]);
            }
          }
          real *own = SUM(i, v, slot, c);
          const real *value = kept + (row_at(i) + i) * LANES;
          LANE_LOOP(l) own[l] += FMA(value[l], masked[i * LANES + l], total[l]);
        }
      }
    }
}

static void move_lanes(const given_work *w, const room *t) {
  const several_lanes *d = w->c->lanes;
  const i32 variables = d->places->p->variables, slots = d->places->slots, q = t->q, count = w->s->count;
  const several_pairs *p = d->places->p;
  add_up(d, t);
  for (i32 e = 0; e < count; e++) memset(t->g + e * q * LANES, 0, (size_t)(t->first * LANES) * sizeof *t->g);
  for (i32 i = t->first; i < q; i++) {
    const i32 *variable = t->variable + i * LANES;
    for (i32 e = 0; e < count; e++)
      for (i32 l = 0; l < LANES; l++)
        t->g[(e * q + i) * LANES + l] = d->of_nugget[variable[l] * count + e] * t->u[i * LANES + l];
    for (i32 k = 0; k < d->shares; k++) {
      const several_share share = d->share[k];
      const real *sum = SUM(i, share.j, share.slot, share.column);
      real *g = t->g + (share.parameter * q + i) * LANES;
      LANE_LOOP(l) g[l] += variable[l] == share.i ? share.by * sum[l] : 0;
    }
    for (i32 j = t->first; j < q && p->shared; j++)
      for (i32 l = 0; l < LANES; l++) {
        if (i == j || t->place[i * LANES + l] != t->place[j * LANES + l]) continue;
        const double *more = d->of_shared + (variables * variable[l] + t->variable[j * LANES + l]) * count;
        for (i32 e = 0; e < count; e++) t->g[(e * q + i) * LANES + l] += more[e] * t->u[j * LANES + l];
      }
    for (i32 e = 0; e < count; e++) LANE_LOOP(l) t->g[(e * q + i) * LANES + l] *= t->here[i * LANES + l];
  }
}

/* ---- sums ---- */

/* Adds those of lanes that have a set. */
static void add(double *sum, const real *value, i32 sets) {
  for (i32 l = 0; l < sets; l++) *sum += value[l];
}

/* With w = u v and a = u' S_k u, d log variance = a and dw = -g' inv(S) v + a w/2; the information is
 * g' inv(S) g - a a/2. */
static void sums(const given_work *w, int64_t k, double *sum, double *bad) {
  const given_sets *s = w->s;
  const int columns = s->columns;
  const i32 sets = w->in->sets - k < LANES ? (i32)(w->in->sets - k) : LANES;
  const room own = room_of(w, k), *t = &own;
  const i32 q = t->q;
  real value[LANES], variance[LANES];
  i32 sound[LANES];
  factorise(w, k, t, s->count > 0, 1, variance, sound);
  for (i32 l = 0; l < sets; l++)
    if (!sound[l] && *bad == 0) *bad = (double)(w->first + k + l + 1);
  if (*bad > 0) return;
  last_row(t);
  for (i32 l = 0; l < LANES; l++) value[l] = log(variance[l]);
  add(sum++, value, sets);
  for (int c = 0; c < columns; c++) {
    gather(w, k, c, t);
    product(q, t->u, t->solved + c * q * LANES, t->w + c * LANES);
  }
  for (int c = 0; c < columns; c++)
    for (int d = 0; d < columns; d++) {
      LANE_LOOP(l) value[l] = t->w[c * LANES + l] * t->w[d * LANES + l];
      add(sum++, value, sets);
    }
  if (!s->count) return;
  for (int c = 0; c < columns; c++) {
    solve_ahead(t, t->solved + c * q * LANES);
    solve_back(t, t->solved + c * q * LANES);
  }
  if (w->c->lanes) move_lanes(w, t);
  else move_sets(w, k, t);
  for (int j = 0; j < s->count; j++) {
    const real *g = t->g + j * q * LANES;
    real *a = t->a + j * LANES;
    product(q, t->u, g, a);
    add(sum++, a, sets);
    for (int c = 0; c < columns; c++) {
      product(q, g, t->solved + c * q * LANES, value);
      LANE_LOOP(l) t->moved[c * LANES + l] = FMA(0.5 * a[l], t->w[c * LANES + l], -value[l]);
    }
    for (int c = 0; c < columns; c++)
      for (int d = 0; d < columns; d++) {
        const real *of_c = t->moved + c * LANES, *of_d = t->moved + d * LANES;
        LANE_LOOP(l) value[l] = FMA(of_c[l], t->w[d * LANES + l], t->w[c * LANES + l] * of_d[l]);
        add(sum++, value, sets);
      }
  }
  for (int j = 0; j < s->count; j++) solve_ahead(t, t->g + j * q * LANES);
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j <= i; j++) {
      product(q, t->g + i * q * LANES, t->g + j * q * LANES, value);
      LANE_LOOP(l) value[l] = FMA(-0.5 * t->a[i * LANES + l], t->a[j * LANES + l], value[l]);
      double total = 0;
      add(&total, value, sets);
      sum[i * s->count + j] += total;
      if (j < i) sum[j * s->count + i] += total;
    }
}

const given_lanes GIVEN_LANES_OF(CPU_LEVEL) = {memory_of, rows, sums};
