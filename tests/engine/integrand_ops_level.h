/* integrand_ops_level.h: tables of the vector loops made by integrand_ops_level.c, one table per instruction set, in
 * the order of integrand_ops.def, and after them the functions of whole blocks, "<name>_lanes". */
#ifndef INTEGRAND_OPS_LEVEL_H
#define INTEGRAND_OPS_LEVEL_H

typedef struct {
  const char *name;
  int arguments;
  void (*run)(const double *a, const double *b, const double *c, double *out, int n); /* n: a multiple of 16 */
} integrand_loop;

extern const integrand_loop integrand_baseline[], integrand_avx2[], integrand_avx512[];

#endif
