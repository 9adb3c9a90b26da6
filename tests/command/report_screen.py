#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_screen.py - the browser of `sonde report`: each key of its help, whole screens, sizes, and bad input

The recording is made by hand, so that its screens are known to the letter. The test prints them.
"""
import os
import re
import shlex
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd  # noqa: E402
from screen import fail, help_lines, run, sonde  # noqa: E402

CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
MANY = 40000
TEXT = 0xffffffff81000000
BYTES = 0x1000
WIDE = "計算する関数"
LONG = "x" * 65000
NAMES = ["_text", "main", "work", "rest", "leaf", WIDE, LONG]
OTHER = 6    # the id of the second event


def at(name):
    return TEXT + NAMES.index(name) * BYTES + 16


def sample(names, time, pid=50, event=pd.EVENT_ID):
    """names: from outside."""
    chain = [CONTEXT_KERNEL] + [at(name) for name in reversed(names)]
    return pd.sample(chain[1], time=time, pid=pid, misc=pd.KERNEL, event=event,
                     more=struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain))


def samples():
    """100 samples of the first event in ten milliseconds, and one of the second."""
    stacks = [(["main", "work", "leaf"], 50, 40), (["main", "rest"], 50, 25), (["main", "work"], 50, 15),
              (["main", "rest", "leaf"], 51, 12), (["main", WIDE], 50, 6), (["main", LONG], 51, 2)]
    time = 1000000
    for names, pid, number in stacks:
        for _ in range(number):
            yield sample(names, time, pid)
            time += 100000
    yield sample(["main", "leaf"], time, 51, OTHER)


def event_names(*names):
    attr = pd.attr(pd.CALLCHAIN)
    return struct.pack("<II", len(names), len(attr)) + b"".join(
        attr + struct.pack("<I", 1) + pd.feature_text(name) + struct.pack("<Q", number)
        for name, number in zip(names, (pd.EVENT_ID, OTHER)))


def write_many():
    """A row for each of MANY addresses, each with a tree."""
    callers = struct.pack("<20Q", *(0x700000 + 16 * i for i in range(20)))
    with open("many.data", "wb") as f:
        f.write(pd.make(pd.comm("prog") + b"".join(
            pd.sample(ip, more=struct.pack("<3Q", 22, CONTEXT_USER, ip) + callers)
            for ip in range(0x1000000, 0x1000000 + 16 * MANY, 16)), sample_type=pd.CALLCHAIN))


def write_files():
    kernel = pd.record(pd.MMAP, pd.KERNEL, struct.pack("<iIQQQ", -1, 0, TEXT, len(NAMES) * BYTES, TEXT) +
                       pd.text("[kernel.kallsyms]_text") + pd.trailer(0, 0))
    records = kernel + pd.comm("prog") + pd.comm("helper", 51)
    for name, second in ("twice.data", "cycles"), ("made.data", "faults"):
        features = {pd.HOSTNAME: pd.feature_text("here"), pd.EVENT_DESC: event_names("cycles", second)}
        whole = pd.make(records + b"".join(samples()), features, sample_type=pd.CALLCHAIN,
                        ids=([pd.EVENT_ID], [OTHER]))
        with open(name, "wb") as f:
            f.write(whole)
    features = {pd.HOSTNAME: pd.feature_text("here"), pd.EVENT_DESC: event_names("cycles", "faults"),
                pd.GROUP_DESC: struct.pack("<I", 1) + pd.feature_text("") + struct.pack("<II", 0, 2)}
    group = b"".join(sample(["main", "leaf"], 2000000 + i, event=OTHER if i < 3 else pd.EVENT_ID) for i in range(4))
    group += b"".join(sample(["main", "rest"], 3000000 + i, event=OTHER if i < 1 else pd.EVENT_ID) for i in range(4))
    with open("group.data", "wb") as f:
        f.write(pd.make(records + group, features, sample_type=pd.CALLCHAIN, ids=([pd.EVENT_ID], [OTHER])))
    with open("none.data", "wb") as f:
        f.write(pd.make(records, sample_type=pd.CALLCHAIN))
    with open("cut.data", "wb") as f:   # the last records are missing
        f.write(whole[:len(whole) - 3000])
    with open("plain.data", "wb") as f:
        f.write(pd.make(records + pd.sample(at("leaf"), misc=pd.KERNEL)))
    with open("kallsyms", "w", encoding="utf-8") as f:
        f.writelines(f"{at(name) - 16:x} T {name}\n" for name in NAMES)


HEAD = """\
Samples: 100 of event 'cycles', event count (approx.): 100
  Children    Self  Command  Shared Object      Symbol
