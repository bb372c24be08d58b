/* quadrature_panels.h: the panels of the integrals at work, and how integrals are begun. */
#ifndef STATCL_QUADRATURE_PANELS_H
#define STATCL_QUADRATURE_PANELS_H

#include <stdint.h>

#include "engine/errors.h"

enum { HALVINGS = 4 /* after which a panel is called rough */, HALF_LINE = 16 /* steps on one at most */ };

/* Panels of the integrals at work, those of an integral next to each other and mostly by x. */
typedef struct {
  double *centre, *half, *kind, *anchor, *rough, *row;
  unsigned char *bad, *depth; /* halvings with values that are not finite, and in all */
  int64_t n, room;
} panel_list;

status panels_room(panel_list *a, int64_t n);
void panels_free(panel_list *a);
/* n panels from first on, where they are. */
panel_list panels_part(const panel_list *a, int64_t first, int64_t n);

/* Have panels i and k an end in common? */
int panels_adjoin(const panel_list *a, int64_t i, int64_t k);

/* For these there is room. Puts panels of from, first and those after it, at a position. */
void panels_put(panel_list *to, int64_t at, const panel_list *from, int64_t first);
/* bad: halvings with values that are not finite; depth: all halvings. */
void panels_add(panel_list *a, double centre, double half, double kind, double anchor, double row, int bad,
                int depth);
void panels_copy(panel_list *to, const panel_list *from, int64_t i);
/* Both halves of panel i. */
void panels_split(panel_list *to, const panel_list *from, int64_t i, int bad);
/* First panels between two points, equal ones, and of a half-line from end on in direction 1 or -1. */
void panels_add_piece(panel_list *a, double from, double to, double row, int32_t panels);
void panels_add_half_line(panel_list *a, double direction, double end, double row, int32_t panels);

/* Doubles, for qsort(). */
int ascending(const void *a, const void *b);

#endif
