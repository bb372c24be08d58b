/* dense_device.h: the functions of dense.h on a device: number `device` of the list in devices.h, or 0, the kernels'
 * twins in C, for tests. They return 1 and *st; or 0, *st being STATUS_OK and everything as it was, where the CPU's
 * tiles have to do the work: device is negative, for none is in use, or its memory is short, as last_error() tells.
 *
 * The device keeps the matrix that it has worked on last, until it works on another, the devices in use change, a
 * task lacks memory, or dense_device_forget(): what is asked of a matrix in the same place of memory, with the same
 * first and last tiles, is asked of that. */
#ifndef STATCL_DENSE_DEVICE_H
#define STATCL_DENSE_DEVICE_H

#include "engine/errors.h"

#include <stdint.h>

int dense_device_cholesky(int device, int64_t n, double *a, int64_t *bad, status *st);
int dense_device_solve(int device, int64_t n, const double *l, int64_t columns, double *b, int transposed,
                       status *st);
int dense_device_multiply(int device, int64_t n, const double *l, int64_t columns, double *b, status *st);
int dense_device_inverse(int device, int64_t n, double *l, status *st);
int dense_device_outer_less(int device, int64_t n, double *a, int64_t columns, const double *u, status *st);
void dense_device_forget(void);
int dense_device_keeps(void); /* a matrix? */

#endif
