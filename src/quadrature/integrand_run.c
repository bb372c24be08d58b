/* integrand_run.c: values of integrands at points, stage by stage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/quadrature/quadrature.h"
#include "programs/programs.h"
#include "quadrature/integrand_stages.h"

enum { MAX_OPERANDS = CODE_WORDS - 1 };

/* Which rows a part reads: those given, or with derived values. */
typedef struct {
  const double *rows;
  int64_t n_row, number;
  int32_t stride;
  int with_x;
} row_set;

/* Points first, ..., first + n - 1 of those that stages have results for. */
typedef struct {
  int64_t first, n;
  column x, row;
} points;

static column of_points(column c, const points *at) {
  return c.length == 1 ? c : (column){c.data + at->first, at->n};
}

/* Outputs of a part at points. */
static status run_part(integrand *f, part *p, const row_set *r, const points *at, double *const *out) {
  const pipeline pipe = pipeline_of(f, p, KERNEL_quad_map, 1, MAP_LIBRARY + p->n_library, p->n_output);
  status st = part_set_rows(p, f->s.name, r->rows, r->n_row, r->stride, r->number);
  task t = task_of(&pipe, p, at->n, 1);
  if (st) return st;
  t.in[MAP_X] = of_points(at->x, at);
  t.in[MAP_ROW] = of_points(at->row, at);
  for (int k = 0; k < p->n_library; k++)
    t.in[MAP_LIBRARY + k] = (column){f->stages[p->library[k]].result + at->first, at->n};
  for (int k = 0; k < p->n_output; k++) t.out[k] = out[k];
  return backend_run(&t);
}

/* The values of parts at points, a row of to for each point. */
static status run_parts(integrand *f, parts *p, const row_set *r, const points *at, double *to, int32_t stride) {
  const int32_t columns = p->n < TARGETS_AT_ONCE ? p->n : TARGETS_AT_ONCE;
  double *value = malloc(((size_t)at->n * (size_t)columns + 1) * sizeof *value);
  double *out[TARGETS_AT_ONCE];
  status st = value ? STATUS_OK : fail(STATUS_MEMORY, "%s: out of memory for parameters", f->s.name);
  for (int32_t k = 0; k < columns; k++) out[k] = value + k * at->n;
  for (int32_t k = 0; k < part_count(p) && !st; k++) {
    st = run_part(f, p->part + k, r, at, out);
    for (int64_t i = 0; i < at->n && !st; i++)
      for (int32_t j = 0; j < targets_in(p, k); j++) to[i * stride + k * TARGETS_AT_ONCE + j] = out[j][i];
  }
  free(value);
  return st;
}

static status run_operands(integrand *f, stage *g, const row_set *r, const points *at, double *memory,
                           column operand[MAX_OPERANDS]) {
  const source_of *source = r->with_x ? f->source : f->row_source;
  const int32_t *code = operation(f, g->value);
  double *out[MAX_OPERANDS];
  int32_t made = 0;
  /* of one row the operands without x are single numbers, which families know how to use */
  const int single = r->n_row == 1;
  for (int32_t k = 0; k < operations[code[0]].operands; k++) {
    const source_of s = source[code[1 + k]];
    switch (s.from) {
    case FROM_X: operand[k] = at->x; break;
    case FROM_CONSTANT: operand[k] = (column){f->s.constants + s.index, 1}; break;
    case FROM_LIBRARY: operand[k] = (column){f->stages[s.index].result, at->n}; break;
    default:
      out[made] = memory + made * at->n;
      operand[k] = s.from == FROM_PARAMETER && single ? (column){r->rows + s.index, 1} : (column){out[made], at->n};
      made++;
    }
  }
  return made ? run_part(f, g->operands.part, r, at, out) : STATUS_OK;
}

/* Adds b, and what has been lost of it, to the value and lost of a sum. */
static void fold_pair(enum integrand_op fold, double b, double b_lost, double *value, double *lost) {
  const double a = *value, sum = a + b, v = sum - a;
  switch (fold) {
  case OP_mul: *value = a * b; break;
  case OP_min: *value = isnan(a) || isnan(b) ? NAN : fmin(a, b); break;
  case OP_max: *value = isnan(a) || isnan(b) ? NAN : fmax(a, b); break;
  default:
    *value = sum;
    *lost += b_lost + (a - (sum - v)) + (b - v);
  }
}

/* A run of elements, how many runs of all points go to the devices at once, and how many numbers that bodies of loops
 * read. */
enum { RUN_OF_DATA = 1024, RUNS_AT_ONCE = 1 << 20, READ_AT_ONCE = 1 << 22 };

static int64_t at_least_1(int64_t n) { return n < 1 ? 1 : n; }

