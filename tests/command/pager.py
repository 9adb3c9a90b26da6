#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pager.py: a terminal gets a pager, colours and progress, a pipe gets none of them."""
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

sonde = os.environ["SONDE"]
SLOW = 1 if os.environ["SONDE_SANITIZE"] == "none" else 10   # how much longer a command takes
sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import shipped_data  # noqa: E402

failed = 0


def on_terminal(words, stop=None, drop_output=False, **environment):
    """What sonde shows on a terminal of its own, and its exit status; signal `stop` is sent after a moment."""
    env = {k: v for k, v in os.environ.items() if k not in ("PAGER", "SONDE_PAGER", "NO_COLOR", "LESS")}
    env.update({"TERM": "xterm"}, **environment)
    pid, fd = pty.fork()
    if pid == 0:
        if drop_output:
            os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execve(sonde, [sonde] + words, {k: v for k, v in env.items() if v is not None})
    if stop:
        time.sleep(0.5)
        os.kill(pid, stop)
    text = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return text.decode(errors="replace"), os.waitstatus_to_exitcode(status)


def want(what, good):
    global failed
    if not good:
        print("FAILED:", what)
        failed += 1


def make_long(short, long, size):
    """A recording whose records come again and again: reading it takes a moment."""
    with open(short, "rb") as f:
        data = f.read()
    offset, length = struct.unpack_from("<QQ", data, 40)
    times = size // length + 1
    header = bytearray(data[:offset])
    struct.pack_into("<Q", header, 48, length * times)
    header[72:104] = struct.pack("<4Q", 1 << 3, 0, 0, 0)     # one feature, the name of a host
    end = len(header) + length * times + 16
    with open(long, "wb") as f:
        f.write(header)
        for _ in range(times):
            f.write(data[offset:offset + length])
        f.write(struct.pack("<QQI", end, 68, 64) + b"example".ljust(64, b"\0"))


def progress(folder):
    recording = shipped_data.put("callgraph.data", os.path.join(folder, "short.data"))
    long = os.path.join(folder, "long.data")
    text, _ = on_terminal(["report", "--stdio", recording], PAGER="cat")
    want("percentages have colours on a terminal", re.search(r"\033\[31m *[0-9.]+%\033\[m", text))
    for times in 1, 4, 16:      # reading has to take longer than a command waits before it tells
        make_long(recording, long, times * 200_000_000 // SLOW)
        text, _ = on_terminal(["dump", long], drop_output=True)
        if "\r" in text:
            break
    want("progress on the terminal", re.search(r"\rreading: \d+%\033\[K", text))
    want("the line goes at the end", text.endswith("\r\033[K"))
    text, _ = on_terminal(["dump", long], drop_output=True, TERM="dumb")
    want("TERM=dumb: no progress", text == "")
    done = subprocess.run([sonde, "dump", long], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "TERM": "xterm"})
    want("a pipe gets no progress", done.stderr == b"")


def stopped(words, seconds, drop_output=False):
    """What the terminal shows of a command that is stopped for a while, so that it comes to say how far it is."""
    pid, fd = pty.fork()
    if pid == 0:
        if drop_output:
            os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.environ.update(TERM="xterm", SONDE_PAGER="")
        os.execv(sonde, [sonde, *words])
    time.sleep(seconds)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.6)
    os.kill(pid, signal.SIGCONT)
    shown = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(fd)
    os.waitpid(pid, 0)
    return shown.decode(errors="replace")


