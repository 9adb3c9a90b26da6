#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""top_screen.py - `sonde top` on a terminal: each key of its help, sizes of the terminal, and its state afterwards

The keys of every table are tested with a recording, whose rows stay as they are: report_screen.py.
"""
import os
import re
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from screen import fail, help_lines, run, skip, sonde  # noqa: E402

PROGRAM = """
volatile unsigned long sum;
__attribute__((noinline)) void burn_most(void) { for (unsigned i = 0; i < 3000000; i++) sum += i; }
__attribute__((noinline)) void burn_some(void) { for (unsigned i = 0; i < 1000000; i++) sum += i; }
int main(void) { for (;;) { burn_most(); burn_some(); } }
"""


DELAY = 0.2                  # seconds between two screens
MOST = r"^[+-] +\d+\.\d\d% +\d+\.\d\d%  burn +\[\.\] burn_most *$"
SOME = r"^[+-] +\d+\.\d\d% +\d+\.\d\d%  burn +\[\.\] burn_some *$"
OPEN = r"^- +\d+\.\d\d% "
NODE = r"^ +[-+]? +\d+\.\d\d% [a-z_]"


def key_arrows(t):
    # Another row is open each time: the first one, the next one, the one before the last. The last one may be main,
    # which has no tree if it was sampled once.
    for keys in (["Home"], ["PageDown", "PageUp", "Down"], ["End", "Up"]):
        t.press(*keys)
        t.press("Enter")
        row = re.search(OPEN + ".*", t.wait(f"{keys}, Enter", OPEN), re.M).group()
        number = t.screen().count("\n- ")
        if number != 1 and re.search(OPEN, t.screen(), re.M):
            fail("Enter", f"{number} rows are open, one of them is {row}")
        t.press("Enter")
        t.wait("Enter again", MOST, missing=OPEN)


def opens(key):
    """The key opens the first row, and closes it."""
    def press(t):
        t.press("Home", key)
        t.wait(key, NODE)
        t.press(key)
        t.wait(f"{key} again", MOST, missing=OPEN)
    return press


def key_close(t):
    t.press("Home", "Enter")
    t.wait("Enter", NODE)
    t.press("Down", "-")         # the branch, then its row
    t.wait("-", r"^ +[+] +\d+\.\d\d% |^[+] .*burn_most")
    t.press("-")
    t.wait("- again", MOST, missing=OPEN)


def key_all(t):
    t.press("E")
    t.wait("E", NODE, missing=r"^[+] +\d+")
    t.press("C")
    t.wait("C", MOST, missing=OPEN)


def key_function(t):
    t.press("/", typed="burn_most")
    t.wait("one row", MOST, missing=SOME)
    t.press("Home", "f")
    t.wait("f", "function: burn_most", missing=SOME)
    for whose in ("callers", "callees"):
        t.wait("f", rf"^[+] +\d+\.\d\d% +\d+\.\d\d%  {whose} of burn_most$")
    t.press("Left")
    t.wait("Left", "name: burn_most", missing="function:")
    key_escape(t)


def key_turn(t):
    for whose in ("callers", "callees"):
        t.press("g")
        t.wait("g", f"trees go from a function to its {whose}$")


def key_children(t):
    t.press("c")
    t.wait("c", r"^  Overhead +Shared", missing="Children")
    t.press("c")
    t.wait("c again", r"^  Children +Self")


def key_name(t):
    t.press("/")
    t.wait("/", "^name: _")
    t.press(*"urn_so", "BSpace", typed="o")
    t.wait("a text", SOME, missing=MOST)
    t.wait("a text", "name: urn_so")
    t.press("/", "Escape")
    t.wait("/ Escape", "name: urn_so  by")
    key_escape(t)


def key_escape(t):
    t.press("Escape")
    t.wait("Escape", MOST, missing="name:|binary:|function:|command:|thread:")


def key_binary(t):
    t.press("/", typed="burn_most")
    t.wait("one row", MOST, missing=SOME)
    t.press("d")
    t.wait("d", "name: burn_most  binary: burn ")
    t.press("Escape")
    t.wait("Escape", "name: burn_most", missing="binary: ")
    key_escape(t)


def key_kernel(t):
    t.press("k")
    t.wait("k", r"binary: \[kernel.kallsyms\]", missing=MOST)
    key_escape(t)


def key_menu(t):
    t.press("Home", "m")
    t.wait("m", r"^  d      only the binary \S+$")
    t.press("k")
    t.wait("m k", r"binary: \[kernel.kallsyms\]")
    key_escape(t)


def key_names(t):
    t.press("V", "Home", "Enter")
    t.wait("V", r"^ +[-+]? +\d+\.\d\d% [a-z_]+  \S")
    t.press("V", "Enter")
    t.wait("V again", MOST, missing=OPEN)


def key_task(t):
    t.press("t")
    t.wait("t", "rows have no thread or command here")
    sort_by(t, "pid,sym")
    t.press("t")
    t.wait("t", r"thread: burn:\d+")
    t.press("Escape")
    t.wait("Escape", "by pid,sym", missing="thread: ")
    sort_by(t, "comm,dso,sym")
    t.press("t")
    t.wait("t", r"command: burn ")
    t.press("Escape")
    t.wait("Escape", "by comm,dso,sym", missing="command: ")
    sort_by(t, "dso,sym")
    t.wait("dso,sym", MOST)


def sort_by(t, keys):
    t.press("S")
    t.wait("S", "^sort by: ")
    t.press(*["BSpace"] * 20, typed=keys)
    t.wait("S", f"  by {keys}$")


def key_sort(t):
    for order in ("sym", "comm,dso,sym"):    # all of them: report_screen.py
        t.press("s")
        t.wait("s", f"  by {order} *$")
    sort_by(t, "dso,sym")
    t.wait("s", MOST)


def key_type_sort(t):
    sort_by(t, "sym")
    t.press("S", typed="x")
    t.wait("S", "there is no sort key 'symx'")
    t.press("S", typed=",time")
    t.wait("S", "samples were not gathered for these keys: start it with --sort")
    sort_by(t, "dso,sym")


def key_annotate(t):
    t.press("/", typed="burn_most")
    t.wait("one row", MOST, missing=SOME)
    t.press("Home", "a")
    t.wait("a", r"^burn_most  burn  \d+ samples?, ")
    t.press("q")
    t.wait("q", "name: burn_most", missing="^burn_most")
    key_escape(t)


def key_limit(t):
    t.press("L")
    t.wait("L", "^hide rows below")
    t.press("BSpace", typed="50")
    t.wait("L", "  from 50%$", missing=SOME)
    t.press("L", "BSpace", "BSpace", typed="x")
    t.wait("L", "'x' is no percentage")
    t.press("L", "BSpace", "BSpace", typed="0")
    t.wait("L", SOME, missing="  from ")


def key_share(t):
    for of in ("all samples", "the samples that pass the filters"):
        t.press("F")
        t.wait("F", f"percentages are of {of}$")


def key_titles(t):
    t.press("H")
    t.wait("H", MOST, missing="^  Children")
    t.press("H")
    t.wait("H again", "^  Children")


def key_event(t):
    for key in ("Tab", "BTab"):
        t.press(key)
        t.wait(key, "task-clock:u")
        t.wait(key, MOST)
        t.press(key)
        t.wait(f"{key} again", "cpu-clock:u", missing="task-clock:u")
        t.wait(f"{key} again", MOST)


def key_digit(t):
    t.press("1")
    t.wait("1 without a group", "there is no group of events to sort by$")


def hide(key, whom):
    def press(t):
        t.press(key)
        t.wait(key, f"samples of {whom} are left out")
        t.press(key)
        t.wait(f"{key} again", f"samples of {whom} are shown")
    return press


def key_zero(t):
    t.press("z")
    t.wait("z", "all samples are forgotten")
    t.wait("z", MOST)


def key_pause(t):
    t.press("Space")
    screen = t.wait("Space", "^PAUSED ")
    time.sleep(2.5 * DELAY)
    if t.screen() != screen:
        fail("Space", f"the screen changes:\n{screen}\n{t.screen()}")
    t.press("Space")
    t.wait("Space again", MOST, missing="PAUSED")


def key_write(t):
    for name, has in (("stacks.folded", "burn_most [0-9]+$"),
                      ("table.txt", r"^# Samples: .* of event 'cpu-clock:u'$")):
        t.press("w")
        t.wait("w", "^write to: _")
        t.press(typed=name)
        t.wait("w", f"^{name} is written")
        with open(name, encoding="utf-8") as f:
            if not re.search(has, f.read(), re.M):
                fail("w", f"{name} has no {has}")
    t.press("w", typed="nothing.xyz")
    t.wait("w", "^nothing.xyz: the name has to end in ")
    t.press("P", "Escape")
    t.wait("P Escape", "by dso,sym")


def key_help(t):
    for key in ("h", "?", "F1"):
        t.press(key)
        t.wait(key, "^sonde top: keys")
        t.press("x")
        t.wait("a key", MOST, missing="sonde top: keys")


KEYS = {"Up Down": key_arrows, "Enter +": opens("+"), "-": key_close, "e": opens("e"), "E": key_all, "C": key_all,
        "f": key_function, "g": key_turn, "c": key_children, "/": key_name, "t": key_task, "d": key_binary,
        "k": key_kernel, "Esc Left": key_function, "a": key_annotate, "m": key_menu, "V": key_names,
        "L": key_limit, "F": key_share, "s": key_sort, "S": key_type_sort, "Tab": key_event, "0-9": key_digit,
        "H": key_titles, "K": hide("K", "the kernel"), "U": hide("U", "user space"), "z": key_zero, "Space": key_pause,
        "w P": key_write, "h ?": key_help, "q": None}


def pid_of_top(parent):
    for pid in (int(p) for p in os.listdir("/proc") if p.isdigit()):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if words[:2] == [sonde.encode(), b"top"] and str(parent).encode() in words:
            return pid
    return None


def main(open_terminal):
    with open("burn.c", "w", encoding="utf-8") as source:
        source.write(PROGRAM)
    subprocess.run([*shlex.split(os.environ["CC"]), "-O1", "-g", "-fno-omit-frame-pointer", "-o", "burn", "burn.c"],
                   check=True)
    trial = subprocess.run([sonde, "record", "-q", "-p", str(os.getpid()), "-e", "cpu-clock:u", "-o", "trial", "true"],
                           capture_output=True, text=True, check=False)
    if trial.returncode:
        skip(f"tasks cannot be recorded here: {trial.stderr}")
    burn = subprocess.Popen(["./burn"])
    top = f"{shlex.quote(sonde)} top -e cpu-clock:u,task-clock:u -p {burn.pid} -d {DELAY} -g"
    try:
        every_key(open_terminal, top)
        groups(open_terminal, burn.pid)
        sizes(open_terminal, top)
        ends(open_terminal, top, burn)
    finally:
        burn.kill()
        burn.wait()
    return 0


def every_key(open_terminal, top):
    t = open_terminal(f"{top}; echo status $?; sleep 600", rows=40)
    screen = t.wait("the first rows", MOST)
    heading, titles = screen.splitlines()[:2]
    if not re.fullmatch(r"\d+/s kernel 0% lost \d+/\d+ drop \d+/\d+ cpu-clock:u", heading.strip()) or \
            not re.fullmatch(r"  Children +Self  Shared Object +Symbol", titles.rstrip()):
        fail("the head of the screen", screen)
    t.press("h")
    screen = t.wait("the help", "^q ")
    if not screen.startswith("sonde top: keys\n" + help_lines("top", KEYS)):
        fail("the help", screen)
    t.press("x")
    t.wait("a key after the help", MOST)
    for test in dict.fromkeys(filter(None, KEYS.values())):
        test(t)
    t.press("q")
    t.wait("q", "^status 0$")


def groups(open_terminal, pid):
    """Events of a group have columns side by side, and rows can be sorted by each of them."""
    top = f"{shlex.quote(sonde)} top -p {pid} -d {DELAY}"
    row = r"^ +\d+\.\d\d% +\d+\.\d\d%  burn +\[\.\] burn_most *$"
    for group in "--group -e cpu-clock:u,task-clock:u", "-e '{cpu-clock:u,task-clock:u}'":
        t = open_terminal(f"{top} {group}; echo status $?; sleep 600")
        t.wait(group, row)
        t.wait(group, r"^  Overhead +Overhead +Shared")
        t.press("2")
        t.wait("2", "the group has 2 events, from 0 to 1$")
        t.press("1")
        t.wait("1", row, missing="the group has")
        t.press("q")
        t.wait("q", "^status 0$")


def sizes(open_terminal, top):
    t = open_terminal(f"{top}; echo status $?; sleep 600", columns=40, rows=12)
    t.wait("40 columns", r"^\+ +\d+\.\d\d% +\d+\.\d\d%  \[\.\] burn_most")
    t.wait("40 columns", r"^\d+/s kernel 0% lost \d+/\d+ drop ")
    t.press("h")
    t.wait("help in 12 rows", "^Down: more")
    t.press(*["PageDown"] * 5)
    t.wait("its end", "^q +quit")
    t.press("x")
    t.resize(120, 20)
    t.wait("120 columns", MOST)
    t.wait("120 columns: full heading", r" irqs/sec  kernel: 0\.0%  exact: ")
    t.resize(20, 3)
    t.wait("20 columns", "h help  q quit")
    t.resize(80, 24)
    t.wait("80 columns", MOST)
    t.press("C-c")
    t.wait("Ctrl-C", "^status 0$")
    t = open_terminal(f"{top}; echo status $?; sleep 600", term="dumb")
    t.wait("a dumb terminal", r"^ +\d+\.\d\d% +\d+\.\d\d%  burn ")
    t.press("C-c")
    t.wait("Ctrl-C of text", "^status 0$")


def ends(open_terminal, top, burn):
    """The terminal is as before, whatever ended the command."""
    after = "echo status $?; stty -a; sleep 600"
    for sig in (signal.SIGTERM, signal.SIGHUP) + ((signal.SIGSEGV,) if os.environ["SONDE_SANITIZE"] == "none" else ()):
        t = open_terminal(f"{top}; {after}")
        t.wait(sig.name, MOST)
        os.kill(pid_of_top(burn.pid), sig)
        screen = t.wait(sig.name, "^status (0|139)$")
        t.wait(sig.name, r"[; ]icanon\b.*")
        t.wait(sig.name, r"(^| )echo\b")
        if "burn_most" in screen:
            fail(sig.name, f"the screen has not been left:\n{screen}")
    # stopped and continued, by a shell with job control
    t = open_terminal("exec sh -mc " + shlex.quote(f"{top}; echo first $?; read enter; fg; {after}"))
    t.wait("in a job", MOST)
    t.press("C-z")
    t.wait("Ctrl-Z", r"^first 1\d\d")
    t.press("Enter")                 # keys that are typed before the screen is drawn again are forgotten
    t.wait("fg after Ctrl-Z", MOST, missing="first")
    t.press("q")
    t.wait("q after Ctrl-Z", "^status 0$")
    # the tasks have ended: the rows stay
    t = open_terminal(f"{top}; {after}")
    t.wait("the tasks", MOST)
    burn.kill()
    t.wait("the tasks have ended", "^ended  h help")
    t.wait("the tasks have ended", MOST)
    t.press("q")
    t.wait("q at the end", "^status 0$")


run(main)
