#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""readme.py - the examples of README.md run, and their output has the shape that README.md shows

Numbers, names and the width of columns differ from machine to machine: the shape of a line is its marks, and of a
heading its words.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
source = os.environ['SONDE_SOURCE']
sonde = os.environ['SONDE']
workload = os.path.join(os.environ['SONDE_BUILD'], 'bench/workload')
failures = 0


def fail(what):
    global failures
    failures += 1
    print('FAIL: ' + what)


def blocks():
    """The fenced blocks of README.md: (language, lines)."""
    with open(os.path.join(source, 'README.md'), encoding='utf-8') as f:
        for found in re.finditer(r'^```(\w*)\n(.*?)^```$', f.read(), re.M | re.S):
            yield found.group(1), found.group(2).splitlines()


def examples():
    """[command, lines of its output], in the order of README.md."""
    found = []
    for language, lines in blocks():
        if language or not lines[0].startswith('$ '):
            continue
        for line in lines:
            if line.startswith('$ '):
                found.append([line[2:], []])
            else:
                found[-1][1].append(line)
    return found


def shape(line):
    line = re.sub(r'\s+', ' ', line.replace(' (no symbol)', '')).strip()
    if line.startswith('#'):
        return re.sub(r'\.\.+', '..', re.sub(r'\d[\w.:]*', '0', line.split(' : ')[0]))
    line = re.sub(r'\b(?:0x)?[0-9a-f]*\d[0-9a-f]*(\.\d+)?\b|\d[\w.]*', '0', line)
    line = re.sub(r'\[(\.|kernel\.kallsyms|\w+)\]', '0', line)
    if '--' in line:  # a branch of a tree
        return re.sub(r'\w[\w.@]*', '0', line)
    return re.sub(r'[\w.+/@:<>=,#~\-]*\w[\w.+/@:<>=,#~\-]*', '0', line)


def compare(command, want, got):
    """Each line that README.md shows comes, in this order; "..." stands for any lines, rows of a table may be fewer."""
    at, last = 0, None
    for line in want:
        if line == '...' or shape(line) == last:
            continue
        last = shape(line)
        shapes = [shape(l) for l in got[at:]]
        if shape(line) not in shapes:
            fail('%s: no line like %r (%r) in\n%s' % (command, line, shape(line), '\n'.join(got[at:at + 20])))
            return
        at += shapes.index(shape(line)) + 1


def run(command):
    environment = dict(os.environ, PATH=os.getcwd() + ':' + os.environ['PATH'])
    return subprocess.run(['sh', '-c', command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors='replace', check=False)


def prepare():
    """Recordings that the examples speak of and do not make."""
    if os.environ['SONDE_SANITIZE'] != 'none':
        print('skipped: functions of the sanitizer are among those of the workload')
        sys.exit(SKIP)
    os.symlink(sonde, 'sonde')
    os.symlink(workload, 'workload')
    told = run('sonde record -g -o host1.data -- ./workload 0.2')
    if told.returncode != 0:
        print('skipped: recording is not possible here: ' + told.stdout)
        sys.exit(SKIP)
    shutil.copy('host1.data', 'host2.data')
    with open('host1.data', 'rb') as whole, open('killed.data', 'wb') as cut:
        data = whole.read()
        cut.write(data[:len(data) // 2])
    for name in ('host.dat', 'guest.dat'):
        told = run('sonde record --ftrace -e sched:sched_switch -o %s -- sleep 0.1' % name)
        if told.returncode != 0:
            return False
    return True


def test_examples():
    has_tracefs = prepare()
    commands = examples()
    if len(commands) < 20:
        fail('README.md has %d examples only' % len(commands))
    for command, want in commands:
        if not has_tracefs and re.search(r'\.dat\b|sched|switches', command):
            print('not run, there is no tracefs: ' + command)
            continue
        got = run(command)
        if got.returncode != (1 if command.startswith('sonde report -i killed') else 0):
            fail('%s: status %d\n%s' % (command, got.returncode, got.stdout))
        compare(command, want, got.stdout.splitlines())
    for made in 'report.html part.data small.data both.data sound.data packed.data shown.data named.data'.split():
        if not os.path.exists(made) or os.path.getsize(made) == 0:
            fail('%s was not made' % made)


def test_program():
    """The program in C, between a main() and its end."""
    lines = next(lines for language, lines in blocks() if language == 'c')
    includes = [l for l in lines if l.startswith('#include')]
    body = [l for l in lines if not l.startswith('#include')]
    with open('prog.c', 'w', encoding='utf-8') as f:
        f.write('\n'.join(['#include <stdio.h>'] + includes + ['int main(void)', '{'] + body + ['return 0;', '}', '']))
    library = os.path.join(os.environ['SONDE_BUILD'], 'src')
    compiler = os.environ.get('CC', 'cc').split()
    flags = ['-I' + os.path.join(source, 'include'), '-L' + library, '-lsonde', '-Wl,-rpath,' + library]
    told = subprocess.run(compiler + ['-o', 'prog', 'prog.c'] + flags, capture_output=True, text=True, check=False)
    if told.returncode != 0:
        fail('the program does not build: ' + told.stderr)
        return
    lines = run('./prog').stdout.splitlines()
    if not lines or not all(re.fullmatch(r'cpu-clock\S* 0x[0-9a-f]+|\S+ 0(x[0-9a-f]+)?', l) for l in lines):
        fail('the program prints %r' % lines[:3])


def main():
    folder = tempfile.mkdtemp(prefix='sonde-readme-')
    os.chdir(folder)
    try:
        test_examples()
        if os.environ.get('SONDE_SANITIZE', 'none') == 'none':  # else the library needs the sanitizer's
            test_program()
    finally:
        os.chdir('/')
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
