/* quadrature_adaptive.c: breadth-first Gauss-Kronrod quadrature. Each round computes the panels of all integrals that
 * are not done in one launch, then for each integral accepts panels, ends it, or halves what is left: see
 * quadrature_integral.c. A panel is 100 bytes on their way to a GPU and back and 80 ns of the host, and less than a
 * nanosecond of the GPU: the first panels of many integrals are summed up and judged by quad_first, which brings back
 * three numbers of an integral. Those for which they are not enough begin anew. */
#include "quadrature/quadrature_adaptive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/devices.h"
#include "engine/threads.h"
#include "kernels/quadrature/integrand_par.h"
#include "quadrature/quadrature_integral.h"

/* What the host has to do with a panel, on one thread: in the batch of bench/quadrature.R some 80 ns. */
static const double ns_per_panel = 80;
/* The share of integrals that their first panels have to be enough for: to begin anew with the others costs a GPU
 * next to nothing, and the CPU most of what the panels cost. */
static const double enough_on_gpu = 0.1, enough_on_cpu = 0.8;

enum {
  ROWS_AT_ONCE = 16384,         /* integrals that are begun together at most, and where there are GPUs */
  ROWS_OF_GPU = 65536,
  FIRST_ROWS = 512, FIRST_PANELS = 64, /* so many integrals of no more panels are worth a launch of quad_first */
  ROWS_OF_THREAD = 512,         /* the same where only the CPU computes, for each of its threads */
  PANELS_AT_ONCE = 1 << 18,     /* of a launch, unless one integral has more */
  PARAMETERS_AT_ONCE = 1 << 24, /* given and derived */
  SHARES = 4                    /* per thread, so that one that comes late takes less */
};

/* One of the shares that threads take; at: the position of its panels to come among those of all. */
typedef struct {
  integral_work work;
  int64_t at;
  status st;
} thread_share;

typedef struct job job;
typedef status share_work(const job *j, integral_work *w, int64_t from, int64_t to);
struct job {
  integrand *f;
  const quadrature_options *o;
  int64_t n; /* integrals in all */
  call_part whole;
  int m; /* components */
  column lower, upper;
  panel_list now, next;
  double *values;       /* of the panels of a launch: PANEL_RESULTS columns for each component */
  unsigned char *taken; /* panels of a launch that are accepted */
  int64_t values_room;
  integral *row;        /* n_row of them from number `first` on, and m components of each */
  component *part;
  int64_t first, n_row;
  double *known;        /* of quad_first: columns of n_row; then limits */
  int try_first, use_first; /* is it worth trying; what the rows at work have */
  thread_share *shares;
  int most_threads, n_share; /* each an equal part of so many: */
  int64_t n_shared;
  share_work *work;
};

/* ---- shares ---- */

static int work_on_share(void *context, int64_t k, int thread) {
  const job *j = context;
  thread_share *mine = j->shares + k;
  integral_work own = mine->work; /* on the thread's stack, in cache lines of its own */
  (void)thread;
  own.next.n = 0;
  mine->st = j->work(j, &own, j->n_shared * k / j->n_share, j->n_shared * (k + 1) / j->n_share);
  mine->work = own;
  return 1;
}

static int gather_share(void *context, int64_t k, int thread) {
  job *j = context;
  (void)thread;
  panels_put(&j->next, j->shares[k].at, &j->shares[k].work.next, 0);
  return 1;
}

/* Does work with 0 to n - 1 on as many threads as so many panels are worth, the panels to come in next in order,
 * with room for more of them. */
static status share_out(job *j, int64_t n, double panels, int64_t more, share_work *work) {
  status st = STATUS_OK;
  int64_t to_come = 0;
  int threads = threads_for(ns_per_panel * panels);
  if (threads > j->most_threads) threads = j->most_threads; /* R code may run meanwhile, and change the threads */
  j->n_share = threads > 1 ? SHARES * threads : 1;
  j->n_shared = n;
  j->work = work;
  threads_run(threads, j->n_share, work_on_share, j);
  for (int k = 0; k < j->n_share; k++) {
    if (!st) st = j->shares[k].st;
    j->shares[k].at = to_come;
    to_come += j->shares[k].work.next.n;
  }
  if (!st) st = panels_room(&j->next, to_come + more);
  if (st) return st;
  j->next.n = to_come;
  threads_run(threads, j->n_share, gather_share, j);
  return STATUS_OK;
}