"""
MAIN = """\
+   86.00%   0.00%  prog     [kernel.kallsyms]  [k] main
"""
REST = f"""\
+   55.00%  15.00%  prog     [kernel.kallsyms]  [k] work
+   40.00%  40.00%  prog     [kernel.kallsyms]  [k] leaf
+   25.00%  25.00%  prog     [kernel.kallsyms]  [k] rest
+   14.00%   0.00%  helper   [kernel.kallsyms]  [k] main
+   12.00%  12.00%  helper   [kernel.kallsyms]  [k] leaf
+   12.00%   0.00%  helper   [kernel.kallsyms]  [k] rest
+    6.00%   6.00%  prog     [kernel.kallsyms]  [k] {WIDE}
+    2.00%   2.00%  helper   [kernel.kallsyms]  [k] {LONG[:38]}
"""
OPEN = f"""\
-   86.00%   0.00%  prog     [kernel.kallsyms]  [k] main
    -  86.00% main
      +  55.00% work
         25.00% rest
          6.00% {WIDE}
"""
WHOLE = OPEN.replace("+  55.00% work\n", "-  55.00% work\n           40.00% leaf\n")
NO_CODE = "^cannot annotate"
ROWS, COLUMNS = 20, 90


def screen(*parts, bottom="h help  q quit"):
    """A whole screen: the bottom line is the last one."""
    text = "".join(parts)
    return text + "\n" * (ROWS - 1 - text.count("\n")) + bottom + "\n"


class Steps:
    """Presses keys, and prints the screens that come."""
    def __init__(self, t):
        self.t = t

    def press(self, *keys, typed=None):
        self.t.press(*keys, typed=typed)

    def see(self, what, *parts, **more):
        self.t.wait_for(what, screen(*parts, **more))
        print(f"--- {what}\n{self.t.screen()}")

    def wait(self, what, pattern, missing=None):
        print(f"--- {what}\n{self.t.wait(what, pattern, missing)}")


def key_arrows(s):
    for keys, row in (["Down"], "prog .* work"), (["End"], "helper .* xxx"), (["Home"], "prog .* main"), \
            (["PageDown"], "helper .* xxx"), (["PageUp"], "prog .* main"), (["Down", "Down", "Up"], "prog .* work"):
        s.press(*keys)
        s.t.wait(str(keys), rf"\x1b\[7m(  Children.*\n)?[+] .*{row}", colours=True)
    s.press("Home")


def key_open(s):
    s.press("Enter")
    s.see("Enter opens", HEAD, OPEN, REST)
    s.press("Down", "+")
    s.see("+ closes a node", HEAD, OPEN[:OPEN.index("    -")], "    +  86.00% main\n", REST)
    s.press("+", "Down", "Enter")
    s.see("Enter opens a node", HEAD, WHOLE, REST)
    s.press("Home", "Enter")
    s.see("Enter closes a row", HEAD, MAIN, REST)
    s.press("Enter")
    s.see("nodes stay open", HEAD, WHOLE, REST)


def key_close(s):
    s.press("Down", "Down", "Down", "-")
    s.see("- closes the node above", HEAD, OPEN, REST)
    s.press("Up", "-")
    s.press("-")
    s.see("- twice closes the row", HEAD, MAIN, REST)
    s.press("Enter", "Down", "Enter", "Up", "Enter")
    s.see("all is closed", HEAD, MAIN, REST)


def key_whole(s):
    s.press("e")
    s.see("e opens all of a row", HEAD, WHOLE, REST)
    s.press("Down", "Down", "e")
    s.see("e again closes it", HEAD, MAIN, REST)


def key_all(s):
    s.press("E")
    s.wait("E opens all", r"^-   55.00%  15.00%  prog", missing=r"^[+]")
    s.press("C")
    s.see("C closes all", HEAD, MAIN, REST)


def key_function(s):
    s.press("Down", "f")
    head = HEAD[:HEAD.index("\n") + 1] + "  Children    Self  Function\n"
    s.see("f", head, "+   55.00%  15.00%  callers of work\n", "+   55.00%  15.00%  callees of work\n",
          bottom="h help  q quit  function: work")
    s.press("Enter")
    s.wait("f, callers", r"^    -  55.00% work$\n^              main$")
    s.press("End", "Enter")
    s.wait("f, callees", r"^-   55.00%  15.00%  callees of work\n    -  40.00% work\n              leaf$")
    s.press("C", "Left")
    s.see("Left", HEAD, MAIN, REST)
    s.press("Home")


def key_turn(s):
    s.press("g", "Enter")
    s.wait("g, Enter", r"^-   86.00%   0.00%  prog .* main\n       86.00% main\n\+")
    s.press("Enter", "g")
    s.wait("g", r"^trees go from a function to its callees$")
    s.press("Down", "Home")
    s.see("g again", HEAD, MAIN, REST)


def key_children(s):
    s.press("c")
    s.see("c", HEAD.replace("Children    Self  C", "Overhead  C"), f"""\
