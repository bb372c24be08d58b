/* report.c: see report.h. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int wanted, launched, failed; /* is in a recorded task; compared; a process ended at it */
  int64_t values, wrong, private_bytes;
  double worst;
  int registers, spilled; /* -1: nobody has said; bytes of the stack and of spills */
} kernel_row;

enum { NOTES = 200, PARTS = 12 };
typedef struct {
  char kernel[64];
  double seconds, operations; /* of a result */
} part;
typedef struct {
  int done, skipped;
  double results, kernels, all, bytes, operations;
  part part[PARTS];
} time_row;

static kernel_row rows[KERNEL_COUNT][2];
static time_row *times;
static struct {
  char name[200], driver[200], library[200];
  double units, memory, exact, flops, bandwidth, to, from;
} card;
static char notes[NOTES][300];
static int n_notes;
static const prepared *all;

void list_programs(const prepared *p, program_list *l) {
  l->n = 0;
  for (int i = 0; i < p->tasks; i++)
    for (int k = 0; k < p->task[i].steps; k++) {
      int at = 0;
      while (at < l->n && strcmp(l->file[at], p->task[i].step[k].program)) at++;
      if (at == PROGRAMS_AT_MOST) abort();
      if (at == l->n) l->file[l->n++] = p->task[i].step[k].program;
    }
}

static kernel_row *row_of(const char *kernel, int single) {
  const kernel_line *line = kernel_named(kernel);
  return line ? &rows[line - kernel_lines][single != 0] : NULL;
}

/* What a kernel has to bring: all it wrote is what it writes on the CPU, which is nothing for some that one lane has
 * no points for. In float that needs a device which divides and takes roots with correct rounding; others are not
 * judged. */
static int is_right(const kernel_row *r, int single) {
  return r->launched && !r->failed && (r->wrong == 0 || (single && !card.exact));
}

/* ---- lines of processes ---- */

static time_row *time_of(const char *label) {
  for (int i = 0; i < all->tasks; i++)
    if (!strcmp(all->task[i].label, label)) return times + i;
  return NULL;
}

/* Where figures of a kernel in it are, or NULL. */
static part *part_of(time_row *t, const char *kernel) {
  for (part *s = t->part; s < t->part + PARTS; s++) {
    if (!s->kernel[0]) snprintf(s->kernel, sizeof s->kernel, "%s", kernel);
    if (!strcmp(s->kernel, kernel)) return s;
  }
  return NULL;
}

static void read_device(const char *what, const char *value) {
  const struct { const char *name; double *to; } numbers[] = {
      {"units", &card.units}, {"memory", &card.memory}, {"exact.single", &card.exact},
      {"flops", &card.flops}, {"bandwidth", &card.bandwidth}, {"to", &card.to}, {"from", &card.from}};
  if (!strcmp(what, "name")) snprintf(card.name, sizeof card.name, "%s", value);
  if (!strcmp(what, "driver")) snprintf(card.driver, sizeof card.driver, "%s", value);
  if (!strcmp(what, "library")) snprintf(card.library, sizeof card.library, "%s", value);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!strcmp(what, numbers[i].name)) *numbers[i].to = atof(value);
}

static void read_kernel(char **f, int fields) {
  kernel_row *r = fields > 2 ? row_of(f[1], atoi(f[2])) : NULL;
  if (!r) return;
  if (!strcmp(f[0], "kernel") && fields > 4 && atoll(f[3]) > r->private_bytes) r->private_bytes = atoll(f[3]);
  if (!strcmp(f[0], "check") && fields > 5) {
    r->launched++;
    r->values += atoll(f[3]);
    r->wrong += atoll(f[4]);
    if (atof(f[5]) > r->worst) r->worst = atof(f[5]);
  }
}

/* The step at which a process ended is lost, with all that its task had still to show. */
static void note(const char *file, int number, const char *why) {
  snprintf(notes[n_notes < NOTES ? n_notes++ : NOTES - 1], sizeof *notes, "%.120s: %.150s", file, why);
  if (number < 0 || number >= all->tasks || strncmp(file, "check", 5)) return;
  for (int i = 0; i < all->task[number].steps; i++)
    row_of(all->task[number].step[i].line->name, all->task[number].single)->failed = 1;
}

