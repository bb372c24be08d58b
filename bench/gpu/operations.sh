#!/bin/sh
# Counts the operations in double precision of a result of each task that is timed, by Oclgrind (Debian: oclgrind),
# and writes bench/gpu/operations.tsv: a fused multiply-add counts two, comparisons and moves nothing. The last column
# is the bytes that it reads from and writes to the device's memory, as if nothing stayed in a cache.
#   bench/gpu/operations.sh [prepared folder]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-build/gpu-prepared}
STATCL_OPENCL_LIBRARY=$(find /usr/lib* -name liboclgrind-rt-icd.so | head -n 1)
export STATCL_OPENCL_LIBRARY OCLGRIND_INST_COUNTS=1
[ -n "$STATCL_OPENCL_LIBRARY" ] || { echo 'Oclgrind is not here'; exit 1; }
number=-1
sed -n 's/^task . . //p' "$folder/tasks.txt" | while read -r label; do
  number=$((number + 1))
  [ "$label" = - ] || "$folder/driver" "$folder" /tmp --time $number 64
done | awk -F '\t' '
  function note(  k) {
    for (k in sum) printf "%s\t%s\t%.6g\t%.6g\n", label, k, sum[k] / results, moved[k] / results
    delete sum
    delete moved
  }
  $1 == "count" { note(); label = $2; results = $3; next }
  /^Instructions executed for kernel/ { split($0, quoted, "\047"); kernel = quoted[2]; sum[kernel] += 0; next }
  /^ *[0-9,]+ - / {
    split($0, part, / - /)
    gsub(/[ ,]/, "", part[1])
    if (part[2] ~ /^call _Z[0-9]+fma/) sum[kernel] += 2 * part[1]
    else if (part[2] ~ /^f(add|sub|mul|div)/ || part[2] ~ /^call _Z[0-9]+sqrt/) sum[kernel] += part[1]
    if (match(part[2], /global \([0-9,]+ bytes/)) {
      bytes = substr(part[2], RSTART + 8, RLENGTH - 14)
      gsub(/,/, "", bytes)
      moved[kernel] += bytes
    }
  }
  END { note()
        for (n = 512; n <= 8192; n *= 4) {
          printf "Cholesky factor of %d\t*\t%.6g\n", n, n * n / 3
          printf "Cholesky inverse of %d\t*\t%.6g\n", n, 2 * n * n / 3
          printf "Kriging errors at 4096 places, data %d\t*\t%.6g\n", n, 4096 * n
        } }' | LC_ALL=C sort >bench/gpu/operations.tsv
