/* quadrature_border.c: see quadrature_border.h. What lies between the outermost nodes of neighbouring panels is seen
 * by neither: a jump or a kink there, or a peak beside it, leaves values or slopes at both sides that do not fit. */
#include "quadrature/quadrature_border.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 10 /* at either side of a border */ };

static size_t size_of(int m) { return sizeof(laid_panel) + (size_t)m * sizeof(laid_component); }

laid_panel *laid_at(const laid_panels *l, int32_t i) {
  return (laid_panel *)(void *)(l->memory + size_of(l->m) * (size_t)i);
}

status laid_room(laid_panels *l, int64_t n) {
  int32_t room = l->room ? l->room : 16;
  if (n <= l->room) return STATUS_OK;
  while (room < n) room *= 2;
  char *larger = realloc(l->memory, ((size_t)room + 1) * size_of(l->m)); /* one to sort with */
  if (!larger) return fail(STATUS_MEMORY, "out of memory for %lld panels", (long long)n);
  l->memory = larger;
  l->room = room;
  return STATUS_OK;
}

laid_panel *laid_add(laid_panels *l, const panel_round *r, int64_t i, int is_open) {
  laid_panel *p = laid_at(l, l->n++);
  const double kind = r->panel.kind[i], centre = r->panel.centre[i], h = r->panel.half[i];
  const int turned = kind > 0; /* x falls as t rises */
  const panel_span s = kind == 0 ? span_of_x(centre, h) : span_of_t(centre, h, kind, r->panel.anchor[i]);
  p->centre = centre;
  p->half = h;
  p->kind = kind;
  p->anchor = r->panel.anchor[i];
  p->is_open = is_open;
  p->low = s.low;
  p->high = s.high;
  p->low_gap = s.low_gap;
  p->high_gap = s.high_gap;
  for (int k = 0; k < l->m; k++) {
    const double *of = round_results(r, k, 0) + i;
    const double at_first = of[PANEL_LOW * r->stride], slope_first = of[PANEL_LOW_SLOPE * r->stride] / s.by_first;
    const double at_last = of[PANEL_HIGH * r->stride], slope_last = of[PANEL_HIGH_SLOPE * r->stride] / s.by_last;
    p->of[k] = (laid_component){.value = of[PANEL_VALUE * r->stride],
                                .error = of[PANEL_ERROR * r->stride],
                                .floor = of[PANEL_FLOOR * r->stride],
                                .at_low = turned ? at_last : at_first,
                                .slope_low = turned ? slope_last : slope_first,
                                .at_high = turned ? at_first : at_last,
                                .slope_high = turned ? slope_first : slope_last};
  }
  return p;
}

static int by_low_end(const void *a, const void *b) {
  const double x = ((const laid_panel *)a)->low, y = ((const laid_panel *)b)->low;
  return (x > y) - (x < y);
}

void laid_sort(laid_panels *l) {
  const size_t size = size_of(l->m);
  laid_panel *moved = laid_at(l, l->room);
  int32_t k;
  if (l->n > 100) {
    qsort(l->memory, (size_t)l->n, size, by_low_end);
    return;
  }
  for (int32_t i = 1; i < l->n; i++) { /* nearly sorted as they come */
    if (laid_at(l, i)->low >= laid_at(l, i - 1)->low) continue;
    memcpy(moved, laid_at(l, i), size);
    for (k = i; k > 0 && laid_at(l, k - 1)->low > moved->low; k--) continue;
    memmove(laid_at(l, k + 1), laid_at(l, k), size * (size_t)(i - k));
    memcpy(laid_at(l, k), moved, size);
  }
}

void laid_drop_open(laid_panels *l) {
  const int32_t n = l->n;
  l->n = 0;
  for (int32_t i = 0; i < n; i++)
    if (!laid_at(l, i)->is_open) memmove(laid_at(l, l->n++), laid_at(l, i), size_of(l->m));
}

/* By how much values and slopes of component k at both sides of a border differ. */
static double jump_at(const laid_panel *left, const laid_panel *right, int k) {
  return fabs(left->of[k].at_high - right->of[k].at_low);
}
static double bend_at(const laid_panel *left, const laid_panel *right, int k) {
  return fabs(left->of[k].slope_high - right->of[k].slope_low);
}

