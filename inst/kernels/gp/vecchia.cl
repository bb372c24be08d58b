/* vecchia.cl: Vecchia's approximation of Gaussian likelihoods, a location of a step in each lane: the Cholesky factor
 * L of the covariances S of its members, itself last, and from it the weights a of a'y, its difference from what the
 * others predict, whose variance is d.
 *
 * Derivatives as in Guinness (2021), Gaussian process learning via Fisher scoring of Vecchia's approximation,
 * Statistics and Computing 31:25. With e the last unit vector, L'b = e, that is b = a/sqrt(d), and u = inv(L) dS b:
 * d log(d) = u_q, db = -inv(L)'(u - u_q e/2), and the information of two parameters is u.w - u_q w_q/2.
 *
 * Where a work-item is one lane, a team of work-items has a location: vecchia_team.h. */
#include "kernels/common/dialect.h"
#if LANES == 1 && (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__))
#define TEAM_MEMORY DEV_GLOBAL
#define TEAM_NUMBERS work + (i64)point * p->size
#define TEAM_CONSTANTS par
#define TEAM_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define VECCHIA_KERNEL(what) TEAM_KERNEL(vecchia_##what)
#include "kernels/gp/vecchia_team.h"
#else
#define COLUMN_STEP 1
#define RESULTS work, results, at, cap
#define RESULT_ARGS DEV_GLOBAL real *work, i32 results, i32 at, i32 cap
#define RESULT(k) PLACES(work, results + (k), 1, at, LANES, cap)
#include "kernels/common/lane_factor.h"
#include "kernels/covariance/covariance_pairs.h"
#include "kernels/gp/vecchia_par.h"

/* Members stand in places first, ..., places - 1; columns of work. */
typedef struct {
  i32 members, places, first, own, coords, data, slopes, record, kept;
  i32 kept_at, record_at, here_at, weight_at, variance_at, slope_at, result_at, whitened_at;
} vecchia_plan;

DEV_FN vecchia_plan vecchia_plan_of(DEV_GLOBAL const real *own) {
  vecchia_plan p;
  p.members = (i32)own[VECCHIA_MEMBERS];
  p.places = (p.members + LANE_BLOCK - 1) / LANE_BLOCK * LANE_BLOCK;
  p.first = p.places - p.members;
  p.own = (i32)own[VECCHIA_OWN];
  p.coords = (i32)own[VECCHIA_COORDS];
  p.data = (i32)own[VECCHIA_DATA];
  p.slopes = (i32)own[VECCHIA_SLOPES];
  p.record = (i32)own[VECCHIA_RECORD];
  p.kept = (i32)own[VECCHIA_KEPT];
  p.kept_at = row_at(p.places);
  p.record_at = p.kept_at;
  for (i32 need = NEED_VALUE; need <= NEED_SHAPE && p.kept > 0; need *= 2)
    if (p.kept & need) p.record_at += row_at(p.places);
  p.here_at = p.record_at + p.places * p.record;
  p.weight_at = p.here_at + p.places;
  p.variance_at = p.weight_at + p.places;
  p.slope_at = p.variance_at + 1;
  p.result_at = p.slope_at + p.places * p.slopes;
  p.whitened_at = p.result_at + 1 + p.slopes;
  return p;
}

#define VECCHIA_ARGS const vecchia_plan *p, DEV_GLOBAL real *work, i32 at, i32 cap
#define OF_WORK(k, columns) PLACES(work, k, columns, at, LANES, cap)
/* Element (i, j) of the factor, with the inverse of the diagonal in its place */
#define FACTOR(i, j) factor[(row_at(i) + (j)) * cap + l]

/* The places without members: rows of the identity, which the factorisation leaves as they are. */
DEV_FN void vecchia_spare(VECCHIA_ARGS) {
  DEV_GLOBAL real *factor = OF_WORK(0, row_at(p->places));
  for (i32 i = 0; i < p->places; i++)
    for (i32 j = 0; j <= i && j < p->first; j++) LANE_LOOP(l) FACTOR(i, j) = i == j ? 1 : 0;
}

