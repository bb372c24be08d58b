/* dense.cl: Cholesky factors, solutions and inverses of packed matrices, as src/dense/dense.h has them, by
 * cooperative kernels: a group for a tile of 64 x 64. A work-item keeps 4 x 4 elements of it in registers, or in
 * products 8 x 8, so that neighbours read and write neighbouring numbers; what a product takes of other tiles passes
 * through memory that the group shares.
 *
 * n: rows; m: rows of tiles; at: the row or column of tiles at work; a: the matrix; b: right-hand sides, or tiles.
 * Sums are in one order, and fused where the hardware does that. Beyond the matrix there is a diagonal of ones, which
 * takes no part. */
#include "kernels/common/elementary.h"
#include "kernels/dense/dense_par.h"

enum { T = TILE_SIDE, TILE = T * T, SIDE = 16, PER = 4, OWNED = PER * PER, SLAB = 16, APART = T + 1 };

/* Element 4 q + p of work-item i. */
#define ROW(i, p) ((i) % SIDE + SIDE * (p))
#define COLUMN(i, q) ((i) / SIDE + SIDE * (q))
#define EACH_OWN                                                                                             \
  UNROLLED for (i32 q = 0; q < PER; q++)                                                                     \
    UNROLLED for (i32 p = 0; p < PER; p++)

DEV_FN DEV_GLOBAL real *tile_of(DEV_GLOBAL real *a, i32 m, i32 row, i32 column) {
  return a + ((i64)column * m - (i64)column * (column - 1) / 2 + row - column) * TILE;
}

DEV_FN void tile_in(DEV_GLOBAL const real *c, real (*own)[OWNED]) {
  GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN own[OWN(i)][4 * q + p] = c[COLUMN(i, q) * T + ROW(i, p)];
}

DEV_FN void tile_out(real (*own)[OWNED], real sign, DEV_GLOBAL real *c) {
  GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN c[COLUMN(i, q) * T + ROW(i, p)] = sign * own[OWN(i)][4 * q + p];
}

/* Products of tiles: a work-item of PRODUCT_ITEMS keeps SPAN x SPAN elements, in rows and columns ACROSS apart. Of
 * TERMS terms at a time the factors pass through shared memory, in one half of it while those to come are on their
 * way, so that each time has one barrier. */
enum { SPAN = FEW_REGISTERS ? 4 : 8, KEPT = SPAN * SPAN, ACROSS = T / SPAN, PRODUCT_ITEMS = ACROSS * ACROSS };
enum { TERMS = 32 / SPAN, FETCHED = TERMS * T / PRODUCT_ITEMS, STAGED_PRODUCT = 4 * TERMS * T };
#if FEW_REGISTERS
#define OVER_TERMS ROLLED
#else
#define OVER_TERMS OVER_FEW
#endif
#define PRODUCT_KERNEL(name) GROUP_KERNEL_OF(PRODUCT_ITEMS, name, STAGED_PRODUCT)
/* Element SPAN q + p of work-item i. */
#define KEPT_ROW(i, p) ((i) % ACROSS + ACROSS * (p))
#define KEPT_COLUMN(i, q) ((i) / ACROSS + ACROSS * (q))
#define EACH_KEPT                                                                                            \
  OVER_FEW for (i32 q = 0; q < SPAN; q++)                                                                    \
    OVER_FEW for (i32 p = 0; p < SPAN; p++)
#define PRODUCT_LOOP(i) ITEM_LOOP(i, PRODUCT_ITEMS)
#define PRODUCT_OWN GROUP_OWN_OF(PRODUCT_ITEMS)

DEV_FN void sums_in(DEV_GLOBAL const real *c, real (*own)[KEPT]) {
  PRODUCT_LOOP(i) {
    DEV_GLOBAL const real *from = c + (KEPT_COLUMN(i, 0) * T + KEPT_ROW(i, 0));
    EACH_KEPT own[OWN(i)][SPAN * q + p] = from[ACROSS * (q * T + p)];
  }
}

DEV_FN void sums_out(real (*own)[KEPT], real sign, DEV_GLOBAL real *c) {
  PRODUCT_LOOP(i) {
    DEV_GLOBAL real *to = c + (KEPT_COLUMN(i, 0) * T + KEPT_ROW(i, 0));
    EACH_KEPT to[ACROSS * (q * T + p)] = sign * own[OWN(i)][SPAN * q + p];
  }
}

DEV_FN void nothing_in(real (*own)[KEPT]) {
  PRODUCT_LOOP(i) EACH_KEPT own[OWN(i)][SPAN * q + p] = 0;
}

