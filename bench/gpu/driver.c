/* driver.c: replays what prepare.sh has put into a folder, on a device, and writes a table. See README.md.
 *
 *   driver <prepared folder> <folder for results>
 *
 * Every step is a process of its own with a limit of time, so that one that crashes or hangs costs its own results
 * alone: peaks, each program's build, its comparisons, each time, ptxas. A process writes lines to a file in the
 * folder for results (replay.h), of which report.c makes the table when all have ended. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay.h"
#include "report.h"

enum { MOST_JOBS = 256, RETRIES = 8 };

typedef struct {
  char name[128]; /* of its files in the folder for results */
  const char *what[4];
  double limit, began;
  pid_t process;
} job;

static const char *self, *folder, *out;
static job jobs[MOST_JOBS];
static int n_jobs;
static double began, whole_limit = 290;

static void add_job(double limit, const char *name, const char *a, const char *b, const char *c) {
  job *j = jobs + n_jobs++;
  if (n_jobs > MOST_JOBS) abort();
  memset(j, 0, sizeof *j);
  snprintf(j->name, sizeof j->name, "%s", name);
  for (char *at = j->name; *at; at++)
    if (*at == '/' || *at == ' ' || *at == '\'') *at = '_';
  j->what[0] = a;
  j->what[1] = b;
  j->what[2] = c;
  j->limit = limit;
}

static void into(const job *j, const char *ending, int number) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", out, j->name, ending);
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file >= 0) dup2(file, number);
}

static void start(job *j) {
  j->began = seconds_now();
  fflush(NULL);
  j->process = fork();
  if (j->process) return;
  setpgid(0, 0);
  into(j, ".tsv", 1);
  into(j, ".err", 2);
  execl(self, self, folder, out, j->what[0], j->what[1], j->what[2], (char *)NULL);
  _exit(127);
}

/* What has become of it goes to its file, too. */
static void note_end(const job *j, int status, const char *late) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.tsv", out, j->name);
  FILE *f = fopen(path, "a");
  if (!f) return;
  if (late) fprintf(f, "ended\t%s\n", late);
  else if (WIFSIGNALED(status)) fprintf(f, "ended\tsignal %d\n", WTERMSIG(status));
  else if (WEXITSTATUS(status)) fprintf(f, "ended\texit status %d\n", WEXITSTATUS(status));
  else fprintf(f, "done\t%.2f\n", seconds_now() - j->began);
  fclose(f);
}

static void run_jobs(int at_once) {
  const struct timespec nap = {0, 5000000};
  int next = 0, running = 0;
  while (next < n_jobs || running) {
    const double left = began + whole_limit - seconds_now();
    while (next < n_jobs && running < at_once && left > 0) start(jobs + next++), running++;
    for (; next < n_jobs && left <= 0; next++) note_end(jobs + next, 0, "not begun: the time of all was over");
    for (int i = 0; i < next; i++) {
      int status;
      job *j = jobs + i;
      if (j->process <= 0) continue;
      const int over = left <= 0 || seconds_now() - j->began > j->limit;
      if (over) kill(-j->process, SIGKILL), kill(j->process, SIGKILL);
      if (waitpid(j->process, &status, over ? 0 : WNOHANG) != j->process) continue;
      note_end(j, status, over ? "over its time" : NULL);
      j->process = 0;
      running--;
    }
    nanosleep(&nap, NULL);
  }
  n_jobs = 0;
}

/* The number of the last task that a process began to compare, or -1 where it came to an end by itself. */
static int stopped_at(const char *name) {
  size_t bytes;
  char path[256], *text, *at;
  int number = -1;
  snprintf(path, sizeof path, "%.128s.tsv", name);
  text = (char *)file_read(out, path, &bytes);
  at = text;
  while (at && (at = strstr(at, "task\t")) != NULL) number = atoi(at += 5);
  at = text ? strrchr(text, '\n') : NULL;
  while (at > text && at[-1] != '\n') at--;
  if (at && (!strncmp(at, "done", 4) || !strncmp(at, "ended\texit", 10))) number = -1;
  free(text);
  return number;
}

/* After a crash the tasks that follow have a process of their own. */
static void check_all(const program_list *l) {
  static char name[PROGRAMS_AT_MOST][RETRIES][128], from[PROGRAMS_AT_MOST][RETRIES][16];
  int next[PROGRAMS_AT_MOST] = {0};
  for (int again = 0; again < RETRIES; again++) {
    for (int i = 0; i < l->n; i++) {
      if (next[i] < 0) continue;
      snprintf(name[i][again], sizeof name[i][again], "check-%d-%s", again, strrchr(l->file[i], '/') + 1);
      snprintf(from[i][again], sizeof from[i][again], "%d", next[i]);
      add_job(again ? 30 : 100, name[i][again], "--check", l->file[i], from[i][again]);
    }
    if (!n_jobs) return;
    run_jobs(1);
    for (int i = 0; i < l->n; i++)
      if (next[i] >= 0) {
        const int last = stopped_at(name[i][again]);
        next[i] = last < 0 ? -1 : last + 1;
      }
  }
}

