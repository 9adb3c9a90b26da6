#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_test.py - the page of `report --html` as a reader uses it: opened, clicked and typed into in Chromium"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from html_reader import ROW, Page, axis_place, check, drag, pictures, record, run, wheel


def test_hostile(browser, path, shots):
    page = Page(browser, path)
    check(page.text('#title') == '</title><script>alert(5)</script>', 'the title is text', page.text('#title'))
    names = [row[2] for row in page.rows()]
    check('</script><img src=x onerror=alert(1)>' in names, 'a name with a tag is text', names)
    check('__proto__' in names and 'a"b\\u003c\\' in names, 'names keep their characters', names)
    check(any('\\u{202e}' in n and '\\u{a}' in n for n in names), 'control and direction characters are shown', names)
    elements = browser.run('document.querySelectorAll("img, b b, script").length')
    check(elements == 3, 'no element comes from a name: only the data and the script', elements)
    check('</script><img' in page.hover(1, 0.1), 'the tip shows the name as text', page.text('#tip'))
    check('3 samples lost' in page.browser.run('document.getElementById("losses").textContent'), 'losses are told')
    check(browser.run('document.getElementById("losses").checkVisibility()'), 'the note on losses is visible')
    check(page.text('#notes') == '<img src=x onerror=alert(6)>', 'notes are text', page.text('#notes'))
    options = browser.run('[...document.getElementById("event").options].map(o => o.text)')
    check(options == ['</select><img src=x onerror=alert(3)>', 'second'], 'every event can be chosen', options)
    check(page.search('<img') == '84.00% matched', 'a search finds hostile names', page.text('#matched'))
    check(page.search('(((') == 'no match', 'a broken pattern is plain text', page.text('#matched'))
    page.check_quiet()
    page = Page(browser, path, '#event=1')
    check('second' in page.text('#summary'), 'the event is in the address', page.text('#summary'))
    check(page.rows()[0][:2] == ['100.00%', '100.00%'], 'the second event has its own weights', page.rows())
    page = Page(browser, path, '#event=99&zoom=12345678&view=x&sort=%00&search=(&select=99999999&color=red')
    check(page.crumbs() == ['all'], 'an address that makes no sense shows the whole', page.crumbs())
    page.check_quiet()


def test_use(browser, path, shots):
    """The made-up tree: row 1 is '</script>…' (84 of 100) and '__proto__' (16)."""
    page = Page(browser, path)
    check(page.crumbs() == ['all'], 'at first the whole is shown', page.crumbs())
    rows = page.rows()
    check(rows[0][:3] == ['30.00%', '35.00%', 'line\\u{a}break\\u{2028} and \\u{202e} right to left'],
          'the heaviest function is on top', rows[0])
    page.click(1, 0.95)
    check(page.crumbs() == ['all', '__proto__'], 'a click zooms', page.crumbs())
    check('zoom=' in browser.run('location.hash'), 'the zoom is in the address')
    address = browser.run('location.hash')
    browser.run('history.back()')
    browser.settle()
    check(page.crumbs() == ['all'], 'Back zooms out', page.crumbs())
    page = Page(browser, path, address)
    check(page.crumbs() == ['all', '__proto__'], 'the address brings the zoom back', page.crumbs())
    page.press('.crumb')
    check(page.crumbs() == ['all'], 'a breadcrumb zooms out', page.crumbs())
    plain = page.colour(1, 0.95)
    check(page.search('^__PROTO__$') == 'no match', 'capitals are taken literally', page.text('#matched'))
    check(page.search('^__proto__$') == '16.00% matched', 'a match is summed', page.text('#matched'))
    check([r[2] for r in page.rows()] == ['__proto__'], 'the table is filtered', page.rows())
    found, other = page.colour(1, 0.95), page.colour(1, 0.1)
    check(plain != found and found != other, 'a match is highlighted', (plain, found, other))
    check(page.search('dso:quoted') == '55.00% matched', 'binaries are searched', page.text('#matched'))
    browser.key('Escape')
    check(page.text('#matched') == '' and len(page.rows()) == 7, 'Escape ends the search', page.text('#matched'))

    page.press('th[data-key=symbol] button')
    names = [r[2] for r in page.rows()]
    check(names[0] == '__proto__', 'a click on a heading sorts', names)
    page.press('th[data-key=total] button')
    totals = [float(r[1].rstrip('%')) for r in page.rows()]
    check(totals == sorted(totals, reverse=True), 'totals come down', totals)
    browser.key('t', 't')
    browser.key('ArrowDown')
    browser.key('ArrowDown')
    selected = browser.run('[...document.querySelectorAll("tr[aria-selected=true]")].map(tr => tr.rowIndex)')
    check(selected == [2], 'arrow keys move in the table', selected)
    browser.key('Enter')
    zoomed = browser.run('document.querySelector("tr[aria-selected=true]").cells[2].innerText')
    check(len(page.crumbs()) > 1 and page.crumbs()[-1] == zoomed, 'Enter zooms to the function', page.crumbs())
    check(page.rows()[0][1] == '100.00%', 'the table has the functions of the zoom', page.rows())
    browser.key('0', '0')
    check(page.crumbs() == ['all'], '0 shows the whole', page.crumbs())
    browser.key('Escape')
    browser.key('g', 'g')
    browser.key('ArrowDown')
    browser.key('ArrowRight')
    browser.key('Enter')
    check(page.crumbs() == ['all', '__proto__'], 'arrow keys move in the graph', page.crumbs())
    browser.key('0', '0')
    browser.key('i', 'i')
    page.click(1, 0.1)
    check(page.crumbs()[1].startswith('line'), 'callers begin with the heaviest function', page.crumbs())
    browser.key('i', 'i')
    browser.key('?', '?')
    check(browser.run('document.getElementById("help").open'), '? opens the help')
    keys = page.text('#keys')
    check(all(text in keys for text in ('dso:libc', '← → ↑ ↓', 'x X', 'undo')), 'the help lists the keys', keys)
    browser.run('document.getElementById("help").close()')
    browser.size(390, 400)
    browser.key('?', '?')
    top = browser.run('document.getElementById("help-title").getBoundingClientRect().y')
    check(top > 0, 'a help that is longer than the screen opens at its beginning', top)
    browser.run('document.getElementById("help").close()')
    browser.size(1400, 860)
    browser.key('f', 'f')
    check('shape=flame' in browser.run('location.hash'), 'f turns the graph over', browser.run('location.hash'))
    pictures(browser, shots, {'light': (1400, 860, False), 'dark': (1400, 860, True), 'narrow': (380, 760, False)})
    page.check_quiet()


