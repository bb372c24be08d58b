/* stable.h: the host side of the stable distributions. Columns are recycled; results have length n. Invalid
 * parameters give NaN at their places. pm is Nolan's parameterisation 0, 1 or 2 (2: location at the mode, scale
 * alpha^(-1/alpha)). */
#ifndef STATCL_STABLE_HOST_H
#define STATCL_STABLE_HOST_H

#include <math.h>

#include "engine/backend.h"
#include "kernels/stable/stable_columns.h"

static const double pi = 3.141592653589793, half_pi = 1.5707963267948966, log_half = -0.6931471805599453;

/* log(1 - e^a) */
static inline double log_other(double a) { return a < log_half ? log1p(-exp(a)) : log(-expm1(a)); }

typedef struct {
  column alpha, beta, gamma, delta, pm;
} stable_parameters;

/* Of distributions with scale 1 and location 0. */
stable_parameters stable_standard(column alpha, column beta, column pm);

/* A task over points with three columns in, x, gamma and delta, and four of the distributions: alpha, beta, pm and,
 * for pm = 2, the mode. */
task stable_task(const pipeline *pipe, int64_t n, int64_t run, column x, stable_parameters p, column mode);

/* The steps of densities and of their slopes. */
extern const pipeline stable_density_pipeline, stable_slope_pipeline;

/* (log) density at x. run consecutive points share an element of alpha, beta and pm (1: they vary with x);
 * gamma and delta always go with x. */
status stable_density(int64_t n, int64_t run, column x, stable_parameters p, int give_log, double *out);

/* (log) P(X <= x), or P(X > x) where lower is 0. */
status stable_tail(int64_t n, int64_t run, column x, stable_parameters p, int lower, int give_log, double *out);

/* (log) density, lower and upper tail in one pass; error, unless NULL: estimated relative errors of the three. */
status stable_joint(int64_t n, int64_t run, column x, stable_parameters p, int give_log, double *const out[3],
                    double *const error[3]);

/* Quantiles of the (log) probabilities prob. */
status stable_quantile(int64_t n, column prob, stable_parameters p, int lower_tail, int log_p, double *out);

/* Is the distribution described by log |y|, y counted from zeta? Else by x: for quantiles by asinh(x). */
int stable_by_zeta(double alpha);

/* The same of the standard S0 distribution as log |y| or asinh(x), from the logs of both tail probabilities. */
status stable_quantile_unknown(int64_t n, double alpha, double beta, const double *log_lower, const double *log_upper,
                               double *s);

/* What stable_values() gives, and how: BY_SIZE chooses by n and by whether one distribution serves all points, so
 * that results depend on the arguments alone. */
enum stable_value { STABLE_DENSITY, STABLE_LOWER, STABLE_UPPER, STABLE_LOWER_QUANTILE, STABLE_UPPER_QUANTILE };
enum stable_route { BY_SIZE, DIRECTLY, BY_TABLE };
#define STABLE_ROUTES "size", "direct", "table"

/* Densities, tails or quantiles of the (log) probabilities x, by the functions above or, where alpha, beta and pm
 * have length 1, from a table of the distribution that is built at need and kept; where it does not reach, from the
 * former. */
status stable_values(enum stable_value what, enum stable_route route, int64_t n, column x, stable_parameters p,
                     int logs, double *out);

/* Forgets the tables: their values are those of the devices that made them. */
void stable_tables_drop(void);

/* Modes of the S0 distributions with scale 1 and location 0 of the sets whose pm is 2, 0 for the others: a column
 * over sets, whose memory the caller frees, after a failure too. */
status stable_modes(int64_t n_sets, stable_parameters p, double **memory, column *mode);

/* Modes of n S0 distributions with scale 1 and location 0. */
status stable_standard_modes(int64_t n, const double *alpha, const double *beta, double *mode);

/* Modes of the distributions as they are parameterised: those of S0 moved, scaled and counted as pm says. */
status stable_mode(int64_t n, stable_parameters p, double *out);

/* tan(pi alpha/2); 0 at alpha = 1, where there is no S1 location. */
double stable_tangent(double alpha);

/* Log density of the standard distribution (scale 1, location 0) and its derivatives with respect to alpha, beta and
 * z, the columns SLOPE_LOG_F to SLOPE_ZZ, at n points z, of which run consecutive ones share an element of alpha and
 * beta; z is that of S0, S1 or pm = 2 as frame says, and is what the derivatives in alpha and beta hold. Not finite:
 * those in alpha at alpha = 2 (and, but for S0, alpha = 1) and in beta at |beta| = 1, and all where the density is
 * 0. */
status stable_slopes(int64_t n, int64_t run, const double *z, column alpha, column beta, int frame,
                     double *const out[SLOPES]);

/* How far z of frame must change for the density to: about 1 near 0 and |z| in the tails; near zeta, where S1 counts
 * from, the first-order term of log f is y Gamma(2/alpha)/(Gamma(1/alpha) A^(1/alpha)). */
double stable_core_width(double alpha, double beta, int frame);

/* Draws number first, ..., first + n - 1, from 0, of the stream that key names; the parameters begin with those of
 * the first one. */
status stable_random(int64_t first, int64_t n, stable_parameters p, const uint32_t key[2], double *out);

#endif
