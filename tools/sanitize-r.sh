#!/bin/sh
# The package's short tests in R with the address sanitizer of gcc: what goes through .Call, the glue and its long
# jumps. Leaks are left out, R frees little when it ends; tools/sanitize.sh looks for those of the engine.
set -u
cd "$(dirname "$0")/.." || exit 1
runtime=$(gcc -print-file-name=libasan.so 2>/dev/null)
[ -f "$runtime" ] || { echo "sanitize-r: skipped, gcc has no address sanitizer (libasan) here"; exit 0; }
mkdir -p build/asan
cat >build/asan/Makevars <<'END'
CC = gcc
CFLAGS = -O1 -g -fno-omit-frame-pointer -fsanitize=address
SHLIB_LDFLAGS = -shared -fsanitize=address
END
# Vectors too large for the machine are R's errors as ever.
ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:detect_stack_use_after_return=0:quarantine_size_mb=64
export ASAN_OPTIONS="$ASAN_OPTIONS:log_path=$PWD/build/asan/report"
rm -f build/asan/report.*
R_MAKEVARS_USER=$PWD/build/asan/Makevars LD_PRELOAD=$runtime \
  make --no-print-directory install LIBRARY=build/library-asan >build/asan/install.log 2>&1 ||
  { tail -n 20 build/asan/install.log; exit 1; }
LD_PRELOAD=$runtime R_LIBS=$PWD/build/library-asan STATCL_TESTS=quick STATCL_OPENCL=off TESTTHAT_CPUS=1 \
  sh tools/run-testthat.sh >build/asan/tests.log 2>&1
status=$?
tail -n 1 build/asan/tests.log
for report in build/asan/report.*; do
  grep -q ERROR "$report" 2>/dev/null || continue # an allocation that could not be is a warning
  echo "$report: $(grep -m 1 ERROR "$report")"
  status=1
done
exit "$status"