def test_clicks(browser, path, shots):
    """In the table: one highlights, the second takes that back, a double click zooms, also to what a search found."""
    page = Page(browser, path)
    selected = 'document.querySelector("tr[aria-selected=true]")?.cells[2].innerText'
    browser.click(*page.row('__proto__'))
    check(browser.run(selected) == '__proto__' and page.crumbs() == ['all'], 'a click highlights', page.crumbs())
    browser.click(*page.row('__proto__'))
    check(browser.run(selected) is None, 'a second click takes that back', browser.run(selected))
    browser.double_click(*page.row('__proto__'))
    check(page.crumbs() == ['all', '__proto__'] and browser.run(selected) == '__proto__', 'a double click zooms',
          page.crumbs())
    check([row[2] for row in page.rows()] == ['__proto__', '\u51fd\u6570 \U0001f600'], 'the table follows the zoom',
          page.rows())
    browser.key('0', '0')
    browser.double_click(*page.row('a"b\\u003c\\'))
    check(page.crumbs()[-1] == 'a"b\\u003c\\', 'a double click on another row zooms there', page.crumbs())
    check(browser.run('getSelection().toString()') == '', 'no text is marked', browser.run('getSelection().toString()'))
    page.check_quiet()


def test_idle(browser, path, shots):
    page = Page(browser, path)
    summary = 'cpu-clock · 100 samples · CPU time 2.00 s · of it idle: 1.80 s · wall time 1.00 s'
    check(page.text('#summary') == summary, 'CPU time, idle time and wall time are named', page.text('#summary'))
    check(page.text('#title') == 'sonde record -a', 'the title leaves out the folder of the recorder',
          page.text('#title'))
    check(page.text('#notes') == '2 of 100 stacks were cut', 'notes are shown', page.text('#notes'))
    rows = {row[2]: row for row in page.rows()}
    check(rows['default_idle'][3] == 'kernel' and rows['in_guest'][3] == 'guest kernel', 'the kernel is a word',
          page.rows())
    check('kernel' in page.text('#legend') and 'kallsyms' not in page.text('body'), 'in the legend too',
          page.text('#legend'))
    bars = page.bars(0)
    check(bars[0] == 100 and abs(bars[1] - 100 * 15 / 180) < 0.01, 'bars are on a scale of their maximum', bars)
    browser.screenshot(os.path.join(shots, 'idle.png'))
    page.press('#idle')
    summary = 'cpu-clock · 10 samples · CPU time 200 ms · idle, hidden: 1.80 s · wall time 1.00 s'
    check(page.text('#summary') == summary, 'idle is left out', page.text('#summary'))
    rest = [['75.00%', '95.00%', 'work'], ['20.00%', '20.00%', 'in_guest'], ['5.00%', '5.00%', 'rest']]
    check([row[:3] for row in page.rows()] == rest, 'and the rest is the whole', page.rows())
    check(page.bars(1)[0] == 100, 'bars too', page.bars(1))
    check(page.hover(1, 0.99).startswith('busy'), 'the graph is that of busy tasks', page.hover(1, 0.99))
    browser.screenshot(os.path.join(shots, 'idle-hidden.png'))
    address = browser.run('location.hash')
    browser.key('i', 'i')
    check(page.hover(1, 0.99) != '' and 'default_idle' not in [page.hover(1, x / 10).split('\n')[0] for x in range(10)],
          'so are callers', page.hover(1, 0.99))
    browser.key('h', 'h')
    check('of it idle' in page.text('#summary'), 'h shows it again', page.text('#summary'))
    page = Page(browser, path, address)
    check('idle, hidden' in page.text('#summary'), 'the address keeps it hidden', page.text('#summary'))
    page.check_quiet()


