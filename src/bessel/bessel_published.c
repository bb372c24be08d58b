/* bessel_published.c: see bessel_published.h. */
#include "bessel/bessel_published.h"

#include "kernels/bessel/bessel_par.h"
#include "programs/programs.h"

/* Temme's series serves x up to 2 (GSL, Numerical Recipes), or to 0.1 below the refined integral. The bins are
 * those of the authors' programs: logbesselk 3 (version 2 had 128) and CuBesselK. */
#define PUBLISHED_PIPELINE(cost, ...)                                                                        \
  {.name = "besselKgpu", .n_in = BESSEL_COLUMNS, .n_out = 1, .n_list = PUBLISHED_LISTS,                      \
   .step = {KERNEL_bessel_published_sort, __VA_ARGS__}, .ns_per_point = cost}
static const struct {
  pipeline pipe;
  double series_upto;
  int bins;
} published[] = {
    {PUBLISHED_PIPELINE(60, KERNEL_bessel_temme_series, KERNEL_bessel_temme_fraction), 2, 1},
    {PUBLISHED_PIPELINE(500, KERNEL_bessel_takekawa), -1, 32},
    {PUBLISHED_PIPELINE(500, KERNEL_bessel_temme_series, KERNEL_bessel_refined), 0.1, 128},
};

status bessel_published(enum bessel_method method, int bins, int64_t n, column x, column nu, int scaled,
                        double *out) {
  if (bins < 0 || bins > BESSEL_MAX_BINS)
    return fail(STATUS_INPUT, "bins must be between 1 and %d, not %d", BESSEL_MAX_BINS, bins);
  const double par[] = {published[method].series_upto, bins ? bins : published[method].bins, scaled};
  const column in[] = {[BESSEL_X] = x, [BESSEL_NU] = nu};
  return backend_columns(&published[method].pipe, n, in, par, 3, out);
}
