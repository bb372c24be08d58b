/* integrand.h: values of a translated integrand.
 *
 *   INTEGRAND_ROOM(nodes)           declares what the next two need
 *   INTEGRAND_AT(nodes, x, row)     computes at the points x[k * LANES + l], k < nodes, of which lane l's have the
 *                                   parameters of row[l]
 *   INTEGRAND_VALUE(j)              its component j, as a vector like x
 *
 * For an OpenCL device src/quadrature/integrand_part.c writes the integrand as a function of one point, from the
 * operations of integrand_ops.def; the C compiler's kernels interpret the same operations, each for all nodes of a
 * block before the next, so that the loops over lanes vectorise and the interpreter's own time is shared by nodes *
 * LANES points. */
#ifndef STATCL_INTEGRAND_H
#define STATCL_INTEGRAND_H

#include "kernels/quadrature/integrand_ops.h"
#include "kernels/quadrature/integrand_par.h"

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

/* INTEGRAND_OUTPUTS and integrand(x, constants, row, library, apart, value, stride): component j goes to
 * value[j * stride]; library result j is library[j * apart]. */
#include "integrand_text.h"

#define INTEGRAND_ROOM(nodes) real value_[INTEGRAND_OUTPUTS * (nodes) * LANES]; const i32 nodes_ = (nodes)
#define INTEGRAND_OUTPUT_COUNT INTEGRAND_OUTPUTS
#define INTEGRAND_VALUE(j) (value_ + (j) * nodes_ * LANES)
#define INTEGRAND_AT_(nodes, x, which, library, apart)                                                       \
  for (i32 k_ = 0; k_ < (nodes); k_++)                                                                       \
    LANE_LOOP(l)                                                                                             \
      integrand((x)[k_ * LANES + l], par + (i32)par[PAR_CONSTANTS],                                          \
                par + ((i32)par[PAR_ROWS] + (i32)par[PAR_ROW_STRIDE] * (i32)(which)), library, apart,        \
                value_ + k_ * LANES + l, nodes_ * LANES)
#define INTEGRAND_AT(nodes, x, row) INTEGRAND_AT_(nodes, x, (row)[l], value_, 0)

/* The same of one lane at place(k), three nodes a turn, for as many nodes as three times a whole number. Values stand
 * in registers, which move on from turn to turn as on a belt: an array that is written by a number that is not known
 * when compiled would be memory. Many components have no room there. */
#if LANES == 1 && INTEGRAND_OUTPUTS <= 2
#define INTEGRAND_ON_BELT(nodes, place, row)                                                                 \
  ROLLED for (i32 k_ = 0; k_ < (nodes); k_ += 3) {                                                           \
    real turn_[INTEGRAND_OUTPUTS * 3];                                                                       \
    OVER_FEW for (i32 i_ = 0; i_ < 3; i_++)                                                                  \
      integrand(place(k_ + i_), par + (i32)par[PAR_CONSTANTS],                                               \
                par + ((i32)par[PAR_ROWS] + (i32)par[PAR_ROW_STRIDE] * (row)[0]), value_, 0, turn_ + i_, 3); \
    OVER_FEW for (i32 j_ = 0; j_ < INTEGRAND_OUTPUTS; j_++) {                                                \
      OVER_FEW for (i32 i_ = 0; i_ < (nodes) - 3; i_++)                                                      \
        value_[j_ * (nodes) + i_] = value_[j_ * (nodes) + i_ + 3];                                           \
      OVER_FEW for (i32 i_ = 0; i_ < 3; i_++) value_[(j_ + 1) * (nodes) - 3 + i_] = turn_[j_ * 3 + i_];      \
    }                                                                                                        \
  }
#endif

#else

/* The operations of par's program: slots are at work, uniform ones of LANES values and varying ones of
 * nodes * LANES, and hold what the program reads. A negative one is a table at that place in par. One program of an
 * instruction set has the interpreter, and the others call it. */
void KERNEL_SYMBOL(integrand_interpret)(i32 nodes, const real *par, const real *op, real *work);

