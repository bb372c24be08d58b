/* vecchia_team.h: Vecchia's approximation with a team of work-items for a location, where each is one lane. Formulas
 * are those of vecchia.cl, and every number is the same to the last bit: a sum has its terms in the same order, and
 * one work-item. Who includes this has said
 *   TEAM_MEMORY           where a team has its numbers: DEV_LOCAL, or DEV_GLOBAL where they are many
 *   TEAM_NUMBERS          where those of a team begin
 *   TEAM_CONSTANTS        where par is, but its tables
 *   TEAM_BARRIER          after it all that a team has written there is seen by all of it
 *   VECCHIA_KERNEL(what)  the beginning of a kernel
 */
#define COV_CONSTANTS TEAM_MEMORY
#define COV_PLACES TEAM_MEMORY
#define COV_TABLES tables
#define COLUMN_STEP 1
#define RESULT_ARGS TEAM_MEMORY real *results, i32 results_apart
#define RESULTS results, results_apart
#define RESULT(k) (results + (k) * results_apart)
#include "kernels/covariance/covariance_pairs.h"
#include "kernels/gp/vecchia_par.h"

/* Number lane of a triangle by rows is (row, column): a work-item's first, from which it goes on by so many as the
 * team has. */
typedef struct {
  i32 row, column;
} team_pair;

/* Numbers of a team: the factor by rows, the inverse of the diagonal in its place; triangles of what is kept of the
 * function; records; of each member the place of its record or -1, a and, for each derivative, u; the covariance of
 * the first member with itself and its derivatives; whitened data and their derivatives; what is wanted of a pair,
 * for each work-item unless the function is kept; and the sums. */
typedef struct {
  i32 lane, items, members, own, coords, data, slopes, record, kept, from, to;
  i32 kept_at, record_at, here_at, weight_at, slope_at, zero_at, whitened_at, moved_at, result_at, apart, sums_at;
  i32 size;
  team_pair first;
} team_plan;

DEV_FN i32 row_at(i32 i) { return i * (i + 1) / 2; }

TEAM_FAR_FN team_plan team_plan_of(TEAM_MEMORY const real *own, i32 lane, i32 items) {
  team_plan p;
  p.lane = lane;
  p.items = items;
  p.members = (i32)own[VECCHIA_MEMBERS];
  p.own = (i32)own[VECCHIA_OWN];
  p.coords = (i32)own[VECCHIA_COORDS];
  p.data = (i32)own[VECCHIA_DATA];
  p.slopes = (i32)own[VECCHIA_SLOPES];
  p.record = (i32)own[VECCHIA_RECORD];
  p.kept = (i32)own[VECCHIA_KEPT];
  p.from = (i32)own[VECCHIA_FROM];
  p.to = (i32)own[VECCHIA_TO];
  p.kept_at = row_at(p.members);
  p.record_at = p.kept_at;
  for (i32 need = NEED_VALUE; need <= NEED_SHAPE && p.kept > 0; need *= 2)
    if (p.kept & need) p.record_at += row_at(p.members);
  p.here_at = p.record_at + p.members * p.record;
  p.weight_at = p.here_at + p.members;
  p.slope_at = p.weight_at + p.members;
  p.zero_at = p.slope_at + p.members * p.slopes;
  p.whitened_at = p.zero_at + 1 + p.slopes;
  p.moved_at = p.whitened_at + p.data;
  p.result_at = p.moved_at + p.data * p.slopes;
  p.apart = p.kept < 0 ? items : 1;
  p.sums_at = p.result_at + p.apart * (1 + p.slopes);
  p.size = p.sums_at + VECCHIA_SUMS(p.to - p.from, p.slopes);
  for (p.first.row = 0; row_at(p.first.row + 1) <= lane; p.first.row++) continue;
  p.first.column = lane - row_at(p.first.row);
  return p;
}

TEAM_FAR_FN team_pair next_pair(const team_plan *p, team_pair e) {
  e.column += p->items;
  while (e.column > e.row) e.column -= ++e.row;
  return e;
}

#define TEAM_ARGS const team_plan *p, TEAM_MEMORY real *w
#define TEAM_LOOP(i, from, to) for (i32 i = (from) + p->lane; i < (to); i += p->items)
#define TEAM_PAIRS(e, rows) for (team_pair e = p->first; e.row < (rows); e = next_pair(p, e))
#define AT_LEAST(least, n) ((n) < (least) ? (least) : (n))
#define FACTOR(i, j) w[row_at(i) + (j)]
#define HERE(k) (w[p->here_at + (k)] >= 0)
#define DATA(k, column) w[p->record_at + (k) * p->record + p->coords + 1 + (column)]

