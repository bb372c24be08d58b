#!/bin/sh
# What compilers for GPUs make of the kernels, without a GPU:
#   tools/gpu-codegen.sh [amd] [nvidia] [intel]       all three, unless some are named
# AMD's gfx90a and NVIDIA's sm_90 by clang, down to machine code and to PTX, Intel's skl by ocloc; in double and,
# where a program can, in single precision. Prints a line for each kernel (for ocloc: each program) and fails where
# one is above a limit of tools/gpu-limits.txt. What is not installed is left out, and said to be: Debian's packages
# are clang-16 and rocm-device-libs, and intel-opencl-icd. CLANG and OCLOC may name others, as KEEP a folder for the
# code.
#   registers  of a lane (gfx90a)                   scratch  bytes of private memory of a lane (gfx90a)
#   waves      that a processor holds, of 8         lds      bytes of local memory of a group
#   code       bytes                                calls    functions that were not inlined
#   fused      % of instructions that are fused multiply-adds, in the innermost loop that has most of them (gfx90a)
#   depot      bytes of private memory of a lane (sm_90)
#   seconds    of processor time of a program's build (skl)
set -u
cd "$(dirname "$0")/.." || exit 1
clang=${CLANG:-clang-16} ocloc=${OCLOC:-ocloc} libraries=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode
work=$(mktemp -d) failed=0
: >"$work/said"
trap 'rm -rf "$work"' EXIT
code=${KEEP:-$work}
# what a task with an integrand brings along
cat >"$work/integrand_text.h" <<'C'
#define INTEGRAND_OUTPUTS 2
#define INTEGRAND_LIBRARY 1
DEV_FN void integrand(real x, DEV_GLOBAL const real *k, DEV_GLOBAL const real *p, const real *library, i32 apart,
                      real *value, i32 stride) {
  value[0] = op_sin(x) + k[0];
  value[stride] = p[0] + library[0 * apart];
}
C
# NVIDIA's functions, of which kernels have but these, and no library is needed
for number in double float; do
  case $number in double) end='' ;; float) end=f ;; esac
  cat >"$work/nvidia_$number.h" <<C
#define fma(a, b, c) __builtin_fma$end(a, b, c)
#define sqrt(x) __builtin_sqrt$end(x)
#define fabs(x) __builtin_fabs$end(x)
#define rint(x) __builtin_rint$end(x)
#define mul_hi(a, b) ((uint)(((ulong)(a) * (b)) >> 32))
#define popcount(x) __builtin_popcount(x)
#define get_local_id(k) __nvvm_read_ptx_sreg_tid_x()
#define get_group_id(k) __nvvm_read_ptx_sreg_ctaid_x()
#define get_local_size(k) __nvvm_read_ptx_sreg_ntid_x()
#define get_global_id(k) (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + get_local_id(k))
#define atomic_add(at, more) __sync_fetch_and_add(at, more)
#define barrier(fences) __nvvm_bar_sync(0)
C
done
options='-cl-std=CL1.2 -w -DLANES=1' single='-DSINGLE=1 -cl-single-precision-constant'
cl() { # target, precision, program, options ...
  target=$1 precision=$2 program=$3
  shift 3
  # shellcheck disable=SC2086
  $clang -x cl $options -Xclang -finclude-default-header -Iinst -I"$work" -O3 -S "$@" "inst/kernels/$program.cl" \
    -o "$code/$target.$precision.${program##*/}.s" || { echo "$program does not compile for $target"; failed=1; }
}
amd() { cl gfx90a "$@" -target amdgcn-amd-amdhsa -mcpu=gfx90a --rocm-device-lib-path=$libraries; }
nvidia() {
  case $1 in double) number=double ;; single) number=float ;; esac
  cl sm_90 "$@" -include "$work/nvidia_$number.h" -target nvptx64--nvidiacl -Xclang -target-cpu -Xclang sm_90 \
    -Xclang -target-feature -Xclang +ptx78
}
intel() { # one text without headers, as drivers get it
  program=${2##*/} flags=
  [ "$1" = single ] && flags=$single
  # shellcheck disable=SC2086
  $clang -E -P -x cl $options $flags -Iinst -I"$work" "inst/kernels/$2.cl" >"$work/$program.cl" &&
    ( $ocloc compile -file "$work/$program.cl" -device skl -options "$options $flags" -out_dir "$work/skl" \
      -output "$program" >"$work/log" 2>&1; times >"$work/time" ) && grep -q 'Build succeeded' "$work/log" ||
    { echo "$2 does not compile for skl"; cat "$work/log"; failed=1; }
  awk -F '[ms ]+' -v name="skl $1 $program" '
    END { printf "%s seconds=%.1f\n", name, 60 * ($1 + $3) + $2 + $4 }' "$work/time"
}
lines_of() { sed -n "s/^$1(\([a-z0-9_]*\), \([a-z0-9_]*\),.*/\1\/\2/p" inst/kernels/common/map.def | sort -u; }
all() { # a compiler
  for program in $(lines_of '[A-Z]*_LINE'); do "$1" double "$program"; done
  # shellcheck disable=SC2086
  for program in $(lines_of EITHER_LINE); do "$1" single "$program" $single; done
}
chosen=${*:-amd nvidia intel} targets=
for compiler in $chosen; do
  case $compiler in
  amd) [ -e $libraries/ockl.bc ] && command -v "$clang" && targets="$targets gfx90a" ;;
  nvidia) command -v "$clang" && targets="$targets sm_90" ;;
  intel) command -v "$clang" && command -v "$ocloc" ;;
  *) echo "gpu-codegen: who is $compiler?"; exit 1 ;;
  esac >"$work/found" || { cat "$work/found"; echo "gpu-codegen: nothing here compiles for $compiler"; continue; }
  all "$compiler" >>"$work/said"
