/* r_file.h: .Call entries behind R/rf-file.R: boxes of arrays in files. Values are NULL, or what was read, or the
 * system's word for what went wrong. Arrays have their first index changing fastest, and little-endian numbers. */
#ifndef STATCL_R_FILE_H
#define STATCL_R_FILE_H

#define R_NO_REMAP
#include <Rinternals.h>

/* Makes the file, or makes it longer; zeros that are not written take no room where the system can do so. */
SEXP C_fileCreate(SEXP path, SEXP size);
SEXP C_filePut(SEXP path, SEXP offset, SEXP bytes);
SEXP C_fileGet(SEXP path, SEXP offset, SEXP size);
/* Returns once what was written is on the disk. */
SEXP C_fileSync(SEXP path);

/* array: the file's path, where in it the array begins, its dimensions, the bytes of a number, 4 or 8. box: first
 * indices, from 0, and how many along each dimension. Rows are what lies together; some of a box are written,
 * rows[0] to rows[1] - 1, for interrupts to be heard between. */
SEXP C_fileWriteBox(SEXP array, SEXP box, SEXP values, SEXP rows);
SEXP C_fileReadBox(SEXP array, SEXP box);
/* c(how many rows a box has, how long they are) */
SEXP C_fileRows(SEXP array, SEXP box);

/* The checksum of HDF5's metadata, four bytes. */
SEXP C_fileChecksum(SEXP bytes);

#define FILE_CALLS                                                                                           \
  CALL(fileCreate, 2) CALL(filePut, 3) CALL(fileGet, 3) CALL(fileSync, 1) CALL(fileWriteBox, 4)              \
  CALL(fileReadBox, 2) CALL(fileRows, 2) CALL(fileChecksum, 1)

#endif