/* A factor of a product: its terms are columns or rows of a tile, or rows of right-hand sides, of which there are
 * `rows` rows and `columns` columns, `apart` numbers apart, from `first` on. */
typedef struct {
  DEV_GLOBAL const real *first;
  flag by_columns;
  i32 apart, rows, columns;
} factor;
DEV_FN factor columns_of(DEV_GLOBAL const real *tile) {
  const factor f = {tile, 1, T, T, T};
  return f;
}
DEV_FN factor rows_of(DEV_GLOBAL const real *tile) {
  const factor f = {tile, 0, T, T, T};
  return f;
}

/* What work-item i brings of terms first, first + 1, ..., and where that is in shared memory, element r of term k at
 * k T + r. */
DEV_FN void fetch(factor f, i32 first, i32 i, real *fetched) {
  OVER_FEW for (i32 k = 0; k < FETCHED; k++) {
    const i32 r = i % T, term = first + i / T * FETCHED + k;
    const flag there = f.by_columns | ((r < f.columns) & (term < f.rows));
    const i64 at = f.by_columns ? first * T + i + PRODUCT_ITEMS * k : (i64)r * f.apart + term;
    fetched[k] = there ? f.first[at] : 0;
  }
}
DEV_FN void put(const real *fetched, flag columns, i32 i, real sign, DEV_LOCAL real *staged) {
  OVER_FEW for (i32 k = 0; k < FETCHED; k++)
    staged[columns ? i + PRODUCT_ITEMS * k : (i / T * FETCHED + k) * T + i % T] = sign * fetched[k];
}

/* own - sum over k of a(r, k) b(k, c). All of both tiles is read before the last barrier: what follows may write to
 * one that no other group reads. */
DEV_FN void less_product(factor a, factor b, DEV_LOCAL real *staged, real (*own)[KEPT]) {
  real x_next[PRODUCT_OWN][FETCHED], y_next[PRODUCT_OWN][FETCHED];
  PRODUCT_LOOP(i) {
    fetch(a, 0, i, x_next[OWN(i)]);
    fetch(b, 0, i, y_next[OWN(i)]);
  }
  ROLLED for (i32 first = 0; first < T; first += TERMS) {
    DEV_LOCAL real *x = staged + first / TERMS % 2 * (2 * TERMS * T), *y = x + TERMS * T;
    PRODUCT_LOOP(i) {
      put(x_next[OWN(i)], a.by_columns, i, -1, x);
      put(y_next[OWN(i)], b.by_columns, i, 1, y);
    }
    GROUP_BARRIER;
    if (first + TERMS < T)
      PRODUCT_LOOP(i) {
        fetch(a, first + TERMS, i, x_next[OWN(i)]);
        fetch(b, first + TERMS, i, y_next[OWN(i)]);
      }
    PRODUCT_LOOP(i) {
      OVER_TERMS for (i32 k = 0; k < TERMS; k++) {
        real v[SPAN], w[SPAN];
        OVER_FEW for (i32 p = 0; p < SPAN; p++) v[p] = x[k * T + KEPT_ROW(i, p)];
        OVER_FEW for (i32 q = 0; q < SPAN; q++) w[q] = y[k * T + KEPT_COLUMN(i, q)];
        EACH_KEPT own[OWN(i)][SPAN * q + p] = FMA(v[p], w[q], own[OWN(i)][SPAN * q + p]);
      }
    }
  }
}

/* Tile number k, by rows, of the lower triangle of tiles. */
DEV_FN void place_by_rows(i32 k, i32 *row, i32 *column) {
  i32 r = (i32)((sqrt(K(8) * (real)k + 1) - 1) / 2);
  while (r * (r + 1) / 2 > k) r--;
  while ((r + 1) * (r + 2) / 2 <= k) r++;
  *row = r;
  *column = k - r * (r + 1) / 2;
}

/* Tile number k, by columns, of the triangle of tiles from (first, first) on: by rows, seen from the end. */
DEV_FN void triangle_place(i32 k, i32 m, i32 first, i32 *row, i32 *column) {
  const i32 side = m - first;
  place_by_rows(side * (side + 1) / 2 - 1 - k, column, row);
  *column = m - 1 - *column;
  *row = m - 1 - *row;
}

/* Tile (at, at) becomes its factor. Step k: its column k is divided by the pivot's root and taken from those to its
 * right. found[0]: the first row of the matrix, from 1, with a pivot that is not above that row's number in b. */
