/* folders.h: where kernels and built programs lie. */
#ifndef STATCL_FOLDERS_H
#define STATCL_FOLDERS_H

#include <stdio.h>

/* kernels: the installed copy of inst/kernels; cache: where built programs are kept, empty for nowhere. */
void folders_set(const char *kernels, const char *cache);
const char *folders_kernels(void);
const char *folders_cache(void);

/* Nonzero for a file or folder of the user in which nobody else may write: what a driver is to run is read from
 * nowhere else. On Windows the owner alone is asked for: there nobody else may write in a folder of the user's unless
 * the user has allowed it. */
int folders_private(const char *path);
/* A new file to write, with which others can do nothing; NULL if there cannot be one. */
FILE *folders_create(const char *path);

#endif
