/* quadrature_panels.c: see quadrature_panels.h. */
#include "quadrature/quadrature_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/quadrature/quadrature.h"

status panels_room(panel_list *a, int64_t n) {
  double **column[] = {&a->centre, &a->half, &a->kind, &a->anchor, &a->rough, &a->row};
  unsigned char **mark[] = {&a->bad, &a->depth};
  int64_t room = a->room ? a->room : 1024;
  if (n <= a->room) return STATUS_OK;
  while (room < n) room *= 2;
  for (int k = 0; k < 6; k++) {
    double *larger = realloc(*column[k], (size_t)room * sizeof *larger);
    if (!larger) return fail(STATUS_MEMORY, "out of memory for %lld panels", (long long)room);
    *column[k] = larger;
  }
  for (int k = 0; k < 2; k++) {
    unsigned char *larger = realloc(*mark[k], (size_t)room);
    if (!larger) return fail(STATUS_MEMORY, "out of memory for %lld panels", (long long)room);
    *mark[k] = larger;
  }
  a->room = room;
  return STATUS_OK;
}

void panels_free(panel_list *a) {
  free(a->centre);
  free(a->half);
  free(a->kind);
  free(a->anchor);
  free(a->rough);
  free(a->row);
  free(a->bad);
  free(a->depth);
}

panel_list panels_part(const panel_list *a, int64_t first, int64_t n) {
  return (panel_list){a->centre + first, a->half + first, a->kind + first,  a->anchor + first, a->rough + first,
                      a->row + first,    a->bad + first,  a->depth + first, n,                 n};
}

int panels_adjoin(const panel_list *a, int64_t i, int64_t k) {
  const double apart = fabs(a->centre[i] - a->centre[k]);
  return a->kind[i] == a->kind[k] && a->anchor[i] == a->anchor[k] &&
         fabs(apart - a->half[i] - a->half[k]) <= 0.5 * fmin(a->half[i], a->half[k]);
}

void panels_add(panel_list *a, double centre, double half, double kind, double anchor, double row, int bad,
               int depth) {
  const int64_t i = a->n++;
  a->centre[i] = centre;
  a->half[i] = half;
  a->kind[i] = kind;
  a->anchor[i] = anchor;
  a->rough[i] = depth >= HALVINGS;
  a->row[i] = row;
  a->bad[i] = (unsigned char)bad;
  a->depth[i] = (unsigned char)(depth < 255 ? depth : 255);
}

void panels_copy(panel_list *to, const panel_list *from, int64_t i) {
  panels_add(to, from->centre[i], from->half[i], from->kind[i], from->anchor[i], from->row[i], from->bad[i],
            from->depth[i]);
}

void panels_put(panel_list *to, int64_t at, const panel_list *from, int64_t first) {
  const size_t n = (size_t)(from->n - first), size = n * sizeof(double);
  if (!n) return;
  memcpy(to->centre + at, from->centre + first, size);
  memcpy(to->half + at, from->half + first, size);
  memcpy(to->kind + at, from->kind + first, size);
  memcpy(to->anchor + at, from->anchor + first, size);
  memcpy(to->rough + at, from->rough + first, size);
  memcpy(to->row + at, from->row + first, size);
  memcpy(to->bad + at, from->bad + first, n);
  memcpy(to->depth + at, from->depth + first, n);
}

void panels_split(panel_list *to, const panel_list *from, int64_t i, int bad) {
  const double c = from->centre[i], h = 0.5 * from->half[i];
  const double lower = from->kind[i] > 0 ? c + h : c - h, upper = from->kind[i] > 0 ? c - h : c + h;
  panels_add(to, lower, h, from->kind[i], from->anchor[i], from->row[i], bad, from->depth[i] + 1);
  panels_add(to, upper, h, from->kind[i], from->anchor[i], from->row[i], bad, from->depth[i] + 1);
}

static void add_equal(panel_list *a, double from, double to, double kind, double anchor, double row, int32_t panels) {
  for (int32_t k = 0; k < panels; k++) {
    const quad_panel p = panel_of_piece(from, to, kind, anchor, panels, kind > 0 ? panels - 1 - k : k);
    panels_add(a, p.centre, p.radius, p.kind, p.anchor, row, 0, 0);
  }
}

void panels_add_piece(panel_list *a, double from, double to, double row, int32_t panels) {
  add_equal(a, from, to, 0, 0, row, panels);
}

void panels_add_half_line(panel_list *a, double direction, double end, double row, int32_t panels) {
  const double unit = half_line_unit(end), nearest = fmax(1, 0x1p-40 * unit);
  const int32_t near = half_line_near(panels), beyond = half_line_beyond(panels);
  double from[HALF_LINE + 2] = {end, end + direction * nearest}, step = nearest;
  int32_t n = 1;
  for (; step < unit && n <= HALF_LINE; n++) {
    step = fmin(10 * step, unit);
    from[n + 1] = end + direction * step;
  }
  if (direction < 0) add_equal(a, 0, 0.5, -unit, end, row, beyond);
  for (int32_t k = 0; k < n; k++) {
    const int32_t i = direction > 0 ? k : n - 1 - k;
    add_equal(a, fmin(from[i], from[i + 1]), fmax(from[i], from[i + 1]), 0, 0, row, i ? 1 : near);
  }
  if (direction > 0) add_equal(a, 0, 0.5, unit, end, row, beyond);
}

int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