/* What a jump or a kink beside the border may hide, above the errors that the panels are known to have. */
static double hidden_at(const laid_panel *left, const laid_panel *right, int k) {
  return hidden_by(max_(left->high_gap, right->low_gap), jump_at(left, right, k), bend_at(left, right, k),
                   left->of[k].error, right->of[k].error);
}

/* Is there something to compare between these neighbours? Not at break points, and open panels are compared with
 * finished ones: next to each other they have a singularity between them. */
static int is_border(const laid_panel *left, const laid_panel *right, const border_terms *t) {
  if (isinf(left->high) || (left->is_open && right->is_open)) return 0;
  for (int64_t i = 0; i < t->n_break; i++)
    if (fabs(right->low - t->breaks[i]) <= 1e-12 * fabs(right->low)) return 0;
  return 1;
}

double borders_look(const laid_panels *l, const border_terms *t, double *hidden) {
  int32_t borders = 0;
  for (int k = 0; k < l->m; k++) hidden[k] = 0;
  for (int32_t i = 0; i + 1 < l->n; i++) {
    const laid_panel *left = laid_at(l, i), *right = laid_at(l, i + 1);
    int some = 0;
    if (!is_border(left, right, t)) continue;
    for (int k = 0; k < l->m; k++) {
      const double here = hidden_at(left, right, k);
      hidden[k] += here;
      some |= here > 0;
    }
    borders += some;
  }
  return 0.1 / (borders ? borders : 1);
}

/* Which gap behind panel i would be harmless: hide at most this share of the tolerance; infinite where the one there
 * is does. */
static double harmless_gap(const laid_panels *l, int32_t i, const border_terms *t, double share) {
  const laid_panel *left = laid_at(l, i), *right = laid_at(l, i + 1);
  double gap = INFINITY;
  if (!is_border(left, right, t)) return gap;
  for (int k = 0; k < l->m; k++) {
    const double may = 0.5 * share * t->tolerance[k];
    if (hidden_at(left, right, k) > 2 * may)
      gap = fmin(gap, fmin(may / jump_at(left, right, k), sqrt(2 * may / bend_at(left, right, k))));
  }
  return gap;
}

/* Points to cut a panel at whose end at x is such a border, direction 1 upwards: a piece of 8 gaps, of whose gaps 8,
 * and so on. */
static int cuts_towards(double x, double direction, double gap, double width, double harmless, double *cut) {
  int n = 0;
  while (gap > harmless && n < MOST_CUTS) {
    const double size = fmin(8 * gap, 0.5 * width);
    if (!(size > 16 * DBL_EPSILON * fabs(x))) break;
    cut[n++] = x + direction * size;
    width = size;
    gap = 0.5 * FIRST_NODE * size;
  }
  return n;
}

/* Pieces of a panel between such points. */
static status cut_panel(const laid_panel *p, const double *cut, int n, panel_list *a, double row) {
  const double high = p->centre + p->half;
  double from = p->centre - p->half, t[2 * MOST_CUTS + 1];
  status st = panels_room(a, a->n + n + 1);
  if (st) return st;
  for (int i = 0; i < n; i++) t[i] = p->kind == 0 ? cut[i] : 1 / (1 + fabs((cut[i] - p->anchor) / p->kind));
  qsort(t, (size_t)n, sizeof *t, ascending);
  t[n] = high;
  for (int i = 0; i <= n; i++) {
    if (!(t[i] > from) || t[i] > high) continue;
    const double half = 0.5 * (t[i] - from);
    panels_add(a, from + half, half, p->kind, p->anchor, row, 0, HALVINGS);
    from = t[i];
  }
  return STATUS_OK;
}

status borders_cut(laid_panels *l, const border_terms *t, double share, panel_list *a, double row) {
  double cut[2 * MOST_CUTS], before = INFINITY;
  status st = STATUS_OK;
  for (int32_t i = 0; i < l->n && !st; i++) {
    laid_panel *p = laid_at(l, i);
    const double after = i + 1 < l->n ? harmless_gap(l, i, t, share) : INFINITY;
    if (!p->is_open) {
      int n = cuts_towards(p->low, 1, p->low_gap, p->high - p->low, before, cut);
      n += cuts_towards(p->high, -1, p->high_gap, p->high - p->low, after, cut + n);
      if (n) st = cut_panel(p, cut, n, a, row);
      if (n) p->is_open = 1;
    }
    before = after;
  }
  return st;
}
