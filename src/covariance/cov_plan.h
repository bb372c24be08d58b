/* cov_plan.h: how what is wanted of a model comes, and par of the tasks for it; private to cov_plan.c, cov_values.c
 * and cov_tiles.c. */
#ifndef STATCL_COV_PLAN_H
#define STATCL_COV_PLAN_H

#include "covariance/cov_model.h"
#include "covariance/cov_table.h"
#include "engine/backend.h"
#include "kernels/common/dialect.h"
#include "kernels/covariance/covariance_par.h"

enum { MOST_FORM = 20 };

/* One part: FUNCTION_ of covariance_par.h, with a table or the coefficients of a closed form. x = r (hi + lo), or
 * r / divisor hi where the divisor is not 0: for ranges near the ends of double precision. */
typedef struct {
  int function, needs, terms, slope_terms, power;
  const cov_table *table;
  double hi, lo, divisor, at_zero;
  double form[2 * MOST_FORM + 8];
} cov_method;

typedef struct {
  const cov_model *model;
  cov_method *method; /* one for each part */
  int exponent;       /* distances are in units of 2^exponent */
  int direct;         /* are parts without closed forms evaluated without tables? */
  int single;         /* in float? Where it is asked for and does not serve, the tasks run on the CPU */
} cov_plan;

/* Between these two a plan holds its tables, and the CPU where single precision does not serve. work: distances to
 * be evaluated, as many as cost time; low, high: the smallest positive one and the largest, in units of 2^exponent,
 * of each part; low need not be a bound. */
status cov_plan_open(cov_plan *p, const cov_model *m, enum cov_route route, int exponent, double work,
                     const double *low, const double *high);
void cov_plan_close(cov_plan *p);

/* For cov_last_table(). */
void cov_note_tables(const cov_plan *p);

int cov_has_products(const cov_model *m);
/* Fails: products of parts need tables. */
status cov_no_table(void);

double cov_scaled_distance(const cov_method *e, double r);
/* Derivative of variance F: for the range or the shape, as factors of dF/dshape (or F) and -x F'(x). */
void cov_factors(const cov_part *part, enum cov_what what, double *factor, double *slope);

/* par of a task; the caller frees memory. */
typedef struct {
  double *memory, *par;
  int32_t n;
} cov_par;

/* Which parts a task is for: all; those with closed forms, the others giving 0; or the distances of one of them, with
 * what its maps make of -x F'(x) = 1. */
enum { ALL_PARTS = -1, CLOSED_PARTS = -2 };

/* With room for `more` numbers from position *at on, on a line of memory. dim: of maps, 0 where there are none. */
status cov_lay_out(const cov_plan *p, int which, int dim, int64_t more, int64_t *at, cov_par *to);

/* Is something in a column that the task for closed parts gives? */
int cov_is_closed(const cov_plan *p, const cov_want *w);
/* Is there one part, of which F or -x F'(x) is wanted? Then cov_one serves. */
int cov_wants_one(const cov_plan *p);
/* Part k at n values of x, added to the columns of what is wanted: out[i] of column j is out[j][i]. share: NULL, or
 * columns of factors for wants by a map. */
status cov_add_directly(const cov_plan *p, int k, int64_t n, const double *x, double *const *share,
                        double *const *out);

#endif