#ifdef HAS_INTERPRETER
typedef void (*integrand_op)(i32 nodes, const real *a, i32 sa, const real *b, i32 sb, const real *c, i32 sc, real *r);

/* Operands move on by LANES per node, or by 0 where they are uniform. */
#define OP_LOOP(name, call)                                                                                  \
  DEV_BLOCK_FN void run_##name(i32 nodes, const real *a, i32 sa, const real *b, i32 sb, const real *c, i32 sc, \
                               real *r) {                                                                    \
    (void)b, (void)c;                                                                                        \
    for (i32 k = 0; k < nodes; k++, a += sa, b += sb, c += sc, r += LANES) LANE_LOOP(l) r[l] = call;         \
  }
#define OP_CALL_1(name) op_##name(a[l])
#define OP_CALL_2(name) op_##name(a[l], b[l])
#define OP_CALL_3(name) op_##name(a[l], b[l], c[l])
#define TABLE_OP(name, n) OP_LOOP(name, op_##name(a[l], b))
#define LIBRARY_OP(name, n)
#define OP(name, n) OP_LOOP(name, OP_CALL_##n(name))
#include "kernels/quadrature/integrand_ops.def"
#undef OP
#undef LIBRARY_OP
OP_LOOP(copy, a[l])
/* these are right at all x by the block alone */
#define OP_BLOCK(name)                                                                                       \
  DEV_BLOCK_FN void run_##name##_lanes(i32 nodes, const real *a, i32 sa, const real *b, i32 sb, const real *c, \
                                       i32 sc, real *r) {                                                    \
    (void)b, (void)c, (void)sb, (void)sc;                                                                    \
    for (i32 k = 0; k < nodes; k++, a += sa, r += LANES) op_##name##_lanes(a, r);                            \
  }
BLOCK_OPS(OP_BLOCK)
#define run_sin run_sin_lanes
#define run_cos run_cos_lanes
#define run_tan run_tan_lanes

static const integrand_op integrand_ops[] = {
#define OP(name, n) run_##name,
#define LIBRARY_OP(name, n)
#include "kernels/quadrature/integrand_ops.def"
#undef OP
#undef LIBRARY_OP
    run_copy};

void KERNEL_SYMBOL(integrand_interpret)(i32 nodes, const real *par, const real *op, real *work) {
  const i32 n_op = (i32)par[PAR_N_OP], uniform = (i32)par[PAR_N_UNIFORM];
  for (i32 i = 0; i < n_op; i++, op += OP_WORDS) {
    const real *slot[4];
    i32 stride[4];
    const i32 to = (i32)op[1];
    for (i32 k = 1; k < 4; k++) {
      const i32 s = (i32)op[1 + k];
      slot[k] = s < 0 ? par - s : SCRATCH((s < uniform ? s : uniform + (s - uniform) * nodes) * LANES,
                        (s < uniform ? 1 : nodes) * LANES);
      stride[k] = s < uniform ? 0 : LANES;
    }
    integrand_ops[(i32)op[0]](nodes, slot[1], stride[1], slot[2], stride[2], slot[3], stride[3],
                              SCRATCH((uniform + (to - uniform) * nodes) * LANES, nodes * LANES));
  }
}
#endif

DEV_FN void integrand_constants(const real *par, real *work) {
  const real *from = par + (i32)par[PAR_CONSTANTS];
  real *to = SCRATCH(0, (i32)par[PAR_N_CONSTANT] * LANES);
  for (i32 i = 0; i < (i32)par[PAR_N_CONSTANT]; i++)
    for (i32 l = 0; l < LANES; l++) to[i * LANES + l] = from[i];
}

