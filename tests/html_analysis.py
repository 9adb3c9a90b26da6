#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_analysis.py - the page of an analysis, in Chromium: it has the rows of the JSON, orders and searches them"""
import json
import os
import subprocess
import sys
import tempfile

from html_browser import Browser, find_chromium

SKIP = 77
sonde = os.environ["SONDE"]
ROWS = """JSON.stringify([...document.querySelectorAll('section')].map(s => [...s.querySelectorAll('tbody tr')]
    .filter(r => !r.hidden).map(r => [...r.cells].map(c => c.textContent))))"""


def check(ok, what, *details):
    if not ok:
        sys.exit(f"FAILED: {what}: {details}")


def rows(browser):
    return json.loads(browser.run(ROWS))


def text_of(value, kind):
    if value is None:
        return ""
    if kind == "task":
        if value["tid"] == 0:
            return "<idle>"
        name = value["comm"] or f":{value['tid']}"
        same = value["pid"] is None or value["pid"] == value["tid"]
        return f"{name}[{value['tid']}]" if same else f"{name}[{value['tid']}/{value['pid']}]"
    if kind == "duration_ns":
        return f"{value // 10**6}.{value % 10**6 // 1000:03}"
    if kind == "time_ns":
        return f"{value // 10**9}.{value % 10**9 // 1000:06}"
    return f"{value:.2f}" if kind == "percent" else str(value)


def press(browser, head):
    browser.run(f"[...document.querySelectorAll('section')[0].querySelectorAll('th button')]"
                f".find(b => b.textContent.startsWith('{head}')).click()")


def test(browser, data, page):
    subprocess.run([sonde, "sched", "timehist", "-w", "-S", "--html", page, "-i", data], check=True)
    doc = json.loads(subprocess.run([sonde, "sched", "timehist", "-w", "-S", "--json", "-i", data], check=True,
                                    capture_output=True, text=True).stdout)
    expected = [[[text_of(v, c["kind"]) for v, c in zip(row, t["columns"])] for row in t["rows"]]
                for t in doc["tables"]]
    browser.open(page)
    check(rows(browser) == expected and len(expected[0]) > 3, "the page has the rows of the JSON", rows(browser)[0][:3],
          expected[0][:3])
    names = [c["name"] for c in doc["tables"][0]["columns"]]
    at = names.index("run")
    runs = [row[at] for row in doc["tables"][0]["rows"]]
    known = sorted((r for r in runs if r is not None), reverse=True)
    press(browser, "run time")
    shown = [row[at] for row in rows(browser)[0]]
    check(shown == [text_of(r, "duration_ns") for r in known] + [""] * (len(runs) - len(known)),
          "a click orders the rows, the largest first and unknown ones last", shown[:5])
    press(browser, "run time")
    shown = [row[at] for row in rows(browser)[0]]
    check(shown == [text_of(r, "duration_ns") for r in known[::-1]] + [""] * (len(runs) - len(known)),
          "another click turns it round", shown[:5])
    word = expected[0][0][names.index("task")].split("[")[0]
    browser.run("{ const i = document.querySelector('input'); i.value = '%s switch'; "
                "i.dispatchEvent(new Event('input')); }" % word.upper())
    found = rows(browser)[0]
    check(sorted(found) == sorted(r for r in expected[0] if word.lower() in " ".join(r).lower() and r[0] == "switch"),
          "a search leaves the rows that have all words", found[:3])
    check(rows(browser)[1:] == expected[1:], "other tables stay")


path = find_chromium()
if not path:
    print("there is no Chromium")
    sys.exit(SKIP)
with tempfile.TemporaryDirectory(prefix="sonde-test.") as folder:
    recording = os.path.join(folder, "all.data")
    made = subprocess.run([sonde, "record", "-a", "-m", "2048", "-e", "sched:*", "-o", recording, "--", "sh", "-c",
                           "for i in 1 2 3 4 5; do sleep 0.01; done"], capture_output=True, text=True, check=False)
    if made.returncode:
        print("events of the kernel cannot be recorded here:", made.stderr.strip())
        sys.exit(SKIP)
    with Browser(path) as chromium:
        test(chromium, recording, os.path.join(folder, "page.html"))