/* Records of the members; of one that is missing another one's. */
DEV_FN void team_gather(TEAM_ARGS, i32 step, i32 lane, DEV_GLOBAL const real *stored,
                        DEV_GLOBAL const i32 *stored_whole) {
  TEAM_LOOP(k, 0, p->members) w[p->here_at + k] = stored_whole[(step * p->members + k) * VECCHIA_LINE + lane];
  TEAM_BARRIER;
  TEAM_LOOP(e, 0, p->members * p->record) {
    const i32 k = e / p->record, member = (i32)w[p->here_at + k];
    w[p->record_at + e] = stored[(member < 0 ? 0 : member) * p->record + e - k * p->record];
  }
  TEAM_BARRIER;
}

TEAM_FAR_FN i32 kept_at(const team_plan *p, i32 need) {
  i32 at = p->kept_at;
  for (i32 before = NEED_VALUE; before < need; before *= 2)
    if (p->kept & before) at += row_at(p->members);
  return at;
}

/* All that is computed of pairs of members: without q >= 0 covariances, for which the pair of the first member with
 * itself comes last, as one of a row behind the others; else dS a for the member in place q, a row of dS in each
 * work-item. */
TEAM_FAR_FN void team_pairs(TEAM_ARGS, TEAM_MEMORY const real *par, DEV_GLOBAL const real *tables, i32 q) {
  const flag slopes = q >= 0;
  const i32 dim = (i32)par[SPACE_DIM], needs = p->kept > 0 ? p->kept | NEED_VALUE : NEED_VALUE;
  const real diameter = COV_KNOWN(0, par[SPACE_DIAMETER]);
  TEAM_MEMORY real *results = w + p->result_at + (p->apart > 1 ? p->lane : 0);
  TEAM_MEMORY const real *coords = w + p->record_at, *a = w + p->weight_at;
  team_pair e = p->first;
  i32 i = slopes ? p->lane : e.row + 1, j = slopes ? 0 : e.column;
  while (slopes ? i <= q : i < p->members || (i == p->members && j == 0)) {
    const flag self = i == p->members;
    TEAM_MEMORY const real *row = coords + (self ? 0 : i) * p->record, *column = coords + j * p->record;
    real f[1], g[1], s[1], total[1];
    cov_pair(par, tables, row, 1, column, 1, dim, diameter, needs, slopes || self, f, g, s, total, results,
             p->apart);
    if (slopes) {
      for (i32 k = 0; k < p->slopes && i != j; k++) {
        TEAM_MEMORY real *u = w + p->slope_at + k * p->members + i;
        *u = FMA(results[(1 + k) * p->apart], a[j], *u);
      }
      if (++j > q) i += p->items, j = 0;
      continue;
    }
    if (self) {
      w[p->zero_at] = total[0];
      for (i32 k = 1; k <= p->slopes; k++) w[p->zero_at + k] = results[k * p->apart];
    } else {
      FACTOR(i, j) = HERE(i) && HERE(j) ? total[0] : 0;
      if (p->kept > 0 && (p->kept & NEED_VALUE)) w[kept_at(p, NEED_VALUE) + row_at(i) + j] = f[0];
      if (p->kept > 0 && (p->kept & NEED_SLOPE)) w[kept_at(p, NEED_SLOPE) + row_at(i) + j] = g[0];
      if (p->kept > 0 && (p->kept & NEED_SHAPE)) w[kept_at(p, NEED_SHAPE) + row_at(i) + j] = s[0];
    }
    e = next_pair(p, e);
    i = e.row + 1;
    j = e.column;
  }
}

/* Cholesky factor in place, column after column, of so many rows: the last pivot to `variance`. bad: another was not
 * positive. Without rows both are as they were. */
