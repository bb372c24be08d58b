/* vecchia_par.h: layout of par, of the block that devices keep, and of work for Vecchia's approximation: each
 * location given the few before it that it is said to depend on, its neighbours, which with itself are its members.
 *
 * par: that of covariances (covariance_par.h), of whose wants the first is the covariance, with VECCHIA_AT in the
 * place of what tells of tiles.
 *
 * Block: records of locations, VECCHIA_RECORD numbers each, a multiple of VECCHIA_PART: coordinates as kernels want
 * them, the known variance of the error, then data. Whole numbers: of each step, that is VECCHIA_LINE locations side
 * by side, the records of the first members of these, then the second, themselves last; -1 for none. A block of
 * locations may stand for a location. Steps VECCHIA_STEPS b, ... belong to the points VECCHIA_LINE b, ... of a task:
 * a point stands for VECCHIA_STEPS locations, whose sums it has. */
#ifndef STATCL_VECCHIA_PAR_H
#define STATCL_VECCHIA_PAR_H

#include "kernels/covariance/covariance_par.h"

#define VECCHIA_LINE 16
#define VECCHIA_PART 4

#define VECCHIA_AT TILES_ROWS /* where these are: */
#define VECCHIA_MEMBERS 0
#define VECCHIA_STEPS 1
#define VECCHIA_RECORD 2
#define VECCHIA_COORDS 3 /* numbers of a location */
#define VECCHIA_DATA 4   /* columns of data */
#define VECCHIA_SLOPES 5 /* derivatives, which are wanted after the covariance */
#define VECCHIA_NUGGET 6
#define VECCHIA_NUGGETS 7 /* bit k: derivative k is for a nugget */
/* NEED_ bits of what the derivatives take where the covariance is one part in space without derivatives for a map,
 * of which F, -x F'(x) and dF/dshape are then kept for all pairs of members; or -1. */
#define VECCHIA_KEPT 8
#define VECCHIA_FROM 9 /* of the products of columns of data the first that is wanted, and the one after the last */
#define VECCHIA_TO 10
#define VECCHIA_OWN 11 /* members, the last ones, of which sums tell: each given those before it */
#define VECCHIA_SIZE 12

#define VECCHIA_PAIRS(k) ((k) * ((k) + 1) / 2)
/* Columns of results of vecchia_sums, of symmetric matrices the lower triangle by rows: the smallest number of a step
 * in which a location has no positive variance given its neighbours, or -1; half the log determinant; products of
 * whitened data; for each derivative half of that of the log determinant, and those of the products; and the
 * information. */
#define VECCHIA_BAD 0
#define VECCHIA_LOG 1
#define VECCHIA_GRAM 2
#define VECCHIA_SUMS(products, slopes) (2 + (products) + (slopes) * (1 + (products)) + VECCHIA_PAIRS(slopes))

/* Members stand in blocks of up to VECCHIA_BLOCK_MOST places, of which the first may lack some. */
#define VECCHIA_BLOCK_MOST 4
#define VECCHIA_PLACES(members) ((members) + VECCHIA_BLOCK_MOST - 1)
/* Columns of work for so many places, columns of data and derivatives, numbers of a record, and triangles, the factor
 * and what is kept. */
#define VECCHIA_WORK(places, data, slopes, record, triangles)                                                \
  (VECCHIA_PAIRS(places) * (triangles) + (places) * ((record) + 2 + (slopes)) + 1 + (slopes) + 1 + 2 * (data))
/* Numbers of a team (vecchia_team.h), with so many products. */
#define VECCHIA_TEAM(members, data, slopes, record, triangles, apart, products)                              \
  (VECCHIA_PAIRS(members) * (triangles) + (members) * ((record) + 2 + (slopes)) + 1 + (slopes) +             \
   (data) * (1 + (slopes)) + (apart) * (1 + (slopes)) + VECCHIA_SUMS(products, slopes))

#endif
