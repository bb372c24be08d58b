/* r_file.c: see r_file.h. A file is opened and closed by each call: no error or interrupt of R leaves one open. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sync_file_range */
#endif
#define _FILE_OFFSET_BITS 64
#include "field/r_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef _WIN32
#include <io.h>
#include <stdio.h>
#else
#include <unistd.h>
#endif

enum { FILE_DIM = 8, PIECE = 1 << 20 };

/* ---- what systems call differently ---- */

#ifdef _WIN32
static int file_open(const char *path, int create) {
  return _open(path, _O_BINARY | _O_RDWR | (create ? _O_CREAT : 0), _S_IREAD | _S_IWRITE);
}
static int file_open_to_read(const char *path) { return _open(path, _O_BINARY | _O_RDONLY); }
static int file_close(int file) { return _close(file); }
static int64_t file_size(int file) { return _filelengthi64(file); }
static int file_resize(int file, int64_t size) {
  const int code = _chsize_s(file, size);
  if (code) errno = code;
  return code ? -1 : 0;
}
static int64_t write_some(int file, const void *from, int64_t n, int64_t at) {
  return _lseeki64(file, at, SEEK_SET) < 0 ? -1 : _write(file, from, (unsigned)n);
}
static int64_t read_some(int file, void *to, int64_t n, int64_t at) {
  return _lseeki64(file, at, SEEK_SET) < 0 ? -1 : _read(file, to, (unsigned)n);
}
static int file_sync(int file) { return _commit(file); }
static void file_begin_sync(int file) { (void)file; }
#else
static int file_open(const char *path, int create) {
  return open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
}
static int file_open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }
static int file_close(int file) { return close(file); }
static int64_t file_size(int file) {
  struct stat s;
  return fstat(file, &s) ? -1 : (int64_t)s.st_size;
}
static int file_resize(int file, int64_t size) { return ftruncate(file, (off_t)size); }
static int64_t write_some(int file, const void *from, int64_t n, int64_t at) {
  return pwrite(file, from, (size_t)n, (off_t)at);
}
static int64_t read_some(int file, void *to, int64_t n, int64_t at) {
  return pread(file, to, (size_t)n, (off_t)at);
}
static int file_sync(int file) { return fsync(file); }
/* So that the disk writes while the next values are computed. */
static void file_begin_sync(int file) {
#ifdef __linux__
  sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)file;
#endif
}
#endif

/* ---- bytes ---- */

static SEXP said(int code) { return Rf_mkString(strerror(code)); }

static const char *path_of(SEXP path) { return R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0))); }

/* 0, or errno. */
static int write_all(int file, const unsigned char *from, int64_t n, int64_t at) {
  while (n > 0) {
    const int64_t some = write_some(file, from, n < PIECE ? n : PIECE, at);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return some ? errno : ENOSPC;
    from += some;
    at += some;
    n -= some;
  }
  return 0;
}

/* 0, or errno; EIO where the file ends too early. */
static int read_all(int file, unsigned char *to, int64_t n, int64_t at) {
  while (n > 0) {
    const int64_t some = read_some(file, to, n < PIECE ? n : PIECE, at);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return some ? errno : EIO;
    to += some;
    at += some;
    n -= some;
  }
  return 0;
}

/* Closes it, too: systems may tell only then that there was no room. */
static int closed(int file, int code) { return file_close(file) && !code ? errno : code; }

SEXP C_fileCreate(SEXP path, SEXP size) {
  const int file = file_open(path_of(path), 1);
  const int64_t wanted = (int64_t)Rf_asReal(size);
  if (file < 0) return said(errno);
  int code = file_size(file) < wanted && file_resize(file, wanted) ? errno : 0;
  code = closed(file, code);
  return code ? said(code) : R_NilValue;
}

SEXP C_filePut(SEXP path, SEXP offset, SEXP bytes) {
  const int file = file_open(path_of(path), 0);
  if (file < 0) return said(errno);
  const int code = closed(file, write_all(file, RAW(bytes), XLENGTH(bytes), (int64_t)Rf_asReal(offset)));
  return code ? said(code) : R_NilValue;
}

