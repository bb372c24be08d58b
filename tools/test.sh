#!/bin/sh
# Runs the engine's C tests and the testthat suite on the installed package. The last line counts both: a C test is
# one program, which make announces with "== name".
set -u
export STATCL_TEST_OPENCL=1 # here a missing OpenCL device is a failure, not a skip
log=build/engine.log
mkdir -p build
rm -f build/installed.a
ar rcs build/installed.a $(find build/package/src -name '*.o' ! -path '*/glue/*' ! -name 'r_*' ! -name init.o)
printf 'Engine tests (C)\n'
failed=0
status=0
make --no-print-directory -C tests/engine BUILD="$PWD/build/engine" ENGINE="$PWD/build/installed.a" check \
  >"$log" 2>&1 || status=1
cat "$log"
failed=$(grep -c '^FAILED ' "$log")
[ "$failed" -gt 0 ] || failed=$status # a program that did not build
passed=$(($(grep -c '^== ' "$log") - failed))
[ "$passed" -ge 0 ] || passed=0
skipped=$(awk '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { n += $5 } END { print n + 0 }' "$log")
printf '\nPackage tests (testthat)\n'
Rscript tools/run-testthat.R "$passed passed, $failed failed, $skipped skipped"
status=$?
[ "$failed" = 0 ] && exit "$status"
exit 1
