/* bands.cl: random fields as sums over lines.
 *
 *   band_uniform        uniforms of a stream;
 *   band_location_uniform  of locations: equal coordinates, equal uniforms;
 *   band_points         Sum_l amplitude_l cos(2 pi (k_l . x + phase_l)) at any points
 *   band_points_part    the same with some lines after others, with the bits of all at once
 *   band_waves_1, _2, _3   sums of lines with coefficients of their own, for as many results at a point
 *   band_axis           exp(2 pi i (k x + phase)) along one axis, a parameter set per line
 *   band_grid           the same sum on a mesh, from the factors of its axes: exp(i k . x) is their product, so that
 *                       the sum over lines is a real matrix product
 *   band_row            the same where there are few x, with the same bits: rows along y or z, one by one
 *   band_table          Sum_l table_l[nearest entry to u_l . x] + what there was
 * par: bands_par.h. A value's bits depend on its location alone: sums over lines run from the first to the last, and
 * on any mesh the factor of x is multiplied by the product of those of y and z. */
#include "kernels/common/philox.h"
#include "kernels/field/bands_par.h"

KERNEL(band_uniform) {
  OVER_WHOLE_BLOCKS;
  const u32 k0 = (u32)par[BAND_KEY], k1 = (u32)par[BAND_KEY + 1], stream = (u32)par[BAND_STREAM];
  const u64 first = (u64)offset + (u64)at;
  real u[LANES];
  LANE_LOOP(l) {
    const u64 i = first + (u64)l;
    philox_block c = {(u32)i, (u32)(i >> 32), TAG_BANDS, stream};
    c = philox(c, k0, k1);
    u[l] = open_uniform(c.w0, c.w1);
  }
  LANES_OUT(0, u);
}

#define COORDINATES_IN                                                                                       \
  real x[LANES], y[LANES], z[LANES];                                                                         \
  LANES_IN(LOCATION_X, x);                                                                                   \
  LANES_IN(LOCATION_Y, y);                                                                                   \
  LANES_IN(LOCATION_Z, z)
/* k . x + phase */
#define PHASE(kx, ky, kz, phase) FMA(kx, x[l], FMA(ky, y[l], FMA(kz, z[l], phase)))

/* A hash of the coordinates' bits: each is the counter of one block, together with what the last block left. */
DEV_FN philox_block hash_more_(philox_block c, real x, u32 k0, u32 k1) {
  const u64 b = (u64)bits_of(x + K(0.0)); /* 0 for -0 */
  c.w0 ^= (u32)b;
  c.w1 ^= (u32)(b >> 32);
  return philox(c, k0, k1);
}

KERNEL(band_location_uniform) {
  OVER_WHOLE_BLOCKS;
  const u32 k0 = (u32)par[BAND_KEY], k1 = (u32)par[BAND_KEY + 1], stream = (u32)par[BAND_STREAM];
  COORDINATES_IN;
  LANE_LOOP(l) {
    philox_block c = {0u, 0u, TAG_BANDS, stream};
    c = hash_more_(c, x[l], k0, k1);
    c = hash_more_(c, y[l], k0, k1);
    c = hash_more_(c, z[l], k0, k1);
    x[l] = open_uniform(c.w0, c.w1);
  }
  LANES_OUT(0, x);
}

/* The cosines of a group of lines, after which the next one begins. */
#define ADD_PAIRS(line, part)                                                                                \
  do {                                                                                                       \
    const i32 pairs = (i32)line[1];                                                                          \
    line += 2;                                                                                               \
    for (i32 k = 0; k < pairs; k++, line += 2 * BAND_LINE) {                                                 \
      const real kx = line[0], ky = line[1], kz = line[2], phase_1 = line[3];                                \
      const real qx = line[4], qy = line[5], qz = line[6], phase_2 = line[7];                                \
      LANE_LOOP(l) {                                                                                         \
        const real t = PHASE(kx, ky, kz, phase_1);                                                           \
        const real u = PHASE(qx, qy, qz, phase_2);                                                           \
        part[l] = add_cos_turn_(u, add_cos_turn_(t, part[l]));                                               \
      }                                                                                                      \
    }                                                                                                        \
  } while (0)

/* The sum over all groups, with their amplitudes; of some of the lines, that of the last group stays in part. */
#define ADD_GROUPS(some)                                                                                     \
  DEV_GLOBAL const real *line = par + BAND_FIRST;                                                            \
  for (i32 g = 0, groups = (i32)par[BAND_GROUPS]; g < groups; g++) {                                         \
    const real amplitude = line[0];                                                                          \
    ADD_PAIRS(line, part);                                                                                   \
    if ((some) && g + 1 == groups) break;                                                                    \
    LANE_LOOP(l) {                                                                                           \
      sum[l] = FMA(amplitude, part[l], sum[l]);                                                              \
      part[l] = 0;                                                                                           \
    }                                                                                                        \
  }