DEV_FN void team_factor(TEAM_ARGS, i32 rows, real nugget, real *variance, flag *bad) {
  TEAM_BARRIER;
  TEAM_LOOP(i, 0, rows)
    FACTOR(i, i) = HERE(i) ? w[p->zero_at] + (nugget + w[p->record_at + i * p->record + p->coords]) : 1;
  TEAM_BARRIER;
  if (rows > 0) *bad = 0;
  const i32 turns = AT_LEAST(1, rows);
  ROLLED for (i32 k = 0; k < turns; k++) {
    const real pivot = FACTOR(k, k);
    const flag here = k < rows, sound = pivot > 0, last = k == rows - 1;
    const real inverse = 1 / sqrt(sound ? pivot : K(1));
    *bad = *bad || (here && !(sound || last));
    *variance = here ? pivot : *variance;
    TEAM_LOOP(i, k + 1, rows) FACTOR(i, k) = FACTOR(i, k) * inverse;
    TEAM_BARRIER;
    if (here && p->lane == 0) FACTOR(k, k) = inverse;
    TEAM_PAIRS(e, rows - 1 - k) {
      const i32 i = k + 1 + e.row, j = k + 1 + e.column;
      FACTOR(i, j) = FMA(-FACTOR(i, k), FACTOR(j, k), FACTOR(i, j));
    }
    TEAM_BARRIER;
  }
}

/* inv(L)'u in the place of u, up to place q, for so many u. */
DEV_FN void team_back(TEAM_ARGS, i32 q, TEAM_MEMORY real *u, i32 count) {
  const i32 some = q < 0 ? 0 : count;
  ROLLED for (i32 k = AT_LEAST(0, q); k >= 0; k--) {
    const real inverse = FACTOR(k, k);
    for (i32 s = 0; s < some; s++) {
      TEAM_MEMORY real *of = u + s * p->members;
      const real known = of[k] * inverse;
      TEAM_LOOP(i, 0, k) of[i] = FMA(-FACTOR(k, i), known, of[i]);
    }
    TEAM_BARRIER;
    TEAM_LOOP(s, 0, some) u[s * p->members + k] *= inverse; /* which nobody reads any more */
  }
  TEAM_BARRIER;
}

/* inv(L) u in the place of u, up to place q, for so many u. */
DEV_FN void team_forward(TEAM_ARGS, i32 q, TEAM_MEMORY real *u, i32 count) {
  const i32 some = q < 0 ? 0 : count;
  ROLLED for (i32 k = 0; k <= AT_LEAST(0, q); k++) {
    const real inverse = FACTOR(k, k);
    for (i32 s = 0; s < some; s++) {
      TEAM_MEMORY real *of = u + s * p->members;
      const real known = of[k] * inverse;
      TEAM_LOOP(i, k + 1, q + 1) of[i] = FMA(-FACTOR(i, k), known, of[i]);
    }
    TEAM_BARRIER;
    TEAM_LOOP(s, 0, some) u[s * p->members + k] *= inverse;
  }
  TEAM_BARRIER;
}

/* a of the member in place q, given those before it; 0 where there is no member. */
DEV_FN void team_weights(TEAM_ARGS, i32 q) {
  TEAM_MEMORY real *a = w + p->weight_at;
  TEAM_LOOP(i, 0, q + 1) a[i] = i < q ? -FACTOR(q, i) : HERE(q) ? 1 : 0;
  TEAM_BARRIER;
  team_back(p, w, q - 1, a, 1);
}

/* Sum over the members before place `to` of weights times a column of data */
TEAM_FAR_FN real team_dot(TEAM_ARGS, TEAM_MEMORY const real *weight, i32 column, i32 to) {
  real sum = 0;
  for (i32 k = 0; k < to; k++) sum = FMA(weight[k], DATA(k, column), sum);
  return sum;
}

/* dS a from what is kept of the only part's function, a row of dS in each work-item. */
DEV_FN void team_kept(TEAM_ARGS, i32 q, TEAM_MEMORY const real *par) {
  TEAM_MEMORY const real *part = par + COV_HEAD, *want = par + (i32)part[PART_WANTS_AT] + WANT_SIZE;
  TEAM_MEMORY const real *a = w + p->weight_at;
  for (i32 k = 1; k < (i32)part[PART_WANTS]; k++, want += WANT_SIZE) {
    TEAM_MEMORY real *u = w + p->slope_at + ((i32)want[WANT_COLUMN] - 1) * p->members;
    const i32 what = (i32)want[WANT_WHAT];
    const i32 needed = what == WANT_SLOPE ? NEED_SLOPE : what == WANT_SHAPE ? NEED_SHAPE : NEED_VALUE;
    const i32 times = what == WANT_NOTHING ? 0 : what == WANT_SHAPE && want[WANT_OTHER] != 0 ? 2 : 1;
    for (i32 t = 0; t < times; t++) {
      TEAM_MEMORY const real *kept = w + kept_at(p, t ? NEED_SLOPE : needed);
      const real factor = want[t ? WANT_OTHER : WANT_FACTOR];
      TEAM_LOOP(i, 0, q + 1) {
        real sum = u[i];
        for (i32 j = 0; j < i; j++) sum = FMA(factor * kept[row_at(i) + j], a[j], sum);
        for (i32 j = i + 1; j <= q; j++) sum = FMA(factor * kept[row_at(j) + i], a[j], sum);
        u[i] = sum;
      }
    }
  }
}

