/* The kernels that can compute in single precision, for the instruction set of cpu_avx2.c: see cpu_level.h. */
#define SINGLE 1
#include "cpu_avx2.c"
