# Installation: libraries, headers, command, CMake package `abut`, pkg-config `abut` and `abut_io`.