/* Records of the members; lanes that lack one repeat another, and say so. */
DEV_FN flag vecchia_gather(VECCHIA_ARGS, i32 step, i32 lane, DEV_GLOBAL const real *stored,
                           DEV_GLOBAL const i32 *stored_whole) {
  i32 missing = 0;
  for (i32 k = 0; k < p->members; k++) {
    DEV_GLOBAL const i32 *member = stored_whole + (step * p->members + k) * VECCHIA_LINE + lane;
    DEV_GLOBAL real *to = OF_WORK(p->record_at + (p->first + k) * p->record, p->record);
    DEV_GLOBAL real *here = OF_WORK(p->here_at + p->first + k, 1);
    i32 from[LANES];
    LANE_LOOP(l) from[l] = member[l] < 0 ? 0 : member[l] * p->record;
    LANE_LOOP(l) here[l] = member[l] < 0 ? 0 : 1;
    for (i32 l = 0; l < LANES; l++) missing += member[l] < 0;
    for (i32 c = 0; c < p->record; c += VECCHIA_PART, to += VECCHIA_PART * cap) {
      real part[LANES][VECCHIA_PART]; /* brought together before the lanes read across */
      for (i32 l = 0; l < LANES; l++) copy_reals(part[l], stored + from[l] + c, VECCHIA_PART);
      LANE_LOOP(l) {
        to[l] = part[l][0];
        to[cap + l] = part[l][1];
        to[2 * cap + l] = part[l][2];
        to[3 * cap + l] = part[l][3];
      }
    }
  }
  return missing > 0;
}

/* Where what is kept of a function begins in work. */
DEV_FN i32 kept_at(const vecchia_plan *p, i32 need) {
  i32 at = p->kept_at;
  for (i32 before = NEED_VALUE; before < need; before *= 2)
    if (p->kept & before) at += row_at(p->places);
  return at;
}

/* x of the only part between a row and the columns before it. */
DEV_FN void vecchia_distances(VECCHIA_ARGS, DEV_GLOBAL const real *par, i32 i, DEV_GLOBAL real *to) {
  const i32 apart = cap, stride = cap, dim = (i32)par[SPACE_DIM];
  const real diameter = par[SPACE_DIAMETER], chord = par[SPACE_CHORD];
  DEV_GLOBAL const real *part = par + COV_HEAD, *column = OF_WORK(p->record_at + p->first * p->record, p->record);
  DEV_GLOBAL const real *row = column + i * p->record * cap;
  DEV_GLOBAL const real *map = 0;
  if (part[PART_MAP] != 0) map = par + (i32)part[PART_MAP];
  for (i32 j = 0; j < i; j++, column += p->record * cap) {
    real r[LANES];
    if (diameter != 0) {
      cov_sphere(row, stride, column, apart, diameter, chord, r);
    } else if (dim == 2 && !map) {
      LANE_LOOP(l) {
        const real x = row[l] - column[l], y = row[cap + l] - column[cap + l];
        r[l] = sqrt(FMA(y, y, x * x));
      }
    } else {
      cov_square(row, stride, column, apart, dim, map, r);
      LANE_LOOP(l) r[l] = sqrt(r[l]);
    }
    LANE_LOOP(l) to[j * cap + l] = r[l];
  }
  const real hi = part[PART_SCALE], lo = part[PART_SCALE_LO], divisor = part[PART_DIVISOR];
  if (divisor != 0) {
    for (i32 j = 0; j < i; j++) LANE_LOOP(l) to[j * cap + l] = to[j * cap + l] / divisor * hi;
    return;
  }
  for (i32 j = 0; j < i; j++) LANE_LOOP(l) to[j * cap + l] = cov_scaled_by(to[j * cap + l], hi, lo);
}

