#!/usr/bin/env bash
# Installs the package into a scratch prefix, then builds and runs a consumer through find_package and through pkg-config,
# static and shared.
#   consumer.sh BUILD_DIR SOURCE_DIR CC
set -eu
build=$1 source=$2 cc=$3
work=$build/consumer
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
lib=$(dirname "$(find "$work/prefix" -name abut.pc)")
export PKG_CONFIG_PATH=$lib LD_LIBRARY_PATH=$(dirname "$lib")

cmake -S "$source/test/checks/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" >/dev/null
cmake --build "$work/cmake" >/dev/null
for program in core core_shared io io_shared; do
    "$work/cmake/$program"
done

main=$source/test/checks/consumer/main.c
"$cc" "$main" -o "$work/pc_core" $(pkg-config --cflags --libs abut)
"$cc" -DCONSUMER_IO "$main" -o "$work/pc_io" $(pkg-config --cflags --libs abut_io)
"$work/pc_core"
"$work/pc_io"
readelf -d "$work/pc_core" | grep -q 'libabut.so.0'
"$work/prefix/bin/abut" --version
