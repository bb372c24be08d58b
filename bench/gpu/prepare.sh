#!/bin/sh
# Puts all that run-prepared.sh needs on a machine with a GPU into one folder:
#   bench/gpu/prepare.sh <library with statcl> <folder>
# The engine computes the calls of tests/gpu/short-calls.R, whose results must be those of the built-in backend to the
# last bit, and those of calls.R on PoCL as if that were a GPU, with record.c in between, which writes its tasks down.
set -eu
cd "$(dirname "$0")/../.."
library=$(cd "$1" && pwd) folder=$2 most=16000000
work=$(mktemp -d)
ready=0 # a folder that is not whole would be taken for one that is
trap 'rm -rf "$work"; [ $ready = 1 ] || rm -rf "$folder"' EXIT
warnings='-std=c99 -Wall -Wextra -Wpedantic -O2 -Iinst -isystem src/khronos'
rm -rf "$folder"
mkdir -p "$folder/programs"
# shellcheck disable=SC2086
${CC:-cc} $warnings bench/gpu/driver.c bench/gpu/report.c bench/gpu/replay.c bench/gpu/timing.c bench/gpu/tasks.c \
  bench/gpu/opencl.c -o "$folder/driver" -lm -ldl
# shellcheck disable=SC2086
${CC:-cc} $warnings -shared -fPIC bench/gpu/record.c -o "$work/librecord.so" -Wl,--no-as-needed \
  -l:libOpenCL.so.1 -ldl
cp bench/gpu/run-prepared.sh bench/gpu/README.md bench/gpu/operations.tsv "$folder"
record() { # script, arguments
  RECORD_FOLDER=$(cd "$folder" && pwd) STATCL_OPENCL_LIBRARY=$work/librecord.so STATCL_PROBE=off R_LIBS=$library \
    R_USER_CACHE_DIR=$work Rscript "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
record tests/gpu/short-calls.R gpu:0 double
record tests/gpu/short-calls.R gpu:0 single
record bench/gpu/calls.R gpu:0

# Every kernel has changed something, but those of lists that blocks of one lane are not sorted into, and the first
# half of one that is whole there; every call of calls.R has its task.
awk '/^[A-Z]+_LINE\(/ && FNR == NR { split($0, part, /[(, )]+/); wanted[part[4]] = 1; next }
     $1 == "task" { single = $2 }
     $1 == "step" { kernel = $3 }
     $1 == "change" && !single { delete wanted[kernel] }
     END { split("poisson_cdf_few poisson_cdf_many poisson_sums poisson_estimate cov_distance", idle, " ")
           for (k in idle) delete wanted[idle[k]]
           for (k in wanted) { print "no task of kernel " k; bad = 1 } exit bad }' \
  inst/kernels/common/map.def "$folder/tasks.txt"
tab=$(printf '\t')
sed -n 's/^timed("\([^"]*\)".*/\1/p' bench/gpu/calls.R | while read -r label; do
  grep -q "^task . . $label\$" "$folder/tasks.txt" || { echo "no task of the call \"$label\""; exit 1; }
  grep -q "^$label$tab" bench/gpu/operations.tsv || { echo "operations.tsv lacks \"$label\""; exit 1; }
done
bytes=$(find "$folder" -type f -exec cat {} + | wc -c)
printf '%s: %d tasks, %d programs, %.1f MB\n' "$folder" "$(grep -c '^task' "$folder/tasks.txt")" \
  "$(find "$folder/programs" -type f | wc -l)" "$(echo "$bytes" | awk '{ print $1 / 1e6 }')"
[ "$bytes" -le $most ] || { echo "more than $most bytes"; exit 1; }
ready=1
