/* r_laplace.c: sparse factors between R and the engine. */
#include "gp/r_laplace.h"

#include <math.h>
#include <string.h>

#include "glue/r_engine.h"
#include "gp/selected.h"

static sparse_factor factor_of(SEXP factor) {
  SEXP super = VECTOR_ELT(factor, 0);
  const int blocks = (int)XLENGTH(super) - 1;
  const sparse_factor f = {INTEGER(super)[blocks], blocks, INTEGER(super), INTEGER(VECTOR_ELT(factor, 1)),
                           INTEGER(VECTOR_ELT(factor, 2)), INTEGER(VECTOR_ELT(factor, 3)),
                           REAL(VECTOR_ELT(factor, 4))};
  return f;
}

static int *blocks_of(const sparse_factor *f) {
  int *block_of = (int *)R_alloc((size_t)f->n, sizeof *block_of);
  factor_blocks(f, block_of);
  return block_of;
}

SEXP C_selectedInverse(SEXP factor, SEXP rows, SEXP columns) {
  const sparse_factor f = factor_of(factor);
  const R_xlen_t asked = XLENGTH(rows), size = XLENGTH(VECTOR_ELT(factor, 4));
  SEXP result = PROTECT(Rf_allocVector(REALSXP, asked)), inverse = PROTECT(Rf_allocVector(REALSXP, size));
  double *z = REAL(inverse), *work = (double *)R_alloc(selected_work(&f), sizeof *work);
  int *block_of = blocks_of(&f), *place = (int *)R_alloc((size_t)f.n, sizeof *place);
  memset(z, 0, (size_t)size * sizeof *z);
  engine_begin("gpFit");
  status st = STATUS_OK;
  for (int k = f.blocks - 1; k >= 0 && st == STATUS_OK; k -= 64) {
    selected_inverse(&f, block_of, k, k > 63 ? k - 63 : 0, z, work, place);
    st = engine_pause(NAN);
  }
  engine_end(st);
  for (R_xlen_t i = 0; i < asked; i++)
    REAL(result)[i] = selected_element(&f, block_of, z, INTEGER(rows)[i], INTEGER(columns)[i]);
  UNPROTECT(2);
  return result;
}

SEXP C_sparseForms(SEXP factor, SEXP at, SEXP values) {
  const sparse_factor f = factor_of(factor);
  const int m = Rf_nrows(at), n = Rf_ncols(at);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, n));
  int *block_of = blocks_of(&f), *marks = (int *)R_alloc((size_t)f.blocks, sizeof *marks);
  double *solved = (double *)R_alloc((size_t)f.n, sizeof *solved);
  memset(marks, 0, (size_t)f.blocks * sizeof *marks);
  memset(solved, 0, (size_t)f.n * sizeof *solved);
  engine_begin("predict");
  status st = STATUS_OK;
  for (int i = 0; i < n && st == STATUS_OK; i++) {
    const int *rows = INTEGER(at) + (R_xlen_t)i * m;
    int count = 0;
    while (count < m && rows[count] != NA_INTEGER) count++;
    REAL(result)[i] = sparse_form(&f, block_of, count, rows, REAL(values) + (R_xlen_t)i * m, solved, marks);
    if (i % 64 == 63) st = engine_pause((double)i / n);
  }
  engine_end(st);
  UNPROTECT(1);
  return result;
}
