/* integrand_panels.c: integrals of integrands over panels and intervals, in one kernel where there are no stages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"
#include "kernels/quadrature/quadrature.h"
#include "programs/programs.h"
#include "quadrature/integrand_stages.h"
#include "quadrature/quadrature_published.h"

/* Panels whose integrand has stages: points of LANES panels are laid and summed up at a time, and so many are
 * computed at once that each stage is worth some threads. */
enum { PANELS_AT_ONCE = 16384, BLOCK_POINTS = NODES * LANES, BLOCKS_OF_PIECE = 16 };
/* Of one point on one thread, roughly. */
static const double ns_to_lay = 3, ns_to_sum = 4;

/* Panels first, ..., first + n - 1 of panels: their nodes x, panel after panel, with the rows and values of each. */
typedef struct {
  double *x, *row, *of[MAX_OUTPUTS];
  int64_t first, n;
  const column *panels;
  double *const *out;
  int32_t n_output, stride;
  int summing;
  const double *shift; /* of row 0, or NULL */
} panel_points;

/* Block b with a panel in each lane; the last panel stands in for those past the end. */
typedef struct {
  int64_t panel[LANES];
  int32_t lanes;
  double x[BLOCK_POINTS], scale[BLOCK_POINTS];
} panel_block;

static void lay_block(const panel_points *p, int64_t b, panel_block *k) {
  double centre[LANES], half[LANES], kind[LANES], anchor[LANES];
  k->lanes = (int32_t)(p->n - b * LANES < LANES ? p->n - b * LANES : LANES);
  for (int32_t l = 0; l < LANES; l++) {
    const int64_t i = b * LANES + (l < k->lanes ? l : k->lanes - 1);
    k->panel[l] = i;
    centre[l] = column_at(p->panels[PANEL_CENTRE], p->first + i);
    half[l] = column_at(p->panels[PANEL_RADIUS], p->first + i);
    kind[l] = column_at(p->panels[PANEL_KIND], p->first + i);
    anchor[l] = column_at(p->panels[PANEL_ANCHOR], p->first + i);
  }
  panel_nodes(centre, half, kind, anchor, k->x, k->scale);
}

static void sum_up(const panel_points *p, const panel_block *b, int32_t j) {
  double f[BLOCK_POINTS], result[PANEL_RESULTS][LANES], rough[LANES], off[LANES];
  for (int32_t l = 0; l < LANES; l++) {
    for (int32_t k = 0; k < NODES; k++) f[k * LANES + l] = p->of[j][b->panel[l] * NODES + k];
    rough[l] = column_at(p->panels[PANEL_ROUGH], p->first + b->panel[l]);
    off[l] = p->shift ? p->shift[(int64_t)p->row[b->panel[l] * NODES] * p->stride + j] : 0;
  }
  if (p->shift) panel_exp(f, off, f);
  panel_rule(f, b->x, b->scale, rough, result[PANEL_VALUE], result[PANEL_ERROR], result[PANEL_FLOOR]);
  panel_ends(f, result[PANEL_LOW], result[PANEL_LOW_SLOPE], result[PANEL_HIGH], result[PANEL_HIGH_SLOPE]);
  for (int32_t l = 0; l < b->lanes; l++)
    for (int32_t k = 0; k < PANEL_RESULTS; k++) p->out[PANEL_RESULTS * j + k][p->first + b->panel[l]] = result[k][l];
}

static int64_t blocks_of(const panel_points *p) { return (p->n + LANES - 1) / LANES; }

/* Lays the points of some blocks, or sums up. */
static int some_blocks(void *points, int64_t piece, int thread) {
  const panel_points *p = points;
  panel_block block;
  (void)thread;
  for (int64_t b = piece * BLOCKS_OF_PIECE; b < (piece + 1) * BLOCKS_OF_PIECE && b < blocks_of(p); b++) {
    lay_block(p, b, &block);
    for (int32_t k = 0; k < p->n_output && p->summing; k++) sum_up(p, &block, k);
    for (int32_t l = 0; l < block.lanes && !p->summing; l++)
      for (int32_t k = 0; k < NODES; k++) {
        p->x[block.panel[l] * NODES + k] = block.x[k * LANES + l];
        p->row[block.panel[l] * NODES + k] = column_at(p->panels[PANEL_ROW], p->first + block.panel[l]);
      }
  }
  return 1;
}

static status staged_panels(integrand *f, int64_t n, const column *panels, double *const *out) {
  const int64_t most = n < PANELS_AT_ONCE ? n : PANELS_AT_ONCE, room = most * NODES;
  panel_points p = {.panels = panels, .out = out, .n_output = f->s.n_output, .stride = stride_of(f)};
  status st = STATUS_OK;
  p.x = malloc((size_t)room * (2 + (size_t)f->s.n_output) * sizeof *p.x);
  if (!p.x) return fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  p.row = p.x + room;
  for (int j = 0; j < f->s.n_output; j++) p.of[j] = p.row + (j + 1) * room;
  p.shift = f->n_shift ? f->rows + shift_of(f) : NULL;
  for (; p.first < n && !st; p.first += most) {
    p.n = n - p.first < most ? n - p.first : most;
    const int64_t points = p.n * NODES, pieces = (blocks_of(&p) + BLOCKS_OF_PIECE - 1) / BLOCKS_OF_PIECE;
    p.summing = 0;
    threads_run(threads_for(ns_to_lay * (double)points), pieces, some_blocks, &p);
    st = integrand_values(f, points, (column){p.x, points}, (column){p.row, points}, p.of);
    p.summing = 1;
    if (!st) threads_run(threads_for(ns_to_sum * (double)points * p.n_output), pieces, some_blocks, &p);
  }
  free(p.x);
  return st;
}

