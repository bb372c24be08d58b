/* test_engine.c: the scheduler and its backends through the C interface, without R. What a point gets must not
 * depend on where it stands, on chunks, threads, recycling or runs, bit for bit; interrupts and failures leave a
 * working engine. Usage: test_engine <kernel folder> <cache folder> [size: 1, or less under valgrind] */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "engine/ocl_run.h"
#include "programs/programs.h"

static double size = 1;
static const char *kernel_folder, *cache_folder;
static const int64_t border[] = {1, 15, 16, 17, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 8191, 8192, 8193};
enum { BORDERS = sizeof border / sizeof *border };

static int same(const double *a, const double *b, int64_t n, const char *device, const char *what, long long which) {
  const int64_t at = first_difference(a, b, n);
  return check(at < 0, "%s: %s %lld: value %lld of %lld is %.17g, not %.17g", device, what, which, (long long)at,
               (long long)n, at < 0 ? 0 : a[at], at < 0 ? 0 : b[at]);
}

static int done(status st, const char *device, const char *what) {
  return check(st == STATUS_OK, "%s: %s: status %d, %s", device, what, (int)st, last_error());
}

static points slice(points d, int64_t first, int64_t n) {
  int k;
  for (k = 0; k < COLUMNS; k++) {
    columns_of(&d, k)->data += first;
    columns_of(&d, k)->length = n;
  }
  d.n = n;
  return d;
}

static points reversed(points d) {
  points r = points_new(d.n);
  int64_t i;
  int k;
  for (k = 0; k < COLUMNS; k++)
    for (i = 0; i < d.n; i++) writable(r, k)[i] = columns_of(&d, k)->data[d.n - 1 - i];
  return r;
}

/* Element i of column k of a call in which it is recycled (or indexed by set). */
static points expanded(points d, int64_t run) {
  points e = points_new(d.n);
  int64_t i;
  int k;
  for (k = 0; k < COLUMNS; k++) {
    const column c = *columns_of(&d, k);
    const int of_set = k == 1 || k == 2 || k == 5;
    for (i = 0; i < d.n; i++) writable(e, k)[i] = c.data[(of_set ? i / run : i) % c.length];
  }
  return e;
}

/* ---- places, borders, threads ---- */

static void test_places(const char *device, int64_t most) {
  const points d = random_points(most);
  const int64_t single = (int64_t)(200 * size) + 4;
  double *whole = reals(most), *out = reals(most);
  int64_t i;
  int k;
  if (!done(density(d, 1, 1, whole), device, "whole vector")) most = 0;
  for (k = 0; k < BORDERS && most; k++) {
    if (border[k] > most) continue;
    done(density(slice(d, 0, border[k]), 1, 1, out), device, "beginning");
    same(out, whole, border[k], device, "beginning of length", border[k]);
    done(density(slice(d, most - border[k], border[k]), 1, 1, out), device, "end");
    same(out, whole + most - border[k], border[k], device, "end of length", border[k]);
  }
  for (i = 0; i < single && most; i++) {
    const int64_t at = (int64_t)(uniform() * (double)most);
    if (density(slice(d, at, 1), 1, 1, out) != STATUS_OK || first_difference(out, whole + at, 1) >= 0)
      check(0, "%s: point %lld alone: %.17g, not %.17g", device, (long long)at, out[0], whole[at]);
  }
  check(1, "points alone");
  if (most) {
    const points r = reversed(d);
    done(density(r, 1, 1, out), device, "reversed");
    for (i = 0; i < most / 2; i++) {
      const double v = out[i];
      out[i] = out[most - 1 - i];
      out[most - 1 - i] = v;
    }
    same(out, whole, most, device, "reversed vector of length", most);
    points_free(r);
    for (k = 1; k <= 8; k += k < 3 ? 1 : 5) {
      threads_set(k);
      done(density(d, 1, 1, out), device, "threads");
      same(out, whole, most, device, "number of threads", k);
    }
    threads_set(0);
  }
  free(out);
  free(whole);
  points_free(d);
}

/* ---- pieces ---- */

