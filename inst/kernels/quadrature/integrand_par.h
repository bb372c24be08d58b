/* integrand_par.h: what kernels of integrands find in par, for the kernels and the host side.
 *
 * Places of the head, then, wherever the head says: the constants and tables; parameters of row 0, row 1, ...; the
 * program that the interpreter of CPUs runs. Its values live in slots: uniform ones, one value per lane (constants,
 * then parameters where a lane is in one row), and varying ones, one value per node and lane (x, parameters where
 * they vary, results of library operations, temporaries). Slots are numbered in that order. */
#ifndef STATCL_INTEGRAND_PAR_H
#define STATCL_INTEGRAND_PAR_H

enum {
  PAR_CONSTANTS,      /* place of the constants */
  PAR_N_CONSTANT,
  PAR_ROWS,           /* place of row 0 */
  PAR_ROW_STRIDE,
  PAR_PROGRAM,        /* indices of the parameters that are loaded, then operations */
  PAR_N_PARAMETER,
  PAR_N_LIBRARY,
  PAR_N_OP,
  PAR_N_UNIFORM,      /* slots */
  PAR_N_OUTPUT,
  PAR_OUTPUTS,        /* place of the outputs' slots, all varying */
  PAR_SHIFT,          /* of quad_panels: place within a row of what is taken off each logarithm, or -1: see there */
  PAR_LEFT,           /* of quad_pairs: the ends of all intervals, half the length of one */
  PAR_RIGHT,
  PAR_STEP,
  PAR_RUN,            /* intervals that one point adds up, of a block of so many; of quad_sums, elements */
  PAR_THREADS,
  PAR_DATA,           /* of quad_sums: place of the vectors of data, each of so many elements */
  PAR_SIZE,
  PAR_FOLD,           /* and what is done with the values: one of FOLD_... */
  PAR_POINTS,         /* rows, each for all runs of elements */
  PAR_ON_RANGE,       /* of quad_first: first panels on a finite range, a half-line, and each half of the line; */
  PAR_ON_HALF_LINE,
  PAR_ON_LINE,
  PAR_RELATIVE,       /* tolerances */
  PAR_ABSOLUTE,
  PAR_HEAD
};

/* Columns of in of quad_map: x, its row, and results of library operations; of out of quad_pairs. */
enum { MAP_X, MAP_ROW, MAP_LIBRARY };
enum { PAIR_VALUE, PAIR_ERROR, PAIR_COLUMNS };
/* Of in and out of quad_first. */
enum { FIRST_LOWER, FIRST_UPPER, FIRST_COLUMNS };
enum { FIRST_COUNT, FIRST_VALUE, FIRST_ERROR, FIRST_RESULTS };
/* Of out of quad_sums: LOST is what rounding took from a sum. */
enum { SUMS_VALUE, SUMS_LOST, SUMS_COLUMNS };
enum { SUMS_NODES = 16 /* blocks of elements that the CPU computes at a time */ };
enum { FOLD_ADD, FOLD_MUL, FOLD_MIN, FOLD_MAX };

/* An operation is OP_WORDS numbers: its number, the slot of its result, and those of three operands. */
enum { OP_WORDS = 5 };

#endif
