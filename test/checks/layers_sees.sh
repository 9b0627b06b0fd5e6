#!/usr/bin/env bash
# The layer check must fail on an include from left to right, between modules and between sub-modules.
set -eu
source=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tools" "$tree/src/base" "$tree/src/math" "$tree/src/narrow/pair" "$tree/src/narrow/ray"
cp "$source/tools/layers.txt" "$tree/tools"
echo '#include "base/memory.h"' >"$tree/src/math/good.c"
echo '#include "narrow/pair/gap.h"' >"$tree/src/narrow/ray/good.c"
"$source/tools/check_layers" "$tree"
must_see() { # FILE INCLUDE
    printf '#include "%s"\n' "$2" >"$tree/src/$1"
    if "$source/tools/check_layers" "$tree" >"$tree/said"; then
        echo "a wrong include was not seen: $1 includes $2"
        exit 1
    fi
    grep -q "src/$1:1: $(dirname "$1") may not include $2" "$tree/said"
    rm "$tree/src/$1"
}
must_see base/bad.c math/vec3.h
must_see narrow/pair/bad.c narrow/ray/line.h