GROUP_KERNEL(dense_factor, T + 1) {
  DEV_GLOBAL real *c = tile_of(a, m, at, at);
  real own[GROUP_OWN][OWNED];
  i32 bad = 0;
  GROUP_UNUSED;
  tile_in(c, own);
  UNROLLED for (i32 h = 0; h < PER; h++)
    for (i32 s = 0; s < SIDE; s++) {
      const i32 k = SIDE * h + s;
      GROUP_LOOP(i, GROUP_ITEMS) if (i == s * (SIDE + 1)) staged[T] = own[OWN(i)][4 * h + h];
      GROUP_BARRIER;
      const real pivot = staged[T], root = sqrt(pivot);
      bad = bad == 0 && !(pivot > b[at * T + k] && pivot < INF_) ? k + 1 : bad;
      GROUP_LOOP(i, GROUP_ITEMS)
        if (i / SIDE == s)
          UNROLLED for (i32 p = 0; p < PER; p++) {
            const real x = ROW(i, p) < k ? 0 : own[OWN(i)][4 * h + p] / root;
            own[OWN(i)][4 * h + p] = staged[ROW(i, p)] = x;
          }
      GROUP_BARRIER;
      GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN {
        const real x = own[OWN(i)][4 * q + p];
        own[OWN(i)][4 * q + p] = COLUMN(i, q) > k ? FMA(-staged[ROW(i, p)], staged[COLUMN(i, q)], x) : x;
      }
    }
  GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN c[COLUMN(i, q) * T + ROW(i, p)] =
      ROW(i, p) < COLUMN(i, q) ? 0 : own[OWN(i)][4 * q + p];
  GROUP_LOOP(i, 1) if (bad && !found[0]) found[0] = at * T + bad;
}

/* Tile (at + 1 + group, at), c, becomes c inv(l)', l the factor (at, at). */
GROUP_KERNEL(dense_divide, 4 * T) {
  DEV_GLOBAL const real *l = tile_of(a, m, at, at);
  DEV_GLOBAL real *c = tile_of(a, m, at + 1 + group, at);
  real own[GROUP_OWN][OWNED];
  GROUP_UNUSED;
  tile_in(c, own);
  UNROLLED for (i32 h = 0; h < PER; h++)
    for (i32 s = 0; s < SIDE; s++) {
      const i32 k = SIDE * h + s;
      DEV_LOCAL real *x = staged + k % 2 * (2 * T), *y = x + T; /* not those that others may still read */
      GROUP_LOOP(i, GROUP_ITEMS) {
        if (i / SIDE == s)
          UNROLLED for (i32 p = 0; p < PER; p++)
            x[ROW(i, p)] = own[OWN(i)][4 * h + p] = own[OWN(i)][4 * h + p] / l[k * T + k];
        if (i < T) y[i] = l[k * T + i];
      }
      GROUP_BARRIER;
      GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN {
        const real z = own[OWN(i)][4 * q + p];
        own[OWN(i)][4 * q + p] = COLUMN(i, q) > k ? FMA(-x[ROW(i, p)], y[COLUMN(i, q)], z) : z;
      }
    }
  tile_out(own, 1, c);
}

/* Tile number group, by columns, of the triangle from (at, at) on, less the products of columns from ... to - 1. */
PRODUCT_KERNEL(dense_update) {
  real own[PRODUCT_OWN][KEPT];
  i32 row, column;
  GROUP_UNUSED;
  triangle_place(group, m, at, &row, &column);
  DEV_GLOBAL real *c = tile_of(a, m, row, column);
  sums_in(c, own);
  for (i32 k = from; k < to; k++)
    less_product(columns_of(tile_of(a, m, row, k)), columns_of(tile_of(a, m, column, k)), staged, own);
  sums_out(own, 1, c);
}

/* Right-hand sides: a group has SOLVED_COLUMNS columns, and a work-item one row of four of them. */
enum { STRIP = SOLVED_COLUMNS / PER };
#define STRIP_ROW(i) ((i) % T)
#define STRIP_COLUMN(i, q) ((i) / T * STRIP + (q))
#define EACH_STRIP UNROLLED for (i32 q = 0; q < STRIP; q++)

DEV_FN real rhs_in(DEV_GLOBAL const real *b, i32 n, i32 columns, i32 row, i32 column) {
  return row < n && column < columns ? b[(i64)column * n + row] : 0;
}

DEV_FN void strip_in(DEV_GLOBAL const real *b, i32 n, i32 columns, i32 row, i32 column, real (*own)[STRIP]) {
  GROUP_LOOP(i, GROUP_ITEMS) EACH_STRIP
    own[OWN(i)][q] = rhs_in(b, n, columns, row + STRIP_ROW(i), column + STRIP_COLUMN(i, q));
}

