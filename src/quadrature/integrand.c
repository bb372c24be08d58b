/* integrand.c: see integrand.h. Library operations and sums over data are stages: their operands are computed at
 * all points, the family is called once, or a kernel for the elements of all points, and what follows reads the
 * results as columns. What does not depend on x goes through the same stages with the rows as points; of it, what the
 * rest reads becomes further parameters of the row. */
#include "quadrature/integrand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/threads.h"
#include "programs/programs.h"
#include "quadrature/integrand_part.h"
#include "kernels/quadrature/quadrature.h"
#include "quadrature/quadrature_published.h"

enum { MAX_OPERANDS = CODE_WORDS - 1, TARGETS_AT_ONCE = 64 };

/* What computes n values, TARGETS_AT_ONCE in a part. */
typedef struct {
  part *part;
  int32_t n;
} parts;

/* A library operation, or a loop over data: its value, those of its operands that must be computed first, and how; of
 * a loop all numbers that its body reads, which are the parameters of that. */
typedef struct {
  int32_t value, n_target, *target, size; /* size: elements of a loop */
  parts operands;
  part body;
  double *result; /* at the points of the moment */
} stage;

struct integrand {
  integrand_source s;
  int32_t n_value, n_stage, n_derived;
  unsigned char *with_x, *used;   /* of each value: does it depend on x, and an output on it? */
  int32_t *length;                /* of those that depend on data */
  int32_t *derived;               /* values without x that those with x read */
  source_of *row_source, *source; /* where values come from while rows, and while points are computed */
  stage *stages;                  /* in the order of their values */
  part by_point, by_lane;
  parts derive;                   /* the derived values */
  int staged;                     /* library operations at points */
  int32_t n_shift;                /* logarithms of scales at the end of each row */
  double *rows;                   /* parameters and derived values of each row */
  int64_t n_row, row_number;
};

static int32_t shift_of(const integrand *f) { return f->s.n_parameter + f->n_derived; }
static int32_t stride_of(const integrand *f) { return shift_of(f) + f->n_shift; }

int integrand_n_output(const integrand *f) { return f->s.n_output; }
int32_t integrand_row_size(const integrand *f) { return stride_of(f); }

static int32_t part_count(const parts *p) { return (p->n + TARGETS_AT_ONCE - 1) / TARGETS_AT_ONCE; }
static int32_t targets_in(const parts *p, int32_t k) {
  const int32_t left = p->n - k * TARGETS_AT_ONCE;
  return left < TARGETS_AT_ONCE ? left : TARGETS_AT_ONCE;
}

static status parts_make(const integrand *f, const part_input *in, const int32_t *target, int32_t n, parts *p) {
  status st = STATUS_OK;
  p->n = n;
  p->part = calloc((size_t)part_count(p) + 1, sizeof *p->part);
  if (!p->part) return fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  for (int32_t k = 0; k < part_count(p) && !st; k++)
    st = part_make(in, BY_POINT, target + k * TARGETS_AT_ONCE, targets_in(p, k), p->part + k);
  return st;
}

static void parts_free(parts *p) {
  for (int32_t k = 0; p->part && k < part_count(p); k++) part_free(p->part + k);
  free(p->part);
}

void integrand_close(integrand *f) {
  if (!f) return;
  for (int32_t k = 0; k < f->n_stage; k++) {
    parts_free(&f->stages[k].operands);
    part_free(&f->stages[k].body);
    free(f->stages[k].target);
    free(f->stages[k].result);
  }
  part_free(&f->by_point);
  part_free(&f->by_lane);
  parts_free(&f->derive);
  free(f->with_x);
  free(f->used);
  free(f->length);
  free(f->derived);
  free(f->row_source);
  free(f->source);
  free(f->stages);
  free(f->rows);
  free(f);
}

static const int32_t *operation(const integrand *f, int32_t v) {
  return f->s.code + (size_t)(v - (f->n_value - f->s.n_op)) * CODE_WORDS;
}

