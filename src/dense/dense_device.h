/* dense_device.h: the functions of dense.h on a device: number `device` of the list in devices.h, or 0, the kernels'
 * twins in C, for tests. They return 1 and *st; or 0, *st being STATUS_OK and everything as it was, where the CPU's
 * tiles have to do the work: device is negative, for none is in use, or its memory is short, as last_error() tells.
 *
 * The device keeps the matrix that it has worked on last, until it works on another, the devices in use change, a
 * task lacks memory, or dense_device_forget(): what is asked of a matrix in the same place of memory, with the same
 * first and last tiles, is asked of that.
 *
 * A matrix that was made there by dense_device_make() is on the device alone, as is what comes into its place, until
 * dense_device_fetch(): the memory of the host is its name, and has to stay as long. */
#ifndef STATCL_DENSE_DEVICE_H
#define STATCL_DENSE_DEVICE_H

#include "engine/resident.h"

int dense_device_cholesky(int device, int64_t n, double *a, int64_t *bad, status *st);
int dense_device_solve(int device, int64_t n, const double *l, int64_t columns, double *b, int transposed,
                       status *st);
int dense_device_multiply(int device, int64_t n, const double *l, int64_t columns, double *b, status *st);
int dense_device_draw(int device, int64_t n, const double *l, int64_t known, int64_t columns, const double *b,
                      double *out, status *st);
int dense_device_inverse(int device, int64_t n, double *l, status *st);
int dense_device_outer_less(int device, int64_t n, double *a, int64_t columns, const double *u, status *st);

/* Who puts entries of `count` columns of tiles on a device: to columns `apart` numbers apart of a block, from number
 * `at` of each on. Of a symmetric matrix it is one column of tiles, from the diagonal down. What is beyond the matrix
 * may be anything. */
typedef struct {
  status (*columns)(void *context, resident *r, int64_t first, int64_t count, int which, int64_t at, int64_t apart);
  void *context;
} dense_filler;
/* The factor of the filler's one column, with more on its diagonal; 0 where it is not positive definite, too. */
int dense_device_make(int device, int64_t n, double *a, dense_filler fill, const double *diagonal, double *log_det,
                      status *st);
/* With x = inv(l) c for the columns c of a filler, sums of the products of their elements with those of each of so
 * many vectors of n, and last with themselves, as columns of a matrix. */
int dense_device_sums(int device, int64_t n, const double *l, int64_t columns, dense_filler fill, int64_t vectors,
                      const double *with, double *out, status *st);
/* Is the matrix on a device alone? If not, or its memory is short, the next four return 0, and the first two of them
 * where not all results are numbers. */
int dense_device_alone(int64_t n, const double *a);
/* Sums of the products of all entries with those of the matrices of a filler's columns. */
int dense_device_contract(int64_t n, const double *a, int64_t columns, dense_filler fill, double *sums, status *st);
/* Products of the matrices of a filler's columns with x, n numbers for each, beside a matrix that is there alone. */
int dense_device_products(int64_t n, int64_t columns, dense_filler fill, const double *x, double *out, status *st);
/* The sum over the diagonal. */
int dense_device_trace(int64_t n, const double *a, double *trace, status *st);
/* The n elements of the diagonal, of which the tiles on it come home. */
int dense_device_diagonal(int64_t n, const double *a, double *out, status *st);
/* The host gets the matrix, too. */
status dense_device_fetch(int64_t n, const double *a);

void dense_device_forget(void);
int dense_device_keeps(void); /* a matrix? */

#endif