static status begin_share(const job *j, integral_work *w, int64_t from, int64_t to) {
  double *known[FIRST_RESULTS];
  status st = STATUS_OK;
  for (int k = 0; k < FIRST_RESULTS && j->use_first; k++) known[k] = j->known + k * j->n_row;
  for (int64_t i = from; i < to && !st; i++) {
    integral *q = j->row + i;
    const int64_t number = j->first + i;
    *q = (integral){.number = number, .row = i, .part = j->part + i * j->m};
    st = integral_begin(w, q, column_at(j->lower, number), column_at(j->upper, number),
                        j->use_first ? known : NULL);
  }
  return st;
}

/* The first panel from i on that is the first of its integral, of n. */
static int64_t start_of_row(const panel_list *a, int64_t i, int64_t n) {
  while (i > 0 && i < n && a->row[i] == a->row[i - 1]) i++;
  return i;
}

static status judge_share(const job *j, integral_work *w, int64_t from, int64_t to) {
  const panel_list *a = &j->now;
  const int64_t n = j->n_shared, last = start_of_row(a, to, n);
  status st = STATUS_OK;
  for (int64_t i = start_of_row(a, from, n), end; i < last && !st; i = end) {
    end = start_of_row(a, i + 1, n);
    const panel_round p = {panels_part(a, i, end - i), j->m, j->values + i, j->values_room, j->taken + i};
    st = integral_judge(w, j->row + (int64_t)a->row[i], &p);
  }
  return st;
}

/* ---- rounds ---- */

/* Panels of the next launch: those of whole integrals, as many as there is room for. */
static int64_t launch_size(const job *j) {
  const panel_list *a = &j->now;
  if (a->n <= PANELS_AT_ONCE) return a->n;
  int64_t n = PANELS_AT_ONCE;
  while (n > 0 && a->row[n] == a->row[n - 1]) n--;
  return n > 0 ? n : start_of_row(a, 1, a->n);
}

/* Where all are equal, as kinds of panels without half-lines are, one number travels to a device. */
static column of_panels(const double *value, int64_t n) {
  int64_t i = 1;
  while (i < n && value[i] == value[0]) i++;
  return (column){value, i < n ? n : 1};
}

static status launch(job *j, int64_t n) {
  const panel_list *a = &j->now;
  const column panels[PANEL_COLUMNS] = {of_panels(a->centre, n), of_panels(a->half, n),  of_panels(a->kind, n),
                                        of_panels(a->anchor, n), of_panels(a->rough, n), of_panels(a->row, n)};
  double *out[PANEL_RESULTS * MAX_OUTPUTS];
  if (n > j->values_room) {
    double *larger = realloc(j->values, (size_t)n * PANEL_RESULTS * (size_t)j->m * sizeof *larger);
    unsigned char *marks = realloc(j->taken, (size_t)n);
    if (larger) j->values = larger;
    if (marks) j->taken = marks;
    if (!larger || !marks) return fail(STATUS_MEMORY, "out of memory for %lld panels", (long long)n);
    j->values_room = n;
  }
  for (int k = 0; k < PANEL_RESULTS * j->m; k++) out[k] = j->values + k * j->values_room;
  return integrand_panels(j->f, n, panels, out);
}

static void swap_lists(job *j) {
  const panel_list swap = j->now;
  j->now = j->next;
  j->next = swap;
}

/* Nobody knows how many rounds an integral takes. */
static void tell_done(const job *j) {
  int64_t done = 0;
  for (int k = 0; k < j->most_threads * SHARES; k++) done += j->shares[k].work.done;
  const double share = j->n > 1 ? (double)done / (double)j->n : NAN;
  backend_set_part(j->whole, share, share);
}

static status run_round(job *j) {
  const int64_t n = launch_size(j), waiting = j->now.n - n;
  status st = launch(j, n);
  if (!st) st = share_out(j, n, (double)n, waiting, judge_share);
  if (!st) panels_put(&j->next, j->next.n, &j->now, n), j->next.n += waiting;
  swap_lists(j);
  tell_done(j);
  return st;
}

/* Limits of the rows at work. */
static column limits_of_rows(const job *j, column of, double *to) {
  if (of.length == 1) return of;
  for (int64_t i = 0; i < j->n_row; i++) to[i] = column_at(of, j->first + i);
  return (column){to, j->n_row};
}

static int is_cpu_alone(void) {
  int index[MAX_DEVICES];
  const int count = devices_in_use(index);
  return count == 0 || (count == 1 && index[0] == 0);
}

/* Nothing but time depends on whether first panels are tried: where they are enough for few of the rows, it is for
 * the last time. A driver for CPUs would take longer to build another kernel than that saves. */