/* A device that cuts the same task otherwise gives the same bits: slow, fast, and as GPUs of some units would. */
static void test_pieces(const char *device, int index) {
  static const double slowness[] = {1e6, 1e-6, 1e-6, 1e-6, 1e-2};
  static const int units[] = {0, 0, 1, 3, 16};
  ocl_device *d = ocl_device_at(index - 1);
  const ocl_device before = *d;
  const int64_t n = (int64_t)(5e4 * size) + 5003;
  const points all = random_points(n);
  double *whole = reals(n), *out = reals(n);
  const int known = done(density(all, 1, 1, whole), device, "pieces as they come");
  for (size_t k = 0; known && k < sizeof units / sizeof *units; k++) {
    d->slowness = slowness[k];
    d->info.watched = k % 2 == 0;
    if (units[k]) {
      strcpy(d->info.type, "gpu");
      d->info.units = units[k];
    }
    done(density(all, 1, 1, out), device, "other pieces");
    same(out, whole, n, device, "pieces of kind", (int64_t)k);
    d->info = before.info;
  }
  d->slowness = before.slowness;
  free(out);
  free(whole);
  points_free(all);
}

/* Chunks of a GPU with 192 GB, which is more than 32 bits count numbers in, and of a small one. */
static void test_limits(void) {
  const device_info large = {.type = "gpu", .units = 304, .memory = 192e9, .max_alloc = 192e9};
  const device_info small = {.type = "gpu", .units = 20, .memory = 4e9, .max_alloc = 1e9, .watched = 1};
  static const int columns[] = {1, 15, 511, 512, 513, 1000, MAX_COLUMNS};
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
    const int c = columns[k];
    const pipeline kinds[] = {
        {.n_in = 1, .n_out = c}, {.n_work = c}, {.n_set_in = c}, {.n_set_work = c, .n_list = MAX_LISTS}};
    for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++) {
      const task t = {.pipe = kinds + j};
      const chunk_limits may = ocl_limits(&large, &t, t.pipe->n_work), less = ocl_limits(&small, &t, t.pipe->n_work);
      check((may.most + 15) / 16 * 16 * c <= INT32_MAX, "%d columns of %lld points", c, (long long)may.most);
      check(may.most >= 304 * 2048, "%d columns: only %lld points fit 192 GB", c, (long long)may.most);
      check(may.fill == 304 * 2048 && may.first == may.fill, "%lld points to fill, %lld at first",
            (long long)may.fill, (long long)may.first);
      check((double)less.most * c * 8 <= 1e9, "%d columns of %lld points in 1 GB", c, (long long)less.most);
      check(less.fill == 20 * 2048 && less.first == 20 * 512, "%lld points to fill, %lld at first",
            (long long)less.fill, (long long)less.first);
      /* 30 ms, but where that is less than fills the device up to 0.3 s */
      check(ocl_piece(may, 1e-12) == may.most, "cheap points: %lld", (long long)ocl_piece(may, 1e-12));
      check(ocl_piece(less, 1e-6) == at_most(20 * 2048, less.most), "40 ms: %lld", (long long)ocl_piece(less, 1e-6));
      check(ocl_piece(may, 0x1p-20) == 314572, "dear points: %lld", (long long)ocl_piece(may, 0x1p-20));
    }
  }
}

/* ---- recycling and runs ---- */

static void test_recycling(const char *device, int rounds) {
  static const int64_t length[] = {1, 1, 2, 3, 7, 16, 31, 32, 33, 511, 513, 1000};
  points d = random_points(3000);
  double *out = reals(3000), *expect = reals(3000);
  int round, k;
  for (round = 0; round < rounds; round++) {
    points e;
    d.n = 1 + below(below(4) ? 1200 : 3000);
    for (k = 0; k < COLUMNS; k++) columns_of(&d, k)->length = length[below(sizeof length / sizeof *length)];
    e = expanded(d, 1);
    if (done(density(d, 1, round & 1, out), device, "recycled") &&
        done(density(e, 1, round & 1, expect), device, "expanded"))
      same(out, expect, d.n, device, "recycling, round", round);
    points_free(e);
  }
  free(expect);
  free(out);
  points_free(d);
}

static void test_runs(const char *device, int rounds) {
  static const int64_t runs[] = {1, 2, 3, 15, 16, 17, 100, 511, 512, 513, 1999, 5000};
  enum { RUNS = sizeof runs / sizeof *runs };
  points d = random_points(5000);
  double *out = reals(5000), *expect = reals(5000);
  int round;
  for (round = 0; round < rounds; round++) {
    const int64_t run = runs[round % RUNS];
    points e;
    d.n = 1 + below(below(3) ? 2500 : 5000);
    d.p.alpha.length = d.p.beta.length = d.p.pm.length = (d.n + run - 1) / run;
    if (round % 3 == 1) d.p.beta.length = 3;
    if (round % 3 == 2) d.p.pm.length = 1;
    if (round % 4 == 1) d.p.gamma.length = 1;
    if (round % 4 == 2) d.p.delta.length = 7;
    e = expanded(d, run);
    if (done(density(d, run, 1, out), device, "runs") && done(density(e, 1, 1, expect), device, "expanded"))
      same(out, expect, d.n, device, "sets of points, run", run);
    points_free(e);
  }
  free(expect);
  free(out);
  points_free(d);
}

