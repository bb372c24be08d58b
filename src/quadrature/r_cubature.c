/* r_cubature.c: integrals over boxes between R and quadrature/cubature.h, round by round: R maps the nodes of a round
 * to the range of an integral and evaluates what is integrated there. */
#include "quadrature/r_cubature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "glue/r_engine.h"
#include "glue/r_vec.h"
#include "quadrature/cubature.h"

enum { CUBATURE_VARIABLES = 30 };

static void finalize(SEXP pointer) {
  cubature_close(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

static cubature *cubature_of(SEXP pointer) {
  cubature *c = R_ExternalPtrAddr(pointer);
  if (!c) Rf_error("integrals over boxes that are gone");
  return c;
}

static void succeed(status st) {
  if (st) engine_raise(st);
}
SEXP C_cubeOpen(SEXP size, SEXP tolerance, SEXP n) {
  const cubature_options o = {INTEGER(size)[0], INTEGER(size)[1], REAL(tolerance)[0], REAL(tolerance)[1],
                              INTEGER(size)[2], INTEGER(size)[3]};
  cubature *c = NULL;
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(pointer, finalize, TRUE);
  if (o.d < CUBATURE_LEAST || o.d > CUBATURE_MOST || o.m < 1) Rf_error("boxes of %d variables", o.d);
  const status st = cubature_open(&o, (int64_t)Rf_asReal(n), &c);
  R_SetExternalPtrAddr(pointer, c);
  succeed(st);
  UNPROTECT(1);
  return pointer;
}

/* The nodes of the rule in (-1, 1)^d, a row each. */
SEXP C_cubeNodes(SEXP d) {
  cubature_rule rule;
  if (cubature_rule_make(Rf_asInteger(d), &rule)) engine_raise(fail(STATUS_MEMORY, "integrategpu: out of memory"));
  SEXP nodes = PROTECT(Rf_allocMatrix(REALSXP, rule.n, rule.d));
  for (int i = 0; i < rule.n; i++)
    for (int k = 0; k < rule.d; k++) REAL(nodes)[k * rule.n + i] = rule.node[i * rule.d + k];
  free(rule.node);
  UNPROTECT(1);
  return nodes;
}

/* The nodes of the next round and the numbers of their integrals, from 1 on; NULL where there is none. */
SEXP C_cubeRound(SEXP pointer) {
  cubature *c = cubature_of(pointer);
  int64_t n;
  succeed(cubature_round(c, &n));
  if (!n) return R_NilValue;
  const char *names[] = {"u", "row", ""};
  SEXP round = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP u = SET_VECTOR_ELT(round, 0, vec_matrix("integrategpu", (R_xlen_t)n, cubature_opened(c)->d));
  SEXP row = SET_VECTOR_ELT(round, 1, Rf_allocVector(REALSXP, (R_xlen_t)n));
  cubature_points(c, REAL(u), REAL(row));
  for (int64_t i = 0; i < n; i++) REAL(row)[i] += 1;
  UNPROTECT(1);
  return round;
}

SEXP C_cubeValues(SEXP pointer, SEXP values, SEXP size) {
  cubature *c = cubature_of(pointer);
  if (TYPEOF(values) != REALSXP || TYPEOF(size) != REALSXP ||
      XLENGTH(values) != XLENGTH(size) * cubature_opened(c)->m)
    Rf_error("values of an integrand are wrong");
  succeed(cubature_values(c, REAL(values), REAL(size)));
  return R_NilValue;
}

/* Of all integrals; bad: for those of code 7 centre and half sides of a box. */
SEXP C_cubeResult(SEXP pointer, SEXP n) {
  cubature *c = cubature_of(pointer);
  const int count = Rf_asInteger(n), m = cubature_opened(c)->m, d = cubature_opened(c)->d;
  const char *names[] = {"value", "abs.error", "subdivisions", "evaluations", "code", "bad", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  double *value = REAL(SET_VECTOR_ELT(result, 0, Rf_allocMatrix(REALSXP, m, count)));
  double *error = REAL(SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, m, count)));
  int *boxes = INTEGER(SET_VECTOR_ELT(result, 2, Rf_allocVector(INTSXP, count)));
  double *evaluations = REAL(SET_VECTOR_ELT(result, 3, Rf_allocVector(REALSXP, count)));
  int *code = INTEGER(SET_VECTOR_ELT(result, 4, Rf_allocVector(INTSXP, count)));
  double *place = REAL(SET_VECTOR_ELT(result, 5, Rf_allocMatrix(REALSXP, 2 * d, count)));
  for (int i = 0; i < count; i++) {
    cubature_outcome out;
    const double *bad = cubature_result(c, i, &out);
    memcpy(value + (size_t)i * (size_t)m, out.value, (size_t)m * sizeof *value);
    memcpy(error + (size_t)i * (size_t)m, out.error, (size_t)m * sizeof *error);
    boxes[i] = (int)out.boxes;
    evaluations[i] = out.evaluations;
    code[i] = out.code;
    for (int k = 0; k < 2 * d; k++) place[i * 2 * d + k] = bad ? bad[k] : NAN;
  }
  finalize(pointer);
  UNPROTECT(1);
  return result;
}

/* A point of the cube, w = 1 - 2 v: half-lines by v/(1 - v), lines by -w/(v (1 - v)). */
static double to_range(double low, double high, double v, double *slope) {
  if (isnan(low) || isnan(high)) return *slope = NAN;
  const int forward = low <= high;
  const double a = forward ? low : high, b = forward ? high : low, sign = forward ? 1 : -1, w = 1 - v;
  if (isfinite(a) && isfinite(b)) {
    *slope *= sign * (b - a);
    return a + (b - a) * v;
  }
  if (isfinite(a) || isfinite(b)) {
    *slope *= sign / (w * w);
    return isfinite(a) ? a + v / w : b - v / w;
  }
  *slope *= sign * (1 - 2 * v * w) / ((v * w) * (v * w));
  return (2 * v - 1) / (v * w);
}

/* One variable of points of the cube: x, and size times the slope there. Limits are single numbers or one each. */
SEXP C_cubeRange(SEXP low, SEXP high, SEXP v, SEXP size) {
  const R_xlen_t n = XLENGTH(v);
  const char *names[] = {"x", "size", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  double *x = REAL(SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, n)));
  double *slope = REAL(SET_VECTOR_ELT(result, 1, Rf_allocVector(REALSXP, n)));
  const double *a = REAL(low), *b = REAL(high), *at = REAL(v), *before = REAL(size);
  const R_xlen_t step_a = XLENGTH(low) > 1, step_b = XLENGTH(high) > 1, step = XLENGTH(size) > 1;
  for (R_xlen_t i = 0; i < n; i++) {
    slope[i] = before[i * step];
    x[i] = to_range(a[i * step_a], b[i * step_b], at[i], slope + i);
  }
  UNPROTECT(1);
  return result;
}

