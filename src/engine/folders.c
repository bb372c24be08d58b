/* folders.c: see folders.h. */
#include "engine/folders.h"

#include <stdio.h>

static char kernels_in[4096], cache_in[4096];

void folders_set(const char *kernels, const char *cache) {
  snprintf(kernels_in, sizeof kernels_in, "%s", kernels);
  snprintf(cache_in, sizeof cache_in, "%s", cache);
}

const char *folders_kernels(void) { return kernels_in; }
const char *folders_cache(void) { return cache_in; }
