/* errors.c: the description of the last failure. Room for a driver's build log, which is cut, never dropped. */
#include "engine/errors.h"

#include <stdarg.h>
#include <stdio.h>

static char text[16384];

status fail(status code, const char *format, ...) {
  va_list args;
  va_start(args, format);
#ifdef _OPENMP
#pragma omp critical(failure)
#endif
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return code;
}

const char *last_error(void) { return text; }
