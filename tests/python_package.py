# SPDX-License-Identifier: MIT
"""python_package.py - the package for Python over the libsonde of this build, for tests that look through it"""
import glob
import os
import shlex
import shutil
import subprocess
import sysconfig

source = os.environ["SONDE_SOURCE"]
build = os.environ["SONDE_BUILD"]


def build_package(folder):
    """
    The package for Python over the libsonde of this build; None: this Python has no headers, or is not sanitized as the
    library is.
    """
    include = sysconfig.get_paths()["include"]
    if not os.path.exists(os.path.join(include, "Python.h")) or os.environ["SONDE_SANITIZE"] != "none":
        return None
    to = os.path.join(folder, "sonde")
    shutil.copytree(os.path.join(source, "python/sonde"), to)
    sources = sorted(glob.glob(os.path.join(source, "python/src/*.c")))
    libraries = os.path.join(build, "src")
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC", "-O1", "-I" + include,
                    "-I" + os.path.join(source, "include"), "-DPy_LIMITED_API=0x030b0000", *sources, "-o",
                    os.path.join(to, "_sonde.abi3.so"), "-L" + libraries, "-Wl,-rpath," + libraries, "-lsonde"],
                   check=True)
    return folder
