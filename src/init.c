/* init.c: the only registration table. A family lists its entries as CALL(function, arguments) in r_<family>.h; the
 * entry is C_function here and, through .fixes in NAMESPACE, in R. */
#include "beta/r_beta.h"
#include "binomial/r_binomial.h"
#include "field/r_bands.h"
#include "gamma/r_gamma.h"
#include "glue/r_device.h"
#include "glue/r_elementwise.h"
#include "glue/r_extras.h"
#include "engine/cpu.h"
#include "field/r_fft.h"
#include "field/r_file.h"
#include "gp/r_gp.h"
#include "gp/r_laplace.h"
#include "gp/r_vecchia.h"
#include "gp/r_neighbours.h"
#include "glue/r_vec.h"
#include "covariance/r_covariance.h"
#include "covariance/r_local.h"
#include "covariance/r_several.h"
#include "poisson/r_poisson.h"
#include "quadrature/r_cubature.h"
#include "quadrature/r_quadrature.h"
#include "stable/r_garch.h"
#include "stable/r_stable.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef calls[] = {
#define CALL(name, arguments) {#name, (DL_FUNC)&C_##name, arguments},
    DEVICE_CALLS EXTRAS_CALLS BANDS_CALLS FFT_CALLS FILE_CALLS COVARIANCE_CALLS LOCAL_CALLS SEVERAL_CALLS GP_CALLS
    VECCHIA_CALLS NEIGHBOURS_CALLS LAPLACE_CALLS POISSON_CALLS QUADRATURE_CALLS CUBATURE_CALLS STABLE_CALLS
    GAMMA_CALLS BETA_CALLS BINOMIAL_CALLS GARCH_CALLS VEC_CALLS
#undef CALL
    {NULL, NULL, 0}};

static const R_ExternalMethodDef externals[] = {{"elementwise", (DL_FUNC)&C_elementwise, -1}, {NULL, NULL, 0}};

void attribute_visible R_init_statcl(DllInfo *dll) {
  if (!cpu_level_name())
    Rf_error("statcl was built for instruction sets that this processor lacks (STATCL_CPU_LEVELS): install it again");
  R_registerRoutines(dll, NULL, calls, NULL, externals);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
