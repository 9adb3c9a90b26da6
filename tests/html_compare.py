#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_compare.py - the page of a comparison, in Chromium: report --html --baseline"""
import os
import shutil
import subprocess
import sys

import shipped_data
from html_reader import Page, check, pictures, record, run


def table(page):
    """Of a comparison: baseline, new, difference, ratio by function."""
    return {row[4]: row[:4] for row in page.rows()}


def test_compare(browser, path, shots):
    """100 samples beside 200 of an older build: keep() has a quarter of either, grow() 10 % and now 30 %."""
    page = Page(browser, path)
    want = {'keep': ['25.00%', '25.00%', '0.00', '1.00×'], 'grow': ['10.00%', '30.00%', '+20.00', '3.00×'],
            'shared': ['20.00%', '20.00%', '0.00', '1.00×'], 'main': ['0.00%', '0.00%', '0.00', '–'],
            '</script><img src=x onerror=alert(1)>': ['0.00%', '15.00%', '+15.00', 'new'],
            '<b>gone</b>': ['35.00%', '0.00%', '−35.00', 'gone']}
    rows = table(page)
    check({name: rows.get(name) for name in want} == want, 'both recordings and their difference', page.rows())
    check([row[4:] for row in page.rows()].count(['0x1234', 'server']) == 2, 'addresses of two builds are two places',
          page.rows())
    check(page.rows()[0][4] == '<b>gone</b>', 'the largest difference is on top', page.rows())
    check(page.text('#count') == '8 functions, 2 new, 2 gone', 'new and gone are counted', page.text('#count'))
    check(page.text('#compared-with') == 'Baseline: server </script> · cpu-clock:u · 200 samples · 200 ms',
          'the baseline is named', page.text('#compared-with'))
    check('Baseline: 4 samples lost' in browser.run('document.getElementById("losses").textContent') and
          'Baseline: <img src=x onerror=alert(7)>' in page.text('#notes'), 'its losses and notes are told',
          page.text('#notes'))
    tip = page.hover(3, 0.2).split('\n')
    check(tip[0] == 'grow' and '+20.00 points' in tip and '50.00% = 50.0 ms' in tip and '30.00% = 60.0 ms' in tip,
          'the tip has both', tip)
    grown, same = page.colour(3, 0.2), page.colour(3, 0.6)
    check(grown[0] > grown[2] + 40 and abs(same[0] - same[2]) < 20, 'more is orange, the same grey', (grown, same))
    page.press('#measure-total')
    check(table(page)['main'][:3] == ['100.00%', '100.00%', '0.00'], 'weights with callees', page.rows())
    page.press('#scale-absolute')
    check(table(page)['grow'] == ['60.0 ms', '50.0 ms', '−10.0 ms', '0.833×'], 'weights as they are', page.rows())
    shrunk = page.colour(3, 0.2)
    check(shrunk[2] > shrunk[0] + 10, 'less is blue', shrunk)
    page.press('#scale-share')
    page.press('#measure-self')
    page.press('#only-gone')
    check(sorted(table(page)) == ['0x1234', '<b>gone</b>'], 'what is gone', page.rows())
    page.press('#only-new')
    check(sorted(table(page)) == ['0x1234', '</script><img src=x onerror=alert(1)>'], 'what is new', page.rows())
    page.press('#only-new')
    page.press('#widths-old')
    check(page.hover(3, 0.2).startswith('<b>gone</b>'), 'blocks of the baseline can be seen', page.text('#tip'))
    check(table(page)['grow'] == want['grow'], 'the table stays', page.rows())
    check(page.search('gone') == '35.00% matched', 'a search finds what is gone', page.text('#matched'))
    browser.screenshot(os.path.join(shots, 'compare-search.png'))
    address = browser.run('location.hash')
    page = Page(browser, path, address)
    check(page.text('#matched') == '35.00% matched' and [row[4] for row in page.rows()] == ['<b>gone</b>'],
          'the address has the comparison', (address, page.rows()))
    browser.key('Escape')
    page.press('#widths-new')
    browser.click(*page.row('grow'))
    page.press('#to-sandwich')
    check('+20.00 points' in page.text('#detail'), 'the sandwich compares too', page.text('#detail'))
    browser.key('Escape')
    page.press('#callers')
    check('shared' in page.hover(1, 0.5) or 'shared' in page.hover(1, 0.7), 'so do callers', page.text('#tip'))
    page.press('#callees')
    page.click(3, 0.2)
    check(page.crumbs()[-1] == 'grow' and sorted(table(page)) == ['grow', 'shared'], 'the table follows the zoom',
          (page.crumbs(), page.rows()))
    browser.key('0', '0')
    check(browser.run('document.querySelectorAll("img, b b, script").length') == 3, 'no element comes from a name')
    pictures(browser, shots, {'compare-light': (1280, 800, False), 'compare-dark': (1280, 800, True),
                              'compare-narrow': (390, 844, False)})
    browser.size(390, 844)
    width = browser.run('document.querySelector("#rows .symbol").getBoundingClientRect().width')
    check(width > 100, 'names of functions have room on a narrow screen', width)
    browser.size(1400, 860)
    page.check_quiet()


