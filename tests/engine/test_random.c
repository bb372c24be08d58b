/* test_random.c: the random number generator against its authors' known answers, and the stable variates made from it
 * against 60 digits (tools/stable_random_reference.py). No R, no backend: the device functions themselves. */
#include <stdio.h>

#include "kernels/stable/stable_random.h"

static int failures;

static void check(int ok, const char *what, double got, double bound) {
  if (!ok) failures++;
  printf("%s %-44s %.3g (%.3g)\n", ok ? "ok  " : "FAIL", what, got, bound);
}

/* kat_vectors of Random123, philox4x32 with 10 rounds */
static void test_philox(void) {
  static const struct { u32 counter[4], key[2], answer[4]; } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
      {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu}, {0xffffffffu, 0xffffffffu},
       {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
      {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u},
       {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}}};
  for (int i = 0; i < 3; i++) {
    const u32 *c = known[i].counter, *w = known[i].answer;
    const philox_block in = {c[0], c[1], c[2], c[3]}, out = philox(in, known[i].key[0], known[i].key[1]);
    const int wrong = (out.w0 != w[0]) + (out.w1 != w[1]) + (out.w2 != w[2]) + (out.w3 != w[3]);
    check(wrong == 0, "philox4x32-10, words that differ", wrong, 0);
  }
}

static void test_uniform(void) {
  const double low = open_uniform(0, 0), high = open_uniform(0xffffffffu, 0xffffffffu);
  check(low == 0x1p-53, "smallest uniform", low, 0x1p-53);
  check(1 - high == 0x1p-53, "one less the largest uniform", 1 - high, 0x1p-53);
  check(open_uniform(0x80000000u, 0) == 0.5 + 0x1p-53, "middle uniform", open_uniform(0x80000000u, 0), 0.5);
}

static void test_variates(void) {
  static const double row[][7] = {
#include "stable_random_ref.h"
  };
  /* largest error of S0 over max(1, |x|), by alpha; of S1 relative where alpha is not near 1 */
  double small = 0, s0 = 0, s1 = 0;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    const double alpha = row[i][0], x = row[i][5], z = row[i][6];
    const draw_distribution p = draw_prepare(alpha, row[i][1]);
    const draw_point q = draw_open(p, row[i][2], row[i][3], row[i][4]);
    const double far = draw_far(p, q), value = fabs(p.am1) <= NEAR_ONE ? draw_near(p, q) : far - draw_t(p);
    const double error = fabs(value - x) / fmax(1, fabs(x)), t = fabs(draw_t(p));
    if (alpha < 0.3) small = fmax(small, error);
    else s0 = fmax(s0, error);
    if (alpha >= 0.3 && alpha != 1) s1 = fmax(s1, fabs(far - z) / fmax(fmax(1, t), fabs(z)));
  }
  /* the power 1/alpha multiplies rounding errors */
  check(small < 2e-13, "S0 variates, alpha < 0.3, error", small, 2e-13);
  check(s0 < 1e-14, "S0 variates, alpha >= 0.3, error", s0, 1e-14);
  check(s1 < 1e-14, "S1 variates, alpha >= 0.3, error", s1, 1e-14);
}

int main(void) {
  test_philox();
  test_uniform();
  test_variates();
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
