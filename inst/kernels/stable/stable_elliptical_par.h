/* stable_elliptical_par.h: columns of the kernels of elliptical stable distributions, and layout of the table of one
 * distribution, which is the par of a task.
 *
 * The radius has three parts with coordinates of their own, in which log h is smooth:
 *   head  r < r0:       s = (r/r0)^2,                  log h
 *   core  r0 <= r < r1: s = log r,                     log h
 *   tail  r1 <= r:      s = (r/r1)^-alpha,             log h + (d + alpha) log(r/r1)
 * Each is cut into equal cells, whose map says where the panel of each begins; at par[ELLIPTICAL_NOWHERE] is the
 * panel of what no other covers. A panel has three polynomials of ELLIPTICAL_TERMS Chebyshev terms in
 * (s - centre) rate: that of the value; that of dlog h/dlog r, divided by s in the head; and that of the derivative
 * by alpha, in the tail of what is left of it less log(r/r1) (d + dlog h/dlog r)/alpha, for r^-alpha has that
 * derivative. (Differences of a value would not do for its derivative: log h may be thousands where it hardly
 * changes.) */
#ifndef STATCL_STABLE_ELLIPTICAL_PAR_H
#define STATCL_STABLE_ELLIPTICAL_PAR_H

/* Columns in, and, of values alone, out */
#define ELLIPTICAL_ALPHA 0
#define ELLIPTICAL_D 1
#define ELLIPTICAL_R 2
#define ELLIPTICAL_IN 3

#define ELLIPTICAL_LOG_H 0
#define ELLIPTICAL_BY_R 1
#define ELLIPTICAL_BY_ALPHA 2
#define ELLIPTICAL_OUT 3

#define ELLIPTICAL_TERMS 14

#define ELLIPTICAL_TABLE_ALPHA 0
#define ELLIPTICAL_TABLE_D 1
#define ELLIPTICAL_LOG_R0 2
#define ELLIPTICAL_LOG_R1 3
#define ELLIPTICAL_SLOPES 4     /* are derivatives wanted? */
#define ELLIPTICAL_SEGMENTS 5   /* of three numbers: where it begins, cells per unit, first cell of the map */
#define ELLIPTICAL_NOWHERE 14

#define ELLIPTICAL_CENTRE 0
#define ELLIPTICAL_RATE 1
#define ELLIPTICAL_VALUE 2
#define ELLIPTICAL_FALL (ELLIPTICAL_VALUE + ELLIPTICAL_TERMS)
#define ELLIPTICAL_TURN (ELLIPTICAL_FALL + ELLIPTICAL_TERMS)
#define ELLIPTICAL_PANEL (ELLIPTICAL_TURN + ELLIPTICAL_TERMS)

#define ELLIPTICAL_MAPS (ELLIPTICAL_NOWHERE + ELLIPTICAL_PANEL)

#endif
