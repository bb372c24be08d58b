# Reads who uses whom, a pair of names per line, and prints the names that are in a circle or between two. Usage:
#   awk -v how="a circle of includes" -f tools/circles.awk
$1 != $2 && !(($1, $2) in seen) { seen[$1, $2] = 1; from[++m] = $1; to[m] = $2; open[$1] = open[$2] = 1 }
END { # takes away what nothing open uses or what uses nothing open; circles stay
  do {
    change = 0
    for (f in open) {
      out = in_ = 0
      for (i = 1; i <= m; i++) {
        if (from[i] == f && to[i] in open) out = 1
        if (to[i] == f && from[i] in open) in_ = 1
      }
      if (!out || !in_) { delete open[f]; change = 1 }
    }
  } while (change)
  for (f in open) { print "in " how ": " f; bad = 1 }
  exit bad
}
