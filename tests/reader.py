# SPDX-License-Identifier: MIT
"""reader.py - what the readers of tests/command/readers.py share"""
import os
import subprocess

source = os.environ["SONDE_SOURCE"]
# HOME and the cache are those of the test
environment = {**os.environ, "DEBUGINFOD_URLS": "", "LC_ALL": "C"}


class Skip(Exception):
    """This reader, or this file for it, cannot be tried here."""


class Wrong(Exception):
    """The reader does not take the file, or finds something else in it."""


def output(command, **kwargs):
    """(standard output, messages); an exit status that is not 0 is wrong"""
    r = subprocess.run(command, capture_output=True, env=environment, stdin=subprocess.DEVNULL, timeout=600, **kwargs)
    out, err = r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")
    if r.returncode != 0:
        raise Wrong(f"{os.path.basename(command[0])}: exit status {r.returncode}: {(err or out).strip()[:300]}")
    return out, err


def need(found, what):
    if not found:
        raise Skip(f"there is no {what}")
    return found
