#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_terminal.py - what a recording says on a terminal, and that it says nothing of it in a pipe"""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

SKIP = 77
sonde = os.environ["SONDE"]
PROGRESS = rb"\rrecording for [0-9]+ s, [0-9]+\.[0-9] MB; Ctrl-C ends"
tracefs = "/sys/kernel/tracing/instances"


def on_terminal(words, until=None):
    """All that the terminal shows; Ctrl-C is typed once this pattern is there."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sonde, [sonde, *words])
    shown = b""
    end = time.monotonic() + 60
    typed = until is None
    while True:
        ready, _, _ = select.select([fd], [], [], 0.1)
        if not typed and (re.search(until, shown) or time.monotonic() >= end):
            os.write(fd, b"\x03")
            typed = True
        try:
            piece = os.read(fd, 65536) if ready else None
        except OSError:
            break
        if piece == b"":
            break
        shown += piece or b""
    os.close(fd)
    return os.waitpid(pid, 0)[1], shown.decode(errors="replace")


def fail(text, shown):
    sys.exit(f"FAILED: {text}: {shown!r}")


with tempfile.TemporaryDirectory() as tmp:
    os.chdir(tmp)
    trial = subprocess.run([sonde, "record", "-e", "cpu-clock:u", "-o", "trial", "true"], capture_output=True,
                           text=True)
    if trial.returncode != 0:
        print(f"skipped: nothing can be recorded here: {trial.stderr.strip()}")
        sys.exit(SKIP)
    if "Ctrl-C" in trial.stderr:
        fail("progress in a pipe", trial.stderr)
    kinds = {"perf": ["-e", "cpu-clock"]}
    if os.access(tracefs, os.W_OK):
        kinds["ftrace"] = ["--ftrace", "-e", "sched_switch"]
    if os.geteuid() != 0:
        kinds = {"perf": ["-e", "cpu-clock:u", "-p", str(os.getpid())]}
    for kind, words in kinds.items():
        status, shown = on_terminal(["record", "-o", kind, *words], PROGRESS + rb".*" + PROGRESS + rb".*" + PROGRESS)
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != 2:
            fail(f"ended with status {status} after Ctrl-C", shown)
        if not re.search(r"^recording; Ctrl-C ends(\r|$)", shown, re.M):
            fail("it does not say that it records", shown)
        if len(re.findall(PROGRESS.decode(), shown)) < 3:
            fail("there is no progress", shown)
        # binaries of other roots may be named before; losses may follow: a busy kernel stops events for a moment
        wakeups = r"\[ sonde record: Woken up [0-9]+ times? to write data \]\r\n" if kind == "perf" else ""
        end = r"\r *\r(sonde: [^\r]*\r\n)*" + wakeups + \
            r"\[ sonde record: Captured and wrote [^\r\n]*\]\r\n([^\r]*\r\n)*$"
        if not re.search(end, shown):
            fail("the line of the progress is left", shown)
        if subprocess.run([sonde, "check", kind], stdout=subprocess.DEVNULL).returncode != 0:
            fail("not a whole recording", kind)

        # the terminal is the command's
        status, shown = on_terminal(["record", "-o", kind, *words, "sh", "-c", "printf begin-; sleep 1.2; echo end"])
        if status != 0 or not all(s in shown for s in ("recording; Ctrl-C ends\r\n",
                                                       "begin-end")) or "recording for" in shown:
            fail("a command is recorded", shown)
        status, shown = on_terminal(["record", "-q", "-o", kind, *words, "sleep", "1"])
        if status != 0 or any("the kernel stopped" not in line and " lost: " not in line
                              for line in shown.splitlines()):
            fail("-q says something", shown)
