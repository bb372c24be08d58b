/* selected.c: see selected.h. */
#include "gp/selected.h"

static int block_columns(const sparse_factor *f, int k) { return f->super[k + 1] - f->super[k]; }
static int block_rows(const sparse_factor *f, int k) { return f->pi[k + 1] - f->pi[k]; }

void factor_blocks(const sparse_factor *f, int *block_of) {
  for (int k = 0; k < f->blocks; k++)
    for (int c = f->super[k]; c < f->super[k + 1]; c++) block_of[c] = k;
}

size_t selected_work(const sparse_factor *f) {
  size_t most = 0;
  for (int k = 0; k < f->blocks; k++) {
    const size_t columns = (size_t)block_columns(f, k), below = (size_t)block_rows(f, k) - columns;
    const size_t size = below * below + below * columns + columns * columns;
    if (size > most) most = size;
  }
  return most;
}

/* The symmetric matrix of the elements of z in the rows `below` and the columns of the same numbers. */
static void gather(const sparse_factor *f, const int *block_of, const double *z, int count, const int *below,
                   int *place, double *a) {
  int now = -1;
  for (int c = 0; c < count; c++) {
    const int k = block_of[below[c]];
    if (k != now) {
      for (int q = f->pi[k]; q < f->pi[k + 1]; q++) place[f->s[q]] = q - f->pi[k];
      now = k;
    }
    const double *column = z + f->px[k] + (size_t)(below[c] - f->super[k]) * (size_t)block_rows(f, k);
    for (int r = c; r < count; r++)
      a[(size_t)c * (size_t)count + (size_t)r] = a[(size_t)r * (size_t)count + (size_t)c] = column[place[below[r]]];
  }
}

/* y = -a b for matrices of `rows` x rows and rows x columns, four columns of a at a time. */
static void minus_product(int rows, int columns, const double *a, const double *b, double *y, size_t lead) {
  const size_t n = (size_t)rows;
  for (int c = 0; c < columns; c++) {
    double *out = y + (size_t)c * lead;
    const double *by = b + (size_t)c * n;
    for (size_t i = 0; i < n; i++) out[i] = 0;
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
      const double *p = a + k * n, *q = p + n, *r = q + n, *s = r + n;
      const double bp = by[k], bq = by[k + 1], br = by[k + 2], bs = by[k + 3];
      for (size_t i = 0; i < n; i++) out[i] -= p[i] * bp + q[i] * bq + r[i] * br + s[i] * bs;
    }
    for (; k < n; k++)
      for (size_t i = 0; i < n; i++) out[i] -= a[k * n + i] * by[k];
  }
}

/* With the rows J of a block's own columns and R below, and Y = L_RJ inv(L_JJ): Z_RJ = -Z_RR Y and
 * Z_JJ = inv(L_JJ L_JJ') - Y' Z_RJ. */
static void one_block(const sparse_factor *f, const int *block_of, int k, double *z, double *work, int *place) {
  const int columns = block_columns(f, k), rows = block_rows(f, k), below = rows - columns;
  const size_t lead = (size_t)rows, under = (size_t)below, wide = (size_t)columns;
  const double *l = f->x + f->px[k];
  double *own = z + f->px[k], *a = work, *y = a + under * under, *inverse = y + under * wide;
  gather(f, block_of, z, below, f->s + f->pi[k] + columns, place, a);
  for (size_t c = 0; c < wide; c++)
    for (size_t i = 0; i < under; i++) y[c * under + i] = l[c * lead + wide + i];
  for (size_t c = wide; c-- > 0;) {
    double *to = y + c * under;
    for (size_t d = c + 1; d < wide; d++)
      for (size_t i = 0; i < under; i++) to[i] -= y[d * under + i] * l[c * lead + d];
    for (size_t i = 0; i < under; i++) to[i] /= l[c * lead + c];
  }
  minus_product(below, columns, a, y, own + wide, lead);
  for (size_t c = 0; c < wide; c++) { /* inv(L_JJ) by columns */
    inverse[c * wide + c] = 1 / l[c * lead + c];
    for (size_t r = c + 1; r < wide; r++) {
      double sum = 0;
      for (size_t d = c; d < r; d++) sum -= l[d * lead + r] * inverse[c * wide + d];
      inverse[c * wide + r] = sum / l[r * lead + r];
    }
  }
  for (size_t c = 0; c < wide; c++)
    for (size_t r = c; r < wide; r++) {
      double sum = 0;
      for (size_t d = r; d < wide; d++) sum += inverse[r * wide + d] * inverse[c * wide + d];
      for (size_t i = 0; i < under; i++) sum -= y[r * under + i] * own[c * lead + wide + i];
      own[c * lead + r] = sum;
    }
}

void selected_inverse(const sparse_factor *f, const int *block_of, int from, int to, double *z, double *work,
                      int *place) {
  for (int k = from; k >= to; k--) one_block(f, block_of, k, z, work, place);
}

double selected_element(const sparse_factor *f, const int *block_of, const double *z, int row, int column) {
  if (row < column) {
    const int other = row;
    row = column;
    column = other;
  }
  const int k = block_of[column];
  int low = f->pi[k], high = f->pi[k + 1] - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (f->s[middle] < row) low = middle + 1;
    else high = middle;
  }
  if (f->s[low] != row) return 0;
  return z[f->px[k] + (size_t)(column - f->super[k]) * (size_t)block_rows(f, k) + (size_t)(low - f->pi[k])];
}

/* The squares of the solution of L y = b in a block, whose part is taken from the rows below. */
static double solve_block(const sparse_factor *f, int k, double *solved) {
  const int columns = block_columns(f, k), rows = block_rows(f, k), *row = f->s + f->pi[k];
  double sum = 0;
  for (int c = 0; c < columns; c++) {
    const double *l = f->x + f->px[k] + (size_t)c * (size_t)rows;
    const double y = solved[row[c]] / l[c];
    solved[row[c]] = 0;
    sum += y * y;
    if (y != 0)
      for (int r = c + 1; r < rows; r++) solved[row[r]] -= l[r] * y;
  }
  return sum;
}

double sparse_form(const sparse_factor *f, const int *block_of, int count, const int *at, const double *b,
                   double *solved, int *marks) {
  int first = f->blocks;
  for (int i = 0; i < count; i++) {
    solved[at[i]] += b[i];
    int k = block_of[at[i]];
    if (k < first) first = k;
    while (k >= 0 && !marks[k]) {
      marks[k] = 1;
      const int columns = block_columns(f, k);
      k = block_rows(f, k) > columns ? block_of[f->s[f->pi[k] + columns]] : -1;
    }
  }
  double sum = 0;
  for (int k = first; k < f->blocks; k++)
    if (marks[k]) {
      sum += solve_block(f, k, solved);
      marks[k] = 0;
    }
  return sum;
}
