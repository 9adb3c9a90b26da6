#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page.py - the page of report --html about a recording: date, rate, losses, stacks, wall time, idle tasks"""
import datetime
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['SONDE_SOURCE'], 'tests'))
import page_data  # noqa: E402  (found by the line above)
import shipped_data  # noqa: E402

SKIP = 77
UNKNOWN, RUNNING, RUNNABLE, SLEEPING, BLOCKED, HAD_RUN = 0, 1, 2, 3, 4, 8  # src/analyze/tables/track_states.h
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

NAPS = 20
NAPPER = r'''
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Works for 5 ms and sleeps for 5 ms, twenty times; prints its pid and its CPU time. */
int main(void)
{
	for (int i = 0; i < 20; i++) {
		double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);

		while (seconds(CLOCK_PROCESS_CPUTIME_ID) < begin + 0.005)
			;
		usleep(5000);
	}
	printf("napper %d %.6f\n", (int)getpid(), seconds(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
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
    run(sonde, 'cut', '--time', '25%-50%', 'clock.data', 'part.data')
    for names in (['clock.data', 'part.data'], ['part.data', 'clock.data', 'part.data']):
        run(sonde, 'report', *[word for name in names for word in ('-i', name)], '--html', 'both.html')
        with open('both.html', encoding='utf-8') as f:
            both = int(re.search('"wall_ns":([0-9]+)', f.read()).group(1))
        assert both == walls[0], ('time that two recordings share counts once', names, both, walls)


def test_two_machines():
    """Threads of the same ids on two machines are told apart, by number and name."""
    name = run(sonde, 'info', '-i', 'clock.data').stdout.split('# hostname : ')[1].split('\n')[0].encode() + b'\0'
    other = 'X' * (len(name) - 1)
    with open('clock.data', 'rb') as f:
        data = f.read()
    at = data.rindex(name)
    with open('elsewhere.data', 'wb') as f:
        f.write(data[:at] + other.encode() + data[at + len(other):])
    run(sonde, 'report', '-i', 'clock.data', '-i', 'elsewhere.data', '--html', 'both.html')
    page = page_data.read('both.html')
    tasks = list(zip(page['pid'], page['tid'], [page['strings'][s] for s in page['comm']], page['machine']))
    here = [task for task in tasks if task[3] == 0]
    there = [(*ids, '%s (%s)' % (comm, other), 1) for *ids, comm, _ in here]
    assert here and sorted(tasks) == sorted(here + there), tasks


def test_baseline():
    """The page has the cells of both recordings; neither is written over."""
    told = run(sonde, 'report', '-i', 'clock.data', '--html', 'both.html', '--baseline', 'flat.data')
    assert told.returncode == 0, told.stderr
    both, old = page_data.read('both.html')['baseline'], profile('flat.data')
    assert (both['title'], both['losses'], both['tid']) == (old['title'], old['losses'], old['tid']), both['title']
    for name in ('samples', 'weight', 'node', 'up', 'frame'):
        assert event_of(both)[name] == event_of(old)[name], (name, event_of(both)[name], event_of(old)[name])
    assert event_of(both)['time'] == [], 'only the newer recording has a time axis'
    told = run(sonde, 'report', '-i', 'clock.data', '--html', 'flat.data', '--baseline', 'flat.data')
    assert told.returncode == 1 and 'flat.data is the input' in told.stderr, (told.returncode, told.stderr)
    told = run(sonde, 'report', '-i', 'clock.data', '--baseline', 'flat.data')
    assert told.returncode == 2 and '--baseline is for --html' in told.stderr, (told.returncode, told.stderr)
    told = run(sonde, 'report', '-i', 'clock.data', '--html', 'both.html', '--baseline', 'none.data')
    assert told.returncode == 1 and 'none.data: cannot open' in told.stderr, (told.returncode, told.stderr)


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


class States:
    """What threads do, by the lines that script prints: the time of each, its thread or CPU, and the event."""
    LEAVING = 20e-6  # a waker can reach a thread for so long before it leaves

    def __init__(self):
        self.changes = []
        self.state = {}
        self.cpu = {}
        self.on_cpu = {}
        self.early = {}
        self.last = {}

    def change(self, tid, state, dead=False):
        if self.state.get(tid) == RUNNING and state == UNKNOWN and not dead:
            self.changes[self.last[tid]] = (tid, UNKNOWN)  # nobody knows how long it ran
        self.last[tid] = len(self.changes)
        self.changes.append((tid, state))
        self.state[tid] = state

    def displace(self, cpu, by):
        before = self.on_cpu.get(cpu)
        if before not in (None, by) and self.state[before] == RUNNING and self.cpu[before] == cpu:
            self.change(before, UNKNOWN)

    def leave(self, tid, cpu, state, time, dead=False):
        self.displace(cpu, tid)
        self.on_cpu[cpu] = None
        if self.state.get(tid) == RUNNING and self.cpu[tid] != cpu:
            self.change(tid, UNKNOWN)
        self.cpu[tid] = cpu
        self.change(tid, state, dead)
        if state in (SLEEPING, BLOCKED) and self.early.get(tid, -1) + self.LEAVING >= time:
            self.change(tid, RUNNABLE)
        self.early.pop(tid, None)
        if dead:
            self.state.pop(tid)

    def run(self, tid, cpu):
        self.displace(cpu, tid)
        if self.state.get(tid) == RUNNING and self.cpu.get(tid) != cpu:
            self.change(tid, UNKNOWN)
        self.on_cpu[cpu] = tid
        self.early.pop(tid, None)
        self.cpu[tid] = cpu
        if self.state.get(tid) != RUNNING:
            self.change(tid, RUNNING)

    def wake(self, tid, time):
        if self.state.get(tid) == RUNNING:
            self.early[tid] = time
        elif self.state.get(tid) != RUNNABLE:
            self.change(tid, RUNNABLE)

    def take_tracepoint(self, line):
        cpu, time = line.split()[0], float(line.split()[1].rstrip(':'))
        switch = re.search(r'sched_switch: .* prev_pid=(\d+) .* prev_state=(\S+) .* next_pid=(\d+)', line)
        waking = re.search(r'sched_waking: .* pid=(\d+) ', line)
        if switch and switch[1] == '0':
            self.displace(cpu, 0)    # whoever was seen to run has left before
        if switch and switch[1] != '0':
            self.leave(int(switch[1]), cpu, {'R': RUNNABLE, 'D': BLOCKED, 'X': UNKNOWN, 'Z': UNKNOWN}.get(
                switch[2][0], SLEEPING), time, switch[2][0] in 'XZ')
        if switch and switch[3] != '0':
            self.run(int(switch[3]), cpu)
        elif switch:
            self.displace(cpu, 0)
            self.on_cpu[cpu] = None
        if waking and waking[1] != '0':
            self.wake(int(waking[1]), time)

    def take_record(self, line):
        switch = re.match(r' *([1-9]\d*) +(\S+) .*PERF_RECORD_SWITCH_CPU_WIDE (IN|OUT preempt|OUT) ', line)
        if switch and switch[3] == 'IN':
            self.run(int(switch[1]), switch[2])
        elif switch and self.state.get(int(switch[1])) in (None, UNKNOWN, RUNNING):
            self.leave(int(switch[1]), switch[2], RUNNABLE if 'preempt' in switch[3] else SLEEPING, 0)


def check_changes(page, take, lines):
    states, tracks = States(), page['tracks']
    for line in lines.split('\n'):
        if line:
            take(states, line)
    seen = [(tracks['tid'][t], s % HAD_RUN) for t, s in zip(tracks['thread'], tracks['state'])]
    assert len(seen) > 10 and seen == states.changes, (len(seen), len(states.changes), next(
        (i, a, b) for i, (a, b) in enumerate(zip(seen + [None], states.changes + [None])) if a != b))


def changes_of(page):
    """Changes with their times. The formats order those of several CPUs at one time in different ways."""
    tracks = page['tracks']
    return sorted(zip(itertools.accumulate(tracks['time']), (tracks['tid'][t] for t in tracks['thread']),
                      tracks['state'], tracks['cpu']))


def marks_of(*names):
    """The marks of a page about several recordings, with their times: in whatever order those are named."""
    run(sonde, 'report', *(word for name in names for word in ('-i', name)), '--html', 'marks.html')
    page = page_data.read('marks.html')
    tracks = page['tracks']
    return list(zip(itertools.accumulate(tracks['mark_time']), (page['strings'][s] for s in tracks['mark_text'])))


def record_whole(*words):
    """Records anew as long as the machine was too busy to keep each record."""
    told = run(sonde, 'record', '-a', *words, '--', workload, '0.1')
    while told.returncode == 0 and 'lost' in told.stderr:
        told = run(sonde, 'record', '-a', *words, '--', workload, '0.1')
    return told


def test_switches():
    """Changes of state are those of the lines that script prints: of tracepoints, a trace.dat, and records."""
    told = record_whole('-o', 'sched.data', '-e', 'sched:sched_switch', '-e', 'sched:sched_waking', '-e',
                        'sched:sched_process_exec')
    if told.returncode != 0:
        print('tracepoints are not recorded: ' + told.stderr)
        return
    page = profile('sched.data')
    lines = run(sonde, 'script', '--ns', '-F', 'cpu,time,event,trace', '-i', 'sched.data').stdout
    check_changes(page, States.take_tracepoint, lines)
    tracks = page['tracks']
    texts = [page['strings'][s] for s in tracks['mark_text']]
    assert texts == re.findall('sched_process_exec: *(.*)', lines) and tracks['marks'] == len(texts), texts
    run(sonde, 'convert', '--to', 'v7', 'sched.data', 'sched.dat')
    assert changes_of(profile('sched.dat')) == changes_of(page), 'a trace.dat tells the same'
    record('exec.data', '-a', '-e', 'sched:sched_process_exec', '--', workload, '0.01')
    marks = marks_of('sched.data', 'exec.data')
    assert marks and marks_of('exec.data', 'sched.data') == marks, marks

    told = record_whole('-o', 'switch.data', '--switch-events', '-e', 'cpu-clock')
    assert told.returncode == 0, told.stderr
    lines = run(sonde, 'script', '--show-switch-events', '-F', 'tid,cpu,event', '-i', 'switch.data').stdout
    check_changes(profile('switch.data'), States.take_record, lines)


def spans_of(page, tid):
    """What a thread does: state, begin, end."""
    tracks = page['tracks']
    changes = [(time, state % HAD_RUN) for time, thread, state in
               zip(itertools.accumulate(tracks['time']), tracks['thread'], tracks['state']) if
               tracks['tid'][thread] == tid]
    return [(state, time, end) for (time, state), (end, _) in zip(changes, changes[1:])]


def check_napper(name, least, *recorder):
    """
    A thread of a recording without -a runs as long as it says itself, but for what is not seen, has its samples then,
    and sleeps.
    """
    told = run(*recorder, '-o', name, '-e', 'cpu-clock', '-e', 'sched:sched_switch', '--', './napper')
    assert told.returncode == 0, told.stderr
    _, tid, cpu_time = re.search(r'napper .*', told.stdout)[0].split()
    page = profile(name)
    tid, cpu_time, step, event = int(tid), float(cpu_time), page['time']['step_ns'], event_of(page)
    spans = spans_of(page, tid)
    ran, slept = (sum(end - begin for kind, begin, end in spans if kind == state) * step / 1e9 for state in
                  (RUNNING, SLEEPING))
    assert least * cpu_time < ran < 1.25 * cpu_time, (name, ran, cpu_time)
    assert slept > 0.9 * NAPS * 0.005, (name, slept)
    times = [time for time, cell in zip(itertools.accumulate(event['time']), event['cell']) if
             page['tid'][event['task'][cell]] == tid and spans[0][1] <= time < spans[-1][2]]
    inside = sum(any(state == RUNNING and begin <= time <= end for state, begin, end in spans) for time in times)
    assert len(times) > 50 and inside >= 0.95 * len(times), (name, inside, len(times))
    tracks = page['tracks']
    others = {tracks['tid'][thread] for thread in tracks['thread']} - set(page['tid'])
    assert tracks['some'] and not others, ('threads that were not recorded', name, others)
    unknown = [i for i, (state, cpu) in enumerate(zip(tracks['state'], tracks['cpu'])) if state == RUNNING and not cpu]
    assert len(unknown) <= 1, ('the tracepoint that a thread leaves tells where it ran', name, unknown)


def test_switches_of_one_thread():
    with open('napper.c', 'w', encoding='ascii') as f:
        f.write(NAPPER)
    subprocess.run(os.environ.get('CC', 'cc').split() + ['-O1', '-o', 'napper', 'napper.c'], check=True)
    if run(sonde, 'record', '-o', 'try.data', '-e', 'sched:sched_switch', '--', 'true').returncode != 0:
        print('tracepoints are not recorded')
        return
    check_napper('napper.data', 0.8, sonde, 'record', '--switch-events')
    check_napper('tracepoints.data', 0.6, sonde, 'record')  # from the first sample after it has come
    if shutil.which('perf'):  # whose records of switches have no CPU
        check_napper('perf.data', 0.8, 'perf', 'record', '--switch-events')
    record('some.data', '-F', '1000', '-e', 'sched:sched_switch', '--', './napper')
    tracks = profile('some.data')['tracks']
    assert tracks['thread'] == [] and tracks['marks'] > 0, ('a part of the switches tells no states', tracks)


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
        assert page['title'] == os.path.basename(path) and 'Command line' not in about, (page['title'], about)
        assert (page['wall_ns'] > 0) == is_time and ('Duration' in about) == is_time, (clock, page['wall_ns'], about)
        assert about['Recorder'].startswith('trace-cmd 3.1.6') and 'Rate' not in about, about


def test_counts():
    """The counts of a group beside its leader's samples grow as script prints them."""
    shipped_data.put('groups.data', 'groups.data')
    page = profile('groups.data')
    tracks = page['tracks']
    lines = re.findall(r'^ *([0-9]+)\.([0-9]+): +([0-9]+) +page-faults',
                       run(sonde, 'script', '--ns', '-F', 'time,period,event', '-i', 'groups.data').stdout, re.M)
    want = [(int(s) * 10**9 + int(ns), int(period)) for s, ns, period in lines]
    times = [page['time']['start_ns'] + page['time']['step_ns'] * t for t in itertools.accumulate(tracks['count_time'])]
    assert want and list(zip(times, tracks['count'])) == want, (want, times, tracks['count'])
    assert {page['strings'][s] for s in tracks['count_event']} == {'page-faults'}, tracks['count_event']
    assert tracks['counts'] == len(want) and [e['name'] for e in page['events']] == ['cpu-clock', 'page-faults'], \
        page['events']
    assert sorted(page['events'][1]['period']) == sorted(period for _, period in want), page['events'][1]


def main():
    folder = tempfile.mkdtemp(prefix='sonde-page-')
    os.chdir(folder)
    try:
        test_about()
        test_stacks()
        test_idle()
        test_two()
        test_two_machines()
        test_baseline()
        test_times()
        test_switches()
        test_switches_of_one_thread()
        test_trace_dat()
        test_counts()
    finally:
        os.chdir('/')
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