/* What parameters of a program are at points: variables after the first by their numbers, and columns of params. */
typedef struct {
  int d, n;                   /* variables, parameters */
  const double *low[CUBATURE_VARIABLES], *high[CUBATURE_VARIABLES];
  R_xlen_t many_low[CUBATURE_VARIABLES], many_high[CUBATURE_VARIABLES];
  const double **column;      /* of each parameter, NULL of variables */
  R_xlen_t *rows;
  const int *variable;
} point_spec;

static point_spec read_spec(SEXP spec) {
  SEXP low = vec_element(spec, "lower"), high = vec_element(spec, "upper"), columns = vec_element(spec, "columns");
  point_spec s = {.d = Rf_length(low), .n = Rf_length(columns), .variable = INTEGER(vec_element(spec, "variable"))};
  if (s.d > CUBATURE_VARIABLES) Rf_error("boxes of %d variables", s.d);
  for (int k = 0; k < s.d; k++) {
    s.low[k] = REAL(VECTOR_ELT(low, k));
    s.high[k] = REAL(VECTOR_ELT(high, k));
    s.many_low[k] = XLENGTH(VECTOR_ELT(low, k));
    s.many_high[k] = XLENGTH(VECTOR_ELT(high, k));
  }
  s.column = (const double **)R_alloc((size_t)s.n + 1, sizeof *s.column);
  s.rows = (R_xlen_t *)(void *)R_alloc((size_t)s.n + 1, sizeof *s.rows);
  for (int p = 0; p < s.n; p++) {
    SEXP v = VECTOR_ELT(columns, p);
    s.column[p] = s.variable[p] ? NULL : REAL(v);
    s.rows[p] = XLENGTH(v);
  }
  return s;
}

