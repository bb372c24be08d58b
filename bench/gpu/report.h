/* report.h: the table, of what all processes have written. */
#ifndef STATCL_GPU_REPORT_H
#define STATCL_GPU_REPORT_H

#include "tasks.h"

enum { PROGRAMS_AT_MOST = 64 };
typedef struct {
  const char *file[PROGRAMS_AT_MOST];
  int n;
} program_list;
void list_programs(const prepared *p, program_list *l);

/* Writes table.txt, results.json and figures.csv, and the table to the screen; 0 if every kernel has the values that
 * it should have and every family its time. */
int report(const char *folder, const char *out, const prepared *p, double seconds);

#endif