static int reads_table(const int32_t *code) { return code[0] == OP_find || code[0] == OP_at; }

static status check(const integrand_source *s) {
  const int64_t first = 1 + (int64_t)s->n_constant + s->n_parameter + s->n_data;
  if (s->n_constant < 0 || s->n_parameter < 0 || s->n_data < 0 || s->n_op < 0 || s->n_output < 1 ||
      first + s->n_op > INT32_MAX / 16)
    return fail(STATUS_INPUT, "%s: not the program of an integrand", s->name);
  if (s->n_output > MAX_OUTPUTS)
    return fail(STATUS_INPUT, "%s: f has %d components, at most %d can share their points", s->name, (int)s->n_output,
                MAX_OUTPUTS);
  for (int64_t i = 0; i < s->n_op; i++) {
    const int32_t *op = s->code + i * CODE_WORDS, number = op[0] - LOOP;
    const int loop = number == OP_add || number == OP_mul || number == OP_min || number == OP_max;
    if (!loop && (op[0] < 0 || op[0] >= OP_COUNT))
      return fail(STATUS_INPUT, "%s: no operation %d", s->name, (int)op[0]);
    for (int k = 1; k < CODE_WORDS; k++)
      if (k <= (loop ? 1 : operations[op[0]].operands) ? op[k] < 0 || op[k] >= first + i : op[k] != -1)
        return fail(STATUS_INPUT, "%s: operand %d of operation %d", s->name, k, (int)i);
    if (!loop && reads_table(op) && (op[2] <= s->n_constant + s->n_parameter || op[2] >= first))
      return fail(STATUS_INPUT, "%s: operation %d has no table", s->name, (int)i);
  }
  for (int k = 0; k < s->n_output && !s->call; k++)
    if (s->outputs[k] < 0 || s->outputs[k] >= first + s->n_op)
      return fail(STATUS_INPUT, "%s: no value %d", s->name, (int)s->outputs[k]);
  return STATUS_OK;
}

/* The length of what an operation gives: 0 for a number, -1 if there is none. A table, the second operand of an
 * operation, is not computed with element by element: it has none. */
static int32_t length_of(const integrand *f, const int32_t *code) {
  int32_t length = 0;
  if (reads_table(code)) f->length[code[2]] = 0;
  for (int32_t k = 1; k < CODE_WORDS; k++) {
    const int32_t own = code[k] < 0 ? 0 : f->length[code[k]];
    if (own && length && own != length) return -1;
    if (own) length = own;
  }
  if (code[0] >= LOOP) return length ? 0 : -1;
  return length && operations[code[0]].library ? -1 : length;
}

/* Where values come from, which depend on x, how long they are, and the stages. */
static status sort_values(integrand *f) {
  const integrand_source *s = &f->s;
  for (int32_t v = 0; v < f->n_value; v++) {
    const int32_t constant = v - 1, parameter = constant - s->n_constant, data = parameter - s->n_parameter;
    const int32_t op = data - s->n_data;
    source_of from = {FROM_X, 0};
    f->with_x[v] = v == 0;
    if (op >= 0) {
      const int32_t *code = operation(f, v);
      from.from = FROM_OP;
      from.index = op;
      for (int32_t k = 1; k < CODE_WORDS; k++)
        if (code[k] >= 0 && f->with_x[code[k]]) f->with_x[v] = 1;
      f->length[v] = length_of(f, code);
      if (f->length[v] < 0) return fail(STATUS_INPUT, "%s: vectors in operation %d", s->name, (int)op);
      if (code[0] >= LOOP || operations[code[0]].library) {
        from.from = FROM_LIBRARY;
        from.index = f->n_stage;
        f->stages[f->n_stage++].value = v;
      }
    } else if (data >= 0) {
      from.from = FROM_DATA;
      from.index = data;
      f->length[v] = s->start[data + 1] - s->start[data];
    } else if (parameter >= 0) {
      from.from = FROM_PARAMETER;
      from.index = parameter;
    } else if (constant >= 0) {
      from.from = FROM_CONSTANT;
      from.index = constant;
    }
    f->row_source[v] = f->source[v] = from;
  }
  for (int32_t k = 0; k < s->n_output; k++)
    if (f->length[s->outputs[k]] || f->source[s->outputs[k]].from == FROM_DATA)
      return fail(STATUS_INPUT, "%s: data are no value", s->name);
  return STATUS_OK;
}

