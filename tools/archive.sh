#!/bin/sh
# The engine's objects, which are those in folders that do not know R, from a built copy of the package's sources.
# Usage: tools/archive.sh <archive> <folder of the package>
set -eu
archive=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$2/src"
rm -f "$archive"
# shellcheck disable=SC2046
ar rcs "$archive" $(sed -n 's/^OBJECTS *= *//p' Makevars | tr ' ' '\n' | grep / | grep -v -e '^glue/' -e '/r_')
