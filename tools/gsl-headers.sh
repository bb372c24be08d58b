#!/bin/sh
# Prints a folder that holds GSL's headers alone, for a cross compiler: next to the host's own headers, where GSL's
# usually are, it would find those first.
folder=$PWD/build/gsl-headers
mkdir -p "$folder" || exit 1
ln -sfn "$(gsl-config --prefix)/include/gsl" "$folder/gsl"
echo "$folder"
