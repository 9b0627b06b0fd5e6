#!/usr/bin/env bash
# The layer check must fail on a door opened the wrong way: a tree with one is made, and the check run on it.
set -eu
source=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tools" "$tree/src/base" "$tree/src/math"
cp "$source/tools/layers.txt" "$tree/tools"
echo '#include "base/memory.h"' >"$tree/src/math/good.c"
"$source/tools/check_layers" "$tree"
echo '#include "math/vec3.h"' >"$tree/src/base/bad.c"
if "$source/tools/check_layers" "$tree" >"$tree/said"; then
    echo "a wrong include was not seen"
    exit 1
fi
grep -q 'src/base/bad.c:1: base may not include math/vec3.h' "$tree/said"
