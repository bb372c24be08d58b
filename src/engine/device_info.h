/* device_info.h: what is known of a device, whoever drives it. */
#ifndef STATCL_DEVICE_INFO_H
#define STATCL_DEVICE_INFO_H

#include <stdint.h>

typedef struct {
  char name[24]; /* cpu, gpu:0, ocl-cpu:0, acc:0 */
  char type[16]; /* cpu, gpu, accelerator */
  char label[160], platform[160], vendor[160], driver[160];
  int units, fp64, usable, watched; /* watched: a driver may end kernels that take seconds */
  double memory, max_alloc; /* bytes; 0 for the built-in CPU backend */
  double score;             /* ranks GPUs for the default */
} device_info;

enum { MAX_DEVICES = 32 };

/* Work-items that keep a GPU's units busy, as many as one of them holds. */
static inline int64_t device_fill(const device_info *info) {
  return (int64_t)(info->units > 0 ? info->units : 1) * 2048;
}

#endif
