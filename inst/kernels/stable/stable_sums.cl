/* stable_sums.cl: log likelihoods of stable distributions and their derivatives, summed up where the observations
 * stay: the steps before and after those of densities or slopes. `stored` has the observations, their weights, 0
 * where a place has none, and the columns of a regression; a task goes over all places for each distribution. Sums
 * are taken in an order that depends on the number of observations alone. */
#include "kernels/common/dialect.h"
#include "kernels/stable/stable_columns.h"
#include "kernels/common/elementary.h"

/* Columns of in: the standardised observations, and their weights. */
KERNEL(stable_observed) {
  OVER_POINTS;
  SET_OF_LANES(set);
  const i32 places = (i32)par[SUMS_PLACES], columns = (i32)par[SUMS_COLUMNS];
  i32 at[LANES];
  real rest[LANES];
  for (i32 l = 0; l < LANES; l++) at[l] = (i32)((offset + idx[l]) % places);
  LANE_LOOP(l) rest[l] = stored[at[l]];
  for (i32 k = 0; k < columns; k++) {
    DEV_GLOBAL const real *q = stored + (i64)(2 + k) * places;
    LANE_LOOP(l) rest[l] = rest[l] - q[at[l]] * SET_IN(OBSERVED_SET_COLUMNS + k, set[l]);
  }
  LANE_LOOP(l) {
    OUT(IN_X, idx[l]) = (rest[l] - SET_IN(SET_DELTA, set[l])) / SET_IN(SET_GAMMA, set[l]);
    OUT(IN_WEIGHT, idx[l]) = stored[(i64)places + at[l]];
  }
}

/* Item idx[l] has points first[l], first[l] + SUMS_ITEMS, ... They are few beside points: a column of work holds many
 * of their numbers. */
#define ITEM(c, i) WORK((c) / (segment / SUMS_ITEMS), (c) % (segment / SUMS_ITEMS) * items + (i))
#define OVER_ITEMS                                                                                           \
  const i32 segment = (i32)par[SUMS_SEGMENT], items = n / segment * SUMS_ITEMS;                              \
  i32 first[LANES];                                                                                          \
  OVER_(items);                                                                                              \
  for (i32 l = 0; l < LANES; l++) first[l] = idx[l] / SUMS_ITEMS * segment + idx[l] % SUMS_ITEMS

KERNEL(stable_likelihood_items) {
  OVER_ITEMS;
  real sum[LANES];
  LANE_LOOP(l) sum[l] = 0;
  for (i32 k = 0; k < segment; k += SUMS_ITEMS)
    LANE_LOOP(l) {
      const i32 i = first[l] + k;
      const real w = IN(IN_WEIGHT, i), term = w * WORK(POINT_LOG_F, i);
      sum[l] = sum[l] + (w > 0 ? term : K(0));
    }
  LANE_LOOP(l) ITEM(0, idx[l]) = sum[l];
}

/* Derivatives that are not known, or not finite where that counts as 0. */
DEV_FN real counted_slope(real d, flag counts, flag careful) {
  const flag dropped = careful & !(fabs(d) < INF_);
  return (counts & !dropped) ? d : K(0);
}
/* Is log f known and greater than -Inf, but not its derivatives? */
DEV_FN flag is_unknown(real log_f, real zz) { return (zz != zz) & (log_f != -INF_); }

