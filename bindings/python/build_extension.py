# SPDX-License-Identifier: MIT
"""Compiles the extension abut._abut with cffi's API mode, and puts it with the libraries into a folder.

    python3 build_extension.py FOLDER

The declarations are those of the installed headers, run through the compiler's preprocessor, so that
they cannot differ from the library's. The library itself comes from, in this order: the CMake build that
ABUT_BUILD_DIR names; the source tree around this folder (its build/ where that is configured, else
build/python); an installed abut that pkg-config knows.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def say(text):
    print("abut:", text, file=sys.stderr)


def find_library():
    """Include folder, shared libraries to put beside the extension, further arguments for the linker."""
    build = os.environ.get("ABUT_BUILD_DIR", "")
    in_tree = os.path.exists(os.path.join(ROOT, "include", "abut", "abut.h"))
    if not build and in_tree:
        build = os.path.join(ROOT, "build")
        if not os.path.exists(os.path.join(build, "CMakeCache.txt")):
            build = os.path.join(build, "python")
            say("building the library in " + build)
            run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DABUT_TESTS=OFF",
                "-DABUT_CLI=OFF", "-DABUT_EXAMPLES=OFF", "-DABUT_WERROR=OFF")
    if build:
        run("cmake", "--build", build, "--target", "abut_shared", "--target", "abut_io_shared", "--parallel")
        found = {}
        for folder, _, files in os.walk(build):
            for file in files:
                path = os.path.join(folder, file)
                # the build's own, not a copy that a test has installed somewhere below
                if re.fullmatch(r"libabut(_io)?\.so\.\d+", file) and len(path) < len(found.get(file, path + "/")):
                    found[file] = path
        if len(found) < 2:
            sys.exit("abut: there are no shared libraries in " + build)
        return os.path.join(ROOT, "include"), sorted(found.values()), []
    try:
        include = run("pkg-config", "--variable=includedir", "abut").strip()
        return include, [], shlex.split(run("pkg-config", "--libs", "abut", "abut_io"))
    except (OSError, subprocess.CalledProcessError):
        sys.exit("abut: the library was not found: no source tree around, and pkg-config knows no abut_io")


def declarations(include, compiler):
    """The C declarations of all headers, as cffi reads them."""
    text = subprocess.run(compiler + ["-E", "-D__attribute__(x)=", "-I", include, "-x", "c", "-"],
                          input="#include <abut/abut.h>\n", check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout
    kept, ours = [], False
    for line in text.split("\n"):
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            ours = "/abut/" in mark.group(1)
        elif ours and line.strip():
            kept.append(line)
    text = "\n".join(kept).replace("_Bool", "bool")
    # cffi cannot write a pointer to an array of constants.
    return re.sub(r"const (\w+) \(\*(\w+)\)\[", r"\1 (*\2)[", text)


def main(out):
    try:
        import cffi
    except ImportError:
        sys.exit("abut: cffi is missing (Debian: apt install python3-cffi; or pip install cffi)")
    include, libraries, link = find_library()
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with open(os.path.join(HERE, "batch.h"), encoding="utf-8") as file:
        batch = file.read()
    with open(os.path.join(HERE, "batch.c"), encoding="utf-8") as file:
        source = file.read()
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler))
    ffi.cdef(re.sub(r"/\*.*?\*/", "", batch, flags=re.S))
    ffi.set_source("abut._abut", "#include <abut/abut.h>\n" + batch + source)
    os.makedirs(out, exist_ok=True)
    code = os.path.join(out, "_abut.c")
    ffi.emit_c_code(code)
    target = os.path.join(out, "_abut" + sysconfig.get_config_var("EXT_SUFFIX"))
    for path in libraries:
        shutil.copy(os.path.realpath(path), os.path.join(out, os.path.basename(path)))
    links = [os.path.join(out, os.path.basename(path)) for path in libraries]
    headers = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(headers, "Python.h")):
        sys.exit("abut: Python.h is missing (Debian: apt install python3-dev)")
    run(*compiler, "-O2", "-fPIC", "-shared", "-w", "-I", include, "-I", headers, code, "-o", target,
        "-Wl,--no-as-needed", *links, *link, "-Wl,-rpath,$ORIGIN")
    os.remove(code)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
