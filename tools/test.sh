#!/bin/sh
# Runs the engine's C tests and the testthat suite on the installed package. The last line counts both: a C test is
# one program at one SIMD level, which make announces with "== name" and, where it fails, "FAILED name".
# Usage: tools/test.sh quick|test|all [folder of the package's sources and objects]
set -u
ring=${1:-test}
package=${2:-build/package}
. tools/have.sh
# where OpenCL is, a missing device is a failure, not a skip
have_opencl && export STATCL_TEST_OPENCL=1
export STATCL_TESTS="$ring" # helper-backends.R: which tests are left out
log=build/engine-$ring.log
mkdir -p build
sh tools/archive.sh build/installed.a "$package"
case $ring in
  quick) size='SIZE=0.01 SIZE_LOWER=0.005 SIMD=avx512 TESTS=' ;;
  test) # at the instruction sets that it has compiled
    size="SIZE=0.3 SIZE_LOWER=0.05 CASES_test_elementary=6000 CASES_test_integrand_ops=1000 CACHE="
    size="$size SIMD='baseline avx512'" ;;
  *) size= ;;
esac
have_mpfr || { size="$size WITHOUT_MPFR=1"; echo 'MPFR is not here: the tests against it are left out'; }
printf 'Engine tests (C)\n'
status=0
eval make --no-print-directory -C tests/engine BUILD=../../build/engine ENGINE=../../build/installed.a "$size" check \
  >"$log" 2>&1 || status=1
cat "$log"
failed=$(grep -c '^FAILED ' "$log")
[ "$failed" -gt 0 ] || failed=$status # a program that did not build
passed=$(($(grep -c '^== ' "$log") - failed))
[ "$passed" -ge 0 ] || passed=0
skipped=$(awk '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { n += $5 } END { print n + 0 }' "$log")
printf '\nPackage tests (testthat)\n'
sh tools/run-testthat.sh "$passed passed, $failed failed, $skipped skipped"
status=$?
[ "$failed" = 0 ] && exit "$status"
exit 1