static void time_all(const prepared *p) {
  static char number[MOST_JOBS][16];
  for (int i = 0, k = 0; i < p->tasks; i++) {
    char name[128];
    if (!strcmp(p->task[i].label, "-")) continue;
    snprintf(number[k], sizeof number[k], "%d", i);
    snprintf(name, sizeof name, "time-%d", i);
    add_job(40, name, "--time", number[k++], NULL);
  }
  run_jobs(1);
}

/* Binaries of NVIDIA's compiler are PTX. */
static void ptxas_all(const program_list *l) {
  static const char *const places[] = {"ptxas", "/usr/local/cuda/bin/ptxas", "/opt/cuda/bin/ptxas", NULL};
  static const char *found = NULL;
  for (int i = 0; places[i] && !found; i++) {
    char command[256];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", places[i]);
    if (!system(command)) found = places[i];
  }
  for (int i = 0; i < l->n && found; i++) add_job(60, strrchr(l->file[i], '/') + 1, "--ptxas", l->file[i], found);
  run_jobs((int)sysconf(_SC_NPROCESSORS_ONLN));
}

static int ptxas(const char *program, const char *with) {
  char path[512], target[32] = "", *arguments[] = {(char *)with, "-v", target, path, "-o", "/dev/null", NULL};
  const char *name = strrchr(program, '/') + 1;
  size_t bytes;
  snprintf(path, sizeof path, "%s/%.*s.bin", out, (int)(strlen(name) - 3), name);
  const char *text = (const char *)file_read(".", path, &bytes), *at = text ? strstr(text, ".target sm_") : NULL;
  if (!at) return 0; /* of another compiler */
  snprintf(target, sizeof target, "-arch=%.*s", (int)strcspn(at + 8, ", \n\r"), at + 8);
  execvp(with, arguments); /* what it says goes to the .err file */
  return 127;
}

static int child(int argc, char **argv) {
  const char *what = argv[3], *a = argc > 4 ? argv[4] : "", *b = argc > 5 ? argv[5] : "0";
  device d;
  prepared p;
  if (!strcmp(what, "--ptxas")) return ptxas(a, b);
  if (!device_find(&d, getenv("DEVICE") ? atoi(getenv("DEVICE")) : 0) || !device_open(&d)) {
    printf("failed\tno OpenCL device with double precision was found\n");
    return 3;
  }
  printf("device\tname\t%s\ndevice\tdriver\t%s\ndevice\tlibrary\t%s\n", d.name, d.driver, d.library);
  fflush(stdout);
  if (!strcmp(what, "--device")) timing_device(&d);
  else if (!strcmp(what, "--build")) replay_build(&d, folder, out, a);
  else if (!tasks_read(folder, &p)) return 4;
  else if (!strcmp(what, "--check")) replay_check(&d, &p, folder, out, a, atoi(b));
  else if (!strcmp(what, "--time")) timing_task(&d, &p, folder, out, atoi(a), atoi(b));
  else return 2;
  fflush(stdout);
  return 0;
}

int main(int argc, char **argv) {
  prepared p;
  program_list l;
  if (argc < 3) {
    fprintf(stderr, "usage: %s <prepared folder> <folder for results>\n", argv[0]);
    return 2;
  }
  self = argv[0];
  folder = argv[1];
  out = argv[2];
  if (argc > 3) {
    const int status = child(argc, argv);
    fflush(stdout);
    _exit(status); /* drivers' own threads may hang at a usual end */
  }
  began = seconds_now();
  if (getenv("LIMIT")) whole_limit = atof(getenv("LIMIT"));
  mkdir(out, 0777);
  if (!tasks_read(folder, &p)) {
    fprintf(stderr, "%s is no prepared folder\n", folder);
    return 2;
  }
  list_programs(&p, &l);
  add_job(30, "device", "--device", NULL, NULL);
  run_jobs(1);
  for (int i = 0; i < l.n; i++) add_job(150, l.file[i], "--build", l.file[i], NULL);
  run_jobs((int)sysconf(_SC_NPROCESSORS_ONLN));
  check_all(&l);
  time_all(&p);
  ptxas_all(&l);
  return report(folder, out, &p, seconds_now() - began);
}