#define KEEP(need, v)                                                                                        \
  if (p->kept & (need)) {                                                                                    \
    DEV_GLOBAL real *keep = OF_WORK(kept_at(p, need) + k, 1);                                                \
    LANE_LOOP(l) keep[l] = v[l];                                                                             \
  }

/* Columns of x become F times its factor; what is kept of the function goes to columns as many. */
DEV_FN void vecchia_function(VECCHIA_ARGS, DEV_GLOBAL const real *par, i32 needs, i32 column, i32 columns) {
  DEV_GLOBAL const real *part = par + COV_HEAD;
  const real factor = par[(i32)part[PART_WANTS_AT] + WANT_FACTOR], at_zero = part[PART_AT_ZERO];
  const i32 function = (i32)part[PART_FUNCTION], form = (i32)part[FORM_AT], terms = (i32)part[FORM_TERMS];
  const i32 slope_terms = (i32)part[FORM_SLOPE_TERMS];
  for (i32 k = column; k < column + columns; k++) {
    DEV_GLOBAL real *to = OF_WORK(k, 1);
    real x[LANES], f[LANES], g[LANES], s[LANES];
    LANE_LOOP(l) x[l] = to[l];
    if (function == FUNCTION_FORM) { /* finite distances alone, and no derivative for the shape */
      cov_form(par + form, terms, x, f);
      LANE_LOOP(l) f[l] = x[l] == 0 ? at_zero : f[l];
      if (needs & NEED_SLOPE) cov_form(par + form + terms, slope_terms, x, g);
    } else if (function == FUNCTION_TABLE && needs == NEED_VALUE) {
      cov_table_columns(par, part, NEED_VALUE, x, f, g, s);
      LANE_LOOP(l) f[l] = x[l] == 0 ? at_zero : f[l];
    } else {
      cov_function(par, COV_TABLES, part, needs, x, f, g, s);
    }
    LANE_LOOP(l) to[l] = factor * f[l];
    if (p->kept <= 0) continue;
    KEEP(NEED_VALUE, f)
    KEEP(NEED_SLOPE, g)
    KEEP(NEED_SHAPE, s)
  }
}

/* The lower triangle of S, with rows of the identity for what is missing. */
DEV_FN void vecchia_covariances(VECCHIA_ARGS, DEV_GLOBAL const real *par, DEV_GLOBAL const real *own, flag missing) {
  const i32 stride = cap, apart = cap, dim = (i32)par[SPACE_DIM];
  const real diameter = par[SPACE_DIAMETER], nugget = own[VECCHIA_NUGGET];
  DEV_GLOBAL const real *coords = OF_WORK(p->record_at + p->first * p->record, p->record * p->members);
  DEV_GLOBAL const real *row = coords, *column = coords;
  DEV_GLOBAL const real *here = OF_WORK(p->here_at + p->first, p->members);
  const flag by_pair = p->kept < 0;
  real at_zero[LANES], total[LANES], f[LANES], g[LANES], s[LANES];
  for (i32 i = 0; i < p->members; i++, row += p->record * cap) {
    const i32 first = row_at(p->first + i) + p->first;
    DEV_GLOBAL real *to = OF_WORK(first, i + 1);
    column = coords;
    if (!by_pair) {
      vecchia_distances(p, work, at, cap, par, i, to);
      vecchia_function(p, work, at, cap, par, p->kept | NEED_VALUE, first, i);
    }
    /* the first member's pair is with itself */
    for (i32 j = 0; (j < i && by_pair) || (i == 0 && j == 0); j++, column += p->record * cap) {
      cov_total(PAIR, NEED_VALUE, f, g, s, total);
      if (i == 0) {
        LANE_LOOP(l) at_zero[l] = total[l];
        continue;
      }
      LANE_LOOP(l) to[j * cap + l] = total[l];
    }
    LANE_LOOP(l) to[i * cap + l] = at_zero[l] + (nugget + row[p->coords * cap + l]);
  }
  if (!missing) return;
  for (i32 i = 0; i < p->members; i++)
    for (i32 j = 0; j <= i; j++) {
      DEV_GLOBAL real *to = OF_WORK(row_at(p->first + i) + p->first + j, 1);
      LANE_LOOP(l) to[l] = here[i * cap + l] * here[j * cap + l] > 0 ? to[l] : (i == j ? 1 : 0);
    }
}

