/* quadrature_front.h: the panels of the integrals at work, and how integrals are begun. */
#ifndef STATCL_QUADRATURE_FRONT_H
#define STATCL_QUADRATURE_FRONT_H

#include <stdint.h>

#include "engine/errors.h"

enum { HALVINGS = 4 /* after which a panel is called rough */ };

/* Panels of the integrals at work, those of an integral next to each other and mostly by x. */
typedef struct {
  double *centre, *half, *kind, *anchor, *rough, *row;
  unsigned char *bad, *depth; /* halvings with values that are not finite, and in all */
  int64_t n, room;
} front;

status front_room(front *a, int64_t n);
void front_free(front *a);

/* Have panels i and k an end in common? */
int front_adjoin(const front *a, int64_t i, int64_t k);

/* For these there is room. Puts panels of from, first and those after it, at a position. */
void front_put(front *to, int64_t at, const front *from, int64_t first);
/* bad: halvings with values that are not finite; depth: all halvings. */
void front_add(front *a, double centre, double half, double kind, double anchor, double row, int bad, int depth);
void front_copy(front *to, const front *from, int64_t i);
/* Both halves of panel i. */
void front_split(front *to, const front *from, int64_t i, int bad);
/* Equal panels between two points of t, and of a half-line from end on in direction kind. */
void front_add_piece(front *a, double from, double to, double kind, double anchor, double row, int32_t panels);
void front_add_half_line(front *a, double kind, double end, double row, int32_t panels);

#endif