def test_wheel(browser, path, shots):
    """The wheel with Ctrl zooms the graph, a drag moves it; the block that was zoomed to stays that."""
    page = Page(browser, path)
    CTRL = 2
    before = page.hover(1, 0.99)
    wheel(browser, page.place(4, 0.1), deltaY=-1500, modifiers=CTRL)
    name = page.hover(4, 0.1)
    check(before.startswith('ticker') and name.startswith('parse') and page.hover(1, 0.99).startswith('server'),
          'the wheel with Ctrl zooms to what is under the pointer', (name, page.text('#tip'), before))
    check(page.crumbs() == ['all'] and browser.run('devicePixelRatio') == 1, 'not to a block, and not the page',
          page.crumbs())
    for _ in range(20):
        drag(browser, page.place(4, 0.95), page.place(4, 0.05))
    check(page.crumbs() == ['all'], 'the end of a drag is no click', page.crumbs())
    check(page.hover(1, 0.99).startswith('ticker'), 'a drag moves the graph', page.text('#tip'))
    wheel(browser, page.place(4, 0.5), deltaX=-100000)
    check(page.hover(1, 0.99).startswith('server'), 'the wheel moves it sideways', page.text('#tip'))
    browser.key('Escape')
    check(page.hover(1, 0.99) == before, 'Escape shows the whole', page.text('#tip'))
    wheel(browser, page.place(4, 0.1), deltaY=-500, modifiers=CTRL)
    browser.key('0', '0')
    check(page.hover(1, 0.99) == before, 'so does 0', page.text('#tip'))
    wheel(browser, page.place(4, 0.1), deltaY=-500, modifiers=CTRL)
    page.click(4, 0.1)
    check(page.crumbs()[-1] == 'parse' and page.hover(4, 0.99).startswith('parse'), 'a click zooms as ever',
          page.crumbs())
    page.check_quiet()


def test_callers(browser, path, shots):
    """The upper half of a sandwich zooms by itself; Escape and 0 show it whole again."""
    page = Page(browser, path)
    browser.click(*page.row('memcpy'))
    page.press('#to-sandwich')
    box = browser.run('(({x, y, width, height}) => [x, y, width, height])'
                      '(document.getElementById("upper").getBoundingClientRect())')

    def place(share):
        return box[0] + box[2] * share, box[1] + box[3] - ROW / 2

    def caller(share):
        browser.move(*place(share))
        return page.text('#tip').split('\n')[0]

    whole = [caller(0.05), caller(0.95)]
    check(whole == ['parse', 'encode'], 'callers stand side by side', whole)
    for key, letter in (('Escape', ''), ('0', '0')):
        browser.click(*place(0.95))
        check(caller(0.05) == 'encode', 'a click zooms to a caller', page.text('#tip'))
        browser.key(key, letter)
        check(caller(0.05) == 'parse' and page.crumbs() == ['memcpy'], key + ' shows all callers again',
              (page.text('#tip'), page.crumbs()))
    wheel(browser, place(0.95), deltaY=-3000, modifiers=2)
    check(caller(0.05) == 'encode', 'so does the wheel', page.text('#tip'))
    browser.key('Escape')
    check(caller(0.05) == 'parse', 'and Escape shows all', page.text('#tip'))
    page.check_quiet()


