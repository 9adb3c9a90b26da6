#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed.py - a page as C source: embed.py OUTPUT embed.py page.html style.css [SCRIPT.js...]

It is named among its own inputs as a build rule does, and skipped.

The parts are put in unchanged, with the hashes that let the page's content security policy run them and nothing else.
The page is cut where the data go: NAME[0] is what comes before them, the last NAME[i] what comes after; NAME is that
of the output.

A page with scripts is cut at two more places, because SERVED is only in the page that `sonde view` serves: at the
sources of scripts in the policy, NAME_policy[0] of a file and [1] of the served page, and at the place of that script,
NAME_served[0].
"""
import base64
import hashlib
import os
import re
import sys


SERVED = 'remote.js'


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def source_hash(text):
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def c_string(text):
    """One literal a line, with everything escaped that C would read otherwise."""
    out = []
    for line in text.splitlines(keepends=True):
        octal = ''.join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else '\\%03o' % b for b in line.encode())
        out.append('\t"%s"' % octal)
    return '\n'.join(out) or '\t""'


def array(name, parts):
    return 'const struct sonde_str %s[%d] = {\n%s};\n' % (
        name, len(parts), ''.join('\tPART(\n%s),\n' % c_string(part) for part in parts))


def main():
    output, _, page_path, style_path, *script_paths = sys.argv[1:]
    name = os.path.basename(output).removesuffix('.c')
    style = read(style_path)
    scripts = [(os.path.basename(p), read(p)) for p in script_paths]
    served = ''.join(text for script, text in scripts if script == SERVED)
    script = '"use strict";\n{\n' + ''.join('@SERVED@' if s == SERVED else text for s, text in scripts) + '}\n'
    for kind, text, end in (('style', style, '</style'), ('script', script + served, '</script')):
        if end in text.lower() or '<!--' in text:
            sys.exit('embed.py: the %s would end its own element' % kind)
    page = read(page_path)
    marks = [('@STYLE_HASH@', source_hash(style)), ('@STYLE@', style)]
    if script_paths:
        marks += [('@SCRIPT@', script)]
    for mark, text in marks:
        if page.count(mark) != 1:
            sys.exit('embed.py: %s: expected one %s' % (page_path, mark))
        page = page.replace(mark, text)
    arrays = [array(name, re.split('@SCRIPT_POLICY@|@DATA@|@COLUMNS@|@SERVED@', page))]
    if script_paths:
        arrays += [array(name + '_policy', [
            "'%s'" % source_hash(script.replace('@SERVED@', '')),
            "'%s'; connect-src 'self'" % source_hash(script.replace('@SERVED@', served))]),
                   array(name + '_served', [served])]
    with open(output, 'w', encoding='ascii') as f:
        f.write('/* Made by web/embed.py. */\n#include "export/page/page.h"\n\n'
                '#define PART(text) { text, sizeof(text) - 1 }\n\n' + '\n'.join(arrays))


if __name__ == '__main__':
    main()
