/* several_lanes.c: see several_lanes.h. */
#include "covariance/several_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer pairs are not worth tables; these begin so many octaves below the largest distance. */
enum { FEW = 100000, OCTAVES = 60 };

/* Has every slot one way to measure distances? */
static int find_geometries(several_lanes *d, const several_places *a) {
  const int pairs = a->p->variables * a->p->variables;
  for (int slot = 0; slot < a->slots; slot++) {
    d->geometry[slot] = -1;
    for (int k = 0; k < pairs; k++) {
      if (a->slot[k] + slot >= a->slot[k + 1]) continue;
      const int own = a->of[a->term[a->slot[k] + slot]];
      if (d->geometry[slot] >= 0 && d->geometry[slot] != own) return 0;
      d->geometry[slot] = own;
    }
  }
  return 1;
}

static void lay_out_terms(several_lanes *d, const several_places *a) {
  const int pairs = a->p->variables * a->p->variables;
  d->one_scale = 1;
  for (int slot = 0; slot < a->slots; slot++)
    for (int k = 0; k < pairs; k++) {
      const int at = slot * pairs + k, there = a->slot[k] + slot < a->slot[k + 1];
      const int t = there ? a->term[a->slot[k] + slot] : 0;
      d->cell[at] = (int32_t)(t * d->alike.table.cells);
      d->hi[at] = d->alike.of[t].hi;
      d->one_scale &= d->hi[at] == d->hi[0];
      d->lo[at] = d->alike.of[t].lo;
      d->weight[at] = there ? a->p->weight[t * pairs + k] * d->alike.of[t].value : 0;
    }
}

/* Derivatives as shares of what tables have. */
static void add_share(several_lanes *d, several_share share, double by) {
  if (by == 0) return;
  share.by = by;
  d->share[d->shares++] = share;
}

static void find_shares(several_lanes *d, const several_wanted *s, const several_places *a,
                        const enum cov_what *what) {
  const int v = a->p->variables, count = s->count;
  for (int k = 0; k < v * v; k++)
    for (int slot = 0; slot < a->slot[k + 1] - a->slot[k]; slot++) {
      const int t = a->term[a->slot[k] + slot];
      const cov_alike_part *part = d->alike.of + t;
      for (int c = 0; c < s->columns; c++)
        for (int e = 0; e < count; e++) {
          const double by = s->share[((int64_t)(k * a->slots + slot) * s->columns + c) * count + e];
          const several_share own = {k / v, k % v, slot, c, e, 0};
          several_share slope = own;
          slope.column = 1;
          if (by == 0) continue;
          switch (what[t * s->columns + c]) {
          case COV_VALUE: add_share(d, own, by * part->value); break;
          case COV_RANGE: add_share(d, own, by * part->range); break;
          case COV_SHAPE:
            add_share(d, own, by * part->shape);
            add_share(d, slope, by * part->shape_slope);
            break;
          default: break;
          }
        }
    }
}

/* What the columns of each term are: F, that for the range, that for the shape; 0: others. */
static int find_columns(const several_wanted *s, int terms, enum cov_what *what, int *shapes) {
  for (int k = 0; k < terms * s->columns; k++) what[k] = COV_NOTHING;
  *shapes = 0;
  for (int g = 0; g < s->groups; g++)
    for (int c = 0; c < s->group[g].model.n_wants; c++) {
      const int column = s->group[g].first + c;
      const enum cov_what own = s->group[g].model.want[c].what;
      static const enum cov_what columns[] = {COV_VALUE, COV_RANGE, COV_SHAPE};
      if (column > 2 || own != columns[column]) return 0;
      what[s->group[g].term * s->columns + column] = own;
      *shapes |= own == COV_SHAPE;
    }
  return 1;
}

static status no_memory(void) { return fail(STATUS_MEMORY, "covariances: no memory for several variables"); }

status several_lanes_open(several_lanes *d, const several_wanted *s, const several_places *places, int64_t pairs) {
  const several_pairs *p = places->p;
  const int64_t all = (int64_t)places->slots * p->variables * p->variables;
  const double far = several_farthest(places);
  int shapes = 0;
  status st = STATUS_OK;
  if (pairs < FEW) return STATUS_OK;
  enum cov_what *what = malloc((size_t)(p->terms * s->columns) * sizeof *what);
  d->places = places;
  d->of_nugget = s->of_nugget;
  d->of_shared = s->of_shared;
  d->geometry = malloc((size_t)places->slots * sizeof *d->geometry);
  d->cell = malloc((size_t)all * sizeof *d->cell);
  d->numbers = malloc((size_t)(3 * all) * sizeof *d->numbers);
  d->share = malloc((size_t)(2 * all * s->columns * s->count + 1) * sizeof *d->share);
  if (!what || !d->geometry || !d->cell || !d->numbers || !d->share) st = no_memory();
  if (!st && find_columns(s, p->terms, what, &shapes) && find_geometries(d, places))
    st = cov_alike_make(p->terms, p->part, shapes, ldexp(far, -OCTAVES), far, &d->alike);
  d->made = !st && d->alike.made && d->alike.table.cells * p->terms < INT32_MAX / (3 * CELL_TERMS_DOUBLE);
  if (d->made) {
    d->columns = !s->count ? 1 : shapes ? 3 : 2;
    d->hi = d->numbers;
    d->lo = d->hi + all;
    d->weight = d->lo + all;
    lay_out_terms(d, places);
    if (s->count) find_shares(d, s, places, what);
  }
  free(what);
  return st;
}

void several_lanes_close(several_lanes *d) {
  cov_alike_free(&d->alike);
  free(d->geometry), free(d->cell), free(d->numbers), free(d->share);
}
