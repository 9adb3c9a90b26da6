#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_axis.py - the time axis of a page, in Chromium: ranges, rows of threads, CPUs and events, states, heat map"""
import os
import sys

from html_reader import Page, axis_colour, axis_place, check, drag, pictures, run


def test_timed(browser, path, shots):
    """encode() runs from 2.0 to 4.5 s of ten; the ticker for 100 ms of each second."""
    page = Page(browser, path)
    whole = page.rows()
    check(page.text('#gutter').split() == 'All server 100 server 101 server 102 ticker 200'.split(),
          'a row for each thread', page.text('#gutter'))
    check('57 events lost' in page.text('#losses'), 'losses are told', page.text('#losses'))
    drag(browser, axis_place(browser, 0.25), axis_place(browser, 0.40))
    rows = {row[2]: row for row in page.rows()}
    before = {row[2]: row for row in whole}
    share = [float(table['encode'][1].rstrip('%')) for table in (before, rows)]
    check(share[1] > 2 * share[0], 'the table follows a range', (rows, before))
    check('of 20,000 samples' in page.text('#summary') and 'range 1.50 s' in page.text('#summary'),
          'the sums follow a range', page.text('#summary'))
    check('range=' in browser.run('location.hash'), 'the range is in the address', browser.run('location.hash'))
    check(page.hover(4, 0.1).startswith('encode'), 'the graph follows a range', page.hover(4, 0.1))
    address, selected = browser.run('location.hash'), page.rows()
    browser.screenshot(os.path.join(shots, 'range.png'))
    browser.run('history.back()')
    browser.settle()
    check(page.rows() == whole, 'Back takes the range back', page.rows())
    page = Page(browser, path, address)
    check(page.rows() == selected, 'the address has the range', page.rows())
    page.press('.applied')
    check(page.rows() == whole, 'a chip takes the range back', page.rows())
    drag(browser, axis_place(browser, 0.46), axis_place(browser, 0.54))
    browser.click(*axis_place(browser, 0.9))
    check(page.rows() == whole, 'a click beside the range clears it', page.rows())
    drag(browser, axis_place(browser, 0.52), axis_place(browser, 0.53))
    check(page.rows() == [] and 'No function' in page.text('#no-rows'), 'a range without samples is empty', page.rows())
    browser.key('a', 'a')
    browser.key('Escape')
    check(page.rows() == whole, 'Escape clears the range', page.rows())
    browser.move(*axis_place(browser, 0.52, 18))
    check('57 events lost' in page.text('#tip'), 'the mark of a loss tells it', page.text('#tip'))
    browser.click(*axis_place(browser, 0.52, 18))
    check('5.1' in page.text('#chips') and '300 ms' in page.text('#chips'), 'a click on it selects its time',
          page.text('#chips'))
    browser.click(*axis_place(browser, 0.9))
    page.press('.track[data-key="200/200"]')
    check([row[2] for row in page.rows()] in (['tick', 'sys_write'], ['sys_write', 'tick']),
          'a row of the axis chooses its thread', page.rows())
    page.press('.track[data-key="200/200"]')
    browser.run('(task => { task.value = "100"; task.dispatchEvent(new Event("change")) })'
                '(document.getElementById("task"))')
    browser.settle()
    check('tick' not in [row[2] for row in page.rows()], 'a process is chosen', page.rows())
    browser.run('history.back()')
    browser.settle()
    page.press('#cpus')
    check(page.text('#gutter').split() == 'All CPU 0 CPU 1 CPU 2'.split(), 'a row for each CPU', page.text('#gutter'))
    page.press('.track[data-key="2"]')
    check('cpu=2' in browser.run('location.hash') and 'tick' not in [row[2] for row in page.rows()],
          'a row chooses its CPU', browser.run('location.hash'))
    page.press('.track[data-key="2"]')
    page.press('#heat')
    browser.screenshot(os.path.join(shots, 'heat.png'))
    # ten seconds in columns of 100 ms, 100 of them: the ticker runs in every tenth column
    drag(browser, axis_place(browser, 0.305, 30), axis_place(browser, 0.315, 160))
    rows = {row[2]: row for row in page.rows()}
    check('tick' in rows and page.text('#summary').endswith(' ms'), 'the heat map selects a range',
          (page.text('#summary'), rows))
    browser.key('Escape')
    page.press('#threads')
    browser.run('document.getElementById("axis").dispatchEvent(new WheelEvent("wheel", '
                '{ deltaY: -600, clientX: 700, bubbles: true, cancelable: true }))')
    browser.settle()
    check('at=' in browser.run('location.hash'), 'the wheel zooms the axis', browser.run('location.hash'))
    browser.screenshot(os.path.join(shots, 'axis-zoom.png'))
    page.check_quiet()


