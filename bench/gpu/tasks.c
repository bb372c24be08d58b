/* tasks.c: see tasks.h. */
#include "tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int buffer_at(const step *s, int argument) {
  return argument < s->arguments && s->size[argument] == 0 ? (int)s->value[argument] : -1;
}

unsigned char *file_read(const char *folder, const char *name, size_t *bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "rb");
  unsigned char *data = NULL;
  long size;
  if (!f) return NULL;
  if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET) &&
      (data = malloc((size_t)size + 1)) != NULL) {
    *bytes = fread(data, 1, (size_t)size, f);
    data[*bytes] = '\0';
  }
  fclose(f);
  return data;
}

/* Room for one more, in powers of two. */
static void *grown(void *array, int n, size_t each) {
  if (n & (n - 1)) return array;
  void *larger = realloc(array, (n ? 2 * (size_t)n : 1) * each);
  if (!larger) abort();
  return larger;
}

static int read_step(char *line, step *s) {
  char kernel[64];
  int at = 0, used;
  memset(s, 0, sizeof *s);
  if (sscanf(line, "step %95s %63s %zu %zu%n", s->program, kernel, &s->groups, &s->first, &at) != 4) return 0;
  s->line = kernel_named(kernel);
  for (line += at; s->arguments < MOST_ARGUMENTS; line += used, s->arguments++) {
    const int i = s->arguments;
    if (sscanf(line, " b%" SCNd64 "%n", &s->value[i], &used) == 1) continue;
    if (sscanf(line, " %d:%" SCNd64 "%n", &s->size[i], &s->value[i], &used) != 2) break;
  }
  return s->line != NULL;
}

static int read_piece(const char *line, const char *kind, piece *p) {
  return !strncmp(line, kind, strlen(kind)) &&
         sscanf(line + strlen(kind), " %d %zu %zu %ld", &p->buffer, &p->offset, &p->bytes, &p->at) == 4 &&
         p->buffer >= 0 && p->buffer < TASK_BUFFERS;
}

static void set_length(prepared *p, const char *line) {
  int64_t total, results;
  char label[96];
  if (sscanf(line, "length %" SCNd64 " %" SCNd64 " %95[^\n]", &total, &results, label) != 3) return;
  for (int i = 0; i < p->tasks; i++)
    if (!strcmp(p->task[i].label, label)) {
      p->task[i].total = total;
      p->task[i].results = results ? results : total;
    }
}

static int read_line(prepared *p, char *line) {
  task *t = p->task ? p->task + p->tasks - 1 : NULL;
  step *s = t && t->steps ? t->step + t->steps - 1 : NULL;
  piece piece_read;
  int number;
  size_t bytes;
  if (!strncmp(line, "task ", 5)) {
    p->task = grown(p->task, p->tasks, sizeof *p->task);
    t = p->task + p->tasks++;
    memset(t, 0, sizeof *t);
    return sscanf(line, "task %d %d %95[^\n]", &t->single, &t->complete, t->label) == 3;
  }
  if (!t) return 0;
  if (!strncmp(line, "length ", 7)) set_length(p, line);
  else if (!strncmp(line, "step ", 5)) {
    t->step = grown(t->step, t->steps, sizeof *t->step);
    return read_step(line, t->step + t->steps++);
  } else if (read_piece(line, "fill", &piece_read)) {
    t->fill = grown(t->fill, t->fills, sizeof *t->fill);
    t->fill[t->fills++] = piece_read;
  } else if (s && read_piece(line, "change", &piece_read)) {
    s->change = grown(s->change, s->changes, sizeof *s->change);
    s->change[s->changes++] = piece_read;
  } else if (sscanf(line, "extent %d %zu", &number, &bytes) == 2 && number >= 0 && number < TASK_BUFFERS) {
    t->extent[number] = bytes;
    if (number >= t->buffers) t->buffers = number + 1;
  } else return !strncmp(line, "end", 3);
  return 1;
}

int tasks_read(const char *folder, prepared *p) {
  size_t bytes;
  char *text = (char *)file_read(folder, "tasks.txt", &bytes), *end;
  memset(p, 0, sizeof *p);
  p->data = file_read(folder, "data.bin", &p->bytes);
  int good = text && p->data;
  for (char *line = text; good && *line; line = end) {
    end = strchr(line, '\n');
    if (!end) return 0;
    *end++ = '\0';
    good = read_line(p, line);
  }
  free(text);
  const char *only = getenv("ONLY");
  int kept = 0;
  for (int i = 0; i < p->tasks && good; i++)
    if (!only || strstr(p->task[i].step->program, only)) p->task[kept++] = p->task[i];
  p->tasks = kept;
  return good && kept > 0;
}
