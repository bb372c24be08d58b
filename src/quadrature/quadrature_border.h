/* quadrature_border.h: panels of an integral laid side by side: do those on both sides of a border fit? */
#ifndef STATCL_QUADRATURE_BORDER_H
#define STATCL_QUADRATURE_BORDER_H

#include "quadrature/quadrature_round.h"

/* Of a component over a panel: the integral, its error and how much of that is rounding; value and slope by x of the
 * interpolating polynomial at both ends. */
typedef struct {
  double value, error, floor, at_low, slope_low, at_high, slope_high;
} laid_component;

/* Its ends in x, how far before them the outermost nodes are, and where it is in t. An open one is not final: its
 * halves or other pieces are computed. */
typedef struct {
  double low, high, low_gap, high_gap, centre, half, kind, anchor;
  int is_open;
  laid_component of[]; /* components of the integral */
} laid_panel;

/* Panels of an integral of m components, as they came or by x. */
typedef struct {
  char *memory;
  int32_t n, room;
  int m;
} laid_panels;

/* What an integral asks for: the tolerance of each component, and where to expect nothing smooth. */
typedef struct {
  const double *tolerance, *breaks;
  int64_t n_break;
} border_terms;

status laid_room(laid_panels *l, int64_t n);
laid_panel *laid_at(const laid_panels *l, int32_t i);
/* Panel i of a round, for which there is room. */
laid_panel *laid_add(laid_panels *l, const panel_round *r, int64_t i, int is_open);
void laid_sort(laid_panels *l);
void laid_drop_open(laid_panels *l);

/* For panels by x: hidden[k], what jumps and kinks between them may hide of component k. Returns the share of the
 * tolerance that each border may hide: all together a tenth. */
double borders_look(const laid_panels *l, const border_terms *t, double *hidden);

/* Adds to a pieces, of integral row, of those finished panels that hide more at a border, and calls these open. */
status borders_cut(laid_panels *l, const border_terms *t, double share, panel_list *a, double row);

#endif
