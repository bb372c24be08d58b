/* cpu.c: the built-in CPU backend. A chunk is cut into pieces of some hundred points; a thread takes a piece
 * through all steps of the pipeline in its own buffers, which stay in its L2 cache. What a point gets does not depend
 * on the piece it is in: kernels treat lanes past the end as copies of the last point, or as nobody's. */
#include "engine/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "engine/checked.h"
#include "engine/profile.h"
#include "engine/threads.h"

enum { PIECE = 512, LINE = 64 };

/* The buffers of one thread; cap points and sets. */
typedef struct {
  void *set_in, *in, *out, *set_work, *work; /* numbers in the task's precision */
  int32_t *list;
  int64_t set; /* the one set that set_work was made for, or -1 */
  double seconds[MAX_STEPS];
} workspace;

struct cpu_team {
  const task *t;
  int level;
  int threads;
  int32_t cap;
  uint32_t shared;
  const void *par, *kept;
  void *memory, *own_par, *own_kept;
  workspace *space;
};

/* Measured over nominal nanoseconds per point and thread, from earlier chunks. A chunk that waited for other programs
 * says nothing: no processor is that slow. */
static double slowness = 1;
static const double slowest = 32;

static int processor_has(const char *name) {
#if STATCL_X86_LEVELS
  __builtin_cpu_init();
  if (!strcmp(name, "avx512"))
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (!strcmp(name, "avx2")) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return !strcmp(name, "baseline");
}

#define LEVEL_LINE(level, of) #level,
static const char *const levels[] = {CPU_LEVELS(LEVEL_LINE, ) NULL};
#undef LEVEL_LINE

const char *cpu_level_built(int i) { return levels[i]; }

/* The one that STATCL_CPU names, or the best; where there is none, that after the last. */
static int choose_level(void) {
  const char *forced = getenv("STATCL_CPU");
  int best = -1, i = 0;
  for (; levels[i]; i++) {
    if (!processor_has(levels[i])) continue;
    if (best < 0) best = i;
    if (forced && !strcmp(forced, levels[i])) return i;
  }
  return best < 0 ? i : best;
}

static int level_in_use(void) {
  static int level = -1;
  if (level < 0) level = choose_level();
  return level;
}

const char *cpu_level_name(void) { return levels[level_in_use()]; }

cpu_group_function *cpu_group_kernel(const kernel_description *k) { return k->cpu[level_in_use()].group; }

cpu_kernel_function *cpu_kernel_of(const kernel_description *k) { return k->cpu[level_in_use()].run[0]; }

static size_t in_lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

static void *carve(char **at, size_t bytes) {
  void *here = *at;
  *at += in_lines(bytes);
  return here;
}

/* Constants as kernels read them, in memory of their own where these are floats; 0 if memory is short. */
static int prepare_constants(const task *t, const double *from, int32_t n, const void **to, void **own) {
  const column all = {from, n};
  *to = from;
  if (!t->single || !n) return 1;
  *to = *own = malloc((size_t)n * real_bytes(t));
  if (*own) reals_take(t, *own, all, 0, n);
  return *own != NULL;
}

static int prepare_par(cpu_team *team) {
  const task *t = team->t;
  return prepare_constants(t, t->par, t->n_par, &team->par, &team->own_par) &&
         (!t->kept || prepare_constants(t, t->kept->data, t->kept->n, &team->kept, &team->own_kept));
}

status cpu_open(const task *t, cpu_team **made) {
  const pipeline *p = t->pipe;
  cpu_team *team = calloc(1, sizeof *team);
  const int32_t piece = t->piece ? t->piece : PIECE;
  *made = NULL;
  if (!team) return fail(STATUS_MEMORY, "out of memory while starting %s", p->name);
  team->t = t;
  team->level = level_in_use();
  team->shared = shared_columns(t);
  team->threads = threads_for((double)t->n * task_cost(t) * slowness);
  const int lanes = t->grain > CPU_LANES ? t->grain : CPU_LANES;
  /* Several pieces per thread, so that the last one to finish is not long alone. */
  team->cap = t->n / (4 * team->threads) < piece ? (int32_t)(t->n / (4 * team->threads)) : piece;
  if (team->threads == 1 && t->n < piece) team->cap = (int32_t)t->n;
  team->cap = (team->cap + lanes - 1) / lanes * lanes;
  if (team->cap < lanes) team->cap = lanes;
  const size_t column = in_lines((size_t)team->cap * real_bytes(t));
  const size_t list = in_lines((MAX_LISTS + (size_t)team->cap * (size_t)p->n_list) * sizeof(int32_t));
  const int columns = p->n_set_in + p->n_in + p->n_out + p->n_set_work + p->n_work + t->n_interpreter;
  const size_t each = column * (size_t)columns + list;
  team->space = calloc((size_t)team->threads, sizeof *team->space);
  team->memory = malloc(each * (size_t)team->threads + LINE);
  if (!team->space || !team->memory || !prepare_par(team)) {
    cpu_close(team);
    return fail(STATUS_MEMORY, "out of memory while starting %s", p->name);
  }
  for (int i = 0; i < team->threads; i++) {
    char *at = (char *)team->memory + (LINE - (uintptr_t)team->memory % LINE) + each * (size_t)i;
    workspace *w = team->space + i;
    w->set = -1;
    w->set_in = carve(&at, column * (size_t)p->n_set_in);
    w->in = carve(&at, column * (size_t)p->n_in);
    w->out = carve(&at, column * (size_t)p->n_out);
    w->set_work = carve(&at, column * (size_t)p->n_set_work);
    w->work = carve(&at, column * (size_t)(p->n_work + t->n_interpreter));
    w->list = carve(&at, list);
  }
  *made = team;
  return STATUS_OK;
}