/* inv(L)'u in the place of u, up to place q: the sums for a place wait in its own column. */
DEV_FN void vecchia_back(VECCHIA_ARGS, i32 q, DEV_GLOBAL real *u) {
  DEV_GLOBAL const real *factor = OF_WORK(0, row_at(p->places));
  for (i32 k = q; k >= p->first; k--) {
    LANE_LOOP(l) u[k * cap + l] *= FACTOR(k, k);
    for (i32 i = p->first; i < k; i++)
      LANE_LOOP(l) u[i * cap + l] = FMA(-FACTOR(k, i), u[k * cap + l], u[i * cap + l]);
  }
}

/* a of the member in place q, given those before it; 0 where there is no member. */
DEV_FN void vecchia_weights(VECCHIA_ARGS, i32 q) {
  DEV_GLOBAL const real *here = OF_WORK(p->here_at + q, 1);
  DEV_GLOBAL const real *factor = OF_WORK(0, row_at(p->places));
  DEV_GLOBAL real *a = OF_WORK(p->weight_at, p->places);
  for (i32 i = p->first; i < q; i++) LANE_LOOP(l) a[i * cap + l] = -FACTOR(q, i);
  LANE_LOOP(l) a[q * cap + l] = here[l];
  vecchia_back(p, work, at, cap, q - 1, a);
}

/* A location's S and factor; does a lane lack members? */
DEV_FN flag vecchia_location(VECCHIA_ARGS, i32 step, i32 lane, DEV_GLOBAL const real *par,
                             DEV_GLOBAL const real *own, DEV_GLOBAL const real *stored,
                             DEV_GLOBAL const i32 *stored_whole, real *bad) {
  const flag missing = vecchia_gather(p, work, at, cap, step, lane, stored, stored_whole);
  vecchia_covariances(p, work, at, cap, par, own, missing);
  LANE_LOOP(l) bad[l] = 0;
  lane_factor(OF_WORK(0, row_at(p->places)), cap, p->places, OF_WORK(p->variance_at, 1), bad);
  return missing;
}

/* Sum over the members in places from, ..., to - 1 of weights times a column of data */
DEV_FN void vecchia_dot(VECCHIA_ARGS, DEV_GLOBAL const real *weight, i32 column, i32 to, real *sum) {
  DEV_GLOBAL const real *data = OF_WORK(p->record_at, p->places * p->record) + (p->coords + 1 + column) * cap;
  LANE_LOOP(l) sum[l] = 0;
  for (i32 k = p->first; k < to; k++)
    LANE_LOOP(l) sum[l] = FMA(weight[k * cap + l], data[k * p->record * cap + l], sum[l]);
}

/* Adds to u what a symmetric matrix makes of a, by its element (i, j) times `factor`. */
#define ADD_SYMMETRIC(u, i, j, factor)                                                                       \
  LANE_LOOP(l) {                                                                                             \
    const real v_ = factor;                                                                                  \
    (u)[(i) * cap + l] = FMA(v_, a[(j) * cap + l], (u)[(i) * cap + l]);                                       \
    (u)[(j) * cap + l] = FMA(v_, a[(i) * cap + l], (u)[(j) * cap + l]);                                       \
  }

/* dS a for all derivatives of the nuggets and variances, for which the first member's pair is with itself; and,
 * unless these are kept, of all pairs. */
