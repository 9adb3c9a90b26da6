#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_fields.py - tracepoints in the page: values of fields as sonde report counts them, gaps as in sonde script"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ['SONDE_SOURCE'], 'tests'))
import page_data  # noqa: E402  (found by the line above)
import shipped_data  # noqa: E402

sonde = os.environ['SONDE']
VALUES = 20  # HTML_MOST_VALUES


def run(*words):
    return subprocess.run([sonde, *words], capture_output=True, text=True, check=True).stdout


def page_events(data):
    run('report', '--html', 'page.html', '-i', data)
    return page_data.read('page.html')['events']


def reported(data, event, field):
    """The values of a field with the numbers of samples, of sonde report."""
    column = event + '.' + field
    text = run('report', '--stdio', '-g', 'none', '--sort', column, '-F', 'sample,' + column, '-t', '\t',
               '--event', event, '-i', data)
    rows = [line.split('\t') for line in text.splitlines() if line and not line.startswith('#')]
    return {row[1].strip(): int(row[0]) for row in rows}


def times(data, event):
    """Of each event, in nanoseconds, of sonde script."""
    lines = run('script', '--ns', '-F', 'time,event', '-i', data).splitlines()
    found = (re.match(r'\s*(\d+)\.(\d{9}):\s+(\S+?):?\s*$', line) for line in lines)
    return [int(m[1]) * 10**9 + int(m[2]) for m in found if m and m[3] == event]


def percentile(ordered, percent):
    return ordered[max(1, -(-len(ordered) * percent // 100)) - 1]


def test_counts():
    checked = 0
    for event in page_events('t.data'):
        for name, distinct, values in event.get('fields', []):
            want = reported('t.data', event['name'], name)
            assert event['counted'] == sum(event['samples']) == sum(want.values()), (event['name'], name)
            assert distinct == len(want) and len(values) == min(distinct, VALUES), (name, distinct, want)
            assert all(want[text.strip()] == count for text, count in values), (name, values, want)
            counts = [count for _, count in values]
            assert counts == sorted(counts, reverse=True), values
            checked += 1
    assert checked >= 5, checked


def test_gaps():
    checked = 0
    for event in page_events('t.data'):
        at = times('t.data', event['name'])
        gaps = sorted(b - a for a, b in zip(at, at[1:]))
        if not gaps:
            assert 'gaps' not in event, event
            continue
        want = [len(gaps), gaps[0]] + [percentile(gaps, share) for share in (50, 90, 99)] + [gaps[-1]]
        assert event['gaps'] == want, (event['name'], event['gaps'], want)
        checked += 1
    assert checked >= 1, checked


def test_without():
    """Neither a clock nor a tracepoint with stacks has fields in the page."""
    for name in ('callgraph.data', 'stacks.dat'):
        shipped_data.put(name, name)
        events = [event for event in page_events(name) if len(event['node']) > 2]
        assert events and not any(event.get('fields') for event in events if max(depths(event)) > 2), name


def depths(event):
    found = []
    for i, up in enumerate(event['up']):
        found.append(found[i - up] + 1 if up else 1)
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shipped_data.put('tracepoints.data', 't.data')
        for test in (test_counts, test_gaps, test_without):
            test()


main()
