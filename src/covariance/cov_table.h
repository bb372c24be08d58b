/* cov_table.h: tables of functions of one variable (cov_source.h), as the kernels of covariance.cl read them. */
#ifndef STATCL_COV_TABLE_H
#define STATCL_COV_TABLE_H

#include "covariance/cov_source.h"

enum { COV_MOST_OCTAVES = 68 }; /* of a table */

/* For 2^low <= x < 2^high, octave by octave: layout of inst/kernels/covariance/covariance_par.h. */
typedef struct {
  int low, high, columns, single;
  int64_t cells;
  double below, above; /* F next to the table, NaN: unknown */
  double error;        /* largest difference from direct values between the nodes, in DBL_EPSILON */
  double zones[9], *coefficients;
  int holders, dropped;
} cov_table;

/* The table of these columns (bits NEED_) for x from 2^low to 2^high, kept for later calls and held until it is
 * released. *found NULL where none serves. */
status cov_table_find(const cov_source *s, int columns, int single, int low, int high, const cov_table **found);
void cov_table_release(const cov_table *t);
/* The coefficients of n tables one after the other, with cells alike, into a table that is the caller's, who frees
 * these. 0: the tables do not have the same octaves and columns, or there is no memory. */
int cov_tables_alike(int n, const cov_table *const *t, cov_table *to);
/* Forgets all tables that nobody holds. */
void cov_tables_drop(void);

int cov_cell_numbers(const cov_table *t);
/* Nominal cost of making one: so many direct values. */
int64_t cov_table_cost(const cov_source *s, int columns, int low, int high);

#endif
