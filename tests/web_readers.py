# SPDX-License-Identifier: MIT
"""web_readers.py - speedscope and the Firefox Profiler, which read `script` and folded stacks

Both come from npm (tests/npm/install.sh). Of speedscope it is the page in a browser, since the package has no other
importer; the Firefox Profiler has its loader in a command of its own.
"""
import collections
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.parse

import html_browser
from reader import Wrong, environment, need, output, source
from recordings import sonde, workload

modules = os.path.join(source, "build", "npm", "node_modules")


JUMPS = re.compile("@plt$|^_init$")     # entries of the procedure linkage table


def only(rows, others):
    """The rows whose times the others do not have."""
    return {times: name for times, name in rows.items() if times not in others}


def without_starts(theirs, ours):
    """Both texts without the samples with a caller to whose start a call returns: perf takes that function for the
    caller, sonde the one that ends with the call (docs/script-differences.md)."""
    pairs = list(zip(theirs.split("\n\n"), ours.split("\n\n"), strict=True))
    kept = [pair for pair in pairs if not any("+0x0 (" in line for line in pair[0].splitlines()[2:])]
    return ["\n\n".join(sample) for sample in zip(*kept)]


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def folded_of(path, *options):
    """The folded stacks of a recording in a file, and {stack: count}."""
    text, _ = output([sonde, "export", "--to", "folded", "-i", path, *options])
    stacks = {}
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        stacks[stack] = stacks.get(stack, 0) + int(count)
    return write(path + ".folded", text), stacks


def seconds(text):
    """Of "1.07ms", "103µs", "1:02.5" """
    number, unit = re.fullmatch(r"([\d.:]+)(\D*)", text).groups()
    minutes, _, rest = number.rpartition(":")
    return int(minutes or 0) * 60 + float(rest) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "": 1}[unit]


class Speedscope:
    """speedscope's page: folded stacks and a thread of our own format have the totals of the report, and `script` the
    same rows as perf script
    """
    forms = ["perf"]
    kinds = ["callgraph", "system-callgraph", "cut-callgraph", "compressed", "repaired", "redacted", "pipe"]

    def __init__(self):
        self.folder = os.path.join(modules, "speedscope", "dist", "release")
        need(os.path.isdir(self.folder), "speedscope (tests/npm/install.sh)")
        self.perf = need(shutil.which("perf"), "perf")
        chromium = need(html_browser.find_chromium(), "chromium")
        # Without their paths, perf finds binaries in its cache only, and sonde debug files too.
        linked, _ = output(["ldd", workload])
        for binary in (workload, *re.findall(r"(/\S+) \(", linked)):
            output([self.perf, "buildid-cache", "--add", binary])
        self.files = {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.browser = Gl(chromium)

    def close(self):
        self.browser.close()
        self.server.shutdown()

    def handler(self):
        files, folder = self.files, self.folder

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=folder)

            def translate_path(self, path):
                return files.get(path) or super().translate_path(path)

            def log_message(self, *_):
                pass
        return Handler

    def sandwich(self, path):
        """[(total, self, symbol)] of what the page shows of its table of functions."""
        base = f"http://127.0.0.1:{self.server.server_port}"
        # a name for each: what is there already is not asked for again
        name = f"/opened-{len(self.files)}"
        self.files[name] = path
        browser = self.browser
        browser.call("Page.navigate", url="about:blank")
        browser.logged = []
        url = urllib.parse.quote(base + name, safe="")
        browser.call("Page.navigate", url=f"{base}/#profileURL={url}&title=opened")
        deadline = time.monotonic() + 60
        while not any("import:" in line for line in browser.logged):
            if time.monotonic() > deadline:
                raise Wrong(f"it does not open {os.path.basename(path)}: {browser.logged[-3:]}")
            browser.run("new Promise(done => setTimeout(done, 50))")
        # the view "Sandwich"
        browser.run('window.dispatchEvent(new KeyboardEvent("keypress", {key: "3"}))')
        browser.settle()
        text = browser.run("document.body.innerText")
        rows = re.findall(r"^(\S+) \([^)\n]*\)\n\t(\S+) \([^)\n]*\)\n\t(.*)$", text, re.M)
        if not rows:
            raise Wrong(f"it shows nothing of {os.path.basename(path)}: {text[:200]}")
        return rows

    def compare(self, what, path, stacks):
        """The table of the page for @path against {stack: count}."""
        total, own = {}, {}
        for stack, count in stacks.items():
            frames = stack.split(";")
            own[frames[-1]] = own.get(frames[-1], 0) + count
            for frame in set(frames):
                total[frame] = total.get(frame, 0) + count
        rows = self.sandwich(path)
        often = collections.Counter(symbol for _, _, symbol in rows)
        for shown_total, shown_own, symbol in rows:
            if often[symbol] > 1:  # "[unknown]" of several binaries, which folded stacks do not tell apart
                continue
            shown = tuple(int(text.replace(",", "")) for text in (shown_total, shown_own))
            expected = total.get(symbol), own.get(symbol, 0)
            if shown != expected:
                raise Wrong(f"{what}: {symbol} has {shown}, not {expected}")

    def own_format(self, path):
        """The page shows a thread at a time, under one of its names: that of our program with most samples alone. What
        else ran on the machine may have frames without symbols, which folded stacks name by their binary.
        """
        text, _ = output([sonde, "script", "-G", "-F", "comm,tid", path])
        rows = re.findall(r"^ *(\S.*?) +(\d+) *$", text, re.M)
        (comm, tid), _ = collections.Counter([row for row in rows if row[0] == "workload"] or rows).most_common(1)[0]
        chosen = ["--comms", comm, "--tid", tid]
        exported = path + ".speedscope.json"
        output([sonde, "export", "--to", "speedscope", "--count", "samples", *chosen, "-o", exported, "-i", path])
        self.compare("speedscope", exported, folded_of(path, *chosen)[1])

    def read(self, form, kind, path):
        self.compare("folded", *folded_of(path))
        self.own_format(path)
        # perf 6.1 adds inlined functions to callchains of --call-graph dwarf only
        theirs, _ = output([self.perf, "script", "--no-inline", "-i", path])
        ours, _ = output([sonde, "script", "--no-inline", "-i", path])
        shown = [self.sandwich(write(f"{path}.{name}.txt", text))
                 for name, text in zip(("perf", "sonde"), without_starts(theirs, ours))]
        # names of jump table entries differ; rows are in the order of their own time, and each page ends somewhere
        # among rows that are alike
        last = max(seconds(rows[-1][1]) for rows in shown)
        theirs, ours = ({row[:2]: row[2] for row in rows if seconds(row[1]) > last and not JUMPS.search(row[2])}
                        for rows in shown)
        if theirs.keys() != ours.keys():
            raise Wrong(f"script: {only(ours, theirs)}, of perf script {only(theirs, ours)}")
        return None