done
for file in "$code"/gfx90a.*.s; do
  [ -e "$file" ] || continue
  name=${file##*/}
  name=${name%.*.s}
  awk -v name="$(echo "$name" | tr . ' ')" '
    /^[A-Za-z_]/ { calls = 0; split("", all); split("", fused) }
    /^\.LBB[0-9_]+:|^; %bb/ { loop = $1 }
    /^\.LBB[0-9_]+:|^; %bb/ && match($0, /Header=BB[0-9_]+/) { loop = ".L" substr($0, RSTART + 7, RLENGTH - 7) ":" }
    /^\t[a-z]/ { all[loop]++ }
    /^\tv_fmac?_f(32|64)/ { fused[loop]++ }
    /s_swappc_b64/ { calls++ }
    $1 == ".amdhsa_kernel" { kernel = $2 }
    /^; codeLenInByte/ { code = $4 }
    /^; TotalNumVgprs:/ { registers = $3 }
    /^; ScratchSize:/ { scratch = $3 }
    /^; LDSByteSize:/ { lds = $3 }
    /^; Occupancy:/ && kernel {
      most = share = 0
      for (loop in fused)
        if (fused[loop] > most) { most = fused[loop]; share = 100 * most / all[loop] }
      printf "%s %s registers=%d scratch=%d waves=%d lds=%d code=%d calls=%d fused=%d\n", name, kernel, registers,
             scratch, $3, lds, code, calls, share
      kernel = ""
    }' "$file"
done >"$work/table"
for file in "$code"/sm_90.*.s; do
  [ -e "$file" ] || continue
  name=${file##*/}
  name=${name%.*.s}
  awk -v name="$(echo "$name" | tr . ' ')" '
    /\.entry / { kernel = $NF; sub(/\(.*/, "", kernel); depot = calls = 0 }
    /__local_depot[0-9]+\[/ { depot = $0; gsub(/.*\[|\].*/, "", depot) }
    /^[ \t]*call/ { calls++ }
    /^}/ && kernel { printf "%s %s depot=%d calls=%d\n", name, kernel, depot, calls; kernel = "" }' "$file"
done >>"$work/table"
kernels=$(grep -c '^[A-Z]*_LINE(' inst/kernels/common/map.def)
for target in $targets; do # other compilers may write code in which nothing is found
  lines=$(grep -c "^$target double " "$work/table")
  [ "$lines" = "$kernels" ] || { echo "gpu-codegen: of $kernels kernels $lines are found for $target"; failed=1; }
done
grep '^skl' "$work/said" >>"$work/table"
grep -v '^skl' "$work/said"
cat "$work/table"
# A line of limits: target, kernel (or program) or *, quantity, limit and, of what * does not hold for, why.
awk 'FNR == NR { if (NF && !/^#/) limit[$1, $2, $3] = $4; next }
     { rows++
       for (i = 4; i <= NF; i++) {
         split($i, is, "=")
         most = ($1, $3, is[1]) in limit ? limit[$1, $3, is[1]] : limit[$1, "*", is[1]]
         if (most != "" && (is[1] == "waves" || is[1] == "fused" ? is[2] < most : is[2] > most)) {
           printf "%s, in %s precision, for %s: %s is %s, the limit %s\n", $3, $2, $1, is[1], is[2], most
           bad++
         }
       }
     }
     END { printf "gpu-codegen: %d lines, %d above a limit of tools/gpu-limits.txt\n", rows, bad; exit bad > 0 }' \
  tools/gpu-limits.txt "$work/table" || failed=1
[ "$failed" = 0 ] || exit 1
exit 0
