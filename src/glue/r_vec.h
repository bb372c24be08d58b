/* r_vec.h: R's manners for vectorised functions, written once: numeric arguments without copies, recycling,
 * attributes of the first longest argument, NA before NaN, and the single warning. */
#ifndef STATCL_R_VEC_H
#define STATCL_R_VEC_H

#define R_NO_REMAP
#include <Rinternals.h>

#include "engine/backend.h"

enum { VEC_MAX = 8 };

typedef struct {
  int n_arg;
  SEXP arg[VEC_MAX];   /* as given: attributes are taken from here */
  column col[VEC_MAX]; /* the same as doubles */
  R_xlen_t n;          /* length of the result */
} vec_call;

/* Values of class integer64 of package bit64, which has whole numbers in the bits of doubles, as doubles without the
 * class; all else as it is. */
SEXP vec_plain(SEXP values);
SEXP C_plainNumbers(SEXP values);
/* Reads n_arg arguments; an error if one is not numeric. The value keeps coerced arguments alive: protect it. */
SEXP vec_open(vec_call *v, int n_arg, const SEXP *arg);
/* Columns only, without the rules for d/p/q functions: for parameters of r functions. */
SEXP vec_columns(column *col, int n_arg, const SEXP *arg);
/* Asks the system for larger pages, where it gives them to those that ask, and for all pages of a vector of moderate
 * size, before doubles or ints are written to it; the value is the vector. */
SEXP vec_large_pages(SEXP result);
/* A numeric vector for the result: protect it. */
SEXP vec_result(const vec_call *v);
/* A numeric matrix; an error that names the caller where there are more rows than R's matrices can have. */
SEXP vec_matrix(const char *name, R_xlen_t rows, int columns);
/* Sets missing values of a result; nonzero if a NaN is due to the parameters. */
int vec_missing(const vec_call *v, SEXP result);
/* Sets missing values and attributes of the result; warns once if a NaN is due to the parameters. */
void vec_close(const vec_call *v, SEXP result);

/* What a list has by this name; R_NilValue where it has none. */
SEXP vec_element(SEXP list, const char *name);
/* The same as doubles: NULL where it has none, an error unless they are n (-1: any number). */
double *vec_doubles(SEXP list, const char *name, R_xlen_t n);
/* ... and as one number of any type. */
double vec_number(SEXP list, const char *name, double otherwise);

/* The number of a choice by its name, in a list of NAMES(); an error where it is none of them. */
int enum_of(SEXP name, const char *const *names);

#define VEC_CALLS CALL(plainNumbers, 1)

#endif
