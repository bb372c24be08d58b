/* r_cubature.h: see r_cubature.c. */
#ifndef STATCL_R_CUBATURE_H
#define STATCL_R_CUBATURE_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_cubeOpen(SEXP size, SEXP tolerance, SEXP n);
SEXP C_cubeNodes(SEXP d);
SEXP C_cubeRound(SEXP pointer);
SEXP C_cubeValues(SEXP pointer, SEXP values, SEXP size);
SEXP C_cubeResult(SEXP pointer, SEXP n);
SEXP C_cubeRange(SEXP low, SEXP high, SEXP v, SEXP size);
SEXP C_cubeRows(SEXP u, SEXP row, SEXP spec);
SEXP C_latticePoints(SEXP vector, SEXP numbers, SEXP shifts, SEXP times);

#define CUBATURE_CALLS \
  CALL(cubeOpen, 3) CALL(cubeNodes, 1) CALL(cubeRound, 1) CALL(cubeValues, 3) CALL(cubeResult, 2) CALL(cubeRange, 4) \
  CALL(cubeRows, 3) CALL(latticePoints, 4)

#endif