DEV_FN void vecchia_pairs(VECCHIA_ARGS, i32 q, DEV_GLOBAL const real *par, i32 nuggets, DEV_GLOBAL const real *a,
                          DEV_GLOBAL real *u) {
  const i32 stride = cap, apart = cap, dim = (i32)par[SPACE_DIM];
  const real diameter = par[SPACE_DIAMETER];
  DEV_GLOBAL const real *coords = OF_WORK(p->record_at, p->record * p->places);
  DEV_GLOBAL const real *slope = OF_WORK(p->result_at + 1, p->slopes);
  for (i32 i = p->first; i <= q && (p->kept < 0 || i == p->first); i++)
    for (i32 j = p->first; j < i || j == p->first; j++) {
      DEV_GLOBAL const real *row = coords + i * p->record * cap, *column = coords + j * p->record * cap;
      cov_wanted(PAIR, work, p->result_at, at, cap);
      if (i > p->first) {
        for (i32 s = 0; s < p->slopes; s++) ADD_SYMMETRIC(u + s * p->places * cap, i, j, slope[s * cap + l])
        continue;
      }
      for (i32 k = p->first; k <= q; k++)
        for (i32 s = 0; s < p->slopes; s++)
          LANE_LOOP(l) u[(s * p->places + k) * cap + l] = a[k * cap + l] * (slope[s * cap + l] + (nuggets >> s & 1));
    }
}

/* dS a of pairs from what is kept of the only part's function. */
DEV_FN void vecchia_kept(VECCHIA_ARGS, i32 q, DEV_GLOBAL const real *par, DEV_GLOBAL const real *a,
                         DEV_GLOBAL real *u) {
  DEV_GLOBAL const real *part = par + COV_HEAD, *want = par + (i32)part[PART_WANTS_AT] + WANT_SIZE;
  for (i32 k = 1; k < (i32)part[PART_WANTS]; k++, want += WANT_SIZE) {
    DEV_GLOBAL real *to = u + ((i32)want[WANT_COLUMN] - 1) * p->places * cap;
    const i32 what = (i32)want[WANT_WHAT], needed = what == WANT_SLOPE ? NEED_SLOPE : what == WANT_SHAPE ? NEED_SHAPE
                                                                                                        : NEED_VALUE;
    const real factor = want[WANT_FACTOR], other = what == WANT_SHAPE ? want[WANT_OTHER] : K(0);
    if (what == WANT_NOTHING) continue;
    for (i32 i = p->first + 1; i <= q; i++) {
      DEV_GLOBAL const real *kept = OF_WORK(kept_at(p, needed) + row_at(i), i + 1);
      for (i32 j = p->first; j < i; j++) ADD_SYMMETRIC(to, i, j, factor * kept[j * cap + l])
      if (other == 0) continue;
      kept = OF_WORK(kept_at(p, NEED_SLOPE) + row_at(i), i + 1);
      for (i32 j = p->first; j < i; j++) ADD_SYMMETRIC(to, i, j, other * kept[j * cap + l])
    }
  }
}

/* inv(L) dS b for all derivatives, with b of the member in place q */
DEV_FN void vecchia_slopes(VECCHIA_ARGS, i32 q, DEV_GLOBAL const real *par, DEV_GLOBAL const real *own,
                           flag missing) {
  const i32 nuggets = (i32)own[VECCHIA_NUGGETS];
  DEV_GLOBAL const real *factor = OF_WORK(0, row_at(p->places)), *a = OF_WORK(p->weight_at, p->places);
  DEV_GLOBAL const real *here = OF_WORK(p->here_at, p->places);
  DEV_GLOBAL real *u = OF_WORK(p->slope_at, p->places * p->slopes);
  vecchia_pairs(p, work, at, cap, q, par, nuggets, a, u);
  if (p->kept >= 0) vecchia_kept(p, work, at, cap, q, par, a, u);
  for (i32 s = 0; s < p->slopes; s++) {
    DEV_GLOBAL real *to = u + s * p->places * cap;
    for (i32 i = p->first; i <= q; i++) {
      real sum[LANES];
      LANE_LOOP(l) sum[l] = to[i * cap + l] * FACTOR(q, q);
      if (missing) LANE_LOOP(l) sum[l] = here[i * cap + l] > 0 ? sum[l] : 0;
      for (i32 k = p->first; k < i; k++) LANE_LOOP(l) sum[l] = FMA(-FACTOR(i, k), to[k * cap + l], sum[l]);
      LANE_LOOP(l) to[i * cap + l] = sum[l] * FACTOR(i, i);
    }
  }
}

