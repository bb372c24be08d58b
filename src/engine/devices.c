/* devices.c: the list of devices and the choice among them. Knows no OpenCL: opencl.c does. */
#include "engine/devices.h"

#include <stdio.h>
#include <string.h>

#include "engine/cpu.h"
#include "engine/opencl.h"
#include "engine/threads.h"

static device_info list[MAX_DEVICES];
static int listed, enumerated;
static int chosen[MAX_DEVICES], n_chosen;
static void (*listener[MAX_LISTENERS])(void);
static int listeners;

void devices_on_change(void (*forget)(void)) {
  for (int i = 0; i < listeners; i++)
    if (listener[i] == forget) return;
  if (listeners < MAX_LISTENERS) listener[listeners++] = forget;
}

static void tell_listeners(void) {
  for (int i = 0; i < listeners; i++) listener[i]();
}

void devices_after_fork(void) {
  static int told;
  if (told || !in_forked_child()) return;
  told = 1;
  tell_listeners();
}

static void describe_cpu(void) {
  device_info *cpu = list;
  memset(cpu, 0, sizeof *cpu);
  strcpy(cpu->name, "cpu");
  strcpy(cpu->type, "cpu");
  snprintf(cpu->label, sizeof cpu->label, "built-in, %s", cpu_level_name());
  strcpy(cpu->platform, "built-in");
  cpu->units = threads_available();
  cpu->fp64 = cpu->usable = 1;
  if (!listed) listed = 1;
}

status devices_enumerate(void) {
  int found = 0;
  describe_cpu();
  if (enumerated) return STATUS_OK;
  if (in_forked_child())
    return fail(STATUS_DEVICE, "OpenCL cannot be started in a forked child process: list devices in the parent");
  const status st = ocl_enumerate(list + 1, MAX_DEVICES - 1, &found);
  if (st) return st;
  listed = 1 + found;
  enumerated = found > 0; /* what failed, or was not installed yet, may succeed later */
  return STATUS_OK;
}

int devices_count(void) {
  describe_cpu();
  return listed;
}

const device_info *devices_get(int i) { return list + i; }

static status find(const char *name, int *index) {
  char known[512] = "cpu";
  int i;
  status st = strcmp(name, "cpu") ? devices_enumerate() : STATUS_OK;
  if (st) return st;
  describe_cpu();
  for (i = 0; i < listed; i++) {
    if (i && strlen(known) + strlen(list[i].name) + 3 < sizeof known) strcat(strcat(known, ", "), list[i].name);
    if (!strcmp(list[i].name, name)) break;
  }
  if (i == listed)
    return fail(STATUS_DEVICE, "there is no device \"%s\" (devices: %s)%s%s", name, known,
                ocl_trouble()[0] ? "; " : "", ocl_trouble());
  if (!list[i].usable)
    return fail(STATUS_DEVICE, "device %s (%s) is not available or has no compiler", name, list[i].label);
  *index = i;
  return STATUS_OK;
}

status devices_use(const char *const *names, int count) {
  int wanted[MAX_DEVICES], n = 0, k;
  if (count > MAX_DEVICES) return fail(STATUS_INPUT, "no more than %d devices can be in use", MAX_DEVICES);
  for (int i = 0; i < count; i++) {
    status st = find(names[i], wanted + n);
    if (st) return st;
    for (k = 0; k < n && wanted[k] != wanted[n]; k++) {}
    if (k == n) n++;
  }
  tell_listeners();
  memcpy(chosen, wanted, sizeof chosen);
  n_chosen = n;
  return STATUS_OK;
}

int devices_in_use(int index[MAX_DEVICES]) {
  memcpy(index, chosen, sizeof chosen);
  return n_chosen;
}

status devices_need_fp64(int i, const char *name) {
  if (list[i].fp64) return STATUS_OK;
  return fail(STATUS_DEVICE, "device %s (%s) has no double precision (fp64), in which %s computes; "
              "useDevice(\"cpu\") does without the device", list[i].name, list[i].label, name);
}

status devices_warm_up(int single) {
  status st = STATUS_OK;
  if (in_forked_child()) return STATUS_OK;
  for (int i = 0; i < n_chosen && !st; i++)
    if (chosen[i]) st = ocl_warm_up(chosen[i] - 1, single, (double)i / n_chosen, 1.0 / n_chosen);
  return st;
}

status devices_lacking(int single, int *unbuilt) {
  status st = STATUS_OK;
  *unbuilt = 0;
  if (in_forked_child()) return STATUS_OK;
  for (int i = 0; i < n_chosen && !st; i++)
    if (chosen[i]) st = ocl_lacking(chosen[i] - 1, single, unbuilt);
  return st;
}

void devices_shutdown(void) {
  tell_listeners();
  if (!in_forked_child()) ocl_shutdown();
  threads_shutdown();
  n_chosen = enumerated = 0;
  if (listed > 1) listed = 1;
}
