#!/bin/sh
# Who may include whom. Rooms are the folders of src/ and kernels/; an arrow that is not listed here, and files that
# include each other in a circle, are failures. A file stands for its .c and its .h together.
set -u
cd "$(dirname "$0")/.." || exit 1
# Families may use others only thus; all of them may use the engine and kernels/common, and their r_*.c the glue.
arrows='covariance>bessel field>poisson gamma>poisson gp>covariance gp>dense
  quadrature>bessel quadrature>poisson quadrature>stable
  kernels/covariance>kernels/bessel kernels/gp>kernels/covariance kernels/quadrature>kernels/poisson
  kernels/gamma>kernels/poisson kernels/beta>kernels/gamma kernels/beta>kernels/poisson
  kernels/binomial>kernels/poisson kernels/binomial>kernels/beta kernels/binomial>kernels/gamma
  binomial>poisson binomial>beta'
find src inst/kernels -path src/khronos -prune -o \
  -type f \( -name '*.[ch]' -o -name '*.cl' -o -name '*.def' \) -print | xargs awk -v arrows="$arrows" '
    function stem(path) { sub(/^(src|inst)\//, "", path); sub(/\.(c|h|def)$/, "", path); return path }
    function room(path) { return match(path, /\/[^\/]*$/) ? substr(path, 1, RSTART - 1) : "" }
    function is_glue(path) { return path ~ /\/r_/ || room(path) == "glue" }
    function allowed(a, b, from, to, r) { # files a and b of rooms from and to
      if (from == "") return 1 # init.c and elementwise.c name what all families have
      if (from == to) return is_glue(a) || !is_glue(b)
      if (to == "kernels/common") return 1
      if (from ~ /^kernels/) return (from ">" to) in arrow
      if (from == "engine") return 0
      if (from == "glue") return to == "engine"
      if (to == "engine" || (to == "programs" && from != "glue")) return 1
      if (to == "glue") return is_glue(a)
      if (to == "kernels/" from) return 1
      if (is_glue(b) && !is_glue(a)) return 0
      if (to == "covariance" && !is_glue(b) && b != "covariance/covariance") return 0 # which is its public header
      r = to; sub(/^kernels\//, "", r)
      return (from ">" r) in arrow
    }
    BEGIN {
      circles = "awk -v how=\"a circle of includes\" -f tools/circles.awk"
      own = "^(engine|glue|programs|dense|gp|stable|bessel|covariance|poisson|binomial|gamma|beta|field|quadrature|"
      own = own "kernels)/"
      n = split(arrows, list); for (i = 1; i <= n; i++) arrow[list[i]] = 1
    }
    /^#[ ]*include ["<]/ {
      split($0, part, /["<>]/)
      if (part[2] == "integrand_text.h" || (/</ && part[2] !~ own)) next # made at run time; of the system
      if (part[2] !~ own) { print FILENAME ": include " part[2] " by its folder"; bad = 1; next }
      a = stem(FILENAME); b = stem(part[2])
      if (a == b) next
      if (!allowed(a, b, room(a), room(b))) { print FILENAME ": must not include " part[2]; bad = 1 }
      print a, b | circles
    }
    END { if (close(circles)) bad = 1; exit bad }'