+   40.00%  prog     [kernel.kallsyms]  [k] leaf
+   25.00%  prog     [kernel.kallsyms]  [k] rest
+   15.00%  prog     [kernel.kallsyms]  [k] work
+   12.00%  helper   [kernel.kallsyms]  [k] leaf
+    6.00%  prog     [kernel.kallsyms]  [k] {WIDE}
+    2.00%  helper   [kernel.kallsyms]  [k] {LONG[:46]}
""")
    s.press("c")
    s.see("c again", HEAD, MAIN, REST)


def key_name(s):
    s.press("/", typed="eaf")
    s.see("/", HEAD, "".join(line + "\n" for line in REST.splitlines() if "leaf" in line),
          bottom="h help  q quit  name: eaf")
    s.press("/", *["BSpace"] * 3, typed="nothing")
    s.wait("/ nothing", "no row passes the filters")
    s.press("Escape")
    s.see("Escape", HEAD, MAIN, REST)


def key_task(s):
    s.press("End", "t")
    s.wait("t", r"^\+   14.00%   0.00%  helper .*\n(.*helper.*\n){3}\n+h help  q quit  command: helper$")
    s.press("S", *["BSpace"] * 20, typed="pid,sym")
    s.press("t")
    s.wait("t of a thread", "command: helper  thread: helper:51  by pid,sym")
    s.press("Escape", "Escape")
    s.wait("Escape twice", "50:prog", missing="command|thread")
    s.press("S", *["BSpace"] * 20, typed="comm,dso,sym")
    s.wait("the sort keys from before", "quit  by comm,dso,sym$")


def key_dso(s):
    s.press("d")
    s.wait("d", r"^  Children    Self  Command  Symbol$")
    s.wait("d", r"binary: \[kernel.kallsyms\]")
    s.press("Escape")
    s.wait("Escape", "Shared Object", missing="binary:")


SORTED = "h help  q quit  by comm,dso,sym"


def key_kernel(s):
    s.press("k")
    s.wait("k", r"binary: \[kernel.kallsyms\]")
    s.press("Escape")
    s.see("Escape", HEAD, MAIN, REST, bottom=SORTED)


def key_menu(s):
    s.press("m")
    s.see("m", "menu of the line\n", """\
  a      annotate main
  f      callers and callees of main
  Enter  open the line
  t      only the command prog
  d      only the binary [kernel.kallsyms]
  k      only the kernel
  s      the next sort keys
  Tab    the next event
  w      write a file