/* Adds to column k of the sums. */
DEV_FN void vecchia_add(DEV_GLOBAL real *out, i32 k, i32 at, i32 cap, flag begin, const real *v) {
  DEV_GLOBAL real *to = PLACES(out, k, 1, at, LANES, cap);
  LANE_LOOP(l) to[l] = begin ? v[l] : to[l] + v[l];
}

/* Adds what the member in place q has to the sums. */
DEV_FN void vecchia_add_member(VECCHIA_ARGS, i32 q, flag begin, flag missing, DEV_GLOBAL const real *par,
                               DEV_GLOBAL const real *own, DEV_GLOBAL real *out) {
  const i32 data = p->data, slopes = p->slopes, from = (i32)own[VECCHIA_FROM], to = (i32)own[VECCHIA_TO];
  DEV_GLOBAL const real *factor = OF_WORK(0, row_at(p->places)), *variance = OF_WORK(p->variance_at, 1);
  DEV_GLOBAL const real *a = OF_WORK(p->weight_at, p->places);
  DEV_GLOBAL real *u = OF_WORK(p->slope_at, p->places * slopes), *whitened = OF_WORK(p->whitened_at, 2 * data);
  i32 k = VECCHIA_GRAM;
  real v[LANES];
  const flag last = q == p->places - 1;
  LANE_LOOP(l) {
    const real of = last ? variance[l] : FACTOR(q, q), part = (last ? K(0.5) : K(-1.0)) * log_(of);
    v[l] = (last & (of <= 0)) ? 0 : part; /* NaN: a table's end */
  }
  vecchia_add(out, VECCHIA_LOG, at, cap, begin, v);
  vecchia_weights(p, work, at, cap, q);
  for (i32 c = 0; c < data; c++) {
    vecchia_dot(p, work, at, cap, a, c, q + 1, v);
    LANE_LOOP(l) whitened[c * cap + l] = v[l] * FACTOR(q, q);
    for (i32 e = 0; e <= c; e++) {
      if (row_at(c) + e < from || row_at(c) + e >= to) continue;
      LANE_LOOP(l) v[l] = whitened[c * cap + l] * whitened[e * cap + l];
      vecchia_add(out, k++, at, cap, begin, v);
    }
  }
  if (slopes == 0) return;
  vecchia_slopes(p, work, at, cap, q, par, own, missing);
  i32 cross = k + slopes * (1 + to - from);
  for (i32 s = 0; s < slopes; s++)
    for (i32 t = 0; t <= s; t++, cross++) {
      DEV_GLOBAL const real *us = u + s * p->places * cap, *ut = u + t * p->places * cap;
      LANE_LOOP(l) v[l] = K(0.5) * us[q * cap + l] * ut[q * cap + l];
      for (i32 i = p->first; i < q; i++) LANE_LOOP(l) v[l] = FMA(us[i * cap + l], ut[i * cap + l], v[l]);
      vecchia_add(out, cross, at, cap, begin, v);
    }
  for (i32 s = 0; s < slopes; s++) {
    DEV_GLOBAL real *us = u + s * p->places * cap, *moved = whitened + data * cap;
    LANE_LOOP(l) v[l] = K(0.5) * us[q * cap + l];
    vecchia_add(out, k++, at, cap, begin, v);
    LANE_LOOP(l) us[q * cap + l] *= K(0.5);
    vecchia_back(p, work, at, cap, q, us); /* inv(L)'(u - u_q e/2) */
    for (i32 c = 0; c < data; c++) {
      vecchia_dot(p, work, at, cap, us, c, q + 1, v);
      LANE_LOOP(l) moved[c * cap + l] = -v[l];
      for (i32 e = 0; e <= c; e++) {
        if (row_at(c) + e < from || row_at(c) + e >= to) continue;
        LANE_LOOP(l) v[l] = FMA(moved[c * cap + l], whitened[e * cap + l],
                                whitened[c * cap + l] * moved[e * cap + l]);
        vecchia_add(out, k++, at, cap, begin, v);
      }
    }
  }
}

