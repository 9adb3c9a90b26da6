#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python.py - the package for Python, installed by pip without a network and without other packages

built: over the libsonde of this build: the package's own tests, its types, the stable ABI. fresh: a copy of the tree is
installed into a new venv and removed, and the package reads a recording. Of the Pythons that are here and have headers,
the one with NumPy is taken.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["SONDE_SOURCE"], os.environ["SONDE_BUILD"]
sys.path.append(os.path.join(SOURCE, "tests"))
import shipped_data  # noqa: E402

HAS = """
import ensurepip, os, pip, sys, sysconfig, venv
headers = os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
sys.exit(not headers or sys.version_info < (3, 11))
"""


def succeeds(*command):
    """False also where there is no such command."""
    found = shutil.which(command[0])
    return found is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0


def interpreter():
    """A Python with headers, pip and, if there is one, with NumPy; None: there is no such Python."""
    found = [p for p in ("/usr/bin/python3", sys.executable) if succeeds(p, "-c", HAS)]
    with_numpy = [p for p in found if succeeds(p, "-c", "import numpy")]
    return next(iter(with_numpy + found), None)


def run(*command, **how):
    done = subprocess.run(command, check=False, **how)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(command)}: exit status {done.returncode}")


def check_types(python, folder):
    if not succeeds(python, "-c", "import mypy.stubtest"):
        print("types were not checked: there is no mypy")
        return
    cache = os.path.join(folder, "mypy")
    run(python, "-m", "mypy", "--strict", "--cache-dir", cache, os.path.join(SOURCE, "python/sonde"))
    run(python, "-m", "mypy.stubtest", "sonde._sonde", cwd=folder)


def text_of(*command, **how):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **how).stdout


def declared_names(python):
    """Names in the headers of a Python, as they are for the stable ABI of 3.11."""
    include = text_of(python, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])").strip()
    headers = text_of(*shlex.split(os.environ["CC"]), "-E", "-P", "-I" + include, "-DPy_LIMITED_API=0x030b0000",
                      "-DPY_SSIZE_T_CLEAN", "-include", "Python.h", "-x", "c", "/dev/null")
    return set(re.findall(r"\b_?Py\w+", headers))


def listed_names():
    """The stable ABI by CPython's own test of it; None: this Python has no tests, or is of another version."""
    try:
        from test.test_stable_abi_ctypes import SYMBOL_NAMES  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    # the list leaves out the two that have another name in a CPython which traces references
    both = {"PyModule_Create2", "PyModule_FromDefAndSpec2"}
    return both.union(SYMBOL_NAMES) if sys.version_info[:2] == (3, 11) else None


def check_abi(python, package, recording):
    """The extension needs no name that a later Python may lack, gives one name, and is loaded by later Pythons."""
    if not shutil.which("nm"):
        print("the stable ABI was not checked: there is no nm")
        return
    extension = os.path.join(package, "_sonde.abi3.so")
    lines = text_of("nm", "-D", extension).splitlines()
    needed = {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] in "Uw"}
    needed = {name for name in needed if re.match("_?Py", name)}
    given = {line.split()[-1] for line in lines if line.split()[-2] not in "Uw"}
    if len(needed) < 20 or given != {"PyInit__sonde"}:
        sys.exit(f"FAILED: {len(needed)} names of Python are needed; given: {sorted(given)}")
    listed = listed_names()
    for names in filter(None, (declared_names(python), listed)):
        if needed - names:
            sys.exit(f"FAILED: names beyond the stable ABI: {sorted(needed - names)}")
    print(f"stable ABI: {len(needed)} names, all in the headers" + (" and in CPython's list" if listed else ""))
    for later in (f"python3.{minor}" for minor in range(12, 20)):
        if succeeds(later, "-c", ""):
            check_reads(later, recording, os.path.dirname(package))
            print(f"{later} loads the extension that was built for 3.11")


def check_reads(python, recording, path=""):
    """A walk, a profile and a table over a recording."""
    program = ("import sonde, sys; t = sonde.open(sys.argv[1]);"
               "print(sum(1 for _ in t), sum(n for _, n, _ in t.profile().stacks()), len(t.arrow().read()))")
    counts = text_of(python, "-c", program, recording, cwd="/", env={**os.environ, "PYTHONPATH": path}).split()
    if len(set(counts)) != 1 or int(counts[0]) < 50:
        sys.exit(f"FAILED: samples by the walk, the profile and the table: {counts}")


def package_of(python):
    return text_of(python, "-c", "import os, sonde; print(os.path.dirname(sonde.__file__))", cwd="/").strip()


def pip_install(python, tree, more, *before):
    quiet = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}    # the tree stays as it is
    run(*before, python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", tree,
        env={**quiet, **more})


def built(python, folder, recording):
    run(python, "-m", "venv", "--without-pip", "--system-site-packages", os.path.join(folder, "venv"))
    python = os.path.join(folder, "venv/bin/python")
    pip_install(python, SOURCE, {"SONDE_LIBRARY": os.path.join(BUILD, "src/libsonde.a"), "CFLAGS": "-Werror"})
    run(python, "-W", "error", "-m", "unittest", "discover", "-s", os.path.join(SOURCE, "python/tests"), cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    check_types(python, folder)
    check_abi(python, package_of(python), recording)


def fresh(python, folder, recording):
    """As somebody who has just cloned the tree: nothing is built, and no other package is seen."""
    tree = os.path.join(folder, "tree")
    shutil.copytree(SOURCE, tree, ignore=shutil.ignore_patterns("build", ".git", "__pycache__", ".mypy_cache"))
    run(python, "-m", "venv", os.path.join(folder, "venv"))
    python = os.path.join(folder, "venv/bin/python")
    alone = next((how for how in (["unshare", "-n"], ["unshare", "-rn"]) if succeeds(*how, "true")), [])
    pip_install(python, tree, {}, *alone)
    shutil.rmtree(tree)
    check_reads(python, recording)
    print("installed from a fresh tree" + (" without a network" if alone else ""))


def main():
    how = {"built": built, "fresh": fresh}[sys.argv[1]]
    python = interpreter()
    if not python:
        print("skipped: there is no Python of at least 3.11 with python3-venv, python3-pip and python3-dev")
        return 77
    if how is fresh and not (shutil.which("meson") and shutil.which("pkg-config")):
        print("skipped: there is no meson or no pkg-config to build libsonde")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "callgraph.data")
        with open(recording, "wb") as f:
            f.write(shipped_data.unpack("callgraph.data"))
        how(python, folder, recording)
    return 0


sys.exit(main())
