#!/bin/sh
# The engine with the Windows compiler of mingw-w64: no warnings allowed, and a test driver links. Needs no Windows.
# Usage: tools/cross-compile.sh [build folder]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/windows}
cc=x86_64-w64-mingw32-gcc
command -v $cc >/dev/null 2>&1 || { echo "cross-compile: no $cc (Debian: gcc-mingw-w64-x86-64)"; exit 1; }
mkdir -p "$build" || exit 1
flags='-std=c99 -O2 -Wall -Wextra -Wpedantic -fopenmp-simd'
status=0
objects=
for file in src/*.c; do
  case $file in src/r_*.c | src/init.c) continue ;; esac
  object=$build/$(basename "$file" .c).o
  objects="$objects $object"
  # shellcheck disable=SC2086
  output=$($cc $flags -Iinst/kernels -Isrc/khronos -c "$file" -o "$object" 2>&1) && [ -z "$output" ] ||
    { printf '%s\n%s\n' "$file" "$output"; status=1; }
done
for test in test_threads test_engine test_stable; do
  # shellcheck disable=SC2086
  output=$($cc $flags -Itests/engine -Isrc -Iinst/kernels tests/engine/$test.c $objects -o "$build/$test.exe" 2>&1) &&
    [ -z "$output" ] || { printf '%s\n%s\n' "$test" "$output"; status=1; }
done
[ "$status" = 0 ] && echo "cross-compile: clean, $(echo $objects | wc -w) objects and three programs"
exit "$status"
