/* bessel_published.c: see bessel_published.h. */
#include "bessel_published.h"

/* Temme's series serves x up to 2 (GSL, Numerical Recipes), or to 0.1 below the refined integral. The bins are
 * those of the authors' programs: logbesselk 3 (version 2 had 128) and CuBesselK. */
static const struct {
  pipeline pipe;
  double series_upto;
  int bins;
} published[] = {
    {{"besselKgpu", 0, 2, 1, 0, 0, 2, 3,
      {KERNEL_bessel_published_sort, KERNEL_bessel_temme_series, KERNEL_bessel_temme_fraction}, 60}, 2, 1},
    {{"besselKgpu", 0, 2, 1, 0, 0, 2, 2, {KERNEL_bessel_published_sort, KERNEL_bessel_takekawa}, 500}, -1, 32},
    {{"besselKgpu", 0, 2, 1, 0, 0, 2, 3,
      {KERNEL_bessel_published_sort, KERNEL_bessel_temme_series, KERNEL_bessel_refined}, 500}, 0.1, 128},
};

status bessel_published(enum bessel_method method, int bins, int64_t n, column x, column nu, int scaled,
                        double *out) {
  if (bins < 0 || bins > BESSEL_MAX_BINS)
    return fail(STATUS_INPUT, "bins must be between 1 and %d, not %d", BESSEL_MAX_BINS, bins);
  const double par[] = {published[method].series_upto, bins ? bins : published[method].bins, scaled};
  const column in[] = {x, nu};
  return backend_columns(&published[method].pipe, n, in, par, 3, out);
}
