#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""view_handmade.py: sonde view, asked as a browser asks it: sums and tracks as sonde report has them, who is answered
and who is not, requests that are slow, large or no requests, and the end

The recording is made by hand: two threads that take turns in samples 1 ms apart, each on a CPU of its own.
"""
import json
import os
import re
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from page_data import columns  # noqa: E402

sonde = os.environ["SONDE"]
SAMPLES, FIRST, STEP = 4000, 5 * 10**9, 10**6
IP, TID, TIME, CPU, PERIOD, IDENTIFIER = 1, 2, 4, 1 << 7, 1 << 8, 1 << 16
CODE = (0x10010, 0x10020, 0x10030)
THREADS = ((50, 50, b"alpha"), (50, 51, b"beta"))


def record(kind, body):
    return struct.pack("<IHH", kind, 2, 8 + len(body)) + body


def make(path, timed=True, samples=SAMPLES):
    """Sample i is of thread i % 2, on the CPU of that number, in function i % 3, with a period of 1 + i % 7."""
    kind = IP | TID | (TIME if timed else 0) | CPU | PERIOD | IDENTIFIER
    records = [record(3, struct.pack("<II8s", pid, tid, name)) for pid, tid, name in THREADS]
    for i in range(samples):
        pid, tid, _ = THREADS[i % 2]
        records.append(record(9, struct.pack("<QQII", 5, CODE[i % 3], pid, tid) +
                              (struct.pack("<Q", FIRST + i * STEP) if timed else b"") +
                              struct.pack("<IIQ", i % 2, 0, 1 + i % 7)))
    data = b"".join(records)
    attr = struct.pack("<IIQQQQQ", 1, 64, 0, 1, kind, 0, 0) + bytes(16)
    out = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 112, 80, 192, len(data), 0, 0) + bytes(32)
    with open(path, "wb") as f:
        f.write(out + struct.pack("<Q", 5) + attr + struct.pack("<QQ", 104, 8) + data)


class View:
    """A running `sonde view`."""

    def __init__(self, *words, env=None):
        self.process = subprocess.Popen([sonde, "view", "--timeout", "100", *words], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=env)
        self.url = self.process.stdout.readline().decode().rstrip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]{32})", self.url)
        assert found, (self.url, self.process.stderr.read())
        self.port, self.token = int(found.group(1)), found.group(2)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=600)

    def raw(self, request):
        """The whole answer to some bytes."""
        with self.connect() as s:
            s.sendall(request)
            return read_all(s)

    def get(self, target, method="GET", host=None, token=None, more=()):
        """Status, head and body; host False: none."""
        host = "127.0.0.1:%d" % self.port if host is None else host
        lines = ["%s %s HTTP/1.1" % (method, target)] + (["Host: " + host] if host else []) + list(more)
        lines += ["Sonde-Token: " + token] if token else []
        head, _, body = self.raw("\r\n".join(lines + ["", ""]).encode()).partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body

    def ask(self, question, status=200):
        got, _, body = self.get("/data/" + question, token=self.token)
        assert got == status, (question, got, body)
        return body

    def end(self, how=signal.SIGTERM, status=0):
        self.process.send_signal(how)
        errors = self.process.communicate(timeout=600)[1].decode()
        assert self.process.returncode == status, (self.process.returncode, errors)
        return errors


def read_all(s):
    parts = []
    while part := s.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def is_closed(s):
    try:
        return s.recv(1) == b""
    except ConnectionResetError:
        return True


def block(view):
    """The profile: JSON with its columns."""
    data = view.ask("profile")
    size = struct.unpack_from("<I", data)[0]
    page = json.loads(data[4:4 + size])
    data = data[4 + size:]
    found, at = columns(data, 0, page["columns"])
    page.update(found)
    for event in page["events"]:
        found, at = columns(data, at, event["columns"])
        event.update(found)
    assert at == len(data)
    return page


def sums(view, page, question):
    """Periods and samples by function and thread."""
    data, event, names = view.ask(question), page["events"][0], page["strings"]
    n = struct.unpack_from("<I", data)[0]
    assert len(data) == 8 + 20 * n
    weights, counts = struct.unpack_from("<%dd" % n, data, 8), struct.unpack_from("<%dd" % n, data, 8 + 8 * n)
    cells = struct.unpack_from("<%dI" % n, data, 8 + 16 * n)
    found = {}
    for cell, weight, count in zip(cells, weights, counts):
        symbol = names[page["frames"]["symbol"][event["frame"][event["node"][cell]]]]
        found[int(symbol, 16), page["tid"][event["task"][cell]]] = (int(weight), int(count))
    return found


def reported(*words):
    """The same by sonde report."""
    done = subprocess.run([sonde, "report", "--sort", "sym,tid", "--fields", "period,sample,sym,tid", "-t", ";", *words,
                           "t.data"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        fields = [f.strip() for f in line.split(";")]
        if len(fields) == 4 and fields[0].isdigit():
            address, tid = int(fields[2].split("0x")[1], 16), int(re.search(r"\d+", fields[3]).group())
            found[address, tid] = int(fields[0]), int(fields[1])
    return found


def expected(first, end, wanted=lambda i: True):
    found = {}
    for i in filter(wanted, range(first, end)):
        key = CODE[i % 3], THREADS[i % 2][1]
        weight, count = found.get(key, (0, 0))
        found[key] = weight + 1 + i % 7, count + 1
    return found


def test_numbers(view):
    page = block(view)
    event, step = page["events"][0], page["time"]["step_ns"]
    assert event["served"] == SAMPLES and page["time"]["start_ns"] == FIRST, page["time"]
    assert [event[k] for k in ("time", "cpu", "cell", "count")] == [[0, 0], [1, 2], [0, 0], [SAMPLES // 2] * 2], event
    assert sums(view, page, "sums?event=0") == expected(0, SAMPLES) == reported()
    # ranges far from the one before, near it, within it, beyond it; the last one of an inclusive --time is one before
    for first, end in ((500, 700), (510, 705), (520, 600), (100, 3900), (3990, 4000), (0, 1)):
        question = "sums?event=0&from=%d&to=%d" % (first * STEP // step, end * STEP // step)
        time = ",".join("%d.%09d" % divmod(FIRST + i * STEP, 10**9) for i in (first, end - 1))
        assert sums(view, page, question) == expected(first, end) == reported("--time", time), question
        assert sums(view, page, question + "&cpu=1") == expected(first, end, lambda i: i % 2 == 1), question
        assert sums(view, page, question + "&cpu=1") == reported("--time", time, "-C", "1"), question
    assert sums(view, page, "sums?event=0&from=1&to=2") == {}
    assert sums(view, page, "sums?event=0&cpu=7") == {}
    assert sums(view, page, "sums?event=0&cpu=2147483647") == {}
    values = struct.unpack("<30f", view.ask("tracks?event=0&from=0&to=%d&columns=10&rows=threads:50/51,"
                                            % (SAMPLES * STEP // step)))
    weight = [[sum(1 + i % 7 for i in range(400 * c, 400 * c + 400) if i % 2 in chosen) for c in range(10)]
              for chosen in ((1,), (0,), (0, 1))]
    assert [list(values[10 * row:10 * row + 10]) for row in range(3)] == weight, values
    values = struct.unpack("<30f", view.ask("tracks?event=0&from=%d.5&to=%d&columns=10&rows=cpus:0,1&cpu=0&task=50"
                                            "&count=samples" % (1000 * STEP // step - 1, 2000 * STEP // step)))
    assert list(values) == [50.0] * 30, values
    values = struct.unpack("<5f", view.ask("tracks?event=0&from=0&to=%d&columns=5&task=51" % (5 * STEP // step)))
    assert list(values) == [0.0] * 5, values
    data = view.ask("samples?event=0&from=%d&to=%d&task=50/50" % (10 * STEP // step, 13 * STEP // step))
    assert struct.unpack("<II2d2d", data[:40]) == (2, 0, 4.0, 6.0, 1.0, 1.0), data


def test_who_is_answered(view):
    status, head, body = view.get("/")
    assert status == 200 and b"alpha" not in body and b"<script>" in body
    assert "frame-ancestors 'none'" in head and "Cache-Control: no-store" in head, head
    policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', body).group(1).decode()
    assert re.fullmatch(r"default-src 'none'; script-src 'sha256-[^']*'; connect-src 'self'; style-src 'sha256-[^']*'; "
                        r"img-src data:; base-uri 'none'; form-action 'none'", policy), policy
    wrong = view.token[:-1] + ("0" if view.token[-1] != "0" else "1")
    for token in (None, wrong, view.token[:-1], view.token + "0", "é" * 16):
        assert view.get("/data/profile", token=token)[0] == 403, token
    status, head, body = view.get("/data/profile", token=view.token)
    assert status == 200 and "Cache-Control: no-store" in head and "default-src 'none'" in head and b"alpha" in body
    here = "127.0.0.1:%d" % view.port
    for host, want in (("localhost:%d" % view.port, 200), ("127.0.0.1", 403), ("evil.example:%d" % view.port, 403),
                       (here + ".evil.example", 403), ("127.0.0.1:%d" % (view.port + 1), 403), (False, 400)):
        for target in ("/", "/data/profile"):
            assert view.get(target, token=view.token, host=host)[0] == want, (host, target)
    for origin, want in (("http://" + here, 200), ("http://localhost:%d" % view.port, 200), ("https://" + here, 403),
                         ("http://evil.example", 403), ("null", 403), ("", 403)):
        assert view.get("/data/profile", token=view.token, more=["Origin: " + origin])[0] == want, origin
    for method in ("POST", "HEAD", "PUT", "OPTIONS", "DELETE"):
        status, head, _ = view.get("/data/profile", method=method, token=view.token)
        assert status == 405 and "Allow: GET" in head, head
    assert view.get("/", more=["Content-Length: 5"])[0] == 413
    for target in ("/index.html", "/data", "//", "/../../etc/passwd"):
        assert view.get(target, token=view.token)[0] == 404, target
    for question in ("", "x", "profile&", "sums", "sums?event=1", "sums?event=-1", "sums?event=0&from=2&to=1",
                     "sums?event=99999999999999999999", "tracks?event=0", "tracks?event=0&from=0&to=9&columns=0",
                     "tracks?event=0&from=0&to=9&columns=131073", "tracks?event=0&from=0&to=9&columns=9&rows=threads:x",
                     "tracks?event=0&from=0&to=9&columns=9&rows=cpus:" + "," * 64, "sums?event=0&from=1e9&to=2",
                     "sums?event=0&from=1.2345&to=2", "sums?event=0&cpu=99999999999", "%2e"):
        view.ask(question, 400 if question != "sums" else 200)


def test_requests_without_end(view):
    """Each of many in turn makes room, and nobody else waits."""
    slow = [view.connect() for _ in range(40)]
    for s in slow[-32:]:
        s.sendall(b"GET / HT")
    assert view.get("/")[0] == 200
    assert is_closed(slow[0])
    slow[-1].sendall(b"TP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % view.port)
    assert read_all(slow[-1]).startswith(b"HTTP/1.1 200 "), "the newest one is still answered"
    for s in slow:
        s.close()


def test_bad_requests(view):
    for request in (b"hello\r\n\r\n", b"GET / HTTP/1.1\n\n", b"\x16\x03\x01\x02\n",
                    b"GET / HTTP/1.1\r\nA\0: b\r\n\r\n"):
        assert view.raw(request).startswith(b"HTTP/1.1 400 "), request
    assert view.raw(b"GET /" + b"a" * 20000).startswith(b"HTTP/1.1 431 ")
    assert view.raw(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000).startswith(b"HTTP/1.1 431 ")
    for _ in range(20):                  # some of them come within a millisecond
        test_requests_without_end(view)
    # one that goes away in the middle of its answer, and one that asks more than it reads
    with view.connect() as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % view.port)
    assert view.get("/")[0] == 200


def test_two_clients(view):
    page = block(view)
    step, failures = page["time"]["step_ns"], []

    def client(shift):
        for i in range(20):
            first, end = 10 * i + shift, 10 * i + shift + 100
            question = "sums?event=0&from=%d&to=%d" % (first * STEP // step, end * STEP // step)
            if sums(view, page, question) != expected(first, end):
                failures.append(question)

    clients = [threading.Thread(target=client, args=(shift,)) for shift in (0, 1000)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    assert not failures, failures


def test_ends():
    assert View("t.data").end(signal.SIGINT) == ""
    done = subprocess.run([sonde, "view", "--timeout", "1", "t.data"], capture_output=True, text=True, timeout=600,
                          check=False)
    assert done.returncode == 0 and done.stdout.startswith("http://127.0.0.1:"), done


def test_port():
    view = View("t.data")
    done = subprocess.run([sonde, "view", "--port", str(view.port), "t.data"], capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == 1 and "cannot listen on port %d of 127.0.0.1" % view.port in done.stderr, done
    view.end()
    again = View("--port", str(view.port), "t.data")
    assert again.port == view.port and again.token != view.token
    again.end()
    done = subprocess.run([sonde, "view", "--port", "65536", "t.data"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--port" in done.stderr, done


def test_browser():
    """The browser gets a file that only its owner reads, not the token as a word that all users see."""
    with open("xdg-open", "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nstat -c %a "$1" >told.new\ncat "$1" >>told.new\necho "$*" >words\nmv told.new told\n')
    os.chmod("xdg-open", 0o755)
    os.mkfifo("done")
    with open("xdg-open", "a", encoding="utf-8") as f:
        f.write("echo >done\n")
    env = dict(os.environ, PATH=os.getcwd() + ":" + os.environ["PATH"], XDG_RUNTIME_DIR=os.getcwd())
    view = View("--browser", "t.data", env=env)
    with open("done", encoding="utf-8") as f:
        f.read()
    with open("told", encoding="utf-8") as f:
        told = f.read()
    with open("words", encoding="utf-8") as f:
        words = f.read().strip()
    assert told.startswith("600\n") and view.url in told, told
    assert view.token not in words and stat.S_ISREG(os.stat(words).st_mode), words
    view.end()
    assert not os.path.exists(words)
    view = View("--no-browser", "t.data", env=env)
    view.end()
    view = View("--browser", "t.data", env=dict(env, XDG_RUNTIME_DIR="/" + 600 * "x"))
    errors = view.end()
    assert "no browser was opened" in errors and "File name too long" in errors, errors


def test_recordings():
    make("untimed.data", timed=False)
    view = View("untimed.data")
    page = block(view)
    assert "served" not in page["events"][0] and sum(page["events"][0]["samples"]) == SAMPLES
    view.end()
    view = View("t.data", "t.data")
    page = block(view)
    assert page["events"][0]["served"] == 2 * SAMPLES
    recordings = [value for name, value in page["info"] if name == "Recording"]
    assert [value.split(":")[0] for value in recordings] == ["t.data", "t.data"], page["info"]
    view.end()
    if os.environ["SONDE_SANITIZE"] == "none":  # a sanitizer needs more memory than the limit
        make("many.data", samples=150000)
        view = View("--max-memory", "16M", "many.data")
        assert "served" not in block(view)["events"][0]
        errors = view.end()
        assert "the page has no time axis: there is memory for at most 131072 samples" in errors, errors
    with open("broken.data", "wb") as f:
        f.write(b"PERFILE2" + bytes(range(200)))
    for name in ("broken.data", "missing.data"):
        done = subprocess.run([sonde, "view", name], capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 1 and done.stdout == "" and name in done.stderr, done


def main():
    with tempfile.TemporaryDirectory(prefix="sonde-view-") as folder:
        os.chdir(folder)
        make("t.data")
        view = View("t.data")
        test_numbers(view)
        test_who_is_answered(view)
        test_bad_requests(view)
        test_two_clients(view)
        assert view.end() == ""
        test_ends()
        test_port()
        test_browser()
        test_recordings()


if __name__ == "__main__":
    main()
