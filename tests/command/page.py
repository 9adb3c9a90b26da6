#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page.py - the page of report --html about a recording: date, rate, losses, stacks, wall time, idle tasks"""
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['SONDE_SOURCE'], 'tests'))
import page_data  # noqa: E402  (found by the line above)

SKIP = 77
sonde = os.environ['SONDE']
workload = os.path.join(os.environ['SONDE_BUILD'], 'bench/workload')
DEEP = r'''
#include <time.h>
static int __attribute__((noinline, noclone)) down(int n)
{
	struct timespec t;

	for (int i = 0; n == 0 && i < 2000000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return n == 0 ? 1 : down(n - 1) + 1;
}

int main(void)
{
	return down(300) - 301;
}
'''


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def profile(data, how='report'):
    """The data of the page."""
    if os.path.exists('page.html'):
        os.remove('page.html')
    if how == 'report':
        told = run(sonde, 'report', '-i', data, '--html', 'page.html')
    else:
        told = run(sonde, 'export', '--to', 'html', '-o', 'page.html', data)
    assert os.path.exists('page.html'), told.stderr
    return page_data.read('page.html')


def record(name, *words):
    told = run(sonde, 'record', '-o', name, *words)
    if told.returncode != 0:
        print('skipped: recording is not possible here: ' + told.stderr)
        sys.exit(SKIP)
    return told.stderr


def event_of(page):
    return next(e for e in page['events'] if sum(e['samples']))


