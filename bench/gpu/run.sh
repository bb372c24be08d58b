#!/bin/sh
# Builds driver.c and the engine with a C compiler alone (no R) and runs it.
#   bench/gpu/run.sh            every device: values, speed of each kernel; then ns per quadrature node
#   bench/gpu/run.sh devices    the first part only            bench/gpu/run.sh nodes    the second only
# CC: compilers (default: gcc and clang where present); BUILD: folder; CFLAGS; TABLE: reference values.
# ns per node is a difference quotient: the ray kernels with 512 and with 44 nodes, on one thread.
set -eu
cd "$(dirname "$0")/../.."
what=${1:-all}
build=${BUILD:-build/gpu}
flags=${CFLAGS:--O2}
table=${TABLE:-tests/testthat/ref/stable.csv.gz}
if [ -z "${CC:-}" ]; then
  CC=
  for c in gcc clang; do command -v $c >/dev/null 2>&1 && CC="$CC $c"; done
  CC=${CC:-cc}
fi
mkdir -p "$build"
case $table in *.gz) gzip -dc "$table" >"$build/stable.csv"; table=$build/stable.csv ;; esac

# compiler, nodes: the engine and the driver, with the loop of peak.cl and 44 or 512 nodes on a ray
compile() {
  folder=$build/$1-$2
  rm -rf "$folder"
  sh tools/stage.sh "$folder/package"
  kernels=$folder/package/inst/kernels
  cat bench/gpu/peak.cl >>"$kernels/stable/stable.cl"
  echo 'KERNEL_LINE(stable, stable, peak_fma, POINTS)' >>"$kernels/common/map.def"
  sed "s/SLOPE ? 64 : 44/SLOPE ? 64 : $2/" inst/kernels/stable/stable_ray.h >"$kernels/stable/stable_ray.h"
  # shellcheck disable=SC2086
  STAGED=1 sh tools/engine.sh "$folder" "$1" -std=c99 $flags -fopenmp-simd >"$folder/engine.log"
  # shellcheck disable=SC2086
  "$1" -std=c99 $flags -fopenmp-simd -Isrc -Isrc/khronos -I"$folder/package/inst" -DRAY_NODES="$2" \
    bench/gpu/driver.c "$folder/engine.a" -o "$folder/driver" -pthread -ldl -lm
}

# compiler, device: for each ray kernel ns per node, and ns per point with 44 nodes; the least of three runs
quotient() {
  : >"$build/times"
  for again in 1 2 3; do
    for nodes in 44 512; do
      "$build/$1-$nodes/driver" "$build/$1-$nodes/package/inst/kernels" --nodes "$2" >"$build/times.one" || return 1
      sed "s/^/$nodes /" "$build/times.one" >>"$build/times"
    done
  done
  awk '{ if (!($1 $2 in t) || $3 < t[$1 $2]) t[$1 $2] = $3 }
       END { n = split("stable_ray stable_ray_near1", k, " ")
             for (i = 1; i <= n; i++) printf "%12.3f %10.1f", (t["512" k[i]] - t["44" k[i]]) / 468, t["44" k[i]] }' \
    "$build/times"
}

for c in $CC; do compile "$c" 44; done
grep -m 1 'model name' /proc/cpuinfo 2>/dev/null | sed 's/.*: */machine: /' || true
if [ "$what" != nodes ]; then
  for c in $CC; do
    for level in baseline avx2 avx512; do
      printf '\n== %s, %s\n' "$c" "$level"
      STATCL_CPU=$level STATCL_OPENCL=off "$build/$c-44/driver" "$build/$c-44/package/inst/kernels" "$table" cpu
    done
  done
  printf '\n== OpenCL\n'
  # shellcheck disable=SC2086
  set -- $CC
  "$build/$1-44/driver" "$build/$1-44/package/inst/kernels" "$table"
fi
if [ "$what" != devices ]; then
  for c in $CC; do compile "$c" 512; done
  printf '\n%-26s %23s %23s\n' 'one thread' 'stable_ray' 'stable_ray_near1'
  printf '%-26s %12s %10s %12s %10s\n' '' 'ns per node' 'ns/point' 'ns per node' 'ns/point'
  for c in $CC; do
    for level in baseline avx2 avx512; do
      printf '%-26s %s\n' "$c, $level" "$(STATCL_CPU=$level STATCL_OPENCL=off quotient "$c" cpu)"
    done
  done
  # One thread of PoCL; a GPU has its own figures above.
  # shellcheck disable=SC2086
  set -- $CC
  if values=$(POCL_MAX_PTHREAD_COUNT=1 quotient "$1" ocl-cpu:0 2>/dev/null); then
    printf '%-26s %s\n' 'OpenCL, ocl-cpu:0' "$values"
  fi
fi
