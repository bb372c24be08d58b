/* dying.c: an OpenCL driver that ends the process that loads it, for test-device.R. */
#include <stdlib.h>

__attribute__((constructor)) static void die(void) { abort(); }
