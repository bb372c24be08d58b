/* errors.c: the description of the last failure. Room for a driver's build log, which is cut, never dropped. */
#include "engine/errors.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/threads.h"

static char text[16384];

status fail(status code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  threads_lock();
  vsnprintf(text, sizeof text, format, args);
  threads_unlock();
  va_end(args);
  return code;
}

const char *last_error(void) { return text; }
