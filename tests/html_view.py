#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_view.py - the page of `sonde view` in Chromium: for each view it shows what the page of `report --html` shows"""
import os
import subprocess
import sys
import tempfile
import time

from html_browser import Browser, find_chromium
import shipped_data

SKIP = 77
sonde = os.environ['SONDE']
# In the parts of one shipped recording: a range, which is not where the samples begin or end; its threads and CPUs.
VIEWS = ['', '#range=%(from)d-%(to)d', '#range=%(from)d-%(to)d&view=callers&cpu=0', '#cpu=0&group=thread',
         '#order=time&range=%(from)d-%(to)d', '#tracks=cpus&at=%(from)d-%(to)d', '#tracks=heat&idle=hide',
         '#view=sandwich&select=%(hot)d&range=%(to)d-%(end)d&tracks=heat']
# what is on the screen: texts, and the pixels of all canvases
SEEN = '''(() => {
    const hash = c => {
        const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        let sum = 0;
        for (let i = 0; i < data.length; i++)
            sum = (sum * 31 + data[i]) %% 4294967291;
        return [c.width, c.height, sum];
    };
    return { summary: document.getElementById("summary").innerText,
             chips: document.getElementById("chips").innerText,
             rows: document.getElementById("rows").innerText, detail: document.getElementById("detail").innerText,
             gutter: document.getElementById("gutter").innerText,
             axis: hash(document.getElementById("axis")), graph: hash(document.getElementById("canvas")) };
})()'''.replace('%%', '%')
failures = 0


def check(good, what, seen=None):
    global failures
    if not good:
        failures += 1
        print('FAIL: %s%s' % (what, '' if seen is None else ': ' + repr(seen)[:2000]))


class View:
    def __init__(self, data, *options):
        self.process = subprocess.Popen([sonde, 'view', '--timeout', '200', *options, data], stdout=subprocess.PIPE,
                                        text=True, stderr=subprocess.DEVNULL)
        self.url, self.token = self.process.stdout.readline().rstrip().split('#')

    def end(self):
        self.process.terminate()
        check(self.process.wait(60) == 0, 'it ends cleanly', self.process.returncode)


def answered(browser):
    """Waits for all answers."""
    deadline = time.monotonic() + 60
    while browser.run('document.documentElement.dataset.ready !== "yes" ||'
                      ' document.documentElement.getAttribute("aria-busy") === "true"'):
        if time.monotonic() > deadline:
            raise TimeoutError('an answer is missing')
        browser.settle()
    browser.settle()


def seen(browser):
    answered(browser)
    return browser.run(SEEN)