def test_real_compare(browser, folder, shots):
    """The columns are those of `sonde report` of either recording."""
    sonde, path = os.environ['SONDE'], os.path.join(folder, 'compared.html')
    data, old = record(folder), os.path.join(folder, 'old.data')
    if not data:
        return
    workload = os.path.join(os.environ['SONDE_BUILD'], 'bench/workload')
    subprocess.run([sonde, 'record', '-g', '-e', 'cpu-clock:u', '-o', old, '--', workload, '0.4'], check=True,
                   capture_output=True)
    subprocess.run([sonde, 'report', '--no-inline', '--html', path, '--baseline', old, data], check=True)
    page = Page(browser, path)
    for column, file in ((0, old), (1, data)):
        text = subprocess.run([sonde, 'report', '--stdio', '--no-inline', '--no-children', '-g', 'none', '-s',
                               'dso,sym', '-t', '\t', '-i', file], capture_output=True, text=True, check=True).stdout
        lines = [line.split('\t') for line in text.splitlines() if line and not line.startswith('#')]
        report = {line[2].strip()[4:]: line[0].strip() for line in lines}
        rows = page.rows()
        for row in rows[:5]:
            seen, told = row[column], report.get(row[4], '0.00%')
            check(abs(float(seen.strip('<%')) - float(told.rstrip('%'))) < 0.011,
                  'the report has the same share of %s' % row[4], (row, told))
    browser.screenshot(os.path.join(shots, 'compare-real.png'))
    page.check_quiet()


INLINES = """
static inline __attribute__((always_inline)) unsigned mix(unsigned x) { return (x ^ x >> 7) * 2654435761u; }
static inline __attribute__((always_inline)) unsigned mix_all(unsigned x)
{
	for (unsigned i = 0; i < 50; i++)
		x += mix(x + i);
	return x;
}
__attribute__((noinline)) unsigned first(unsigned n)
{
	unsigned sum = 0;

	while (n--)
		sum += mix_all(n);
	return sum;
}
__attribute__((noinline)) unsigned second(unsigned n)
{
	unsigned sum = 1;

	while (n--)
		sum ^= mix_all(n * 3) + mix(sum);
	return sum;
}
int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < 60; i++)
		sum += first(100000) ^ second(100000);
	return sum == 1;
}
"""
# of others, where they are: inlined functions, generated code, several binaries of one name, the kernel, several events
SHIPPED = ('callgraph.data', 'dwarf.data', 'tasks.data', 'stacks.dat', 'v7.dat')
CORPUS = ('perf/hotspot-cpp-recursion-perf.data', 'perf/aosp-perf_display_bitmaps.data',
          'perf/quipper-perf.data.callgraph-3.8', 'perf/perfparser-vector_static_gcc.perf.lbr.data',
          'perf/aosp-perf_with_trace_offcpu_v2.data', 'recorded/perf6.1-sched.data', 'recorded/tc3.1-t7_fgraph.dat')


