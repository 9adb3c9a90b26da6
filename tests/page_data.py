# SPDX-License-Identifier: MIT
"""page_data.py - the data of a page of `report --html`: its JSON, with the packed columns as lists"""
import base64
import json
import re
import zlib


def columns(data, at, rows):
    """The columns of a list, by name, and the place where the next list begins."""
    found = {}
    for name, length, width, least in rows:
        planes = [data[at + i * length:at + (i + 1) * length] for i in range(width)]
        found[name] = [least + sum(plane[i] << 8 * byte for byte, plane in enumerate(planes)) for i in range(length)]
        at += length * width
    return found, at


def unpack(page, data, at):
    """The columns of a page or of its baseline, and the place behind them."""
    found, at = columns(data, at, page['columns'])
    for name in ('pid', 'tid'):
        found[name] = [v - (1 << 32) if v >> 31 else v for v in found[name]]
    page.update(found)
    if 'tracks' in page:
        found, at = columns(data, at, page['tracks']['columns'])
        page['tracks'].update(found)
    for event in page['events']:
        found, at = columns(data, at, event['columns'])
        event.update(found)
    return at


def read(path):
    """src/export/page/page.h describes it."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    page = json.loads(re.search('<script type="application/json" id="profile">(.*?)</script>', text, re.S).group(1))
    packed = re.search('<script type="application/octet-stream" id="columns">(.*?)</script>', text, re.S).group(1)
    data = zlib.decompress(base64.b64decode(packed))
    at = unpack(page, data, 0)
    if 'baseline' in page:
        at = unpack(page['baseline'], data, at)
    assert at == len(data), 'columns of %d bytes, data of %d' % (at, len(data))
    return page
