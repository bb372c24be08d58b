#!/bin/sh
# Files in C must not use functions or data of each other in a circle. What they use is read from their objects.
# Usage: tools/lint-symbols.sh <folder of the built package>
set -u
circles=$(cd "$(dirname "$0")" && pwd)/circles.awk
cd "$1/src" || exit 1
# shellcheck disable=SC2046
nm -A $(sed -n 's/^OBJECTS *= *//p' Makevars) | awk '
  { sub(/:.*/, "", $1) }
  $(NF - 1) == "U" { used[++n] = $1 " " $NF }
  $(NF - 1) ~ /^[BCDRT]$/ { file[$NF] = $1 }
  END { for (i = 1; i <= n; i++) { split(used[i], u, " "); if (u[2] in file) print u[1], file[u[2]] } }' |
  awk -v how='a circle of calls' -f "$circles"
