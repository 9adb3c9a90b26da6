#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""packet_drops.py TRACE - where the kernel drops packets, and why

Needs skb:kfree_skb. Kernels before 5.17 tell no reason.
"""
import argparse
import re
from collections import Counter

import sonde

EVENT = "skb:kfree_skb"


def drops(trace):
    """(place in the kernel, reason): how often"""
    counts = Counter()
    for event in trace.events([EVENT]) if EVENT in trace.evlist else ():
        words = dict(re.findall(r"(\w+)[=:] ?(\S+)", event.text))
        counts[words.get("location", hex(event["location"])), words.get("reason", "")] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    args = parser.parse_args()
    with sonde.open(args.trace, strict=False) as trace:
        counts = drops(trace)
    print(f"{'location':<48} {'reason':<24} {'count':>8}")
    for (location, reason), n in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        print(f"{location:<48} {reason:<24} {n:>8}")


if __name__ == "__main__":
    main()
