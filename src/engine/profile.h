/* profile.h: times of kernels and transfers while clProfile() listens. */
#ifndef STATCL_PROFILE_H
#define STATCL_PROFILE_H

#include <stdint.h>

/* Times of kernels and transfers between start and stop, summed over calls. */
typedef struct {
  char device[24], command[48], kind[16];
  int64_t calls, points, bytes; /* bytes: of transfers */
  double seconds;
} profile_row;
void profile_start(void);
/* Stops and returns the rows; they stay valid until the next start. */
const profile_row *profile_stop(int *count);

/* Nothing is recorded while it is off. */
int profile_on(void);
void profile_add(const char *device, const char *command, const char *kind, int64_t points, int64_t bytes,
                 double seconds);

#endif
