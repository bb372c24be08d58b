/* r_gp.c: likelihoods of Gaussian processes between R and the engine. */
#include "gp/r_gp.h"

#include <math.h>
#include <string.h>

#include <R_ext/Arith.h>

#include "covariance/r_covariance.h"
#include "dense/dense.h"
#include "dense/dense_device.h"
#include "dense/dense_levels.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

/* One layout, that of cov_packed(). */
typedef char tiles_agree[(int)COV_TILE == (int)DENSE_TILE ? 1 : -1];

/* A factor that a device alone has, which R must not take for garbage. */
static SEXP away;

static void stay(SEXP factor) {
  if (factor) R_PreserveObject(factor);
  if (away) R_ReleaseObject(away);
  away = factor;
}

/* Values and derivatives are wanted in turn: on a device they share the tables, which stay there. */
static cov_space sharing_tables(const cov_space *s) {
  cov_space own = *s;
  own.tables_serve_all = backend_device() >= 0;
  return own;
}

/* 1 where it is made, or has failed. */
static int make_on_device(const cov_model *m, const cov_space *s, const double *diagonal, double *factor,
                          double *log_det, status *st) {
  const int device = backend_device();
  cov_filler *f = NULL;
  if (device < 0) return 0;
  *st = cov_filler_open(m, s, &f);
  if (*st || !f) return *st != STATUS_OK;
  const dense_filler fill = {cov_filler_columns, f};
  const int made = dense_device_make(device, s->n, factor, fill, diagonal, log_det, st);
  cov_filler_close(f);
  return made;
}

static status make_factor(const cov_model *m, const cov_space *s, const double *diagonal, double *factor,
                          double *log_det, int64_t *bad) {
  const call_part whole = backend_part();
  const cov_space at = sharing_tables(s);
  status st = STATUS_OK;
  if (make_on_device(m, &at, diagonal, factor, log_det, &st)) return st;
  backend_set_part(whole, 0, 0.1); /* of a long call the factor is most */
  st = cov_packed(m, &at, diagonal, &factor);
  backend_set_part(whole, 0.1, 1);
  if (!st) st = dense_cholesky(s->n, factor, bad);
  backend_set_part(whole, 0, 1);
  if (!st && !*bad) *log_det = dense_log_det(s->n, factor);
  return st;
}

SEXP C_gpFactor(SEXP among, SEXP diagonal) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, R_NilValue);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(result, 0, vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)dense_size(space.n))));
  double log_det = 0;
  int64_t bad = 0;
  ENGINE_RUN("gpLoglik", make_factor(&model, &space, REAL(diagonal), REAL(VECTOR_ELT(result, 0)), &log_det, &bad));
  stay(VECTOR_ELT(result, 0));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(log_det));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal((double)bad));
  UNPROTECT(1);
  return result;
}

static status factor_tiles(int64_t n, const double *diagonal, double *tiles, double *log_det, int64_t *bad) {
  dense_add_diagonal(n, tiles, diagonal);
  const status st = dense_cholesky(n, tiles, bad);
  if (!st && !*bad) *log_det = dense_log_det(n, tiles);
  return st;
}

SEXP C_gpFactorTiles(SEXP tiles, SEXP diagonal) {
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 3));
  double log_det = 0;
  int64_t bad = 0;
  ENGINE_RUN("gpLoglik", factor_tiles(XLENGTH(diagonal), REAL(diagonal), REAL(tiles), &log_det, &bad));
  SET_VECTOR_ELT(result, 0, tiles);
  stay(tiles);
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(log_det));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal((double)bad));
  UNPROTECT(1);
  return result;
}

SEXP C_gpPack(SEXP matrix) {
  const int64_t n = Rf_nrows(matrix);
  SEXP tiles = PROTECT(vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)dense_size(n))));
  dense_pack(n, REAL(matrix), REAL(tiles));
  UNPROTECT(1);
  return tiles;
}

SEXP C_gpUnpack(SEXP factor, SEXP n) {
  const int size = Rf_asInteger(n);
  SEXP result = PROTECT(vec_large_pages(Rf_allocMatrix(REALSXP, size, size)));
  ENGINE_RUN("gpLoglik", dense_device_fetch(size, REAL(factor)));
  dense_unpack(size, REAL(factor), 1, REAL(result));
  UNPROTECT(1);
  return result;
}

SEXP C_gpSolve(SEXP factor, SEXP b, SEXP transposed) {
  SEXP result = PROTECT(Rf_duplicate(b));
  ENGINE_RUN("gpLoglik",
             dense_solve(Rf_nrows(b), REAL(factor), Rf_ncols(b), REAL(result), Rf_asLogical(transposed)));
  UNPROTECT(1);
  return result;
}

