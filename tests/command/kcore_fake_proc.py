#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kcore_fake_proc.py - record --kcore: a recording beside a copy of the kernel's code, out of a /proc made by hand"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

SONDE, SOURCE = os.environ['SONDE'], os.environ['SONDE_SOURCE']
TEXT, MODULES = 0xffffffff81000000, 0xffffffffc0000000
PERFS = [SOURCE + '/../shared/tools/newest-perf', 'perf']


def run(*command, proc=None):
    env = os.environ | ({'PROC_PATH': proc} if proc else {})
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors='replace', stdin=subprocess.DEVNULL,
                              env=env)
    except FileNotFoundError as error:
        return 127, '', str(error)
    return done.returncode, done.stdout, done.stderr


def want(truth, what):
    if not truth:
        sys.exit(f'FAILED: {what}')


def write(path, data):
    with open(path, 'wb') as f:
        f.write(data)


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def make_proc(proc):
    """The text of the kernel has 3 pages, and lies in the middle of a segment; two modules, with a page between"""
    os.mkdir(proc)
    write(proc + '/kallsyms', f'{TEXT:016x} T _text\n{TEXT:016x} T _stext\n{TEXT + 0x2800:016x} T _etext\n'
          f'{MODULES:016x} t init\t[made]\n'.encode())
    write(proc + '/modules', f'made 8192 0 - Live 0x{MODULES:x}\nlater 4096 0 - Live 0x{MODULES + 0x3000:x}\n'.encode())
    write(proc + '/iomem', b'00001000-0009ffff : System RAM\n  01000000-010027ff : Kernel code\n')
    text = bytes(range(256)) * 0x30
    modules = b'A' * 0x2000 + bytes(0x1000) + b'B' * 0x1000
    segments = [(0xffff888000000000, b'D' * 0x1000), (TEXT - 0x1000, b'K' * 0x1000 + text + b'k' * 0x2000),
                (MODULES - 0x1000, b'm' * 0x1000 + modules + b'z' * 0x1000)]
    headers, body = b'', b''
    for address, data in segments:
        headers += struct.pack('=IIQQQQQQ', 1, 7, 0x1000 + len(body), address, 0, len(data), len(data), 0x1000)
        body += data
    ident = b'\x7fELF' + bytes([2, 1 if sys.byteorder == 'little' else 2, 1]) + bytes(9)
    head = ident + struct.pack('=HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0) + headers
    write(proc + '/kcore', head.ljust(0x1000, b'\0') + body)
    return {TEXT: text, MODULES: modules}


def loaded(path):
    """The segments of an ELF file by their addresses"""
    elf = read(path)
    offset, number = struct.unpack_from('=Q', elf, 32)[0], struct.unpack_from('=H', elf, 56)[0]
    found = {}
    for i in range(number):
        kind, _, at, address, _, size, _, _ = struct.unpack_from('=IIQQQQQQ', elf, offset + 56 * i)
        want(kind == 1 and at % 4096 == 0, f'segment {i} of {path}')
        found[address] = elf[at:at + size]
    return found


def record(*words, proc):
    return run(SONDE, 'record', '-q', '--kcore', '-e', 'cpu-clock:u', '-o', 'k.data', *words, proc=proc)


def check_recording(segments, proc):
    want(sorted(os.listdir('k.data')) == ['data', 'kcore_dir'], os.listdir('k.data'))
    want(loaded('k.data/kcore_dir/kcore') == segments, 'the code of the kernel is not what was copied')
    for name in ('kallsyms', 'modules'):
        want(read('k.data/kcore_dir/' + name) == read(f'{proc}/{name}'), name)
    for path in ('k.data', 'k.data/data'):
        status, out, err = run(SONDE, 'check', path)
        want(status == 0 and ', 0 errors, 0 warnings, 0 notes' in out, f'check {path}: {out}{err}')
    want('text_poke: 1' in run(SONDE, 'evlist', '-v', 'k.data')[1], 'changes of the code are not recorded')
    for perf in PERFS:
        if run(perf, '--version')[0] == 0:
            status, _, err = run(perf, 'script', '-i', 'k.data')
            want(status == 0 and not err, f'{perf} script: {err}')


def main():
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        if run(SONDE, 'record', '-q', '-e', 'cpu-clock:u', '-o', 'probe.data', 'true')[0]:
            print('skipped: recording is not possible here')
            sys.exit(77)
        proc = directory + '/proc'
        segments = make_proc(proc)

        # over a file, which is kept; then over a directory
        write('k.data', b'old')
        status, _, err = record('true', proc=proc)
        want(status == 0, err)
        check_recording(segments, proc)
        want(read('k.data.old') == b'old', 'the old recording is not kept')
        before = read('k.data/data')
        want(record('true', proc=proc)[0] == 0, 'over a directory')
        check_recording(segments, proc)
        want(read('k.data.old/data') == before, 'the old directory is not kept')
        want(record('true', proc=proc)[0] == 0, 'with an old directory')
        check_recording(segments, proc)

        # nothing is recorded: the one before is there again
        before = read('k.data/data')
        want(record('nosuchprogram', proc=proc)[0] == 1, 'a program that is not there')
        want(read('k.data/data') == before, 'the recording before is not there')

        # a directory that is no recording is left alone
        shutil.rmtree('k.data.old')
        os.mkdir('k.data.old')
        write('k.data.old/mine', b'1')
        status, _, err = record('true', proc=proc)
        want(status == 1 and 'cannot remove k.data.old' in err, err)
        want(read('k.data.old/mine') == b'1' and read('k.data/data') == before, 'foreign files')
        shutil.rmtree('k.data.old')

        # memory of the kernel that cannot be read, or is not what it should be
        kcore = read(proc + '/kcore')
        for data, message in ((None, 'No such file'), (b'', 'cannot read the memory of the kernel'),
                              (b'\x7fELF' + bytes(10), 'kcore is no ELF file'),
                              (kcore[:100], 'kcore ends within its segments'),
                              (kcore[:0x4000], 'cannot read kcore at offset')):
            os.remove(proc + '/kcore')
            if data is not None:
                write(proc + '/kcore', data)
            status, _, err = record('true', proc=proc)
            want(status == 1 and message in err, f'{message}: {status} {err}')
            want(read('k.data/data') == before, f'{message}: the old recording is gone')
            want(not os.path.exists('k.data.old'), f'{message}: the old recording is still set aside')
            write(proc + '/kcore', kcore)
        write(proc + '/kallsyms', f'{0:016x} T _text\n{0:016x} T _etext\n'.encode())
        status, _, err = record('true', proc=proc)
        want(status == 1 and 'does not say where the text of the kernel is' in err, err)

        for words in (['-o', '-'], ['--switch-output'], ['--ftrace']):
            status, _, err = record(*words, 'true', proc=proc)
            want(status == 2 and '--kcore: this is not for' in err, f'{words}: {status} {err}')


main()
