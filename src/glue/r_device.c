/* r_device.c: .Call entries behind R/device.R. */
#include "glue/r_device.h"

#include "engine/cpu.h"
#include "engine/devices.h"
#include "engine/folders.h"
#include "engine/ocl_dyn.h"
#include "engine/opencl.h"
#include "engine/profile.h"
#include "glue/r_engine.h"
#include "engine/threads.h"

#include <string.h>

SEXP C_cl_folders(SEXP kernels, SEXP cache) {
  in_forked_child(); /* records the process that loads the package */
  folders_set(CHAR(STRING_ELT(kernels, 0)), CHAR(STRING_ELT(cache, 0)));
  return R_NilValue;
}

SEXP C_cl_private(SEXP path) { return Rf_ScalarLogical(folders_private(CHAR(STRING_ELT(path, 0)))); }

/* A list under construction: columns in the order of their names. */
static SEXP named_list(int n, const char *const *names) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, n)), tags = PROTECT(Rf_allocVector(STRSXP, n));
  int i;
  for (i = 0; i < n; i++) SET_STRING_ELT(tags, i, Rf_mkChar(names[i]));
  Rf_setAttrib(list, R_NamesSymbol, tags);
  UNPROTECT(2);
  return list;
}

static SEXP column_of(SEXP list, int k, SEXPTYPE type, int n) {
  SEXP column = Rf_allocVector(type, n);
  SET_VECTOR_ELT(list, k, column);
  return column;
}

static double or_na(double x) { return x > 0 ? x : NA_REAL; }

SEXP C_cl_devices(SEXP enumerate) {
  static const char *const names[] = {"name",  "type",   "device", "platform",  "vendor", "driver", "units",
                                      "fp64", "usable", "memory", "max_alloc", "in_use", "score"};
  SEXP list, text[6], units, fp64, usable, memory, max_alloc, in_use, score;
  int index[MAX_DEVICES], used, n, i, k;
  engine_check_options();
  if (Rf_asLogical(enumerate) == TRUE) {
    status st = devices_enumerate();
    if (st) engine_raise(st);
  }
  n = devices_count();
  used = in_forked_child() ? 0 : devices_in_use(index); /* none chosen: the cpu */
  list = PROTECT(named_list(13, names));
  for (k = 0; k < 6; k++) text[k] = column_of(list, k, STRSXP, n);
  units = column_of(list, 6, INTSXP, n);
  fp64 = column_of(list, 7, LGLSXP, n);
  usable = column_of(list, 8, LGLSXP, n);
  memory = column_of(list, 9, REALSXP, n);
  max_alloc = column_of(list, 10, REALSXP, n);
  in_use = column_of(list, 11, LGLSXP, n);
  score = column_of(list, 12, REALSXP, n);
  for (i = 0; i < n; i++) {
    const device_info *d = devices_get(i);
    const char *const from[] = {d->name, d->type, d->label, d->platform, d->vendor, d->driver};
    for (k = 0; k < 6; k++) SET_STRING_ELT(text[k], i, from[k][0] ? Rf_mkChar(from[k]) : NA_STRING);
    INTEGER(units)[i] = d->units;
    LOGICAL(fp64)[i] = d->fp64;
    LOGICAL(usable)[i] = d->usable;
    REAL(memory)[i] = or_na(d->memory);
    REAL(max_alloc)[i] = or_na(d->max_alloc);
    REAL(score)[i] = d->score;
    LOGICAL(in_use)[i] = used == 0 && i == 0;
    for (k = 0; k < used; k++)
      if (index[k] == i) LOGICAL(in_use)[i] = TRUE;
  }
  UNPROTECT(1);
  return list;
}

SEXP C_cl_probe(void) {
  if (!devices_enumerate()) ocl_try();
  return R_NilValue;
}

SEXP C_cl_library(SEXP name) {
  char why[512];
  return ocl_opens(CHAR(STRING_ELT(name, 0)), why, sizeof why) ? R_NilValue : Rf_mkString(why);
}