KERNEL(band_points) {
  OVER_WHOLE_BLOCKS;
  COORDINATES_IN;
  real sum[LANES], part[LANES];
  LANE_LOOP(l) sum[l] = part[l] = 0;
  ADD_GROUPS(0)
  LANES_OUT(0, sum);
}

KERNEL(band_points_part) {
  OVER_WHOLE_BLOCKS;
  COORDINATES_IN;
  real sum[LANES], part[LANES];
  LANES_IN(LOCATION_SUM, sum);
  LANES_IN(LOCATION_GROUP, part);
  ADD_GROUPS(1)
  LANES_OUT(0, sum);
  LANES_OUT(1, part);
}

/* Results of one point share the phases of lines. The first: Sum_l amplitude_l cos(2 pi (k_l . x + phase_l)). */
KERNEL(band_waves_1) {
  OVER_WHOLE_BLOCKS;
  const i32 lines = (i32)par[WAVES_LINES];
  DEV_GLOBAL const real *line = par + WAVES_FIRST;
  COORDINATES_IN;
  real sum[LANES];
  LANES_IN(LOCATION_SUM, sum);
  for (i32 k = 0; k < lines; k++, line += WAVE_NUMBERS(1)) {
    const real kx = line[0], ky = line[1], kz = line[2], turn = line[3], amplitude = line[4];
    LANE_LOOP(l) {
      const real t = PHASE(kx, ky, kz, turn);
      sum[l] = FMA(amplitude, add_cos_turn_(t, K(0.0)), sum[l]);
    }
  }
  LANES_OUT(0, sum);
}

/* Sum_l c_l cos(2 pi (k_l . x + phase_l)) + s_l sin() */
KERNEL(band_waves_2) {
  OVER_WHOLE_BLOCKS;
  const i32 lines = (i32)par[WAVES_LINES];
  DEV_GLOBAL const real *line = par + WAVES_FIRST;
  COORDINATES_IN;
  real u[LANES], v[LANES];
  LANES_IN(LOCATION_SUM, u);
  LANES_IN(LOCATION_SUM + 1, v);
  for (i32 k = 0; k < lines; k++, line += WAVE_NUMBERS(2)) {
    const real kx = line[0], ky = line[1], kz = line[2], turn = line[3];
    const real c0 = line[4], s0 = line[5], c1 = line[6], s1 = line[7];
    LANE_LOOP(l) {
      real s;
      const real c = sincos_turn_(PHASE(kx, ky, kz, turn), &s);
      u[l] = FMA(c0, c, FMA(s0, s, u[l]));
      v[l] = FMA(c1, c, FMA(s1, s, v[l]));
    }
  }
  LANES_OUT(0, u);
  LANES_OUT(1, v);
}

KERNEL(band_waves_3) {
  OVER_WHOLE_BLOCKS;
  const i32 lines = (i32)par[WAVES_LINES];
  DEV_GLOBAL const real *line = par + WAVES_FIRST;
  COORDINATES_IN;
  real u[LANES], v[LANES], w[LANES];
  LANES_IN(LOCATION_SUM, u);
  LANES_IN(LOCATION_SUM + 1, v);
  LANES_IN(LOCATION_SUM + 2, w);
  for (i32 k = 0; k < lines; k++, line += WAVE_NUMBERS(3)) {
    const real kx = line[0], ky = line[1], kz = line[2], turn = line[3];
    const real c0 = line[4], s0 = line[5], c1 = line[6], s1 = line[7], c2 = line[8], s2 = line[9];
    LANE_LOOP(l) {
      real s;
      const real c = sincos_turn_(PHASE(kx, ky, kz, turn), &s);
      u[l] = FMA(c0, c, FMA(s0, s, u[l]));
      v[l] = FMA(c1, c, FMA(s1, s, v[l]));
      w[l] = FMA(c2, c, FMA(s2, s, w[l]));
    }
  }
  LANES_OUT(0, u);
  LANES_OUT(1, v);
  LANES_OUT(2, w);
}

/* The host has padded the axis, so that a block belongs to one line. */
KERNEL(band_axis) {
  OVER_WHOLE_BLOCKS;
  const i32 set = n_sets == 1 ? 0 : (at + phase) / run;
  const real k = SET_IN(AXIS_WAVE, set), turn = SET_IN(AXIS_PHASE, set), amplitude = SET_IN(AXIS_AMPLITUDE, set);
  real x[LANES], c[LANES], s[LANES];
  LANES_IN(LOCATION_X, x);
  LANE_LOOP(l) {
    sincospi_(2 * FMA(k, x[l], turn), &s[l], &c[l]);
    c[l] *= amplitude;
    s[l] *= amplitude;
  }
  LANES_OUT(AXIS_COS, c);
  LANES_OUT(AXIS_SIN, s);
}

