#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""complete.py: bash, zsh and fish, on a terminal of their own, complete command lines of sonde.

A key is sent as a user would press it; then the line that the shell has made of it is printed by the shell itself.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

SKIP = 77
sonde = os.environ["SONDE"]
sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import shipped_data  # noqa: E402


# What is typed before the key, and what the line is then, without a blank at its end.
LINES = [
    ("sonde expo", "sonde export"),
    ("sonde export --to fol", "sonde export --to folded"),
    ("sonde export --to=fol", "sonde export --to=folded"),
    ("sonde convert --endian=b", "sonde convert --endian=big"),
    ("sonde info --cou", "sonde info --count"),
    ("sonde script -F comm,symo", "sonde script -F comm,symoff"),
    ("sonde script -F +perio", "sonde script -F +period"),
    ("sonde report --sort comm,eve", "sonde report --sort comm,event"),
    ("sonde record -e task-cl", "sonde record -e task-clock"),
    ("sonde record --call-graph dw", "sonde record --call-graph dwarf"),
    ("sonde record --clockid bo", "sonde record --clockid boottime"),
    ("sonde report -i only-f", "sonde report -i only-file"),
    ("sonde report --input=only-f", "sonde report --input=only-file"),
    ("sonde info only-f", "sonde info only-file"),
    ("sonde report --symfs only-d", "sonde report --symfs only-dir/"),
    ("sonde help repo", "sonde help report"),
    ("sonde help --completion fi", "sonde help --completion fish"),
    ("sonde record -- only-prog", "sonde record -- only-program"),
    ("sonde --no-p", "sonde --no-pager"),
    # perf.data is here
    ("sonde report -i perf.data --event sched:sched_sw", "sonde report -i perf.data --event sched:sched_switch"),
    ("sonde cut --event=sched:sched_process_f", "sonde cut --event=sched:sched_process_fork"),
]
TRACEPOINT_LINE = ("sonde record -e sched:sched_swit", "sonde record -e sched:sched_switch")


class Shell:
    """A shell on a terminal; its prompt is "READY> "."""

    def __init__(self, argv, env, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(argv[0], argv, env)

    def read_until(self, pattern, seconds=20):
        text = ""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not re.search(pattern, text):
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    text += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    break
        return text

    def quiet(self, seconds=0.4):
        """Reads until nothing has come for so long."""
        while select.select([self.fd], [], [], seconds)[0]:
            try:
                os.read(self.fd, 65536)
            except OSError:
                return

    def send(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        self.send("\x03\nexit\n")
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def completed(shell, typed, wanted):
    """The line after the key. It may take a moment: with more patience, if it is not what is wanted."""
    got = None
    for wait in (0, 0.2, 1, 4):
        shell.send("\x15" + typed + "\t")
        if wait:
            shell.quiet(wait)
        shell.send("\x01printf '\\133\\133%s]]' '\x05'\n")
        text = shell.read_until(r"\[\[[^\]]*\]\]")
        found = re.findall(r"\[\[([^\]]*)\]\]", text)
        got = found[-1].rstrip() if found else text[-200:]
        shell.quiet(0.05)
        if got == wanted:
            break
    return got


def check(name, argv, env, folder, setup, lines):
    shell = Shell(argv, env, folder)
    shell.quiet(1)
    for line in setup:
        shell.send(line + "\n")
        shell.quiet(0.6)
    bad = 0
    for typed, wanted in lines:
        got = completed(shell, typed, wanted)
        if got != wanted:
            print(f"FAILED: {name}: '{typed}' became '{got}', expected '{wanted}'")
            bad += 1
    shell.end()
    print(f"{name}: {len(lines) - bad} of {len(lines)} lines completed")
    return bad


def prepare(folder):
    """What there is to be completed; only-program is in PATH."""
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(os.path.realpath(sonde), os.path.join(folder, "bin", "sonde"))
    os.mkdir(os.path.join(folder, "only-dir"))
    open(os.path.join(folder, "only-file"), "w", encoding="utf-8").close()
    with open(os.path.join(folder, "bin", "only-program"), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n")
    os.chmod(os.path.join(folder, "bin", "only-program"), 0o755)
    for shell in ("bash", "zsh", "fish"):
        script = subprocess.run([sonde, "help", "--completion", shell], capture_output=True, check=True).stdout
        with open(os.path.join(folder, "bin", f"script.{shell}"), "wb") as f:
            f.write(script)


def main():
    lines = list(LINES)
    bad = 0
    missing = [s for s in ("bash", "zsh", "fish") if not shutil.which(s)]
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        shipped_data.put("tracepoints.data", os.path.join(folder, "perf.data"))
        if os.path.exists("/sys/kernel/tracing/events/sched/sched_switch/id"):
            lines.append(TRACEPOINT_LINE)
        env = {"PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "HOME": folder, "TERM": "xterm",
               "PS1": "READY> ",
               "COLUMNS": "200", "LINES": "50", "LC_ALL": "C.UTF-8", "HISTFILE": ""}
        if "bash" not in missing:
            bad += check("bash", ["bash", "--norc", "--noprofile", "-i"], env, folder,
                         ["bind 'set show-all-if-ambiguous off'", ". bin/script.bash", "stty cols 200"], lines)
        if "zsh" not in missing:
            bad += check("zsh", ["zsh", "-f", "-i"], env, folder,
                         ["stty cols 200", "unsetopt auto_remove_slash auto_menu",
                          "autoload -Uz compinit; compinit -u -D", ". bin/script.zsh"],
                         lines)
        if "fish" not in missing:
            bad += check("fish", ["fish", "--no-config", "-i"], env, folder,
                         ["stty cols 200", "function fish_prompt; echo 'READY> '; end",
                          "set -g fish_autosuggestion_enabled 0", "source bin/script.fish"],
                         lines)
    if missing:
        print("skipped: there is no", ", no ".join(missing))
    return 1 if bad else SKIP if len(missing) == 3 else 0


if __name__ == "__main__":
    sys.exit(main())
