/* integrand_part.c: from values in single static assignment form to what kernels run: operations on slots for the
 * CPU's interpreter (integrand_par.h), and OpenCL C for devices. No name and no number of the user's gets into the
 * text: it is made of the operations' own names and of places in arrays. */
#include "quadrature/integrand_part.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the interpreter's table and behind it, after the operations by point: see integrand.h of the kernels. */
enum { OP_COPY = OP_bessel_k, OP_FILL, OP_LOOP, OP_LOAD };

/* For each value: the slot that holds it, and the last operation that reads it. */
typedef struct {
  int32_t *slot, *last;
  int32_t *constant, n_constant;   /* values, in the order of their slots */
  int32_t *parameter, n_parameter;
  int32_t *free_slot, n_free, n_slot, first_library;
  int32_t *place;                  /* of data among the constants */
  unsigned char *needed, *body;    /* body: of the loop at hand */
} plan;

static void plan_free(plan *p) {
  free(p->slot);
  free(p->last);
  free(p->constant);
  free(p->parameter);
  free(p->free_slot);
  free(p->needed);
  free(p->body);
  free(p->place);
}

static status plan_open(plan *p, int32_t n_value) {
  const size_t n = (size_t)n_value + 1;
  memset(p, 0, sizeof *p);
  p->slot = malloc(n * sizeof *p->slot);
  p->last = malloc(n * sizeof *p->last);
  p->constant = malloc(n * sizeof *p->constant);
  p->parameter = malloc(n * sizeof *p->parameter);
  p->free_slot = malloc((n + 8) * sizeof *p->free_slot);
  p->needed = calloc(n, 1);
  p->body = calloc(n, 1);
  p->place = calloc(n, sizeof *p->place);
  if (p->body && p->place && p->slot && p->last && p->constant && p->parameter && p->free_slot && p->needed)
    return STATUS_OK;
  plan_free(p);
  return fail(STATUS_MEMORY, "out of memory for an integrand of %d values", (int)n_value);
}

static const int32_t *op_of(const part_input *in, int32_t value) {
  return in->code + (size_t)in->source[value].index * CODE_WORDS;
}

static void mark_needed(const part_input *in, const int32_t *target, int32_t n_target, plan *p) {
  int32_t v, k;
  for (k = 0; k < n_target; k++) {
    p->needed[target[k]] = 1;
    p->last[target[k]] = INT32_MAX;
  }
  for (v = in->n_value - 1; v >= 0; v--) {
    const int32_t *op;
    if (!p->needed[v] || in->source[v].from != FROM_OP) continue;
    op = op_of(in, v);
    for (k = 1; k < CODE_WORDS; k++) {
      if (op[k] < 0) continue;
      /* what a loop reads stays to its end */
      if (in->length[v] && !in->length[op[k]]) p->last[op[k]] = INT32_MAX;
      else if (!p->needed[op[k]]) p->last[op[k]] = v;
      p->needed[op[k]] = 1;
    }
  }
}

/* Slots of what the part reads, in the order of integrand_par.h. */
static status place_inputs(const part_input *in, enum part_kind kind, plan *p, part *made) {
  /* an element of data has the slot of a constant, which loops fill */
  const enum origin order[] = {FROM_CONSTANT, FROM_DATA, FROM_PARAMETER, FROM_X, FROM_LIBRARY};
  const enum origin by_point[] = {FROM_CONSTANT, FROM_DATA, FROM_X, FROM_PARAMETER, FROM_LIBRARY};
  int32_t slot = 0, v;
  int k;
  made->library = malloc(((size_t)in->n_value + 1) * sizeof *made->library);
  if (!made->library) return fail(STATUS_MEMORY, "out of memory for an integrand");
  for (k = 0; k < 5; k++) {
    const enum origin from = kind == BY_LANE ? order[k] : by_point[k];
    if (from == FROM_LIBRARY) p->first_library = slot;
    if (from == FROM_X) {
      made->n_uniform = slot;
      p->slot[0] = slot++;
      continue;
    }
    for (v = 0; v < in->n_value; v++) {
      if (!p->needed[v] || in->source[v].from != from) continue;
      p->slot[v] = slot++;
      if (from == FROM_CONSTANT || from == FROM_DATA) p->constant[p->n_constant++] = v;
      if (from == FROM_PARAMETER) p->parameter[p->n_parameter++] = v;
      if (from == FROM_LIBRARY) made->library[made->n_library++] = in->source[v].index;
    }
  }
  p->n_slot = slot;
  return STATUS_OK;
}

static void release_operands(const part_input *in, const int32_t *op, int32_t at, plan *p) {
  int k, j;
  for (k = 1; k < CODE_WORDS; k++) {
    int again = 0;
    if (op[k] < 0 || in->source[op[k]].from != FROM_OP || p->last[op[k]] != at) continue;
    for (j = 1; j < k; j++) again |= op[j] == op[k];
    if (!again) p->free_slot[p->n_free++] = p->slot[op[k]];
  }
}