DEV_FN void strip_out(real (*own)[STRIP], real sign, DEV_GLOBAL real *b, i32 n, i32 columns, i32 row, i32 column) {
  GROUP_LOOP(i, GROUP_ITEMS) EACH_STRIP
    if (row + STRIP_ROW(i) < n && column + STRIP_COLUMN(i, q) < columns)
      b[(i64)(column + STRIP_COLUMN(i, q)) * n + row + STRIP_ROW(i)] = sign * own[OWN(i)][q];
}

/* Of terms first, first + 1, ... of a product, element r of term k, at k T + r of a tile by terms, else at r T + k.
 */
DEV_FN void stage(DEV_GLOBAL const real *a, flag by_terms, i32 first, DEV_LOCAL real *staged) {
  GROUP_LOOP(e, SLAB * T) {
    const i32 k = by_terms ? e / T : e % SLAB, r = by_terms ? e % T : e / SLAB;
    staged[k * APART + r] = a[by_terms ? (first + k) * T + r : r * T + first + k];
  }
}

/* own - the product of a tile, as less_product() has the first, with T rows of b from `row` on. */
enum { STAGED_STRIP = SLAB * APART + T * SOLVED_COLUMNS };
DEV_FN void less_strip(DEV_GLOBAL const real *l, flag by_terms, DEV_GLOBAL const real *b, i32 n, i32 columns, i32 row,
                       i32 column, DEV_LOCAL real *staged, real (*own)[STRIP]) {
  DEV_LOCAL real *x = staged + SLAB * APART;
  for (i32 slab = 0; slab < T; slab += SLAB) {
    GROUP_BARRIER;
    if (slab == 0)
      GROUP_LOOP(e, T * SOLVED_COLUMNS) x[e] = rhs_in(b, n, columns, row + e % T, column + e / T);
    stage(l, by_terms, slab, staged);
    GROUP_BARRIER;
    GROUP_LOOP(i, GROUP_ITEMS)
      for (i32 k = 0; k < SLAB; k++) {
        const real w = -staged[k * APART + STRIP_ROW(i)];
        EACH_STRIP own[OWN(i)][q] = FMA(w, x[STRIP_COLUMN(i, q) * T + slab + k], own[OWN(i)][q]);
      }
  }
}

/* Rows of tile `at` of b, of which all other unknowns have been taken, are solved for. */
GROUP_KERNEL(dense_solve_tile, 2 * SOLVED_COLUMNS) {
  DEV_GLOBAL const real *l = tile_of(a, m, at, at);
  const i32 first = group * SOLVED_COLUMNS;
  real own[GROUP_OWN][STRIP];
  GROUP_UNUSED;
  strip_in(b, n, columns, at * T, first, own);
  for (i32 s = 0; s < T; s++) {
    const i32 k = transposed ? T - 1 - s : s;
    DEV_LOCAL real *x = staged + s % 2 * SOLVED_COLUMNS;
    GROUP_LOOP(i, GROUP_ITEMS)
      if (STRIP_ROW(i) == k)
        EACH_STRIP x[STRIP_COLUMN(i, q)] = own[OWN(i)][q] = own[OWN(i)][q] / l[k * T + k];
    GROUP_BARRIER;
    GROUP_LOOP(i, GROUP_ITEMS) {
      const i32 r = STRIP_ROW(i);
      const flag below = transposed ? r < k : r > k;
      const real w = l[transposed ? r * T + k : k * T + r];
      EACH_STRIP own[OWN(i)][q] = below ? FMA(-w, x[STRIP_COLUMN(i, q)], own[OWN(i)][q]) : own[OWN(i)][q];
    }
  }
  strip_out(own, 1, b, n, columns, at * T, first);
}

/* The solution of tile `at` times l, or l', is taken from b in the tiles behind it, or before it. */
GROUP_KERNEL(dense_solve_rest, STAGED_STRIP) {
  const i32 targets = transposed ? at : m - 1 - at, first = group / targets * SOLVED_COLUMNS;
  const i32 target = group % targets + (transposed ? 0 : at + 1);
  DEV_GLOBAL const real *l = transposed ? tile_of(a, m, at, target) : tile_of(a, m, target, at);
  real own[GROUP_OWN][STRIP];
  GROUP_UNUSED;
  strip_in(b, n, columns, target * T, first, own);
  less_strip(l, !transposed, b, n, columns, at * T, first, staged, own);
  strip_out(own, 1, b, n, columns, target * T, first);
}

/* The same for T right-hand sides a group, of T and more: tiles at, at + 1, ... of b are less what tiles from ... to
 * - 1 of the solution give, or, where it is with the transpose, tiles to - 1 ... from. */
