#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""event_attrs.py - the attrs of 470 event strings on four machines equal perf's, field by field

tests/events/attrs.txt has perf's; tests/events/differs.txt names the strings that differ, and why.
"""
import os
import re
import sys
import tempfile

EVENTS = os.environ['SONDE_SOURCE'] + '/tests/events'
sys.dont_write_bytecode = True
sys.path.insert(0, EVENTS)
import record  # noqa: E402
import trees  # noqa: E402


def rows(name):
    with open(f'{EVENTS}/{name}', encoding='ascii') as file:
        for line in file:
            if not line.startswith('#'):
                *key, value = line.rstrip('\n').split('\t')
                yield tuple(key), value


def fields(text):
    return [dict(word.split('=', 1) for word in attr.split(' ')) for attr in text.split(' ; ')]


def same(tree, perf, sonde):
    """Fields of one attr, but for what sonde always does otherwise."""
    perf, sonde = dict(perf), dict(sonde)
    types = [set(a['sample_type'].split('|')) for a in (perf, sonde)]
    if perf['type'] == '0x5':
        # The sample of a breakpoint tells the address that was touched.
        types[1] -= {'ADDR', 'PERIOD'}
        types[0] -= {'PERIOD'}
    if 'sample_stack_user' in perf:
        types[0] -= {'ADDR', 'DATA_SRC'}
    if tree == 'hybrid' and perf['type'] in ('0x0', '0x3'):
        # perf found no kernel that takes the kind of CPU in the upper half, where it recorded.
        if int(sonde['config'], 0) >> 32 not in (4, 10):
            return False
        sonde['config'] = hex(int(sonde['config'], 0) & 0xffffffff)
    for attr in (perf, sonde):
        del attr['sample_type']
    return perf == sonde and types[0] == types[1]


def main():
    sonde = os.environ['SONDE']
    differs = dict(rows('differs.txt'))
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as root:
        trees.main(root)
        for (tree, options, string), perf in rows('attrs.txt'):
            text = record.run([sonde, 'record', '--dry-run', '-vv'], root, tree, options.split(), string)
            attrs = [record.one_line(a) for a in record.blocks(text) if record.is_of_the_event(a)]
            if 'error' in (perf, ' ; '.join(attrs) or 'error'):
                equal = not attrs and perf == 'error'
            else:
                pairs = list(zip(fields(perf), fields(' ; '.join(attrs))))
                equal = len(attrs) == len(fields(perf)) and all(same(tree, p, s) for p, s in pairs)
            expected = (tree, options, string) not in differs
            compared += 1
            if equal != expected:
                wrong += 1
                print(f'{tree} {options} {string}: ', 'differs' if expected else 'is equal, but is in differs.txt')
                print(f'  perf:  {perf}\n  sonde: {" ; ".join(attrs) or text.strip()}')
            # what a hardware trace cannot lead is known when all events are read
            if not attrs and not re.search(r"column \d+: |a hardware trace leads only", text):
                wrong += 1
                print(f'{tree} {string}: the message names no column: {text}')
    if wrong or compared < 460:
        sys.exit(f'FAILED: {wrong} of {compared} differ')


main()
