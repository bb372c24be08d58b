/* errors.h: status codes and the one place where the description of the last failure is kept. */
#ifndef STATCL_ERRORS_H
#define STATCL_ERRORS_H

typedef enum {
  STATUS_OK,
  STATUS_INTERRUPT, /* the user asked to stop: nothing is wrong */
  STATUS_INPUT,
  STATUS_DEVICE,    /* no such device, no fp64, lost device, failing driver */
  STATUS_MEMORY,    /* host or device memory, after smaller chunks were tried */
  STATUS_BUILD      /* a program that the driver's compiler refused */
} status;

/* Stores a printf-formatted message and returns code, so that `return fail(...)` is one line. Of threads that fail
 * together, the last one's stays. */
status fail(status code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
const char *last_error(void);

#endif
