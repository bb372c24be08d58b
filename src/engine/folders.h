/* folders.h: where kernels and built programs lie. */
#ifndef STATCL_FOLDERS_H
#define STATCL_FOLDERS_H

/* kernels: the installed copy of inst/kernels; cache: where built programs are kept, empty for nowhere. */
void folders_set(const char *kernels, const char *cache);
const char *folders_kernels(void);
const char *folders_cache(void);

#endif
