#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bpf_programs.py - a recording describes the BPF programs that are loaded, as perf's does"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

SONDE, SOURCE = os.environ['SONDE'], os.environ['SONDE_SOURCE']
sys.dont_write_bytecode = True
sys.path.insert(0, SOURCE + '/tests')
import bpf_load  # noqa: E402

NAME = f's{os.getpid()}'
PERFS = [SOURCE + '/../shared/tools/newest-perf', 'perf']


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors='replace', stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        return 127, '', str(error)
    return done.returncode, done.stdout, done.stderr


def must(*command):
    status, out, err = output(*command)
    if status:
        sys.exit(f'FAILED: {" ".join(command)}: exit status {status}: {err}')
    return out


def of_ours(lines, number):
    """What perf says of the program in its records and in the header, without the id of the recording's event"""
    return sorted(' '.join(line.split()) for line in lines.splitlines()
                  if f'_{NAME}_' in line or re.search(rf'(, id|bpf_prog_info) {number}\b', line))


def shown_by(perf, path, number):
    records = must(perf, 'script', '--show-bpf-events', '-i', path)
    header = must(perf, 'report', '-I', '--header-only', '-i', path)
    return of_ours('\n'.join(line for line in records.splitlines() if 'PERF_RECORD_' in line), number), \
        of_ours(header, number)


def loaded_id(path):
    """The number of the program by its name in the header"""
    found = re.findall(rf'^# bpf_prog_info (\d+): bpf_prog_[0-9a-f]{{16}}_{NAME}$', must(SONDE, 'info', path), re.M)
    return found[-1] if found else None


def before(directory):
    path = directory + '/before.data'
    fd = bpf_load.load(NAME)
    must(SONDE, 'record', '-q', '-e', 'cpu-clock', '-o', path, 'true')
    number = loaded_id(path)
    if not number:
        sys.exit('FAILED: the program is not in the feature BPF_PROG_INFO')
    check = must(SONDE, 'check', path)
    # what the feature was at the start stays in the file, as a note says, if there were programs then
    if ', 0 errors, 0 warnings, ' not in check:
        sys.exit(f'FAILED: {check}')
    dump = must(SONDE, 'dump', path)
    names = re.findall(rf'name: bpf_prog_[0-9a-f]{{16}}_({NAME}_\w+)', dump)
    loads = re.findall(rf'type: 0x1 PROG_LOAD\n    flags: 0\n    id: {number}\n', dump)
    # without a compiler in the kernel, or with kernel.kptr_restrict, functions have no addresses
    if names not in ([NAME + '_main', NAME + '_helper'], []) or len(loads) != 1:
        sys.exit(f'FAILED: {names}, {len(loads)} loads in the records')
    if '# btf info of id ' not in must(SONDE, 'info', path):
        sys.exit('FAILED: the types are not in the feature BPF_BTF')
    for perf in PERFS:
        if output(perf, '--version')[0]:
            continue
        theirs = directory + '/perf.data'
        ours = shown_by(perf, path, number)
        if not ours[0]:
            sys.exit(f'FAILED: {perf} shows {ours}')
        if output(perf, 'record', '-q', '-e', 'cpu-clock', '-o', theirs, 'true')[0] == 0:
            perfs = shown_by(perf, theirs, number)
            # a perf without libbpf records none
            if perfs[0] and perfs != ours:
                sys.exit(f'FAILED: {perf} shows of\n its recording {perfs}\n of ours {ours}')
    must(SONDE, 'record', '-q', '--no-bpf-event', '-e', 'cpu-clock', '-o', path, 'true')
    if loaded_id(path) or 'BPF_EVENT' in must(SONDE, 'dump', path):
        sys.exit('FAILED: --no-bpf-event records programs')
    os.close(fd)
    must(SONDE, 'record', '-q', '-e', 'cpu-clock', '-o', path, 'true')
    if loaded_id(path) == number:
        sys.exit('FAILED: a program that is unloaded is in the recording')


def meanwhile(directory):
    """A program that is loaded while the recording goes on, and still there at its end"""
    path = directory + '/meanwhile.data'
    recorder = subprocess.Popen([SONDE, 'record', '-q', '-e', 'cpu-clock', '-p', str(os.getpid()), '-o', path])
    for _ in range(1200):
        if 'FINISHED_INIT' in output(SONDE, 'dump', path)[1]:
            break
        time.sleep(0.1)
    fd = bpf_load.load(NAME)
    recorder.send_signal(signal.SIGINT)
    recorder.wait()
    if not loaded_id(path):
        sys.exit('FAILED: a program that was loaded meanwhile is not in the feature BPF_PROG_INFO')
    os.close(fd)
    check = must(SONDE, 'check', path)
    # what the feature was at the start stays in the file, as a note says, if there were programs then
    if ', 0 errors, 0 warnings, ' not in check:
        sys.exit(f'FAILED: {check}')


def main():
    with tempfile.TemporaryDirectory() as directory:
        if output(SONDE, 'record', '-q', '-e', 'cpu-clock', '-o', directory + '/probe.data', 'true')[0]:
            print('skipped: recording is not possible here')
            sys.exit(77)
        try:
            os.close(bpf_load.load(NAME))
        except OSError as error:
            print(f'skipped: no BPF program can be loaded here: {error}')
            sys.exit(77)
        before(directory)
        meanwhile(directory)


main()
