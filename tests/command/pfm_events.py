#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfm_events.py - record and stat take the names of libpfm4, and open the attrs that it encodes

The library is told which processor there is: the machine of the test may have no hardware counters.
"""
import ctypes
import os
import re
import subprocess
import sys

os.environ["LIBPFM_FORCE_PMU"] = "skx"
SONDE = os.environ["SONDE"].split()
NAMES = ["UOPS_ISSUED:ANY:c=1:i=1", "skx::INST_RETIRED:ANY_P:u", "INST_RETIRED:ANY_P:k:period=10007",
         "MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=50:precise=2"]


class Encoding(ctypes.Structure):
    _fields_ = [("attr", ctypes.c_void_p), ("fstr", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("idx", ctypes.c_int), ("cpu", ctypes.c_int), ("flags", ctypes.c_int), ("pad", ctypes.c_int)]


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def encoded(library, name):
    """type, config, config1, flags and period, as libpfm4 encodes them"""
    attr = (ctypes.c_uint64 * 16)()
    args = Encoding(ctypes.addressof(attr), None, ctypes.sizeof(Encoding), 0, -1, 0, 0)
    if library.pfm_get_os_event_encoding(name.encode(), 9, 2, ctypes.byref(args)) != 0:
        skip(f"libpfm4 does not know {name}")
    flags = attr[5]
    return {"type": attr[0] & 0xffffffff, "config": attr[1], "config1": attr[7], "exclude_user": flags >> 4 & 1,
            "exclude_kernel": flags >> 5 & 1, "exclude_hv": flags >> 6 & 1, "precise_ip": flags >> 15 & 3,
            "sample_period": attr[2]}


def run(*words):
    return subprocess.run([*SONDE, *words], capture_output=True, text=True, timeout=600, check=False)


def printed(text):
    """The attrs of `record --dry-run -vv`, without that of the side band."""
    attrs = []
    for block in re.findall(r"perf_event_attr:\n(.*?)\n---", text, re.S):
        attrs.append({name: int(value, 0) for names, value in
                      re.findall(r"^ +(\w+|\{[^}]*\}) +(0x[0-9a-f]+|\d+)\b", block, re.M)
                      for name in re.findall(r"\w+", names)})
    return attrs


def main():
    try:
        library = ctypes.CDLL("libpfm.so.4")
    except OSError:
        skip("there is no libpfm4")
    if ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little" or library.pfm_initialize() != 0:
        skip("libpfm4 has no such processor here")
    wanted = [encoded(library, name) for name in NAMES]
    events = ",".join(NAMES[:2]) + ",{" + ",".join(NAMES[2:]) + "}"
    r = run("record", "--dry-run", "-vv", "--pfm-events", events, "true")
    found = printed(r.stderr)
    assert r.returncode == 0 and len(found) >= len(NAMES), (r.stdout, r.stderr)
    for name, theirs, ours in zip(NAMES, wanted, found):
        for field, value in theirs.items():
            if field != "sample_period" or value:
                assert ours.get(field, 0) == value, (name, field, value, ours)
    r = run("record", "--dry-run", "--pfm-events", "NO_SUCH_EVENT", "true")
    assert r.returncode == 1 and "libpfm4 does not know 'NO_SUCH_EVENT' on this processor" in r.stderr, r.stderr
    for bad in "{" + NAMES[0], NAMES[0] + "}", "{{" + NAMES[0]:
        r = run("record", "--dry-run", "--pfm-events", bad, "true")
        assert r.returncode == 1 and "brace" in r.stderr, (bad, r.stderr)
    r = run("stat", "-x,", "-e", "page-faults", "--pfm-events", NAMES[0], "true")
    if "not permitted" not in r.stderr:
        assert [line.split(",")[2] for line in r.stderr.splitlines()] == ["page-faults", NAMES[0]], r.stderr
    print(f"{len(NAMES)} events as libpfm4 encodes them")


main()