static int32_t take_slot(plan *p) { return p->n_free ? p->free_slot[--p->n_free] : p->n_slot++; }

static double *put_op(double *at, int32_t op, double a, double b, double c, double d) {
  at[0] = op, at[1] = a, at[2] = b, at[3] = c, at[4] = d;
  return at + OP_WORDS;
}

/* What the loop of value v computes in each turn. */
static void mark_body(const part_input *in, int32_t v, plan *p) {
  int32_t w, k;
  memset(p->body, 0, (size_t)v);
  p->body[op_of(in, v)[1]] = 1;
  for (w = v - 1; w >= 0; w--)
    for (k = 1; k < CODE_WORDS && p->body[w] && in->source[w].from == FROM_OP; k++)
      if (op_of(in, w)[k] >= 0 && in->length[op_of(in, w)[k]]) p->body[op_of(in, w)[k]] = 1;
}

static double start_of(int32_t loop) {
  return loop - LOOP == OP_mul ? 1 : loop - LOOP == OP_min ? INFINITY : loop - LOOP == OP_max ? -INFINITY : 0;
}

/* A loop: its turns, each of which loads elements of data and adds, with what rounding took from the sum apart. */
static double *place_loop(const part_input *in, int32_t v, plan *p, part *made, double *at) {
  const int32_t *op = op_of(in, v);
  const int32_t sum = take_slot(p), lost = take_slot(p), t = take_slot(p), u = take_slot(p), w = take_slot(p);
  const int32_t n = in->length[op[1]];
  double *head, *from;
  int32_t i, k;
  mark_body(in, v, p);
  at = put_op(at, OP_FILL, sum, start_of(op[0]), 0, 0);
  at = put_op(at, OP_FILL, lost, 0, 0, 0);
  head = at;
  from = at = put_op(at, OP_LOOP, 0, n, 0, 0);
  for (i = 0; i < v; i++) {
    const int32_t *inner = in->source[i].from == FROM_OP ? op_of(in, i) : NULL;
    if (!p->body[i]) continue;
    if (!inner) {
      at = put_op(at, OP_LOAD, p->slot[i], PAR_HEAD + p->place[i], 0, 0);
      continue;
    }
    p->slot[i] = take_slot(p);
    at = put_op(at, inner[0], p->slot[i], 0, 0, 0);
    for (k = 1; k <= 3; k++) at[k + 1 - OP_WORDS] = inner[k] < 0 ? p->slot[0] : p->slot[inner[k]];
  }
  k = p->slot[op[1]];
  if (op[0] - LOOP != OP_add) {
    at = put_op(at, op[0] - LOOP, sum, sum, k, k);
  } else { /* Knuth's sum of two numbers and its error */
    at = put_op(at, OP_add, t, sum, k, k);
    at = put_op(at, OP_sub, u, t, sum, k);
    at = put_op(at, OP_sub, w, t, u, k);
    at = put_op(at, OP_sub, w, sum, w, k);
    at = put_op(at, OP_sub, u, k, u, k);
    at = put_op(at, OP_add, w, w, u, k);
    at = put_op(at, OP_add, lost, lost, w, k);
    at = put_op(at, OP_COPY, sum, t, t, t);
  }
  head[1] = (double)((at - from) / OP_WORDS);
  made->work += (double)n * head[1];
  at = put_op(at, OP_add, t, sum, lost, k);
  at = put_op(at, OP_is_nan, u, lost, lost, k); /* infinite sums lose what is no number */
  p->slot[v] = take_slot(p);
  at = put_op(at, OP_select, p->slot[v], u, sum, t);
  for (i = 0; i < v; i++)
    if (p->body[i] && in->source[i].from == FROM_OP) p->free_slot[p->n_free++] = p->slot[i];
  p->free_slot[p->n_free++] = sum, p->free_slot[p->n_free++] = lost, p->free_slot[p->n_free++] = t;
  p->free_slot[p->n_free++] = u, p->free_slot[p->n_free++] = w;
  return at;
}

