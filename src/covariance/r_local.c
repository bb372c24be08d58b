/* r_local.c: covariances with parameters that differ from place to place, between R and the engine. */
#include "covariance/r_local.h"

#include "covariance/covariance.h"
#include "covariance/local_pairs.h"
#include "covariance/local_sets.h"
#include "covariance/r_covariance.h"
#include "covariance/r_given.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

static local_places places_of(SEXP among, const char *xy, const char *known) {
  const int n = Rf_nrows(vec_element(among, xy));
  return (local_places){n, vec_doubles(among, xy, -1), vec_doubles(among, known, (R_xlen_t)n * LOCAL_COLUMNS)};
}

static local_pairs pairs_of(SEXP among) {
  local_pairs p = {.a = places_of(among, "a", "known"), .dim = Rf_ncols(vec_element(among, "a")),
                   .turned = Rf_asLogical(vec_element(among, "turned")),
                   .varying = Rf_asLogical(vec_element(among, "varying"))};
  p.b = Rf_isNull(vec_element(among, "b")) ? p.a : places_of(among, "b", "other");
  p.part = covariance_model(vec_element(among, "parts"), R_NilValue, 0).part;
  return p;
}

SEXP C_localMatrix(SEXP among, SEXP field) {
  const local_pairs p = pairs_of(among);
  SEXP result = PROTECT(vec_large_pages(Rf_allocMatrix(REALSXP, (int)p.a.n, (int)p.b.n)));
  ENGINE_RUN("covariance", local_matrix(&p, Rf_asInteger(field) - 1, REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_localTiles(SEXP among) {
  const local_pairs p = pairs_of(among);
  SEXP result = PROTECT(vec_large_pages(Rf_allocVector(REALSXP, (R_xlen_t)cov_packed_size(p.a.n))));
  ENGINE_RUN("gpLoglik", local_packed(&p, REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_localAdjoint(SEXP among, SEXP weights, SEXP fields) {
  const local_pairs p = pairs_of(among);
  int mask = 0;
  for (int k = 0; k < Rf_length(fields); k++) mask |= 1 << (INTEGER(fields)[k] - 1);
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)p.a.n, LOCAL_FIELDS));
  ENGINE_RUN("gpLoglik", local_adjoint(&p, REAL(weights), mask, REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_localProducts(SEXP among, SEXP vector, SEXP fields, SEXP by) {
  const local_pairs p = pairs_of(among);
  const int count = Rf_length(fields);
  int *field = (int *)R_alloc((size_t)count + 1, sizeof *field);
  for (int k = 0; k < count; k++) field[k] = INTEGER(fields)[k] - 1;
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)p.a.n, count));
  ENGINE_RUN("gpLoglik", local_products(&p, REAL(vector), count, field, REAL(by), REAL(result)));
  UNPROTECT(1);
  return result;
}

static local_sets sets_of(const local_pairs *p, SEXP sets) {
  return (local_sets){.sets = given_of(sets, p->a.n), .p = p};
}

SEXP C_localGiven(SEXP among, SEXP sets, SEXP weights) {
  const local_pairs p = pairs_of(among);
  const local_sets s = sets_of(&p, sets);
  const int of_weights = Rf_asLogical(weights), columns = of_weights ? (int)s.sets.most : s.sets.columns;
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)(p.a.n - s.sets.ahead), 1 + columns));
  ENGINE_RUN("gpFit", local_given(&s, of_weights, REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_localSums(SEXP among, SEXP sets, SEXP fields, SEXP by) {
  const local_pairs p = pairs_of(among);
  local_sets s = sets_of(&p, sets);
  s.sets.count = Rf_length(fields);
  int *field = (int *)R_alloc((size_t)s.sets.count + 1, sizeof *field);
  for (int k = 0; k < s.sets.count; k++) field[k] = INTEGER(fields)[k] - 1; /* LOCAL_DIAGONAL for 0 */
  s.field = field;
  s.by = REAL(by);
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t)given_sums_size(&s.sets)));
  int64_t bad = 0;
  ENGINE_RUN("gpFit", local_sums(&s, REAL(VECTOR_ELT(result, 0)), &bad));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double)bad));
  UNPROTECT(1);
  return result;
}