class Gl(html_browser.Browser):
    """The page draws by WebGL."""
    FLAGS = [flag for flag in html_browser.Browser.FLAGS if flag != "--disable-gpu"] + ["--enable-unsafe-swiftshader"]


class Firefox:
    """The Firefox Profiler's loader: each sample of the folded stacks, and as many of `script` as of perf script

    It knows the text of perf script by the stack below the first sample, and leaves out samples without a frame.
    """
    forms = ["perf"]
    kinds = ["callgraph", "system-callgraph", "dwarf", "repaired", "pipe"]
    SESSION = "sonde"

    def __init__(self):
        command = os.path.join(modules, ".bin", "profiler-cli")
        need(os.path.exists(command), "profiler-cli (tests/npm/install.sh)")
        self.command = [need(shutil.which("node"), "node"), command]
        self.perf = need(shutil.which("perf"), "perf")

    def call(self, *words):
        """The answer as JSON; None where the session does not answer."""
        r = subprocess.run([*self.command, *words, "--session", self.SESSION, "--json"], capture_output=True, text=True,
                           env=environment, stdin=subprocess.DEVNULL, timeout=600)
        return json.loads(r.stdout) if r.returncode == 0 else None

    def samples(self, path):
        """How many samples its threads have. The loader is a daemon, which `load` waits for half a second only."""
        load = subprocess.run([*self.command, "load", path, "--session", self.SESSION], capture_output=True, text=True,
                              env=environment, stdin=subprocess.DEVNULL, timeout=600)
        try:
            deadline = time.monotonic() + 60
            while not (threads := self.call("thread", "list", "--limit", "0")):
                if time.monotonic() > deadline:
                    raise Wrong(f"it does not load {os.path.basename(path)}: {load.stderr.strip()[:300]}")
                time.sleep(0.2)
            handles = ",".join(thread["threadHandle"] for thread in threads["threads"])
            return self.call("thread", "info", "--thread", handles)["sampleCount"]
        finally:
            subprocess.run([*self.command, "stop", self.SESSION], capture_output=True, env=environment)

    def read(self, form, kind, path):
        folded, stacks = folded_of(path)
        found = self.samples(folded)
        if found != sum(stacks.values()):
            raise Wrong(f"folded: {found} samples of {sum(stacks.values())}")
        texts = [output([command, "script", "-i", path])[0] for command in (self.perf, sonde)]
        theirs, ours = (self.samples(write(path + ".txt", text)) for text in texts)
        if ours != theirs:
            raise Wrong(f"script: {ours} samples, {theirs} of perf script")
        return None