/* Rows and packs whose sums stay in registers, and lines whose coefficients are made ahead. */
#if LANES == 1
#define PACKS_AT_ONCE 1
#define ROWS_AT_ONCE BAND_GROUP
#define LINES_AT_ONCE 1
#else
#define PACKS_AT_ONCE 2
#if defined(VECTOR_BYTES) && VECTOR_BYTES == 64
#define ROWS_AT_ONCE 8
#else
#define ROWS_AT_ONCE 4
#endif
#define LINES_AT_ONCE 64
#endif

/* Coefficients of `width` rows of a group or places of a tile, of so many in all: products of the factors of y and z,
 * one of which has them for each row or place, the other one for all. */
#define COEFFICIENTS(name, width, all)                                                                       \
  DEV_FN void name(i32 along, i32 lines, DEV_GLOBAL const real *of_each, DEV_GLOBAL const real *shared_one,  \
                   real c[LINES_AT_ONCE][2 * (width)]) {                                                     \
    for (i32 k = 0; k < lines; k++, of_each += 2 * (all), shared_one += 2) {                                 \
      const real re = shared_one[0], im = shared_one[1];                                                     \
      LANE_LOOP_OF(width, l) {                                                                               \
        const real own_re = of_each[l], own_im = of_each[(all) + l];                                         \
        const real re_im = own_re * im, im_re = own_im * re;                                                 \
        c[k][l] = FMA(own_re, re, -(own_im * im));                                                           \
        c[k][(width) + l] = along == 1 ? FMA(own_re, im, im_re) : FMA(re, own_im, re_im);                    \
      }                                                                                                      \
    }                                                                                                        \
  }
COEFFICIENTS(row_coefficients, ROWS_AT_ONCE, BAND_GROUP)
COEFFICIENTS(place_coefficients, LANES, BAND_TILE)

FUSE_FROM_HERE
/* Sum over lines of Re(x coefficient) for some places and rows. */
DEV_FN void add_lines(i32 lines, DEV_GLOBAL const real *x, real c[LINES_AT_ONCE][2 * ROWS_AT_ONCE],
                      pack sum[ROWS_AT_ONCE][PACKS_AT_ONCE]) {
  FUSE
  for (i32 k = 0; k < lines; k++, x += 2 * BAND_TILE) {
    UNROLLED
    for (i32 p = 0; p < PACKS_AT_ONCE; p++) {
      const pack re = pack_in(x + p * PACK), im = pack_in(x + BAND_TILE + p * PACK);
      UNROLLED
      for (i32 r = 0; r < ROWS_AT_ONCE; r++) {
        sum[r][p] = PACK_FMA(re, c[k][r], sum[r][p]);
        sum[r][p] = PACK_FMA(im, c[k][ROWS_AT_ONCE + r], sum[r][p]);
      }
    }
  }
}

DEV_BLOCK_FN void grid_rows(i32 along, i32 lines, DEV_GLOBAL const real *x, DEV_GLOBAL const real *y,
                            DEV_GLOBAL const real *z, DEV_GLOBAL real *to, i32 apart) {
  real c[LINES_AT_ONCE][2 * ROWS_AT_ONCE];
  pack sum[ROWS_AT_ONCE][PACKS_AT_ONCE];
  UNROLLED
  for (i32 r = 0; r < ROWS_AT_ONCE; r++) {
    UNROLLED
    for (i32 p = 0; p < PACKS_AT_ONCE; p++) sum[r][p] = PACK_ZERO;
  }
  for (i32 k = 0; k < lines; k += LINES_AT_ONCE) {
    const i32 some = lines - k < LINES_AT_ONCE ? lines - k : LINES_AT_ONCE;
    row_coefficients(along, some, y + k * 2 * BAND_GROUP, z + k * 2, c);
    add_lines(some, x + k * 2 * BAND_TILE, c, sum);
  }
  UNROLLED
  for (i32 r = 0; r < ROWS_AT_ONCE; r++) {
    UNROLLED
    for (i32 p = 0; p < PACKS_AT_ONCE; p++) pack_out(sum[r][p], to + r * apart + p * PACK);
  }
}
FUSE_TO_HERE

