/* curve.c: see curve.h. */
#include "gp/curve.h"

#include <math.h>
#include <stdlib.h>

/* The bits of v with two free places after each. */
static uint64_t spread(uint64_t v) {
  v = (v | v << 32) & 0x1f00000000ffffu;
  v = (v | v << 16) & 0x1f0000ff0000ffu;
  v = (v | v << 8) & 0x100f00f00f00f00fu;
  v = (v | v << 4) & 0x10c30c30c30c30c3u;
  return (v | v << 2) & 0x1249249249249249u;
}

typedef struct {
  uint64_t key;
  int32_t location;
} keyed;

status gp_curve(int dim, int64_t n, const double *x, int64_t first, int32_t *from) {
  keyed *now = malloc((size_t)n * 2 * sizeof *now + 1), *next = now + n;
  if (!now) return fail(STATUS_MEMORY, "no memory to sort %lld locations", (long long)n);
  for (int64_t i = 0; i < n; i++) now[i] = (keyed){i < first ? 0 : (uint64_t)1 << 63, (int32_t)i};
  for (int d = 0; d < dim && d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) low = fmin(low, x[d * n + i]), high = fmax(high, x[d * n + i]);
    const double unit = high > low ? 0x1fffff / (high - low) : 0; /* 21 bits */
    for (int64_t i = 0; i < n; i++) now[i].key |= spread((uint64_t)((x[d * n + i] - low) * unit)) << d;
  }
  for (int shift = 0; shift < 64; shift += 8) { /* stable, and so the same anywhere */
    int64_t place[257] = {0};
    for (int64_t i = 0; i < n; i++) place[(now[i].key >> shift & 255) + 1]++;
    for (int k = 0; k < 256; k++) place[k + 1] += place[k];
    for (int64_t i = 0; i < n; i++) next[place[now[i].key >> shift & 255]++] = now[i];
    keyed *const other = now;
    now = next;
    next = other;
  }
  for (int64_t i = 0; i < n; i++) from[i] = now[i].location;
  free(now); /* an even number of passes */
  return STATUS_OK;
}

status gp_rank_classes(int dim, int64_t n, const double *x, int32_t *order) {
  int32_t *from = malloc(((size_t)n + 1) * 3 * sizeof *from), *of = from + n, *next = of + n;
  status st = from ? gp_curve(dim, n, x, 0, from)
                   : fail(STATUS_MEMORY, "no memory to sort %lld locations", (long long)n);
  if (!st) {
    for (int64_t first = 0, end; first < n; first = end) {
      end = first + 1 + first / 10;
      if (end > n) end = n;
      for (int64_t k = first; k < end; k++) of[order[k]] = (int32_t)first;
      next[first] = (int32_t)first;
    }
    for (int64_t i = 0; i < n; i++) order[next[of[from[i]]]++] = from[i];
  }
  free(from);
  return st;
}