status integrand_panels(integrand *f, int64_t n, const column *panels, double *const *out) {
  const pipeline pipe = pipeline_of(f, &f->by_lane, KERNEL_quad_panels, NODES, PANEL_COLUMNS,
                                    PANEL_RESULTS * f->s.n_output);
  if (f->staged) return staged_panels(f, n, panels, out);
  const status st = part_set_rows(&f->by_lane, f->s.name, f->rows, f->n_row, stride_of(f), f->row_number);
  if (st) return st;
  f->by_lane.par[PAR_SHIFT] = f->n_shift ? shift_of(f) : -1;
  task t = task_of(&pipe, &f->by_lane, n, NODES);
  memcpy(t.in, panels, PANEL_COLUMNS * sizeof *panels);
  for (int k = 0; k < pipe.n_out; k++) t.out[k] = out[k];
  return backend_run(&t);
}

int integrand_has_first(const integrand *f) { return !f->staged && f->s.n_output == 1; }

status integrand_first(integrand *f, int64_t n, column lower, column upper, const first_panels_of *by,
                       double *const *out) {
  const pipeline pipe = pipeline_of(f, &f->by_lane, KERNEL_quad_first, NODES * by->on_range, FIRST_COLUMNS,
                                    FIRST_RESULTS);
  const status st = part_set_rows(&f->by_lane, f->s.name, f->rows, f->n_row, stride_of(f), f->row_number);
  if (st) return st;
  double *par = f->by_lane.par;
  par[PAR_ON_RANGE] = by->on_range;
  par[PAR_ON_HALF_LINE] = by->on_half_line;
  par[PAR_ON_LINE] = by->on_line;
  par[PAR_RELATIVE] = by->relative;
  par[PAR_ABSOLUTE] = by->absolute;
  task t = task_of(&pipe, &f->by_lane, n, NODES);
  t.in[FIRST_LOWER] = lower;
  t.in[FIRST_UPPER] = upper;
  for (int k = 0; k < pipe.n_out; k++) t.out[k] = out[k];
  return backend_run(&t);
}

static status staged_pairs(integrand *f, int64_t blocks, int64_t threads, double left, double right, double *value,
                           double *error) {
  static const double zero;
  const int64_t points = 2 * blocks * threads + 1;
  const double step = (right - left) / (double)(points - 1);
  double *x = malloc((size_t)points * 2 * sizeof *x), *y = x + points;
  const column at = {x, points}, row = {&zero, 1};
  if (!x) return fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  for (int64_t i = 0; i < points; i++) x[i] = fmin(left + (double)i * step, right);
  const status st = integrand_values(f, points, at, row, &y);
  memset(value, 0, (size_t)blocks * sizeof *value);
  memset(error, 0, (size_t)blocks * sizeof *error);
  for (int64_t i = 0; i < blocks * threads && !st; i++) {
    const pair p = pair_of(y[2 * i], y[2 * i + 1], y[2 * i + 2], 2 * step);
    value[i / threads] += p.value;
    error[i / threads] += p.error;
  }
  free(x);
  return st;
}

/* What a work-item adds up: a GPU has enough to do with the 16,384 of a region as published. */
enum { RUN = 32 };

status integrand_pairs(integrand *f, int64_t blocks, int64_t threads, double left, double right, double *value,
                       double *error) {
  const int64_t run = threads < RUN ? threads : RUN, runs = (threads + run - 1) / run, n = blocks * runs;
  const pipeline pipe = pipeline_of(f, &f->by_lane, KERNEL_quad_pairs, 3 * (int)run, 0, PAIR_COLUMNS);
  if (f->staged) return staged_pairs(f, blocks, threads, left, right, value, error);
  status st = part_set_rows(&f->by_lane, f->s.name, f->rows, f->n_row, stride_of(f), f->row_number);
  if (st) return st;
  double *sums = malloc((size_t)n * PAIR_COLUMNS * sizeof *sums);
  if (!sums) return fail(STATUS_MEMORY, "%s: out of memory for a region", f->s.name);
  double *par = f->by_lane.par;
  par[PAR_LEFT] = left;
  par[PAR_RIGHT] = right;
  par[PAR_STEP] = (right - left) / (double)(2 * blocks * threads);
  par[PAR_RUN] = (double)run;
  par[PAR_THREADS] = (double)threads;
  task t = task_of(&pipe, &f->by_lane, n, 3);
  t.out[PAIR_VALUE] = sums;
  t.out[PAIR_ERROR] = sums + n;
  st = backend_run(&t);
  for (int64_t i = 0; i < n && !st; i++) {
    const int first = i % runs == 0;
    value[i / runs] = sums[i] + (first ? 0 : value[i / runs]);
    error[i / runs] = sums[n + i] + (first ? 0 : error[i / runs]);
  }
  free(sums);
  return st;
}