static void read_result(const char *name, char *text) {
  int number = -1;
  for (char *line = text, *end; *line; line = end) {
    char *f[8], *at = line;
    int fields = 0;
    end = strchr(line, '\n');
    if (!end) return; /* cut off */
    *end++ = '\0';
    while (fields < 8 && at) {
      f[fields++] = at;
      at = strchr(at, '\t');
      if (at) *at++ = '\0';
    }
    time_row *t = fields > 1 ? time_of(f[1]) : NULL;
    if (fields > 2 && !strcmp(f[0], "device")) read_device(f[1], f[2]);
    else if (!strcmp(f[0], "kernel") || !strcmp(f[0], "check")) read_kernel(f, fields);
    else if (fields > 1 && !strcmp(f[0], "task")) number = atoi(f[1]);
    else if (t && !strcmp(f[0], "skip")) t->skipped = 1;
    else if (t && fields > 5 && !strcmp(f[0], "time"))
      t->done = 1, t->results = atof(f[2]), t->kernels = atof(f[3]), t->all = atof(f[4]), t->bytes = atof(f[5]);
    else if (t && fields > 3 && !strcmp(f[0], "step") && part_of(t, f[2])) part_of(t, f[2])->seconds = atof(f[3]);
    else if (fields > 1 && (!strcmp(f[0], "ended") || !strcmp(f[0], "failed")) && strcmp(f[1], "exit status 3"))
      note(name, number, f[1]); /* status 3: after a line that says why */
  }
}

/* What NVIDIA's compiler says of kernels, in a build's log or as ptxas. */
static void read_compiler(int single, char *text) {
  kernel_row *r = NULL;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    char name[96];
    int a, b, c;
    const char *at;
    if ((at = strstr(line, "Compiling entry function '")) && sscanf(at + 26, "%95[^']", name) == 1)
      r = row_of(name, single);
    if ((at = strstr(line, "Function properties for ")) && sscanf(at + 24, "%95s", name) == 1 && row_of(name, single))
      r = row_of(name, single);
    if (r && sscanf(line, " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads", &a, &b, &c) == 3 &&
        a + b + c > r->spilled)
      r->spilled = a + b + c;
    if (r && (at = strstr(line, "Used ")) && sscanf(at, "Used %d registers", &a) == 1 && a > r->registers)
      r->registers = a;
  }
}

/* Operations of a result, as operations.sh has counted them: label, kernel, number. */
static void read_operations(char *text) {
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    char *kernel = strchr(line, '\t'), *number = kernel ? strchr(kernel + 1, '\t') : NULL;
    if (!number) continue;
    *kernel = '\0';
    *number++ = '\0';
    time_row *t = time_of(line);
    if (!t) continue;
    t->operations += atof(number);
    if (part_of(t, kernel + 1)) part_of(t, kernel + 1)->operations = atof(number);
  }
}

static void read_all(const char *folder, const char *out) {
  size_t bytes;
  DIR *d = opendir(out);
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    const char *ending = strrchr(e->d_name, '.');
    if (!ending || (strcmp(ending, ".tsv") && strcmp(ending, ".log") && strcmp(ending, ".err"))) continue;
    char *text = (char *)file_read(out, e->d_name, &bytes);
    if (text && !strcmp(ending, ".tsv")) read_result(e->d_name, text);
    else if (text) read_compiler(strstr(e->d_name, "-single-") != NULL, text);
    free(text);
  }
  if (d) closedir(d);
  char *text = (char *)file_read(folder, "operations.tsv", &bytes);
  if (text) read_operations(text);
  free(text);
}

/* ---- what is written ---- */

static void write_head(FILE *f, double seconds) {
  fprintf(f, "%s, driver %s, by %s\n", card.name, card.driver, card.library);
  fprintf(f, "%.0f units, %.1f GB; measured: %.1f GFLOP/s in double precision, %.1f GB/s copied, %.1f GB/s to it, "
             "%.1f GB/s from it\n%.0f s in all\n\n", card.units, 1e-9 * card.memory, 1e-9 * card.flops,
          1e-9 * card.bandwidth, 1e-9 * card.to, 1e-9 * card.from, seconds);
}

