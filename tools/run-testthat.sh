#!/bin/sh
# tools/run-testthat.sh ["N passed, N failed, N skipped"]: runs tests/testthat on the installed package and prints
# the counts, added to those given, as the last line. Fails if a test does, or if a file is not run to its end. Each
# file has an R process of its own, and one more runs at a time than there are processors, for some wait for others,
# or TESTTHAT_CPUS; LEFT_OUT has names of files that do not. Files in which nothing ran are named at the end, and so
# are packages that tests were skipped for the want of. The processes of testthat itself take three times as long for
# this suite, as they send every expectation to the first one.
# RUN_BEFORE is the folder of logs of another run: what has loaded no package there that is not here, names none and
# starts no process that does not tell would only do the same again, and is left out. With STATCL_OPENCL=off files
# that name devices of OpenCL run, too. NAMING is a regular expression: of files that have run before, others do not.
set -u
logs=${TESTTHAT_LOGS:-build/testthat}
rm -rf "$logs"
mkdir -p "$logs" || exit 1
# the longest first, of those that take more than a hundredth of all
for name in device progress documents rf-tbrf-ensemble gp-vecchia gp-families gp-several gp-families-limits \
  gp-posterior integrate-tails stable-reg integrate gp-fit gp-methods rf-tbrf rf-several rf-table rf-flow gp-local \
  gp-groups gp-highest integrate-integrand integrate-loops stable-spectral binomial stable-elliptical-fit \
  gp-predict integrate-complex integrate-hard; do
  printf '%s\n' "test-$name.R"
done >"$logs/files"
for file in tests/testthat/test-*.R; do basename "$file"; done | grep -vxFf "$logs/files" >"$logs/others"
for name in '' ${LEFT_OUT:-}; do printf '%s\n' "test-$name.R"; done >"$logs/left-out"
cat "$logs/files" "$logs/others" | grep -vxFf "$logs/left-out" >"$logs/chosen"
# is this file to run, although it has run before?
again() {
  [ -e "$RUN_BEFORE/$1.loaded" ] || return 0
  grep -qE "${NAMING:-}" "tests/testthat/$1" || return 1
  grep -vxFf "$logs/packages" "$RUN_BEFORE/$1.loaded" >/dev/null && return 0
  named='in_new_process|Rscript|R[.]home|makeCluster|daemons|[^._a-z]data[(]"'
  [ "${STATCL_OPENCL:-}" = off ] && named="$named|opencl|ocl-|clDevices"
  grep -qE "$named" "tests/testthat/$1"
}
if [ -n "${RUN_BEFORE:-}" ]; then
  Rscript -e 'writeLines(rownames(installed.packages()))' >"$logs/packages"
  while read -r file; do again "$file" && echo "$file"; done <"$logs/chosen" >"$logs/run"
  echo "$(wc -l <"$logs/run") of $(wc -l <"$logs/chosen") files run again"
else
  mv "$logs/chosen" "$logs/run"
fi
if [ ! -s "$logs/run" ]; then
  echo 'no file of tests is left'
  [ -n "${NAMING:-}" ] || exit 1
  echo "${1:-0 passed, 0 failed, 0 skipped}"
  exit 0
fi
export logs
cpus=${TESTTHAT_CPUS:-$(($(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1) + 1))}
# tools/test-file.R fails where a test does; if R fails and the counts do not say so, it has crashed.
# shellcheck disable=SC2016
xargs -P "$cpus" -n 1 sh -c '
  STATCL_TEST_LOADED="$logs/$0.loaded" Rscript tools/test-file.R "tests/testthat/$0" >"$logs/$0.log" 2>&1
  status=$?
  counts=$(grep "^$0: [0-9]* passed" "$logs/$0.log")
  case $status,$counts in
    0,?*) ;;
    *,*", 0 failed"* | *,) printf "\n%s: 0 passed, 1 failed, 0 skipped: R ended with status %s\n" "$0" "$status" \
      >>"$logs/$0.log" ;;
  esac
  cat "$logs/$0.log"' <"$logs/run"
# failures again, where they are found
for log in "$logs"/*.log; do
  awk -v file="$(basename "$log" .log)" '
    /^  [a-z]+(,|:)/ || /^test-/ { failing = /^  (failure|error)/; lines = 0 }
    failing && NF && lines++ < 12 { print lines == 1 ? file ":" $0 : $0 }' "$log"
done | tee "$logs/failures"
for log in "$logs"/*.log; do
  grep -q '^test-.*: 0 passed, 0 failed' "$log" && printf 'Nothing ran in %s\n' "$(basename "$log" .log)"
done
cat "$logs"/*.log | tr -d '{}' | sed -n 's/^ *Reason: \(.*\) \(cannot be loaded\|is not installed\)$/\1/p' |
  awk -F ', ' '{ for (i = 1; i <= NF; i++) count[$i]++ }
  END { for (name in count) print name " (" count[name] ")" }' | sort | tr '\n' ' ' |
  sed 's/^./Skipped for the want of packages, with the number of tests: &/; s/ $/\n/'
cat "$logs"/*.log | awk -v counts="${1:-0 passed, 0 failed, 0 skipped}" -v files="$(wc -l <"$logs/run")" '
  BEGIN { split(counts, n); passed = n[1]; failed = n[3]; skipped = n[5] }
  /^test-[^ ]*[.]R: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped/ {
    passed += $2; failed += $4; skipped += $6
    if (!seen[$1]++) files--
  }
  END {
    if (files != 0) { failed += files; printf "%d files of tests were not run to their end\n", files }
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0
  }'