def recordings(folder):
    """Of all kinds that are here; the first one has inlined functions."""
    sonde, corpus = os.environ['SONDE'], os.environ.get('SONDE_CORPUS', os.path.join(
        os.environ['SONDE_SOURCE'], '../shared/corpus'))
    code, program, data = (os.path.join(folder, name) for name in ('inlines.c', 'inlines', 'inlines.data'))
    with open(code, 'w', encoding='ascii') as f:
        f.write(INLINES)
    subprocess.run(os.environ.get('CC', 'cc').split() + ['-O2', '-g', '-fno-omit-frame-pointer', '-o', program, code],
                   check=True)
    told = subprocess.run([sonde, 'record', '-g', '-F', '5000', '-e', 'cpu-clock:u', '-o', data, '--', program],
                          capture_output=True, check=False)
    if told.returncode == 0:
        yield data
    for name in SHIPPED:
        yield shipped_data.put(name, os.path.join(folder, name))
    for name in CORPUS:
        if os.path.exists(os.path.join(corpus, name)):
            yield os.path.join(corpus, name)


# pixels of the graph that have a colour: what has not changed is grey
COLOURED = """(c => {
    const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < data.length; i += 4)
        n += Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40;
    return n;
})(document.getElementById("canvas"))"""


def test_self(browser, folder, shots):
    """A recording beside itself: nothing is new, nothing is gone, every ratio is 1, and no block has a colour."""
    sonde, path = os.environ['SONDE'], os.path.join(folder, 'self.html')
    for data in recordings(folder):
        subprocess.run([sonde, 'report', '--html', path, '--baseline', data, '-i', data], check=False,
                       stderr=subprocess.DEVNULL)
        for fragment in ('', '#measure=total', '#measure=total&view=callers'):
            for sort in ('&sort=-ratio', '&sort=ratio'):
                page = Page(browser, path, (fragment or '#') + sort)
                name = os.path.basename(data) + fragment + sort
                check(page.rows() != [], 'there are functions: ' + name)
                check(page.text('#count').endswith(', 0 new, 0 gone'), 'nothing is new: ' + name, page.text('#count'))
                ratios = {row[3] for row in page.rows()}
                check(ratios <= {'1.00\u00d7', '\u2013'}, 'every ratio is 1: ' + name, page.rows())
                check('measure=total' not in fragment or ratios == {'1.00\u00d7'}, 'of all: ' + name, page.rows())
            check(browser.run(COLOURED) == 0, 'no block has a colour: ' + name, browser.run(COLOURED))
    browser.screenshot(os.path.join(shots, 'compare-self.png'))


def test_other_name(browser, folder, shots):
    """The same program under another name: its functions are compared, its command tells both names."""
    sonde, workload = os.environ['SONDE'], os.path.join(os.environ['SONDE_BUILD'], 'bench/workload')
    path, names = os.path.join(folder, 'names.html'), ('before', 'after-it')
    for name in names:
        program = os.path.join(folder, name)
        shutil.copy(workload, program)
        told = subprocess.run([sonde, 'record', '-g', '-e', 'cpu-clock:u', '-o', program + '.data', '--', program,
                               '0.5'], capture_output=True, check=False)
        if told.returncode != 0:
            return
    subprocess.run([sonde, 'report', '--html', path, '--baseline', os.path.join(folder, 'before.data'), '-i',
                    os.path.join(folder, 'after-it.data')], check=True, stderr=subprocess.DEVNULL)
    page = Page(browser, path, '#measure=total')
    rows = table(page)
    for function in ('fibonacci', 'main', 'compute', 'multiply_matrices'):
        ratio = rows.get(function, ['', '', '', 'none'])[3]
        check(ratio.endswith('\u00d7') and 0.3 < float(ratio[:-1]) < 3, function + ' is in both', (ratio, rows))
    check(page.hover(1, 0.5).startswith('after-it (baseline: before)'), 'the command has both names',
          page.text('#tip'))
    check('Ratio\n1.00\u00d7' in page.text('#tip'), 'and all of the weight', page.text('#tip'))
    browser.screenshot(os.path.join(shots, 'compare-names.png'))
    page.check_quiet()


def test_real(browser, folder, shots):
    for test in (test_real_compare, test_self, test_other_name):
        test(browser, folder, shots)


if __name__ == '__main__':
    sys.exit(run((('compare', test_compare),), test_real))
