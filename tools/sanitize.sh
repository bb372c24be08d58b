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
    SIZE=0.03 SIZE_LOWER=0.01 engine \
    CFLAGS="-O1 -g -fno-omit-frame-pointer -fopenmp-simd $checks -fno-sanitize-recover=all"
  $compiler -std=c99 -O1 -g -fsanitize=thread -Isrc -Isrc/khronos -Iinst -Itests/engine tests/engine/test_threads.c \
    src/engine/threads.c -o "$build/races-$compiler" -pthread -lm
  run "$compiler-races" env TSAN_OPTIONS=halt_on_error=1 "$build/races-$compiler"
done

# valgrind knows no AVX-512; its threads are one at a time, so one is enough.
if command -v valgrind >/dev/null 2>&1; then
  make --no-print-directory -C tests/engine BUILD="$build/plain" CFLAGS='-O1 -g -fopenmp-simd' \
    "$build/plain/stable.csv" "$build/plain/test_threads" "$build/plain/test_engine" "$build/plain/test_stable" \
    "$build/plain/test_fit" >"$build/plain.log" 2>&1 ||
    { cat "$build/plain.log"; exit 1; }
  memcheck="valgrind -q --error-exitcode=9 --leak-check=full
    --show-leak-kinds=definite,indirect,possible
    --errors-for-leak-kinds=definite,indirect,possible"
  # shellcheck disable=SC2086
  run valgrind-threads $memcheck --fair-sched=yes "$build/plain/test_threads"
  mkdir -p "$build/plain/cache"
  for level in baseline avx2; do
    # shellcheck disable=SC2086
    run "valgrind-engine-$level" env STATCL_OPENCL=off STATCL_CPU=$level OMP_NUM_THREADS=1 $memcheck \
      "$build/plain/test_engine" inst/kernels "$build/plain/cache" 0.005
    # shellcheck disable=SC2086
    run "valgrind-stable-$level" env STATCL_OPENCL=off STATCL_CPU=$level OMP_NUM_THREADS=1 $memcheck \
      "$build/plain/test_stable" inst/kernels "$build/plain/cache" "$build/plain/stable.csv" 0.002
    # shellcheck disable=SC2086
    run "valgrind-fit-$level" env STATCL_OPENCL=off STATCL_CPU=$level OMP_NUM_THREADS=1 $memcheck \
      "$build/plain/test_fit" inst/kernels "$build/plain/cache" 0.005
  done
else
  echo "sanitize: no valgrind here"
fi
[ "$status" = 0 ] && echo "sanitize: clean"
exit "$status"
