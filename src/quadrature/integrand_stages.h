/* integrand_stages.h: a translated integrand, ready to be computed; private to integrand*.c. */
#ifndef STATCL_INTEGRAND_STAGES_H
#define STATCL_INTEGRAND_STAGES_H

#include "quadrature/integrand.h"
#include "quadrature/integrand_part.h"

enum { TARGETS_AT_ONCE = 64 };

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

static inline int32_t shift_of(const integrand *f) { return f->s.n_parameter + f->n_derived; }
static inline int32_t stride_of(const integrand *f) { return shift_of(f) + f->n_shift; }

static inline int32_t part_count(const parts *p) { return (p->n + TARGETS_AT_ONCE - 1) / TARGETS_AT_ONCE; }
static inline int32_t targets_in(const parts *p, int32_t k) {
  const int32_t left = p->n - k * TARGETS_AT_ONCE;
  return left < TARGETS_AT_ONCE ? left : TARGETS_AT_ONCE;
}

static inline const int32_t *operation(const integrand *f, int32_t v) {
  return f->s.code + (size_t)(v - (f->n_value - f->s.n_op)) * CODE_WORDS;
}

/* The cost is a rough one of operations and of what surrounds them. */
static inline pipeline pipeline_of(const integrand *f, const part *p, const kernel_description *kernel, int nodes,
                                   int n_in, int n_out) {
  return (pipeline){.name = f->s.name, .n_in = n_in, .n_out = n_out, .step = {kernel},
                    .ns_per_point = (3.0 + 2.0 * p->n_op) * nodes};
}

static inline task task_of(const pipeline *pipe, const part *p, int64_t n, int nodes) {
  return (task){.pipe = pipe, .n = n, .run = 1, .text = p->text, .n_interpreter = p->n_uniform + p->n_varying * nodes,
                .piece = nodes > 1 ? 64 : 0, .par = p->par, .n_par = p->n_par};
}

#endif
