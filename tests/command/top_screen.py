#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""top_screen.py - `sonde top` on a terminal: each key of its help, sizes of the terminal, and its state afterwards

tmux is the terminal. A screen is awaited, not a moment: a loaded machine takes its time.
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
WAIT_S = 120
sonde = os.environ["SONDE"]
PROGRAM = """
volatile unsigned long sum;
__attribute__((noinline)) void burn_most(void) { for (unsigned i = 0; i < 3000000; i++) sum += i; }
__attribute__((noinline)) void burn_some(void) { for (unsigned i = 0; i < 1000000; i++) sum += i; }
int main(void) { for (;;) { burn_most(); burn_some(); } }
"""


class Terminal:
    """A window of tmux, which runs a shell command. Each has its own server: the one before may still be ending."""
    nr = 0

    def __init__(self, command, columns=100, rows=30, term="screen"):
        Terminal.nr += 1
        self.tmux = ["tmux", "-S", f"tmux{Terminal.nr}", "-f", "/dev/null"]
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR")}
        subprocess.run([*self.tmux, "new-session", "-d", "-s", "top", "-x", str(columns), "-y", str(rows),
                        f"TERM={term}; export TERM; {command}"], check=True, env=env)

    def screen(self):
        return subprocess.run([*self.tmux, "capture-pane", "-p", "-t", "top"], capture_output=True, text=True,
                              check=False).stdout

    def wait(self, what, pattern, missing=None):
        end = time.monotonic() + WAIT_S
        while True:
            screen = self.screen()
            if re.search(pattern, screen, re.M) and not (missing and re.search(missing, screen, re.M)):
                return screen
            if time.monotonic() > end:
                fail(what, f"no {pattern!r}" + (f", or a {missing!r}" if missing else "") + f" in\n{screen}")
            time.sleep(0.05)

    def press(self, *keys):
        subprocess.run([*self.tmux, "send-keys", "-t", "top", *keys], check=True)

    def type(self, text):
        subprocess.run([*self.tmux, "send-keys", "-t", "top", "-l", text], check=True)

    def resize(self, columns, rows):
        subprocess.run([*self.tmux, "resize-window", "-t", "top", "-x", str(columns), "-y", str(rows)], check=True)

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)


def fail(what, text):
    print(f"FAILED: {what}: {text}")
    sys.exit(1)


MOST = r"^[+-] +\d+\.\d\d% +\d+\.\d\d%  burn +\[\.\] burn_most *$"
SOME = r"^[+-] +\d+\.\d\d% +\d+\.\d\d%  burn +\[\.\] burn_some *$"
OPEN = r"^- +\d+\.\d\d% "


def key_arrows(t):
    # another row is open each time: the first one, the next one, the last one, and the first one again
    for keys in (["Home"], ["Down"], ["End"], ["PageUp"], ["Down", "Up"], ["PageDown", "Home"]):
        t.press(*keys)
        t.press("Enter")
        row = re.search(OPEN + ".*", t.wait(f"{keys}, Enter", OPEN), re.M).group()
        number = t.screen().count("\n- ")
        if number != 1 and re.search(OPEN, t.screen(), re.M):
            fail("Enter", f"{number} rows are open, one of them is {row}")
        t.press("Enter")
        t.wait("Enter again", MOST, missing=OPEN)


def key_open(t):
    t.press("Home", "+")
    t.wait("+", r"-{2,3}[a-z_0-9.%-]*burn_most|[|-]--\d+\.\d\d%--burn_most")
    t.press("+")
    t.wait("+ again", MOST, missing=OPEN)


def key_filter(t):
    t.press("/")
    t.wait("/", "^function: _")
    t.type("urn_so")
    t.press("BSpace", "o", "Enter")
    t.wait("a text", SOME, missing=MOST)
    t.wait("a text", "function: urn_so")
    t.press("/", "Escape")
    t.wait("/ Escape", "function: urn_so  by")
    key_escape(t)


def key_escape(t):
    t.press("Escape")
    t.wait("Escape", MOST, missing="function:|binary:")


def key_binary(t):
    t.press("Home", "/")
    t.type("burn_most")
    t.press("Enter")
    t.wait("one row", MOST, missing=SOME)
    t.press("d")
    t.wait("d", "binary: burn ")
    key_escape(t)
    t.press("Home", "d")
    t.wait("d", "binary: ")
    t.press("d")
    t.wait("d again", MOST, missing="binary:")


def key_sort(t):
    for order in ("sym", "comm,dso,sym", "comm", "dso", "dso,sym"):
        t.press("s")
        t.wait("s", f"  by {order} *$")
    t.wait("s", MOST)


def split(key, order, title):
    def press(t):
        t.press(key)
        t.wait(key, f"  by {order},dso,sym *$")
        t.wait(key, f"^  Children +Self .*{title}")
        t.press(key)
        t.wait(f"{key} again", "  by dso,sym *$")
        t.wait(f"{key} again", MOST)
    return press


def key_event(t):
    t.press("e")
    t.wait("e", "task-clock:u")
    t.wait("e", MOST)
    t.press("e")
    t.wait("e again", "cpu-clock:u", missing="task-clock:u")
    t.wait("e again", MOST)


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
    time.sleep(1)
    if t.screen() != screen:
        fail("Space", f"the screen changes:\n{screen}\n{t.screen()}")
    t.press("Space")
    t.wait("Space again", MOST, missing="PAUSED")