DEV_FN void less_solution(flag with_transposed, i32 group, i32 n, i32 m, i32 at, i32 from, i32 to, i32 columns,
                          DEV_GLOBAL real *a, DEV_GLOBAL real *b, DEV_LOCAL real *staged) {
  const i32 blocks = (columns + T - 1) / T, target = at + group / blocks, first = group % blocks * T;
  const i32 rows = n - target * T, left = columns - first; /* what is beyond them is read and not written */
  DEV_GLOBAL real *c = b + (i64)first * n + target * T;
  real own[PRODUCT_OWN][KEPT];
  PRODUCT_LOOP(i) EACH_KEPT {
    const i32 r = KEPT_ROW(i, p), s = KEPT_COLUMN(i, q);
    own[OWN(i)][SPAN * q + p] = c[(i64)(s < left ? s : 0) * n + (r < rows ? r : 0)];
  }
  for (i32 step = from; step < to; step++) {
    const i32 k = with_transposed ? from + to - 1 - step : step;
    const factor x = {b + (i64)first * n + k * T, 0, n, n - k * T, left};
    const factor l = with_transposed ? rows_of(tile_of(a, m, k, target)) : columns_of(tile_of(a, m, target, k));
    less_product(l, x, staged, own);
  }
  PRODUCT_LOOP(i) EACH_KEPT {
    const i32 r = KEPT_ROW(i, p), s = KEPT_COLUMN(i, q);
    if (r < rows && s < left) c[(i64)s * n + r] = own[OWN(i)][SPAN * q + p];
  }
}

PRODUCT_KERNEL(dense_solve_many) {
  GROUP_UNUSED;
  less_solution(0, group, n, m, at, from, to, columns, a, b, staged);
}

PRODUCT_KERNEL(dense_solve_many_transposed) {
  GROUP_UNUSED;
  less_solution(1, group, n, m, at, from, to, columns, a, b, staged);
}

/* l times the right-hand sides, behind which it goes in b; a group has a row of tiles. */
GROUP_KERNEL(dense_multiply, STAGED_STRIP) {
  const i32 row = group % m, first = group / m * SOLVED_COLUMNS;
  real own[GROUP_OWN][STRIP];
  GROUP_UNUSED;
  GROUP_LOOP(i, GROUP_ITEMS) EACH_STRIP own[OWN(i)][q] = 0;
  for (i32 k = 0; k <= row; k++) less_strip(tile_of(a, m, row, k), 1, b, n, columns, k * T, first, staged, own);
  strip_out(own, -1, b + (i64)n * columns, n, columns, row * T, first);
}

/* own becomes inv(l) own, by forward substitution in all of its columns. */
DEV_FN void substitute(DEV_GLOBAL const real *l, DEV_LOCAL real *staged, real (*own)[OWNED]) {
  UNROLLED for (i32 h = 0; h < PER; h++)
    for (i32 s = 0; s < SIDE; s++) {
      const i32 k = SIDE * h + s;
      DEV_LOCAL real *x = staged + k % 2 * (2 * T), *y = x + T;
      GROUP_LOOP(i, GROUP_ITEMS) {
        if (i % SIDE == s)
          UNROLLED for (i32 q = 0; q < PER; q++)
            x[COLUMN(i, q)] = own[OWN(i)][4 * q + h] = own[OWN(i)][4 * q + h] / l[k * T + k];
        if (i < T) y[i] = l[k * T + i];
      }
      GROUP_BARRIER;
      GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN {
        const real z = own[OWN(i)][4 * q + p];
        own[OWN(i)][4 * q + p] = ROW(i, p) > k ? FMA(-y[ROW(i, p)], x[COLUMN(i, q)], z) : z;
      }
    }
}

/* Tile (group, group) becomes its inverse: what the identity does. */
GROUP_KERNEL(dense_invert_tile, 4 * T) {
  DEV_GLOBAL real *l = tile_of(a, m, group, group);
  real own[GROUP_OWN][OWNED];
  GROUP_UNUSED;
  GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN own[OWN(i)][4 * q + p] = ROW(i, p) == COLUMN(i, q) ? 1 : 0;
  substitute(l, staged, own);
  GROUP_BARRIER; /* all has been read */
  tile_out(own, 1, l);
}

/* inv(l)(row, j), j < row, is less the sum over k = row, row - 1, ... j + 1 of inv(l)(row, k) p(k, j), where p(k, j),
 * the product of l(k, j) and inv(l)(j, j), is in b, from tile `from` on. For a panel, `columns` columns from `at` on,
 * one launch makes these products and another the terms of all columns behind it, a group for a tile below the
 * diagonal; the panel's own terms follow column by column. */
DEV_FN DEV_GLOBAL real *beside(DEV_GLOBAL real *b, i32 m, i32 from, i32 k, i32 j) {
  return b + ((i64)from + (i64)(j % INVERSE_PANEL) * m + k) * TILE;
}