def point(browser, page, ms, row, y=5, height=24):
    """The tip at a time of the page "sched", whose rows of threads have 24 pixels, those of CPUs 31."""
    browser.move(*axis_place(browser, ms / 100, 62 + height * row + y))
    browser.settle()
    return page.text('#tip')


def states(browser):
    return browser.run('[...document.querySelectorAll("#states .chip")]'
                       '.map(c => c.innerText.replace(/\\s+/g, " ").trim())')


def test_sched(browser, path, shots):
    """Thread 100 runs, is blocked, waits and runs again; 101, which has no samples, runs in between."""
    page = Page(browser, path)
    hostile = '<img src=x onerror=alert(8)> 101'
    gutter = browser.run('[...document.querySelectorAll("#gutter button")].map(b => [b.textContent, b.disabled])')
    check(gutter == [['All', False], ['x 100', False], [hostile, True]], 'threads that only ran have a row', gutter)
    check(page.text('#states').split('\n')[0:1] == ['running'] and 'tracepoint' in page.text('#states'),
          'the colours have names', page.text('#states'))
    for ms, row, want in ((20, 0, 'running on CPU 0 for 40.0 ms'),
                          (45, 0, 'blocked (uninterruptible) for 10.0 ms, then woken by ' + hostile),
                          (55, 0, 'waiting for a CPU for 20.0 ms, woken by ' + hostile),
                          (85, 0, 'running on CPU 0 for 30.0 ms'), (50, 1, 'running on CPU 0 for 30.0 ms'),
                          (60, 1, 'sys:<b>event</b>: <img src=x onerror=alert(9)> xxx')):
        tip = point(browser, page, ms, row)
        check(want in tip, 'the tip of row %d at %d ms' % (row, ms), tip)
    height = browser.run('document.getElementById("tip").getBoundingClientRect().height')
    check(height < 400, 'a long text leaves room', height)
    colours = [axis_colour(browser, ms / 100, 62 + 17) for ms in (20, 45, 60, 85)]
    empty = axis_colour(browser, 0.2, 62 + 24 + 17)
    check(colours[0] == colours[3] and len(set(map(tuple, colours + [empty]))) == 4, 'each state has a colour',
          (colours, empty))
    check(browser.run('document.getElementById("cpus").checkVisibility()'), 'CPUs can be chosen')
    page.press('#cpus')
    check(page.text('#gutter').split() == 'All CPU 0 CPU 3'.split(), 'a CPU without samples has a row',
          page.text('#gutter'))
    check(hostile + ' for 20.0 ms' in point(browser, page, 90, 1, height=31), 'and tells its thread', page.text('#tip'))
    tasks = [axis_colour(browser, ms / 100, 62 + 24) for ms in (20, 50, 85)]
    lane = [axis_colour(browser, share, 62 + 31 + 24) for share in (0.2, 0.96)]
    check(tasks[0] == tasks[2] != tasks[1] == lane[1] != lane[0], 'each task has its colour on the rows of CPUs',
          (tasks, lane))
    check('x 100' in states(browser) and hostile in states(browser), 'the colours have the names of tasks',
          states(browser))
    check('x 100 for 40.0 ms, 2.40 GHz' in point(browser, page, 20, 0) and hostile in point(browser, page, 50, 0),
          'a CPU tells its thread and frequency', page.text('#tip'))
    page.press('#heat')
    check(not browser.run('document.getElementById("states").checkVisibility()'), 'the heat map has no states')
    page.press('#threads')
    page.press('#gutter button:nth-child(2)')
    sums = ['running 70.00% = 70.0 ms', 'waiting for a CPU 20.00% = 20.0 ms',
            'blocked (uninterruptible) 10.00% = 10.0 ms', 'sleeping', 'tracepoint', 'frequency of a CPU',
            'woken 1 time by ' + hostile]
    check(states(browser) == sums, 'what a thread did is summed', states(browser))
    drag(browser, axis_place(browser, 0.4), axis_place(browser, 0.5))
    check(states(browser)[0] == 'running' and states(browser)[2].startswith('blocked (uninterruptible) 100.00% = 10'),
          'in the range', states(browser))
    browser.screenshot(os.path.join(shots, 'sched-chosen.png'))
    browser.run('location.hash = "#"')
    pictures(browser, shots, {'sched-light': (1280, 800, False), 'sched-dark': (1280, 800, True),
                              'sched-narrow': (390, 844, False)})
    page.check_quiet()


