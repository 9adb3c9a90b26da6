#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py - frames of random addresses of binaries, compared with those of eu-addr2line and addr2line

    compare.py [--addresses N] [--seed N] [--show N] [--oracles NAME,...] FRAMES FILE...

FRAMES is the program that frames.c makes. A frame is a function, a file and a line. Where eu-addr2line and addr2line
agree, FRAMES has to say the same. Where they differ, its frames are counted by the oracles that have the same ones;
llvm-addr2line is a third one. An oracle that is not installed is left out.
"""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys

# Where these agree they are right, unless the third one, which reads more of DWARF 5, has the same as we.
DECIDING = ('eu-addr2line', 'addr2line')
ORACLES = (*DECIDING, 'llvm-addr2line')


def code_sections(path):
    """Address and size of the executable sections of an ELF file of 64 bits."""
    with open(path, 'rb') as f:
        data = f.read()
    order = '<' if data[5] == 1 else '>'
    at, size, count = struct.unpack_from(order + 'Q', data, 40)[0], *struct.unpack_from(order + 'HH', data, 58)
    found = []
    for i in range(count):
        _, kind, flags, address, _, length = struct.unpack_from(order + 'IIQQQQ', data, at + i * size)
        if kind == 1 and flags & 4 and length:
            found.append((address, length))
    return found


def random_addresses(path, count, seed):
    chooser = random.Random(seed)
    sections = code_sections(path)
    total = sum(size for _, size in sections)
    for _ in range(count):
        at = chooser.randrange(total)
        for address, size in sections:
            if at < size:
                yield address + at
                break
            at -= size


def unknown(text):
    return text if text and text not in ('??', '(null)') else '??'


def frame(function, place):
    """(function, file, line) of the two lines of an oracle."""
    m = re.match(r'(.*?):(\d+|\?)(:\d+)?( \(discriminator \d+\))?$', place)
    name, line = (m[1], m[2]) if m else (place, '0')
    return (unknown(function), os.path.normpath(unknown(name)), int(line) if line != '?' else 0)


def of_oracle(command, path, text):
    """address -> frames, of a program that prints as addr2line -a -f -i."""
    out = subprocess.run([*command, '-e', path], input=text, capture_output=True, text=True, errors='replace').stdout
    answers, lines = {}, out.splitlines()
    i = 0
    while i < len(lines):
        if re.match(r'0x[0-9a-f]+$', lines[i]):
            current = answers.setdefault(int(lines[i], 16), [])
            del current[:]
            i += 1
        elif i + 1 < len(lines):
            current.append(frame(re.sub(r' inlined at .*', '', lines[i]), lines[i + 1]))
            i += 2
        else:
            break
    return answers


def of_ours(program, path, text):
    """The same; also how many there were."""
    out = subprocess.run([program, os.path.abspath(path), ''], input=text, capture_output=True, text=True, check=True,
                         errors='replace').stdout
    answers = {}
    for line in out.splitlines():
        if line.startswith('\t'):
            _, function, name, number = line.split('\t')
            answers[address].append((unknown(function), os.path.normpath(unknown(name)), int(number)))
        else:
            address = int(line, 16)
            answers[address] = []
    return answers


def same_name(ours, theirs):
    """Without a linkage name ours has the scopes before it, and theirs may be the mangled one of the symbol table. In
    Go and in parts of functions that one has a suffix. Without any name, theirs is from the symbol table."""
    plain = re.sub(r'<.*', '', ours).split('::')[-1]
    return (ours in (theirs, '??') or ours.endswith('::' + theirs) or theirs.startswith(ours + '.') or
            (theirs.startswith('_Z') and not ours.startswith('_Z') and '%d%s' % (len(plain), plain) in theirs))


def same(ours, theirs):
    return len(ours) == len(theirs) and all(same_name(a[0], b[0]) and a[1:] == b[1:] for a, b in zip(ours, theirs))


def uncovered(frames):
    """Nothing, or the name that the symbol table has for an address that no DWARF covers."""
    return len(frames) == 0 or (len(frames) == 1 and frames[0][2] == 0)


def classify(ours, theirs):
    """theirs: name of the oracle -> frames"""
    if not ours and all(uncovered(t) for t in theirs.values()):
        return 'uncovered'
    equal = [name for name, t in theirs.items() if same(ours, t)]
    answers = [t for name, t in theirs.items() if name in DECIDING] or list(theirs.values())
    if all(t == answers[0] for t in answers):
        return 'equal' if same(ours, answers[0]) else 'wrong' if not equal else 'as %s only' % equal[0]
    return 'as ' + ' and '.join(equal) + ' only' if equal else 'as no oracle, which differ'


def compare(args, path, oracles):
    text = ''.join('0x%x\n' % a for a in random_addresses(path, args.addresses, args.seed))
    ours = of_ours(args.frames, path, text)
    theirs = {name: of_oracle(command, path, text) for name, command in oracles.items()}
    counts = {'equal': 0, 'uncovered': 0, 'wrong': 0}
    shown = 0
    for address, frames in ours.items():
        answers = {name: t.get(address, []) for name, t in theirs.items()}
        what = classify(frames, answers)
        counts[what] = counts.get(what, 0) + 1
        if what in ('wrong', args.also) and shown < args.show:
            shown += 1
            print('%s: %x: %s' % (path, address, what))
            for name, frames_of in {'ours': frames, **answers}.items():
                for one in frames_of or [('no frame', '??', 0)]:
                    print('    %-12s %s %s:%d' % (name, *one))
    print('%s: %d addresses: %s' % ('/'.join(path.split('/')[-2:]), len(ours),
                                    ', '.join('%d %s' % (n, k) for k, n in counts.items())))
    confirmed = sum(n for what, n in counts.items() if what == 'equal' or what.endswith(' only'))
    return counts['wrong'] == 0 and confirmed > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--addresses', type=int, default=10000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--show', type=int, default=5)
    parser.add_argument('--oracles', default=','.join(ORACLES), help='eu-addr2line is slow in large units')
    parser.add_argument('--also', help='show differences of this kind too')
    parser.add_argument('frames')
    parser.add_argument('files', nargs='+')
    args = parser.parse_args()
    oracles = {name: [name, '-a', '-f', '-i'] for name in args.oracles.split(',') if shutil.which(name)}
    if not oracles:
        print('skip: no addr2line is installed')
        return 77
    good = [compare(args, path, oracles) for path in args.files]
    return 0 if all(good) else 1


sys.exit(main())