PRODUCT_KERNEL(dense_times_inverse) {
  const i32 j = at + group % columns, row = m - 1 - group / columns;
  real own[PRODUCT_OWN][KEPT];
  GROUP_UNUSED;
  if (row <= j) return;
  nothing_in(own);
  less_product(columns_of(tile_of(a, m, row, j)), rows_of(tile_of(a, m, j, j)), staged, own);
  sums_out(own, -1, beside(b, m, from, row, j));
}

PRODUCT_KERNEL(dense_inverse_behind) {
  const i32 j = at + group % columns, row = m - 1 - group / columns;
  real own[PRODUCT_OWN][KEPT];
  GROUP_UNUSED;
  if (row <= j) return;
  nothing_in(own);
  for (i32 k = row; k >= at + columns; k--)
    less_product(columns_of(tile_of(a, m, row, k)), rows_of(beside(b, m, from, k, j)), staged, own);
  sums_out(own, 1, tile_of(a, m, row, j));
}

/* Column `at` of a panel that ends before `to`. */
PRODUCT_KERNEL(dense_inverse_column) {
  const i32 row = at + 1 + group;
  DEV_GLOBAL real *c = tile_of(a, m, row, at);
  real own[PRODUCT_OWN][KEPT];
  GROUP_UNUSED;
  sums_in(c, own);
  for (i32 k = row < to ? row : to - 1; k > at; k--)
    less_product(columns_of(tile_of(a, m, row, k)), rows_of(beside(b, m, from, k, at)), staged, own);
  sums_out(own, 1, c);
}

/* Tiles of x' x for x = inv(l), in b from number `from` on: those of the lower triangle by rows, from `at` on. */
PRODUCT_KERNEL(dense_product) {
  real own[PRODUCT_OWN][KEPT];
  i32 row, column;
  GROUP_UNUSED;
  place_by_rows(at + group, &row, &column);
  nothing_in(own);
  for (i32 k = row; k < m; k++)
    less_product(rows_of(tile_of(a, m, k, row)), rows_of(tile_of(a, m, k, column)), staged, own);
  sums_out(own, -1, b + (i64)(from + group) * TILE);
}

/* They take the places of tiles of x that no later row asks for. */
GROUP_KERNEL(dense_product_in, 1) {
  i32 row, column;
  GROUP_UNUSED;
  place_by_rows(at + group, &row, &column);
  DEV_GLOBAL real *c = tile_of(a, m, row, column);
  GROUP_LOOP(e, TILE) c[e] = b[(i64)(from + group) * TILE + e];
}

/* u u' - a, with u in b. */
GROUP_KERNEL(dense_outer_less, 1) {
  i32 row, column;
  GROUP_UNUSED;
  triangle_place(group, m, 0, &row, &column);
  DEV_GLOBAL real *c = tile_of(a, m, row, column);
  GROUP_LOOP(i, GROUP_ITEMS) EACH_OWN {
    const i32 r = ROW(i, p), s = COLUMN(i, q);
    real sum = -c[s * T + r];
    for (i32 j = 0; j < columns; j++)
      sum = FMA(rhs_in(b, n, columns, row * T + r, j), rhs_in(b, n, columns, column * T + s, j), sum);
    c[s * T + r] = sum;
  }
}

/* A matrix whose entries were put there for whole tiles: beyond it comes a diagonal of ones. To its own diagonal are
 * added the numbers from b[m T] on, one for each row, or where columns is 1 the first for all; then b[row] becomes 4
 * eps of the sum, above which dense_factor wants the pivot. Groups: tiles on the diagonal, then others of the last
 * row. */
GROUP_KERNEL(dense_frame, 1) {
  const i32 row = group < m ? group : m - 1, column = group < m ? group : group - m;
  DEV_GLOBAL real *c = tile_of(a, m, row, column);
  GROUP_UNUSED;
  GROUP_LOOP(e, TILE) {
    const i32 r = row * T + e % T, s = column * T + e / T;
    if (r >= n || s >= n) c[e] = r == s ? 1 : 0;
    else if (r == s) c[e] = c[e] + b[m * T + (columns == 1 ? 0 : r)];
    if (r == s) b[r] = K(8.881784197001252e-16) * c[e];
  }
}

/* b[group]: the sum of the elements of tile (group, group) that are on the diagonal, or where `transposed` is 1 of
 * their logarithms. */
