/* bands_par.h: columns and par of the kernels of bands.cl (numbers counted in reals). Phases and wave vectors are in
 * turns: the cosine of line l at x is cos(2 pi (k_l . x + phase_l)). */
#ifndef STATCL_BANDS_PAR_H
#define STATCL_BANDS_PAR_H

/* Columns of in: locations, and sums of earlier lines that band_table and band_waves_n add to; band_points_part has
 * that of its last group besides. Columns of set_in and out of band_axis. */
enum { LOCATION_X, LOCATION_Y, LOCATION_Z, LOCATION_COLUMNS, LOCATION_SUM = LOCATION_COLUMNS, BAND_TABLE_COLUMNS };
enum { LOCATION_GROUP = LOCATION_SUM + 1, BAND_PART_COLUMNS };
enum { AXIS_WAVE, AXIS_PHASE, AXIS_AMPLITUDE, AXIS_SET_COLUMNS };
enum { AXIS_COS, AXIS_SIN, AXIS_COLUMNS };

/* band_uniform, band_location_uniform: the key as two words, and the number of the stream */
#define BAND_KEY 0
#define BAND_STREAM 2
#define BAND_DRAW_PAR 3

/* band_points: the number of groups of lines with one amplitude, and of each group, the amplitude, the number of
 * pairs of lines, and of each line wave vector and phase. An odd line is paired with one whose cosine is 0.
 * band_points_part: the same for some of the lines, with the sum over those of its last group, which is not complete,
 * as a second result, that the first group of the next lines begins with. */
#define BAND_GROUPS 0
#define BAND_FIRST 1
#define BAND_LINE 4

/* band_waves_n: the number of lines, and of each, wave vector and phase, and for each result the coefficients of the
 * cosine and of the sine; with one result the amplitude alone. */
#define WAVES_LINES 0
#define WAVES_FIRST 1
#define WAVE_NUMBERS(n) (4 + ((n) == 1 ? 1 : 2 * (n)))

/* band_grid. Points are those of tiles: BAND_TILE places along x, in BAND_GROUP rows that follow each other along y,
 * or z, and are the columns of out; tiles along x first, then groups, then the third axis. At GRID_FIRST the lines'
 * exp(2 pi i kx x), real parts of a tile's places and imaginary parts with their sign changed, line after line and
 * tile after tile; at GRID_SECOND those of a group's rows, without the change of sign; at GRID_THIRD those of each
 * place on the third axis. Those of z have phase and amplitude. GRID_ALONG: 1 for rows along y, 2 along z.
 *
 * band_row. Tiles are along GRID_ALONG, with factors at GRID_FIRST; each is one of GRID_GROUPS rows for the places on
 * x, with factors at GRID_SECOND, and then on the third axis. */
#define BAND_TILE 16
#define BAND_GROUP 8
#define GRID_LINES 0
#define GRID_TILES 1
#define GRID_GROUPS 2
#define GRID_FIRST 3
#define GRID_SECOND 4
#define GRID_THIRD 5
#define GRID_ALONG 6
#define GRID_HEAD 8

/* band_table: lines, entries of each, place of x = 0 in a table, where the tables are; then of each line the
 * direction over the step of the tables */
#define TABLE_LINES 0
#define TABLE_ENTRIES 1
#define TABLE_ORIGIN 2
#define TABLE_VALUES 3
#define TABLE_DIRECTIONS 4

#endif