SEXP C_fileGet(SEXP path, SEXP offset, SEXP size) {
  SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)Rf_asReal(size)));
  const int file = file_open_to_read(path_of(path));
  int code = file < 0 ? errno : read_all(file, RAW(bytes), XLENGTH(bytes), (int64_t)Rf_asReal(offset));
  if (file >= 0) file_close(file);
  UNPROTECT(1);
  return code ? said(code) : bytes;
}

SEXP C_fileSync(SEXP path) {
  const int file = file_open(path_of(path), 0);
  if (file < 0) return said(errno);
  const int code = closed(file, file_sync(file) ? errno : 0);
  return code ? said(code) : R_NilValue;
}

/* ---- boxes ---- */

/* A box as rows that lie together in the file: along the first dimension, and on along those that follow dimensions
 * which the box has all of. */
typedef struct {
  const char *path;
  int64_t base, size, row, rows;
  int dim;
  int64_t first, n[FILE_DIM], apart[FILE_DIM]; /* of the dimensions across rows */
} box_rows;

static box_rows rows_of(SEXP array, SEXP box) {
  const double *n = REAL(VECTOR_ELT(array, 2)), *from = REAL(VECTOR_ELT(box, 0)), *many = REAL(VECTOR_ELT(box, 1));
  const int dim = Rf_length(VECTOR_ELT(array, 2));
  box_rows b = {.path = path_of(VECTOR_ELT(array, 0)), .base = (int64_t)Rf_asReal(VECTOR_ELT(array, 1)),
                .size = (int64_t)Rf_asReal(VECTOR_ELT(array, 3)), .row = 1, .rows = 1};
  int64_t apart = 1;
  int together = 1;
  for (int d = 0; d < dim; d++) {
    b.first += (int64_t)from[d] * apart;
    if (together) {
      b.row *= (int64_t)many[d];
    } else {
      b.n[b.dim] = (int64_t)many[d];
      b.apart[b.dim++] = apart;
      b.rows *= (int64_t)many[d];
    }
    if (many[d] != n[d]) together = 0;
    apart *= (int64_t)n[d];
  }
  return b;
}

static int64_t place_of_row(const box_rows *b, int64_t row) {
  int64_t at = b->first;
  for (int d = 0; d < b->dim; d++) {
    at += row % b->n[d] * b->apart[d];
    row /= b->n[d];
  }
  return b->base + at * b->size;
}

static int is_big_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

static void turn_bytes(unsigned char *x, int64_t n, int64_t size) {
  if (!is_big_endian()) return;
  for (int64_t i = 0; i < n; i++, x += size)
    for (int64_t a = 0, b = size - 1; a < b; a++, b--) {
      const unsigned char kept = x[a];
      x[a] = x[b];
      x[b] = kept;
    }
}

/* Numbers of 8 or 4 bytes, or small whole ones of one. */
static void doubles_to_bytes(const double *x, int64_t n, int64_t size, unsigned char *to) {
  if (size == 8) memcpy(to, x, (size_t)n * 8);
  else if (size == 1)
    for (int64_t i = 0; i < n; i++) to[i] = x[i] >= 0 && x[i] < 128 ? (unsigned char)x[i] : 0;
  else
    for (int64_t i = 0; i < n; i++) {
      const float value = (float)x[i];
      memcpy(to + 4 * i, &value, 4);
    }
  turn_bytes(to, n, size);
}

static void bytes_to_doubles(unsigned char *from, int64_t n, int64_t size, double *x) {
  turn_bytes(from, n, size);
  if (size == 8) memcpy(x, from, (size_t)n * 8);
  else if (size == 1)
    for (int64_t i = 0; i < n; i++) x[i] = from[i];
  else
    for (int64_t i = 0; i < n; i++) {
      float value;
      memcpy(&value, from + 4 * i, 4);
      x[i] = value;
    }
}

