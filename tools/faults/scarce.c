/* scarce.c: an allocator for LD_PRELOAD of which allocations of statcl's own code fail on demand; see faults.R. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static uintptr_t code_from, code_to; /* where statcl.so lies */
static volatile long seen, fails_at, for_ever;

static int find_code(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  (void)data;
  if (!info->dlpi_name || !strstr(info->dlpi_name, "statcl.so")) return 0;
  for (int k = 0; k < info->dlpi_phnum; k++) {
    const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr, to = from + info->dlpi_phdr[k].p_memsz;
    if (info->dlpi_phdr[k].p_type != PT_LOAD) continue;
    if (!code_from || from < code_from) code_from = from;
    if (to > code_to) code_to = to;
  }
  return 0;
}

/* From now on allocation number *at fails, or all from there on; 0: none. */
void scarce_next(int *at, int *ever) {
  if (!code_from) dl_iterate_phdr(find_code, NULL);
  seen = 0;
  for_ever = *ever;
  fails_at = *at;
}

/* How many there were since. */
void scarce_seen(int *count) { *count = (int)seen; }

static int refused(void *caller) {
  const uintptr_t at = (uintptr_t)caller;
  if (at < code_from || at >= code_to) return 0;
  const long number = __sync_add_and_fetch(&seen, 1);
  if (!fails_at || number < fails_at || (number > fails_at && !for_ever)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
