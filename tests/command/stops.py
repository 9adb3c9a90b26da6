#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stops.py: each signal that asks a command to end does so soon, and nothing of the run is left behind

Recorders, counters and views, by each of SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE: no process, probe, tracing
instance or temporary file stays. A recording can be read. What SIGKILL leaves, the next recorder removes and says so.
"""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

SOURCE = os.environ["SONDE_SOURCE"]
sonde = os.environ["SONDE"]
TRACEFS = "/sys/kernel/tracing"
# An idle machine needs 0.2 s. A wait of a second or more in the way shows in the quickest of TRIALS.
BOUND, TRIALS = 0.9, 8
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
LOOP = ["sh", "-c", "while :; do :; done"]
CLOCK = ["-e", "cpu-clock", "-F", "999"]
PROBE = f"uprobe:{sonde}:main"


class Wrong(Exception):
    """A test that failed."""


# name: words, the file that is read afterwards, whether it needs tracefs, whether it is on a terminal
COMMANDS = {
    "record": (["record", *CLOCK, "-o", "o.data", "--", *LOOP], "o.data", False, False),
    "record -a": (["record", *CLOCK, "-a", "-g", "-o", "o.data"], "o.data", False, False),
    "record -p": (["record", *CLOCK, "-p", str(os.getpid()), "-o", "o.data"], "o.data", False, False),
    "record dwarf": (["record", *CLOCK, "--call-graph", "dwarf", "-o", "o.data", "--", *LOOP], "o.data", False, False),
    "record --threads": (["record", *CLOCK, "-a", "--threads", "-o", "o.data"], "o.data", False, False),
    "record --off-cpu": (["record", *CLOCK, "-a", "--off-cpu", "-g", "-o", "o.data"], "o.data", True, False),
    "record -z": (["record", *CLOCK, "-a", "-z", "-o", "o.data"], "o.data", False, False),
    "record --export": (["record", *CLOCK, "-a", "--switch-output=1s", "--export", "parquet:set", "-o", "o.data"], None,
                        False, False),
    "record --buildid-cache": (["record", *CLOCK, "-a", "--buildid-cache=copies", "-o", "o.data"], "o.data", False,
                               False),
    "record probe": (["record", "-e", PROBE, "-a", "-o", "o.data"], "o.data", True, False),
    "record --ftrace": (["record", "--ftrace", "-e", "sched", "-o", "o.dat", "--", *LOOP], "o.dat", True, False),
    "record --ftrace probe": (["record", "--ftrace", "-e", PROBE, "-o", "o.dat"], "o.dat", True, False),
    "record both": (["record", "--ftrace", "-e", "sched", "-e", "cpu-clock", "-o", "o.dat"], "o.dat", True, False),
    "stat": (["stat", "--", *LOOP], None, False, False),
    "stat -I": (["stat", "-I", "5000", "-a"], None, False, False),
    "stat record": (["stat", "record", "-a", "-o", "o.data"], "o.data", False, False),
    "top": (["top", "--stdio", "-d", "1", "-e", "cpu-clock"], None, False, False),
    "top -d 30": (["top", "--stdio", "-d", "30", "-e", "cpu-clock"], None, False, False),
    "top -g": (["top", "--stdio", "-g", "-d", "1", "-e", "cpu-clock"], None, False, False),
    "top dwarf": (["top", "--stdio", "--call-graph", "dwarf", "-d", "1", "-e", "cpu-clock"], None, False, False),
    "top probe": (["top", "--stdio", "-e", PROBE], None, True, False),
    "top on a screen": (["top", "-e", "cpu-clock"], None, False, True),
    "report on a screen": (["report", "-i", "perf.data"], None, False, True),
    "view": (["view", "--no-browser", "perf.data"], None, False, False),
    "script of a pipe": (["script", "-i", "fifo"], None, False, False),
    "export of a pipe": (["export", "--to", "ctf", "-o", "ctf", "-i", "fifo"], None, False, False),
    "sql of a pipe": (["sql", "-i", "fifo", "select 1"], None, False, False),
}


def run(*words, **more):
    return subprocess.run([sonde, *words], capture_output=True, text=True, errors="replace", timeout=600,
                          stdin=subprocess.DEVNULL, check=False, **more)


def in_kernel(pid):
    """Probes and tracing instances of a process."""
    try:
        with open(f"{TRACEFS}/uprobe_events", encoding="ascii", errors="replace") as f:
            found = [line.strip() for line in f if f"sonde_{pid}_" in line]
        return found + [name for name in os.listdir(f"{TRACEFS}/instances") if name.startswith(f"sonde-{pid}-")]
    except OSError:
        return []


def processes(session):
    """The processes of a session that have not ended."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
                fields = f.read().rpartition(")")[2].split()
            if name.isdigit() and int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(name))
        except (OSError, IndexError):
            pass
    return found


def wait_until(what, fact):
    end = time.monotonic() + 120
    while not fact():
        if time.monotonic() > end:
            raise Wrong(f"it has not come to this: {what}")
        time.sleep(0.02)