""", bottom="Enter or the key does it; another key goes back")
    s.press("x")
    s.see("another key", HEAD, MAIN, REST, bottom=SORTED)
    s.press("m", "Down", "Down", "Enter")
    s.see("Enter in the menu", HEAD, OPEN, REST, bottom=SORTED)
    s.press("Down", "m", "t")
    s.wait("a key of the menu", "command: prog  by")
    s.press("Escape", "Home", "m", "Enter")
    s.wait("the first line of the menu", "^no sample is in main itself$")


def key_binaries(s):
    s.press("V")
    s.wait("V", r"^    -  86.00% main  \[kernel.kallsyms\]$\n.*\n +25.00% rest  \[kernel.kallsyms\]$")
    s.press("V", "Enter", "Down", "Home")
    s.see("V again", HEAD, MAIN, REST, bottom=SORTED)


def key_time(s):
    s.press("T", typed="0.001,0.0049999")
    s.wait("T", "^Samples: 40 of event")
    s.wait("T", "time: 0.001,0.0049999")
    s.press("T", typed="x")
    s.wait("T, wrong", "is no range of time$")
    s.press("T", *["BSpace"] * 20, typed="90%-100%")
    s.wait("T, a share", "^Samples: 1[01] of event")
    s.press("Escape")
    s.wait("Escape", "^Samples: 100 of event", missing="time:")


def key_annotate(s):
    s.press("a")
    s.wait("a of a function that only calls", "^no sample is in main itself$")
    s.press("Down", "a")
    s.wait("a without the code", NO_CODE)
    s.press("Home")


def key_limit(s):
    s.press("L", "BSpace", typed="50")
    s.wait("L", "from 50%$", missing="leaf")
    s.press("L", *["BSpace"] * 2, typed="-1")
    s.wait("L, wrong", "^'-1' is no percentage$")
    s.press("L", *["BSpace"] * 2, typed="0")
    s.wait("L, 0", "leaf", missing="from ")


def key_share(s):
    s.press("/", typed="leaf")
    s.wait("/", "name: leaf")
    s.press("F")
    s.wait("F", r"76.92%  76.92%  prog .* leaf")
    s.press("F")
    s.wait("F again", r"40.00%  40.00%  prog .* leaf")
    s.press("Escape")
    s.wait("Escape", "main", missing="name:")


def key_sort(s):
    s.press("s")
    s.wait("s", r"by pid,dso,sym$")
    for order in "tgid,dso,sym", "cpu,dso,sym", "comm", "dso":
        s.press("s")
        s.wait("s", rf"by {order}$")
    s.press("s")
    s.see("s again and again", HEAD, MAIN, REST)


def key_type_sort(s):
    s.press("S", *["BSpace"] * 20, typed="sym,time")
    s.wait("S, values that were not kept", "by sym,time$")
    s.press("S", typed="x")
    s.wait("S, wrong", "^there is no sort key 'timex'$")
    s.press("S", *["BSpace"] * 20, typed="comm,dso,sym")
    s.wait("S, as before", "by comm,dso,sym$")


def key_event(s):
    for key in "Tab", "BTab":
        s.press(key)
        s.wait(key, "^Samples: 1 of event 'faults'")
        s.press(key)
        s.wait(key, "^Samples: 100 of event 'cycles'")


def key_titles(s):
    s.press("H")
    s.wait("H", "main", missing="Children")
    s.press("H")
    s.wait("H again", "Children")


def key_info(s):
    s.press("i")
    s.wait("i", "^made.data\n\nNothing was lost.\n(.*\n)*# hostname : here$")
    s.press("x")
    s.wait("x", "main", missing="hostname")


def key_write(s):
    s.press("/", typed="leaf")
    s.wait("/", "name: leaf")
    for key, name, has in (("w", "rows.txt", r"^ +40.00% +40.00%  prog .* leaf$"),
                           ("P", "all.folded", "prog;main;work;leaf 40"), ("w", "page.html", "<html"),
                           ("w", "rows.json", '"leaf"')):
        s.press(key, typed=name)
        s.wait(key, f"^{name} is written$")
        with open(name, encoding="utf-8") as f:
            if not re.search(has, text := f.read(), re.M):
                fail(key, f"{name} has no {has}:\n{text[:2000]}")
    s.press("w", typed="nothing.xyz")
    s.wait("w, wrong", "^nothing.xyz: the name has to end in ")
    s.press("w", typed="/nowhere/a.txt")
    s.wait("w, nowhere", "^/nowhere/a.txt: ")
    s.press("w", "Escape", "Escape")
    s.wait("Escape", "main", missing="name:|nowhere")


def key_help(s):
    text = "sonde report: keys\n" + help_lines("report", KEYS)
    s.t.resize(COLUMNS, text.count("\n") + 2)
    for key in "h", "?", "F1":
        s.press(key)
        s.t.wait(key, "^q ")
        if not s.t.screen().startswith(text):
            fail(key, s.t.screen())
        s.press("x")
        s.t.wait("x", "main", missing="sonde report: keys")
    s.t.resize(COLUMNS, ROWS)


KEYS = {"Up Down": key_arrows, "Enter +": key_open, "-": key_close, "e": key_whole, "E": key_all, "C": key_all,
        "f": key_function, "g": key_turn, "c": key_children, "/": key_name, "t": key_task, "d": key_dso,
        "k": key_kernel, "T": key_time, "Esc Left": key_function, "a": key_annotate, "m": key_menu, "V": key_binaries,
        "L": key_limit, "F": key_share, "s": key_sort, "S": key_type_sort, "Tab": key_event, "0-9": None,
        "H": key_titles, "i": key_info, "w P": key_write, "h ?": key_help, "q": None}


def every_key(open_terminal, report):
    t = open_terminal(f"{report} made.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.see("the first screen", HEAD, MAIN, REST)
    for test in dict.fromkeys(filter(None, KEYS.values())):
        test(s)
    t.press("q")
    t.wait("q", "^status 0$", missing="Children")


def sizes(open_terminal, report):
    t = open_terminal(f"{report} made.data; echo status $?; sleep 600", columns=40, rows=8)
    s = Steps(t)
    s.wait("40 columns", r"^100 of cycles\n  Children    Self  Symbol\n\+   86.00%   0.00%  \[k\] main$")
    t.press("End")
    s.wait("40 columns, a wide name", rf"^\+    6.00%   6.00%  \[k\] {WIDE[:6]}$")
    s.wait("40 columns, a long name", r"^\+    2.00%   2.00%  \[k\] x{16}$")
    t.press("h")
    s.wait("help in 8 rows", r"^Enter \+  open or close the call tree of\n {9}the line\n(.*\n)*Down: more")
    t.press(*["PageDown"] * 10)
    s.wait("its end", "^q +quit")
    t.press("x")
    t.resize(70, 12)
    s.wait("70 columns", r"^Samples: 100 of event 'cycles'.*\n  Children    Self  Command  Shared")
    t.resize(20, 4)
    s.wait("20 columns", "^h help  q quit")
    t.resize(COLUMNS, ROWS)
    s.wait("as large as at first", r"^Samples: 100 of event 'cycles', event count \(approx.\): 100$")
    t.press("/", "l", "e")
    t.wait("/", "^name: le_")
    t.resize(60, 10)
    s.t.wait_for("resized during a search", f"""\
