#!/bin/sh
# The engine under strict warnings of the compilers at hand, the kernels as OpenCL C, a few rules of style, and what
# tools/lint-docs.R says of the documents.
set -u
status=0
text=$(mktemp -d)
trap 'rm -rf "$text"' EXIT
# What takes long runs side by side, and is waited for at the end: each part has its output in a file of its own,
# those in `said` nothing unless something is wrong.
mkdir "$text/said" "$text/told"
# What clang makes of the kernels for two GPUs: half a minute of processor time. Its lines on each are left out.
{ sh tools/gpu-codegen.sh amd nvidia || touch "$text/failed"; } 2>&1 |
  grep -v '^gfx90a\|^sm_90' >"$text/told/codegen" &
for script in rooms sizes docs; do
  { Rscript "tools/lint-$script.R" || touch "$text/failed"; } >"$text/told/$script" 2>&1 &
done
engine=$(find src -mindepth 2 -name '*.c' ! -name 'r_*' ! -path '*/glue/*' ! -name cpu_program.c)
warnings="-std=c99 -Wall -Wextra -Wpedantic -fsyntax-only -fopenmp-simd -D_POSIX_C_SOURCE=200809L"
warnings="$warnings -isystem $(sh tools/gsl-headers.sh)"
for compiler in gcc clang x86_64-w64-mingw32-gcc; do
  command -v "$compiler" >/dev/null 2>&1 || { echo "lint: no $compiler here"; continue; }
  case $compiler in *mingw*) gpu= ;; *) gpu=$(echo bench/gpu/*.c) ;; esac # its driver wants POSIX
  for file in $engine $gpu; do
    # shellcheck disable=SC2086
    output=$($compiler $warnings -Isrc -Isrc/khronos -Iinst "$file" 2>&1) && [ -z "$output" ] ||
      printf '%s: %s\n%s\n' "$compiler" "$file" "$output"
  done >"$text/said/$compiler" &
done
# what a task with an integrand brings along
cat >"$text/integrand_text.h" <<'C'
#define INTEGRAND_OUTPUTS 2
#define INTEGRAND_LIBRARY 1
DEV_FN void integrand(real x, DEV_GLOBAL const real *k, DEV_GLOBAL const real *p, const real *library, i32 apart,
                      real *value, i32 stride) {
  value[0] = op_sin(x) + k[0];
  value[stride] = p[0] + library[0 * apart];
}
C
# opencl <options> <file>, as GPUs have it and as processors do
opencl() {
  for lanes in 1 16; do
    # shellcheck disable=SC2086
    output=$(clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -DLANES=$lanes -Wall -Wextra -fsyntax-only \
      -Iinst -I"$text" $1 "$2" 2>&1) && [ -z "$output" ] ||
      printf 'OpenCL, LANES=%s %s: %s\n%s\n' "$lanes" "$1" "$2" "$output"
  done
}
for kernel in inst/kernels/*/*.cl; do opencl "" "$kernel"; done >"$text/said/opencl" &
# What can compute in single precision must do so where there is no double.
either=$(sed -n 's/^EITHER_LINE(\([a-z0-9_]*\), \([a-z0-9_]*\),.*/\1\/\2/p' inst/kernels/common/map.def | sort -u)
for program in $either; do
  opencl "-DSINGLE=1 -cl-single-precision-constant -Xclang -cl-ext=-cl_khr_fp64" "inst/kernels/$program.cl"
  output=$(gcc -std=c99 -fopenmp-simd -Wdouble-promotion -fsyntax-only -Isrc -Iinst -DSINGLE=1 -DCPU_LEVEL=baseline \
    "-DPROGRAM=\"kernels/$program.cl\"" src/engine/cpu_program.c 2>&1) &&
    [ -z "$output" ] || printf 'double precision in single: %s\n' "$output"
done >"$text/said/single" &
# Objects, and what OpenCL builds, are named by the program without its folder.
twice=$(find inst/kernels -name '*.cl' | sed 's|.*/||' | sort | uniq -d)
[ -z "$twice" ] || { echo "two kernel programs of one name: $twice"; status=1; }
sources=$(find R src inst/kernels tests bench tools demo configure Makefile .ci -path '*/khronos' -prune -o -type f \
  \( -name '*.[chR]' -o -name '*.cl' -o -name '*.def' -o -name '*.sh' -o -name configure -o -name Makefile \
  -o -name run \) -print)
# tables written by scripts may have long lines
# shellcheck disable=SC2086
awk 'length > 118 && FILENAME !~ /(_ref|_table)\.h$/ {
       print FILENAME ":" FNR ": line of " length " characters"; bad = 1 }
     /\t/ && FILENAME !~ /Makefile/ { print FILENAME ":" FNR ": tab"; bad = 1 }
     /[ \t]$/ { print FILENAME ":" FNR ": blanks at the end"; bad = 1 }
     END { exit bad }' $sources || status=1
# Other programs may keep the processors. What interrupts are judged by is the work that was done until they ended.
clocks=$(grep -nE 'proc\.time|system\.time|Sys\.time|\["elapsed"|\$elapsed' tests/testthat/*.R |
  grep -v '^tests/testthat/helper-backends.R:[0-9]*:processor_seconds <- ')
[ -z "$clocks" ] || { printf 'tests that look at a clock:\n%s\n' "$clocks"; status=1; }
# Of two definitions of one name the package would have the one in the later file, without a word.
Rscript - <<'R' || status=1
names <- unlist(lapply(list.files("R", full.names = TRUE), function(f)
  vapply(as.list(parse(f)), function(e)
    if (is.call(e) && e[[1]] == "<-" && is.name(e[[2]])) as.character(e[[2]]) else "", "")))
twice <- setdiff(names[duplicated(names)], "")
if (length(twice)) cat("defined twice in R/:", twice, "\n")
quit(status = length(twice) > 0)
R
sh tools/lint-includes.sh || status=1
if [ -e build/package/src/init.o ]; then sh tools/lint-symbols.sh build/package || status=1
else echo 'lint: no built package, in whose objects to look for circles'; fi
wait
cat "$text"/told/* "$text"/said/*
[ ! -e "$text/failed" ] && [ -z "$(cat "$text"/said/*)" ] || status=1
[ "$status" = 0 ] && echo "lint: clean"
exit "$status"
