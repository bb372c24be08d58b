/* The kernels that can compute in single precision, for the instruction set of cpu_baseline.c: see cpu_level.h. */
#define SINGLE 1
#include "cpu_baseline.c"
