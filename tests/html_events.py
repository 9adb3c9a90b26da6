#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_events.py - pages of recordings with many events, tracepoints and odd texts, in Chromium"""
import os
import subprocess
import sys

import page_data
import shipped_data
from html_reader import Page, check, pictures, run

MANY = 10  # events that have a search: MANY_EVENTS of web/choosers.js


def made(folder, name):
    """The page of a shipped recording, and its data."""
    data, path = os.path.join(folder, name), os.path.join(folder, name + '.html')
    shipped_data.put(name, data)
    subprocess.run([os.environ['SONDE'], 'report', '--html', path, '-i', data], check=True, stderr=subprocess.DEVNULL)
    return path, page_data.read(path)


def test_first_event(browser, folder, shots):
    """The event with the most samples, of those with stacks, not the first one."""
    for name in ('v7.dat', 'buffers.dat', 'stacks.dat', 'tracepoints.data'):
        path, data = made(folder, name)
        page = Page(browser, path)
        samples = {event['name']: sum(event['samples']) for event in data['events']}
        deep = {event['name'] for event in data['events'] if any(
            up and event['up'][i - up] for i, up in enumerate(event['up']))}
        shown = page.text('#summary').split(' \u00b7 ')[0]
        most = max(samples[event] for event in deep or samples)
        check(2 * samples[shown] >= most and (not deep or shown in deep), 'it opens with a large event: ' + name,
              (shown, samples, deep))
        page.check_quiet()


def test_choice(browser, folder, shots):
    """Many events: with numbers, the most frequent first, found by a search."""
    path, data = made(folder, 'v7.dat')
    page = Page(browser, path)
    events = {event['name']: sum(event['samples']) for event in data['events']}
    if len(events) < MANY:
        check(not browser.run('document.getElementById("event-search").checkVisibility()'), 'few need no search')
        return
    options = '[...document.getElementById("event").options].map(o => o.text)'
    listed = browser.run(options)
    counts = [int(text.split()[-1].replace(',', '')) for text in listed]
    check(counts == sorted(events.values(), reverse=True), 'the most frequent event is the first one', listed)
    wanted = min(events, key=lambda name: (events[name], name))
    browser.run('document.getElementById("event-search").focus()')
    browser.type('^' + wanted + '$')
    check(wanted in [text.split()[0] for text in browser.run(options)] and len(browser.run(options)) <= 2,
          'the list has what is searched', browser.run(options))
    browser.run('(s => s.dispatchEvent(new Event("change")))(document.getElementById("event-search"))')
    browser.settle()
    check(page.text('#summary').startswith(wanted + ' '), 'and Enter shows it', page.text('#summary'))
    check(len(browser.run(options)) == len(events), 'then the list has all again', browser.run(options))
    page.check_quiet()


def test_fields(browser, folder, shots):
    """Tracepoints without stacks show their fields, gaps and the commands that tell more."""
    path, data = made(folder, 'tracepoints.data')
    for number, event in enumerate(data['events']):
        page = Page(browser, path, '#event=%d' % number)
        if not event.get('fields'):
            continue
        tables = browser.run('[...document.querySelectorAll("#fields table")].map(t => [t.caption.firstChild.data, '
                             '[...t.rows].map(r => [...r.cells].map(c => c.innerText))])')
        check([name for name, _ in tables] == [name for name, _, _ in event['fields']], 'a table for each field',
              tables)
        for (_, rows), (_, _, values) in zip(tables, event['fields']):
            want = [['(empty)' if text == '' else text, '{:,}'.format(count)] for text, count in values]
            check([row[:2] for row in rows[:len(want)]] == want, 'with its values', (rows, want))
        notes = page.text('#fields-notes')
        check('sonde script' in notes and '--event %s --sort trace_fields' % event['name'] in notes and '-g' in notes,
              'the commands are named', notes)
        check(('gaps' in event) == ('median' in notes), 'the gaps are told', notes)
        browser.screenshot(os.path.join(shots, 'fields.png'))
        page.check_quiet()
    pictures(browser, shots, {'fields-light': (1280, 800, False), 'fields-dark': (1280, 800, True),
                              'fields-narrow': (390, 844, False)})
    path, _ = made(folder, 'callgraph.data')
    Page(browser, path)
    check(not browser.run('document.getElementById("fields").checkVisibility()'), 'a clock has none')


def test_texts(browser, folder, shots):
    """What a search says in a zoom, a command of several lines, labels and names that have room."""
    path, _ = made(folder, 'callgraph.data')
    page = Page(browser, path)
    place = page.hover(3, 0.3).split('\n')[0]
    page.click(3, 0.3)
    outer = page.crumbs()[1]
    check(page.search('^' + outer + '$').endswith(', none here') and 'No function of the zoom' in page.text('#no-rows'),
          'what lies around a zoom is not in it', (place, page.text('#matched'), page.text('#no-rows')))
    check(page.search('.').endswith(', 100.00% here'), 'what is below it is', page.text('#matched'))
    widths = browser.run('[...document.querySelectorAll("#table thead th")]'
                         '.map(th => th.getBoundingClientRect().width)')
    check(widths[2] >= 0.4 * sum(widths), 'names of functions have the room that the other columns leave', widths)
    with open(path, encoding='utf-8') as f:
        text = f.read()
    title = page_data.read(path)['title']
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text.replace('"title":"' + title, '"title":"sh -c echo\\n\\techo ' + title))
    page = Page(browser, path)
    check(page.text('#title').startswith('sh -c echo echo '), 'a title of several lines is on one', page.text('#title'))


def test_labels(browser, folder, shots):
    """A label of two lines stays in its row."""
    path, _ = made(folder, 'v7.dat')
    for width in (1280, 390):
        browser.size(width, 844)
        Page(browser, path)
        over = browser.run('[...document.querySelectorAll("#gutter .track")].filter(row => '
                           '{ const range = document.createRange(); range.selectNodeContents(row);'
                           ' const text = range.getBoundingClientRect(), box = row.getBoundingClientRect();'
                           ' return text.height > box.height + 1 }).map(row => row.textContent)')
        check(over == [], 'no label reaches into the next one at %d pixels' % width, over)
    browser.size(1400, 860)


def test_all(browser, folder, shots):
    for test in (test_first_event, test_choice, test_fields, test_texts, test_labels):
        test(browser, folder, shots)


if __name__ == '__main__':
    sys.exit(run((), test_all))