def key_write(t):
    for name, has in (("page.html", "burn_most"), ("stacks.folded", "burn_most [0-9]+$"),
                      ("table.txt", r"^# Samples: .* of event 'cpu-clock:u'$"), ("report.json", '"burn_most"')):
        t.press("w")
        t.wait("w", "^write to: _")
        t.type(name)
        t.press("Enter")
        t.wait("w", f"^{name} is written")
        with open(name, encoding="utf-8") as f:
            if not re.search(has, f.read(), re.M):
                fail("w", f"{name} has no {has}")
    t.press("w")
    t.type("nothing.xyz")
    t.press("Enter")
    t.wait("w", "^nothing.xyz: the name has to end in ")
    t.press("w", "Escape")
    t.wait("w Escape", "by dso,sym")


def key_help(t):
    for key in ("h", "?", "F1"):
        t.press(key)
        t.wait(key, "^sonde top: keys")
        t.press("x")
        t.wait("a key", MOST, missing="sonde top: keys")


KEYS = {"Up Down": key_arrows, "Enter +": key_open, "/": key_filter, "d": key_binary, "Esc": key_escape,
        "s": key_sort, "t": split("t", "pid", "Pid:Command"), "p": split("p", "tgid", "Tgid"),
        "c": split("c", "cpu", "CPU"), "e": key_event, "K": hide("K", "the kernel"), "U": hide("U", "user space"),
        "z": key_zero, "Space": key_pause, "w": key_write, "h ?": key_help, "q": None}
HELP = """sonde top: keys
Up Down  select a row; PgUp, PgDn, Home, End
Enter +  open or close the row's call graph
/        functions with a text in the name
d        the row's binary only; again: all
Esc      all rows again
s        next sort keys
t        split by thread; again: as before
p        split by process
c        split by CPU
e        next event
K        hide or show the kernel
U        hide or show user space
z        forget all samples now
Space    pause; again: go on
w        write .html, .folded, .json, .txt
h ?      this help
q        quit
"""


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


def main():
    subprocess.run([*shlex.split(os.environ["CC"]), "-O1", "-g", "-fno-omit-frame-pointer", "-o", "burn", "burn.c"],
                   check=True)
    trial = subprocess.run([sonde, "record", "-q", "-p", str(os.getpid()), "-e", "cpu-clock:u", "-o", "trial", "true"],
                           capture_output=True, text=True, check=False)
    if trial.returncode:
        print(f"skipped: tasks cannot be recorded here: {trial.stderr}")
        return SKIP
    burn = subprocess.Popen(["./burn"])
    top = f"{shlex.quote(sonde)} top -e cpu-clock:u,task-clock:u -p {burn.pid} -d 0.3 -g"
    terminals = []

    def open_terminal(*args, **more):
        while terminals:
            terminals.pop().close()
        terminals.append(Terminal(*args, **more))
        return terminals[-1]

    try:
        every_key(open_terminal, top)
        sizes(open_terminal, top)
        ends(open_terminal, top, burn)
    finally:
        burn.kill()
        burn.wait()
        while terminals:
            terminals.pop().close()
    return 0


def every_key(open_terminal, top):
    t = open_terminal(f"{top}; echo status $?; sleep 600")
    screen = t.wait("the first rows", MOST)
    heading, titles = screen.splitlines()[:2]
    if not re.fullmatch(r"\d+/s kernel 0% lost \d+/\d+ drop \d+/\d+ cpu-clock:u", heading.strip()) or \
            not re.fullmatch(r"  Children +Self  Shared Object +Symbol", titles.rstrip()):
        fail("the head of the screen", screen)
    t.press("h")
    screen = t.wait("the help", "^q ")
    if not "\n".join(line.rstrip() for line in screen.splitlines()).startswith(HELP):
        fail("the help", screen)
    keys = {line[:8].strip() for line in HELP.splitlines()[1:]}
    if keys != set(KEYS):
        fail("the help", f"keys that are not tested, or not explained: {keys ^ set(KEYS)}")
    t.press("x")
    t.wait("a key after the help", MOST)
    for key, test in KEYS.items():
        if test:
            test(t)
    t.press("q")
    t.wait("q", "^status 0$")


def sizes(open_terminal, top):
    t = open_terminal(f"{top}; echo status $?; sleep 600", columns=40, rows=12)
    t.wait("40 columns", r"^\+ +\d+\.\d\d% +\d+\.\d\d%  \[\.\] burn_most")
    t.wait("40 columns", r"^\d+/s kernel 0% lost \d+/\d+ drop ")
    t.press("h")
    t.wait("help in 12 rows", "press a key for more")
    t.press("x")
    t.wait("its second page", "^q +quit")
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
    t = open_terminal("exec sh -mc " + shlex.quote(f"{top}; echo first $?; fg; {after}"))
    t.wait("in a job", MOST)
    t.press("C-z")
    t.wait("fg after Ctrl-Z", MOST, missing="first")
    t.press("q")
    t.wait("Ctrl-Z", r"^first 1\d\d")
    t.wait("q after Ctrl-Z", "^status 0$")
    # the tasks have ended: the rows stay
    t = open_terminal(f"{top}; {after}")
    t.wait("the tasks", MOST)
    burn.kill()
    t.wait("the tasks have ended", "^ended  h help")
    t.wait("the tasks have ended", MOST)
    t.press("q")
    t.wait("q at the end", "^status 0$")


if not shutil.which("tmux"):
    print("skipped: there is no tmux")
    sys.exit(SKIP)
if "without ncurses" in subprocess.run([sonde, "top", "--tui"], capture_output=True, text=True, check=False).stderr:
    print("skipped: sonde was built without ncurses")
    sys.exit(SKIP)
with tempfile.TemporaryDirectory() as tmp:
    os.chdir(tmp)
    with open("burn.c", "w", encoding="utf-8") as source:
        source.write(PROGRAM)
    sys.exit(main())
