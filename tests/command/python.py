#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python.py - the package for Python: `pip install` of this tree without a network, its own tests, its types

Of the Pythons that are here and have headers, the one with NumPy is taken.
"""
import os
import subprocess
import sys
import tempfile

SOURCE, BUILD = os.environ["SONDE_SOURCE"], os.environ["SONDE_BUILD"]
HAS = """
import os, pip, sys, sysconfig, venv
headers = os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
sys.exit(not headers or sys.version_info < (3, 11))
"""


def succeeds(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


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


def main():
    python = interpreter()
    if not python:
        print("skipped: there is no Python of at least 3.11 with python3-venv, python3-pip and python3-dev")
        return 77
    quiet = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}    # the tree stays as it is
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", "--without-pip", "--system-site-packages", os.path.join(folder, "venv"))
        python = os.path.join(folder, "venv/bin/python")
        run(python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", SOURCE,
            env={**quiet, "SONDE_LIBRARY": os.path.join(BUILD, "src/libsonde.a"), "CFLAGS": "-Werror"})
        run(python, "-W", "error", "-m", "unittest", "discover", "-s", os.path.join(SOURCE, "python/tests"), cwd=folder,
            env=quiet)
        check_types(python, folder)
    return 0


sys.exit(main())
