/* cov_plan.h: what is inside a plan (covariance.h), and what its own tasks take. */
#ifndef STATCL_COV_PLAN_H
#define STATCL_COV_PLAN_H

#include "covariance/cov_table.h"
#include "covariance/covariance.h"
#include "kernels/common/dialect.h"
#include "kernels/covariance/covariance_par.h"

enum { MOST_FORM = 20 };

/* One part: FUNCTION_ of covariance_par.h, with a table or the coefficients of a closed form. x = r (hi + lo), or
 * r / divisor hi where the divisor is not 0: for ranges near the ends of double precision. */
typedef struct {
  int function, needs, terms, slope_terms, power;
  const cov_table *table;
  double low, high; /* the smallest positive distance, which need not be a bound, and the largest */
  double hi, lo, divisor, at_zero;
  double form[2 * MOST_FORM + 8];
} cov_method;

struct cov_plan {
  const cov_model *model;
  const cov_space *space; /* or NULL: distances are given */
  int direct;             /* are parts without closed forms evaluated without tables? */
  int single;             /* in float? Where it is asked for and does not serve, the tasks run on the CPU */
  cov_method method[];    /* one for each part */
};

/* A plan for given distances, whose smallest positive one and the largest are low and high. */
status cov_plan_make_given(const cov_model *m, enum cov_route route, double work, double low, double high,
                           cov_plan **made);

/* No distance among the locations is larger, in their unit, with this map of differences. */
double cov_farthest(const cov_space *s, const double *map);

/* For cov_last_table(). */
void cov_note_tables(const cov_plan *p);

int cov_has_products(const cov_model *m);
/* Fails: products of parts need tables. */
status cov_no_table(void);

/* Which parts a task is for: all; those with closed forms, the others giving 0; or the distances of one of them, with
 * what its maps make of -x F'(x) = 1. */
enum { ALL_PARTS = -1, CLOSED_PARTS = -2 };

/* cov_plan_par() of these. */
status cov_lay_out(const cov_plan *p, int which, int64_t more, int64_t *at, cov_par *to);

/* Is something in a column that the task for closed parts gives? */
int cov_is_closed(const cov_plan *p, const cov_want *w);
/* Is there one part, of which F or -x F'(x) is wanted? Then cov_one serves. */
int cov_wants_one(const cov_plan *p);
/* Part k at n values of x, added to the columns of what is wanted: out[i] of column j is out[j][i]. share: NULL, or
 * columns of factors for wants by a map. */
status cov_add_directly(const cov_plan *p, int k, int64_t n, const double *x, double *const *share,
                        double *const *out);

/* Tables of several Matern correlations with cells alike, so that points may have one each: of part k the
 * coefficients begin with cell k table.cells; `part` has what kernels read of a table. Of the part, distances times
 * hi + lo are x, and there are factors: of F, of -x F'(x) in the derivative for the range, and of dF/dshape and
 * -x F'(x) in that for the shape. */
typedef struct {
  double hi, lo, value, range, shape, shape_slope;
} cov_alike_part;
typedef struct {
  int made;
  cov_table table;
  cov_alike_part *of;
  double part[PART_SIZE];
} cov_alike;
/* For positive distances from `nearest` to `farthest`, with dF/dshape for `shapes`. Not made where a part has no such
 * table; distances beyond its ends give NaN. */
status cov_alike_make(int n, const cov_part *part, int shapes, double nearest, double farthest, cov_alike *a);
void cov_alike_free(cov_alike *a);

#endif
