/* prepared.h: what record.c writes and driver.c reads.
 *
 *   programs/NAME-HASH.cl   the text of a program as a driver gets it, below a line "// <build options>"
 *   data.bin                bytes
 *   tasks.txt               lines:
 *     task <single> <complete> <label, or ->   kernels launched one after the other; complete: with all changes
 *     fill <buffer> <offset> <bytes> <at>    what the buffer holds before, from data.bin; else it is PATTERN, or the
 *                                     driver makes it (MADE_)
 *     step <program> <kernel> <groups> <first work-item> <argument> ...   b<buffer>, or <bytes>:<whole number>; of
 *                                     kernels of teams, too, how many a group has, and <bytes>:-1 of its memory
 *     change <buffer> <offset> <bytes> <at>   what is there after this step; nothing else changes
 *     extent <buffer> <bytes>         how much of it is in use
 *     end
 *     length <points> <results> <label>   of the whole call that this is the first part of; 0: a result a point */
#ifndef STATCL_PREPARED_H
#define STATCL_PREPARED_H

#include <string.h>

enum { PATTERN = 0xa5, MADE_MATRIX = -1, MADE_SMALL = -2 };
enum { TASK_BUFFERS = 16, TASK_STEPS = 4096, MOST_ARGUMENTS = 20, TEAM_SIZE = 32 };
/* KERNEL_ARGS_OF and GROUP_ARGS_OF of dialect.h */
enum {
  ARG_N, ARG_CAP, ARG_N_SETS, ARG_SET_CAP, ARG_RUN, ARG_PHASE, ARG_OFFSET, ARG_SHARED,
  ARG_SET_IN, ARG_IN, ARG_OUT, ARG_SET_WORK, ARG_WORK, ARG_LIST, ARG_PAR, ARG_STORED, ARG_STORED_WHOLE,
  ARG_TEAMS, ARG_NEAR,
  GROUP_A = 8, GROUP_B, GROUP_FOUND
};

enum domain { SETS, POINTS, LIST, GROUPS, TEAMS };
typedef struct {
  const char *name, *program;
  enum domain domain;
  int single; /* there is one in float, too */
} kernel_line;

static const kernel_line kernel_lines[] = {
#define KERNEL_LINE(room, program, kernel, domain) {#kernel, #program, domain, 0},
#define EITHER_LINE(room, program, kernel, domain) {#kernel, #program, domain, 1},
#define TEXT_LINE KERNEL_LINE
#define GROUP_LINE KERNEL_LINE
#define TEAM_LINE KERNEL_LINE
#include "kernels/common/map.def"
};
enum { KERNEL_COUNT = sizeof kernel_lines / sizeof *kernel_lines };

static inline const kernel_line *kernel_named(const char *name) {
  for (int i = 0; i < KERNEL_COUNT; i++)
    if (!strcmp(kernel_lines[i].name, name)) return kernel_lines + i;
  return NULL;
}

static inline int first_buffer(const kernel_line *k) { return k->domain == GROUPS ? GROUP_A : ARG_SET_IN; }
static inline int may_change(const kernel_line *k, int argument) {
  return k->domain == GROUPS || argument == ARG_OUT || argument == ARG_SET_WORK || argument == ARG_WORK ||
         argument == ARG_LIST;
}

#endif