GROUP_KERNEL(dense_diagonal_sums, T) {
  DEV_GLOBAL const real *c = tile_of(a, m, group, group);
  GROUP_UNUSED;
  GROUP_LOOP(k, T) {
    const real x = c[k * (T + 1)];
    staged[k] = group * T + k >= n ? 0 : transposed ? log_(x) : x;
  }
  GROUP_BARRIER;
  GROUP_LOOP(i, 1) {
    real sum = 0, lost = 0, off;
    for (i32 k = 0; k < T; k++) {
      sum = two_sum(sum, staged[k], &off);
      lost = lost + off;
    }
    b[group] = sum + lost;
  }
}

/* Of column `at` of tiles of a symmetric matrix, and of each of so many others whose tiles are in b, m tiles apart:
 * sums of products of entries, of tile (at + group, at) and of what mirrors it. They go behind those tiles, the sums
 * for all others of one tile after those of another. */
GROUP_KERNEL(dense_contract, GROUP_ITEMS) {
  const i32 row = at + group;
  DEV_GLOBAL const real *c = tile_of(a, m, row, at);
  DEV_GLOBAL real *sums = b + (i64)columns * m * TILE + ((i64)at * m - (i64)at * (at - 1) / 2 + group) * columns;
  GROUP_UNUSED;
  for (i32 j = 0; j < columns; j++) {
    DEV_GLOBAL const real *v = b + ((i64)j * m + group) * TILE;
    GROUP_BARRIER; /* what was there is not needed any more */
    GROUP_LOOP(i, GROUP_ITEMS) {
      real sum = 0;
      EACH_OWN {
        const i32 r = ROW(i, p), s = COLUMN(i, q);
        sum = row * T + r < n && at * T + s < n ? FMA(c[s * T + r], v[s * T + r], sum) : sum;
      }
      staged[i] = sum;
    }
    for (i32 span = GROUP_ITEMS / 2; span > 0; span /= 2) {
      GROUP_BARRIER;
      GROUP_LOOP(i, span) staged[i] = staged[i] + staged[i + span];
    }
    GROUP_BARRIER; /* compilers may have all work-items read the sum */
    GROUP_LOOP(i, 1) sums[j] = row > at ? 2 * staged[0] : staged[0];
  }
}

/* The sums of dense_contract() over a column of tiles, behind all of these. */
GROUP_KERNEL(dense_contract_sums, 1) {
  DEV_GLOBAL real *behind = b + (i64)columns * m * TILE;
  DEV_GLOBAL const real *of = behind + ((i64)group * m - (i64)group * (group - 1) / 2) * columns;
  DEV_GLOBAL real *sums = behind + (i64)m * (m + 1) / 2 * columns + (i64)group * columns;
  GROUP_UNUSED;
  GROUP_LOOP(j, columns) {
    real sum = 0, lost = 0, off;
    for (i32 k = 0; k < m - group; k++) {
      sum = two_sum(sum, of[k * columns + j], &off);
      lost = lost + off;
    }
    sums[j] = sum + lost;
  }
}

/* Behind `columns` symmetric matrices in b, of each of which there is one column of m tiles at a time: sums of 2 T
 * numbers for each tile of the triangle and matrix, then a vector of n numbers, and products, m T numbers for each
 * matrix. */
DEV_FN i64 sums_at(i32 m, i32 columns, i32 row, i32 column) {
  const i64 tile = (i64)column * m - (i64)column * (column - 1) / 2 + row - column;
  return ((i64)m * TILE + tile * 2 * T) * columns;
}
DEV_FN i64 vector_at(i32 m, i32 columns) { return sums_at(m, columns, m, m); }

/* Tile (at + group, at) times the vector, and what mirrors it. A work-item has 16 terms of a sum of either. */
GROUP_KERNEL(dense_times_vector, 2 * GROUP_ITEMS) {
  const i32 row = at + group;
  DEV_GLOBAL const real *x = b + vector_at(m, columns);
  GROUP_UNUSED;
  for (i32 j = 0; j < columns; j++) {
    DEV_GLOBAL const real *v = b + ((i64)j * m + group) * TILE;
    DEV_GLOBAL real *sums = b + sums_at(m, columns, row, at) + j * 2 * T;
    GROUP_BARRIER; /* what was there is not needed any more */
    GROUP_LOOP(i, GROUP_ITEMS) {
      const i32 r = i % T, first = i / T * SLAB;
      real along = 0, across = 0;
      for (i32 k = first; k < first + SLAB; k++) {
        along = at * T + k < n ? FMA(v[k * T + r], x[at * T + k], along) : along;
        across = row * T + k < n ? FMA(v[r * T + k], x[row * T + k], across) : across;
      }
      staged[i] = along;
      staged[GROUP_ITEMS + i] = across;
    }
    GROUP_BARRIER;
    GROUP_LOOP(i, 2 * T) {
      DEV_LOCAL const real *of = staged + i / T * GROUP_ITEMS + i % T;
      sums[i] = (of[0] + of[T]) + (of[2 * T] + of[3 * T]);
    }
  }
}

