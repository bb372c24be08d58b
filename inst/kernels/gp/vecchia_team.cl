/* vecchia_team.cl: the kernels of vecchia_team.h with a team's numbers in its group's local memory, where that has
 * room for them. */
#include "kernels/common/dialect.h"
#include "kernels/covariance/covariance_par.h"
#if LANES == 1 && (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__))
#define TEAM_MEMORY DEV_LOCAL
#define TEAM_NUMBERS staged + (i32)par[COV_NEAR] + team * p->size
#define TEAM_CONSTANTS near_constants(par, staged)
#define TEAM_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
/* Those of par before its tables, for all teams of the group. */
DEV_FN DEV_LOCAL const real *near_constants(DEV_GLOBAL const real *par, DEV_LOCAL real *staged) {
  const i32 numbers = (i32)par[COV_NEAR];
  for (i32 k = (i32)get_local_id(0); k < numbers; k += (i32)get_local_size(0)) staged[k] = par[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  return staged;
}
#ifndef VECCHIA_KERNEL
#define VECCHIA_KERNEL(what) TEAM_KERNEL(vecchia_team_##what)
#endif
#include "kernels/gp/vecchia_team.h"
#endif
