#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cpu_residency.py TRACE - how long each CPU was at each frequency, and in each idle state

A state lasts until the next event of its CPU, the last one until the end of the recording. `awake` is the time at a
frequency while the CPU was in no idle state. Needs power:cpu_frequency, power:cpu_idle, or one of them.
"""
import argparse
from collections import defaultdict

import sonde

FREQUENCY, IDLE = "power:cpu_frequency", "power:cpu_idle"
AWAKE = 2**32 - 1                # the state of cpu_idle when a CPU leaves an idle state


class Cpu:
    """The frequency and the idle state of a CPU; None: not known yet."""

    def __init__(self):
        self.frequency = self.idle = None
        self.since = 0
        self.at_frequency, self.awake, self.in_idle = defaultdict(int), defaultdict(int), defaultdict(int)

    def until(self, now):
        """Count the time of the state so far."""
        ns = now - self.since
        self.since = now
        if self.frequency is not None:
            self.at_frequency[self.frequency] += ns
            if self.idle == AWAKE:
                self.awake[self.frequency] += ns
        if self.idle is not None and self.idle != AWAKE:
            self.in_idle[self.idle] += ns


def residency(trace):
    """CPU: Cpu"""
    cpus, last = defaultdict(Cpu), 0
    for event in trace:
        last = event.time
        if event.name not in (FREQUENCY, IDLE):
            continue
        cpu = cpus[event["cpu_id"]]
        cpu.until(last)
        if event.name == FREQUENCY:
            cpu.frequency = event["state"]
        else:
            cpu.idle = event["state"]
    for cpu in cpus.values():
        cpu.until(last)
    return cpus


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    args = parser.parse_args()
    with sonde.open(args.trace, strict=False) as trace:
        cpus = residency(trace)
    print(f"{'cpu':>4} {'state':<16} {'ms':>12} {'awake ms':>12}")
    for number, cpu in sorted(cpus.items()):
        for khz, ns in sorted(cpu.at_frequency.items()):
            print(f"{number:>4} {str(khz) + ' kHz':<16} {ns / 1e6:>12.3f} {cpu.awake[khz] / 1e6:>12.3f}")
        for state, ns in sorted(cpu.in_idle.items()):
            print(f"{number:>4} {'idle ' + str(state):<16} {ns / 1e6:>12.3f}")


if __name__ == "__main__":
    main()