/* A value of a row that is read at points is a parameter there. */
static void derive(integrand *f, int32_t v) {
  if (f->with_x[v] || f->length[v] || f->source[v].from == FROM_PARAMETER || f->source[v].from == FROM_CONSTANT ||
      f->source[v].from == FROM_DATA)
    return;
  f->source[v].from = FROM_PARAMETER;
  f->source[v].index = f->s.n_parameter + f->n_derived;
  f->derived[f->n_derived++] = v;
}

static void derive_all(integrand *f) {
  for (int32_t v = f->n_value - f->s.n_op; v < f->n_value; v++) {
    const int32_t *code = operation(f, v);
    for (int32_t k = 1; k < CODE_WORDS && (f->with_x[v] || f->length[v]) && f->used[v]; k++)
      if (code[k] >= 0) derive(f, code[k]);
  }
  for (int32_t k = 0; k < f->s.n_output; k++) derive(f, f->s.outputs[k]);
}

static part_input input_of(const integrand *f, const source_of *source) {
  const part_input in = {f->s.code, f->n_value, source, f->s.constants, f->s.data, f->s.start};
  return in;
}

/* What the loop of g computes for each element: marks its values, and collects what it reads. */
static void read_body(const integrand *f, stage *g, unsigned char *in_body) {
  in_body[operation(f, g->value)[1]] = 1;
  for (int32_t v = g->value - 1; v >= f->n_value - f->s.n_op; v--)
    for (int32_t k = 1; k < CODE_WORDS && in_body[v] && f->length[v]; k++)
      if (operation(f, v)[k] >= 0) in_body[operation(f, v)[k]] = 1;
  for (int32_t v = 0; v < g->value; v++)
    if (in_body[v] && !f->length[v] && f->source[v].from != FROM_CONSTANT && f->source[v].from != FROM_DATA)
      g->target[g->n_target++] = v;
}

/* The body has a source of its own: vectors are library results, and numbers parameters of each point. */
static status make_body(integrand *f, stage *g) {
  const size_t n = (size_t)f->n_value;
  unsigned char *in_body = calloc(n, 1);
  source_of *source = malloc(n * sizeof *source);
  const double **vectors = malloc(((size_t)f->s.n_data + 1) * sizeof *vectors);
  const int32_t *code = operation(f, g->value);
  status st = in_body && source && vectors ? STATUS_OK : fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  if (!st) {
    const part_input in = input_of(f, source);
    read_body(f, g, in_body);
    memcpy(source, f->source, n * sizeof *source);
    for (int32_t k = 0; k < g->n_target; k++) source[g->target[k]] = (source_of){FROM_PARAMETER, k};
    for (int32_t k = 0; k < f->n_value; k++)
      if (source[k].from == FROM_DATA && f->length[k]) source[k].from = FROM_LIBRARY;
    for (int32_t k = 0; k < f->s.n_data; k++) vectors[k] = f->s.data + f->s.start[k];
    g->size = f->length[code[1]];
    st = part_make(&in, BY_ELEMENT, code + 1, 1, &g->body);
  }
  if (!st) st = part_set_data(&g->body, g->size, vectors);
  free(in_body);
  free(source);
  free(vectors);
  return st;
}

