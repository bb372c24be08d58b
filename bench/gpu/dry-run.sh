#!/bin/sh
# make gpu-prepared and its run on PoCL: every kernel is as on the CPU and every family has its time. Then with one
# digit of a constant changed: the kernel that has it is found wrong, and no other.
set -eu
cd "$(dirname "$0")/../.."
make --no-print-directory gpu-prepared
LIMIT=${LIMIT:-1500} sh bench/gpu/run-prepared.sh build/gpu-results
if grep -nwiE 'inf|nan|not measured' build/gpu-results/table.txt; then exit 1; fi

wrong=build/gpu-wrong
rm -rf $wrong
cp -R build/gpu-prepared $wrong
sed -i 's/K(0\.0421977345555207)/K(0.0421977345655207)/' $wrong/programs/bessel-????????.cl
if ONLY=bessel- sh $wrong/run-prepared.sh $wrong/results >$wrong/log; then
  echo 'a wrong constant was not found'
  exit 1
fi
found=$(awk '$NF == "WRONG" { print $1 }' $wrong/results/table.txt | tr '\n' ' ')
echo "wrong constant: found in $found"
[ "$found" = 'bessel_series ' ] || { cat $wrong/log; exit 1; }
