# SPDX-License-Identifier: MIT
"""backend.py - builds the package `sonde` for pip (PEP 517) with nothing but a C compiler

libsonde is linked into the extension, so that an installed package depends on no file of this tree. It is, in this
order: the archive that SONDE_LIBRARY names; that of this tree, which meson builds in build/python; an installed one
that pkg-config knows. docs/decisions/python.md says why.
"""
import base64
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "python")
ABI = "0x030b0000"     # every CPython from 3.11 on


def version():
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as f:
        return re.search(r"version: '([^']+)'", f.read()).group(1)


def run(*command, **how):
    """What a command prints; ends the build with its messages if it fails.

    pip's environment for builds hides the packages of the system, which meson is one of.
    """
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, **how)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def pkg_config(*words):
    return shlex.split(run("pkg-config", *words))


def built_archive():
    """libsonde.a of this tree; None without meson and ninja."""
    ninja = next((name for name in ("ninja", "ninja-build", "samu") if shutil.which(name)), None)
    if not ninja or not shutil.which("meson"):
        return None
    build = os.path.join(ROOT, "build", "python")
    if not os.path.exists(os.path.join(build, "build.ninja")):
        run("meson", "setup", build, ROOT, "-Dbuildtype=release", "-Dtests=false")
    run(ninja, "-C", build, "src/libsonde.a")
    return os.path.join(build, "src", "libsonde.a")


def library():
    """Options of the compiler and of the linker for libsonde."""
    archive = os.environ.get("SONDE_LIBRARY") or built_archive()
    if archive:
        pc = os.path.join(os.path.dirname(os.path.dirname(archive)), "meson-private", "sonde.pc")
        libs = pkg_config("--static", "--libs-only-l", "--libs-only-other", pc)
        return ["-I" + os.path.join(ROOT, "include")], [archive, *(lib for lib in libs if lib != "-lsonde")]
    if shutil.which("pkg-config") and subprocess.run(["pkg-config", "sonde"], check=False).returncode == 0:
        return pkg_config("--cflags", "sonde"), pkg_config("--libs", "sonde")
    sys.exit("libsonde is needed: install meson, ninja and the libraries that ./dev build names, or install libsonde, "
             "or set SONDE_LIBRARY to the libsonde.a of a build")


def compile_extension(out):
    include = sysconfig.get_paths()["include"]
    if not os.path.exists(os.path.join(include, "Python.h")):
        sys.exit(f"{include}/Python.h is needed: Debian's package python3-dev has it")
    flags, libs = library()
    compiler = shlex.split(os.environ.get("CC") or "cc")
    sources = sorted(os.path.join(PYTHON, "src", name) for name in os.listdir(os.path.join(PYTHON, "src"))
                     if name.endswith(".c"))
    run(*compiler, "-shared", "-fPIC", "-O2", "-std=gnu11", "-fvisibility=hidden", "-Wall", "-Wextra",
        "-Wno-missing-field-initializers", f"-DPy_LIMITED_API={ABI}", "-I" + include, *flags,
        *shlex.split(os.environ.get("CFLAGS", "")), "-o", out, *sources, "-Wl,--exclude-libs,ALL",
        *shlex.split(os.environ.get("LDFLAGS", "")), *libs)


def metadata():
    return f"""Metadata-Version: 2.1
Name: sonde
Version: {version()}
Summary: read and analyse Linux performance traces: perf.data and trace.dat
License: MIT
Requires-Python: >=3.11
"""


def tag():
    return "cp311-abi3-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


class Wheel:
    """A wheel that is being written: its members, and what RECORD says of them."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.info = f"sonde-{version()}.dist-info"
        self.record = []

    def add(self, name, data):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")
        member = zipfile.ZipInfo(name)   # without the time of the build
        member.external_attr = 0o644 << 16
        member.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(member, data)

    def add_file(self, name, path):
        with open(path, "rb") as f:
            self.add(name, f.read())

    def close(self):
        self.add(f"{self.info}/METADATA", metadata().encode())
        self.add(f"{self.info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: sonde\nRoot-Is-Purelib: false\n"
                                       f"Tag: {tag()}\n".encode())
        self.add_file(f"{self.info}/LICENSE", os.path.join(ROOT, "LICENSE"))
        name = f"{self.info}/RECORD"
        self.zip.writestr(name, "".join(self.record) + f"{name},,\n")
        self.zip.close()


# ---- what pip calls ----

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    name = f"sonde-{version()}-{tag()}.whl"
    extension = os.path.join(wheel_directory, "_sonde.abi3.so")
    compile_extension(extension)
    wheel = Wheel(os.path.join(wheel_directory, name))
    package = os.path.join(PYTHON, "sonde")
    for file in sorted(os.listdir(package)):
        if file.endswith((".py", ".pyi", ".typed")):
            wheel.add_file(f"sonde/{file}", os.path.join(package, file))
    wheel.add_file("sonde/_sonde.abi3.so", extension)
    wheel.close()
    os.unlink(extension)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows: libsonde is built from the same tree."""
    del config_settings
    base = f"sonde-{version()}"
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for file in run("git", "ls-files", "-z", cwd=ROOT).rstrip("\0").split("\0"):
            tar.add(os.path.join(ROOT, file), f"{base}/{file}", recursive=False)
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        data = metadata().encode()
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return base + ".tar.gz"
