#!/bin/sh
# Replays the prepared folder (make gpu-prepared) on this machine's GPU; nothing else is needed here:
#   sh run-prepared.sh [folder for results]
# DEVICE=1: the second device (GPUs come first). LIMIT: seconds, 290. ONLY=bessel: programs with this in their name.
# STATCL_OPENCL_LIBRARY: this OpenCL library alone.
here=$(cd "$(dirname "$0")" && pwd)
prepared=$here
[ -x "$prepared/driver" ] || prepared=$here/../../build/gpu-prepared
[ -x "$prepared/driver" ] || { echo "there is no $prepared: make gpu-prepared"; exit 2; }
results=${1:-gpu-results}
rm -rf "$results/run"
mkdir -p "$results/run"
# a cache of its own: NVIDIA's compiler builds all once, and says what it has built
mkdir "$results/run/cache"
CUDA_CACHE_PATH=$(cd "$results/run/cache" && pwd) CUDA_CACHE_MAXSIZE=1000000000
export CUDA_CACHE_PATH CUDA_CACHE_MAXSIZE
"$prepared/driver" "$prepared" "$results/run"
status=$?
for file in table.txt results.json figures.csv; do mv "$results/run/$file" "$results/" 2>/dev/null; done
exit $status