/* Rows of tiles `group` of the products: what tiles of that row give, and what mirrored ones of that column. */
GROUP_KERNEL(dense_vector_sums, 1) {
  GROUP_UNUSED;
  GROUP_LOOP(e, columns * T) {
    const i32 j = e / T, r = e % T;
    real sum = 0;
    for (i32 k = 0; k <= group; k++) sum = sum + b[sums_at(m, columns, group, k) + j * 2 * T + r];
    for (i32 k = group + 1; k < m; k++) sum = sum + b[sums_at(m, columns, k, group) + (j * 2 + 1) * T + r];
    b[vector_at(m, columns) + m * T + ((i64)j * m + group) * T + r] = sum;
  }
}

/* Right-hand sides that are in b in tiles, a column of m tiles after the other, element r of column c of a tile at
 * c T + r: many at once, for these to fill a device. Tile (at + group / across, group % across) of `columns`, whole
 * tiles of them, less the products of l with rows from ... to - 1 of tiles, which are known. */
PRODUCT_KERNEL(dense_across_update) {
  const i32 across = columns / T, row = at + group / across;
  DEV_GLOBAL real *x = b + (i64)(group % across) * m * TILE;
  real own[PRODUCT_OWN][KEPT];
  GROUP_UNUSED;
  sums_in(x + (i64)row * TILE, own);
  for (i32 k = from; k < to; k++)
    less_product(columns_of(tile_of(a, m, row, k)), rows_of(x + (i64)k * TILE), staged, own);
  sums_out(own, 1, x + (i64)row * TILE);
}

/* Tile (at, group) is solved for. */
GROUP_KERNEL(dense_across_tile, 4 * T) {
  DEV_GLOBAL real *x = b + ((i64)group * m + at) * TILE;
  real own[GROUP_OWN][OWNED];
  GROUP_UNUSED;
  tile_in(x, own);
  substitute(tile_of(a, m, at, at), staged, own);
  tile_out(own, 1, x);
}

/* Behind `columns` right-hand sides, for which there is room, come sums, and vectors of n numbers: of column
 * group / (to + 1) of tiles the products with vector group % (to + 1), and for number `to` the squares. A work-item
 * has every 16th row of every 16th column, tile by tile. */
enum { BUNCH = 16, BUNCHES = T / BUNCH, OWN_SUMS = 2 * BUNCHES };
GROUP_KERNEL(dense_across_sums, BUNCH * T) {
  const i32 some = group / (to + 1), which = group % (to + 1);
  DEV_GLOBAL const real *x = b + (i64)some * m * TILE;
  DEV_GLOBAL real *sums = b + (i64)columns * m * T;
  DEV_GLOBAL const real *vector = sums + (i64)columns * (to + 1) + (i64)which * n;
  real own[GROUP_OWN][OWN_SUMS]; /* sums, and what they have lost */
  GROUP_UNUSED;
  GROUP_LOOP(i, GROUP_ITEMS) UNROLLED for (i32 q = 0; q < OWN_SUMS; q++) own[OWN(i)][q] = 0;
  for (i32 k = 0; k < m; k++)
    GROUP_LOOP(i, GROUP_ITEMS)
      UNROLLED for (i32 q = 0; q < BUNCHES; q++) {
        real term = 0, off;
        UNROLLED for (i32 p = 0; p < BUNCHES; p++) {
          const i32 r = i % BUNCH + BUNCH * p, row = k * T + r;
          const real v = x[(i64)k * TILE + (i / BUNCH + BUNCH * q) * T + r];
          const real w = which == to ? v : row < n ? vector[row] : 0;
          term = row < n ? FMA(v, w, term) : term;
        }
        own[OWN(i)][q] = two_sum(own[OWN(i)][q], term, &off);
        own[OWN(i)][BUNCHES + q] = own[OWN(i)][BUNCHES + q] + off;
      }
  GROUP_LOOP(i, GROUP_ITEMS)
    UNROLLED for (i32 q = 0; q < BUNCHES; q++)
      staged[i % BUNCH * T + i / BUNCH + BUNCH * q] = own[OWN(i)][q] + own[OWN(i)][BUNCHES + q];
  GROUP_BARRIER;
  GROUP_LOOP(c, T) {
    real sum = 0, lost = 0, off;
    for (i32 k = 0; k < BUNCH; k++) {
      sum = two_sum(sum, staged[k * T + c], &off);
      lost = lost + off;
    }
    sums[(i64)which * columns + some * T + c] = sum + lost;
  }
}