KERNEL(stable_slope_items) {
  OVER_ITEMS;
  const flag careful = par[SUMS_CAREFUL] != 0;
  real sum[SLOPE_SUMS][LANES], unknown[LANES], where[LANES];
  OVER_FEW for (i32 j = 0; j < SLOPE_SUMS; j++) LANE_LOOP(l) sum[j][l] = 0;
  LANE_LOOP(l) {
    unknown[l] = 0;
    where[l] = 0;
  }
  for (i32 k = 0; k < segment; k += SUMS_ITEMS)
    LANE_LOOP(l) {
      const i32 i = first[l] + k;
      const real log_f = OUT(SLOPE_LOG_F, i), weight = IN(IN_WEIGHT, i);
      const flag there = weight > 0, lost = there & is_unknown(log_f, OUT(SLOPE_ZZ, i)), counts = there & !lost;
      const real w = counts ? weight : K(0), z = counts ? IN(IN_X, i) : K(0);
#define D(k) counted_slope(OUT(k, i), counts, careful)
      const real a = D(SLOPE_A), c = D(SLOPE_B), lz = D(SLOPE_Z), scale = -1 - z * lz;
      const real az = w * D(SLOPE_AZ), bz = w * D(SLOPE_BZ), zz = w * D(SLOPE_ZZ);
      const real wa = w * a, wc = w * c, wz = w * lz, ws = w * scale;
      sum[S_LOG_F][l] += w * (counts ? log_f : K(0));
      sum[S_A][l] += wa;
      sum[S_B][l] += wc;
      sum[S_Z][l] += wz;
      sum[S_ZZ1][l] += wz * z;
      sum[S_AA][l] += w * D(SLOPE_AA);
      sum[S_AB][l] += w * D(SLOPE_AB);
      sum[S_AZ][l] += az;
      sum[S_AZ1][l] += az * z;
      sum[S_BB][l] += w * D(SLOPE_BB);
      sum[S_BZ][l] += bz;
      sum[S_BZ1][l] += bz * z;
      sum[S_Z2][l] += zz;
      sum[S_Z21][l] += zz * z;
      sum[S_Z22][l] += zz * z * z;
      sum[S_PRODUCTS][l] += wa * a;
      sum[S_PRODUCTS + 1][l] += wa * c;
      sum[S_PRODUCTS + 2][l] += wa * scale;
      sum[S_PRODUCTS + 3][l] -= wa * lz;
      sum[S_PRODUCTS + 4][l] += wc * c;
      sum[S_PRODUCTS + 5][l] += wc * scale;
      sum[S_PRODUCTS + 6][l] -= wc * lz;
      sum[S_PRODUCTS + 7][l] += ws * scale;
      sum[S_PRODUCTS + 8][l] -= ws * lz;
      sum[S_PRODUCTS + 9][l] += wz * lz;
      unknown[l] += lost ? K(1) : K(0);
      where[l] = lost ? (real)k : where[l];
    }
  LANE_LOOP(l) {
    ITEM(0, idx[l]) = unknown[l];
    ITEM(1, idx[l]) = where[l];
  }
  OVER_FEW for (i32 j = 0; j < SLOPE_SUMS; j++) LANE_LOOP(l) ITEM(UNKNOWN_WORK + j, idx[l]) = sum[j][l];
}

