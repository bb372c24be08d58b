/* integrand_stages.c: how a program becomes stages. Library operations and sums over data are stages: their operands
 * are computed at all points, the family is called once, or a kernel for the elements of all points, and what follows
 * reads the results as columns. What does not depend on x goes through the same stages with the rows as points; of
 * it, what the rest reads becomes further parameters of the row. */
#include "quadrature/integrand_stages.h"

#include <stdlib.h>
#include <string.h>

int integrand_n_output(const integrand *f) { return f->s.n_output; }
int32_t integrand_row_size(const integrand *f) { return stride_of(f); }

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
      from = (source_of){FROM_OP, op};
      for (int32_t k = 1; k < CODE_WORDS; k++)
        if (code[k] >= 0 && f->with_x[code[k]]) f->with_x[v] = 1;
      f->length[v] = length_of(f, code);
      if (f->length[v] < 0) return fail(STATUS_INPUT, "%s: vectors in operation %d", s->name, (int)op);
      if (code[0] >= LOOP || operations[code[0]].library) {
        from = (source_of){FROM_LIBRARY, f->n_stage};
        f->stages[f->n_stage++].value = v;
      }
    } else if (data >= 0) {
      from = (source_of){FROM_DATA, data};
      f->length[v] = s->start[data + 1] - s->start[data];
    } else if (parameter >= 0) {
      from = (source_of){FROM_PARAMETER, parameter};
    } else if (constant >= 0) {
      from = (source_of){FROM_CONSTANT, constant};
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
  f->source[v] = (source_of){FROM_PARAMETER, shift_of(f)};
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
  return (part_input){f->s.code, f->n_value, source, f->s.constants, f->s.data, f->s.start};
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
  g->target = malloc((size_t)(loop ? f->n_value : CODE_WORDS - 1) * sizeof *g->target);
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
