/* r_neighbours.h: .Call entries behind R/gp-neighbours.R, which has checked the arguments: numeric matrices of
 * points, whole numbers, groups without missing values or NULL. Rows are counted from 1 in R. */
#ifndef STATCL_R_NEIGHBOURS_H
#define STATCL_R_NEIGHBOURS_H

#define R_NO_REMAP
#include <Rinternals.h>

/* An order of the rows of x, with the attribute "least". */
SEXP C_gpOrdering(SEXP x);
/* An order of the rows of x, sorted within classes of rank (gp/curve.h). */
SEXP C_gpRankClasses(SEXP x, SEXP order);
/* For rows first ... n the m nearest of the rows before them, a column each, with the attribute "least". */
SEXP C_gpNeighbours(SEXP x, SEXP m, SEXP first);
/* And for the rows of a matrix those of another one. */
SEXP C_gpNeighboursAmong(SEXP x, SEXP data, SEXP m, SEXP group, SEXP data_group);
/* And those of the first before[i] rows of data. */
SEXP C_gpNeighboursBefore(SEXP x, SEXP before, SEXP data, SEXP m);
/* Rows of x, `size` after the other of one cell. */
SEXP C_gpCells(SEXP x, SEXP size);

#define NEIGHBOURS_CALLS                                                                                     \
  CALL(gpOrdering, 1) CALL(gpNeighbours, 3) CALL(gpNeighboursAmong, 5) CALL(gpNeighboursBefore, 4) \
  CALL(gpCells, 2) CALL(gpRankClasses, 2)

#endif