static status make_stage(integrand *f, stage *g) {
  const source_of *source = f->with_x[g->value] ? f->source : f->row_source;
  const part_input in = input_of(f, source);
  const int32_t *code = operation(f, g->value);
  const int loop = code[0] >= LOOP;
  status st = STATUS_OK;
  g->target = malloc((size_t)(loop ? f->n_value : MAX_OPERANDS) * sizeof *g->target);
  if (!g->target) return fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  if (loop) st = make_body(f, g);
  for (int32_t k = 0; !loop && k < operations[code[0]].operands; k++) {
    const enum origin from = source[code[1 + k]].from;
    if (from == FROM_OP || from == FROM_PARAMETER) g->target[g->n_target++] = code[1 + k];
  }
  return st ? st : parts_make(f, &in, g->target, g->n_target, &g->operands);
}

/* Stages that no output needs are dropped. */
static void drop_dead(integrand *f) {
  int32_t v, kept = 0;
  for (int32_t k = 0; k < f->s.n_output; k++) f->used[f->s.outputs[k]] = 1;
  for (v = f->n_value - 1; v >= f->n_value - f->s.n_op; v--)
    for (int32_t k = 1; k < CODE_WORDS && f->used[v]; k++)
      if (operation(f, v)[k] >= 0) f->used[operation(f, v)[k]] = 1;
  for (int32_t k = 0; k < f->n_stage; k++) {
    v = f->stages[k].value;
    if (!f->used[v]) continue;
    f->stages[kept].value = v;
    f->row_source[v].index = f->source[v].index = kept++;
    f->staged |= f->with_x[v];
  }
  f->n_stage = kept;
}

static status prepare(integrand *f) {
  const size_t n = (size_t)f->n_value + 1;
  status st = STATUS_OK;
  f->with_x = calloc(n, 1);
  f->used = calloc(n, 1);
  f->length = calloc(n, sizeof *f->length);
  f->derived = malloc(n * sizeof *f->derived);
  f->row_source = malloc(n * sizeof *f->row_source);
  f->source = malloc(n * sizeof *f->source);
  f->stages = calloc((size_t)f->s.n_op + 1, sizeof *f->stages);
  if (!f->with_x || !f->used || !f->length || !f->derived || !f->row_source || !f->source || !f->stages)
    return fail(STATUS_MEMORY, "%s: out of memory", f->s.name);
  st = sort_values(f);
  if (st) return st;
  drop_dead(f);
  derive_all(f);
  for (int32_t k = 0; k < f->n_stage && !st; k++) st = make_stage(f, f->stages + k);
  part_input in = input_of(f, f->row_source);
  if (!st) st = parts_make(f, &in, f->derived, f->n_derived, &f->derive);
  in = input_of(f, f->source);
  if (!st) st = part_make(&in, BY_POINT, f->s.outputs, f->s.n_output, &f->by_point);
  if (!st && !f->staged) st = part_make(&in, BY_LANE, f->s.outputs, f->s.n_output, &f->by_lane);
  return st;
}

status integrand_open(const integrand_source *source, integrand **made) {
  status st = check(source);
  *made = NULL;
  if (st) return st;
  integrand *f = calloc(1, sizeof *f);
  if (!f) return fail(STATUS_MEMORY, "%s: out of memory", source->name);
  f->s = *source;
  f->n_value = 1 + source->n_constant + source->n_parameter + source->n_data + source->n_op;
  f->staged = source->call != NULL;
  st = source->call ? STATUS_OK : prepare(f);
  if (st)
    integrand_close(f);
  else
    *made = f;
  return st;
}

/* Rough cost of an operation and of what surrounds it. */
static double cost(const part *p) { return 3.0 + 2.0 * p->n_op; }

static pipeline pipeline_of(const integrand *f, const part *p, const kernel_description *kernel, int nodes, int n_in,
                            int n_out) {
  return (pipeline){
      .name = f->s.name, .n_in = n_in, .n_out = n_out, .step = {kernel}, .ns_per_point = cost(p) * nodes};
}

