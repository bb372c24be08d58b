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

const integrand_operation operations[] = {
#define OP(name, n) {#name, n, 0},
#define LIBRARY_OP(name, n) {#name, n, 1},
#include "kernels/quadrature/integrand_ops.def"
#undef OP
#undef LIBRARY_OP
};

/* In the interpreter's table behind the operations by point: see integrand.h of the kernels. */
enum { OP_COPY = OP_bessel_k };

/* For each value: the slot that holds it, and the last operation that reads it. */
typedef struct {
  int32_t *slot, *last; /* of a table: its place behind the first constant; slot has the memory of all */
  int32_t table_room;
  int32_t *constant, n_constant;   /* values, in the order of their slots */
  int32_t *parameter, n_parameter;
  int32_t *free_slot, n_free, n_slot, first_library;
  int32_t *needed;
} plan;

static status plan_open(plan *p, int32_t n_value) {
  const size_t n = (size_t)n_value + 1;
  memset(p, 0, sizeof *p);
  p->slot = calloc(6 * n, sizeof *p->slot);
  if (!p->slot) return fail(STATUS_MEMORY, "out of memory for an integrand of %d values", (int)n_value);
  p->last = p->slot + n;
  p->constant = p->last + n;
  p->parameter = p->constant + n;
  p->free_slot = p->parameter + n;
  p->needed = p->free_slot + n;
  return STATUS_OK;
}

static const int32_t *op_of(const part_input *in, int32_t value) {
  return in->code + (size_t)in->source[value].index * CODE_WORDS;
}

static int32_t size_of_data(const part_input *in, int32_t v) {
  const int32_t *start = in->start + in->source[v].index;
  return start[1] - start[0];
}

static void mark_needed(const part_input *in, const int32_t *target, int32_t n_target, plan *p) {
  for (int32_t k = 0; k < n_target; k++) {
    p->needed[target[k]] = 1;
    p->last[target[k]] = INT32_MAX;
  }
  for (int32_t v = in->n_value - 1; v >= 0; v--) {
    if (!p->needed[v] || in->source[v].from != FROM_OP) continue;
    const int32_t *op = op_of(in, v);
    for (int32_t k = 1; k < CODE_WORDS; k++) {
      if (op[k] < 0) continue;
      if (!p->needed[op[k]]) p->last[op[k]] = v;
      if (!p->needed[op[k]] && in->source[op[k]].from == FROM_DATA) p->table_room += 1 + size_of_data(in, op[k]);
      p->needed[op[k]] = 1;
    }
  }
}

/* Slots of what the part reads, in the order of integrand_par.h. */
static status place_inputs(const part_input *in, enum part_kind kind, plan *p, part *made) {
  const enum origin order[] = {FROM_CONSTANT, FROM_PARAMETER, FROM_X, FROM_LIBRARY};
  const enum origin by_point[] = {FROM_CONSTANT, FROM_X, FROM_PARAMETER, FROM_LIBRARY};
  int32_t slot = 0;
  made->library = malloc(((size_t)in->n_value + 1) * sizeof *made->library);
  if (!made->library) return fail(STATUS_MEMORY, "out of memory for an integrand");
  for (int k = 0; k < 4; k++) {
    const enum origin from = kind == BY_POINT ? by_point[k] : order[k];
    if (from == FROM_LIBRARY) p->first_library = slot;
    if (from == FROM_X) {
      made->n_uniform = slot;
      if (kind != BY_ELEMENT) p->slot[0] = slot++; /* there x is a parameter */
      continue;
    }
    for (int32_t v = 0; v < in->n_value; v++) {
      if (!p->needed[v] || in->source[v].from != from) continue;
      p->slot[v] = slot++;
      if (from == FROM_CONSTANT) p->constant[p->n_constant++] = v;
      if (from == FROM_PARAMETER) p->parameter[p->n_parameter++] = v;
      if (from == FROM_LIBRARY) made->library[made->n_library++] = in->source[v].index;
    }
  }
  p->n_slot = slot;
  return STATUS_OK;
}

static void release_operands(const part_input *in, const int32_t *op, int32_t at, plan *p) {
  for (int k = 1; k < CODE_WORDS; k++) {
    int again = 0;
    if (op[k] < 0 || in->source[op[k]].from != FROM_OP || p->last[op[k]] != at) continue;
    for (int j = 1; j < k; j++) again |= op[j] == op[k];
    if (!again) p->free_slot[p->n_free++] = p->slot[op[k]];
  }
}

/* Tables follow the constants, each behind its size. */
static double *place_tables(const part_input *in, plan *p, const double *constants, double *at) {
  for (int32_t v = 0; v < in->n_value; v++) {
    if (!p->needed[v] || in->source[v].from != FROM_DATA) continue;
    const int32_t n = size_of_data(in, v);
    p->slot[v] = (int32_t)(at - constants);
    *at++ = n;
    memcpy(at, in->data + in->start[in->source[v].index], (size_t)n * sizeof *at);
    at += n;
  }
  return at;
}

static int32_t take_slot(plan *p) { return p->n_free ? p->free_slot[--p->n_free] : p->n_slot++; }

