/* test_checked.c: the checked build (src/engine/checked.h) finds every column, list and step that a pipeline lacks,
 * and says what is missing. Usage: test_checked <kernel folder> <cache folder> */
#include "check.h"
#include "kernels/stable/stable_columns.h"
#include "programs/programs.h"

static const double zero = 0;

static const pipeline whole = {
    .name = "copy", .n_set_in = STABLE_SET_COLUMNS, .n_in = STABLE_COLUMNS, .n_out = 1,
    .n_set_work = STABLE_DISTRIBUTION_COLUMNS, .n_work = STABLE_POINT_COLUMNS, .n_list = STABLE_LISTS,
    .step = {KERNEL_stable_param, KERNEL_stable_locate, KERNEL_stable_series, KERNEL_stable_ray,
             KERNEL_stable_ray_fine, KERNEL_stable_ray_near1, KERNEL_stable_ray_near1_fine, KERNEL_stable_light,
             KERNEL_stable_angle, KERNEL_stable_finish},
    .ns_per_point = 500};

static status run(const pipeline *p, points d, int64_t run_length, double *out) {
  task t = stable_task(p, d.n, run_length, d.x, d.p, (column){&zero, 1});
  t.out[0] = out;
  t.par = &zero;
  t.n_par = 1;
  return backend_run(&t);
}

static void test_found(const pipeline *p, points d, double *out, const char *fault, const char *named) {
  const int seen = run(p, d, 1, out) == STATUS_INPUT;
  check(seen && strstr(last_error(), "copy") && strstr(last_error(), named), "%s: %s", fault,
        seen ? last_error() : "not found");
  printf("%s: %s\n", fault, last_error());
}

static void test_columns(points d, double *out) {
  for (int k = 0; k < 6; k++) {
    static const char *const name[] = {"SET_IN", "IN", "OUT", "SET_WORK", "WORK", "LISTS"};
    pipeline p = whole;
    int *const count[] = {&p.n_set_in, &p.n_in, &p.n_out, &p.n_set_work, &p.n_work, &p.n_list};
    --*count[k];
    test_found(&p, d, out, "one column or list fewer", name[k]);
  }
}

static void test_steps(points d, double *out) {
  for (int s = 0; whole.step[s]; s++) {
    pipeline p = whole;
    memmove(p.step + s, p.step + s + 1, (size_t)(MAX_STEPS - s) * sizeof *p.step);
    test_found(&p, d, out, "one step fewer", "");
  }
}

int main(int argc, char **argv) {
  const points d = random_points(5000);
  double *out = reals(d.n), *expect = reals(d.n);
  if (argc < 3) {
    printf("usage: test_checked <kernel folder> <cache folder>\n");
    return 2;
  }
  folders_set(argv[1], argv[2]);
  check(density(d, 1, 0, expect) == STATUS_OK, "%s", last_error());
  for (int threads = 1; threads < 3; threads++) {
    threads_set(threads);
    test_columns(d, out);
    test_steps(d, out);
    check(run(&whole, d, 1, out) == STATUS_OK && first_difference(out, expect, d.n) < 0, "the whole pipeline: %s",
          last_error());
  }
  free(expect);
  free(out);
  points_free(d);
  return summary();
}