static task task_of(const pipeline *pipe, const part *p, int64_t n, int nodes) {
  task t = {0};
  t.pipe = pipe;
  t.n = n;
  t.run = 1;
  t.text = p->text;
  t.n_interpreter = p->n_uniform + p->n_varying * nodes;
  t.piece = nodes > 1 ? 64 : 0;
  t.par = p->par;
  t.n_par = p->n_par;
  return t;
}

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
    const int32_t v = code[1 + k];
    const source_of s = source[v];
    const column constant = {f->s.constants + s.index, 1}, parameter = {r->rows + s.index, 1};
    const column result = {s.from == FROM_LIBRARY ? f->stages[s.index].result : NULL, at->n};
    const column computed = {memory + made * at->n, at->n};
    switch (s.from) {
    case FROM_X: operand[k] = at->x; break;
    case FROM_CONSTANT: operand[k] = constant; break;
    case FROM_LIBRARY: operand[k] = result; break;
    default:
      operand[k] = s.from == FROM_PARAMETER && single ? parameter : computed;
      out[made] = memory + made * at->n;
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

/* Panels whose integrand has stages: points of LANES panels are laid and summed up at a time, and so many are
 * computed at once that each stage is worth some threads. */
enum { PANELS_AT_ONCE = 16384, BLOCK_POINTS = NODES * LANES, BLOCKS_OF_PIECE = 16 };
/* Of one point on one thread, roughly. */
static const double ns_to_lay = 3, ns_to_sum = 4;

/* Panels first, ..., first + n - 1 of c: their nodes x, panel after panel, with the rows and values of each. */
typedef struct {
  double *x, *row, *of[MAX_OUTPUTS];
  int64_t first, n;
  panel_columns c;
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
    centre[l] = column_at(p->c.centre, p->first + i);
    half[l] = column_at(p->c.half, p->first + i);
    kind[l] = column_at(p->c.kind, p->first + i);
    anchor[l] = column_at(p->c.anchor, p->first + i);
  }
  panel_nodes(centre, half, kind, anchor, k->x, k->scale);
}

static void sum_up(const panel_points *p, const panel_block *b, int32_t j) {
  double f[BLOCK_POINTS], result[PANEL_RESULTS][LANES], rough[LANES], off[LANES];
  for (int32_t l = 0; l < LANES; l++) {
    for (int32_t k = 0; k < NODES; k++) f[k * LANES + l] = p->of[j][b->panel[l] * NODES + k];
    rough[l] = column_at(p->c.rough, p->first + b->panel[l]);
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
        p->row[block.panel[l] * NODES + k] = column_at(p->c.row, p->first + block.panel[l]);
      }
  }
  return 1;
}

static status staged_panels(integrand *f, int64_t n, panel_columns c, double *const *out) {
  const int64_t most = n < PANELS_AT_ONCE ? n : PANELS_AT_ONCE, room = most * NODES;
  panel_points p = {.c = c, .out = out, .n_output = f->s.n_output, .stride = stride_of(f)};
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

status integrand_panels(integrand *f, int64_t n, panel_columns c, double *const *out) {
  const pipeline pipe = pipeline_of(f, &f->by_lane, KERNEL_quad_panels, NODES, PANEL_COLUMNS,
                                    PANEL_RESULTS * f->s.n_output);
  if (f->staged) return staged_panels(f, n, c, out);
  const status st = part_set_rows(&f->by_lane, f->s.name, f->rows, f->n_row, stride_of(f), f->row_number);
  if (st) return st;
  f->by_lane.par[PAR_SHIFT] = f->n_shift ? shift_of(f) : -1;
  task t = task_of(&pipe, &f->by_lane, n, NODES);
  t.in[PANEL_CENTRE] = c.centre;
  t.in[PANEL_RADIUS] = c.half;
  t.in[PANEL_KIND] = c.kind;
  t.in[PANEL_ANCHOR] = c.anchor;
  t.in[PANEL_ROUGH] = c.rough;
  t.in[PANEL_ROW] = c.row;
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
