/* r_given.c: see r_given.h. */
#include "covariance/r_given.h"

#include "glue/r_vec.h"

given_sets given_of(SEXP sets, int64_t n) {
  SEXP members = vec_element(sets, "members"), columns = vec_element(sets, "columns");
  return (given_sets){.n = n, .ahead = n - Rf_ncols(members), .most = Rf_nrows(members), .member = INTEGER(members),
                      .diagonal = vec_doubles(sets, "diagonal", (R_xlen_t)n), .column = REAL(columns),
                      .columns = Rf_ncols(columns)};
}
