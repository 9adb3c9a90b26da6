#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""jit_python.py: stacks through the code that Python 3.13 makes, by the unwinding information of its jitdump"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SONDE = os.environ["SONDE"]
PROGRAM = """
import time
def leaf(n):
    return sum(i * i for i in range(n))
def middle(n):
    return leaf(n) + 1
end = time.time() + 1
while time.time() < end:
    middle(20000)
"""
TAKES_JIT = "import sys, sysconfig; sys.exit(not (sys.version_info >= (3, 13) and " \
            "sysconfig.get_config_var('PY_HAVE_PERF_TRAMPOLINE')))"


def interpreter():
    versions = os.path.expanduser("~/.pyenv/versions")
    places = ["python3.14", "python3.13", "python3"]
    if os.path.isdir(versions):
        places += [os.path.join(versions, v, "bin/python3") for v in sorted(os.listdir(versions), reverse=True)]
    for place in filter(None, map(shutil.which, places)):
        if subprocess.run([place, "-c", TAKES_JIT], capture_output=True, check=False).returncode == 0:
            return place
    return None


def main():
    python = interpreter()
    if not python:
        print("there is no Python 3.13 with -X perf_jit")
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        data, program = os.path.join(tmp, "jit.data"), os.path.join(tmp, "program.py")
        with open(program, "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        done = subprocess.run([SONDE, "record", "-q", "-k", "mono", "-F", "500", "-e", "cpu-clock:u", "--call-graph",
                               "dwarf,32768", "-o", data, "--", python, "-X", "perf_jit", program],
                              capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            print("cannot record here:", done.stderr)
            return 77
        script = subprocess.run([SONDE, "script", "-F", "ip,sym", "-i", data], capture_output=True, text=True,
                                timeout=600, check=True)
        stacks = [s for s in script.stdout.split("\n\n") if "py::leaf:" in s]
        whole = [s for s in stacks if "py::middle:" in s and re.search(r"py::<module>:.*\n(.*\n)*.* _start", s)]
        print(f"{len(stacks)} stacks with leaf(), {len(whole)} complete")
        dump = next((line.split()[-1] for line in script.stderr.splitlines() if "jit-" in line), None)
        assert len(stacks) >= 10, (script.stdout[:2000], script.stderr, dump)
        assert len(whole) > 0.95 * len(stacks), next(s for s in stacks if s not in whole)
    return 0


sys.exit(main())
