#!/bin/sh
# Everything: each part has its log in build/all, and one that fails hides no other.
set -u
mkdir -p build/all
failed=
part() { # name, command ...
  name=$1
  shift
  printf '%-16s ' "$name"
  if "$@" >"build/all/$name.log" 2>&1; then tail -n 1 "build/all/$name.log"; else
    echo "FAILED, see build/all/$name.log"
    failed="$failed $name"
  fi
}
quietly_make() { make --no-print-directory "$@"; }
part lint quietly_make lint
part install quietly_make install
part tests env STATCL_TEST_CASES=100000 sh tools/test.sh all
part bare quietly_make bare
for level in baseline avx2; do part "tests-$level" env STATCL_CPU=$level sh tools/test.sh quick; done
part hostile Rscript bench/hostile.R
part hostile-api Rscript bench/hostile-api.R
part faults Rscript tools/faults/faults.R build/library
part address-R sh tools/sanitize-r.sh
part torture env STATCL_TORTURE=25 STATCL_OPENCL=off STATCL_TESTS=quick \
  LEFT_OUT='contract documents device cluster progress integrate-fallback' sh tools/run-testthat.sh
part checked quietly_make -C tests/engine BUILD=../../build/engine CHECKED=1 SIZE=0.2 SIZE_LOWER=0.05 check
part checked-R quietly_make quick CHECKED=1
part gpu-dry-run sh bench/gpu/dry-run.sh
part simulated-gpu Rscript tools/simulated-gpu.R build/library
part sanitize sh tools/sanitize.sh
part gpu-codegen sh tools/gpu-codegen.sh
part cross-compile sh tools/cross-compile.sh
part check quietly_make check
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