/* Adds what the member in place q >= 0 has to the sums but those of derivatives, for which u is begun. */
DEV_FN void team_add_values(TEAM_ARGS, i32 q, real variance, i32 nuggets) {
  TEAM_MEMORY const real *a = w + p->weight_at;
  TEAM_MEMORY real *whitened = w + p->whitened_at, *sums = w + p->sums_at;
  const flag last = q == p->members - 1;
  const i32 data = q < 0 ? 0 : p->data;
  if (p->lane == 0 && q >= 0) {
    const real of = last ? variance : FACTOR(q, q), part = (last ? K(0.5) : K(-1.0)) * log_(of);
    sums[VECCHIA_LOG] = sums[VECCHIA_LOG] + (last && of <= 0 ? 0 : part); /* NaN: a table's end */
  }
  team_weights(p, w, q);
  TEAM_LOOP(c, 0, data) whitened[c] = team_dot(p, w, a, c, q + 1) * FACTOR(q, q);
  TEAM_LOOP(i, 0, q + 1)
    for (i32 s = 0; s < p->slopes; s++)
      w[p->slope_at + s * p->members + i] = a[i] * (w[p->zero_at + 1 + s] + (nuggets >> s & 1));
  TEAM_BARRIER;
  TEAM_PAIRS(e, data) {
    const i32 k = row_at(e.row) + e.column;
    if (k < p->from || k >= p->to) continue;
    sums[VECCHIA_GRAM + k - p->from] = sums[VECCHIA_GRAM + k - p->from] + whitened[e.row] * whitened[e.column];
  }
}

/* And those, from u = dS a on. */
DEV_FN void team_add_slopes(TEAM_ARGS, i32 q) {
  const i32 slopes = q < 0 ? 0 : p->slopes;
  q = slopes > 0 ? q : -1;
  const i32 width = 1 + p->to - p->from;
  TEAM_MEMORY real *u = w + p->slope_at, *whitened = w + p->whitened_at, *moved = w + p->moved_at;
  TEAM_MEMORY real *sums = w + p->sums_at + VECCHIA_GRAM + p->to - p->from, *cross = sums + p->slopes * width;
  TEAM_LOOP(i, 0, q + 1)
    for (i32 s = 0; s < slopes; s++) {
      const real b = u[s * p->members + i] * FACTOR(q, q);
      u[s * p->members + i] = HERE(i) ? b : 0;
    }
  TEAM_BARRIER;
  team_forward(p, w, q, u, slopes);
  TEAM_PAIRS(e, slopes) {
    TEAM_MEMORY const real *us = u + e.row * p->members, *ut = u + e.column * p->members;
    real v = K(0.5) * us[q] * ut[q];
    for (i32 i = 0; i < q; i++) v = FMA(us[i], ut[i], v);
    cross[row_at(e.row) + e.column] = cross[row_at(e.row) + e.column] + v;
  }
  TEAM_BARRIER;
  TEAM_LOOP(s, 0, slopes) {
    const real halved = K(0.5) * u[s * p->members + q];
    sums[s * width] = sums[s * width] + halved;
    u[s * p->members + q] = halved;
  }
  TEAM_BARRIER;
  team_back(p, w, q, u, slopes); /* inv(L)'(u - u_q e/2) */
  TEAM_LOOP(e, 0, slopes * p->data)
    moved[e] = -team_dot(p, w, u + e / p->data * p->members, e % p->data, q + 1);
  TEAM_BARRIER;
  for (i32 s = 0; s < slopes; s++)
    TEAM_PAIRS(e, p->data) {
      const i32 k = row_at(e.row) + e.column, c = s * p->data + e.row, d = s * p->data + e.column;
      if (k < p->from || k >= p->to) continue;
      TEAM_MEMORY real *sum = sums + s * width + 1 + k - p->from;
      *sum = *sum + FMA(moved[c], whitened[e.column], whitened[e.row] * moved[d]);
    }
}

