/* r_device.c: .Call entries behind R/device.R. */
#include "glue/r_device.h"

#include "engine/cpu.h"
#include "engine/devices.h"
#include "engine/folders.h"
#include "engine/ocl_build.h"
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

/* A list of columns with n elements, by their names, which "" ends, and types. */
static SEXP columns_of(const char **names, const SEXPTYPE *type, int n) {
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < Rf_length(list); k++) SET_VECTOR_ELT(list, k, Rf_allocVector(type[k], n));
  UNPROTECT(1);
  return list;
}

static void put_number(SEXP list, int k, int i, double x) { REAL(VECTOR_ELT(list, k))[i] = x; }

/* ... or an integer or logical. */
static void put_whole(SEXP list, int k, int i, int x) {
  SEXP column = VECTOR_ELT(list, k);
  (TYPEOF(column) == INTSXP ? INTEGER(column) : LOGICAL(column))[i] = x;
}

static void put_text(SEXP list, int k, int i, const char *text) {
  SET_STRING_ELT(VECTOR_ELT(list, k), i, text[0] ? Rf_mkChar(text) : NA_STRING);
}

static double or_na(double x) { return x > 0 ? x : NA_REAL; }

SEXP C_cl_devices(SEXP enumerate) {
  static const char *names[] = {"name", "type", "device", "platform", "vendor", "driver", "units", "fp64",
                                "usable", "memory", "max_alloc", "in_use", "score", ""};
  static const SEXPTYPE type[] = {STRSXP, STRSXP, STRSXP, STRSXP, STRSXP, STRSXP, INTSXP, LGLSXP,
                                  LGLSXP, REALSXP, REALSXP, LGLSXP, REALSXP};
  int index[MAX_DEVICES];
  engine_check_options();
  const status st = Rf_asLogical(enumerate) == TRUE ? devices_enumerate() : STATUS_OK;
  if (st) engine_raise(st);
  const int n = devices_count(), used = in_forked_child() ? 0 : devices_in_use(index); /* none chosen: the cpu */
  SEXP list = PROTECT(columns_of(names, type, n));
  for (int i = 0; i < n; i++) {
    const device_info *d = devices_get(i);
    const char *const text[] = {d->name, d->type, d->label, d->platform, d->vendor, d->driver};
    int in_use = used == 0 && i == 0;
    for (int k = 0; k < used; k++) in_use |= index[k] == i;
    for (int k = 0; k < 6; k++) put_text(list, k, i, text[k]);
    put_whole(list, 6, i, d->units);
    put_whole(list, 7, i, d->fp64);
    put_whole(list, 8, i, d->usable);
    put_number(list, 9, i, or_na(d->memory));
    put_number(list, 10, i, or_na(d->max_alloc));
    put_whole(list, 11, i, in_use);
    put_number(list, 12, i, d->score);
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
  const int n = Rf_length(names);
  engine_need_rest("useDevice");
  for (int i = 0; i < n && i < MAX_DEVICES; i++) name[i] = CHAR(STRING_ELT(names, i));
  const status st = devices_use(name, n);
  if (st) engine_raise(st);
  return R_NilValue;
}

SEXP C_cl_in_use(void) {
  int index[MAX_DEVICES];
  const int n = devices_in_use(index);
  if (n && in_forked_child()) return Rf_mkString("cpu"); /* whatever the parent chose */
  SEXP names = PROTECT(Rf_allocVector(STRSXP, n));
  for (int i = 0; i < n; i++) SET_STRING_ELT(names, i, Rf_mkChar(devices_get(index[i])->name));
  UNPROTECT(1);
  return names;
}

SEXP C_cl_warm_up(void) {
  const int single = engine_begin_either("clWarm");
  engine_end(devices_warm_up(single));
  return R_NilValue;
}

SEXP C_cl_lacking(void) {
  int unbuilt = 0;
  const int single = engine_begin_either("clWarm");
  engine_end(devices_lacking(single, &unbuilt));
  return Rf_ScalarInteger(unbuilt);
}

SEXP C_cl_building(void) {
  int done, of;
  ocl_building(&done, &of);
  SEXP both = Rf_allocVector(INTSXP, 2);
  INTEGER(both)[0] = done;
  INTEGER(both)[1] = of;
  return both;
}

SEXP C_cl_status(void) {
  static const char *names[] = {"loader", "open", "level", "threads", "error", "forked", "trouble", "levels", ""};
  int built = 0, open;
  while (cpu_level_built(built)) built++;
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
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
  static const char *names[] = {"device", "command", "kind", "calls", "points", "bytes", "seconds", ""};
  static const SEXPTYPE type[] = {STRSXP, STRSXP, STRSXP, REALSXP, REALSXP, REALSXP, REALSXP};
  if (Rf_asLogical(start) == TRUE) {
    profile_start();
    return R_NilValue;
  }
  int n;
  const profile_row *rows = profile_stop(&n);
  SEXP list = PROTECT(columns_of(names, type, n));
  for (int i = 0; i < n; i++) {
    put_text(list, 0, i, rows[i].device);
    put_text(list, 1, i, rows[i].command);
    put_text(list, 2, i, rows[i].kind);
    put_number(list, 3, i, (double)rows[i].calls);
    put_number(list, 4, i, (double)rows[i].points);
    put_number(list, 5, i, (double)rows[i].bytes);
    put_number(list, 6, i, rows[i].seconds);
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
