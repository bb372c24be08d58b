#!/bin/sh
# The engine's C tests under the address and undefined behaviour sanitizers of gcc and clang, and under valgrind.
# Any finding fails. Usage: tools/sanitize.sh [build folder]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/sanitize}
case $build in /*) ;; *) build=$PWD/$build ;; esac
mkdir -p "$build" || exit 1
status=0

# Division by zero and overflow to infinity are meant in the kernels; a real out of an integer's range is not.
# ASan keeps freed memory for a while, and PoCL's compiler threads need room: hence the small quarantine.
export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=64:detect_stack_use_after_return=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# PoCL and LLVM hold their tables until the process ends; nothing of ours is on this list.
cat >"$build/leaks" <<'END'
leak:libpocl
leak:libLLVM
leak:libclang
leak:libOpenCL
END
export LSAN_OPTIONS=suppressions=$build/leaks:print_suppressions=0
run() { # name, command ...
  name=$1
  shift
  if "$@" >"$build/$name.log" 2>&1; then
    printf '%-28s %s\n' "$name" "$(tail -n 1 "$build/$name.log")"
  else
    printf '%-28s FAILED\n' "$name"
    grep -E 'FAIL|ERROR|runtime error|SUMMARY|lost in loss|Invalid|uninitialised' "$build/$name.log" | head -n 20
    status=1
  fi
}

for compiler in gcc clang; do
  command -v $compiler >/dev/null 2>&1 || { echo "sanitize: no $compiler here"; status=1; continue; }
  checks=-fsanitize=address,undefined,float-cast-overflow
  echo 'int main(void) { return 0; }' | $compiler $checks -x c - -o "$build/probe" 2>/dev/null ||
    { echo "sanitize: $compiler has no sanitizers here (Debian: libclang-rt-dev)"; status=1; continue; }
  run "$compiler" make --no-print-directory -C tests/engine BUILD="$build/$compiler" CC=$compiler \
    TESTS= SIZE=0.03 SIZE_LOWER=0.01 check \
    CFLAGS="-O1 -g -fno-omit-frame-pointer -fopenmp-simd $checks -fno-sanitize-recover=all"
  run "$compiler-races" env TSAN_OPTIONS=halt_on_error=1 STATCL_OPENCL=off STATCL_THREADS=3 \
    make --no-print-directory -C tests/engine BUILD="$build/races-$compiler" CC=$compiler \
    TESTS= PLAIN_TESTS=test_threads ENGINE_TESTS='test_engine test_dense test_field test_quadrature' \
    SIMD=avx2 SIZE=0.01 check \
    CFLAGS='-O1 -g -fopenmp-simd -fsanitize=thread'
done

# valgrind knows no AVX-512; its threads are one at a time, so one is enough.
if command -v valgrind >/dev/null 2>&1; then
  tests='engine dense dense_device stable stable_fit covariance poisson field quadrature'
  # shellcheck disable=SC2046
  make --no-print-directory -C tests/engine BUILD="$build/plain" CFLAGS='-O1 -g -fopenmp-simd' \
    "$build/plain/stable.csv" "$build/plain/test_threads" $(printf "$build/plain/test_%s " $tests) \
    >"$build/plain.log" 2>&1 || { cat "$build/plain.log"; exit 1; }
  memcheck="valgrind -q --error-exitcode=9 --leak-check=full
    --show-leak-kinds=definite,indirect,possible
    --errors-for-leak-kinds=definite,indirect,possible"
  # shellcheck disable=SC2086
  run valgrind-threads $memcheck --fair-sched=yes "$build/plain/test_threads"
  mkdir -p "$build/plain/cache"
  for level in baseline avx2; do
    for test in $tests; do
      case $test-$level in
        stable-*) data="$build/plain/stable.csv 0.002" ;;
        stable_fit-avx2) continue ;; # a quarter of an hour and more: valgrind emulates fused operations
        *) data=0.005 ;;
      esac
      # shellcheck disable=SC2086
      run "valgrind-$test-$level" env STATCL_OPENCL=off STATCL_CPU=$level STATCL_THREADS=1 $memcheck \
        "$build/plain/test_$test" inst/kernels "$build/plain/cache" $data
    done
  done
else
  echo "sanitize: no valgrind here"
  status=1
fi
[ "$status" = 0 ] && echo "sanitize: clean"
exit "$status"
