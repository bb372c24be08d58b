#!/bin/sh
# The engine with the Windows compiler of mingw-w64: no warnings allowed, and a test driver links. Needs no Windows.
# Usage: tools/cross-compile.sh [build folder]
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/windows}
cc=x86_64-w64-mingw32-gcc
command -v $cc >/dev/null 2>&1 || { echo "cross-compile: no $cc (Debian: gcc-mingw-w64-x86-64)"; exit 1; }
mkdir -p "$build" || exit 1
flags="-std=c99 -O2 -Wall -Wextra -Wpedantic -fopenmp-simd -isystem $(sh tools/gsl-headers.sh)"
status=0
# shellcheck disable=SC2086
sh tools/engine.sh "$build" $cc $flags >"$build/engine.log" 2>&1 || status=1
for test in test_threads test_engine test_stable; do
  # shellcheck disable=SC2086
  $cc $flags -Itests/engine -Isrc -Isrc/khronos -Iinst tests/engine/$test.c "$build/engine.a" -o "$build/$test.exe" \
    >>"$build/engine.log" 2>&1 || status=1
done
if [ "$status" != 0 ] || grep -q 'warning:' "$build/engine.log"; then
  grep -E -A 5 'warning:|error:|undefined reference' "$build/engine.log" | head -n 60
  exit 1
fi
echo "cross-compile: clean, $(ar t "$build/engine.a" | wc -l) objects and three programs"
