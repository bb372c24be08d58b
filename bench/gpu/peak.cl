/* peak.cl: the roof that bench/gpu/driver.c measures shares of: 8 independent chains of multiply-adds per lane.
 * run.sh appends it to its copy of stable.cl; the package does not carry it. */
#define PEAK_ROUNDS 64
#define PEAK_EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define PEAK_ARRAY(j) real a##j[LANES];
#define PEAK_START(j) a##j[l] = x + K(0.1) * j;
#define PEAK_LOAD(j) real b##j = a##j[l];
#define PEAK_STEP(j) b##j = FMA(b##j, m, c);
#define PEAK_STORE(j) a##j[l] = b##j;
#define PEAK_ADD(j) + a##j[l]
#define PEAK_4(f) PEAK_EACH(f) PEAK_EACH(f) PEAK_EACH(f) PEAK_EACH(f)

KERNEL(peak_fma) {
  OVER_POINTS;
  const real m = par[0], c = par[1];
  PEAK_EACH(PEAK_ARRAY)
  LANE_LOOP(l) {
    const real x = IN(0, idx[l]);
    PEAK_EACH(PEAK_START)
  }
  for (i32 k = 0; k < PEAK_ROUNDS; k++) {
    LANE_LOOP(l) {
      PEAK_EACH(PEAK_LOAD)
      PEAK_4(PEAK_STEP) PEAK_4(PEAK_STEP)
      PEAK_EACH(PEAK_STORE)
    }
  }
  LANE_LOOP(l) OUT(0, idx[l]) = K(0) PEAK_EACH(PEAK_ADD);
}