/* In percent of a peak, or that this was not measured. */
static const char *share(double rate, double peak) {
  static char text[8][16];
  static int next;
  char *to = text[next++ % 8];
  if (peak > 0) snprintf(to, sizeof text[0], "%.1f%%", 100 * rate / peak);
  else snprintf(to, sizeof text[0], "-");
  return to;
}

/* Of the kernels of a pipeline those that take a twentieth of the time. */
static void write_parts(FILE *f, const time_row *t) {
  for (const part *s = t->part; s < t->part + PARTS; s++) {
    const double rate = t->results * s->operations / s->seconds;
    if (s->seconds < 0.05 * t->kernels || s->seconds > 0.999 * t->kernels) continue;
    fprintf(f, "  %-36s %10s %10.4g", s->kernel, "", 1e9 * s->seconds / t->results);
    if (s->operations > 0) fprintf(f, " %10s %10s %9.4g %6s", "", "", 1e-9 * rate, share(rate, card.flops));
    fprintf(f, "\n");
  }
}

static void write_times(FILE *f) {
  fprintf(f, "%-38s %10s %10s %10s %10s %9s %6s %8s %6s\n", "what", "results", "ns/result", "M/s", "M/s with",
          "GFLOP/s", "of", "GB/s", "of");
  fprintf(f, "%-38s %10s %10s %10s %10s %9s %6s %8s %6s\n", "", "", "kernels", "kernels", "transfers", "", "peak", "",
          "copy");
  for (int i = 0; i < all->tasks; i++) {
    const time_row *t = times + i;
    if (!strcmp(all->task[i].label, "-") || t->skipped) continue;
    if (!t->done) {
      fprintf(f, "%-38s NOT MEASURED\n", all->task[i].label);
      continue;
    }
    const double rate = t->results * t->operations / t->kernels;
    fprintf(f, "%-38s %10.0f %10.4g %10.4g %10.4g %9.4g %6s %8.4g %6s\n", all->task[i].label, t->results,
            1e9 * t->kernels / t->results, 1e-6 * t->results / t->kernels, 1e-6 * t->results / t->all, 1e-9 * rate,
            share(rate, card.flops), 1e-9 * t->bytes / t->kernels, share(t->bytes / t->kernels, card.bandwidth));
    write_parts(f, t);
  }
}

static const char *state_of(const kernel_row *r, int single) {
  if (r->failed) return "FAILED: a process ended here";
  if (!r->launched) return "NOT CHECKED";
  if (!r->wrong) return r->values ? "as on the CPU" : "as on the CPU, without points";
  return is_right(r, single) ? "not judged: float here is not rounded correctly" : "WRONG";
}

static void write_kernels(FILE *f) {
  fprintf(f, "\n%-30s %-6s %9s %7s %8s %8s %9s %8s\n", "kernel", "", "values", "wrong", "ulp", "private", "registers",
          "spilled");
  for (int single = 0; single < 2; single++)
    for (int i = 0; i < KERNEL_COUNT; i++) {
      const kernel_row *r = &rows[i][single];
      if (!r->wanted) continue;
      fprintf(f, "%-30s %-6s %9" PRId64 " %7" PRId64 " %8.3g %8" PRId64, kernel_lines[i].name,
              single ? "float" : "double", r->values, r->wrong, r->worst, r->private_bytes);
      if (r->registers >= 0) fprintf(f, " %9d %8d", r->registers, r->spilled);
      else fprintf(f, " %9s %8s", "-", "-");
      fprintf(f, "  %s\n", state_of(r, single));
    }
}

/* The last lines of the table; 1 where something is wrong. */
static int write_end(FILE *f) {
  int failed = 0, labels = 0, measured = 0;
  for (int single = 0; single < 2; single++) {
    int wanted = 0, right = 0;
    int64_t values = 0, wrong = 0;
    for (int i = 0; i < KERNEL_COUNT; i++) {
      const kernel_row *r = &rows[i][single];
      wanted += r->wanted;
      right += r->wanted && is_right(r, single);
      values += r->values;
      wrong += r->wrong;
    }
    fprintf(f, "%s%d of %d kernels in %s precision: %" PRId64 " values compared, %" PRId64 " wrong\n",
            single ? "" : "\n", right, wanted, single ? "single" : "double", values, wrong);
    failed |= right < wanted;
  }
  for (int i = 0; i < all->tasks; i++) {
    const int timed = strcmp(all->task[i].label, "-") && !times[i].skipped;
    labels += timed;
    measured += timed && times[i].done && times[i].operations > 0;
  }
  fprintf(f, "%d of %d families measured\n", measured, labels);
  for (int i = 0; i < n_notes; i++) fprintf(f, "%s\n", notes[i]);
  return failed || measured < labels;
}