def saved(browser, folder, kind):
    """What a button saves."""
    browser.call('Browser.setDownloadBehavior', behavior='allow', downloadPath=folder)
    path = os.path.join(folder, 'server-port-80.' + kind)
    if os.path.exists(path):
        os.remove(path)
    browser.run('document.getElementById("save-%s").click()' % kind)
    for _ in range(200):
        if os.path.exists(path) and os.path.getsize(path) > 0:
            break
        browser.settle()
    with open(path, 'rb') as f:
        return f.read()


def test_views(browser, path, shots):
    """Sandwich, order of time, what is left out, and files of the graph."""
    page = Page(browser, path)
    whole = page.rows()
    browser.click(*page.row('serve'))
    page.press('#to-sandwich')
    check(page.crumbs() == ['serve'] and page.hover(1, 0.1).startswith('parse'), 'callees of a function hang below it',
          (page.crumbs(), page.text('#tip')))
    box = browser.run('(({x, y, width, height}) => [x, y, width, height])'
                      '(document.getElementById("upper").getBoundingClientRect())')
    browser.move(box[0] + box[2] / 2, box[1] + box[3] - ROW / 2)
    check(page.text('#tip').startswith('main') and '100.00%' in page.text('#tip'), 'its callers stand above it',
          page.text('#tip'))
    browser.screenshot(os.path.join(shots, 'sandwich.png'))
    browser.click(*page.row('walk'))
    check(page.crumbs() == ['walk'], 'a row of the table chooses the function', page.crumbs())
    check(page.text('#detail').startswith('walk') and '4,318' in page.text('#detail'), 'each stack counts once',
          (page.text('#detail'), whole))
    address = browser.run('location.hash')
    browser.key('u', 'u')
    check(page.crumbs() == ['serve'], 'u takes the last step back', page.crumbs())
    page = Page(browser, path, address)
    check(page.crumbs() == ['walk'], 'the address has the function', page.crumbs())
    browser.key('i', 'i')
    browser.key('Escape')
    browser.key('r', 'r')
    check('collapse=yes' in browser.run('location.hash') and page.hover(5, 0.75) == '', 'recursion is collapsed',
          page.text('#tip'))
    browser.key('r', 'r')
    browser.click(*page.row('memcpy'))
    browser.key('x', 'x')
    rows = {row[2]: row[0] for row in page.rows()}
    before = {row[2]: row[1] for row in whole}
    check('memcpy' not in rows and rows['parse'] == before['parse'], 'a hidden function is part of its caller', rows)
    check(page.text('#chips').startswith('without memcpy'), 'a chip names it', page.text('#chips'))
    page.press('.applied')
    check(page.rows() == whole, 'the chip brings it back', page.rows())
    browser.click(*page.row('walk'))
    browser.key('X', 'X')
    check(all(row[3] != 'server' for row in page.rows()), 'a binary is hidden', page.rows())
    page.press('.applied')
    browser.run('(group => { group.value = "thread"; group.dispatchEvent(new Event("change")) })'
                '(document.getElementById("group"))')
    browser.settle()
    check(page.hover(1, 0.01).startswith('server 10') and page.hover(1, 0.99).startswith('ticker 200'),
          'stacks lie below their threads', page.text('#tip'))
    browser.run('history.back()')
    browser.settle()
    browser.key('o', 'o')
    check('order=time' in browser.run('location.hash') and page.hover(3, 0.5).startswith('serve'),
          'stacks in order of time', page.text('#tip'))
    browser.screenshot(os.path.join(shots, 'time-order.png'))
    drag(browser, axis_place(browser, 0.005), axis_place(browser, 0.05))
    check(page.hover(1, 0.5).startswith('server') and '100.00%' not in page.hover(0, 0.5).split('Of the recording')[1],
          'their order follows a range', page.text('#tip'))
    page.press('.applied')
    browser.key('o', 'o')
    with tempfile.TemporaryDirectory() as folder:
        lines = saved(browser, folder, 'folded').decode().splitlines()
        check(sum(int(line.rsplit(' ', 1)[1]) for line in lines) == 20000000000 and
              any(line.startswith('server;main;serve;walk;walk;walk ') for line in lines),
              'folded stacks have the weight of the graph', lines)
        picture = xml.etree.ElementTree.fromstring(saved(browser, folder, 'svg'))
        names = [title.text for title in picture.iter('{http://www.w3.org/2000/svg}title')]
        check('parse 43.20%' in names, 'an SVG names its blocks', names)
        picture = saved(browser, folder, 'png')
        rows = browser.run('document.getElementById("space").offsetHeight')
        check(picture.startswith(b'\x89PNG') and 0 < int.from_bytes(picture[20:24]) <= rows, 'a PNG is saved', rows)
        browser.click(*page.row('serve'))
        page.press('#to-sandwich')
        picture = xml.etree.ElementTree.fromstring(saved(browser, folder, 'svg'))
        names = [title.text.split()[0] for title in picture.iter('{http://www.w3.org/2000/svg}title')]
        check({'main', 'serve', 'parse'} <= set(names) and names.count('serve') == 1, 'both halves of a sandwich',
              names)
        lines = saved(browser, folder, 'folded').decode().splitlines()
        check(lines and all(line.startswith('serve') for line in lines), 'stacks begin with the function', lines)
        page.press('#callees')
    pictures(browser, shots, {'axis-light': (1280, 800, False), 'axis-dark': (1280, 800, True),
                              'axis-narrow': (390, 844, False), 'axis-narrow-dark': (390, 844, True)})
    browser.run('document.getElementById("options").open = true')
    pictures(browser, shots, {'options': (1280, 800, False), 'options-narrow': (390, 844, False)})
    browser.run('document.getElementById("options").open = false')
    page.check_quiet()