def test_about():
    before = datetime.datetime.now().astimezone().replace(microsecond=0)
    record('clock.data', '-F', '500', '-g', '-e', 'cpu-clock:u', '--', workload, '0.2')
    after = datetime.datetime.now().astimezone()
    page = profile('clock.data')
    about = dict(page['info'])
    about.pop('Stacks', None)  # of frame pointers that are none, now and then
    assert list(about) == ['Command line', 'Recorded', 'Duration', 'Rate', 'Host', 'CPUs', 'CPU', 'Architecture',
                           'Kernel', 'Recorder', 'Losses'], about
    assert before <= datetime.datetime.strptime(about['Recorded'], '%Y-%m-%d %H:%M:%S %z') <= after, (before, about)
    header = run(sonde, 'info', 'clock.data').stdout
    milliseconds = float(re.search('sample duration : *([0-9.]*) ms', header).group(1))
    assert abs(page['wall_ns'] / 1e6 - milliseconds) < 1, (page['wall_ns'], milliseconds)
    duration = '%d.%03d s from the first sample to the last' % (page['wall_ns'] // 10**9,
                                                                page['wall_ns'] // 10**6 % 1000)
    assert about['Duration'] == duration, about
    assert about['Rate'] == 'cpu-clock:u: 500 samples per second', about
    assert about['CPUs'] == str(os.cpu_count()) or about['CPUs'].endswith(' online of %d' % os.cpu_count()), about
    assert re.fullmatch(r'sonde [0-9.]+', about['Recorder']), about
    # a loaded kernel stops an event now and then
    assert re.fullmatch('none known|[0-9]+ times? the kernel stopped .*', about['Losses']), about
    assert about['Command line'].endswith('-- %s 0.2' % workload) and page['title'] == about['Command line'], about
    event = event_of(page)
    assert event['unit'] == 'ns' and not any('-g' in note or 'dwarf' in note for note in event['notes']), event
    assert 5 not in page['frames']['kind'], 'no task is idle'
    assert profile('clock.data', 'export')['info'] == page['info']

    record('period.data', '-c', '100000', '-e', 'cpu-clock:u', '--', workload, '0.1')
    assert dict(profile('period.data')['info'])['Rate'] == 'cpu-clock:u: a sample every 0.1 ms'
    record('faults.data', '-c', '3', '-e', 'page-faults:u', '--', workload, '0.1')
    assert dict(profile('faults.data')['info'])['Rate'] == 'page-faults:u: a sample every 3 events'
    with open('clock.data', 'rb') as f, open('cut.data', 'wb') as out:
        whole = f.read()
        out.write(whole[:len(whole) * 3 // 4])
    losses = dict(profile('cut.data')['info'])['Losses']
    assert losses != 'none known' and losses[0].isdigit(), losses


def test_stacks():
    record('flat.data', '-e', 'cpu-clock:u', '--', workload, '0.1')
    notes = event_of(profile('flat.data'))['notes']
    assert 'Recorded without -g: samples name the function that ran, not its callers.' in notes, notes
    with open('deep.c', 'w', encoding='ascii') as f:
        f.write(DEEP)
    flags = ['-O1', '-fno-omit-frame-pointer', '-fno-optimize-sibling-calls']
    subprocess.run(os.environ.get('CC', 'cc').split() + flags + ['-o', 'deep', 'deep.c'], check=True)
    record('deep.data', '-g', '-e', 'cpu-clock:u', '--', './deep')
    page = profile('deep.data')
    event = event_of(page)
    stacks = run(sonde, 'script', '-F', 'ip,sym', '-i', 'deep.data').stdout.strip().split('\n\n')
    cut = sum(len(stack.strip().split('\n')) == 127 for stack in stacks)
    assert cut > 0 and len(stacks) == sum(event['samples']), (cut, len(stacks))
    note = ('%d of %d stacks %s cut at the kernel\'s limit of frames (kernel.perf_event_max_stack): '
            'the outermost callers are missing.')
    note %= (cut, len(stacks), 'was' if cut == 1 else 'were')
    assert note in event['notes'] and dict(page['info'])['Stacks'] == note.split(':')[0], (page['info'], event['notes'])


def test_idle():
    told = run(sonde, 'record', '-o', 'all.data', '-a', '-e', 'cpu-clock', '--', 'sleep', '0.5')
    if told.returncode != 0:
        print('idle tasks are not recorded: ' + told.stderr)
        return
    page = profile('all.data')
    frames = page['frames']
    comms = {page['strings'][s]: k for s, k in zip(frames['symbol'], frames['kind']) if k >= 4}
    lines = run(sonde, 'script', '-F', 'comm,pid', '-i', 'all.data').stdout.split('\n')
    if any(line.split()[-1:] == ['0'] for line in lines):
        assert comms.get('swapper') == 5, comms
    assert all(k == 4 for name, k in comms.items() if name != 'swapper'), comms


def test_two():
    """Wall time of two recordings is that of both, whatever lies between them."""
    walls = [profile(name)['wall_ns'] for name in ('clock.data', 'flat.data')]
    run(sonde, 'report', '-i', 'clock.data', '-i', 'flat.data', '--html', 'both.html')
    with open('both.html', encoding='utf-8') as f:
        both = int(re.search('"wall_ns":([0-9]+)', f.read()).group(1))
    assert both == sum(walls), (both, walls)


def test_times():
    """Each sample is on the time axis: its time, thread, CPU and function are those that script prints."""
    record('timed.data', '-a', '-g', '-e', 'cpu-clock', '--', workload, '0.2')
    page = profile('timed.data')
    event = event_of(page)
    lines = run(sonde, 'script', '--ns', '-F', 'tid,cpu,time', '-G', '-i', 'timed.data').stdout.strip().split('\n')
    want = sorted((int(re.sub(r'[.:]', '', time)), int(tid), int(cpu.strip('[]')))
                  for tid, cpu, time in (line.split() for line in lines if line.strip()))
    assert page['time']['start_ns'] == want[0][0], (page['time'], want[0])
    step, at, seen = page['time']['step_ns'], 0, []
    for delta, cell, cpu in zip(event['time'], event['cell'], event['cpu']):
        at += delta
        seen.append((at, page['tid'][event['task'][cell]], cpu - 1))
    want = [((t - want[0][0]) // step, tid, cpu) for t, tid, cpu in want]
    assert sorted(seen) == sorted(want), (sorted(set(seen) ^ set(want))[:10], len(seen), len(want))
    counts, weights = [0] * len(event['node']), [0] * len(event['node'])
    for cell, period, count in zip(event['cell'], event['period'], event['count']):
        counts[cell] += count
        weights[cell] += period
    assert counts == event['samples'] and weights == event['weight'], 'the samples of cells are their sums'


def test_trace_dat():
    """Clocks of ftrace that count no time show none."""
    corpus = os.environ.get('SONDE_CORPUS', os.path.join(os.environ['SONDE_SOURCE'], '../shared/corpus'))
    for clock, is_time in (('counter', False), ('uptime', False), ('mono', True)):
        path = os.path.join(corpus, 'recorded/tc3.1-t7_clock_%s.dat' % clock)
        if not os.path.exists(path):
            print('not tested, there is no ' + path)
            continue
        page = profile(path)
        about = dict(page['info'])
        assert (page['wall_ns'] > 0) == is_time and ('Duration' in about) == is_time, (clock, page['wall_ns'], about)
        assert about['Recorder'].startswith('trace-cmd 3.1.6') and 'Rate' not in about, about


def main():
    folder = tempfile.mkdtemp(prefix='sonde-page-')
    os.chdir(folder)
    try:
        test_about()
        test_stacks()
        test_idle()
        test_two()
        test_times()
        test_trace_dat()
    finally:
        os.chdir('/')
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
