#!/bin/sh
# Compiles the engine, which is all of src/ that does not know R, into <folder>/engine.a; needs neither R nor GSL.
# Usage: tools/engine.sh <folder> <compiler> [flag ...]
set -eu
folder=$1 compiler=$2
shift 2
root=$PWD
sh tools/stage.sh "$folder/package"
cd "$folder/package"
GSL_CFLAGS=-DSTATCL_NO_GSL STATCL_DEPENDENCIES=1 sh ./configure
# Makevars makes R's $(SHLIB): here that is a list of objects. Rules of make and those of Makevars name flags
# differently.
objects='$(foreach o,$(OBJECTS),$(if $(findstring /r_,$o)$(findstring glue/,$o),,$(if $(findstring /,$o),$o)))'
flags="$* -MMD -MP -MF \$(@:.o=.dep)"
make --no-print-directory -j "$(nproc 2>/dev/null || echo 1)" -C src -f Makevars all CC="$compiler" SHLIB="$objects" \
  CPPFLAGS='$(PKG_CPPFLAGS)' ALL_CPPFLAGS='$(PKG_CPPFLAGS)' CFLAGS="$flags" ALL_CFLAGS='$(CFLAGS)'
cd "$root"
sh tools/archive.sh "$folder/engine.a" "$folder/package"
