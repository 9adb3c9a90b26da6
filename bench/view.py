#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""view.py - sonde view on a recording of many samples: until the address is there, its memory, answers, and in Chromium
the first view, a pan of the axis and a range that is dragged

Prints `name  value unit` lines. An argument is the number of millions of samples (20); build/bench has the recording.
"""
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests"))
from html_browser import Browser, find_chromium  # noqa: E402

SONDE = os.environ.get("SONDE", os.path.join(ROOT, "build/release/src/cli/sonde"))
FRAMES = 60
# Moves the pointer once a frame; the times between frames while it moves, in milliseconds.
MOVES = """new Promise(done => {
    const canvas = document.getElementById("axis"), box = canvas.getBoundingClientRect(), times = [];
    const fire = (type, share, y) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, isPrimary: true,
        bubbles: true, button: 0, buttons: 1, clientX: box.x + box.width * share, clientY: box.y + y }));
    canvas.setPointerCapture = () => {};
    fire("pointerdown", %(from)s, %(y)d);
    let i = 0;
    const step = now => {
        times.push(now);
        if (i++ === %(frames)d) {
            fire("pointerup", %(to)s, %(y)d);
            done(times.slice(1).map((t, k) => t - times[k]));
            return;
        }
        fire("pointermove", %(from)s + (%(to)s - %(from)s) * i / %(frames)d, %(y)d);
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""
IDLE = """new Promise(done => {
    const wait = () => document.documentElement.dataset.ready &&
        document.documentElement.getAttribute("aria-busy") !== "true" ? requestAnimationFrame(() =>
        requestAnimationFrame(() => done(performance.now()))) : setTimeout(wait, 1);
    wait();
})"""


def line(name, value, unit):
    print("%-28s %10.1f %s" % (name, value, unit), flush=True)


def resident(pid, field):
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        return int(re.search(field + r":\s*(\d+)", f.read()).group(1)) / 1024


def cpu(pid):
    """Milliseconds of CPU time of a process."""
    with open("/proc/%d/stat" % pid, encoding="ascii") as f:
        return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) * 1000 / os.sysconf("SC_CLK_TCK")


def answers(pid, url, token, end):
    """The CPU time that the server takes for each kind of question."""
    half = "event=0&from=0&to=%d" % (end // 2)
    for name, question in (("profile", "profile"), ("sums-of-half", "sums?" + half),
                           ("tracks-of-all", "tracks?event=0&from=0&to=%d&columns=1280&rows=cpus:0,1,2,3,4," % end),
                           ("tracks-of-half", "tracks?columns=1280&" + half)):
        begin = cpu(pid)
        request = urllib.request.Request(url + "data/" + question, headers={"Sonde-Token": token})
        with urllib.request.urlopen(request) as answer:
            size = len(answer.read())
        line("view-" + name, cpu(pid) - begin, "ms CPU  (%d kB)" % (size // 1000))


def moves(browser, name, **how):
    busy = browser.busy()
    times = browser.run(MOVES % dict(how, frames=FRAMES))
    busy = browser.busy() - busy
    line("view-%s-frame" % name, statistics.median(times), "ms  (CPU %.1f ms)" % (busy / FRAMES))
    begin = time.monotonic()
    browser.run(IDLE)
    line("view-%s-last-answer" % name, 1000 * (time.monotonic() - begin), "ms")


def main():
    millions = sys.argv[1] if len(sys.argv) > 1 else "20"
    data = os.path.join(ROOT, "build/bench/many-%s.data" % millions)
    if not os.path.exists(data):
        os.makedirs(os.path.dirname(data), exist_ok=True)
        subprocess.run([os.path.join(ROOT, "build/release/bench/many_samples"), data, millions], check=True)
    begin = time.monotonic()
    view = subprocess.Popen([SONDE, "view", "--timeout", "300", data], stdout=subprocess.PIPE, text=True)
    url, token = view.stdout.readline().rstrip().split("#token=")
    line("view-open", time.monotonic() - begin, "s  (CPU %.1f s)" % (cpu(view.pid) / 1000))
    line("view-memory", resident(view.pid, "VmHWM"), "MB")
    answers(view.pid, url, token, int(millions) * 10**6 * 15625 // 10000)
    if find_chromium():
        with Browser(find_chromium()) as browser:
            browser.size(1400, 860)
            browser.call("Page.navigate", url=url + "#token=" + token)
            time.sleep(0.5)
            line("view-first-view", browser.run(IDLE), "ms")
            moves(browser, "range", **{"from": 0.2, "to": 0.6, "y": 40})
            browser.run('location.hash = "#at=" + %d + "-" + %d' % (10**6, 2 * 10**7))
            browser.run(IDLE)
            moves(browser, "pan", **{"from": 0.8, "to": 0.2, "y": 5})
    line("view-memory-after", resident(view.pid, "VmHWM"), "MB")
    view.terminate()
    return view.wait()


if __name__ == "__main__":
    sys.exit(main())