static R_xlen_t recycled(R_xlen_t i, R_xlen_t n) { return i < n ? i : i % n; }

/* Points u of the cube, a row each, of integrals `row`, where all limits are numbers: the first variable x, the rows
 * of parameters of a program, and the size of the cube's image there. spec: see cube_spec() in R. */
SEXP C_cubeRows(SEXP u, SEXP row, SEXP spec) {
  const point_spec s = read_spec(spec);
  const R_xlen_t n = XLENGTH(row);
  const char *names[] = {"x", "rows", "size", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  double *x = REAL(SET_VECTOR_ELT(result, 0, Rf_allocVector(REALSXP, n))), *rows = NULL;
  if (s.n) rows = REAL(SET_VECTOR_ELT(result, 1, Rf_allocMatrix(REALSXP, s.n, (int)n)));
  double *size = REAL(SET_VECTOR_ELT(result, 2, Rf_allocVector(REALSXP, n)));
  const double *from = REAL(u), *number = REAL(row);
  for (R_xlen_t i = 0; i < n; i++) {
    const R_xlen_t at = (R_xlen_t)number[i] - 1;
    double value[CUBATURE_VARIABLES], slope = 1;
    for (int k = 0; k < s.d; k++)
      value[k] = to_range(s.low[k][recycled(at, s.many_low[k])], s.high[k][recycled(at, s.many_high[k])],
                          from[k * n + i], &slope);
    x[i] = value[0];
    size[i] = slope;
    for (int p = 0; p < s.n; p++)
      rows[i * s.n + p] = s.column[p] ? s.column[p][recycled(at, s.rows[p])] : value[s.variable[p] - 1];
  }
  UNPROTECT(1);
  return result;
}

/* Points of a lattice, a row each: those of each shift next to each other, and all of these so many times. numbers: m
 * of 2^m points, their step (2: odd ones), the first and how many. */
SEXP C_latticePoints(SEXP vector, SEXP numbers, SEXP shifts, SEXP times) {
  const int d = Rf_ncols(shifts), r = Rf_nrows(shifts), m = (int)REAL(numbers)[0];
  const int64_t step = (int64_t)REAL(numbers)[1], first = (int64_t)REAL(numbers)[2], n = (int64_t)REAL(numbers)[3];
  const int64_t rows = n * r, all = rows * Rf_asInteger(times), mask = ((int64_t)1 << m) - 1;
  SEXP result = PROTECT(vec_matrix("integrategpu", (R_xlen_t)all, d));
  for (int k = 0; k < d; k++) {
    double *u = REAL(result) + k * all;
    for (int s = 0; s < r; s++)
      for (int64_t i = 0; i < n; i++) {
        const int64_t number = step * (first + i) + (step > 1);
        const double at = ldexp((double)(number * INTEGER(vector)[k] & mask), -m) + REAL(shifts)[k * r + s];
        const double tent = 1 - fabs(2 * (at >= 1 ? at - 1 : at) - 1);
        u[s * n + i] = fmin(fmax(tent, 0x1p-54), 1 - 0x1p-53); /* within the cube */
      }
    for (int64_t i = rows; i < all; i++) u[i] = u[i - rows];
  }
  UNPROTECT(1);
  return result;
}