/* Operations with their slots, appended to code; a result may take the place of an operand. */
static int32_t place_operations(const part_input *in, const int32_t *target, int32_t n_target, plan *p, part *made,
                                double *code, double *outputs) {
  double *at = code;
  for (int32_t v = 0; v < in->n_value; v++) {
    if (!p->needed[v] || in->source[v].from != FROM_OP) continue;
    const int32_t *op = op_of(in, v);
    at[0] = op[0];
    for (int32_t k = 1; k <= 3; k++) {
      const int32_t slot = p->slot[op[k] < 0 ? 0 : op[k]];
      at[1 + k] = op[k] >= 0 && in->source[op[k]].from == FROM_DATA ? -(PAR_HEAD + slot) : slot;
    }
    release_operands(in, op, v, p);
    at[1] = p->slot[v] = take_slot(p);
    at += OP_WORDS;
  }
  for (int32_t k = 0; k < n_target; k++) {
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
  const size_t room = PAR_HEAD + (size_t)p->n_constant + (size_t)p->n_parameter + (size_t)n_target +
                      (size_t)p->table_room + ((size_t)n_op + (size_t)n_target) * OP_WORDS;
  double *par = calloc(room, sizeof *par);
  if (room > INT32_MAX / 2 || !par) {
    free(par);
    return fail(STATUS_MEMORY, "out of memory for an integrand of %d operations", (int)n_op);
  }
  made->par = par;
  double *at = par + PAR_HEAD;
  par[PAR_CONSTANTS] = (double)(at - par);
  par[PAR_N_CONSTANT] = p->n_constant;
  for (int32_t k = 0; k < p->n_constant; k++) *at++ = in->constants[in->source[p->constant[k]].index];
  at = place_tables(in, p, par + PAR_HEAD, at);
  par[PAR_OUTPUTS] = (double)(at - par);
  par[PAR_N_OUTPUT] = n_target;
  double *outputs = at;
  at += n_target;
  par[PAR_PROGRAM] = (double)(at - par);
  par[PAR_N_PARAMETER] = p->n_parameter;
  for (int32_t k = 0; k < p->n_parameter; k++) *at++ = in->source[p->parameter[k]].index;
  par[PAR_N_LIBRARY] = made->n_library;
  const int32_t ops = place_operations(in, target, n_target, p, made, at, outputs);
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
  va_start(args, format);
  const int n = vsnprintf(w->text + w->length, w->room - w->length, format, args);
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
  case FROM_DATA: put(w, "k + %d", (int)p->slot[v]); break;
  }
}

static const char signature[] =
    "DEV_FN void integrand(real x, DEV_GLOBAL const real *k, DEV_GLOBAL const real *p, const real *library,\n"
    "                      i32 apart, real *value, i32 stride) {\n"
    "  (void)x; (void)k; (void)p; (void)library; (void)apart;\n";

enum { LINE_ROOM = 160 };

static void put_op_text(writer *w, const part_input *in, const plan *p, int32_t v) {
  const int32_t *op = op_of(in, v);
  put(w, "  const real v%d = op_%s(", (int)v, operations[op[0]].name);
  for (int32_t k = 1; k <= operations[op[0]].operands; k++) {
    if (k > 1) put(w, ", ");
    put_value(w, in, p, op[k]);
  }
  put(w, ");\n");
}

static status make_text(const part_input *in, const int32_t *target, int32_t n_target, plan *p, part *made) {
  writer w;
  w.length = 0;
  w.room = sizeof signature + ((size_t)made->n_op + (size_t)n_target + 8) * LINE_ROOM;
  w.text = malloc(w.room);
  if (!w.text) return fail(STATUS_MEMORY, "out of memory for the text of an integrand");
  put(&w, "#define INTEGRAND_OUTPUTS %d\n#define INTEGRAND_LIBRARY %d\n%s", (int)n_target, (int)made->n_library,
      signature);
  for (int32_t v = 0; v < in->n_value; v++) {
    if (p->needed[v] && in->source[v].from == FROM_OP) put_op_text(&w, in, p, v);
  }
  for (int32_t k = 0; k < n_target; k++) {
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
  int32_t n_op = 0;
  status st = plan_open(&p, in->n_value);
  if (st) return st;
  memset(made, 0, sizeof *made);
  mark_needed(in, target, n_target, &p);
  for (int32_t v = 0; v < in->n_value; v++) n_op += p.needed[v] && in->source[v].from == FROM_OP;
  st = place_inputs(in, kind, &p, made);
  if (!st && kind != BY_ELEMENT && made->n_library > MAX_IN - 2)
    st = fail(STATUS_INPUT, "an integrand may combine at most %d results of Bessel, stable and Poisson functions",
              MAX_IN - 2);
  if (!st) st = make_par(in, target, n_target, n_op, &p, made);
  if (!st) st = make_text(in, target, n_target, &p, made);
  free(p.slot);
  if (st) part_free(made);
  return st;
}

status part_set_data(part *p, int32_t n, const double *const *vectors) {
  const double size = (double)p->n_fixed + (double)n * p->n_library;
  double *par = size < INT32_MAX ? realloc(p->par, (size_t)size * sizeof *par) : NULL;
  if (!par) return fail(STATUS_MEMORY, "out of memory for %d vectors of data", (int)p->n_library);
  for (int32_t k = 0; k < p->n_library; k++)
    memcpy(par + p->n_fixed + (size_t)k * (size_t)n, vectors[p->library[k]], (size_t)n * sizeof *par);
  par[PAR_DATA] = p->n_fixed;
  par[PAR_SIZE] = n;
  par[PAR_ROWS] = p->n_fixed = p->n_par = (int32_t)size;
  p->par = par;
  return STATUS_OK;
}

status part_set_rows(part *p, const char *name, const double *rows, int64_t n, int32_t stride, int64_t number) {
  const double size = (double)p->n_fixed + (double)n * stride;
  if (p->rows_of == number) return STATUS_OK;
  if (size > INT32_MAX) return fail(STATUS_MEMORY, "%s: too many parameters at once", name);
  double *par = realloc(p->par, (size_t)size * sizeof *par);
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