SEXP C_cl_leave_out(SEXP why) {
  ocl_leave_out(CHAR(STRING_ELT(why, 0)));
  return R_NilValue;
}

SEXP C_cl_use(SEXP names) {
  const char *name[MAX_DEVICES];
  int n = Rf_length(names), i;
  status st;
  engine_need_rest("useDevice");
  for (i = 0; i < n && i < MAX_DEVICES; i++) name[i] = CHAR(STRING_ELT(names, i));
  st = devices_use(name, n);
  if (st) engine_raise(st);
  return R_NilValue;
}

SEXP C_cl_in_use(void) {
  int index[MAX_DEVICES], n = devices_in_use(index), i;
  if (n && in_forked_child()) return Rf_mkString("cpu"); /* whatever the parent chose */
  SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
  for (i = 0; i < n; i++) SET_STRING_ELT(names, i, Rf_mkChar(devices_get(index[i])->name));
  UNPROTECT(1);
  return names;
}

SEXP C_cl_warm_up(void) {
  const int single = engine_begin_either("clWarm");
  engine_end(devices_warm_up(single, engine_pause));
  return R_NilValue;
}

SEXP C_cl_status(void) {
  static const char *const names[] = {"loader", "open", "level", "threads", "error", "forked", "trouble", "levels"};
  int built = 0;
  while (cpu_level_built(built)) built++;
  SEXP list = PROTECT(named_list(8, names));
  int open;
  const char *loader = ocl_loader(&open);
  engine_options();
  SET_VECTOR_ELT(list, 0, Rf_mkString(loader));
  SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(open));
  SET_VECTOR_ELT(list, 2, Rf_mkString(cpu_level_name()));
  SET_VECTOR_ELT(list, 3, Rf_ScalarInteger(threads_available()));
  SET_VECTOR_ELT(list, 4, Rf_mkString(last_error()));
  SET_VECTOR_ELT(list, 5, Rf_ScalarLogical(in_forked_child()));
  SET_VECTOR_ELT(list, 6, ocl_trouble()[0] ? Rf_mkString(ocl_trouble()) : R_NilValue);
  SET_VECTOR_ELT(list, 7, Rf_allocVector(STRSXP, built));
  for (int i = 0; i < built; i++) SET_STRING_ELT(VECTOR_ELT(list, 7), i, Rf_mkChar(cpu_level_built(i)));
  UNPROTECT(1);
  return list;
}

SEXP C_cl_profile(SEXP start) {
  static const char *const names[] = {"device", "command", "kind", "calls", "points", "bytes", "seconds"};
  const profile_row *rows;
  SEXP list, text[3], number[4];
  int n, i, k;
  if (Rf_asLogical(start) == TRUE) {
    profile_start();
    return R_NilValue;
  }
  rows = profile_stop(&n);
  list = PROTECT(named_list(7, names));
  for (k = 0; k < 3; k++) text[k] = column_of(list, k, STRSXP, n);
  for (k = 0; k < 4; k++) number[k] = column_of(list, 3 + k, REALSXP, n);
  for (i = 0; i < n; i++) {
    SET_STRING_ELT(text[0], i, Rf_mkChar(rows[i].device));
    SET_STRING_ELT(text[1], i, Rf_mkChar(rows[i].command));
    SET_STRING_ELT(text[2], i, Rf_mkChar(rows[i].kind));
    REAL(number[0])[i] = (double)rows[i].calls;
    REAL(number[1])[i] = (double)rows[i].points;
    REAL(number[2])[i] = (double)rows[i].bytes;
    REAL(number[3])[i] = rows[i].seconds;
  }
  UNPROTECT(1);
  return list;
}

SEXP C_cl_shutdown(void) {
  engine_need_rest("unloading statcl");
  devices_shutdown();
  engine_unload();
  return R_NilValue;
}
