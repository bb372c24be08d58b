/* tasks.h: recorded tasks, read from the prepared folder. */
#ifndef STATCL_GPU_TASKS_H
#define STATCL_GPU_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "prepared.h"

typedef struct {
  int buffer;
  size_t offset, bytes;
  long at;
} piece;

typedef struct {
  char program[96];
  const kernel_line *line;
  size_t groups, first; /* work-item */
  int arguments, size[MOST_ARGUMENTS]; /* size 0: value is the number of a buffer */
  int64_t value[MOST_ARGUMENTS];
  piece *change;
  int changes;
} step;

typedef struct {
  char label[96]; /* "-": not to be timed */
  int single, complete, steps, fills, buffers;
  step *step;
  piece *fill;
  size_t extent[TASK_BUFFERS];
  int64_t total, results; /* of the whole call */
} task;

typedef struct {
  task *task;
  int tasks;
  unsigned char *data;
  size_t bytes;
} prepared;

/* 0 where the folder is not whole. With the environment variable ONLY tasks of programs whose name has it in. */
int tasks_read(const char *folder, prepared *p);
/* Buffer that the step has as this argument, or -1. */
int buffer_at(const step *s, int argument);
/* The whole file; the caller frees it. */
unsigned char *file_read(const char *folder, const char *name, size_t *bytes);

#endif
