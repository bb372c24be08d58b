/* columns_program.h: products, solutions and factors of laplace.h, columns side by side, as laplace_columns in
 * laplace_levels.h has them, for one instruction set: configure has it compiled by src/engine/cpu_program.c for each.
 * Nothing is fused, so that results are the same for all of them. */
#include "gp/laplace_levels.h"

/* A row of a block in registers, of P packs, or one number after the other. */
enum { P = LAPLACE_WIDE / PACK };
#define PACKS(t, value)                                                                                      \
  UNROLLED for (i32 p = 0; p < P; p++) t[p] = value;
#define ROW_IN(from) pack_in((from) + p * PACK)
#define ROW_OUT(to, value)                                                                                   \
  UNROLLED for (i32 p = 0; p < P; p++) pack_out(value, (to) + p * PACK);

static void wide_product(const laplace_system *a, const real *x, real *out) {
  const laplace_pattern *at = &a->at;
  for (int64_t i = 0; i < at->n; i++) {
    const real w = a->w ? a->w[i] : 0;
    ROW_OUT(out + i * LAPLACE_WIDE, a->w ? w * ROW_IN(x + i * LAPLACE_WIDE) : PACK_ZERO)
  }
  for (int64_t k = 0; k < at->n; k++) {
    pack t[P];
    real *own = out + k * LAPLACE_WIDE;
    PACKS(t, ROW_IN(x + k * LAPLACE_WIDE))
    for (int32_t q = at->start[k]; q < at->start[k + 1]; q++) {
      const real *other = x + (int64_t)at->near[q] * LAPLACE_WIDE;
      PACKS(t, t[p] - a->weights[q] * ROW_IN(other))
    }
    PACKS(t, t[p] / a->variance[k])
    ROW_OUT(own, ROW_IN(own) + t[p])
    for (int32_t q = at->start[k]; q < at->start[k + 1]; q++) {
      real *other = out + (int64_t)at->near[q] * LAPLACE_WIDE;
      ROW_OUT(other, ROW_IN(other) - a->weights[q] * t[p])
    }
    for (int32_t q = at->start[k]; a->coupling && q < at->start[k + 1]; q++) {
      const int64_t i = (int64_t)at->near[q] * LAPLACE_WIDE;
      ROW_OUT(own, ROW_IN(own) + a->coupling[q] * ROW_IN(x + i))
      ROW_OUT(out + i, ROW_IN(out + i) + a->coupling[q] * ROW_IN(x + k * LAPLACE_WIDE))
    }
  }
}

static void wide_lower(const laplace_pattern *at, laplace_factor v, real *x) {
  for (int64_t k = 0; k < at->n; k++) {
    pack t[P];
    PACKS(t, ROW_IN(x + k * LAPLACE_WIDE))
    for (int32_t q = at->start[k]; q < at->start[k + 1]; q++) {
      const real *other = x + (int64_t)at->near[q] * LAPLACE_WIDE;
      PACKS(t, t[p] - v.below[q] * ROW_IN(other))
    }
    ROW_OUT(x + k * LAPLACE_WIDE, t[p] / v.diagonal[k])
  }
}

static void wide_upper(const laplace_pattern *at, laplace_factor v, real *x) {
  for (int64_t k = at->n - 1; k >= 0; k--) {
    pack t[P];
    PACKS(t, ROW_IN(x + k * LAPLACE_WIDE) / v.diagonal[k])
    ROW_OUT(x + k * LAPLACE_WIDE, t[p])
    for (int32_t q = at->start[k]; q < at->start[k + 1]; q++) {
      real *other = x + (int64_t)at->near[q] * LAPLACE_WIDE;
      ROW_OUT(other, ROW_IN(other) - v.below[q] * t[p])
    }
  }
}

static void wide_moved(const laplace_system *a, laplace_system slope, const real *x, real *out) {
  const laplace_pattern *at = &a->at;
  memset(out, 0, (size_t)(at->n * LAPLACE_WIDE) * sizeof *out);
  for (int64_t k = 0; k < at->n; k++) {
    pack t[P], moved[P];
    PACKS(t, ROW_IN(x + k * LAPLACE_WIDE))
    PACKS(moved, PACK_ZERO)
    for (int32_t q = at->start[k]; q < at->start[k + 1]; q++) {
      const real *other = x + (int64_t)at->near[q] * LAPLACE_WIDE;
      PACKS(t, t[p] - a->weights[q] * ROW_IN(other))
      PACKS(moved, moved[p] - slope.weights[q] * ROW_IN(other))
    }
    PACKS(t, t[p] / a->variance[k])
    PACKS(moved, (moved[p] - slope.variance[k] * t[p]) / a->variance[k])
    ROW_OUT(out + k * LAPLACE_WIDE, ROW_IN(out + k * LAPLACE_WIDE) + moved[p])
    for (int32_t q = at->start[k]; q < at->start[k + 1]; q++) {
      real *other = out + (int64_t)at->near[q] * LAPLACE_WIDE;
      ROW_OUT(other, ROW_IN(other) - (a->weights[q] * moved[p] + slope.weights[q] * t[p]))
    }
  }
}

/* ---- a row ---- */