void cpu_close(cpu_team *team) {
  if (!team) return;
  free(team->memory);
  free(team->own_par);
  free(team->own_kept);
  free(team->space);
  free(team);
}

static void *column_in(const cpu_team *team, void *columns, int k) {
  return real_at(team->t, columns, (size_t)k * (size_t)team->cap);
}

/* Kernels read whole blocks: lanes beyond the last value are zero, lest they branch on what nothing wrote. */
static void pad(const cpu_team *team, void *column, int32_t n) {
  const int32_t lanes = CPU_LANES, rest = (lanes - n % lanes) % lanes;
  memset(real_at(team->t, column, (size_t)n), 0, (size_t)rest * real_bytes(team->t));
}

static void load(const cpu_team *team, const chunk *c, workspace *w, int reuse_set) {
  const task *t = team->t;
  for (int k = 0; k < t->pipe->n_set_in && !reuse_set; k++) {
    void *to = column_in(team, w->set_in, k);
    reals_take(t, to, t->set_in[k], c->first_set, c->n_sets);
    pad(team, to, c->n_sets);
  }
  for (int k = 0; k < t->pipe->n_in; k++) {
    if (!t->in[k].data) continue;
    void *to = column_in(team, w->in, k);
    const int32_t n = team->shared >> k & 1u ? 1 : c->n;
    reals_take_in(t, to, k, c->first, n);
    pad(team, to, n);
  }
  memset(w->list, 0, MAX_LISTS * sizeof *w->list);
}

/* Points of the longest list: no kernel of a list has more, and none adds to the one that it takes. */
static int32_t longest_list(const pipeline *p, const int32_t *list) {
  int32_t most = 0;
  for (int r = 0; r < p->n_list; r++) most = list[r] > most ? list[r] : most;
  return most;
}

static void run_piece(const cpu_team *team, int64_t first, int32_t n, workspace *w) {
  const task *t = team->t;
  const pipeline *p = t->pipe;
  const chunk c = chunk_of(t, first, n);
  const int timed = profile_on();
  /* set_work depends on the set alone, so a thread that stays within one set prepares it once. */
  const int reuse_set = c.n_sets == 1 && w->set == c.first_set;
  const int32_t lanes = CPU_LANES;
  load(team, &c, w, reuse_set);
  checked_begin(t, &c, team->cap, w->out, reuse_set ? NULL : w->set_work, w->work, w->list);
  for (int s = 0; p->step[s]; s++) {
    const kernel_description *k = p->step[s];
    const enum domain over = k->domain;
    const int32_t count = over == SETS ? c.n_sets : over == LIST ? longest_list(p, w->list) : n;
    const int32_t blocks = (count + lanes - 1) / lanes;
    const double start = timed ? clock_seconds() : 0;
    cpu_kernel_function *const run = k->cpu[team->level].run[t->single];
    void *const out = p->fills && s == 0 ? w->in : w->out;
    if (over == SETS && reuse_set) continue;
    checked_step(k);
    for (int32_t b = 0; b < blocks; b++)
      run(b, n, team->cap, c.n_sets, team->cap, c.run, c.phase, t->origin + first, team->shared, w->set_in, w->in,
          out, w->set_work, w->work, w->list, team->par, team->kept,
          t->kept ? t->kept->whole : NULL);
    if (timed) w->seconds[s] += clock_seconds() - start;
  }
  checked_end();
  w->set = c.n_sets == 1 ? c.first_set : -1;
  deliver_results(t, first, n, w->out, (size_t)team->cap);
}

typedef struct {
  cpu_team *team;
  int64_t first, n;
  double deadline;
} stretch;

static int work_on_piece(void *context, int64_t piece, int thread) {
  const stretch *s = context;
  const int64_t cap = s->team->cap, at = piece * cap;
  run_piece(s->team, s->first + at, (int32_t)(s->n - at < cap ? s->n - at : cap), s->team->space + thread);
  return clock_seconds() < s->deadline;
}

/* Pieces are taken in order until time is up, and those that were are done, so that there are no holes. */
static int64_t run_pieces(cpu_team *team, int64_t first, int64_t n, double deadline) {
  stretch s = {team, first, n, deadline};
  const int64_t pieces = (n + team->cap - 1) / team->cap;
  const int64_t done = threads_run(team->threads, pieces, work_on_piece, &s);
  return done < pieces ? done * team->cap : n;
}

/* Time in a step, as if the threads had shared it evenly. */
static void report_times(cpu_team *team, int64_t n) {
  for (int s = 0; team->t->pipe->step[s]; s++) {
    double sum = 0;
    for (int i = 0; i < team->threads; i++) {
      sum += team->space[i].seconds[s];
      team->space[i].seconds[s] = 0;
    }
    profile_add("cpu", team->t->pipe->step[s]->name, "kernel", n, 0, sum / team->threads);
  }
}

int64_t cpu_run(cpu_team *team, int64_t first, int64_t n, double seconds) {
  const double start = clock_seconds();
  const int64_t done = run_pieces(team, first, n, start + seconds);
  const double took = clock_seconds() - start;
  if (took > 1e-3) {
    slowness = took / (1e-9 * (double)done * task_cost(team->t) / team->threads);
    if (slowness > slowest) slowness = slowest;
  }
  if (profile_on()) report_times(team, done);
  return done;
}

int64_t cpu_chunk_size(const cpu_team *team, double seconds) {
  double points = 1e9 * seconds * team->threads / (task_cost(team->t) * slowness);
  double least = (double)team->cap * team->threads;
  return points < least ? (int64_t)least : points > 1e15 ? (int64_t)1e15 : (int64_t)points;
}
