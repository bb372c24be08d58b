/* r_device.h: the .Call entries on devices; init.c expands DEVICE_CALLS. */
#ifndef STATCL_R_DEVICE_H
#define STATCL_R_DEVICE_H

#define R_NO_REMAP
#include <Rinternals.h>

SEXP C_cl_folders(SEXP kernels, SEXP cache);
SEXP C_cl_private(SEXP path);
SEXP C_cl_devices(SEXP enumerate);
/* All of a process that R/device-probe.R makes. */
SEXP C_cl_probe(void);
/* Why a driver's library cannot be opened, or NULL. */
SEXP C_cl_library(SEXP name);
SEXP C_cl_leave_out(SEXP why);
SEXP C_cl_use(SEXP names);
SEXP C_cl_in_use(void);
SEXP C_cl_warm_up(void);
/* How many of these programs the cache lacks; raises where a device builds nothing. */
SEXP C_cl_lacking(void);
/* How many of how many programs have been built, while a call builds some. */
SEXP C_cl_building(void);
SEXP C_cl_status(void);
SEXP C_cl_profile(SEXP start);
SEXP C_cl_shutdown(void);

#define DEVICE_CALLS                                                                                         \
  CALL(cl_folders, 2) CALL(cl_private, 1) CALL(cl_devices, 1) CALL(cl_probe, 0) CALL(cl_library, 1)          \
  CALL(cl_leave_out, 1) CALL(cl_use, 1) CALL(cl_in_use, 0) CALL(cl_warm_up, 0) CALL(cl_lacking, 0)           \
  CALL(cl_building, 0) CALL(cl_status, 0) CALL(cl_profile, 1) CALL(cl_shutdown, 0)

#endif
