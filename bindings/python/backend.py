# SPDX-License-Identifier: MIT
"""Build backend (PEP 517) of the Python module: makes a wheel with what is installed.

pip runs a backend in an environment of its own, in which cffi is missing; to download it there would
need a network. So the extension is built in a process of the same interpreter without that environment,
where Debian's python3-cffi (or any other) is found.
"""
import base64
import hashlib
import io
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME, VERSION = "abut", "0.1.0"


def _tag():
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n"
        "Summary: When, where and how solid things touch, with proof\nLicense: MIT\n"
        "Requires-Python: >=3.9\nRequires-Dist: cffi>=1.15\nRequires-Dist: numpy>=1.21\n"
        "Description-Content-Type: text/markdown\n\n" + readme
    )


def _build_extension(out):
    environment = dict(os.environ)
    for name in ("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONHOME"):
        environment.pop(name, None)
    script = os.path.join(HERE, "build_extension.py")
    subprocess.run([sys.executable, script, out], check=True, env=environment)


def _write_wheel(directory, files):
    info = f"{NAME}-{VERSION}.dist-info"
    tag = _tag()
    files = dict(files)
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: abut\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = []
    name = f"{NAME}-{VERSION}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}\n")
        record.append(f"{info}/RECORD,,\n")
        wheel.writestr(f"{info}/RECORD", "".join(record))
    return name


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    import tempfile

    with tempfile.TemporaryDirectory() as out:
        _build_extension(out)
        files = {}
        package = os.path.join(HERE, "src", "abut")
        for name in sorted(os.listdir(package)):
            if name.endswith((".py", ".typed", ".pyi")):
                files[f"abut/{name}"] = _read(os.path.join(package, name))
        for name in sorted(os.listdir(out)):
            files[f"abut/{name}"] = _read(os.path.join(out, name))
        return _write_wheel(wheel_directory, files)


def build_sdist(sdist_directory, config_settings=None):
    name = f"{NAME}-{VERSION}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for folder, folders, files in os.walk(HERE):
            folders[:] = [f for f in folders if f not in ("__pycache__", ".pytest_cache", "build")]
            for file in files:
                path = os.path.join(folder, file)
                archive.add(path, os.path.join(f"{NAME}-{VERSION}", os.path.relpath(path, HERE)))
        content = _metadata().encode()
        entry = tarfile.TarInfo(f"{NAME}-{VERSION}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


if __name__ == "__main__":
    print(build_wheel(sys.argv[1] if len(sys.argv) > 1 else "."))
