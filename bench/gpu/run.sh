#!/bin/sh
# Builds driver.c and the engine with a C compiler alone (no R, no configure) and runs it.
#   bench/gpu/run.sh            every device: values, speed of each kernel; then ns per quadrature node
#   bench/gpu/run.sh devices    the first part only            bench/gpu/run.sh nodes    the second only
# CC: compilers (default: gcc and clang where present); BUILD: folder; CFLAGS; TABLE: reference values.
# ns per node is a difference quotient: the ray kernels with 512 and with 64 nodes, on one thread.
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

# Two copies of the kernels, with the loop of peak.cl and 64 or 512 nodes on a ray.
for nodes in 64 512; do
  rm -rf "$build/kernels$nodes"
  cp -r inst/kernels "$build/kernels$nodes"
  cat bench/gpu/peak.cl >>"$build/kernels$nodes/stable.cl"
  echo 'KERNEL_LINE(stable, peak_fma, POINTS)' >>"$build/kernels$nodes/map.def"
  sed "s/define RAY_NODES 64/define RAY_NODES $nodes/" inst/kernels/stable_ray.h >"$build/kernels$nodes/stable_ray.h"
done

compile() { # compiler, nodes
  folder=$build/$1-$2
  mkdir -p "$folder"
  objects=
  for file in src/*.c bench/gpu/driver.c; do
    case $file in src/r_*.c | src/init.c) continue ;; esac
    object=$folder/$(basename "$file" .c).o
    # shellcheck disable=SC2086
    "$1" -std=c99 $flags -fopenmp-simd -Isrc -Isrc/khronos -I"$build/kernels$2" -DRAY_NODES="$2" \
      -c "$file" -o "$object"
    objects="$objects $object"
  done
  # shellcheck disable=SC2086
  "$1" $flags $objects -o "$folder/driver" -pthread -ldl -lm
}

# compiler, device: for each ray kernel ns per node, and ns per point with 64 nodes; the least of three runs
quotient() {
  : >"$build/times"
  for again in 1 2 3; do
    for nodes in 64 512; do
      "$build/$1-$nodes/driver" "$build/kernels$nodes" --nodes "$2" >"$build/times.one" || return 1
      sed "s/^/$nodes /" "$build/times.one" >>"$build/times"
    done
  done
  awk '{ if (!($1 $2 in t) || $3 < t[$1 $2]) t[$1 $2] = $3 }
       END { n = split("stable_ray stable_ray_near1", k, " ")
             for (i = 1; i <= n; i++) printf "%12.3f %10.1f", (t["512" k[i]] - t["64" k[i]]) / 448, t["64" k[i]] }' \
    "$build/times"
}

for c in $CC; do compile "$c" 64; done
grep -m 1 'model name' /proc/cpuinfo 2>/dev/null | sed 's/.*: */machine: /' || true
if [ "$what" != nodes ]; then
  for c in $CC; do
    for level in baseline avx2 avx512; do
      printf '\n== %s, %s\n' "$c" "$level"
      STATCL_CPU=$level STATCL_OPENCL=off "$build/$c-64/driver" "$build/kernels64" "$table" cpu
    done
  done
  printf '\n== OpenCL\n'
  # shellcheck disable=SC2086
  set -- $CC
  "$build/$1-64/driver" "$build/kernels64" "$table"
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
