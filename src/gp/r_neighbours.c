/* r_neighbours.c: orders and neighbours of points between R and the engine. */
#include "gp/r_neighbours.h"

#include "glue/r_engine.h"
#include "glue/r_vec.h"
#include "gp/curve.h"
#include "gp/kd_tree.h"
#include "gp/neighbours.h"
#include "gp/ordering.h"

static void rows_from_1(SEXP result) {
  int *row = INTEGER(result);
  const R_xlen_t n = XLENGTH(result);
  for (R_xlen_t i = 0; i < n; i++) row[i] = row[i] < 0 ? NA_INTEGER : row[i] + 1;
}

static SEXP rows_of_r(SEXP result, double least) {
  rows_from_1(result);
  SEXP value = PROTECT(Rf_ScalarReal(least));
  Rf_setAttrib(result, Rf_install("least"), value);
  UNPROTECT(1);
  return result;
}

SEXP C_gpOrdering(SEXP x) {
  double least = 0;
  SEXP result = PROTECT(vec_large_pages(Rf_allocVector(INTSXP, Rf_nrows(x))));
  ENGINE_RUN("gpFit", gp_ordering(Rf_nrows(x), Rf_ncols(x), REAL(x), INTEGER(result), &least));
  rows_of_r(result, least);
  UNPROTECT(1);
  return result;
}

SEXP C_gpRankClasses(SEXP x, SEXP order) {
  SEXP result = PROTECT(vec_large_pages(Rf_allocVector(INTSXP, XLENGTH(order))));
  int *rows = INTEGER(result);
  for (R_xlen_t i = 0; i < XLENGTH(order); i++) rows[i] = INTEGER(order)[i] - 1;
  ENGINE_RUN("gpFit", gp_rank_classes(Rf_ncols(x), Rf_nrows(x), REAL(x), rows));
  rows_from_1(result);
  UNPROTECT(1);
  return result;
}

SEXP C_gpNeighbours(SEXP x, SEXP m, SEXP first) {
  double least = 0;
  const int n = Rf_nrows(x), from = Rf_asInteger(first) - 1, most = Rf_asInteger(m);
  SEXP result = PROTECT(vec_large_pages(Rf_allocMatrix(INTSXP, most, n > from ? n - from : 0)));
  ENGINE_RUN("gpFit", gp_neighbours(n, Rf_ncols(x), REAL(x), from, most, INTEGER(result), &least));
  rows_of_r(result, least);
  UNPROTECT(1);
  return result;
}

SEXP C_gpNeighboursAmong(SEXP x, SEXP data, SEXP m, SEXP group, SEXP data_group) {
  double least = 0;
  const int most = Rf_asInteger(m);
  const int *own = Rf_isNull(group) ? NULL : INTEGER(group), *others = own ? INTEGER(data_group) : NULL;
  SEXP result = PROTECT(vec_large_pages(Rf_allocMatrix(INTSXP, most, Rf_nrows(x))));
  ENGINE_RUN("gpFit", gp_neighbours_among(Rf_nrows(x), REAL(x), own, Rf_nrows(data), REAL(data), others,
                                          Rf_ncols(x), most, INTEGER(result), &least));
  rows_of_r(result, least);
  UNPROTECT(1);
  return result;
}

SEXP C_gpCells(SEXP x, SEXP size) {
  SEXP result = PROTECT(Rf_allocVector(INTSXP, Rf_nrows(x)));
  ENGINE_RUN("gpFit", kd_cells(Rf_nrows(x), Rf_ncols(x), REAL(x), Rf_asInteger(size), INTEGER(result)));
  rows_from_1(result);
  UNPROTECT(1);
  return result;
}

SEXP C_gpNeighboursBefore(SEXP x, SEXP before, SEXP data, SEXP m) {
  const int most = Rf_asInteger(m);
  SEXP result = PROTECT(vec_large_pages(Rf_allocMatrix(INTSXP, most, Rf_nrows(x))));
  ENGINE_RUN("gpFit", gp_neighbours_before(Rf_nrows(x), REAL(x), INTEGER(before), Rf_nrows(data), REAL(data),
                                           Rf_ncols(x), most, INTEGER(result)));
  rows_from_1(result);
  UNPROTECT(1);
  return result;
}
