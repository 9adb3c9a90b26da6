#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record.py PERF TREES [FIRST...] - the attrs that PERF opens for the lines of strings.txt, in the form of attrs.txt

TREES is a folder that trees.py made. perf prints an attr also when the kernel refuses it, so no hardware is needed.
`record.py newest-perf TREES >attrs.txt` makes the table anew (about two minutes).
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# These belong to the recorder and its side band, not to the event.
DROPPED = {
    'size', 'read_format', 'disabled', 'mmap', 'comm', 'task', 'enable_on_exec', 'mmap2', 'comm_exec', 'ksymbol',
    'bpf_event', 'build_id', 'sample_id_all', 'watermark', 'wakeup_events', '{ wakeup_events, wakeup_watermark }',
    'mmap_data', 'text_poke', 'context_switch', 'cgroup', 'namespaces',
}
NAMES = {
    '{ sample_period, sample_freq }': 'rate', '{ bp_addr, config1 }': 'config1', '{ bp_len, config2 }': 'config2',
}


def blocks(text):
    """The attrs of a run of -vv; those of a second try, with less, are left out.

    perf 7.2 tries what the kernel can do in the middle of an attr, whose other lines follow then.
    """
    retry, current, begun = False, None, None
    for line in text.split('\n'):
        match = re.match(r'  (\{[^}]*\}|\S+) +(.*)', line)
        if 'fall back' in line or 'decreasing precise_ip' in line:
            retry = True
        if line == 'perf_event_attr:':
            current = {}
        elif current is None and begun is not None and match:
            current, begun = begun, None
            current[match[1]] = match[2]
        elif current is not None and match:
            current[match[1]] = match[2]
        elif current is not None:
            if 'size' in current and 'sample_type' not in current:
                begun = current
            elif not retry:
                yield current
            if 'sample_type' in current:
                retry = False
            current = None


def is_of_the_event(attr):
    """Not one that tries what the kernel can do, and not the side band's."""
    is_dummy = attr.get('config', '').split(' ')[0] == '0x9'
    return 'sample_type' in attr and not ('freq' not in attr and 'task' in attr and is_dummy)


def number(text):
    return hex(int(text.split(' ')[0], 0))


def one_line(attr):
    """`type=0x4 config=0x1cd freq=0xfa0 sample_type=IP|TID inherit`: sorted, only what is not 0"""
    words = {'type': '0x0', 'config': '0x0'}
    freq = 'freq' in attr
    for name, value in attr.items():
        if name in DROPPED or name == 'freq':
            continue
        if name == 'sample_type':
            bits = [b for b in value.split(' ')[0].split('|') if b not in ('ID', 'IDENTIFIER')]
            words[name] = '|'.join(sorted(bits))
        elif name == 'branch_sample_type':
            words[name] = '|'.join(sorted(value.split('|')))
        elif name == '{ sample_period, sample_freq }':
            words['freq' if freq else 'period'] = number(value)
        else:
            words[NAMES.get(name, name)] = number(value)
    return ' '.join(f'{k}={v}' for k, v in sorted(words.items()))


def run(perf, trees, tree, options, string):
    env = os.environ | {'SYSFS_PATH': f'{trees}/{tree}/sys', 'PERF_CPUID': 'none'}
    if tree == 'here':
        del env['SYSFS_PATH']
    command = perf + options + ['-e', string, 'true']
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors='replace', check=False,
                          stdin=subprocess.DEVNULL)
    return done.stderr + done.stdout


def strings():
    tree, options = 'intel', []
    with open(f'{HERE}/strings.txt', encoding='ascii') as file:
        for line in file:
            line = line.rstrip('\n')
            if line.startswith('== '):
                tree, *options = line[3:].split(' ')
            elif line and not line.startswith('# '):
                yield tree, options, line


def main(perf, trees, only):
    for tree, options, string in strings():
        if only and not any(string.startswith(o) for o in only):
            continue
        if 'sonde' in perf:
            command = [perf, 'record', '--dry-run', '-vv']
        else:
            command = [perf, 'record', '-vv', '-B', '-N', '--no-bpf-event', '--synth=no', '-o', '/dev/null']
        attrs = [one_line(a) for a in blocks(run(command, trees, tree, options, string)) if is_of_the_event(a)]
        print('\t'.join([tree, ' '.join(options), string, ' ; '.join(attrs) or 'error']), flush=True)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
