/* ocl_resident.c: see ocl_resident.h. */
#include "engine/ocl_resident.h"

#include <stdlib.h>

#include "engine/ocl_build.h"
#include "engine/ocl_run.h"
#include "engine/profile.h"

enum { GROUP_BLOCKS = 2 }; /* what cooperative kernels call a and b */

struct ocl_resident {
  ocl_device *d;
  cl_context context; /* the device's, as long as that was not given up */
  cl_command_queue queue;
  cl_mem block[OCL_RESIDENT_BLOCKS], found;
  int64_t numbers[OCL_RESIDENT_BLOCKS];
  cl_event mark[OCL_MARKS]; /* from `oldest` on, in a ring */
  cl_int seen[OCL_MARKS];
  int oldest, marks, timed, failed;
};

static status give_up(ocl_resident *r, const char *call, cl_int code) {
  r->failed = 1;
  return ocl_fail(r->d, call, code);
}

status ocl_resident_open(int index, ocl_resident **made) {
  static const cl_int nothing;
  ocl_device *d = ocl_device_at(index);
  ocl_resident *r = calloc(1, sizeof *r);
  *made = NULL;
  if (!r) return fail(STATUS_MEMORY, "no memory for a queue of device %s", d->info.name);
  r->d = d;
  status st = ocl_need_context(d);
  cl_int code = CL_SUCCESS;
  const char *call = "clCreateCommandQueue";
  r->context = d->context;
  r->timed = profile_on();
  if (!st) r->queue = ocl_queue(d, r->timed, &code);
  if (!st && code == CL_SUCCESS) {
    call = "clCreateBuffer";
    r->found = ocl_buffer(r->context, CL_MEM_READ_WRITE, sizeof nothing, &code);
  }
  if (!st && code == CL_SUCCESS) {
    call = "clEnqueueWriteBuffer";
    code = ocl.clEnqueueWriteBuffer(r->queue, r->found, CL_TRUE, 0, sizeof nothing, &nothing, 0, NULL, NULL);
  }
  if (!st && code != CL_SUCCESS) st = ocl_fail(d, call, code);
  if (st) {
    r->failed = 1;
    ocl_resident_close(r);
    return st;
  }
  *made = r;
  return STATUS_OK;
}

static int lost(const ocl_resident *r) { return r->context != r->d->context; }
int ocl_resident_stale(const ocl_resident *r) { return r->failed || lost(r) || r->timed != profile_on(); }
void ocl_resident_on_shortage(void (*spare)(void)) { ocl_on_shortage(spare); }

double ocl_resident_first(const ocl_resident *r) {
  return 3e5 * (r->d->is_cpu || r->d->info.units < 1 ? 1 : r->d->info.units);
}

static size_t bytes_of(int64_t n) { return (size_t)n * sizeof(double); }

status ocl_resident_room(ocl_resident *r, int which, int64_t n) {
  cl_int code;
  if (r->numbers[which] >= n) return STATUS_OK;
  ocl_resident_empty(r, which);
  r->block[which] = ocl_buffer(r->context, CL_MEM_READ_WRITE, bytes_of(n), &code);
  if (ocl_is_memory(code)) { /* what tasks have left there may be in the way */
    ocl_make_room(r->d);
    r->block[which] = ocl_buffer(r->context, CL_MEM_READ_WRITE, bytes_of(n), &code);
  }
  if (ocl_is_memory(code)) return ocl_fail(r->d, "clCreateBuffer", code); /* the device is sound */
  if (code != CL_SUCCESS) return give_up(r, "clCreateBuffer", code);
  r->numbers[which] = n;
  return STATUS_OK;
}

void ocl_resident_empty(ocl_resident *r, int which) {
  if (r->block[which]) ocl.clReleaseMemObject(r->block[which]);
  r->block[which] = NULL;
  r->numbers[which] = 0;
}

static void report(const ocl_resident *r, cl_event event, const char *command, const char *kind, int64_t points,
                   size_t bytes) {
  ocl_profile(r->d, event, command, kind, points, bytes);
  ocl.clReleaseEvent(event);
}