/* Operations with their slots, appended to code; a result may take the place of an operand. */
static int32_t place_operations(const part_input *in, const int32_t *target, int32_t n_target, plan *p, part *made,
                                double *code, double *outputs) {
  double *at = code;
  int32_t v, k;
  for (v = 0; v < in->n_value; v++) {
    const int32_t *op;
    if (!p->needed[v] || in->source[v].from != FROM_OP || in->length[v]) continue;
    op = op_of(in, v);
    if (op[0] >= LOOP) {
      at = place_loop(in, v, p, made, at);
      continue;
    }
    made->work++;
    at[0] = op[0];
    for (k = 1; k <= 3; k++) at[1 + k] = op[k] < 0 ? p->slot[0] : p->slot[op[k]];
    release_operands(in, op, v, p);
    at[1] = p->slot[v] = take_slot(p);
    at += OP_WORDS;
  }
  for (k = 0; k < n_target; k++) {
    int32_t slot = p->slot[target[k]];
    if (slot < made->n_uniform) { /* outputs vary */
      at[0] = OP_COPY;
      at[1] = p->n_slot++;
      at[2] = slot;
      at[3] = at[4] = p->slot[0];
      slot = (int32_t)at[1];
      at += OP_WORDS;
    }
    outputs[k] = slot;
  }
  return (int32_t)((at - code) / OP_WORDS);
}

static status make_par(const part_input *in, const int32_t *target, int32_t n_target, int32_t n_op, plan *p,
                       part *made) {
  size_t loops = 0, data = 0, room;
  double *par, *at, *outputs;
  int32_t k, ops;
  for (k = 0; k < in->n_value; k++) {
    if (!p->needed[k]) continue;
    if (in->source[k].from == FROM_OP && op_of(in, k)[0] >= LOOP) loops++;
    if (in->source[k].from != FROM_DATA) continue;
    p->place[k] = p->n_constant + (int32_t)data;
    data += (size_t)in->length[k];
  }
  room = PAR_HEAD + (size_t)p->n_constant + data + (size_t)p->n_parameter + (size_t)n_target +
         ((size_t)n_op + loops * ((size_t)n_op + (size_t)p->n_constant + 14) + (size_t)n_target) * OP_WORDS;
  par = calloc(room, sizeof *par);
  if (room > INT32_MAX / 2 || !par) {
    free(par);
    return fail(STATUS_MEMORY, "out of memory for an integrand of %d operations", (int)n_op);
  }
  made->par = par;
  at = par + PAR_HEAD;
  par[PAR_CONSTANTS] = (double)(at - par);
  par[PAR_N_CONSTANT] = p->n_constant;
  for (k = 0; k < p->n_constant; k++) {
    const source_of s = in->source[p->constant[k]];
    if (s.from == FROM_CONSTANT) *at = in->constants[s.index];
    else memcpy(par + PAR_HEAD + p->place[p->constant[k]], in->data + in->start[s.index],
                (size_t)in->length[p->constant[k]] * sizeof *par);
    at++;
  }
  at += data;
  par[PAR_OUTPUTS] = (double)(at - par);
  par[PAR_N_OUTPUT] = n_target;
  outputs = at;
  at += n_target;
  par[PAR_PROGRAM] = (double)(at - par);
  par[PAR_N_PARAMETER] = p->n_parameter;
  for (k = 0; k < p->n_parameter; k++) *at++ = in->source[p->parameter[k]].index;
  par[PAR_N_LIBRARY] = made->n_library;
  ops = place_operations(in, target, n_target, p, made, at, outputs);
  at += (size_t)ops * OP_WORDS;
  par[PAR_N_OP] = ops;
  par[PAR_N_UNIFORM] = made->n_uniform;
  par[PAR_ROWS] = made->n_fixed = made->n_par = (int32_t)(at - par);
  made->n_varying = p->n_slot - made->n_uniform;
  made->n_output = n_target;
  made->n_op = ops;
  return STATUS_OK;
}

typedef struct {
  char *text;
  size_t length, room;
} writer;