def test_counters(browser, path, shots):
    """Two events with samples, and one that samples of another event counted, as rows of rates."""
    page = Page(browser, path)
    hostile = '<img src=x onerror=alert(10)>'

    def names():
        return browser.run('[...document.querySelectorAll("#gutter button")].map(b => [b.textContent, b.disabled])')

    def tip(seconds, y):
        browser.move(*axis_place(browser, seconds / 10, y))
        browser.settle()
        return page.text('#tip')

    check(names() == [['All', False], ['instructions', False], [hostile, True], ['app 100', False],
                      ['app 101', False]], 'events beside the one that is shown have rows', names())
    def rate(seconds, y, name):
        """Of the tip, in its unit: samples fall into the span around the pointer or beside it."""
        text = tip(seconds, y)
        return float(text.split(name + ' ', 1)[1].split()[0].split('/')[0].replace(',', '')) if name in text else text

    def about(seconds, y, name, want):
        got = rate(seconds, y, name)
        check(isinstance(got, float) and abs(got - want) <= want * 0.07, 'the rate of %s at %s s' % (name, seconds),
              page.text('#tip'))

    for seconds, y, name, want in ((2, 40, 'cpu-clock', 2), (2, 70, 'instructions', 3), (7, 70, 'instructions', 1.5),
                                   (3.5, 95, hostile, 1000), (5, 95, hostile, 0)):
        about(seconds, y, name, want)
    full, empty = axis_colour(browser, 0.2, 68), axis_colour(browser, 0.7, 68)
    check(full != empty, 'the curve is half as high after five seconds', (full, empty))
    for row, instructions, faults in ((4, 2, 0), (5, 1, 1000)):
        page.press('#gutter button:nth-child(%d)' % row)
        about(2, 70, 'instructions', instructions)
        about(3.5, 95, hostile, faults)
    page.press('#gutter button:nth-child(1)')
    page.press('#cpus')
    browser.run('document.getElementById("cpu").value = "0"; document.getElementById("cpu")'
                '.dispatchEvent(new Event("change"))')
    browser.settle()
    about(2, 70, 'instructions', 2)
    about(3.5, 95, hostile, 0)
    page.press('#gutter button:nth-child(2)')
    check(page.text('#summary').startswith('instructions') and names()[1] == ['cpu-clock', False],
          'a click shows the event of a row', (page.text('#summary'), names()))
    about(2, 70, 'cpu-clock', 1)
    page.press('#heat')
    check(len(names()) == 0, 'the heat map has no rows')
    browser.run('location.hash = "#"')
    pictures(browser, shots, {'counters-light': (1280, 800, False), 'counters-dark': (1280, 800, True),
                              'counters-narrow': (390, 844, False)})
    page.check_quiet()