Samples: 100 of event 'cycles', event count (approx.): 100
  Children    Self  Command  Symbol
+   40.00%  40.00%  prog     [k] leaf
+   25.00%  25.00%  prog     [k] rest
+   14.00%   0.00%  helper   [k] main
+   12.00%  12.00%  helper   [k] leaf
+   12.00%   0.00%  helper   [k] rest
+    6.00%   6.00%  prog     [k] {WIDE}
+    2.00%   2.00%  helper   [k] {LONG[:27]}
name: le_
""")
    t.press("Escape")
    t.press("C-c")
    t.wait("Ctrl-C", "^status 0$")
    # too small from the start, dumb, or not a terminal: text
    for what, words, more in (("12 columns", report, {"columns": 12}), ("a dumb terminal", report, {"term": "dumb"}),
                              ("--stdio", f"PAGER=cat {report} --stdio", {}),
                              ("a pipe", f"{report} made.data | cat; echo", {})):
        t = open_terminal(f"{words} made.data | head -4; echo status $?; sleep 600" if what == "12 columns" else
                          f"{words} made.data; echo status $?; sleep 600", rows=60, **more)
        t.wait(what, "^status 0$")
    t = open_terminal(f"{report} --tui --stdio made.data; {report} --tui made.data | cat; echo status $?; sleep 600")
    s = Steps(t)
    s.wait("--tui --stdio", "--stdio and --tui exclude each other")
    s.wait("--tui in a pipe", "--tui: standard input, output and error have to be a terminal")


def looks(open_terminal, report):
    """Colours of the themes, and none."""
    for words, hot in (("", r"\x1b\[1m\x1b\[38;5;208m|\x1b\[1;38;5;208m|\x1b\[1m.{0,3}\x1b\[38;5;208m"),
                       ("SONDE_THEME=classic", r"\x1b\[38;5;1m|\x1b\[31m"), ("SONDE_THEME=mono", r"\x1b\[1m[+]"),
                       ("NO_COLOR=1", r"\x1b\[1m[+]")):
        t = open_terminal(f"export {words or 'A=b'}; {report} made.data; sleep 600", COLUMNS, ROWS, "screen-256color")
        t.wait(words or "the default theme", hot, missing=r"38;5;208" if words else None, colours=True)
    t = open_terminal(f"{report} --theme pink made.data; SONDE_THEME=pink {report} made.data; sleep 600", COLUMNS, ROWS)
    t.wait("a theme", MAIN[2:-1].replace("[", r"\[").replace("]", r"\]"))
    t.press("q")
    t.wait("--theme pink", "--theme takes default, classic or mono, not 'pink'")
    t.wait("SONDE_THEME=pink", "SONDE_THEME is default, classic or mono, not 'pink'")


def one_name(open_terminal, report):
    """Two events of one name, as of two cgroups, have rows of their own."""
    t = open_terminal(f"{report} twice.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.see("two events of one name", HEAD, MAIN, REST)
    t.press("Tab")
    s.see("Tab, to the namesake", HEAD.replace("100", "1").replace("Self", " Self"), """\
