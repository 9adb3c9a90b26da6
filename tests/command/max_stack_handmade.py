#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""max_stack_handmade.py: report and export keep 127 frames of a stack, or --max-stack, of perf's end, and say so"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
NEWEST = os.environ.get("SONDE_NEWEST_PERF", os.path.join(os.environ.get("SONDE_CORPUS", os.path.join(
    os.environ["SONDE_SOURCE"], "../shared/corpus")), "../tools/newest-perf"))
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
KERNEL_ADDR, USER_ADDR = 0xffffffff81000000, 0x10000


def write(path, samples, kernel, user):
    """Samples with a chain of so many frames in the kernel and outside of it."""
    ips = [CONTEXT_KERNEL] * (kernel > 0) + [KERNEL_ADDR + 16 * i for i in range(kernel)]
    ips += [CONTEXT_USER] + [USER_ADDR + 16 * i for i in range(user)]
    chain = struct.pack(f"<{len(ips) + 1}Q", len(ips), *ips)
    sample = pd.sample(ips[1], more=chain, misc=pd.KERNEL) if kernel else pd.sample(USER_ADDR, more=chain)
    with open(path, "wb") as f:
        f.write(pd.make(pd.comm("prog") + sample * samples, sample_type=pd.CALLCHAIN))


def run(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=600, check=False)


def addresses(tool, path, options):
    """The functions of a report, of its rows and its trees."""
    out = run(tool, "report", "--stdio", "-i", path, *options).stdout
    return sorted(int(x, 16) for x in re.findall(r"0x[0-9a-f]+", re.sub("(?m)^#.*", "", out)))


# kernel frames, user frames, --max-stack
SHAPES = ((0, 300, None), (100, 100, None), (200, 10, None), (0, 127, None), (0, 128, None), (20, 20, 30), (20, 20, 5),
          (0, 300, 200))
ORDERS = (("--children",), ("--no-children",), ("--no-children", "-g", "caller"), ("--no-children", "-G"))


def check_shape(path, kernel, user, limit, bad):
    frames = limit or 127
    given = ("--max-stack", str(limit)) if limit else ()
    write(path, 1, kernel, user)
    for order in ORDERS:
        what = f"{kernel} + {user} frames, {' '.join(order + given)}"
        shown = addresses(SONDE, path, order + given)
        outermost = order != ("--no-children",)
        # with --children the function that ran has a row besides
        want = min(kernel + user, frames) + (order == ("--children",) and kernel + user > frames)
        if order in ORDERS[:2] and len(set(shown)) != want:
            bad.append(f"{what}: {len(set(shown))} functions, expected {want}")
        for perf in filter(None, (shutil.which("perf"), NEWEST if os.access(NEWEST, os.X_OK) else None)):
            theirs = addresses(perf, path, order + given)
            if shown != theirs:
                bad.append(f"{what}: {len(shown)} functions, with {perf} {len(theirs)}: {set(shown) ^ set(theirs)}")
        err = run(SONDE, "report", "-i", path, *order, *given).stderr
        kept = "outermost" if outermost else "innermost"
        said = (f"sonde: 1 stack has more than {frames} frames, the {kept} are shown; "
                "--max-stack N shows N frames\n") if kernel + user > frames else ""
        if err != said:
            bad.append(f"{what}: says {err!r}, expected {said!r}")


def check_export(path, bad):
    write(path, 2, 100, 100)
    for given, frames in (((), 127), (("--max-stack", "200"), 200), (("--max-stack", "18446744073709551615"), 200)):
        r = run(SONDE, "export", "-i", path, *given)
        stack = r.stdout.rsplit(" ", 1)[0].split(";")[1:]
        if len(stack) != frames:
            bad.append(f"export {given}: {len(stack)} frames, expected {frames}")
        said = "sonde: 2 stacks have more than 127 frames, the innermost are shown; --max-stack N shows N frames\n"
        if r.stderr != (said if frames == 127 else ""):
            bad.append(f"export {given} says {r.stderr!r}")
    page = run(SONDE, "export", "--to", "html", "-i", path).stdout
    if "2 of 2 stacks have more frames than are shown (--max-stack)" not in page:
        bad.append("the page does not tell that stacks have more frames")


def check_deep(path, bad):
    """Trees of long stacks do not grow without end."""
    write(path, 1, 0, 8000)
    out = run(SONDE, "report", "-i", path).stdout
    if not 100_000 < len(out) < 5_000_000:
        bad.append(f"8000 frames are a report of {len(out)} bytes")


def main():
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "made.data")
        for shape in SHAPES:
            check_shape(path, *shape, bad)
        check_export(path, bad)
        check_deep(path, bad)
    print("\n".join(bad) or f"{len(SHAPES)} shapes of stacks as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