/* A CPU's thread has its scratch memory, work, for itself. */
DEV_BLOCK_FN void integrand_by_lane(i32 nodes, const real *x, const i32 *row, const real *par, real *work) {
  const real *load = par + (i32)par[PAR_PROGRAM], *rows = par + (i32)par[PAR_ROWS];
  const i32 n_par = (i32)par[PAR_N_PARAMETER], stride = (i32)par[PAR_ROW_STRIDE];
  real *to = SCRATCH((i32)par[PAR_N_CONSTANT] * LANES, (n_par + nodes) * LANES);
  integrand_constants(par, work);
  for (i32 i = 0; i < n_par; i++, to += LANES)
    for (i32 l = 0; l < LANES; l++) to[l] = rows[row[l] * stride + (i32)load[i]];
  memcpy(to, x, (size_t)(nodes * LANES) * sizeof *x);
  KERNEL_SYMBOL(integrand_interpret)(nodes, par, load + n_par, work);
}

DEV_BLOCK_FN void integrand_by_point(i32 nodes, i32 n, const real *in, i32 cap, u32 shared, const real *par,
                                     real *work) {
  const real *load = par + (i32)par[PAR_PROGRAM], *rows = par + (i32)par[PAR_ROWS];
  const i32 n_par = (i32)par[PAR_N_PARAMETER], n_lib = (i32)par[PAR_N_LIBRARY], stride = (i32)par[PAR_ROW_STRIDE];
  const i32 size = nodes * LANES;
  real *to = SCRATCH((i32)par[PAR_N_CONSTANT] * LANES, (1 + n_par + n_lib) * size);
  integrand_constants(par, work);
#define INTEGRAND_COLUMN(column)                                                                             \
  for (i32 i = 0; i < size; i++) to[i] = IN(column, i < n ? i : n - 1);                                      \
  to += size
  INTEGRAND_COLUMN(MAP_X);
  for (i32 p = 0; p < n_par; p++, to += size)
    for (i32 i = 0; i < size; i++) to[i] = rows[(i32)IN(MAP_ROW, i < n ? i : n - 1) * stride + (i32)load[p]];
  for (i32 j = 0; j < n_lib; j++) { INTEGRAND_COLUMN(MAP_LIBRARY + j); }
  KERNEL_SYMBOL(integrand_interpret)(nodes, par, load + n_par, work);
}

/* Elements at, ..., at + nodes * LANES - 1 of each vector of data, of which there are size, with the parameters of
 * one row: the last element stands in for those past the end. */
DEV_BLOCK_FN void integrand_by_element(i32 nodes, i32 at, i32 row, const real *par, real *work) {
  const real *load = par + (i32)par[PAR_PROGRAM];
  const real *of_row = par + (i32)par[PAR_ROWS] + (i32)par[PAR_ROW_STRIDE] * row;
  const i32 n_par = (i32)par[PAR_N_PARAMETER], n_lib = (i32)par[PAR_N_LIBRARY], size = (i32)par[PAR_SIZE];
  const i32 left = size - at < nodes * LANES ? size - at : nodes * LANES;
  real *to = SCRATCH((i32)par[PAR_N_CONSTANT] * LANES, (n_par + n_lib * nodes) * LANES);
  integrand_constants(par, work);
  for (i32 i = 0; i < n_par; i++, to += LANES)
    for (i32 l = 0; l < LANES; l++) to[l] = of_row[(i32)load[i]];
  for (i32 j = 0; j < n_lib; j++, to += nodes * LANES) {
    const real *from = par + (i32)par[PAR_DATA] + j * size + at;
    memcpy(to, from, (size_t)left * sizeof *to);
    for (i32 i = left; i < nodes * LANES; i++) to[i] = from[left - 1];
  }
  KERNEL_SYMBOL(integrand_interpret)(nodes, par, load + n_par, work);
}

#define INTEGRAND_ROOM(nodes) const i32 nodes_ = (nodes)
#define INTEGRAND_OUTPUT_COUNT ((i32)par[PAR_N_OUTPUT])
#define INTEGRAND_VALUE(j)                                                                                   \
  SCRATCH(((i32)par[PAR_N_UNIFORM] +                                                                         \
           ((i32)par[(i32)par[PAR_OUTPUTS] + (j)] - (i32)par[PAR_N_UNIFORM]) * nodes_) * LANES, nodes_ * LANES)
#define INTEGRAND_AT(nodes, x, row) integrand_by_lane(nodes, x, row, par, work)

#endif
#endif
