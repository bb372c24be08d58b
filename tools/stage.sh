#!/bin/sh
# Brings a copy of the package's sources in a folder up to date and leaves objects there alone: what has not changed
# is not compiled again. A changed file gets the time of copying, so that it is newer than all objects made before,
# and so does the file "staged" when anything has changed. Usage: tools/stage.sh <folder>
set -eu
stage=$1
[ -e "$stage/staged" ] || { mkdir -p "$stage"; touch "$stage/staged"; }
parts='DESCRIPTION NAMESPACE NEWS.md configure configure.win cleanup R demo inst man src'
# shellcheck disable=SC2086
find $parts -type f ! -name '*.o' ! -name '*.so' ! -name 'Makevars' | while read -r file; do
  cmp -s "$file" "$stage/$file" && continue
  mkdir -p "$stage/$(dirname "$file")"
  rm -f "$stage/$file"
  cp "$file" "$stage/$file"
  touch "$stage/staged"
done
find "$stage" -type f ! -name '*.o' ! -name '*.so' ! -name '*.dep' ! -name Makevars ! -name staged |
  while read -r file; do
    [ -e "${file#"$stage"/}" ] || { rm -f "$file"; touch "$stage/staged"; }
  done
find "$stage" -type d -empty -exec rmdir {} +
