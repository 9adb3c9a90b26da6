#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terminal_gone.py - a screen ends when its terminal is gone, or refuses its reads: it does not wait for ever"""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd  # noqa: E402

SKIP, WAIT_S = 77, 60
STATES = {"the rows": b"", "the help": b"h", "a question": b"/x", "the menu": b"m"}
# The kernel continues (SIGCONT) what it hangs up. That discards the SIGSTOP by which the leak sanitizer stops a process
# at its end, so the sanitizer would wait for ever.
NO_LEAK_CHECK = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
sonde = os.environ["SONDE"]
bad = []


def lead(command, ignore_hangup, held):
    """
    Leads the terminal's session, and starts the command in the foreground. Its parent ends, so nobody could continue
    it: in the background its reads fail. SIGUSR1 takes the foreground.
    """
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, lambda *_: os.tcsetpgrp(0, os.getpgrp()))
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN if ignore_hangup else signal.SIG_DFL)
        os.execvpe(command[0], command, {**os.environ, **NO_LEAK_CHECK, "TERM": "screen"})
    os.close(held)
    os.wait()
    while True:
        signal.pause()


def read_screen(master, seconds):
    """What is shown until nothing came for so long; empty at the end."""
    if not select.select([master], [], [], seconds)[0]:
        return b""
    try:
        return os.read(master, 65536)
    except OSError:                  # nobody has the terminal open any more
        return b""


def has_ended(alive, master):
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if select.select([alive], [], [], 0.1)[0]:
            return True
        if master is not None:
            read_screen(master, 0)
    return False


def leave_alone(command, keys, ignore_hangup=False, hang_up=False):
    """Whether the command ends after the terminal was closed, or after a key that is not for it in the background."""
    alive, held = os.pipe()
    os.set_inheritable(held, True)
    leader, master = pty.fork()
    if leader == 0:
        lead(command, ignore_hangup, held)
    os.close(held)
    shown = b""
    while b"q quit" not in shown:
        more = read_screen(master, WAIT_S)
        if not more:
            sys.exit(f"FAILED: {command}: no screen: {shown}")
        shown += more
    for key in keys:
        os.write(master, bytes([key]))
        read_screen(master, WAIT_S)
    if hang_up:
        os.close(master)
    else:
        os.kill(leader, signal.SIGUSR1)
        while os.tcgetpgrp(master) != leader:
            time.sleep(0.01)
        os.write(master, b"j")
    ended = has_ended(alive, None if hang_up else master)
    os.kill(leader, signal.SIGKILL)
    os.waitpid(leader, 0)
    if not hang_up:
        os.close(master)
    os.close(alive)
    return ended


def try_all(name, command, states):
    for state in states:
        keys = STATES[state]
        if not leave_alone(command, keys, hang_up=True):
            bad.append(f"{name}: {state}: the terminal is closed")
        if not leave_alone(command, keys, ignore_hangup=True, hang_up=True):
            bad.append(f"{name}: {state}: the terminal is closed, and SIGHUP ignored")
        if not leave_alone(command, keys):
            bad.append(f"{name}: {state}: reads are refused")


def main():
    tried = subprocess.run([sonde, "top", "--tui"], capture_output=True, text=True, check=False)
    if "without ncurses" in tried.stderr:
        print("skipped: sonde was built without ncurses")
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "made.data")
        with open(path, "wb") as f:
            f.write(pd.make(pd.comm("prog") + pd.mmap(0x10000, 0x10000, "/none/prog") + pd.sample(0x10010)))
        try_all("report", [sonde, "report", "--tui", "-i", path], STATES)
    own = str(os.getpid())
    if subprocess.run([sonde, "record", "-o", os.devnull, "-p", own, "--", "true"], capture_output=True,
                      check=False).returncode == 0:
        try_all("top", [sonde, "top", "--tui", "-p", own], ["the rows", "the help"])
    print("\n".join(["screens whose terminal is gone:", *bad]) if bad else "every screen ended")
    sys.exit(bool(bad))


main()