/* Neighbours are often one after the other, as all before a location are. */
static void eliminate(const laplace_pattern *at, int64_t k, real *diagonal, real *below, const real *b, const real *v,
                      const real *both) {
  for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
    const int32_t i = at->near[p], first = at->start[i], count = at->start[i + 1] - first;
    const int32_t *near = at->near + first;
    real *to = below + first;
    int32_t q = 0;
    diagonal[i] += (b[i] - v[i]) * (b[i] + v[i]);
    if (count > 0 && near[count - 1] - near[0] == count - 1)
      for (; q + PACK <= count; q += PACK)
        pack_out(pack_in(to + q) + (b[i] * pack_in(b + near[0] + q) - v[i] * pack_in(v + near[0] + q)), to + q);
    for (; q < count; q++) {
      const real *other = both + 2 * (int64_t)near[q];
      to[q] += b[i] * other[0] - v[i] * other[1];
    }
  }
}

static void add(int64_t n, real by, const real *x, real *y) {
  int64_t i = 0;
  for (; i + PACK <= n; i += PACK) pack_out(pack_in(y + i) + by * pack_in(x + i), y + i);
  for (; i < n; i++) y[i] += by * x[i];
}

/* ---- few columns ---- */

DEV_FN void few_product(const laplace_system *a, const real *x, real *out, const int wide) {
  const laplace_pattern *at = &a->at;
  for (int64_t i = 0; i < at->n * wide; i++) out[i] = a->w ? a->w[i / wide] * x[i] : 0;
  for (int64_t k = 0; k < at->n; k++) {
    real t[LAPLACE_WIDE];
    for (int c = 0; c < wide; c++) t[c] = x[k * wide + c];
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      const real *other = x + (int64_t)at->near[p] * wide;
      for (int c = 0; c < wide; c++) t[c] -= a->weights[p] * other[c];
    }
    for (int c = 0; c < wide; c++) t[c] /= a->variance[k];
    for (int c = 0; c < wide; c++) out[k * wide + c] += t[c];
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      real *other = out + (int64_t)at->near[p] * wide;
      for (int c = 0; c < wide; c++) other[c] -= a->weights[p] * t[c];
    }
    for (int32_t p = at->start[k]; a->coupling && p < at->start[k + 1]; p++) {
      const int64_t i = (int64_t)at->near[p] * wide;
      for (int c = 0; c < wide; c++) {
        out[k * wide + c] += a->coupling[p] * x[i + c];
        out[i + c] += a->coupling[p] * x[k * wide + c];
      }
    }
  }
}

DEV_FN void few_lower(const laplace_pattern *at, laplace_factor v, real *x, const int wide) {
  for (int64_t k = 0; k < at->n; k++) {
    real t[LAPLACE_WIDE];
    for (int c = 0; c < wide; c++) t[c] = x[k * wide + c];
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      const real *other = x + (int64_t)at->near[p] * wide;
      for (int c = 0; c < wide; c++) t[c] -= v.below[p] * other[c];
    }
    for (int c = 0; c < wide; c++) x[k * wide + c] = t[c] / v.diagonal[k];
  }
}

DEV_FN void few_upper(const laplace_pattern *at, laplace_factor v, real *x, const int wide) {
  for (int64_t k = at->n - 1; k >= 0; k--) {
    real t[LAPLACE_WIDE];
    for (int c = 0; c < wide; c++) t[c] = x[k * wide + c] /= v.diagonal[k];
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      real *other = x + (int64_t)at->near[p] * wide;
      for (int c = 0; c < wide; c++) other[c] -= v.below[p] * t[c];
    }
  }
}

DEV_FN void few_moved(const laplace_system *a, laplace_system slope, const real *x, real *out, const int wide) {
  const laplace_pattern *at = &a->at;
  memset(out, 0, (size_t)(at->n * wide) * sizeof *out);
  for (int64_t k = 0; k < at->n; k++) {
    real t[LAPLACE_WIDE], moved[LAPLACE_WIDE];
    for (int c = 0; c < wide; c++) t[c] = x[k * wide + c], moved[c] = 0;
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      const real *other = x + (int64_t)at->near[p] * wide;
      for (int c = 0; c < wide; c++) t[c] -= a->weights[p] * other[c], moved[c] -= slope.weights[p] * other[c];
    }
    for (int c = 0; c < wide; c++) {
      t[c] /= a->variance[k];
      moved[c] = (moved[c] - slope.variance[k] * t[c]) / a->variance[k];
      out[k * wide + c] += moved[c];
    }
    for (int32_t p = at->start[k]; p < at->start[k + 1]; p++) {
      real *other = out + (int64_t)at->near[p] * wide;
      for (int c = 0; c < wide; c++) other[c] -= a->weights[p] * moved[c] + slope.weights[p] * t[c];
    }
  }
}

/* Calls one of these with the width as a constant. */
#define OF_WIDTH(wide, name, ...)                                                                            \
  switch (wide) {                                                                                            \
    case 1: few_##name(__VA_ARGS__, 1); break;                                                               \
    case 2: few_##name(__VA_ARGS__, 2); break;                                                               \
    case 4: few_##name(__VA_ARGS__, 4); break;                                                               \
    default: wide_##name(__VA_ARGS__);                                                                       \
  }

static void product(const laplace_system *a, const real *x, real *out, int wide) {
  OF_WIDTH(wide, product, a, x, out)
}
static void lower(const laplace_pattern *at, laplace_factor v, real *x, int wide) {
  OF_WIDTH(wide, lower, at, v, x)
}
static void upper(const laplace_pattern *at, laplace_factor v, real *x, int wide) {
  OF_WIDTH(wide, upper, at, v, x)
}
static void moved(const laplace_system *a, laplace_system slope, const real *x, real *out, int wide) {
  OF_WIDTH(wide, moved, a, slope, x, out)
}

const laplace_columns LAPLACE_COLUMNS(CPU_LEVEL) = {product, lower, upper, eliminate, moved, add};