def progress_of_files(folder):
    """Commands that write a new file, and check; the moment at which each is stopped is tried out."""
    source, to = os.path.join(folder, "made.data"), os.path.join(folder, "new.data")
    samples = pd.comm("prog") + b"".join(pd.sample(0x1000, 2000 + i) for i in range(1000))
    with open(source, "wb") as f:
        f.write(pd.make(samples * (2000 // SLOW)))
    rounds = os.path.join(folder, "rounds.data")
    with open(rounds, "wb") as f:
        f.write(pd.make(b"".join(pd.sample(0x1000, 2000 + i) if i % 1000 else pd.record(pd.FINISHED_ROUND, 0, b"")
                                 for i in range(max(300_000 // SLOW, 100_000)))))
    for words in (["check", source], ["convert", "--rebuild", source, to], ["cut", "--tid", "50", source, to],
                  ["repair", source, to], ["merge", "-o", to, rounds, rounds]):
        for trial in range(8):
            text = stopped(words, 0.02 * 1.5 ** trial)
            if "\rreading: " in text:
                break
        want(f"{words[0]} has progress on the terminal", re.search(r"\rreading: \d+%\033\[K", text))
        want(f"the line of {words[0]} goes at the end", not re.search(r"%\033\[K(?!\r)", text))
        quiet = stopped([words[0], "-q", *words[1:]], 0.02 * 1.5 ** trial)
        want(f"{words[0]} -q has none", "reading: " not in quiet)
        done = subprocess.run([sonde, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, "TERM": "xterm"})
        want(f"a pipe gets none of {words[0]}", b"reading: " not in done.stderr)
    for words in ["report"], ["script"], ["export", "--to", "folded"]:
        for trial in range(8):
            text = stopped([*words, "-i", rounds], 0.02 * 1.5 ** trial, drop_output=True)
            if "\rreading: " in text:
                break
        want(f"{words[0]} has progress on the terminal", re.search(r"\rreading: \d+%\033\[K", text))
        want(f"the line of {words[0]} goes at the end", not re.search(r"%\033\[K(?!\r)", text))


def main():
    with tempfile.TemporaryDirectory() as folder:
        progress(folder)
        progress_of_files(folder)
    mark = "sed 's/^/PAGED /'"
    text, status = on_terminal(["help"], PAGER=mark)
    want("help goes through $PAGER", text.count("PAGED ") > 10 and status == 0)
    want("headings are bold", "\033[1mRecord and count:\033[m" in text)
    want("nothing is left out of the pager", "PAGED   version " in text)
    text, _ = on_terminal(["help"], PAGER="cat", SONDE_PAGER=mark)
    want("$SONDE_PAGER comes first", "PAGED " in text)
    for name, env in (("cat", {"PAGER": "cat"}), ("an empty $PAGER", {"PAGER": ""}),
                      ("a pager that is not there", {"PAGER": "/no/such/pager"}),
                      ("TERM=dumb", {"PAGER": mark, "TERM": "dumb"}), ("no TERM", {"PAGER": mark, "TERM": None})):
        text, status = on_terminal(["help"], **env)
        want(f"{name}: no pager", "PAGED" not in text and "usage: sonde" in text and status == 0)
    text, _ = on_terminal(["help"], PAGER=mark, TERM="dumb")
    want("TERM=dumb: no colours", "\033[" not in text)
    text, _ = on_terminal(["help"], PAGER=mark, NO_COLOR="1")
    want("NO_COLOR: no colours", "\033[" not in text and "PAGED" in text)
    text, _ = on_terminal(["--no-pager", "help"], PAGER=mark)
    want("--no-pager: colours, no pager", "PAGED" not in text and "\033[1m" in text)
    text, _ = on_terminal(["version"], PAGER=mark)
    want("a command of one line has no pager", "PAGED" not in text)
    for option in ("-p", "--paginate"):
        text, _ = on_terminal([option, "version"], PAGER=mark)
        want(f"{option}: a pager for any command", "PAGED sonde version" in text)
    text, status = on_terminal(["info", "/no/such/file"], PAGER=mark)
    want("messages go through the pager, the exit status stays", "PAGED sonde: /no/such/file: " in text and status == 1)
    text, status = on_terminal(["help", "--no-such-option"], PAGER=mark)
    want("a usage message has no pager", "PAGED" not in text and status == 2)
    text, status = on_terminal(["info", "-"], PAGER=mark, stop=signal.SIGTERM)
    want("a signal ends sonde and its pager", status == -signal.SIGTERM)
    done = subprocess.run([sonde, "-p", "help"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PAGER": mark, "TERM": "xterm"})
    want("a pipe gets neither", "PAGED" not in done.stdout and "\033[" not in done.stdout and done.returncode == 0)
    print(f"{failed} failed" if failed else "all as it should be")
    return 1 if failed else 0


sys.exit(main())
