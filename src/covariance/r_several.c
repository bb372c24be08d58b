/* r_several.c: covariances of several variables among places between R and the engine. */
#include "covariance/r_several.h"

#include "covariance/r_covariance.h"
#include "covariance/r_given.h"
#include "covariance/several_choose.h"
#include "covariance/several_sets.h"
#include "glue/r_engine.h"
#include "glue/r_vec.h"

static several_pairs pairs_of(SEXP among) {
  const cov_space space = covariance_space(among);
  SEXP parts = vec_element(among, "parts"), variable = vec_element(among, "variable");
  SEXP shared = vec_element(among, "shared"), weight = vec_element(among, "weight");
  const int n = (int)space.n;
  int *number = (int *)R_alloc((size_t)n + 1, sizeof *number);
  for (int i = 0; i < n; i++) number[i] = INTEGER(variable)[i] - 1;
  several_pairs p = {.n = n, .observed = (int64_t)vec_number(among, "observed", n), .metric = space.metric,
                     .terms = Rf_length(parts), .xy = space.a, .weight = REAL(weight), .variable = number,
                     .has = INTEGER(vec_element(among, "has")), .part = covariance_model(parts, R_NilValue, 0).part};
  p.variables = INTEGER(Rf_getAttrib(weight, R_DimSymbol))[0];
  if (Rf_isNull(shared)) return p;
  p.shared = REAL(shared);
  p.place = INTEGER(vec_element(among, "place"));
  return p;
}

SEXP C_severalGiven(SEXP among, SEXP sets, SEXP weights) {
  const several_pairs p = pairs_of(among);
  const int of_weights = Rf_asLogical(weights);
  several_group *group = (several_group *)R_alloc((size_t)p.terms, sizeof *group);
  static const cov_want value = {COV_VALUE, 0, NULL};
  for (int t = 0; t < p.terms; t++) group[t] = (several_group){t, 0, {1, 1, 0, p.part + t, &value}};
  const several_sets s = {.sets = given_of(sets, p.n), .p = &p,
                          .wanted = {.columns = 1, .groups = p.terms, .group = group}};
  const int columns = of_weights ? (int)s.sets.most : s.sets.columns;
  SEXP result = PROTECT(Rf_allocMatrix(REALSXP, (int)(p.n - s.sets.ahead), 1 + columns));
  ENGINE_RUN("gpFit", several_given(&s, of_weights, REAL(result)));
  UNPROTECT(1);
  return result;
}

SEXP C_severalSums(SEXP among, SEXP sets, SEXP slopes) {
  const several_pairs p = pairs_of(among);
  SEXP parts = vec_element(among, "parts"), groups = vec_element(slopes, "groups");
  SEXP turns = vec_element(slopes, "turns");
  several_wanted wanted = {.columns = (int)vec_number(slopes, "columns", 1),
                           .count = (int)vec_number(slopes, "count", 0), .groups = Rf_length(groups),
                           .share = REAL(vec_element(slopes, "share")),
                           .of_nugget = REAL(vec_element(slopes, "nugget")),
                           .of_shared = REAL(vec_element(slopes, "shared"))};
  several_sets s = {.sets = given_of(sets, p.n), .p = &p, .turns = Rf_length(turns)};
  several_group *group = (several_group *)R_alloc((size_t)wanted.groups + 1, sizeof *group);
  several_turn *turn = (several_turn *)R_alloc((size_t)s.turns + 1, sizeof *turn);
  s.sets.count = wanted.count;
  for (int g = 0; g < wanted.groups; g++) {
    SEXP own = VECTOR_ELT(groups, g);
    const int term = (int)vec_number(own, "term", 1) - 1;
    SEXP one = PROTECT(Rf_allocVector(VECSXP, 1));
    SET_VECTOR_ELT(one, 0, VECTOR_ELT(parts, term));
    group[g] = (several_group){term, (int)vec_number(own, "first", 0),
                               covariance_model(one, vec_element(own, "wants"), 0)};
    UNPROTECT(1);
  }
  for (int t = 0; t < s.turns; t++) {
    SEXP own = VECTOR_ELT(turns, t);
    turn[t] = (several_turn){(int)vec_number(own, "term", 1) - 1, (int)vec_number(own, "parameter", 1) - 1,
                             vec_number(own, "range", 1), covariance_map(vec_element(own, "map"))};
  }
  wanted.group = group;
  s.wanted = wanted;
  s.turn = turn;
  SEXP result = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, (R_xlen_t)given_sums_size(&s.sets)));
  int64_t bad = 0;
  ENGINE_RUN("gpFit", several_sums(&s, REAL(VECTOR_ELT(result, 0)), &bad));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal((double)bad));
  UNPROTECT(1);
  return result;
}

SEXP C_severalChoose(SEXP among, SEXP diagonal, SEXP candidates, SEXP lists, SEXP first, SEXP m) {
  const several_pairs p = pairs_of(among);
  const int count = Rf_ncols(candidates), of = Rf_asInteger(lists);
  const several_choice c = {.p = &p, .diagonal = REAL(diagonal), .first = Rf_asInteger(first) - 1, .count = count,
                            .lists = of, .length = Rf_nrows(candidates) / of, .m = Rf_asInteger(m),
                            .candidate = INTEGER(candidates)};
  SEXP result = PROTECT(Rf_allocMatrix(INTSXP, c.m, count));
  ENGINE_RUN("gpFit", several_choose(&c, INTEGER(result)));
  int *row = INTEGER(result);
  for (R_xlen_t i = 0; i < XLENGTH(result); i++)
    if (row[i] < 1) row[i] = NA_INTEGER;
  UNPROTECT(1);
  return result;
}
