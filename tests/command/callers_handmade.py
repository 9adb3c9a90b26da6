#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""callers_handmade.py: a caller is the function that holds the call, not the one that its return address begins"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
CONTEXT_KERNEL = 2**64 - 128
TEXT = 0xffffffff81000000
NAMES = ["_text", "calls_last", "is_next", "asm_sysvec_call_function", "outermost"]
BYTES = 0x100


def at(name, offset=0):
    return TEXT + NAMES.index(name) * BYTES + offset


# the addresses of a chain, and its functions; the last call of calls_last never returns
CHAINS = [
    ([at("outermost", 9), at("is_next"), at("outermost", 20)], ["outermost+0x9", "calls_last+0x100", "outermost+0x14"]),
    # the sample itself and the function that an interrupt stopped have called nothing
    ([at("is_next"), at("outermost", 20)], ["is_next+0x0", "outermost+0x14"]),
    ([at("_text", 1), at("asm_sysvec_call_function", 22), at("is_next"), at("is_next")],
     ["_text+0x1", "asm_sysvec_call_function+0x16", "is_next+0x0", "calls_last+0x100"]),
]


def sample(ips):
    chain = [CONTEXT_KERNEL] + ips
    return pd.sample(ips[0], more=struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain), misc=pd.KERNEL)


def run(*args):
    return subprocess.run([SONDE, *args], capture_output=True, text=True, timeout=600, check=False).stdout


def main():
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        path, kallsyms = os.path.join(tmp, "made.data"), os.path.join(tmp, "kallsyms")
        kernel = pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, TEXT, len(NAMES) * BYTES, TEXT) +
                           pd.text("[kernel.kallsyms]_text") + pd.trailer(0, 0))
        with open(path, "wb") as f:
            f.write(pd.make(kernel + pd.comm("prog") + b"".join(sample(ips) for ips, _ in CHAINS),
                            sample_type=pd.CALLCHAIN))
        with open(kallsyms, "w", encoding="utf-8") as f:
            f.writelines(f"{at(name):x} T {name}\n" for name in NAMES)
        common = ["--kallsyms", kallsyms, "-i", path]
        lines = [f"{ip:x} {name}" for ips, names in CHAINS for ip, name in zip(ips, names)]
        shown = [" ".join(line.split()) for line in run("script", "-F", "ip,sym,symoff", *common).splitlines()]
        if [line for line in shown if line] != lines:
            bad.append(f"script prints {shown}, expected {lines}")
        stacks = sorted(";".join(["prog"] + [re.sub(r"\+.*", "", n) for n in reversed(names)]) + " 1"
                        for _, names in CHAINS)
        folded = sorted(run("export", "--to", "folded", *common).splitlines())
        if folded != stacks:
            bad.append(f"the stacks are {folded}, expected {stacks}")
    print("\n".join(bad) or f"{len(CHAINS)} chains as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