static status try_first(job *j) {
  const first_panels_of by = integral_first(j->o);
  double *out[FIRST_RESULTS];
  int64_t enough = 0;
  j->use_first = j->try_first && j->n_row >= FIRST_ROWS && (backend_fill() > 0 || is_cpu_alone());
  if (!j->use_first) return STATUS_OK;
  double *room = realloc(j->known, (size_t)j->n_row * (FIRST_RESULTS + 2) * sizeof *room);
  if (!room) return fail(STATUS_MEMORY, "out of memory for %lld integrals", (long long)j->n_row);
  j->known = room;
  for (int k = 0; k < FIRST_RESULTS; k++) out[k] = room + k * j->n_row;
  const column lower = limits_of_rows(j, j->lower, room + FIRST_RESULTS * j->n_row);
  const column upper = limits_of_rows(j, j->upper, room + (FIRST_RESULTS + 1) * j->n_row);
  const status st = integrand_first(j->f, j->n_row, lower, upper, &by, out);
  for (int64_t i = 0; i < j->n_row && !st; i++) enough += out[FIRST_COUNT][i] > 0;
  j->try_first = (double)enough >= (backend_fill() > 0 ? enough_on_gpu : enough_on_cpu) * (double)j->n_row;
  return st;
}

static status run_rows(job *j, const double *parameters, int32_t n_parameter) {
  status st = integrand_set_rows(j->f, j->n_row, parameters ? parameters + j->first * n_parameter : NULL,
                                 j->o->shift ? j->o->shift + j->first * j->m : NULL);
  memset(j->row, 0, (size_t)j->n_row * sizeof *j->row);
  if (!st) st = try_first(j);
  if (!st) st = share_out(j, j->n_row, (double)j->n_row * j->o->min_panels, 0, begin_share);
  swap_lists(j);
  while (j->now.n && !st) st = run_round(j);
  for (int64_t i = 0; i < j->n_row; i++) integral_leave(&j->shares[0].work, j->row + i); /* after a failure */
  return st;
}

/* ---- all integrals ---- */

/* As many as there is room for, on the CPU so few that their panels stay in the caches between the kernel and
 * integral_judge(); other devices want long launches. */
static int64_t rows_at_once(const job *j) {
  int64_t rows = 4 * PANELS_AT_ONCE / (2 * (int64_t)j->o->min_panels + j->o->n_break + 1);
  rows = at_most(rows, (backend_fill() > 0 ? ROWS_OF_GPU : ROWS_AT_ONCE) / j->m);
  rows = at_most(rows, PARAMETERS_AT_ONCE / (integrand_row_size(j->f) + 1));
  if (is_cpu_alone()) rows = at_most(rows, (int64_t)ROWS_OF_THREAD * j->most_threads);
  return at_most(rows < 1 ? 1 : rows, j->n);
}

status quadrature_adaptive(const integrand_source *source, int64_t n, const double *parameters, column lower,
                           column upper, const quadrature_options *o, quadrature_result *r) {
  job j = {.o = o, .n = n, .whole = backend_part(), .lower = lower, .upper = upper,
           .most_threads = threads_available()};
  const int n_share = j.most_threads * SHARES;
  workspace *spare = NULL;
  status st = integrand_open(source, &j.f);
  if (st) return st;
  j.m = integrand_n_output(j.f);
  j.try_first = integrand_has_first(j.f) && !o->n_break && !o->shift && o->min_panels <= FIRST_PANELS;
  const int64_t at_once = rows_at_once(&j);
  j.row = calloc((size_t)at_once + 1, sizeof *j.row);
  j.part = calloc((size_t)at_once * (size_t)j.m + 1, sizeof *j.part);
  j.shares = calloc((size_t)n_share, sizeof *j.shares);
  if (!j.row || !j.part || !j.shares) st = fail(STATUS_MEMORY, "%s: out of memory", source->name);
  for (int k = 0; k < n_share && j.shares; k++)
    j.shares[k].work = (integral_work){.o = o, .r = r, .m = j.m, .spare = &spare};
  if (!st) tell_done(&j);
  for (; j.first < n && !st; j.first += j.n_row) {
    j.n_row = at_most(n - j.first, at_once);
    st = run_rows(&j, parameters, source->n_parameter);
  }
  backend_set_part(j.whole, 0, 1);
  integrand_close(j.f);
  for (int k = 0; k < n_share && j.shares; k++) panels_free(&j.shares[k].work.next);
  panels_free(&j.now);
  panels_free(&j.next);
  workspaces_free(spare);
  free(j.shares);
  free(j.known);
  free(j.values);
  free(j.taken);
  free(j.row);
  free(j.part);
  return st;
}
