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
tracefs = "/sys/kernel/tracing/instances"


def on_terminal(words, seconds):
    """All that the terminal shows; Ctrl-C is typed after so many seconds (None: never)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sonde, [sonde, *words])
    shown = b""
    end = time.monotonic() + (seconds if seconds is not None else 60)
    typed = seconds is None
    while True:
        ready, _, _ = select.select([fd], [], [], 0.1)
        if not typed and time.monotonic() >= end:
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
    trial = subprocess.run([sonde, "record", "-e", "cpu-clock:u", "-o", "trial", "true"], capture_output=True, text=True)
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
        status, shown = on_terminal(["record", "-o", kind, *words], 2.5)
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != 2:
            fail(f"ended with status {status} after Ctrl-C", shown)
        if not re.search(r"^recording; Ctrl-C ends(\r|$)", shown, re.M):
            fail("it does not say that it records", shown)
        if len(re.findall(r"\rrecording for [0-9]+ s, [0-9]+\.[0-9] MB; Ctrl-C ends", shown)) < 3:
            fail("there is no progress", shown)
        # losses may follow: a busy kernel stops events for a moment
        if not re.search(r"\r *\r\[ sonde record: Captured and wrote [^\r\n]*\]\r\n(sonde: [^\r]*\r\n)*$", shown):
            fail("the line of the progress is left", shown)
        if subprocess.run([sonde, "check", kind], stdout=subprocess.DEVNULL).returncode != 0:
            fail("not a whole recording", kind)

        # the terminal is the command's
        status, shown = on_terminal(["record", "-o", kind, *words, "sh", "-c", "printf begin-; sleep 1.2; echo end"], None)
        if status != 0 or "recording; Ctrl-C ends\r\n" not in shown or "begin-end" not in shown or "recording for" in shown:
            fail("a command is recorded", shown)
        status, shown = on_terminal(["record", "-q", "-o", kind, *words, "sleep", "1"], None)
        if status != 0 or shown:
            fail("-q says something", shown)