SEXP C_fileRows(SEXP array, SEXP box) {
  const box_rows b = rows_of(array, box);
  SEXP sizes = Rf_allocVector(REALSXP, 2);
  REAL(sizes)[0] = (double)b.rows;
  REAL(sizes)[1] = (double)b.row;
  return sizes;
}

SEXP C_fileWriteBox(SEXP array, SEXP box, SEXP values, SEXP rows) {
  const box_rows b = rows_of(array, box);
  const int64_t most = PIECE / b.size, to = (int64_t)REAL(rows)[1];
  unsigned char *piece = (unsigned char *)R_alloc((size_t)(b.row < most ? b.row : most), (int)b.size);
  const int file = file_open(b.path, 0);
  int code = file < 0 ? errno : 0;
  for (int64_t row = (int64_t)REAL(rows)[0]; row < to && !code; row++)
    for (int64_t done = 0; done < b.row && !code; done += most) {
      const int64_t some = b.row - done < most ? b.row - done : most;
      doubles_to_bytes(REAL(values) + row * b.row + done, some, b.size, piece);
      code = write_all(file, piece, some * b.size, place_of_row(&b, row) + done * b.size);
    }
  if (file >= 0) {
    if (!code) file_begin_sync(file);
    code = closed(file, code);
  }
  return code ? said(code) : R_NilValue;
}

SEXP C_fileReadBox(SEXP array, SEXP box) {
  const box_rows b = rows_of(array, box);
  const int64_t most = PIECE / b.size;
  SEXP values = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)(b.rows * b.row)));
  unsigned char *piece = (unsigned char *)R_alloc((size_t)(b.row < most ? b.row : most), (int)b.size);
  const int file = file_open_to_read(b.path);
  int code = file < 0 ? errno : 0;
  for (int64_t row = 0; row < b.rows && !code; row++)
    for (int64_t done = 0; done < b.row && !code; done += most) {
      const int64_t some = b.row - done < most ? b.row - done : most;
      code = read_all(file, piece, some * b.size, place_of_row(&b, row) + done * b.size);
      if (!code) bytes_to_doubles(piece, some, b.size, REAL(values) + row * b.row + done);
    }
  if (file >= 0) file_close(file);
  UNPROTECT(1);
  return code ? said(code) : values;
}

/* ---- HDF5 ---- */

/* The hash lookup3 of Jenkins (2006), which the HDF5 File Format Specification names for its metadata. */
static uint32_t turned(uint32_t x, int k) { return x << k | x >> (32 - k); }

static void mix_words(uint32_t s[3]) {
  static const int turns[6] = {4, 6, 8, 16, 19, 4};
  for (int i = 0; i < 6; i++) {
    uint32_t *const a = &s[i % 3], *const b = &s[(i + 1) % 3], *const c = &s[(i + 2) % 3];
    *a = (*a - *c) ^ turned(*c, turns[i]);
    *c += *b;
  }
}

static void last_mix(uint32_t s[3]) {
  static const int turns[7] = {14, 11, 25, 16, 4, 14, 24};
  for (int i = 0; i < 7; i++) {
    uint32_t *const to = &s[(i + 2) % 3], *const from = &s[(i + 1) % 3];
    *to = (*to ^ *from) - turned(*from, turns[i]);
  }
}

static void add_bytes(uint32_t s[3], const unsigned char *x, int64_t n) {
  for (int64_t i = 0; i < n; i++) s[i / 4] += (uint32_t)x[i] << 8 * (i % 4);
}

SEXP C_fileChecksum(SEXP bytes) {
  const unsigned char *x = RAW(bytes);
  int64_t n = XLENGTH(bytes);
  const uint32_t begin = 0xdeadbeef + (uint32_t)n;
  uint32_t s[3] = {begin, begin, begin};
  for (; n > 12; n -= 12, x += 12) {
    add_bytes(s, x, 12);
    mix_words(s);
  }
  if (n) {
    add_bytes(s, x, n);
    last_mix(s);
  }
  SEXP sum = Rf_allocVector(RAWSXP, 4);
  for (int k = 0; k < 4; k++) RAW(sum)[k] = (unsigned char)(s[2] >> 8 * k);
  return sum;
}