status ocl_resident_send(ocl_resident *r, int which, int64_t first, int64_t n, const double *from) {
  cl_event event = NULL;
  const cl_int code = ocl.clEnqueueWriteBuffer(r->queue, r->block[which], CL_TRUE, bytes_of(first), bytes_of(n), from,
                                               0, NULL, r->timed ? &event : NULL);
  if (code != CL_SUCCESS) return give_up(r, "clEnqueueWriteBuffer", code);
  if (event) report(r, event, "to device", "transfer", n, bytes_of(n));
  return STATUS_OK;
}

status ocl_resident_receive(ocl_resident *r, int which, int64_t first, int64_t n, double *to) {
  cl_event event = NULL;
  const cl_int code = ocl.clEnqueueReadBuffer(r->queue, r->block[which], CL_TRUE, bytes_of(first), bytes_of(n), to, 0,
                                              NULL, r->timed ? &event : NULL);
  if (code != CL_SUCCESS) return give_up(r, "clEnqueueReadBuffer", code);
  if (event) report(r, event, "from device", "transfer", n, bytes_of(n));
  return STATUS_OK;
}

static cl_int set_arguments(const ocl_resident *r, cl_kernel kernel, int32_t first, const group_numbers *with) {
  const cl_int whole[] = {first, with->n, with->m, with->at, with->from, with->to, with->columns, with->transposed};
  const cl_uint count = sizeof whole / sizeof *whole;
  cl_int code = CL_SUCCESS;
  cl_uint k = 0;
  for (; k < count && code == CL_SUCCESS; k++) code = ocl.clSetKernelArg(kernel, k, sizeof *whole, whole + k);
  /* a kernel that has no block of its own reads none, but an argument wants a buffer */
  for (int i = 0; i < GROUP_BLOCKS && code == CL_SUCCESS; i++)
    code = ocl.clSetKernelArg(kernel, k++, sizeof(cl_mem), r->block[i] ? r->block + i : &r->found);
  return code == CL_SUCCESS ? ocl.clSetKernelArg(kernel, k, sizeof(cl_mem), &r->found) : code;
}

/* What comes after a launch: where times are wanted, it is waited for. */
static status launched(ocl_resident *r, const kernel_description *k, cl_int code, cl_event event, int64_t points) {
  if (code != CL_SUCCESS) return give_up(r, "clEnqueueNDRangeKernel", code);
  if (!event) return STATUS_OK;
  code = ocl.clFinish(r->queue);
  report(r, event, k->name, "kernel", points, 0);
  return code == CL_SUCCESS ? STATUS_OK : give_up(r, "clFinish", code);
}

status ocl_resident_launch(ocl_resident *r, const kernel_description *k, int32_t first, int64_t groups,
                           const group_numbers *with) {
  cl_event event = NULL;
  status st = ocl_need_kernel(r->d, k, 0, NULL);
  r->failed = r->failed || (st && st != STATUS_INTERRUPT);
  if (st) return st;
  const built_kernel *own = r->d->built[0] + k->number;
  const cl_kernel kernel = own->kernel;
  if (!own->group)
    return fail(STATUS_MEMORY, "device %s (%s) has no room for the groups of %s", r->d->info.name, r->d->info.label,
                k->name);
  const size_t local = own->group, global = (size_t)groups * local;
  cl_int code = set_arguments(r, kernel, first, with);
  if (code != CL_SUCCESS) return give_up(r, "clSetKernelArg", code);
  code = ocl.clEnqueueNDRangeKernel(r->queue, kernel, 1, NULL, &global, &local, 0, NULL, r->timed ? &event : NULL);
  return launched(r, k, code, event, groups);
}