+  100.00%  100.00%  helper   [kernel.kallsyms]  [k] leaf
+  100.00%    0.00%  helper   [kernel.kallsyms]  [k] main
""")
    t.press("q")
    t.wait("q", "^status 0$")


GROUP = """\
Samples: 8 of events 'cycles, faults', event count (approx.): 8
  Overhead  Overhead  Command  Shared Object      Symbol
"""
GROUP_ROWS = ("""\
+   75.00%    25.00%  prog     [kernel.kallsyms]  [k] rest
""", """\
+   25.00%    75.00%  prog     [kernel.kallsyms]  [k] leaf
""")


def group(open_terminal, report):
    """The events of a group side by side: 0 to 9 order by one of them, and Tab passes over the members."""
    t = open_terminal(f"{report} --no-children group.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.see("a group", GROUP, *GROUP_ROWS)
    t.press("1")
    s.see("1, the second event first", GROUP, *reversed(GROUP_ROWS))
    t.press("Enter")
    s.wait("the tree of a row", r"^-   25\.00%    75\.00%  .* leaf\n.*leaf\n +main$")
    t.press("Enter", "0")
    s.see("0, the first event", GROUP, *GROUP_ROWS)
    t.press("2")
    s.wait("2, wrong", "^the group has 2 events, from 0 to 1$")
    t.press("Tab")
    s.wait("Tab", "^there is no other event with samples$")
    t.press("w", typed="group.txt")
    s.wait("w", "^group.txt is written$")
    with open("group.txt", encoding="utf-8") as f:
        if not re.search(r"^ +75\.00% +25\.00% ", text := f.read(), re.M):
            fail("w", text)
    t.press("q")
    t.wait("q", "^status 0$")
    t = open_terminal(f"{report} --no-group group.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.wait("--no-group", "^Samples: 4 of event 'cycles'")
    t.press("1")
    s.wait("1 without a group", "^there is no group of events to sort by$")
    t.press("Tab")
    s.wait("Tab without a group", "^Samples: 4 of event 'faults'")
    t.press("q")
    t.wait("q", "^status 0$")


LEVELS = """\
Samples: 100 of event 'cycles', event count (approx.): 100
  Children    Self  Command / Shared Object / Symbol