static status solved_sums(const cov_model *m, const cov_space *s, const double *factor, int vectors,
                          const double *with, double *out, int *done) {
  const int device = backend_device();
  const cov_space at = sharing_tables(s);
  cov_filler *f = NULL;
  status st = device < 0 ? STATUS_OK : cov_filler_open(m, &at, &f);
  const dense_filler fill = {cov_filler_columns, f};
  *done = f && dense_device_sums(device, s->n, factor, s->m, fill, vectors, with, out, &st);
  cov_filler_close(f);
  return st;
}

SEXP C_gpSolvedSums(SEXP factor, SEXP among, SEXP with) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, R_NilValue);
  const int vectors = Rf_ncols(with);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)space.m, vectors + 1));
  int done;
  ENGINE_RUN("gpLoglik", solved_sums(&model, &space, REAL(factor), vectors, REAL(with), REAL(result), &done));
  UNPROTECT(1);
  return done ? result : R_NilValue;
}

SEXP C_gpMultiply(SEXP factor, SEXP b) {
  SEXP result = PROTECT(Rf_duplicate(b));
  ENGINE_RUN("gpLoglik", dense_multiply(Rf_nrows(b), REAL(factor), Rf_ncols(b), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_gpDraw(SEXP factor, SEXP b, SEXP known) {
  const int n = Rf_nrows(b), first = Rf_asInteger(known), columns = Rf_ncols(b);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, n - first, columns));
  ENGINE_RUN("simulate", dense_draw(n, REAL(factor), first, columns, REAL(b), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_gpFetch(SEXP factor, SEXP n) {
  ENGINE_RUN("gpLoglik", dense_device_fetch(Rf_asInteger(n), REAL(factor)));
  return Rf_ScalarLogical(dense_device_keeps());
}

static status diagonal_of(int64_t n, const double *factor, double *out) {
  status st = STATUS_OK;
  if (dense_device_diagonal(n, factor, out, &st)) return st;
  st = dense_device_fetch(n, factor);
  if (!st) dense_diagonal(n, factor, out);
  return st;
}

SEXP C_gpDiagonal(SEXP factor, SEXP n) {
  SEXP result = PROTECT(Rf_allocVector(REALSXP, Rf_asInteger(n)));
  ENGINE_RUN("gpLoglik", diagonal_of(XLENGTH(result), REAL(factor), REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_gpWeights(SEXP factor, SEXP u) {
  const int64_t n = Rf_nrows(u);
  engine_begin("gpLoglik");
  status st = dense_inverse(n, REAL(factor));
  if (!st) st = dense_outer_less(n, REAL(factor), Rf_ncols(u), REAL(u));
  engine_end(st);
  return R_NilValue;
}

SEXP C_gpForget(void) {
  const int kept = dense_device_keeps();
  dense_device_forget();
  stay(NULL);
  return Rf_ScalarLogical(kept);
}

static status contract(const cov_model *m, const cov_space *s, const double *weights, double *sums) {
  const cov_space at = sharing_tables(s);
  cov_filler *f = NULL;
  double trace = 0;
  status st = dense_device_alone(s->n, weights) ? cov_filler_open(m, &at, &f) : STATUS_OK;
  const dense_filler fill = {cov_filler_columns, f};
  int done = st != STATUS_OK;
  if (f) done = dense_device_contract(s->n, weights, m->n_wants, fill, sums, &st) &&
                (st || dense_device_trace(s->n, weights, &trace, &st));
  cov_filler_close(f);
  if (!done) {
    st = dense_device_fetch(s->n, weights);
    if (!st) st = cov_contract(m, &at, weights, sums);
    if (!st) trace = dense_trace(s->n, weights);
  }
  for (int k = 0; k < m->n_wants && !st; k++)
    if (m->want[k].what == COV_NOTHING) sums[k] = trace;
  return st;
}

SEXP C_gpContract(SEXP factor, SEXP among, SEXP wants) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, wants);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, Rf_length(wants)));
  ENGINE_RUN("gpLoglik", contract(&model, &space, REAL(factor), REAL(result)));
  UNPROTECT(1);
  return result;
}

static status slopes(const cov_model *m, const cov_space *s, int columns, const double *vectors, double *out) {
  const cov_space at = sharing_tables(s);
  cov_filler *f = NULL;
  status st = columns == 1 && dense_device_keeps() ? cov_filler_open(m, &at, &f) : STATUS_OK;
  const dense_filler fill = {cov_filler_columns, f};
  const int done = st || (f && dense_device_products(s->n, m->n_wants, fill, vectors, out, &st));
  cov_filler_close(f);
  return done ? st : cov_slopes(m, &at, columns, vectors, out);
}

SEXP C_gpSlopes(SEXP among, SEXP wants, SEXP vectors) {
  const cov_space space = covariance_space(among);
  const cov_model model = covariance_model_among(among, wants);
  const int columns = Rf_ncols(vectors);
  SEXP result = PROTECT(Rf_alloc3DArray(REALSXP, (int)space.n, columns, model.n_wants));
  ENGINE_RUN("gpLoglik", slopes(&model, &space, columns, REAL(vectors), REAL(result)));
  UNPROTECT(1);
  return result;
}

static double product(int64_t n, const double *a, const double *b) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Takes the last n_x of the columns w out of those before them (Gram and Schmidt, modified): what is left of the
 * squares of the first one, and log det(X'X). */
static void least_squares(int64_t n, int n_x, double *w, double *left, double *log_det) {
  *log_det = 0;
  for (int j = n_x; j > 0; j--) {
    const double *x = w + j * n, square = product(n, x, x);
    *log_det += log(square);
    for (int k = 0; k < j; k++) {
      const double share = product(n, x, w + k * n) / square;
      for (int64_t i = 0; i < n; i++) w[k * n + i] -= share * x[i];
    }
  }
  *left = product(n, w, w);
}

/* memory: for two packed matrices, a diagonal and the columns. */
static status try_diagonals(const cov_model *m, const cov_space *s, SEXP errors, int tries, const double *shift,
                            SEXP columns, double *memory, double *out) {
  const int64_t n = s->n, size = dense_size(n);
  double *matrix = memory, *factor = memory + size, *diagonal = factor + size, *w = diagonal + n;
  status st = cov_packed(m, s, NULL, &matrix);
  for (int k = 0; k < tries && !st; k++, out += 3, shift += 2) {
    int64_t bad;
    memcpy(factor, matrix, (size_t)size * sizeof *factor);
    memcpy(w, REAL(columns), (size_t)XLENGTH(columns) * sizeof *w);
    for (int64_t i = 0; i < n; i++) diagonal[i] = shift[0] + shift[1] * REAL(errors)[i % XLENGTH(errors)];
    dense_add_diagonal(n, factor, diagonal);
    st = dense_cholesky(n, factor, &bad);
    out[0] = out[1] = out[2] = R_NaN;
    if (st || bad) continue;
    out[0] = dense_log_det(n, factor);
    st = dense_solve(n, factor, Rf_ncols(columns), w, 0);
    least_squares(n, Rf_ncols(columns) - 1, w, out + 1, out + 2);
  }
  return st;
}

/* Each of the sets has as many of the diagonals. */
static status try_sets(int sets, const cov_model *m, const cov_space *s, SEXP errors, SEXP diagonals, SEXP columns,
                       double *memory, double *out) {
  const int tries = Rf_ncols(diagonals) / sets;
  status st = STATUS_OK;
  backend_force_cpu(1); /* a device would wait: matrices are small, and there are thousands of them */
  for (int k = 0; k < sets && !st; k++, out += 3 * tries)
    st = try_diagonals(m + k, s, errors, tries, REAL(diagonals) + 2 * tries * k, columns, memory, out);
  backend_force_cpu(-1);
  return st;
}

/* A column of `diagonals` is a number for the whole diagonal, and one by which the `errors` are multiplied there; of
 * several sets of parameters the first columns are of the first one. */
SEXP C_gpDiagonals(SEXP among, SEXP errors, SEXP diagonals, SEXP columns) {
  const cov_space space = covariance_space(among);
  SEXP parts = vec_element(among, "parts");
  const int sets = covariance_sets(parts);
  cov_model *model = (cov_model *)R_alloc((size_t)sets, sizeof *model);
  for (int k = 0; k < sets; k++) model[k] = covariance_model(parts, R_NilValue, k);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, 3, Rf_ncols(diagonals)));
  const size_t numbers = (size_t)(2 * dense_size(space.n) + space.n) + (size_t)XLENGTH(columns);
  double *memory = (double *)R_alloc(numbers, sizeof *memory);
  ENGINE_RUN("gpFit", try_sets(sets, model, &space, errors, diagonals, columns, memory, REAL(result)));
  UNPROTECT(1);
  return result;
}