def catches(pid):
    """Whether the process has set a handler for SIGTERM, or blocks it for a descriptor."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
            masks = [int(line.split()[1], 16) for line in f if line.startswith(("SigCgt", "SigBlk"))]
        return any(mask >> (signal.SIGTERM - 1) & 1 for mask in masks)
    except OSError:
        return False


def drain(master):
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        pass


class Running:
    """A command that runs in a folder of its own."""

    def __init__(self, words, folder, screen):
        self.master = self.terminal = None
        os.mkdir(os.path.join(folder, "tmp"))
        os.mkfifo(os.path.join(folder, "fifo"))
        env = {**os.environ, "TERM": "xterm", "TMPDIR": os.path.join(folder, "tmp"), "PAGER": "cat"}
        self.said = open(os.path.join(folder, "said"), "w+", encoding="utf-8", errors="replace")
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": self.said}
        if screen:
            self.master, self.terminal = pty.openpty()
            fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            streams = dict.fromkeys(("stdin", "stdout", "stderr"), self.terminal)
            threading.Thread(target=drain, args=(self.master,), daemon=True).start()
        # a pipe that stays open: the command waits for the rest of its input
        self.fifo = os.open(os.path.join(folder, "fifo"), os.O_RDWR)
        with open("perf.data", "rb") as f:
            os.write(self.fifo, f.read(16384))
        os.link("perf.data", os.path.join(folder, "perf.data"))
        self.process = subprocess.Popen([sonde, *words], cwd=folder, env=env, start_new_session=True, **streams)

    def close(self):
        for fd in (self.fifo, self.master, self.terminal):
            if fd is not None:
                os.close(fd)
        for pid in processes(self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.said.close()


def begin(name, folder):
    """The command, once it is at work."""
    words, output, _, screen = COMMANDS[name]
    running = Running(words, folder, screen)
    pid = running.process.pid

    def at_work():
        if running.process.poll() is not None:
            raise Wrong(f"{name} has ended with {running.process.returncode}: "
                        + open(os.path.join(folder, "said"), encoding="utf-8", errors="replace").read())
        if "pipe" not in name and not catches(pid):
            return False
        return not output or words[0] == "stat" or os.path.exists(os.path.join(folder, output))
    wait_until(f"{name} is at work", at_work)
    # enough work that there is something to leave out
    time.sleep(1.2 if name.startswith("top") else 0.3)
    return running


def stop_once(name, sig):
    """Seconds until the command has ended."""
    output = COMMANDS[name][1]
    with tempfile.TemporaryDirectory(dir=".") as folder:
        running = begin(name, folder)
        try:
            pid = running.process.pid
            sent = time.monotonic()
            running.process.send_signal(sig)
            try:
                running.process.wait(60)
            except subprocess.TimeoutExpired:
                raise Wrong(f"{name}: {sig.name} does not end it") from None
            took = time.monotonic() - sent
            left = in_kernel(pid)
            if left:
                raise Wrong(f"{name}: {sig.name} leaves {left}")
            wait_until(f"{name}: the other processes end after {sig.name}", lambda: not processes(pid))
            made = {"o.data", "o.dat", "copies", "set"}
            files = {f for f in os.listdir(folder) if f.split(".2")[0] not in made}
            files |= {f"tmp/{f}" for f in os.listdir(os.path.join(folder, "tmp"))}
            if files - {"tmp", "fifo", "perf.data", "said"}:
                raise Wrong(f"{name}: {sig.name} leaves {sorted(files)}")
            if output and run("check", os.path.join(folder, output)).returncode != 0:
                raise Wrong(f"{name}: the file is broken after {sig.name}")
        finally:
            running.close()
    return took


def check_stop(name, sig):
    took = []
    while not took or (min(took) > BOUND and len(took) < TRIALS):
        took.append(stop_once(name, sig))
    if min(took) > BOUND:
        raise Wrong(f"{name}: {sig.name} ends it after {min(took):.2f} seconds at best, of {len(took)} trials")
    return min(took)


def check_killed():
    """What a killed process leaves in the kernel is removed by the next recorder, which says so."""
    for name in ("top probe", "record --ftrace probe"):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            running = begin(name, folder)
            pid = running.process.pid
            if not in_kernel(pid):
                raise Wrong(f"{name} has nothing in the kernel while it runs")
            running.process.kill()
            running.close()
            words = COMMANDS[name][0]
            words = [*words, "-o", os.path.join(folder, "next"), "true"] if words[0] == "record" else \
                ["record", "-e", PROBE, "-o", os.path.join(folder, "next"), "true"]
            said = run(*words).stderr
            wait_until(f"what {name} has left is removed", lambda: not in_kernel(pid))
            if "that a killed recorder had left" not in said:
                print(f"{name}: another recorder was faster to remove what was left: {said}")


def main():
    r = run("record", *CLOCK, "-g", "-o", "perf.data", sonde, "version")
    if r.returncode != 0:
        print(f"skipped: nothing can be recorded here: {r.stderr}")
        return 77
    has_tracefs = os.access(f"{TRACEFS}/instances", os.W_OK) and os.access(f"{TRACEFS}/uprobe_events", os.W_OK)
    wanted = sys.argv[1:]
    # a shell's job in the background ignores some of them, and commands would as well
    for sig in SIGNALS:
        if sig != signal.SIGPIPE and signal.getsignal(sig) == signal.SIG_IGN:
            signal.signal(sig, signal.SIG_DFL)
    for name, (_, _, needs_tracefs, _) in COMMANDS.items():
        if (needs_tracefs and not has_tracefs) or (wanted and name not in wanted):
            continue
        took = [check_stop(name, sig) for sig in SIGNALS]
        print(f"{name:24}" + "".join(f" {sig.name[3:]} {s:.3f}" for sig, s in zip(SIGNALS, took)), flush=True)
    if not has_tracefs:
        print("without tracefs: neither tracepoints nor probes")
    elif not wanted:
        check_killed()
    return 0


try:
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        sys.exit(main())
except Wrong as wrong:
    print(f"FAIL: {wrong}")
    sys.exit(1)
