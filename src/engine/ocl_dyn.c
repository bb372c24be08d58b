/* ocl_dyn.c: see ocl_dyn.h. The library stays open until the process ends: drivers keep threads that run its code. */
#include "engine/ocl_dyn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

ocl_table ocl;
static char opened[1024];

#ifdef _WIN32
enum { SYSTEM_FOLDER_ONLY = 0x00000800 }; /* LOAD_LIBRARY_SEARCH_SYSTEM32, which older headers lack */

/* The system folder alone: a DLL beside the user's documents shall not take the loader's place. */
static void *open_library(const char *name, int is_path) {
  return (void *)(is_path ? LoadLibraryA(name) : LoadLibraryExA(name, NULL, SYSTEM_FOLDER_ONLY));
}
static void close_library(void *library) { FreeLibrary((HMODULE)library); }
static void open_error(char *text, size_t room) {
  snprintf(text, room, "LoadLibrary error %lu", (unsigned long)GetLastError());
}
static int find_symbol(void *library, const char *name, void *entry, size_t size) {
  FARPROC found = GetProcAddress((HMODULE)library, name);
  memcpy(entry, &found, size);
  return found != NULL;
}
static const char *const candidates[] = {"OpenCL.dll", NULL};
#else
static void *open_library(const char *name, int is_path) {
  (void)is_path;
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
static void close_library(void *library) { dlclose(library); }
static void open_error(char *text, size_t room) {
  const char *said = dlerror();
  snprintf(text, room, "%s", said ? said : "dlopen failed");
}
/* ISO C has no cast from an object pointer to a function pointer; POSIX promises the same bits. */
static int find_symbol(void *library, const char *name, void *entry, size_t size) {
  void *found = dlsym(library, name);
  memcpy(entry, &found, size);
  return found != NULL;
}
#ifdef __APPLE__
static const char *const candidates[] = {"/System/Library/Frameworks/OpenCL.framework/OpenCL", "libOpenCL.dylib",
                                         NULL};
#else
static const char *const candidates[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
#endif
#endif

static status fill_table(void *library, const char *name) {
  ocl_table found;
  memset(&found, 0, sizeof found);
#define OCL_FIND(entry)                                                                                      \
  if (!find_symbol(library, #entry, &found.entry, sizeof found.entry))                                       \
    return fail(STATUS_DEVICE, "the OpenCL library %s has no %s: statcl needs OpenCL 1.2", name, #entry);
  OCL_ENTRIES(OCL_FIND)
#undef OCL_FIND
  ocl = found;
  return STATUS_OK;
}

static status try_library(const char *name, int is_path) {
  char why[512];
  void *library = open_library(name, is_path);
  if (!library) {
    open_error(why, sizeof why);
    return fail(STATUS_DEVICE, "no OpenCL library: %s", why);
  }
  const status st = fill_table(library, name);
  if (st)
    close_library(library);
  else
    snprintf(opened, sizeof opened, "%s", name);
  return st;
}

status ocl_load(void) {
  const char *wanted = getenv("STATCL_OPENCL_LIBRARY"), *off = getenv("STATCL_OPENCL");
  status st = STATUS_DEVICE;
  if (opened[0]) return STATUS_OK;
  if (off && !strcmp(off, "off"))
    return fail(STATUS_DEVICE, "OpenCL is switched off by the environment variable STATCL_OPENCL");
  if (wanted && *wanted) return try_library(wanted, 1);
  for (int i = 0; candidates[i] && st; i++) st = try_library(candidates[i], 0);
  return st;
}

int ocl_opens(const char *name, char *why, size_t room) {
  void *library = open_library(name, 1);
  if (library)
    close_library(library);
  else
    open_error(why, room);
  return library != NULL;
}

const char *ocl_library(void) { return opened[0] ? opened : NULL; }

const char *ocl_code_name(cl_int code) {
  static char other[40];
#define OCL_CODE(name) case name: return #name;
  switch (code) {
    OCL_CODE(CL_SUCCESS) OCL_CODE(CL_DEVICE_NOT_FOUND) OCL_CODE(CL_DEVICE_NOT_AVAILABLE)
    OCL_CODE(CL_COMPILER_NOT_AVAILABLE) OCL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    OCL_CODE(CL_OUT_OF_RESOURCES) OCL_CODE(CL_OUT_OF_HOST_MEMORY) OCL_CODE(CL_PROFILING_INFO_NOT_AVAILABLE)
    OCL_CODE(CL_MEM_COPY_OVERLAP) OCL_CODE(CL_BUILD_PROGRAM_FAILURE) OCL_CODE(CL_MAP_FAILURE)
    OCL_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET) OCL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    OCL_CODE(CL_COMPILE_PROGRAM_FAILURE) OCL_CODE(CL_LINKER_NOT_AVAILABLE) OCL_CODE(CL_LINK_PROGRAM_FAILURE)
    OCL_CODE(CL_DEVICE_PARTITION_FAILED) OCL_CODE(CL_INVALID_VALUE) OCL_CODE(CL_INVALID_DEVICE_TYPE)
    OCL_CODE(CL_INVALID_PLATFORM) OCL_CODE(CL_INVALID_DEVICE) OCL_CODE(CL_INVALID_CONTEXT)
    OCL_CODE(CL_INVALID_QUEUE_PROPERTIES) OCL_CODE(CL_INVALID_COMMAND_QUEUE) OCL_CODE(CL_INVALID_HOST_PTR)
    OCL_CODE(CL_INVALID_MEM_OBJECT) OCL_CODE(CL_INVALID_BINARY) OCL_CODE(CL_INVALID_BUILD_OPTIONS)
    OCL_CODE(CL_INVALID_PROGRAM) OCL_CODE(CL_INVALID_PROGRAM_EXECUTABLE) OCL_CODE(CL_INVALID_KERNEL_NAME)
    OCL_CODE(CL_INVALID_KERNEL_DEFINITION) OCL_CODE(CL_INVALID_KERNEL) OCL_CODE(CL_INVALID_ARG_INDEX)
    OCL_CODE(CL_INVALID_ARG_VALUE) OCL_CODE(CL_INVALID_ARG_SIZE) OCL_CODE(CL_INVALID_KERNEL_ARGS)
    OCL_CODE(CL_INVALID_WORK_DIMENSION) OCL_CODE(CL_INVALID_WORK_GROUP_SIZE)
    OCL_CODE(CL_INVALID_WORK_ITEM_SIZE) OCL_CODE(CL_INVALID_GLOBAL_OFFSET) OCL_CODE(CL_INVALID_EVENT_WAIT_LIST)
    OCL_CODE(CL_INVALID_EVENT) OCL_CODE(CL_INVALID_OPERATION) OCL_CODE(CL_INVALID_BUFFER_SIZE)
    OCL_CODE(CL_INVALID_GLOBAL_WORK_SIZE) OCL_CODE(CL_INVALID_PROPERTY)
  case -1001: return "CL_PLATFORM_NOT_FOUND_KHR"; /* of the loader: no driver is registered */
  }
#undef OCL_CODE
  snprintf(other, sizeof other, "OpenCL error %d", (int)code);
  return other;
}
