#!/bin/sh
# Brings a copy of the package's sources in a folder up to date, with their times, and leaves objects there alone:
# what has not changed is not compiled again. Usage: tools/stage.sh <folder>
set -eu
stage=$1
parts='DESCRIPTION NAMESPACE NEWS.md configure configure.win cleanup R demo inst man src'
mkdir -p "$stage"
for part in $parts; do cp -pRu "$part" "$stage"; done
find "$stage" -type f ! -name '*.o' ! -name '*.so' ! -name '*.dep' ! -name Makevars | while read -r file; do
  [ -e "${file#"$stage"/}" ] || rm -f "$file"
done
