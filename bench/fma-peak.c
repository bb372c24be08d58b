/* fma-peak.c: the processor's peak of fused multiplications and additions on one thread, for bench/gp-likelihood.R,
 * which compiles it: chains that do not wait for each other, at the vector instructions that statcl uses. */
#include <string.h>
#include <time.h>

#include <R.h>
#include <Rinternals.h>

/* 16 chains are more than any processor needs to keep its units busy (10 at 5 cycles and 2 units): AVX-512 has the
 * registers for them; 12 with AVX2. Without a fused instruction the two are counted all the same. */
#define FOR_12(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define FOR_16(F) FOR_12(F) F(12) F(13) F(14) F(15)
#define DECLARE(k) s##k = first + k,
#define STEP(k) s##k = s##k * by + more;
#define SUM(k) + s##k[0]
#define PEAK(name, bytes, all, targets)                                                                      \
  targets static double name(long steps) {                                                                   \
    typedef double vector __attribute__((vector_size(bytes)));                                               \
    volatile double start = 1;                                                                               \
    vector first = {0}, by, more, all(DECLARE) none;                                                         \
    first += start;                                                                                          \
    by = first * 0.999;                                                                                      \
    more = first * 1e-3;                                                                                     \
    none = first;                                                                                            \
    for (long k = 0; k < steps; k++) {                                                                       \
      all(STEP)                                                                                              \
      __asm__ volatile("" : "+m"(start));                                                                    \
    }                                                                                                        \
    return none[0] all(SUM);                                                                                 \
  }
#if defined(__x86_64__)
PEAK(peak_avx512, 64, FOR_16, __attribute__((target("avx512f,fma"))))
PEAK(peak_avx2, 32, FOR_12, __attribute__((target("avx2,fma"))))
#endif
PEAK(peak_baseline, 16, FOR_12, )

/* Billions of multiplications and additions a second of processor time: the best of five. */
SEXP fma_peak(SEXP level) {
  const char *name = CHAR(STRING_ELT(level, 0));
  const long steps = 2000000;
  double best = 0, sum = 0, each = 2 * 12 * 2;
  double (*run)(long) = peak_baseline;
#if defined(__x86_64__)
  if (!strcmp(name, "avx512")) run = peak_avx512, each = 2 * 16 * 8;
  if (!strcmp(name, "avx2")) run = peak_avx2, each = 2 * 12 * 4;
#endif
  for (int k = 0; k < 5; k++) {
    const clock_t start = clock();
    sum += run(steps);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC, rate = each * (double)steps / seconds / 1e9;
    if (rate > best) best = rate;
  }
  return Rf_ScalarReal(sum == 42 ? 0 : best);
}
