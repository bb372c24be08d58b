/* stable.cl: densities of alpha-stable distributions. The kernels are in stable_kernels.h. */
#include "kernels/stable/stable.h"

#define JOINT 0
#define SLOPE 0
#include "kernels/stable/stable_kernels.h"
#undef JOINT
#undef SLOPE
