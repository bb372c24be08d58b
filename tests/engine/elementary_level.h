/* elementary_level.h: tables of the vector loops made by elementary_level.c, one table per instruction set; those of
 * single precision with SINGLE defined, in a program of their own. */
#ifndef ELEMENTARY_LEVEL_H
#define ELEMENTARY_LEVEL_H

#define NODES 64
#if SINGLE
typedef float number;
#define ELEMENTARY_LIST(X) X(exp_) X(exp_core_) X(log_) X(log_core_) X(sinpi_) X(cospi_) X(atan_)
#else
typedef double number;
#define ELEMENTARY_LIST(X)                                                                                   \
  X(exp_) X(exp_core_) X(expm1_) X(expm1_core_) X(log_) X(log_core_) X(log1p_) X(sin_) X(cos_) X(sin_core_)  \
  X(tan_) X(sinpi_) X(cospi_) X(atan_) X(atan2_) X(lgam_) X(erfcx_) X(log_erfc_) X(tan_dd) X(tan_half_pi_dd) \
  X(exp_times_core_) X(exp_times_far_) X(exp_sum_times_) X(add_cos_turn_) X(log_plus_) X(rsqrt_) X(log_dd)
#endif

typedef struct {
  const char *name;
  void (*run)(const number *a, const number *b, number *out, number *out2, int n);
} elementary_loop;

extern const elementary_loop elementary_baseline[], elementary_avx2[], elementary_avx512[];

#endif
