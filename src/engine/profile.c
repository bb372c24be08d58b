/* profile.c: see profile.h. */
#include "engine/profile.h"

#include <string.h>

enum { ROWS = 256 };
static profile_row rows[ROWS];
static int used, listening;

int profile_on(void) { return listening; }

void profile_start(void) {
  used = 0;
  listening = 1;
}

const profile_row *profile_stop(int *count) {
  listening = 0;
  *count = used;
  return rows;
}

static void put(char *to, size_t room, const char *from) {
  size_t length = strlen(from);
  if (length >= room) length = room - 1;
  memcpy(to, from, length);
  to[length] = '\0';
}

void profile_add(const char *device, const char *command, const char *kind, int64_t points, int64_t bytes,
                 double seconds) {
  profile_row *row = rows;
  if (!listening) return;
  while (row < rows + used && (strcmp(row->device, device) || strcmp(row->command, command))) row++;
  if (row == rows + ROWS) return;
  if (row == rows + used) {
    memset(row, 0, sizeof *row);
    put(row->device, sizeof row->device, device);
    put(row->command, sizeof row->command, command);
    put(row->kind, sizeof row->kind, kind);
    used++;
  }
  row->calls++;
  row->points += points;
  row->bytes += bytes;
  row->seconds += seconds;
}
