#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bpf_samples.py - samples in the code of a BPF program have the names of its functions, as perf shows them"""
import collections
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

NAME = f'l{os.getpid()}'
CPU_SECONDS = 0.5                # in the program: about a thousand samples, however busy the machine is
PERFS = [SOURCE + '/../shared/tools/newest-perf', 'perf']


def names(program, path):
    """How many samples each function of the program has; None where there is no such perf"""
    try:
        done = subprocess.run([program, 'script', '-i', path, '-F', 'ip,sym,dso'], capture_output=True, text=True,
                              errors='replace', stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    if done.returncode:
        sys.exit(f'FAILED: {program} script: {done.stderr}')
    found = (re.search(rf'(bpf_prog_[0-9a-f]{{16}}_{NAME}_\w+) \((.*)\)', line) for line in done.stdout.splitlines())
    return collections.Counter(match.group(1, 2) for match in found if match)


def annotated(path):
    """The code of the program is in the recording, with its lines"""
    shown = names(SONDE, path)
    helper = next((function for function, _ in shown if function.endswith('_helper')), None)
    if not helper:
        sys.exit(f'FAILED: no sample is in the function with the loop: {shown}')
    done = subprocess.run([SONDE, 'annotate', '-i', path, '-s', helper], capture_output=True, text=True,
                          errors='replace', stdin=subprocess.DEVNULL)
    if done.returncode and 'capstone' in done.stderr:
        return
    shares = [float(share) for share in re.findall(r'^ +(\d+\.\d\d) : +[0-9a-f]+: ', done.stdout, re.M)]
    if abs(sum(shares) - 100) > 0.01 * len(shares) or 'loop.bpf.c:12' not in done.stdout:
        sys.exit(f'FAILED: annotate: {done.stdout}{done.stderr}')


def knows_program(path):
    """Whether the recorder has come to the records of the program's begin."""
    dump = subprocess.run([SONDE, 'dump', path], capture_output=True, text=True, errors='replace').stdout
    return re.search(rf'bpf_prog_[0-9a-f]{{16}}_{NAME}_helper', dump) and 'BPF_EVENT' in dump


def unloaded(directory):
    """A program of the recorded command, which is not there at the start and at the end. It stays until the recorder,
    which asks the kernel for its code, has seen it."""
    path, seen = directory + '/unloaded.data', directory + '/seen'
    command = f'import bpf_load, os, time\nfd = bpf_load.load({NAME!r})\nbpf_load.run_for(fd, {CPU_SECONDS})\n' \
              f'while not os.path.exists({seen!r}):\n    time.sleep(0.05)\nos.close(fd)\ntime.sleep(0.3)'
    recorder = subprocess.Popen([SONDE, 'record', '-q', '-F', '2000', '-e', 'cpu-clock', '-o', path, '--',
                                 sys.executable, '-B', '-c', command],
                                env={**os.environ, 'PYTHONPATH': SOURCE + '/tests'})
    for _ in range(1200):
        if recorder.poll() is not None or knows_program(path):
            break
        time.sleep(0.1)
    with open(seen, 'w', encoding='utf-8'):
        pass
    if recorder.wait():
        sys.exit(f'FAILED: record: exit status {recorder.returncode}')
    annotated(path)
    check = subprocess.run([SONDE, 'check', path], capture_output=True, text=True, errors='replace')
    # what the feature was at the start stays in the file, as a note says, if there were programs then
    if check.returncode or ', 0 errors, 0 warnings, ' not in check.stdout:
        sys.exit(f'FAILED: {check.stdout}{check.stderr}')


def main():
    with tempfile.TemporaryDirectory() as directory:
        path = directory + '/trace.data'
        try:
            fd = bpf_load.load(NAME)
            bpf_load.run(fd, 1)
        except OSError as error:
            print(f'skipped: no BPF program can be run here: {error}')
            sys.exit(77)
        recorder = subprocess.Popen([SONDE, 'record', '-q', '-F', '2000', '-e', 'cpu-clock', '-p', str(os.getpid()),
                                     '-o', path], stderr=subprocess.DEVNULL)
        for _ in range(1200):
            dump = subprocess.run([SONDE, 'dump', path], capture_output=True, text=True, errors='replace')
            if 'FINISHED_INIT' in dump.stdout or recorder.poll() is not None:
                break
            time.sleep(0.1)
        if recorder.poll() is not None:
            print('skipped: recording is not possible here')
            sys.exit(77)
        bpf_load.run_for(fd, CPU_SECONDS)
        recorder.send_signal(signal.SIGINT)
        recorder.wait()
        ours = names(SONDE, path)
        if not any(function.endswith('_helper') for function, _ in ours):
            if 'KSYMBOL' not in subprocess.run([SONDE, 'dump', path], capture_output=True, text=True,
                                               errors='replace').stdout:
                print('skipped: the kernel interprets BPF programs or hides their addresses')
                sys.exit(77)
            sys.exit(f'FAILED: no sample is in the function with the loop: {ours}')
        for perf in PERFS:
            theirs = names(perf, path)
            if theirs is not None and theirs != ours:
                sys.exit(f'FAILED: {perf} shows {theirs}, sonde {ours}')
        annotated(path)
        os.close(fd)
        unloaded(directory)


main()