KERNEL(band_grid) {
  OVER_WHOLE_BLOCKS;
  const i32 lines = (i32)par[GRID_LINES], tiles = (i32)par[GRID_TILES], groups = (i32)par[GRID_GROUPS];
  const i32 along = (i32)par[GRID_ALONG];
  const i64 point = offset + at, tile = point / BAND_TILE, group = tile / tiles, z = group / groups;
  DEV_GLOBAL const real *of_x = par + (i64)par[GRID_FIRST] + (tile - group * tiles) * lines * 2 * BAND_TILE;
  DEV_GLOBAL const real *of_y = par + (i64)par[GRID_SECOND] + (group - z * groups) * lines * 2 * BAND_GROUP;
  DEV_GLOBAL const real *of_z = par + (i64)par[GRID_THIRD] + z * lines * 2;
  of_x += point - tile * BAND_TILE;
  for (i32 r = 0; r < BAND_GROUP; r += ROWS_AT_ONCE)
    for (i32 p = 0; p < LANES; p += PACKS_AT_ONCE * PACK)
      grid_rows(along, lines, of_x + p, of_y + r, of_z, PLACES(out, r, ROWS_AT_ONCE, at, LANES, cap) + p, cap);
}

/* What band_grid multiplies and adds, in the same order: lanes are places along y or z. Coefficients are made ahead,
 * as what they are made of may not be fused with the sums. */
FUSE_FROM_HERE
DEV_FN void add_row(i32 lines, DEV_GLOBAL const real *x, real c[LINES_AT_ONCE][2 * LANES], pack sum[LANES / PACK]) {
  FUSE
  for (i32 k = 0; k < lines; k++, x += 2) {
    UNROLLED
    for (i32 p = 0; p < LANES / PACK; p++) {
      sum[p] = PACK_FMA(pack_in(&c[k][p * PACK]), x[0], sum[p]);
      sum[p] = PACK_FMA(pack_in(&c[k][LANES + p * PACK]), x[1], sum[p]);
    }
  }
}
DEV_BLOCK_FN void row_of_places(i32 along, i32 lines, DEV_GLOBAL const real *of_places, DEV_GLOBAL const real *of_x,
                                DEV_GLOBAL const real *of_rest, DEV_GLOBAL real *to) {
  real c[LINES_AT_ONCE][2 * LANES];
  pack sum[LANES / PACK];
  UNROLLED
  for (i32 p = 0; p < LANES / PACK; p++) sum[p] = PACK_ZERO;
  for (i32 k = 0; k < lines; k += LINES_AT_ONCE) {
    const i32 some = lines - k < LINES_AT_ONCE ? lines - k : LINES_AT_ONCE;
    place_coefficients(along, some, of_places + k * 2 * BAND_TILE, of_rest + k * 2, c);
    add_row(some, of_x + k * 2, c, sum);
  }
  UNROLLED
  for (i32 p = 0; p < LANES / PACK; p++) pack_out(sum[p], to + p * PACK);
}
FUSE_TO_HERE

KERNEL(band_row) {
  OVER_WHOLE_BLOCKS;
  const i32 lines = (i32)par[GRID_LINES], tiles = (i32)par[GRID_TILES], rows = (i32)par[GRID_GROUPS];
  const i64 point = offset + at, tile = point / BAND_TILE, row = tile / tiles, t = row / rows;
  DEV_GLOBAL const real *of_places = par + (i64)par[GRID_FIRST] + (tile - row * tiles) * lines * 2 * BAND_TILE;
  DEV_GLOBAL const real *of_x = par + (i64)par[GRID_SECOND] + (row - t * rows) * lines * 2;
  DEV_GLOBAL const real *of_rest = par + (i64)par[GRID_THIRD] + t * lines * 2;
  row_of_places((i32)par[GRID_ALONG], lines, of_places + (point - tile * BAND_TILE), of_x, of_rest,
                PLACES(out, 0, 1, at, LANES, cap));
}

KERNEL(band_table) {
  OVER_WHOLE_BLOCKS;
  const i32 lines = (i32)par[TABLE_LINES], entries = (i32)par[TABLE_ENTRIES];
  const real origin = par[TABLE_ORIGIN] + K(0.5), last = (real)(entries - 1);
  DEV_GLOBAL const real *u = par + TABLE_DIRECTIONS, *table = par + (i32)par[TABLE_VALUES];
  COORDINATES_IN;
  real sum[LANES];
  LANES_IN(LOCATION_SUM, sum);
  for (i32 k = 0; k < lines; k++, u += 3, table += entries) {
    const real ux = u[0], uy = u[1], uz = u[2];
    real place[LANES];
    i32 entry[LANES];
    LANE_LOOP(l) place[l] = clamp_(PHASE(ux, uy, uz, origin), K(0.0), last);
    LANE_LOOP(l) entry[l] = (i32)place[l];
    LANE_LOOP(l) sum[l] += table[entry[l]];
  }
  LANES_OUT(0, sum);
}
