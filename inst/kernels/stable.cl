/* stable.cl: densities of alpha-stable laws. The kernels are in stable_kernels.h. */
#include "stable.h"

#define JOINT 0
#define SLOPE 0
#include "stable_kernels.h"
#undef JOINT
#undef SLOPE
