/* stable_table.h: layout of the table of one distribution, which is the par of a task.
 *
 * par[0 ..] is the header. A segment is a range of the coordinate s in equal cells; its map says where the panel of
 * each begins. At par[TABLE_NOWHERE] is the panel of what no other covers: its first number is TABLE_NOWHERE, the
 * rest 0. A panel holds polynomials of TABLE_TERMS Chebyshev terms in tau = (s - centre) rate: log f and the log of
 * the smaller tail, or for quantiles one of them. Coordinates: s = log|y| (by_zeta) or s = log(1 + |x|), one segment
 * for each sign; for quantiles s = log(P(X <= x)/P(X > x)) and the value asinh(x), or with mass = P(zeta < X <= x) on
 * the right of zeta s = log(mass/P(X > x)), on the left likewise, and the value log|y|. */
#ifndef STATCL_STABLE_TABLE_H
#define STATCL_STABLE_TABLE_H

#define TABLE_TERMS 16

#define TABLE_LOG 0     /* logs given or wanted? */
#define TABLE_WHAT 1    /* TABLE_DENSITY, TABLE_LOWER, TABLE_UPPER */
#define TABLE_BY_ZETA 2
#define TABLE_PART_L 3  /* P(X > zeta) and P(X <= zeta) */
#define TABLE_PART_R 4
#define TABLE_SEGMENT_0 5
#define TABLE_SEGMENT_1 9
#define TABLE_NOWHERE 13

#define TABLE_DENSITY 0
#define TABLE_LOWER 1
#define TABLE_UPPER 2

#define SEGMENT_LOW 0
#define SEGMENT_RATE 1 /* cells per unit of s */
#define SEGMENT_CELLS 2
#define SEGMENT_MAP 3

#define PANEL_CENTRE 0
#define PANEL_RATE 1
#define PANEL_UPPER 2 /* is the smaller tail the upper one? */
#define PANEL_VALUES 3
#define PANEL_SIZE (PANEL_VALUES + 2 * TABLE_TERMS)

#define TABLE_MAPS (TABLE_NOWHERE + PANEL_SIZE)

#endif
