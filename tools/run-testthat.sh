#!/bin/sh
# tools/run-testthat.sh ["N passed, N failed, N skipped"]: runs tests/testthat on the installed package and prints the
# counts, added to those given, as the last line. Fails if a test does. Each file has an R process of its own, and as
# many run at a time as there are processors, or TESTTHAT_CPUS; LEFT_OUT has names of files that do not. The processes
# of testthat itself take three times as long for this suite, as they send every expectation to the first one.
set -u
logs=build/testthat
rm -rf "$logs"
mkdir -p "$logs"
# the longest first
for name in device documents rf-tbrf-ensemble gp-vecchia rf-flow progress; do printf '%s\n' "test-$name.R"; done \
  >"$logs/files"
for file in tests/testthat/test-*.R; do basename "$file"; done | grep -vxFf "$logs/files" >"$logs/others"
for name in '' ${LEFT_OUT:-}; do printf '%s\n' "test-$name.R"; done >"$logs/left-out"
cat "$logs/files" "$logs/others" | grep -vxFf "$logs/left-out" >"$logs/run"
export logs
# shellcheck disable=SC2016
xargs -P "${TESTTHAT_CPUS:-$(nproc 2>/dev/null || echo 1)}" -n 1 sh -c '
  Rscript tools/test-file.R "tests/testthat/$0" >"$logs/$0.log" 2>&1
  grep -q "^$0: [0-9]* passed" "$logs/$0.log" ||
    printf "%s: 0 passed, 1 failed, 0 skipped: R ended\n" "$0" >>"$logs/$0.log"
  cat "$logs/$0.log"' <"$logs/run"
cat "$logs"/*.log | awk -v counts="${1:-0 passed, 0 failed, 0 skipped}" '
  BEGIN { split(counts, n); passed = n[1]; failed = n[3]; skipped = n[5] }
  /^test-[^ ]*[.]R: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped/ { passed += $2; failed += $4; skipped += $6 }
  END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }'