/* ---- random numbers ---- */

static int by_value(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

static void test_draws(const char *device, int64_t n) {
  static const uint32_t key[2] = {20240229u, 7u}, other[2] = {20240229u, 8u};
  static const double one = 1, zero = 0, bad = 2.5, minus = -1;
  const column unit = {&one, 1}, none = {&zero, 1};
  points d = random_points(n);
  double *whole = reals(n), *out = reals(n), worst = 0;
  const stable_parameters cauchy = {unit, none, unit, none, none};
  stable_parameters invalid = cauchy;
  int64_t i, equal = 0;
  int k, nans = 0;
  if (done(stable_random(0, n, d.p, key, whole), device, "draws")) {
    for (k = 0; k < BORDERS; k++)
      if (border[k] <= n) {
        done(stable_random(0, border[k], d.p, key, out), device, "first draws");
        same(out, whole, border[k], device, "first draws", border[k]);
      }
    for (k = 1; k < 4; k++) {
      threads_set(k);
      done(stable_random(0, n, d.p, key, out), device, "draws by threads");
      same(out, whole, n, device, "draws, threads", k);
    }
    threads_set(0);
    done(stable_random(0, n, d.p, other, out), device, "draws of another key");
    for (i = 0; i < n; i++) equal += out[i] == whole[i];
    check(equal <= n / 1000, "%s: %lld draws of two keys are equal", device, (long long)equal);
  }
  /* Kolmogorov-Smirnov against the Cauchy distribution: sqrt(n) D > 2.5 has probability 7e-6. */
  done(stable_random(0, n, cauchy, key, out), device, "Cauchy draws");
  qsort(out, (size_t)n, sizeof *out, by_value);
  for (i = 0; i < n; i++) {
    const double p = 0.5 + atan(out[i]) / 3.141592653589793;
    worst = fmax(worst, fmax(fabs(p - (double)i / (double)n), fabs(p - (double)(i + 1) / (double)n)));
  }
  check(worst * sqrt((double)n) < 2.5, "%s: Cauchy draws, sqrt(n) D = %g", device, worst * sqrt((double)n));
  for (k = 0; k < 3; k++) {
    const column wrong = {k ? &minus : &bad, 1};
    invalid = cauchy;
    if (k == 0) invalid.alpha = wrong;
    if (k == 1) invalid.gamma = wrong;
    if (k == 2) invalid.pm = wrong;
    done(stable_random(0, 9, invalid, key, out), device, "draws of an invalid distribution");
    for (i = 0; i < 9; i++) nans += isnan(out[i]) != 0;
  }
  check(nans == 27, "%s: %d of 27 draws of invalid distributions are NaN", device, nans);
  free(out);
  free(whole);
  points_free(d);
}

/* ---- interrupts ---- */

typedef struct {
  int calls, stop_at, nested, ordered;
  double fraction, stopped;
} watch;

static int on_poll(void *data, double fraction) {
  watch *w = data;
  double out;
  const double x = 0;
  const column c = {&x, 1};
  const stable_parameters p = {c, c, c, c, c};
  w->calls++;
  w->ordered = w->ordered && fraction >= w->fraction && fraction <= 1 && backend_running();
  w->fraction = fraction;
  w->nested = stable_density(1, 1, c, p, 0, &out);
  if (w->calls < w->stop_at) return 0;
  w->stopped = clock_seconds();
  return 1;
}

static void test_interrupt(const char *device) {
  const int64_t n = 4000000;
  static const double alpha[] = {1.5, 0.7, 1.05}, beta[] = {0.5, -0.3}, x[] = {-2, -1, 0.5, 0.1, 1, 3, 7};
  static const double one = 1, zero = 0;
  const column xs = {x, 7}, unit = {&one, 1}, none = {&zero, 1};
  const stable_parameters p = {{alpha, 3}, {beta, 2}, unit, none, none};
  double *out = reals(n), before, again;
  watch w = {0, 2, -1, 1, 0, 0};
  double late;
  status st;
  done(stable_density(1, 1, xs, p, 0, &before), device, "before the interrupt");
  backend_set_poll(on_poll, &w);
  st = stable_density(n, 1, xs, p, 0, out);
  late = clock_seconds() - w.stopped;
  backend_set_poll(NULL, NULL);
  check(st == STATUS_INTERRUPT, "%s: interrupted task returned %d: %s", device, (int)st, last_error());
  check(w.calls == 2 && w.ordered, "%s: %d polls, in order: %d", device, w.calls, w.ordered);
  check(w.nested == STATUS_INPUT, "%s: a call from the poll returned %d", device, w.nested);
  check(late < 0.5 || size < 1, "%s: return %.3f s after the interrupt", device, late);
  check(!backend_running(), "%s: still running after an interrupt", device);
  if (done(stable_density(1, 1, xs, p, 0, &again), device, "after the interrupt"))
    same(&again, &before, 1, device, "after an interrupt", 0);
  free(out);
}

/* ---- shares of a call ---- */

static int hear(void *to, double share) {
  *(double *)to = share;
  return 0;
}

static double told_share(double fraction) {
  double share = -1;
  const call_part part = backend_part();
  backend_set_poll(hear, &share);
  backend_set_part(part, 0, 1);
  nap(0.06); /* polls are no more frequent than that */
  check(backend_pause(fraction) == STATUS_OK, "a poll failed: %s", last_error());
  return share;
}

static void test_shares(void) {
  double share;
  backend_set_poll(NULL, NULL);
  const call_part whole = backend_part();
  share = told_share(0.5);
  check(share == 0.5, "of a whole call %g was told, not 0.5", share);
  backend_set_part(whole, 0.5, 1);
  const call_part half = backend_part();
  backend_set_part(half, 0.5, 0.75);
  share = told_share(0.5);
  check(share == 0.8125, "within two parts %g was told, not 0.8125", share);
  backend_set_part(half, 0.5, 0.5);
  share = told_share(0.9);
  check(share == 0.75, "within a part that is not divided %g was told, not 0.75", share);
  backend_set_part(half, NAN, NAN);
  backend_set_part(backend_part(), 0, 1);
  share = told_share(0.9);
  check(isnan(share), "within an unknown part %g was told", share);
  backend_set_part(half, 0, 1);
  share = told_share(1);
  check(share == 1, "at the end %g was told", share);
  backend_set_poll(NULL, NULL);
}

/* ---- failures ---- */

static void test_failures(void) {
  static const pipeline nothing = {.name = "nothing", .n_in = 1, .n_out = 1, .ns_per_point = 1};
  pipeline endless = nothing;
  static const double value = 1;
  const char *many[MAX_DEVICES + 1];
  double out = 7;
  task t = {0};
  int i;
  t.pipe = &nothing;
  t.run = 1;
  t.in[0].data = &value;
  t.out[0] = &out;
  check(backend_run(&t) == STATUS_OK, "an empty task: %s", last_error());
  t.n = 1;
  check(backend_run(&t) == STATUS_INPUT && strstr(last_error(), "nothing"), "empty argument: %s", last_error());
  t.in[0].length = 1;
  t.run = 0;
  check(backend_run(&t) == STATUS_INPUT, "run 0: %s", last_error());
  t.run = 1;
  check(backend_run(&t) == STATUS_INPUT && strstr(last_error(), "no steps"), "no steps: %s", last_error());
  for (i = 0; i <= MAX_STEPS; i++) endless.step[i] = KERNEL_poisson_pmf;
  t.pipe = &endless;
  check(backend_run(&t) == STATUS_INPUT && strstr(last_error(), "end"), "steps without end: %s", last_error());
  t.n = -1;
  check(backend_run(&t) == STATUS_INPUT, "negative length: %s", last_error());
  check(!backend_running() && out == 7, "a refused task left something behind");
  check(use("gpu:99") == STATUS_DEVICE && strstr(last_error(), "gpu:99"), "unknown device: %s", last_error());
  for (i = 0; i <= MAX_DEVICES; i++) many[i] = "cpu";
  check(devices_use(many, MAX_DEVICES + 1) == STATUS_INPUT, "too many devices: %s", last_error());
  check(devices_use(many, 2) == STATUS_OK, "one device named twice: %s", last_error());
  check(devices_use(NULL, 0) == STATUS_OK, "no device");
}

/* ---- OpenCL ---- */

/* Both backends at once: every value is one of the two backends' own. */
static void test_split(const char *device, int64_t n) {
  const char *both[2] = {"cpu", device};
  const points d = random_points(n);
  double *cpu = reals(n), *ocl = reals(n), *mixed = reals(n), worst = 0;
  int64_t i, at = 0, neither = 0;
  use("cpu");
  done(density(d, 1, 1, cpu), "cpu", "alone");
  use(device);
  done(density(d, 1, 1, ocl), device, "alone");
  devices_use(both, 2);
  if (done(density(d, 1, 1, mixed), device, "with the cpu"))
    for (i = 0; i < n; i++) {
      neither += memcmp(mixed + i, cpu + i, sizeof *cpu) && memcmp(mixed + i, ocl + i, sizeof *cpu);
      if (cpu[i] != ocl[i] && !(fabs(cpu[i] - ocl[i]) <= worst * fmax(1, fabs(cpu[i])))) {
        worst = fabs(cpu[i] - ocl[i]) / fmax(1, fabs(cpu[i]));
        at = i;
      }
    }
  check(neither == 0, "%s: %lld values of a split task are of neither device", device, (long long)neither);
  check(worst < 2e-13, "%s: log density %.17g, on the cpu %.17g (alpha %.17g, beta %.17g, x %.17g)", device, ocl[at],
        cpu[at], d.p.alpha.data[at], d.p.beta.data[at], d.x.data[at]);
  free(mixed);
  free(ocl);
  free(cpu);
  points_free(d);
}

static void test_folder(const char *device) {
  const double x = 0.5;
  const column c = {&x, 1};
  const stable_parameters p = {c, c, c, c, c};
  double out, again;
  devices_shutdown();
  folders_set("no/such/folder", "");
  use(device);
  check(stable_density(1, 1, c, p, 0, &out) != STATUS_OK && strstr(last_error(), "no/such/folder"),
        "%s: kernels from no folder: %s", device, last_error());
  folders_set(kernel_folder, cache_folder);
  if (done(stable_density(1, 1, c, p, 0, &out), device, "folder mended")) {
    devices_shutdown();
    use(device);
    done(stable_density(1, 1, c, p, 0, &again), device, "opened again");
    same(&again, &out, 1, device, "opened again", 0);
  }
}

static void test_profile(const char *device, int64_t n) {
  const points d = random_points(n);
  double *out = reals(n);
  const profile_row *row;
  int rows, i, kernels_seen = 0;
  profile_start();
  done(density(d, 1, 0, out), device, "profiled");
  row = profile_stop(&rows);
  for (i = 0; i < rows; i++) {
    kernels_seen += !strcmp(row[i].kind, "kernel");
    check(!strcmp(row[i].device, device) && row[i].seconds >= 0 && row[i].points >= row[i].calls,
          "%s: profile of %s, %s: %lld calls, %g s", device, row[i].device, row[i].command, (long long)row[i].calls,
          row[i].seconds);
  }
  check(kernels_seen >= 8, "%s: only %d kernels profiled", device, kernels_seen);
  free(out);
  points_free(d);
}

static void test_device(const char *device, int64_t most) {
  test_places(device, most);
  test_recycling(device, (int)(120 * size) + 3);
  test_runs(device, (int)(96 * size) + 5);
  test_draws(device, most);
  test_interrupt(device);
  test_profile(device, 2000);
}

/* ---- columns on all threads ---- */

/* What points get by deliver(): their number and column, and how often. */
static unsigned char *delivered;
static int delivered_wrong;
enum { GIVEN = 200003, GIVEN_COLUMNS = 3, GIVEN_FIRST = 96 };

static void take_given(void *to, int64_t first, int32_t n, const double *const *values) {
  const int32_t grain = *(const int32_t *)to;
  int wrong = first % grain != 0;
  for (int32_t i = 0; i < n; i++) {
    delivered[first + i - GIVEN_FIRST]++;
    for (int k = 0; k < GIVEN_COLUMNS; k++) wrong |= values[k][i] != (double)(2 * (first + i) + k);
  }
  if (wrong) __atomic_store_n(&delivered_wrong, 1, __ATOMIC_RELAXED);
}

/* Results in columns, whose numbers floats can hold, as vectors or delivered, each once. */
static void test_given(int single, int32_t grain, int threads) {
  const size_t stride = GIVEN + 13;
  const pipeline pipe = {.name = "given", .n_out = GIVEN_COLUMNS};
  task t = {.pipe = &pipe, .n = GIVEN_FIRST + GIVEN, .run = 1, .grain = grain, .single = single};
  double *memory = reals((int64_t)stride * GIVEN_COLUMNS), *out = reals((int64_t)t.n * GIVEN_COLUMNS);
  int wrong = 0;
  for (int k = 0; k < GIVEN_COLUMNS; k++) {
    t.out[k] = out + (int64_t)k * t.n;
    for (size_t i = 0; i < GIVEN; i++) {
      const double v = (double)(2 * (GIVEN_FIRST + i) + (size_t)k);
      if (single) ((float *)(void *)memory)[(size_t)k * stride + i] = (float)v;
      else memory[(size_t)k * stride + i] = v;
    }
  }
  threads_set(threads);
  deliver_results(&t, GIVEN_FIRST, GIVEN, memory, stride);
  for (int k = 0; k < GIVEN_COLUMNS; k++)
    for (int64_t i = GIVEN_FIRST; i < t.n; i++) wrong += t.out[k][i] != (double)(2 * i + k);
  check(!wrong, "%d results that were given by %d threads are others", wrong, threads);
  t.deliver = take_given;
  t.deliver_to = &grain;
  delivered = calloc(GIVEN, 1);
  delivered_wrong = 0;
  deliver_results(&t, GIVEN_FIRST, GIVEN, memory, stride);
  for (int32_t i = 0; i < GIVEN; i++) wrong += delivered[i] != 1;
  check(!wrong && !delivered_wrong, "grain %d, %d threads: %d points were not delivered once%s", (int)grain, threads,
        wrong, delivered_wrong ? ", or with other values" : "");
  free(delivered);
  free(memory);
  free(out);
}

/* Elements of recycled columns, longer and shorter than what a thread copies at a time. */
static void test_taken(int single, int threads) {
  static const int64_t length[] = {1, 7, 513, 32768, 40000, 100001, 300000};
  const pipeline pipe = {.name = "taken", .n_in = 1};
  double *from = reals(300000), *to = reals(GIVEN);
  for (int64_t i = 0; i < 300000; i++) from[i] = (double)i;
  threads_set(threads);
  for (size_t j = 0; j < sizeof length / sizeof *length; j++) {
    const task t = {.pipe = &pipe, .n = 1, .run = 1, .in = {{from, length[j]}}, .single = single};
    const int64_t first = 12345 * (int64_t)j;
    int wrong = 0;
    if (j % 2) reals_take_in(&t, to, 0, first, GIVEN);
    else reals_take(&t, to, t.in[0], first, GIVEN);
    for (int64_t i = 0; i < GIVEN; i++) {
      const double v = single ? ((const float *)(const void *)to)[i] : to[i];
      wrong += v != (double)((first + i) % length[j]);
    }
    check(!wrong, "%d numbers of a column of %d that %d threads took are others", wrong, (int)length[j], threads);
  }
  free(from);
  free(to);
}

static void test_columns(void) {
  for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5)
    for (int single = 0; single < 2; single++) {
      test_taken(single, threads);
      test_given(single, 16, threads);
      test_given(single, 48, threads);
    }
  threads_set(0);
}

int main(int argc, char **argv) {
  int index[MAX_DEVICES], found, i;
  if (argc < 3) {
    printf("usage: test_engine <kernel folder> <cache folder> [size]\n");
    return 2;
  }
  kernel_folder = argv[1];
  cache_folder = argv[2];
  if (argc > 3) size = atof(argv[3]);
  in_forked_child();
  folders_set(kernel_folder, cache_folder);
  printf("cpu: %s, %d threads\n", cpu_level_name(), threads_available());
  test_device("cpu", (int64_t)(1e5 * size) + 3);
  test_failures();
  test_shares();
  test_limits();
  found = opencl_devices(index);
  if (!found) skip("OpenCL", ocl_trouble());
  for (i = 0; i < found; i++) {
    char device[24];
    strcpy(device, devices_get(index[i])->name);
    printf("%s: %s\n", device, devices_get(index[i])->label);
    if (!done(use(device), device, "use")) continue;
    test_device(device, (int64_t)(2e4 * size) + 3);
    test_split(device, (int64_t)(1e5 * size) + 3);
    test_folder(device);
    test_pieces(device, index[i]);
  }
  test_columns(); /* last: LeakSanitizer stumbles over many threads that were there before a driver's libraries */
  devices_shutdown();
  return summary();
}