/* Point `at` of a team, its first location, and what the group shares: a team without a point of its own does as
 * another does, and keeps it to itself. */
#define TEAM_BEGINS                                                                                          \
  TEAM_UNUSED;                                                                                               \
  const i32 size = (i32)get_local_size(0), items = size / teams;                                             \
  TEAM_MEMORY const real *constants = TEAM_CONSTANTS, *own = constants + (i32)constants[VECCHIA_AT];         \
  const i32 team = (i32)get_local_id(0) / items, point = (i32)get_group_id(0) * teams + team;                \
  const flag live = point < n;                                                                               \
  const i32 at = live ? point : n - 1;                                                                       \
  const team_plan plan = team_plan_of(own, (i32)get_local_id(0) % items, items), *p = &plan;                 \
  const i32 line = (i32)((offset + at) / VECCHIA_LINE), lane = (i32)((offset + at) % VECCHIA_LINE);          \
  const real nugget = own[VECCHIA_NUGGET];                                                                   \
  TEAM_MEMORY real *w = TEAM_NUMBERS;                                                                        \
  real variance = 0;                                                                                         \
  flag bad = 0

VECCHIA_KERNEL(sums) {
  TEAM_BEGINS;
  const i32 steps = (i32)own[VECCHIA_STEPS], nuggets = (i32)own[VECCHIA_NUGGETS];
  const i32 columns = VECCHIA_SUMS(p->to - p->from, p->slopes);
  TEAM_LOOP(k, 0, columns) w[p->sums_at + k] = k == VECCHIA_BAD ? K(-1.0) : K(-0.0); /* -0 + x is x for all x */
  ROLLED for (i32 step = 0; step < AT_LEAST(1, steps); step++) {
    team_gather(p, w, line * steps + step, lane, stored, stored_whole);
    /* Round 0 factorises, those after it have a member each: pairs have one text for all of them. All rounds come to
     * all barriers, and loops that have one do at least one turn: compilers for CPUs write the rest of a kernel again
     * for each branch that has a barrier. */
    ROLLED for (i32 round = 0; round <= AT_LEAST(1, p->own); round++) {
      const i32 q = round == 0 ? -1 : p->members - 1 - p->own + round;
      team_add_values(p, w, q, variance, nuggets);
      if (q < 0 || (p->slopes > 0 && p->kept < 0)) team_pairs(p, w, constants, par, q);
      team_factor(p, w, q < 0 ? p->members : 0, nugget, &variance, &bad);
      if (p->lane == 0 && q < 0 && (bad || !(variance > 0)) && w[p->sums_at + VECCHIA_BAD] < 0)
        w[p->sums_at + VECCHIA_BAD] = (real)step;
      if (p->kept > 0) team_kept(p, w, q, constants);
      team_add_slopes(p, w, q);
    }
  }
  TEAM_BARRIER;
  TEAM_LOOP(k, 0, columns) if (live) out[k * cap + at] = w[p->sums_at + k];
}

/* Of each location its weights and the first result, d: -Inf if its neighbours have no factor, and NaN beyond the
 * ends of a table. */
#define ONE_LOCATION                                                                                         \
  TEAM_BEGINS;                                                                                               \
  team_gather(p, w, line, lane, stored, stored_whole);                                                       \
  team_pairs(p, w, constants, par, -1);                                                                      \
  team_factor(p, w, p->members, nugget, &variance, &bad);                                                    \
  team_weights(p, w, p->members - 1);                                                                        \
  TEAM_MEMORY const real *a = w + p->weight_at;                                                              \
  if (live && p->lane == 0) out[at] = bad && variance == variance ? -INF_ : variance

/* d, and what the neighbours predict of each column of data, -a'y without itself. */
VECCHIA_KERNEL(predict) {
  ONE_LOCATION;
  TEAM_LOOP(c, 0, p->data) if (live) out[(1 + c) * cap + at] = -team_dot(p, w, a, c, p->members - 1);
}

/* d, and the neighbours' weights. */
VECCHIA_KERNEL(rows) {
  ONE_LOCATION;
  TEAM_LOOP(k, 1, p->members) if (live) out[k * cap + at] = -a[k - 1];
}