def compare(browser, view, page):
    """Each view of the served page beside that of the file."""
    browser.open(page)
    end, hot = browser.run('(({ time, strings, frames }) => [time.end, frames.symbol.indexOf(strings.indexOf('
                           '"fibonacci"))])(JSON.parse(document.getElementById("profile").textContent))')
    views = [v % {'from': end // 3, 'to': end // 2, 'end': end, 'hot': hot} for v in VIEWS]
    want = []
    for fragment in views:
        browser.open(page, fragment)
        browser.run('document.documentElement.setAttribute("aria-busy", "false")')
        want.append(seen(browser))
    browser.open_url(view.url + '#' + view.token)
    check(view.token.removeprefix('token=') not in browser.run('location.href'), 'the token leaves the address')
    for fragment, wanted in zip(views, want):
        browser.open_url(view.url + fragment)
        got = seen(browser)
        for part, text in wanted.items():
            check(got[part] == text, '%s of the view "%s"' % (part, fragment), (got[part], text))
        check(browser.logged == [], 'the console is empty', browser.logged)
        foreign = [u for u in browser.requests if not u.startswith((view.url, 'data:', 'about:'))]
        check(foreign == [], 'nothing else is requested', foreign)
    check(len({w['summary'] for w in want}) >= 4 and len({tuple(w['axis']) for w in want}) >= 4, 'views differ', want)


COMPARED = ['', '#range=%(from)d-%(to)d', '#widths=old&view=callers', '#scale=absolute&range=%(from)d-%(to)d']
CODE = '(() => { const b = document.getElementById("show-code"); if (b.hidden) return ""; b.click();' \
       ' return document.getElementById("code-view").innerText })()'


def test_comparison_and_code(browser, folder, data):
    """--baseline and --source show what they show in a file; the baseline is a part of the recording."""
    old, page = os.path.join(folder, 'old'), os.path.join(folder, 'compared.html')
    options = ['--source', '--baseline', old]
    subprocess.run([sonde, 'cut', '--time', '0%-30%', data, old], check=True)
    subprocess.run([sonde, 'report', '--html', page, *options, '-i', data], check=True, stderr=subprocess.DEVNULL)
    view = View(data, *options)
    browser.open(page)
    end, codes = browser.run('(({ time, code }) => [time.end, code?.map(({ frames }) => frames[0]) ?? []])'
                             '(JSON.parse(document.getElementById("profile").textContent))')
    views = [v % {'from': end // 3, 'to': end // 2} for v in COMPARED] + ['#select=%d' % f for f in codes[:2]]
    want = []
    for fragment in views:
        browser.open(page, fragment)
        browser.run('document.documentElement.setAttribute("aria-busy", "false")')
        want.append({**seen(browser), 'code': browser.run(CODE)})
    browser.open_url(view.url + '#token=' + view.token.removeprefix('token='))
    for fragment, wanted in zip(views, want):
        browser.open_url(view.url + fragment)
        got = {**seen(browser), 'code': browser.run(CODE)}
        for part, text in wanted.items():
            check(got[part] == text, '%s of the comparison "%s"' % (part, fragment), (got[part], text))
    check(len({w['rows'] for w in want}) >= 3, 'comparisons differ', want)
    check(all(w['code'] for w in want[len(COMPARED):]), 'code is shown', want[-1]['code'])
    if not codes:
        print('not tested: the code of functions, which is not here')
    view.end()


def drag(browser, *shares):
    """Over the time axis; shares of its width."""
    x, y, width = browser.run('(b => [b.x, b.y, b.width])(document.getElementById("axis").getBoundingClientRect())')
    places = [x + width * share for share in shares]
    browser.call('Input.dispatchMouseEvent', type='mousePressed', x=places[0], y=y + 40, button='left', clickCount=1)
    for place in places:
        browser.call('Input.dispatchMouseEvent', type='mouseMoved', x=place, y=y + 40, button='left', buttons=1)
    browser.call('Input.dispatchMouseEvent', type='mouseReleased', x=places[-1], y=y + 40, button='left', clickCount=1)


def test_drag(browser, view, page):
    """A range that is dragged: the table has that of the file as soon as the answer is there."""
    browser.open(page)
    drag(browser, 0.2, 0.3, 0.5, 0.6)
    browser.run('document.documentElement.setAttribute("aria-busy", "false")')
    want = seen(browser)
    browser.open_url(view.url)
    answered(browser)
    drag(browser, 0.2, 0.3, 0.5, 0.6)
    got = seen(browser)
    check(' of ' in want['summary'], 'a part is selected', want['summary'])
    for part in ('summary', 'chips', 'rows', 'detail', 'graph'):
        check(got[part] == want[part], part + ' of a dragged range', (got[part], want[part]))


def test_failures(browser, view):
    browser.open_url('about:blank')
    browser.open_url(view.url)
    answered(browser)
    view.end()
    browser.run('location.hash = "#range=1-2"; history.pushState(null, "", location.hash)')
    drag(browser, 0.1, 0.4)
    deadline = time.monotonic() + 60
    while not browser.run('document.getElementById("server-failed")?.innerText ?? ""'):
        if time.monotonic() > deadline:
            break
        browser.settle()
    check('sonde view has ended' in browser.run('document.getElementById("server-failed")?.innerText ?? ""'),
          'the page tells that the server has gone')


def test_loading(browser, view):
    """While an answer is on its way, the time axis says so."""
    said = ('(busy => { document.documentElement.setAttribute("aria-busy", busy);'
            ' return getComputedStyle(document.getElementById("axis-space"), "::after").content })')
    browser.open_url(view.url)
    answered(browser)
    check(browser.run(said + '("true")') == '"loading \u2026"', 'the axis is loading', browser.run(said + '("true")'))
    check(browser.run(said + '("false")') == 'none', 'the axis has loaded', browser.run(said + '("false")'))


def test_without_token(browser, data):
    view = View(data)
    browser.open_url(view.url)
    deadline = time.monotonic() + 60
    while browser.run('document.documentElement.dataset.ready') != 'no' and time.monotonic() < deadline:
        browser.settle()
    text = browser.run('document.getElementById("empty").innerText')
    check('open the whole address that sonde view has printed' in text, 'the page tells what is missing', text)
    view.end()


def main():
    shots = sys.argv[1]
    path = find_chromium()
    if not path:
        print('skipped: there is no Chromium here (set CHROMIUM to its path)')
        return SKIP
    os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='sonde-html-') as folder:
        data, page = os.path.join(folder, 'data'), os.path.join(folder, 'page.html')
        shipped_data.put('callgraph.data', data)
        subprocess.run([sonde, 'report', '--html', page, '-i', data], check=True, stderr=subprocess.DEVNULL)
        view = View(data)
        with Browser(path) as browser:
            browser.size(1400, 860)
            compare(browser, view, page)
            browser.screenshot(os.path.join(shots, 'view.png'))
            test_drag(browser, view, page)
            test_loading(browser, view)
            test_failures(browser, view)
            test_without_token(browser, data)
            test_comparison_and_code(browser, folder, data)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
