/* torus.h: fields on meshes as parts of periodic ones, by transforms of half a spectrum. */
#ifndef STATCL_TORUS_H
#define STATCL_TORUS_H

#include "engine/backend.h"

/* Axes that there are not have n = 1. */
enum { TORUS_DIM = 3 };
typedef struct {
  int64_t n[TORUS_DIM], kept[TORUS_DIM]; /* points of the torus along its axes, and of the mesh */
  int folded;         /* root is a function of |k| along all axes: it has n/2 + 1 elements along each; else along the
                       * first alone, and n along the others */
  const double *root; /* of the variances of waves, first axis fastest */
} torus;

/* The mesh of a field: the sum over wave numbers k of root(k) noise(k) exp(2 pi i k x/n) with complex noise of
 * variance 1, that of -k the conjugate of that of k, a function of the key. */
status torus_field(const torus *t, const uint32_t key[2], double *out);

/* The same in two steps, for what goes between them. Noise of half a spectrum, z: of the wave numbers 0, ..., n/2
 * along the first axis and all of the others, complex numbers of variance 2, those of -k the conjugates of those of
 * k. */
status torus_noise(const int64_t n[TORUS_DIM], const uint32_t key[2], double *z);

/* The sum over wave numbers k of z(k) exp(2 pi i k x/n), on the mesh that is kept; z is overwritten. */
status torus_transform(const int64_t n[TORUS_DIM], const int64_t kept[TORUS_DIM], double *z, double *out);

/* Transforms the elements 0, ..., n/2 along each axis of an array that is even along all of them, in place. */
status torus_even(const int64_t n[TORUS_DIM], double *octant);

#endif