/* There is room: see make_text(). */
static void put(writer *w, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
static void put(writer *w, const char *format, ...) {
  va_list args;
  int n;
  va_start(args, format);
  n = vsnprintf(w->text + w->length, w->room - w->length, format, args);
  va_end(args);
  if (n > 0) w->length += (size_t)n;
  if (w->length >= w->room) w->length = w->room - 1;
}

static void put_value(writer *w, const part_input *in, const plan *p, int32_t v) {
  const source_of s = in->source[v];
  switch (s.from) {
  case FROM_X: put(w, "x"); break;
  case FROM_CONSTANT: put(w, "k[%d]", (int)p->slot[v]); break;
  case FROM_PARAMETER: put(w, "p[%d]", (int)s.index); break;
  case FROM_LIBRARY: put(w, "library[%d * apart]", (int)(p->slot[v] - p->first_library)); break;
  case FROM_OP: put(w, "v%d", (int)v); break;
  case FROM_DATA: put(w, "k[%d + i]", (int)p->place[v]); break;
  }
}

static const char signature[] =
    "DEV_FN void integrand(real x, DEV_GLOBAL const real *k, DEV_GLOBAL const real *p, const real *library,\n"
    "                      i32 apart, real *value, i32 stride) {\n"
    "  (void)x; (void)k; (void)p; (void)library; (void)apart;\n";

enum { LINE_ROOM = 160 };

static void put_op_text(writer *w, const part_input *in, const plan *p, int32_t v) {
  const int32_t *op = op_of(in, v);
  int32_t k;
  put(w, "  const real v%d = op_%s(", (int)v, operations[op[0]].name);
  for (k = 1; k <= operations[op[0]].operands; k++) {
    if (k > 1) put(w, ", ");
    put_value(w, in, p, op[k]);
  }
  put(w, ");\n");
}

/* See place_loop(). */
static void put_loop_text(writer *w, const part_input *in, plan *p, int32_t v) {
  const int32_t *op = op_of(in, v);
  int32_t i;
  mark_body(in, v, p);
  put(w, "  real v%d = %s, lost%d = 0;\n", (int)v,
      op[0] - LOOP == OP_mul ? "1" : op[0] - LOOP == OP_min ? "INF_" : op[0] - LOOP == OP_max ? "-INF_" : "0",
      (int)v);
  put(w, "  for (i32 i = 0; i < %d; i++) {\n", (int)in->length[op[1]]);
  for (i = 0; i < v; i++)
    if (p->body[i] && in->source[i].from == FROM_OP) put_op_text(w, in, p, i);
  put(w, "  const real a = ");
  put_value(w, in, p, op[1]);
  if (op[0] - LOOP != OP_add)
    put(w, ";\n  v%d = op_%s(v%d, a);\n  }\n", (int)v, operations[op[0] - LOOP].name, (int)v);
  else
    put(w, ", t = v%d + a, u = t - v%d;\n  lost%d += (v%d - (t - u)) + (a - u);\n  v%d = t;\n  }\n", (int)v, (int)v,
        (int)v, (int)v, (int)v);
  put(w, "  v%d = lost%d == lost%d ? v%d + lost%d : v%d;\n", (int)v, (int)v, (int)v, (int)v, (int)v, (int)v);
}

static status make_text(const part_input *in, const int32_t *target, int32_t n_target, plan *p, part *made) {
  writer w;
  int32_t v, k;
  w.length = 0;
  w.room = sizeof signature + ((size_t)made->n_op + (size_t)n_target + 8) * LINE_ROOM;
  w.text = malloc(w.room);
  if (!w.text) return fail(STATUS_MEMORY, "out of memory for the text of an integrand");
  put(&w, "#define INTEGRAND_OUTPUTS %d\n#define INTEGRAND_LIBRARY %d\n%s", (int)n_target, (int)made->n_library,
      signature);
  for (v = 0; v < in->n_value; v++) {
    if (!p->needed[v] || in->source[v].from != FROM_OP || in->length[v]) continue;
    if (op_of(in, v)[0] >= LOOP) put_loop_text(&w, in, p, v);
    else put_op_text(&w, in, p, v);
  }
  for (k = 0; k < n_target; k++) {
    put(&w, "  value[%d * stride] = ", (int)k);
    put_value(&w, in, p, target[k]);
    put(&w, ";\n");
  }
  put(&w, "}\n");
  made->text = w.text;
  return STATUS_OK;
}

status part_make(const part_input *in, enum part_kind kind, const int32_t *target, int32_t n_target, part *made) {
  plan p;
  int32_t n_op = 0, v;
  status st = plan_open(&p, in->n_value);
  if (st) return st;
  memset(made, 0, sizeof *made);
  mark_needed(in, target, n_target, &p);
  for (v = 0; v < in->n_value; v++) n_op += p.needed[v] && in->source[v].from == FROM_OP;
  st = place_inputs(in, kind, &p, made);
  if (!st && made->n_library > MAX_IN - 2)
    st = fail(STATUS_INPUT, "an integrand may combine at most %d results of Bessel, stable and Poisson functions",
              MAX_IN - 2);
  if (!st) st = make_par(in, target, n_target, n_op, &p, made);
  if (!st) st = make_text(in, target, n_target, &p, made);
  plan_free(&p);
  if (st) part_free(made);
  return st;
}

status part_set_rows(part *p, const char *name, const double *rows, int64_t n, int32_t stride, int64_t number) {
  const double size = (double)p->n_fixed + (double)n * stride;
  double *par;
  if (p->rows_of == number) return STATUS_OK;
  if (size > INT32_MAX) return fail(STATUS_MEMORY, "%s: too many parameters at once", name);
  par = realloc(p->par, (size_t)size * sizeof *par);
  if (!par) return fail(STATUS_MEMORY, "%s: out of memory for parameters", name);
  if (stride) memcpy(par + p->n_fixed, rows, (size_t)n * (size_t)stride * sizeof *par);
  par[PAR_ROW_STRIDE] = stride;
  p->par = par;
  p->n_par = (int32_t)size;
  p->rows_of = number;
  return STATUS_OK;
}

void part_free(part *p) {
  free(p->par);
  free(p->text);
  free(p->library);
  memset(p, 0, sizeof *p);
}