def test_large(browser, path, shots):
    page = Page(browser, path)
    check(page.text('#count') == '29,963 functions', 'functions are counted', page.text('#count'))
    check(browser.run('document.querySelectorAll("#rows tr").length') < 100, 'only rows in sight are in the document')
    took = browser.run('(async () => { const start = performance.now();'
                       'document.getElementById("callers").click(); return performance.now() - start })()')
    check(took < 20000, 'callers of 200,000 nodes are found in seconds', took)
    page.press('#callees')
    check(page.search('function_1').endswith('% matched'), 'a large tree is searched', page.text('#matched'))
    page.check_quiet()


def test_empty(browser, path, shots):
    page = Page(browser, path)
    check(not browser.run('document.getElementById("idle").checkVisibility()'),
          'without idle tasks there is nothing to hide')
    check('No samples' in page.text('body'), 'an empty profile says so', page.text('body'))
    check('12 events' in page.text('#losses'), 'and what was lost', page.text('#losses'))
    page.check_quiet()


def test_long(browser, path, shots):
    """Names of 64 kB take no more room than there is, and one sample makes a page."""
    for fragment in ('', '#tracks=heat&order=time', '#view=sandwich&hide=0&range=0-5'):
        page = Page(browser, path, fragment)
        across = browser.run('document.documentElement.scrollWidth')
        check(across <= 1400, 'a long name needs no scrolling to the side', across)
        top = browser.run('document.getElementById("graph").getBoundingClientRect().y')
        check(top < 700, 'long texts leave room for the graph', top)
        page.check_quiet()


def test_real(browser, folder, shots):
    """What sonde report prints is what the page shows, and the main program can be zoomed into."""
    sonde, data, path = os.environ.get('SONDE'), record(folder), os.path.join(folder, 'real.html')
    if not data:
        return
    # a table without trees counts inlined functions as the function around them
    subprocess.run([sonde, 'report', '--no-inline', '-i', data, '--html', path], check=True)
    report = subprocess.run([sonde, 'report', '--no-children', '-g', 'none', '-i', data], capture_output=True,
                            text=True, check=True).stdout
    page = Page(browser, path)
    heaviest = [line.split(None, 4) for line in report.splitlines() if '%' in line][0]
    rows = page.rows()
    check(rows[0][0] == heaviest[0] and rows[0][2] == heaviest[4].strip(),
          'the heaviest function is that of the report', (rows[0], heaviest))
    check(page.hover(1, 0.5).startswith('workload'), 'the task is at the root', page.hover(1, 0.5))
    check('workload' in page.text('#title'), 'the title is what was recorded', page.text('#title'))
    check(page.search('fibonacci').endswith('% matched'), 'a function of the program is found', page.text('#matched'))
    browser.screenshot(os.path.join(shots, 'real.png'))
    page.check_quiet()


if __name__ == '__main__':
    sys.exit(run((('hostile', test_hostile), ('hostile', test_use), ('hostile', test_clicks), ('idle', test_idle),
                  ('timed', test_views), ('timed', test_wheel), ('timed', test_callers), ('large', test_large),
                  ('empty', test_empty), ('long', test_long)), test_real))
