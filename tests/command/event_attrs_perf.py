#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""event_attrs_perf.py - the attrs of event strings on this machine equal those that the installed perf opens now"""
import os
import shutil
import sys

EVENTS = os.environ['SONDE_SOURCE'] + '/tests/events'
sys.dont_write_bytecode = True
sys.path.insert(0, EVENTS)
import record  # noqa: E402

STRINGS = [
    'cs', 'page-faults:u', 'cpu-clock/period=1000000/', 'task-clock/freq=100,call-graph=fp/', '1:3',
    'software/config=2/u', 'mem:0x1000/8:w:u', '{cs,page-faults}', 'cycles:upp', 'instructions:k',
    'L1-dcache-load-misses', 'r1a8:u', 'branches/period=100,no-inherit/',
]
TRACEPOINTS = [
    'sched:sched_switch', 'sched:sched_switc*', 'raw_syscalls:sys_enter', 'sched:sched_switch/call-graph=no/',
]
# perf 6.1 excludes guests by default.
PASSED_OVER = {'exclude_guest'}


def attrs(command, string):
    text = record.run(command, '', 'here', [], string)
    lines = [record.one_line(a) for a in record.blocks(text) if record.is_of_the_event(a)]
    return [dict(w.split('=', 1) for w in line.split(' ')) for line in lines], text


def comparable(attr):
    kept = {k: v for k, v in attr.items() if k not in PASSED_OVER}
    if kept['type'] == '0x5':
        kept['sample_type'] = 'as event_attrs.py compares'
    return kept


def main():
    if not shutil.which('perf'):
        print('skipped: there is no perf')
        sys.exit(77)
    perf = ['perf', 'record', '-vv', '-B', '-N', '--no-bpf-event', '-o', '/dev/null']
    strings = STRINGS + (TRACEPOINTS if os.access('/sys/kernel/tracing/events', os.R_OK) else [])
    sonde = [os.environ['SONDE'], 'record', '--dry-run', '-vv']
    compared = 0
    for string in strings:
        theirs, text = attrs(perf, string)
        ours, said = attrs(sonde, string)
        if not theirs:
            print(f'{string}: perf opens nothing here: {text[-200:]}')
            continue
        # perf 6.1 ends at the first event that the machine lacks.
        for a, b in zip(theirs, ours):
            if comparable(a) != comparable(b):
                sys.exit(f'FAILED: {string}:\n  perf:  {a}\n  sonde: {b}')
        if not ours:
            sys.exit(f'FAILED: {string}: {said}')
        compared += 1
    print(f'{compared} of {len(strings)} event strings')
    if compared == 0:
        print('skipped: perf cannot open events here')
        sys.exit(77)


main()
