# SPDX-License-Identifier: MIT
"""html_reader.py - a page in a browser as its reader uses it: texts, clicks, drags, keys, colours, pictures"""
import os
import subprocess
import sys
import tempfile

from html_browser import Browser, find_chromium

ROW = 20  # of the graph, in pixels: web/flame.js
SKIP = 77


class Page:
    def __init__(self, browser, path, fragment=''):
        self.browser = browser
        self.path = path
        browser.open(path, fragment)

    def text(self, selector):
        return self.browser.run('document.querySelector(%r)?.innerText ?? ""' % selector).strip()

    def rows(self):
        return self.browser.run('[...document.querySelectorAll("#rows tr[data-frame]")]'
                                '.map(tr => [...tr.cells].map(td => td.innerText))')

    def crumbs(self):
        return self.browser.run('[...document.querySelectorAll(".crumb")].map(c => c.textContent)')

    def place(self, row, share):
        box = self.browser.run('(({x, y, width}) => [x, y, width])'
                               '(document.getElementById("canvas").getBoundingClientRect())')
        return box[0] + box[2] * share, box[1] + ROW * row + ROW / 2

    def click(self, row, share):
        self.browser.click(*self.place(row, share))

    def hover(self, row, share):
        self.browser.move(*self.place(row, share))
        return self.text('#tip')

    def press(self, selector):
        self.browser.run('document.querySelector(%r).click()' % selector)
        self.browser.settle()

    def row(self, name):
        """Where the row of a function is on the screen."""
        return self.browser.run(
            '(([tr]) => { const b = tr.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] })'
            '([...document.querySelectorAll("#rows tr")].filter(tr => tr.querySelector(".symbol")?.innerText === %r))' %
            name)

    def bars(self, column):
        """The widths of the bars, in percent of the column."""
        return self.browser.run('[...document.querySelectorAll("#rows tr[data-frame]")].map('
                                'tr => parseFloat(tr.cells[%d].style.getPropertyValue("--share")))' % column)

    def search(self, text):
        self.browser.run('document.activeElement.blur()')
        self.browser.key('/', '/')  # leaves what is there selected: typing replaces it
        self.browser.type(text)
        return self.text('#matched')

    def colour(self, row, share):
        """Of the canvas, as [red, green, blue]."""
        x, y = self.place(row, share)
        return self.browser.run(
            '(c => { const b = c.getBoundingClientRect(), r = c.width / b.width;'
            ' const pixel = new OffscreenCanvas(1, 1).getContext("2d");'
            'pixel.drawImage(c, (%f - b.x) * r, (%f - b.y + 7) * r, 1, 1, 0, 0, 1, 1);'
            'return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3) })(document.getElementById("canvas"))' % (x,
                                                                                                                   y))

    def check_quiet(self):
        check(self.browser.logged == [], 'the console is empty', self.browser.logged)
        want = ['file://' + self.path]
        seen = [u.split('#')[0] for u in self.browser.requests if not u.startswith('data:')]
        check(seen == want, 'nothing but the page is requested', seen)


failures = 0


def check(good, what, seen=None):
    global failures
    if not good:
        failures += 1
        print('FAIL: %s%s' % (what, '' if seen is None else ': ' + repr(seen)[:1000]))


def pictures(browser, shots, screens):
    for name, (width, height, dark) in screens.items():
        browser.size(width, height, dark=dark)
        browser.screenshot(os.path.join(shots, name + '.png'))
        across = browser.run('document.documentElement.scrollWidth')
        check(across <= width, 'a screen of %d pixels needs no scrolling to the side: %s' % (width, name), across)
    browser.size(1400, 860)


def axis_place(browser, share, y=40):
    box = browser.run('(({x, y, width}) => [x, y, width])(document.getElementById("axis").getBoundingClientRect())')
    return box[0] + box[2] * share, box[1] + y


def drag(browser, start, end):
    """Presses at one place, moves in steps, lets go at the other."""
    mouse = 'Input.dispatchMouseEvent'
    browser.call(mouse, type='mousePressed', x=start[0], y=start[1], button='left', clickCount=1)
    for i in range(1, 5):
        browser.call(mouse, type='mouseMoved', button='left', buttons=1, x=start[0] + (end[0] - start[0]) * i / 4,
                     y=start[1] + (end[1] - start[1]) * i / 4)
    browser.call(mouse, type='mouseReleased', x=end[0], y=end[1], button='left', clickCount=1)
    browser.settle()


def axis_colour(browser, share, y):
    return browser.run(
        '(c => { const b = c.getBoundingClientRect(), r = c.width / b.width;'
        ' const pixel = new OffscreenCanvas(1, 1).getContext("2d");'
        'pixel.drawImage(c, b.width * %f * r, %f * r, 1, 1, 0, 0, 1, 1);'
        'return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3) })(document.getElementById("axis"))' % (share, y))


def wheel(browser, place, **how):
    browser.call('Input.dispatchMouseEvent', type='mouseWheel', x=place[0], y=place[1], **{'deltaX': 0, 'deltaY': 0,
                                                                                         **how})
    browser.settle()


def run(tests, more=None):
    """The tests of pages that html_page_maker makes, by their kind; more(browser, folder, shots): of others."""
    maker, shots = sys.argv[1:]
    chromium = find_chromium()
    if not chromium:
        print('skipped: there is no Chromium here (set CHROMIUM to its path)')
        return SKIP
    os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser(chromium) as browser:
        browser.size(1400, 860)
        for kind, test in tests:
            path = os.path.join(folder, kind + '.html')
            with open(path, 'wb') as f:
                subprocess.run([maker, kind], stdout=f, check=True)
            test(browser, path, shots)
        if more:
            more(browser, folder, shots)
    return 1 if failures else 0


def record(folder):
    """A real recording of the workload; None where recording is not permitted."""
    sonde, workload = os.environ.get('SONDE'), os.path.join(os.environ.get('SONDE_BUILD', ''), 'bench/workload')
    data = os.path.join(folder, 'real.data')
    if not sonde or not os.path.exists(workload):
        return None
    told = subprocess.run([sonde, 'record', '-g', '-e', 'cpu-clock:u', '-o', data, '--', workload, '1'],
                          capture_output=True, check=False)
    if told.returncode != 0:
        print('a real recording is not shown: ' + told.stderr.decode(errors='replace').strip())
        return None
    return data
