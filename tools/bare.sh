#!/bin/sh
# tools/bare.sh own|base <folder> <command ...>: runs a command for which, of all R packages, only statcl, testthat
# with what it depends on, and R's own are there: the recommended ones too, or ("base") not. R itself is another
# folder of links, for R always sees the packages beside it: processes that the command starts, however they do, see
# no more.
set -eu
own=$1
bare=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
home=$(R RHOME)
rm -rf "$bare/R" "$bare/packages"
mkdir -p "$bare/R/bin" "$bare/R/etc" "$bare/R/library" "$bare/packages" "$bare/none"
link() { # into a folder, all that is in another but these names
  for entry in "$2"/*; do
    case " $3 " in *" ${entry##*/} "*) ;; *) ln -s "$entry" "$1/" ;; esac
  done
}
link "$bare/R" "$home" 'bin etc library site-library'
link "$bare/R/bin" "$home/bin" R
link "$bare/R/etc" "$home/etc" 'Renviron Renviron.site Rprofile.site'
sed '/R_LIBS/d' "$home/etc/Renviron" >"$bare/R/etc/Renviron"
sed "s|^R_HOME_DIR=.*|R_HOME_DIR='$bare/R'|" "$home/bin/R" >"$bare/R/bin/R"
chmod +x "$bare/R/bin/R"
Rscript - "$own" "$bare" <<'R'
told <- commandArgs(TRUE)
all <- installed.packages()
own <- all[all[, "Priority"] %in% c("base", if (told[1] == "own") "recommended"), , drop = FALSE]
wanted <- c("statcl", "testthat")
wanted <- c(wanted, unlist(tools::package_dependencies(wanted, all, c("Depends", "Imports"), recursive = TRUE)))
linked <- function(packages, folder) {
  packages <- packages[!duplicated(packages[, "Package"]), , drop = FALSE]
  from <- normalizePath(file.path(packages[, "LibPath"], packages[, "Package"]))
  all(file.symlink(from, file.path(told[2], folder, packages[, "Package"])))
}
stopifnot(linked(own, "R/library"),
          linked(all[all[, "Package"] %in% setdiff(wanted, own[, "Package"]), ], "packages"))
R
export RHOME="$bare/R" R_LIBS="$bare/packages" R_LIBS_SITE="$bare/none" R_LIBS_USER="$bare/none"
export PATH="$bare/R/bin:$PATH"
printf 'Packages besides R: %s\n' "$(ls "$bare/packages" | tr '\n' ' ')"
exec "$@"
