/* ocl_kept.c: see ocl_kept.h. A copy is sent by the queue of one chunk and waited for, once; then all queues read
 * it. */
#include "engine/ocl_kept.h"

#include "engine/profile.h"

#include <stdlib.h>
#include <string.h>

static void release(kept_copy *k) {
  if (k->real) ocl.clReleaseMemObject(k->real);
  if (k->whole) ocl.clReleaseMemObject(k->whole);
  memset(k, 0, sizeof *k);
}

void ocl_kept_release(ocl_device *d, uint64_t id) {
  for (int i = 0; i < KEPT_BLOCKS; i++)
    if (d->kept[i].id == id) release(d->kept + i);
}

void ocl_kept_release_others(ocl_device *d, uint64_t id) {
  for (int i = 0; i < KEPT_BLOCKS; i++)
    if (d->kept[i].id != id) release(d->kept + i);
}

static cl_int copy_to(ocl_device *d, cl_command_queue queue, size_t bytes, const void *from, cl_mem *to,
                      const char **call) {
  cl_int code;
  *call = "clCreateBuffer";
  *to = ocl_buffer(d->context, CL_MEM_READ_ONLY, bytes ? bytes : sizeof(double), &code);
  if (code != CL_SUCCESS || !bytes) return code;
  cl_event event = NULL;
  *call = "clEnqueueWriteBuffer";
  code = ocl.clEnqueueWriteBuffer(queue, *to, CL_TRUE, 0, bytes, from, 0, NULL, profile_on() ? &event : NULL);
  if (!event) return code;
  ocl_profile(d, event, "to device", "transfer", 0, bytes);
  ocl.clReleaseEvent(event);
  return code;
}

cl_int ocl_kept(ocl_device *d, cl_command_queue queue, const task *t, const kept_copy **copy, const char **call) {
  const kept_block *b = t->kept;
  kept_copy *k = d->kept;
  for (int i = 0; i < KEPT_BLOCKS; i++) {
    kept_copy *at = d->kept + i;
    if (at->id == b->id && at->single == t->single) {
      at->used = ++d->kept_used;
      *copy = at;
      return CL_SUCCESS;
    }
    if (at->used < k->used) k = at;
  }
  const column all = {b->data, b->n};
  const size_t bytes = (size_t)b->n * real_bytes(t);
  void *narrow = t->single && bytes ? malloc(bytes) : NULL;
  release(k);
  *call = "malloc";
  if (t->single && bytes && !narrow) return CL_OUT_OF_HOST_MEMORY;
  if (narrow) reals_take(t, narrow, all, 0, b->n);
  cl_int code = copy_to(d, queue, bytes, narrow ? narrow : b->data, &k->real, call);
  if (code == CL_SUCCESS) code = copy_to(d, queue, (size_t)b->n_whole * sizeof(cl_int), b->whole, &k->whole, call);
  free(narrow);
  if (code != CL_SUCCESS) {
    release(k);
    return code;
  }
  k->id = b->id;
  k->single = t->single;
  k->used = ++d->kept_used;
  *copy = k;
  return CL_SUCCESS;
}
