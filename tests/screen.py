# SPDX-License-Identifier: MIT
"""screen.py - a terminal of tmux for tests: keys are pressed, and screens awaited

A screen is awaited, not a moment: a loaded machine takes its time.
"""
import os
import re
import subprocess
import sys
import time

WAIT_S = 120


def fail(what, text):
    print(f"FAILED: {what}: {text}")
    sys.exit(1)


class Terminal:
    """A window of tmux, which runs a shell command. Each has its own server: the one before may still be ending."""
    nr = 0

    def __init__(self, command, columns=100, rows=30, term="screen", locale=None):
        Terminal.nr += 1
        self.tmux = ["tmux", "-u", "-S", f"tmux{Terminal.nr}", "-f", "/dev/null"]
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR", "SONDE_THEME", "PAGER")}
        if locale:
            env["LC_ALL"] = locale
        subprocess.run([*self.tmux, "new-session", "-d", "-s", "screen", "-x", str(columns), "-y", str(rows),
                        f"TERM={term}; export TERM; {command}"], check=True, env=env)

    def screen(self, colours=False):
        """The lines, without blanks at their ends and empty lines at the end."""
        text = subprocess.run([*self.tmux, "capture-pane", "-p", *["-e"] * colours, "-t", "screen"],
                              capture_output=True, text=True, check=False).stdout
        return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n") + "\n"

    def wait(self, what, pattern, missing=None, colours=False):
        end = time.monotonic() + WAIT_S
        while True:
            screen = self.screen(colours)
            if re.search(pattern, screen, re.M) and not (missing and re.search(missing, screen, re.M)):
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

    def press(self, *keys):
        subprocess.run([*self.tmux, "send-keys", "-t", "screen", *keys], check=True)

    def type(self, text):
        subprocess.run([*self.tmux, "send-keys", "-t", "screen", "-l", "--", text], check=True)

    def resize(self, columns, rows):
        subprocess.run([*self.tmux, "resize-window", "-t", "screen", "-x", str(columns), "-y", str(rows)], check=True)

    def close(self):
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)