/* KERNEL_ARGS of dialect.h without columns but of results, or lists. */
static cl_int set_columns(const ocl_resident *r, cl_kernel kernel, int32_t end, int64_t offset, int to, int32_t apart,
                          int constants) {
  const cl_int whole[] = {end, apart, 1, 1, end, 0};
  const cl_long from = offset;
  const cl_uint shared = 0;
  cl_int code = CL_SUCCESS;
  cl_uint k = 0;
  for (; k < sizeof whole / sizeof *whole && code == CL_SUCCESS; k++)
    code = ocl.clSetKernelArg(kernel, k, sizeof *whole, whole + k);
  if (code == CL_SUCCESS) code = ocl.clSetKernelArg(kernel, k++, sizeof from, &from);
  if (code == CL_SUCCESS) code = ocl.clSetKernelArg(kernel, k++, sizeof shared, &shared);
  for (int i = 0; i < BUFFERS + 2 && code == CL_SUCCESS; i++) /* set_in, in, out ... par, stored, stored_whole */
    code = ocl.clSetKernelArg(kernel, k++, sizeof(cl_mem),
                              i == BUF_OUT ? r->block + to : i == BUF_PAR ? r->block + constants : &r->found);
  return code;
}

status ocl_resident_points(ocl_resident *r, const kernel_description *k, int32_t first, int32_t n, int64_t offset,
                           int to, int32_t apart, int constants) {
  cl_event event = NULL;
  status st = ocl_need_kernel(r->d, k, 0, NULL);
  r->failed = r->failed || (st && st != STATUS_INTERRUPT);
  if (st) return st;
  const built_kernel *own = r->d->built[0] + k->number;
  const size_t lanes = r->d->is_cpu ? CPU_LANES : 1, local = own->group, from = (size_t)first / lanes;
  const size_t blocks = ((size_t)n + lanes - 1) / lanes, global = (blocks + local - 1) / local * local;
  cl_int code = set_columns(r, own->kernel, first + n, offset, to, apart, constants);
  if (code != CL_SUCCESS) return give_up(r, "clSetKernelArg", code);
  code = ocl.clEnqueueNDRangeKernel(r->queue, own->kernel, 1, &from, &global, &local, 0, NULL,
                                    r->timed ? &event : NULL);
  return launched(r, k, code, event, n);
}

status ocl_resident_mark(ocl_resident *r) {
  const int next = (r->oldest + r->marks) % OCL_MARKS;
  cl_int code = ocl.clEnqueueReadBuffer(r->queue, r->found, CL_FALSE, 0, sizeof *r->seen, r->seen + next, 0, NULL,
                                        r->mark + next);
  if (code != CL_SUCCESS) return give_up(r, "clEnqueueReadBuffer", code);
  r->marks++;
  code = ocl.clFlush(r->queue);
  return code == CL_SUCCESS ? STATUS_OK : give_up(r, "clFlush", code);
}

status ocl_resident_reached(ocl_resident *r, int *reached, int32_t *found) {
  cl_int state = CL_QUEUED;
  const cl_int code =
      ocl.clGetEventInfo(r->mark[r->oldest], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
  if (code != CL_SUCCESS) return give_up(r, "clGetEventInfo", code);
  if (state < 0) return give_up(r, "a command in the queue", state);
  *reached = state == CL_COMPLETE;
  if (!*reached) return STATUS_OK;
  *found = r->seen[r->oldest];
  ocl.clReleaseEvent(r->mark[r->oldest]);
  r->oldest = (r->oldest + 1) % OCL_MARKS;
  r->marks--;
  return STATUS_OK;
}

void ocl_resident_close(ocl_resident *r) {
  if (r->queue) ocl.clFinish(r->queue); /* a mark still under way writes to seen */
  for (; r->marks; r->marks--) ocl.clReleaseEvent(r->mark[(r->oldest + r->marks - 1) % OCL_MARKS]);
  for (int i = 0; i < OCL_RESIDENT_BLOCKS; i++)
    if (r->block[i]) ocl.clReleaseMemObject(r->block[i]);
  if (r->found) ocl.clReleaseMemObject(r->found);
  if (r->queue) ocl.clReleaseCommandQueue(r->queue);
  if (r->failed && !lost(r)) ocl_drop(r->d);
  free(r);
}
