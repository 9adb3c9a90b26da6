# SPDX-License-Identifier: MIT
"""screen.py - a terminal of tmux for tests: keys are pressed, and screens awaited

A screen is awaited, not a moment: a loaded machine takes its time. Each screen that came is kept as a file in the
folder screens of the build: TEST-NUMBER-WHAT.txt.
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIP = 77
WAIT_S = 120
SCREENS = os.path.join(os.environ["SONDE_BUILD"], "screens")
TEST = os.path.splitext(os.path.basename(sys.argv[0]))[0]
sonde = os.environ["SONDE"]


def fail(what, text):
    print(f"FAILED: {what}: {text}")
    sys.exit(1)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


# Names of keys in the help, and what tmux calls them
NAMED = {"PgUp": "PageUp", "PgDn": "PageDown", "Esc": "Escape", "Shift-Tab": "BTab", "Ctrl-C": "C-c", "0-9": "1",
         **{name: name for name in ("Home", "End", "F1")}}
explained = set()            # keys of the helps that a test has asked for: it has to press each of them


def keys_of(keys, text):
    """The keys of a line of the help; its text may name more of them."""
    words = keys.split() + [word for word in re.findall(r"[\w-]+", text) if word in NAMED]
    return {NAMED.get(word, word) for word in words}


def help_lines(command, tests):
    """The lines of the help of a command's screen; @tests has each of its keys, and no other."""
    tables = subprocess.run([sonde, "help", "--tables"], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t")[2:] for line in tables.splitlines() if line.startswith(f"key\t{command}\t")]
    if [keys for keys, _ in rows] != list(tests):
        fail("the help", f"keys that are not tested, or not explained: {rows}")
    explained.update(*(keys_of(keys, text) for keys, text in rows))
    return "".join(f"{keys:8} {text}\n" for keys, text in rows)


class Terminal:
    """A window of tmux, which runs a shell command. Each has its own server: the one before may still be ending."""
    nr = 0
    nr_kept = 0
    pressed = set()

    def __init__(self, command, columns=100, rows=30, term="screen"):
        Terminal.nr += 1
        self.tmux = ["tmux", "-u", "-S", f"tmux{Terminal.nr}", "-f", "/dev/null"]
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR", "SONDE_THEME", "PAGER")}
        env["LC_ALL"] = "C.UTF-8"
        subprocess.run([*self.tmux, "new-session", "-d", "-s", "screen", "-x", str(columns), "-y", str(rows),
                        f"TERM={term}; export TERM; {command}"], check=True, env=env)

    def screen(self, colours=False):
        """The lines, without blanks at their ends and empty lines at the end."""
        text = subprocess.run([*self.tmux, "capture-pane", "-p", *["-e"] * colours, "-t", "screen"],
                              capture_output=True, text=True, check=False).stdout
        return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n") + "\n"

    @staticmethod
    def keep(what, screen):
        Terminal.nr_kept += 1
        words = re.sub(r"[^\w+-]+", "-", what, flags=re.ASCII).strip("-")
        with open(f"{SCREENS}/{TEST}-{Terminal.nr_kept:03}-{words}.txt", "w", encoding="utf-8") as f:
            f.write(screen)

    def wait(self, what, pattern, missing=None, colours=False):
        end = time.monotonic() + WAIT_S
        while True:
            screen = self.screen(colours)
            if re.search(pattern, screen, re.M) and not (missing and re.search(missing, screen, re.M)):
                self.keep(what, screen)
                return screen
            if time.monotonic() > end:
                fail(what, f"no {pattern!r}" + (f", or a {missing!r}" if missing else "") + f" in\n{screen}")
            time.sleep(0.05)

    def wait_for(self, what, lines):
        """A whole screen, as lines of text."""
        end = time.monotonic() + WAIT_S
        while (screen := self.screen()) != lines:
            if time.monotonic() > end:
                fail(what, f"expected\n{lines}found\n{screen}")
            time.sleep(0.05)
        self.keep(what, screen)

    def press(self, *keys, typed=None):
        """typed: a text after the keys, and Enter"""
        Terminal.pressed.update(keys)
        commands = [keys] * bool(keys) + ([] if typed is None else [("-l", "--", typed), ("Enter",)])
        words = [word for command in commands for word in (";", "send-keys", "-t", "screen", *command)]
        subprocess.run([*self.tmux, *words[1:]], check=True)

    def resize(self, columns, rows):
        subprocess.run([*self.tmux, "resize-window", "-t", "screen", "-x", str(columns), "-y", str(rows)], check=True)

    def processes(self):
        """The shell of the window, and what it runs now."""
        panes = subprocess.run([*self.tmux, "list-panes", "-s", "-t", "screen", "-F", "#{pane_pid}"],
                               capture_output=True, text=True, check=False).stdout.split()
        for stat in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(stat, encoding="utf-8", errors="replace") as f:
                    pid, parent = stat.split("/")[2], f.read().rsplit(")", 1)[1].split()[1]
            except OSError:
                continue     # it has ended
            if pid in panes or parent in panes:
                yield int(pid)

    def close(self):
        """
        A view that is still open is killed, not hung up on: then LeakSanitizer would look for leaks when the kernel
        continues the processes of the session, which ends the stop that it waits for. It waits for ever.
        """
        for pid in list(self.processes()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)


def run(main):
    """
    Calls main(open_terminal) in an empty folder, and ends with its exit status. open_terminal() has the parameters of
    Terminal, and closes the terminal before.
    """
    if not shutil.which("tmux"):
        skip("there is no tmux")
    tried = subprocess.run([sonde, "top", "--tui"], capture_output=True, text=True, check=False)
    if "without ncurses" in tried.stderr:
        skip("sonde was built without ncurses")
    os.makedirs(SCREENS, exist_ok=True)
    for old in glob.glob(f"{SCREENS}/{TEST}-*.txt"):
        os.remove(old)
    terminals = []

    def open_terminal(*args, **more):
        while terminals:
            terminals.pop().close()
        terminals.append(Terminal(*args, **more))
        return terminals[-1]

    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        try:
            status = main(open_terminal)
            if missing := explained - Terminal.pressed:
                fail("keys of the help that were never pressed", " ".join(sorted(missing)))
            sys.exit(status)
        finally:
            while terminals:
                terminals.pop().close()