static void write_json(FILE *f, double seconds) {
  const char *comma = "";
  fprintf(f, "{\"device\": {\"name\": \"%s\", \"driver\": \"%s\", \"library\": \"%s\", \"units\": %.0f,\n"
             "  \"memory\": %.0f, \"flops\": %.6g, \"bandwidth\": %.6g, \"to\": %.6g, \"from\": %.6g},\n", card.name,
          card.driver, card.library, card.units, card.memory, card.flops, card.bandwidth, card.to, card.from);
  fprintf(f, "\"seconds\": %.1f,\n\"times\": [", seconds);
  for (int i = 0; i < all->tasks; i++) {
    const time_row *t = times + i;
    if (!t->done) continue;
    fprintf(f, "%s\n  {\"what\": \"%s\", \"results\": %.0f, \"seconds\": %.6g, \"with_transfers\": %.6g, "
               "\"operations\": %.6g, \"bytes\": %.6g}", comma, all->task[i].label, t->results, t->kernels, t->all,
            t->operations * t->results, t->bytes);
    comma = ",";
  }
  comma = "";
  fprintf(f, "],\n\"kernels\": [");
  for (int i = 0; i < 2 * KERNEL_COUNT; i++) {
    const int single = i >= KERNEL_COUNT;
    const kernel_row *r = &rows[i % KERNEL_COUNT][single];
    if (!r->wanted) continue;
    fprintf(f, "%s\n  {\"kernel\": \"%s\", \"single\": %d, \"values\": %" PRId64 ", \"wrong\": %" PRId64
               ", \"ulp\": %.17g, \"private\": %" PRId64 ", \"registers\": %d, \"spilled\": %d, \"right\": %d}",
            comma, kernel_lines[i % KERNEL_COUNT].name, single, r->values, r->wrong, r->worst, r->private_bytes,
            r->registers, r->spilled, is_right(r, single));
    comma = ",";
  }
  comma = "";
  fprintf(f, "],\n\"notes\": [");
  for (int i = 0; i < n_notes; i++) fprintf(f, "%s\"%s\"", comma, notes[i]), comma = ", ";
  fprintf(f, "]}\n");
}

/* Rows of bench/figures.csv: results per second with transfers. */
static void write_figures(FILE *f) {
  for (int i = 0; i < all->tasks; i++)
    if (times[i].done)
      fprintf(f, "\"GPU: %s\",\"results\",\"statcl\",%.3g,NA,\"%s, driver %s\"\n", all->task[i].label,
              times[i].results / times[i].all, card.name, card.driver);
}

static FILE *file_in(const char *out, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", out, name);
  FILE *f = fopen(path, "w");
  if (!f) perror(path), exit(3);
  return f;
}

int report(const char *folder, const char *out, const prepared *p, double seconds) {
  all = p;
  times = calloc((size_t)p->tasks, sizeof *times);
  if (!times) abort();
  for (int i = 0; i < KERNEL_COUNT; i++) {
    rows[i][0].wanted = !getenv("ONLY"); /* all that there are */
    rows[i][0].registers = rows[i][1].registers = -1;
  }
  for (int i = 0; i < p->tasks; i++)
    for (int k = 0; k < p->task[i].steps; k++)
      row_of(p->task[i].step[k].line->name, p->task[i].single)->wanted = 1;
  read_all(folder, out);
  FILE *f = file_in(out, "table.txt");
  write_head(f, seconds);
  write_times(f);
  write_kernels(f);
  const int failed = write_end(f);
  fclose(f);
  f = file_in(out, "results.json");
  write_json(f, seconds);
  fclose(f);
  f = file_in(out, "figures.csv");
  write_figures(f);
  fclose(f);
  size_t bytes;
  char *table = (char *)file_read(out, "table.txt", &bytes);
  if (table) fputs(table, stdout);
  free(table);
  free(times);
  return failed;
}
