#!/bin/sh
# Makes sure that what a make target needs is there:  sh tools/setup.sh demo|quick|test|test-all|check|lint|site
# Missing Debian or Ubuntu packages are installed with apt, never asking, when this user may; R packages that are
# still missing then come from CRAN into R's own or the user's library. Otherwise the script says what is missing.
# OpenCL and MPFR, which the tests want, may be missing, and are then named: the tests run without them. Where
# STATCL_TEST_OPENCL is 1, as in continuous integration, OpenCL may not.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/have.sh
target=${1:-demo}
missing=      # Debian packages
wanted=       # those that the tests can do without
say() { printf '%s\n' "$*" >&2; }

case $target in
  demo) r_packages=sp ;; # for its data: without it the demo takes others
  quick | test) r_packages=testthat ;;
  check | test-all)
    r_packages='testthat cli knitr rmarkdown fitdistrplus generics ggplot2 gstat lme4 MASS mirai ncdf4
      RNetCDF sandwich sf sp stars terra zoo' ;;
  lint) r_packages= ;;
  site) r_packages='pkgdown bslib knitr rmarkdown sp gstat lme4 fitdistrplus generics' ;;
  *) say "usage: sh tools/setup.sh demo|quick|test|test-all|check|lint|site"; exit 2 ;;
esac

look_for_system() {
  missing= wanted=
  have R && have Rscript || missing="$missing r-base-core"
  have cc && have make && [ -f "$(R RHOME 2>/dev/null)/etc/Makeconf" ] || missing="$missing r-base-dev"
  have gsl-config || pkg-config --exists gsl 2>/dev/null || missing="$missing libgsl-dev"
  case $target in quick | test | check | test-all)
    have_mpfr || wanted="$wanted libmpfr-dev" # the engine tests' high precision
    have_opencl || wanted="$wanted ocl-icd-libopencl1 pocl-opencl-icd" ;;
  esac
  case $target in check | site | test-all)
    have pandoc || missing="$missing pandoc"
  esac
  case $target in check | test-all)
    have qpdf || missing="$missing qpdf"
    have tidy || missing="$missing tidy"
    have checkbashisms || missing="$missing devscripts"
    have pdflatex || missing="$missing texlive-latex-extra texlive-fonts-recommended texlive-fonts-extra"
  esac
  case $target in lint | test-all) have clang || missing="$missing clang" ;; esac
  case $target in test-all)
    have_sanitizers || missing="$missing libclang-rt-dev"
    have oclgrind || missing="$missing oclgrind"
    have valgrind || missing="$missing valgrind"
    have x86_64-w64-mingw32-gcc || missing="$missing gcc-mingw-w64-x86-64" ;;
  esac
}

look_for_r_packages() {
  absent=
  for package in $r_packages; do have_r_package "$package" || absent="$absent $package"; done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
may_install() {
  have apt-get && { [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; }; }
}
apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# One name that apt does not know would keep it from installing the others.
known_to_apt() {
  for package; do apt-cache show "$package" >/dev/null 2>&1 && echo "$package"; done
}

look_for_system
look_for_r_packages
# R packages built for Debian's own R; an R from elsewhere takes them from CRAN below.
if [ -n "$absent" ] && { ! have R || [ "$(command -v R)" = /usr/bin/R ]; }; then
  for package in $absent; do missing="$missing r-cran-$(echo "$package" | tr '[:upper:]' '[:lower:]')"; done
fi
if [ -n "$missing$wanted" ] && may_install; then
  say "Installing:$missing$wanted"
  log=$(mktemp)
  # shellcheck disable=SC2086
  { apt update; apt install --no-install-recommends $(known_to_apt $missing $wanted); } >"$log" 2>&1 ||
    tail -n 20 "$log" >&2
  rm -f "$log"
  look_for_system
fi
look_for_r_packages
if [ -z "$missing" ] && [ -n "$absent" ]; then
  say "Installing from CRAN:$absent"
  # shellcheck disable=SC2086
  Rscript - $absent >/dev/null 2>&1 <<'R'
wanted <- commandArgs(TRUE)
if (file.access(.libPaths()[1], 2) != 0) {
  dir.create(Sys.getenv("R_LIBS_USER"), recursive = TRUE, showWarnings = FALSE)
  .libPaths(Sys.getenv("R_LIBS_USER"))
}
if (any(getOption("repos") == "@CRAN@")) chooseCRANmirror(ind = 1, local.only = TRUE)
install.packages(wanted)
R
  look_for_r_packages
fi

[ "$target" = demo ] && absent=
[ "${STATCL_TEST_OPENCL:-}" = 1 ] && ! have_opencl && missing="$missing$wanted"
if [ -z "$missing$absent" ]; then
  [ -z "$wanted" ] || say "make $target runs without what could not be installed:  apt-get install$wanted"
  exit 0
fi
say "make $target cannot run: something is missing and could not be installed."
[ -n "$missing" ] && say "  System packages:  apt-get install$missing"
[ -n "$absent" ] && say "  R packages:       install.packages(c($(printf '"%s", ' $absent | sed 's/, $//')))"
exit 1
