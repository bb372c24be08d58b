/* quad_panels.cl: integrals of a translated integrand over panels, a panel a point. For each component PANEL_RESULTS
 * columns of results: integral, error, and its floor (see panel_rule()), and value and slope at the low and the high
 * end (see panel_ends()).
 * Where the integrand is given by its logarithm, what is integrated is its exponential, scaled for each row. */
#include "kernels/quadrature/panel_values.h"

KERNEL(quad_panels) {
  OVER_POINTS;
  PANEL_ROOM;
  real centre[LANES], radius[LANES], kind[LANES], anchor[LANES], rough[LANES];
  real value[LANES], error[LANES], least[LANES], low[LANES], low_slope[LANES], high[LANES], high_slope[LANES];
  i32 row[LANES];
  for (i32 l = 0; l < LANES; l++) {
    centre[l] = IN(PANEL_CENTRE, idx[l]);
    radius[l] = IN(PANEL_RADIUS, idx[l]);
    kind[l] = IN(PANEL_KIND, idx[l]);
    anchor[l] = IN(PANEL_ANCHOR, idx[l]);
    rough[l] = IN(PANEL_ROUGH, idx[l]);
    row[l] = (i32)IN(PANEL_ROW, idx[l]);
  }
  PANEL_VALUES(centre, radius, kind, anchor, row);
#ifdef INTEGRAND_ON_BELT
#define COMPONENTS OVER_FEW
#define SCALED(j) INTEGRAND_VALUE(j)
#else
#define COMPONENTS
#define SCALED(j) scaled /* components may be one array */
  real scaled[NODES * LANES];
#endif
  const i32 shift = (i32)par[PAR_SHIFT], stride = (i32)par[PAR_ROW_STRIDE], rows = (i32)par[PAR_ROWS];
  COMPONENTS for (i32 j = 0; j < INTEGRAND_OUTPUT_COUNT; j++) {
    const real *f = INTEGRAND_VALUE(j);
    if (shift >= 0) {
      real off[LANES];
      for (i32 l = 0; l < LANES; l++) off[l] = par[rows + stride * row[l] + shift + j];
      panel_exp(f, off, SCALED(j));
      f = SCALED(j);
    }
    panel_rule(f, x, scale, rough, value, error, least);
    /* columns have room for whole blocks */
    const i32 at = block * LANES;
    LANES_OUT(PANEL_RESULTS * j + PANEL_VALUE, value);
    LANES_OUT(PANEL_RESULTS * j + PANEL_ERROR, error);
    LANES_OUT(PANEL_RESULTS * j + PANEL_FLOOR, least);
    panel_ends(f, low, low_slope, high, high_slope);
    LANES_OUT(PANEL_RESULTS * j + PANEL_LOW, low);
    LANES_OUT(PANEL_RESULTS * j + PANEL_LOW_SLOPE, low_slope);
    LANES_OUT(PANEL_RESULTS * j + PANEL_HIGH, high);
    LANES_OUT(PANEL_RESULTS * j + PANEL_HIGH_SLOPE, high_slope);
  }
}