"""
PROG = """\
+   86.00%  86.00%  prog
"""
OBJECT = """\
-   86.00%  86.00%  prog
  +   86.00%  86.00%  [kernel.kallsyms]
"""
SYMBOLS = f"""\
-   86.00%  86.00%  prog
  -   86.00%  86.00%  [kernel.kallsyms]
    +   86.00%   0.00%  [k] main
    +   55.00%  15.00%  [k] work
    +   40.00%  40.00%  [k] leaf
    +   25.00%  25.00%  [k] rest
    +    6.00%   6.00%  [k] {WIDE}
"""
TREE = SYMBOLS.replace("    +   55.00%", f"""\
        -  86.00% main
          +  55.00% work
             25.00% rest
              6.00% {WIDE}
    +   55.00%""", 1).replace("    +   86.00%   0", "    -   86.00%   0")
HELPER = """\
+   14.00%  14.00%  helper
"""


def hierarchy(open_terminal, report):
    """Rows below rows, and trees below those of the last level."""
    t = open_terminal(f"{report} --hierarchy made.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.see("hierarchy", LEVELS, PROG, HELPER)
    t.press("Enter")
    s.see("hierarchy, Enter", LEVELS, OBJECT, HELPER)
    t.press("Down", "+")
    s.see("hierarchy, + on the second level", LEVELS, SYMBOLS, HELPER)
    t.press("Down", "Enter")
    s.see("hierarchy, a tree", LEVELS, TREE, HELPER)
    t.press("Down", "Down", "-", "-", "-")
    s.see("hierarchy, - three times", LEVELS, OBJECT, HELPER)
    t.press("C")
    s.see("hierarchy, C", LEVELS, PROG, HELPER)
    t.press("e")
    s.wait("hierarchy, e", r"^    -   86.00%   0.00%  \[k\] main\n        -  86.00% main$")
    t.press("e")
    s.see("hierarchy, e again", LEVELS, PROG, HELPER)
    t.press("End", "Enter", "Down", "t")
    s.wait("hierarchy, t", "command: helper$", missing="prog")
    t.press("Escape", "Home", "d")
    s.wait("hierarchy, d on a command", "^rows have no binary here")
    t.press("a")
    s.wait("hierarchy, a on a command", "^the line has no function with a name$")
    t.press("E")
    s.wait("hierarchy, E", r"^    -   86.00%   0.00%  \[k\] main$", missing=r"^ *[+]")
    t.press("C", "Home", "Enter", "Down", "Enter", "Down", "Down", "f")
    s.wait("hierarchy, f", r"^\+   55.00%  15.00%  callers of work$")
    t.press("Escape")
    s.see("hierarchy, Escape", LEVELS, SYMBOLS, HELPER)
    t.press("w", typed="levels.txt")
    s.wait("hierarchy, w", "^levels.txt is written$")
    with open("levels.txt", encoding="utf-8") as f:
        if not re.search(r"^ +86.00% +86.00% +prog *\n +86.00% +86.00% +\[kernel.kallsyms\] *\n",
                         text := f.read(), re.M):
            fail("hierarchy, w", text[:2000])
    t.resize(40, 12)
    s.wait("hierarchy, 40 columns", r"^  -   86.00%  86.00%  \[kernel.kallsyms\]$")
    t.press("q")
    t.wait("q", "^status 0$")
    t = open_terminal(f"{report} --hierarchy plain.data; echo status $?; sleep 600", COLUMNS, ROWS)
    t.wait("hierarchy without call chains", r"^[+]  100.00%  prog$")
    t.press("Enter", "Down", "Enter", "Down", "Enter")
    t.wait("hierarchy without call chains", "^there are no call chains")
    t.press("-", "-")
    Steps(t).wait("hierarchy, -", r"^\+  100.00%  prog$", missing="leaf")


def long_work(open_terminal, report):
    """Escape ends it, and the rows from before stay; other keys wait."""
    write_many()
    t = open_terminal(f"{report} -g caller,0.0 many.data; echo status $?; sleep 600", COLUMNS, ROWS)
    before = t.wait("many rows", r"^\+  100.00%   ?0.00%  prog .*\n(\+.*\n){16}h help  q quit$").splitlines()
    t.press("E", "Escape")
    screen = t.wait("E, Escape", r"^stopped at \d+%: these are the rows from before$")
    if screen.splitlines()[:-1] != before[:-1]:
        fail("E, Escape", f"other rows:\n{screen}")
    t.press("E", "Down", "Escape")
    t.wait("a key before Escape", r" 0x0*700000\n\x1b\[7m\+ .* 0x0*700010", colours=True)
    t.press("E", "Escape", "q")
    t.wait("q after long work", "^status 0$")


def bad_input(open_terminal, report):
    t = open_terminal(f"{report} none.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.wait("no samples", "^  no samples$")
    t.press("Enter", "-", "e", "E", "C", "f", "t", "d", "g", "c", "Tab", "End", "s", "i")
    s.wait("keys without samples", "^none.data$")
    t.press("x", "q")
    t.wait("q", "^status 0$")
    t = open_terminal(f"{report} cut.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.wait("a damaged file", "^Samples: .. of event")
    t.press("i")
    s.wait("its losses", r"^Losses:\n\d+ .* \(.*offset 0x")
    t.press("x", "q")
    t.wait("q", "^status 1$")
    t.wait("losses after q", "cut.data: [0-9]")
    t = open_terminal(f"{report} plain.data; echo status $?; sleep 600", COLUMNS, ROWS)
    s = Steps(t)
    s.wait("no call chains", r"^   100.00%  prog     \[kernel.kallsyms\]  \[k\] leaf$")
    t.press("Enter")
    s.wait("Enter", "^there are no call chains")
    t.press("q")
    t.wait("q", "^status 0$")
    t = open_terminal(f"{report} nothing.data; echo status $?; sleep 600", COLUMNS, ROWS)
    t.wait("no file", "nothing.data: .*No such file")


def main(open_terminal):
    write_files()
    report = f"{shlex.quote(sonde)} report --kallsyms kallsyms"
    every_key(open_terminal, report)
    sizes(open_terminal, report)
    looks(open_terminal, report)
    one_name(open_terminal, report)
    group(open_terminal, report)
    hierarchy(open_terminal, report)
    long_work(open_terminal, report)
    bad_input(open_terminal, report)
    return 0


run(main)
