#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""picture.py - a picture of a page of `sonde report --html`, made by headless Chromium

picture.py PAGE OUTPUT.png [WIDTHxHEIGHT] [dark] [#ADDRESS]      `./dev picture` makes that of the README
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests'))
from html_browser import Browser, find_chromium  # noqa: E402  (found by the line above)


def main():
    page, output, *words = sys.argv[1:]
    width, height, dark, address = 1400, 860, False, ''
    for word in words:
        if word == 'dark':
            dark = True
        elif word.startswith('#'):
            address = word
        else:
            width, height = map(int, word.split('x'))
    chromium = find_chromium()
    if not chromium:
        sys.exit('picture.py: there is no Chromium here (set CHROMIUM to its path)')
    with Browser(chromium) as browser:
        browser.size(width, height, dark=dark)
        browser.open(page, address)
        browser.screenshot(output)


if __name__ == '__main__':
    main()