/* Those of a regression: for each column, then for each two of them. */
KERNEL(stable_column_items) {
  OVER_ITEMS;
  const i32 places = (i32)par[SUMS_PLACES], columns = (i32)par[SUMS_COLUMNS];
  i32 at[LANES], to = UNKNOWN_WORK + SLOPE_SUMS;
  for (i32 l = 0; l < LANES; l++) at[l] = (i32)((offset + first[l]) % places);
  for (i32 j = 0; j < columns; j++, to += COLUMN_SUMS) {
    DEV_GLOBAL const real *q = stored + (i64)(2 + j) * places;
    real sum[COLUMN_SUMS][LANES];
    OVER_FEW for (i32 c = 0; c < COLUMN_SUMS; c++) LANE_LOOP(l) sum[c][l] = 0;
    for (i32 k = 0; k < segment; k += SUMS_ITEMS)
      LANE_LOOP(l) {
        const i32 i = first[l] + k;
        const real weight = IN(IN_WEIGHT, i), zz = OUT(SLOPE_ZZ, i);
        const flag counts = (weight > 0) & !is_unknown(OUT(SLOPE_LOG_F, i), zz);
        const real w = counts ? weight * q[at[l] + k] : K(0), z = counts ? IN(IN_X, i) : K(0);
        const real lz = counted_slope(OUT(SLOPE_Z, i), counts, 1), second = counted_slope(zz, counts, 1);
        sum[C_Z][l] += w * lz;
        sum[C_AZ][l] += w * counted_slope(OUT(SLOPE_AZ, i), counts, 1);
        sum[C_BZ][l] += w * counted_slope(OUT(SLOPE_BZ, i), counts, 1);
        sum[C_Z1][l] += w * (lz + z * second);
        sum[C_ZZ][l] += w * second;
        sum[C_SCORES][l] += w * lz * counted_slope(OUT(SLOPE_A, i), counts, 1);
        sum[C_SCORES + 1][l] += w * lz * counted_slope(OUT(SLOPE_B, i), counts, 1);
        sum[C_SCORES + 2][l] += w * lz * (-1 - z * lz);
        sum[C_SCORES + 3][l] += w * lz * lz;
      }
    OVER_FEW for (i32 c = 0; c < COLUMN_SUMS; c++) LANE_LOOP(l) ITEM(to + c, idx[l]) = sum[c][l];
  }
  for (i32 j = 0; j < columns; j++)
    for (i32 h = 0; h <= j; h++, to += PAIR_SUMS) {
      DEV_GLOBAL const real *q = stored + (i64)(2 + j) * places, *p = stored + (i64)(2 + h) * places;
      real second[LANES], squares[LANES];
      LANE_LOOP(l) second[l] = squares[l] = 0;
      for (i32 k = 0; k < segment; k += SUMS_ITEMS)
        LANE_LOOP(l) {
          const i32 i = first[l] + k;
          const real weight = IN(IN_WEIGHT, i), zz = OUT(SLOPE_ZZ, i);
          const flag counts = (weight > 0) & !is_unknown(OUT(SLOPE_LOG_F, i), zz);
          const real w = counts ? weight * (q[at[l] + k] * p[at[l] + k]) : K(0);
          const real lz = counted_slope(OUT(SLOPE_Z, i), counts, 1);
          second[l] += w * counted_slope(zz, counts, 1);
          squares[l] += w * lz * lz;
        }
      LANE_LOOP(l) {
        ITEM(to, idx[l]) = second[l];
        ITEM(to + 1, idx[l]) = squares[l];
      }
    }
}

/* Over the items of each segment; what rounding takes is carried along (src/engine/exact_sum.h). Item of a segment's
 * count of points without derivatives: lists their places, of those alone in an item. */
KERNEL(stable_segments) {
  const i32 segment = (i32)par[SUMS_SEGMENT], numbers = (i32)par[SUMS_NUMBERS];
  const i32 items = n / segment * SUMS_ITEMS;
  i32 from[LANES], column[LANES], whose[LANES];
  real sum[LANES], lost[LANES];
  OVER_(n / segment * numbers);
  for (i32 l = 0; l < LANES; l++) {
    whose[l] = idx[l] % numbers;
    column[l] = whose[l] < SLOPE_FIRST ? 0 : whose[l] - SLOPE_FIRST + UNKNOWN_WORK;
    from[l] = idx[l] / numbers * SUMS_ITEMS;
  }
  LANE_LOOP(l) sum[l] = lost[l] = 0;
  for (i32 k = 0; k < SUMS_ITEMS; k++)
    LANE_LOOP(l) {
      const real x = ITEM(column[l], from[l] + k), next = sum[l] + x, added = next - sum[l];
      lost[l] = lost[l] + ((sum[l] - (next - added)) + (x - added));
      sum[l] = next;
    }
  LANE_LOOP(l) sum[l] = fabs(lost[l]) < INF_ ? sum[l] + lost[l] : sum[l];
  for (i32 l = 0; l < LANES; l++) {
    if (!live(l) || (whose[l] > 0 && whose[l] < SLOPE_FIRST)) continue;
    OUT(0, idx[l]) = sum[l];
    if (whose[l] > 0 || numbers == 1) continue;
    i32 found = 0;
    for (i32 k = 0; k < SUMS_ITEMS && sum[l] > found && found < UNKNOWN_PLACES; k++)
      if (ITEM(0, from[l] + k) == 1) OUT(0, idx[l] + ++found) = ITEM(1, from[l] + k) + k;
    while (found < UNKNOWN_PLACES) OUT(0, idx[l] + ++found) = -1;
  }
}