KERNEL(vecchia_sums) {
  OVER_WHOLE_BLOCKS;
  DEV_GLOBAL const real *own = par + (i32)par[VECCHIA_AT];
  const vecchia_plan plan = vecchia_plan_of(own), *p = &plan;
  const i32 steps = (i32)own[VECCHIA_STEPS], first_own = p->places - p->own;
  const i32 line = (i32)((offset + at) / VECCHIA_LINE), lane = (i32)((offset + at) % VECCHIA_LINE);
  DEV_GLOBAL const real *variance = OF_WORK(p->variance_at, 1);
  DEV_GLOBAL real *first_bad = PLACES(out, VECCHIA_BAD, 1, at, LANES, cap);
  LANE_LOOP(l) first_bad[l] = -1;
  vecchia_spare(p, work, at, cap);
  for (i32 step = 0; step < steps; step++) {
    real bad[LANES];
    const flag missing =
        vecchia_location(p, work, at, cap, line * steps + step, lane, par, own, stored, stored_whole, bad);
    LANE_LOOP(l) {
      const flag sound = (variance[l] > 0) & (bad[l] == 0);
      first_bad[l] = (sound | (first_bad[l] >= 0)) ? first_bad[l] : (real)step;
    }
    for (i32 q = first_own; q < p->places; q++)
      vecchia_add_member(p, work, at, cap, q, (step == 0) & (q == first_own), missing, par, own, out);
  }
}

/* Of each location its weights and the first result, d: -Inf if its neighbours have no factor, and NaN beyond the
 * ends of a table. */
#define ONE_LOCATION                                                                                         \
  OVER_WHOLE_BLOCKS;                                                                                         \
  DEV_GLOBAL const real *own = par + (i32)par[VECCHIA_AT];                                                   \
  const vecchia_plan plan = vecchia_plan_of(own), *p = &plan;                                                \
  const i32 line = (i32)((offset + at) / VECCHIA_LINE), lane = (i32)((offset + at) % VECCHIA_LINE);          \
  DEV_GLOBAL const real *variance = OF_WORK(p->variance_at, 1);                                              \
  real bad[LANES], v[LANES];                                                                                 \
  vecchia_spare(p, work, at, cap);                                                                           \
  vecchia_location(p, work, at, cap, line, lane, par, own, stored, stored_whole, bad);                       \
  vecchia_weights(p, work, at, cap, p->places - 1);                                                          \
  LANE_LOOP(l) {                                                                                             \
    const flag none = (bad[l] > 0) & (variance[l] == variance[l]);                                           \
    v[l] = none ? -INF_ : variance[l];                                                                       \
  }                                                                                                          \
  LANES_OUT(0, v)

/* d, and what the neighbours predict of each column of data, -a'y without itself. */
KERNEL(vecchia_predict) {
  ONE_LOCATION;
  for (i32 c = 0; c < p->data; c++) {
    vecchia_dot(p, work, at, cap, OF_WORK(p->weight_at, p->places), c, p->places - 1, v);
    LANE_LOOP(l) v[l] = -v[l];
    LANES_OUT(1 + c, v)
  }
}

/* d, and the neighbours' weights. */
KERNEL(vecchia_rows) {
  ONE_LOCATION;
  for (i32 k = 1; k < p->members; k++) {
    DEV_GLOBAL const real *a = OF_WORK(p->weight_at + p->first + k - 1, 1);
    LANE_LOOP(l) v[l] = -a[l];
    LANES_OUT(k, v)
  }
}
#endif