def test_phone(browser, path, shots):
    """On a screen as narrow as a telephone's both halves of a sandwich have room."""
    browser.size(390, 844)
    Page(browser, path, '#view=sandwich')
    heights = browser.run('["upper", "canvas"].map(id => document.getElementById(id).getBoundingClientRect().height)')
    check(min(heights) > 150, 'both halves of a sandwich are to be seen', heights)
    pictures(browser, shots, {'sandwich-narrow': (390, 844, False)})


FRAMES = """new Promise(done => {
    const canvas = document.getElementById("axis"), box = canvas.getBoundingClientRect();
    const event = (type, x, more) => canvas.dispatchEvent(type === "wheel" ?
        new WheelEvent(type, { bubbles: true, cancelable: true, clientX: x, clientY: box.y + 40, ...more }) :
        new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: x, clientY: box.y + 40, ...more }));
    canvas.setPointerCapture = () => {};
    let i = 0;
    const step = () => {
        if (i++ > 100) {
            END
            requestAnimationFrame(() => done(performance.now() - begin));
            return;
        }
        STEP
        requestAnimationFrame(step);
    };
    BEGIN
    const begin = performance.now();
    requestAnimationFrame(step);
})"""
RANGE = ('event("pointerdown", box.x + 100);', 'event("pointermove", box.x + 110 + i * 8);',
         'event("pointerup", box.x + 1000);')
PAN = ('event("wheel", box.x + 500, { deltaY: -600 });',
       'event("wheel", box.x + 500, { deltaX: i < 60 ? 12 : -12 });', '')


def check_frames(browser, what, begin, step, end):
    script = FRAMES.replace('BEGIN', begin).replace('STEP', step).replace('END', end)
    took = []
    while len(took) < 5 and (not took or min(took)[0] > 33):
        before = browser.busy()
        wall = browser.run(script)
        took.append(((browser.busy() - before) / 102, wall / 102))
    print('%s: a frame takes %.1f ms of the CPU, %.1f ms by the clock' % (what, *min(took)))
    # by the clock of the CPU: other programs of a busy machine take frames too
    check(min(took)[0] <= 33, '%s follows at 30 frames/s' % what, took)


def test_switches(browser, path, shots):
    """A million changes of state beside 20,000 samples: pans follow the pointer at 30 frames/s."""
    check(os.path.getsize(path) < 10e6, 'the file is below 10 MB', os.path.getsize(path))
    page = Page(browser, path)
    took = browser.busy()
    print('a million changes of state load in %.0f ms' % took)
    check(took < 2000, 'a million changes of state load in two seconds', took)
    check_frames(browser, 'a pan', *PAN)
    browser.screenshot(os.path.join(shots, 'switches.png'))
    page.check_quiet()


def test_million(browser, path, shots):
    """A million samples: the file is small, and range and pan follow the pointer at 30 frames/s."""
    check(os.path.getsize(path) < 10e6, 'the file is below 10 MB', os.path.getsize(path))
    page = Page(browser, path)
    took = browser.busy()  # by the clock of the CPU, as below
    print('a million samples load in %.0f ms' % took)
    check(took < 2000, 'a million samples load in two seconds', took)
    check('1,000,000 samples' in page.text('#summary'), 'a million samples are shown', page.text('#summary'))
    check(page.text('#gutter').endswith('55 other threads'), 'the other threads are one row', page.text('#gutter'))
    check_frames(browser, 'a range', *RANGE)
    check_frames(browser, 'a pan', *PAN)
    browser.screenshot(os.path.join(shots, 'million.png'))
    page.check_quiet()


if __name__ == '__main__':
    sys.exit(run((('timed', test_timed), ('timed', test_phone), ('sched', test_sched), ('counters', test_counters),
                  ('switches', test_switches), ('million', test_million))))