/* The loop of a stage at points, of each of which the body has the parameters as a row. */
static status run_loop(integrand *f, stage *g, const row_set *r, const points *all) {
  part *p = &g->body;
  const enum integrand_op fold = (enum integrand_op)(operation(f, g->value)[0] - LOOP);
  const int64_t runs = (g->size + RUN_OF_DATA - 1) / RUN_OF_DATA;
  const int64_t by_runs = at_least_1(RUNS_AT_ONCE / runs);
  const int64_t by_read = at_least_1(READ_AT_ONCE / at_least_1(g->n_target));
  const int64_t most = by_runs < by_read ? by_runs : by_read, at_once = all->n < most ? all->n : most;
  const pipeline pipe = pipeline_of(f, p, KERNEL_quad_sums, g->size < RUN_OF_DATA ? g->size : RUN_OF_DATA, 0,
                                    SUMS_COLUMNS);
  double *out = malloc((size_t)(at_once * (runs * SUMS_COLUMNS + g->n_target)) * sizeof *out);
  double *rows = out + at_once * runs * SUMS_COLUMNS;
  status st = out ? STATUS_OK : fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  for (int64_t first = 0; first < all->n && !st; first += at_once) {
    const int64_t n = all->n - first < at_once ? all->n - first : at_once;
    const points at = {first, n, all->x, all->row};
    st = run_parts(f, &g->operands, r, &at, rows, g->n_target);
    if (!st) st = part_set_rows(p, f->s.name, rows, n, g->n_target, ++f->row_number);
    if (st) break;
    p->par[PAR_RUN] = RUN_OF_DATA;
    p->par[PAR_FOLD] = fold == OP_mul ? FOLD_MUL : fold == OP_min ? FOLD_MIN : fold == OP_max ? FOLD_MAX : FOLD_ADD;
    p->par[PAR_POINTS] = (double)n;
    task t = task_of(&pipe, p, n * runs, SUMS_NODES);
    t.piece = 16;
    t.out[SUMS_VALUE] = out;
    t.out[SUMS_LOST] = out + n * runs;
    st = backend_run(&t);
    for (int64_t i = 0; i < n && !st; i++) {
      double value = out[i], lost = out[n * runs + i];
      for (int64_t k = 1; k < runs; k++) fold_pair(fold, out[k * n + i], out[(runs + k) * n + i], &value, &lost);
      g->result[first + i] = isnan(lost) ? value : value + lost; /* infinite sums lose what is no number */
    }
  }
  free(out);
  return st;
}

static status run_library(integrand *f, stage *g, const row_set *r, const points *at) {
  const int32_t op = operation(f, g->value)[0];
  column operand[MAX_OPERANDS];
  double *memory = malloc(((size_t)g->n_target * (size_t)at->n + 1) * sizeof *memory);
  status st = memory ? STATUS_OK : fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  if (!st) st = run_operands(f, g, r, at, memory, operand);
  if (!st && op >= OP_r_pgamma)
    st = f->s.r_operation ? f->s.r_operation(op, at->n, operand, g->result)
                          : fail(STATUS_INPUT, "%s: operation %d is one of R", f->s.name, (int)op);
  else if (!st)
    st = integrand_library((enum integrand_op)op, at->n, operand, g->result);
  free(memory);
  return st;
}

static status run_stage(integrand *f, stage *g, const row_set *r, const points *at) {
  double *result = realloc(g->result, (size_t)at->n * sizeof *result);
  if (!result) return fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  g->result = result;
  return operation(f, g->value)[0] >= LOOP ? run_loop(f, g, r, at) : run_library(f, g, r, at);
}

static status run_stages(integrand *f, const row_set *r, const points *at) {
  status st = STATUS_OK;
  for (int32_t k = 0; k < f->n_stage && !st; k++)
    if (f->with_x[f->stages[k].value] == r->with_x) st = run_stage(f, f->stages + k, r, at);
  return st;
}

/* Derived values of all rows, behind their parameters. */
static status run_derived(integrand *f, const row_set *given) {
  static const double zero;
  const int64_t n = given->n_row;
  double *number = malloc((size_t)n * sizeof *number);
  const points at = {0, n, {&zero, 1}, {number, n}};
  status st = number ? STATUS_OK : fail(STATUS_MEMORY, "%s: out of memory for parameters", f->s.name);
  for (int64_t i = 0; i < n && !st; i++) number[i] = (double)i;
  if (!st) st = run_stages(f, given, &at);
  if (!st) st = run_parts(f, &f->derive, given, &at, f->rows + f->s.n_parameter, stride_of(f));
  free(number);
  return st;
}

status integrand_set_rows(integrand *f, int64_t n, const double *parameters, const double *shift) {
  const int32_t given = f->s.n_parameter, n_shift = shift ? f->s.n_output : 0, stride = shift_of(f) + n_shift;
  const row_set r = {parameters, n, ++f->row_number, given, 0};
  double *rows = realloc(f->rows, ((size_t)n * (size_t)stride + 1) * sizeof *rows);
  if (!rows) return fail(STATUS_MEMORY, "%s: out of memory for parameters", f->s.name);
  f->rows = rows;
  f->n_row = n;
  f->n_shift = n_shift;
  for (int64_t i = 0; i < n && given; i++)
    memcpy(rows + i * stride, parameters + i * given, (size_t)given * sizeof *rows);
  for (int64_t i = 0; i < n && shift; i++)
    memcpy(rows + i * stride + shift_of(f), shift + i * n_shift, (size_t)n_shift * sizeof *rows);
  return f->n_derived ? run_derived(f, &r) : STATUS_OK;
}

/* Of a program that is not translated the one parameter is the number of the row. */
static status call_values(const integrand *f, int64_t n, column x, column row, double *const *out) {
  double *number = f->s.n_parameter ? malloc(((size_t)n + 1) * sizeof *number) : NULL;
  if (f->s.n_parameter && !number) return fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  for (int64_t i = 0; i < n && number; i++) number[i] = f->rows[(int64_t)column_at(row, i) * stride_of(f)];
  const status st = f->s.call(f->s.of, n, x.data, number, out);
  free(number);
  return st;
}

status integrand_values(integrand *f, int64_t n, column x, column row, double *const *out) {
  const row_set r = {f->rows, f->n_row, f->row_number, stride_of(f), 1};
  const points at = {0, n, x, row};
  status st = f->s.call ? call_values(f, n, x, row, out) : run_stages(f, &r, &at);
  return st || f->s.call ? st : run_part(f, &f->by_point, &r, &at, out);
}
