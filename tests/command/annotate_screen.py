#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""annotate_screen.py - the code of a function on a terminal: each key of its help, from report and from annotate

The functions are written in assembler, with a sample at each of their bytes: the lines do not depend on the compiler.
"""
import os
import platform
import re
import shlex
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
sys.dont_write_bytecode = True
import each_byte  # noqa: E402
import perf_data as pd  # noqa: E402
from screen import fail, help_lines, run, skip, sonde  # noqa: E402

PROGRAM = r"""
__asm__(".text\n.globl spin\n.type spin, @function\nspin:\n\tnop\n1:\tdecl %ecx\n\tjne 1b\n\tcall quiet\n\tret\n"
	".size spin, . - spin\n.globl quiet\n.type quiet, @function\nquiet:\n\tnop\n\tret\n.size quiet, . - quiet\n"
	".globl lost\n.type lost, @function\nlost:\n\tjmp *%rax\n.size lost, . - lost\n");
int main(void)
{
	return 5;
}
"""
SPIN = r"""spin  program  11 samples, \d+\.\d\d% of the event
  Percent  Offsets of .*/program
     9\.09        0: +nop
    18\.18        1: +dec +%ecx
    18\.18        3: +jne +\S+ <spin\+0x1>
    45\.45        5: +call +\S+ <quiet>
     9\.09        a: +ret
"""


def selected(t, what, text):
    """The selected line has this text."""
    t.wait(what, rf"\x1b\[7m[^\x1b]*{text}", colours=True)


def key_arrows(t):
    t.press("Home")
    selected(t, "Home", "nop")
    t.press("Down", "Down", "Up")
    selected(t, "Down", "dec")
    for key, text in ("End", "ret"), ("PageUp", "nop"), ("PageDown", "ret"):
        t.press(key)
        selected(t, key, text)


def key_follow(t):
    t.press("Home", "Down", "Down")
    selected(t, "the jump", "jne")
    t.wait("its line", r"^    18\.18 > +1: .*\n    18\.18 [+] +3: ")
    t.press("Enter")
    selected(t, "Enter at a jump", "dec")
    t.press("Left")
    selected(t, "Left", "jne")
    t.press("Down", "Enter")
    t.wait("Enter at a call", r"^quiet  program  2 samples")
    t.press("Escape")
    t.wait("Escape", "^spin  program")
    selected(t, "Escape", "call")
    t.press("End", "Enter")
    t.wait("Enter at another line", "^the line is no jump and no call$")


def key_hot(t):
    t.press("H")
    selected(t, "H", "call")
    for key, text in ("n", "dec"), ("Tab", "jne"), ("n", "nop"), ("n", "ret"), ("n", "ret"), ("N", "nop"), \
            ("BTab", "jne"):
        t.press(key)
        selected(t, key, text)


def key_search(t):
    t.press("Home", "/", typed="ret")
    selected(t, "/", "ret")
    t.press("/", typed="x")
    t.wait("/, nothing", "^'retx' is not here$")


def key_figures(t):
    t.press("t")
    t.wait("t", r"^  Samples .*\n +1        0: ")
    t.press("t")
    t.wait("t again", r"^   Period .*\n +1        0: ")
    t.press("t")
    t.wait("t a third time", SPIN)
    t.press("p")
    t.wait("p", "  of all samples$", missing="45.45")
    t.press("p")
    t.wait("p again", SPIN)


def key_addresses(t):
    t.press("o")
    t.wait("o", r"^  Percent  Addresses .*\n     9\.09 +[1-9a-f][0-9a-f]+: +nop")
    t.press("o")
    t.wait("o again", SPIN)


def key_write(t):
    t.press("w", typed="code.txt")
    t.wait("w", "^code.txt is written$")
    with open("code.txt", encoding="utf-8") as f:
        if not re.search(r"^    45\.45 +[0-9a-f]+: call +\S+ <quiet>$", text := f.read(), re.M):
            fail("w", text)
    t.press("P", typed="code.data")
    t.wait("P, wrong", "^code.data: the name has to end in .txt$")


def key_help(t):
    text = help_lines("annotate", KEYS)
    for key in "h", "?", "F1":
        t.press(key)
        t.wait(key, "keys\n" + re.escape(text))
        t.press("x")
        t.wait("x", SPIN)


KEYS = {"Up Down": key_arrows, "Enter": key_follow, "Esc Left": key_follow, "n N": key_hot, "H": key_hot,
        "/": key_search, "s": None, "o": key_addresses, "t": key_figures, "p": key_figures, "w P": key_write,
        "h ?": key_help, "q": None}


def every_key(t):
    print(t.wait("the first screen", SPIN))
    selected(t, "the hottest line", "call")
    for test in dict.fromkeys(filter(None, KEYS.values())):
        test(t)


WIDE = "計算する関数"
LONG = "x" * 65000
ODD_NAMES = """
	.text
	.globl {0}
	.type {0}, @function
{0}:
	nop
	jmp {1}
	.size {0}, . - {0}
	.globl {1}
	.type {1}, @function
{1}:
	ret
	.size {1}, . - {1}
	.globl main
main:
	ret
"""


def odd_names(open_terminal, words):
    """A name of 65000 bytes and one of wide characters, on narrow and wide screens, and as text"""
    with open("odd.S", "w", encoding="utf-8") as source:
        source.write(ODD_NAMES.format(LONG, f'"{WIDE}"'))
    subprocess.run([*shlex.split(os.environ["CC"]), "-o", "odd", "odd.S"], check=True)
    for name, wanted in ("long.data", "x"), ("wide.data", WIDE):
        with open(name, "wb") as f:
            f.write(each_byte.record(os.path.realpath("odd"), f"{wanted}+$"))
    t = open_terminal(f"{words} annotate -i long.data; echo status $?; sleep 600", 40, 10)
    t.wait("40 columns, a long name", r"^x{40}$\n.*\n +33\.33 +0: +nop$\n +66\.67 +1: +jmp +\S+ <\S*$")
    t.press("Down", "Enter")
    t.wait("a jump to a wide name", f"^no sample is in {WIDE} itself$")
    t.resize(120, 12)
    t.wait("120 columns", r"^x{120}$")
    t.resize(20, 4)
    t.wait("20 columns", r"^x{20}$")
    t.resize(40, 10)
    t.press("q", "q")
    t.wait("q", "^status 0$")
    t = open_terminal(f"{words} annotate -i wide.data; echo status $?; sleep 600", 40, 10)
    t.wait("40 columns, a wide name", rf"^{WIDE}  odd  1 samples?, 100")
    t.press("h")
    t.wait("help in 10 rows", "^Down: more")
    t.press("x", "q")
    t.wait("q", "^status 0$")
    for term in {"columns": 12}, {"term": "dumb"}:
        t = open_terminal(f"PAGER=cat {words} annotate -i wide.data; echo status $?; sleep 600", rows=60, **term)
        t.wait(f"{term}", "^status 0$")


def write_branches():
    """Two rounds of the loop of spin: 2 of its 5 instructions run in one cycle."""
    path = os.path.realpath("program")
    found, (offset, addr, size) = each_byte.functions(path)
    spin = each_byte.BASE + next(at for name, at, _ in found if name == "spin") - addr + offset
    start, end = offset & -each_byte.PAGE, (offset + size + each_byte.PAGE - 1) & -each_byte.PAGE
    turn = struct.pack("<QQQ", spin + 3, spin + 1, 2 | 1 << 4)
    records = pd.comm("loops") + pd.mmap_file(each_byte.BASE + start, end - start, start, path) + b"".join(
        pd.sample(spin + 1, time, more=struct.pack("<Q", 2) + 2 * turn)
        for time in range(10 ** 9, 2 * 10 ** 9, 10 ** 8))
    with open("branches.data", "wb") as f:
        f.write(pd.make(records, {15: b"", pd.HOSTNAME: pd.feature_text("here"),
                                  each_byte.ARCH: pd.feature_text("x86_64")}, pd.BRANCH_STACK, branch_type=8))


def ipc(open_terminal):
    """The column IPC is there for keys of the command line and for typed ones, also of samples gathered anew."""
    words = f"{shlex.quote(sonde)} report -i branches.data"
    t = open_terminal(f"{words} -s symbol_to; echo status $?; sleep 600", 100, 24)
    t.wait("IPC", r"100\.00%  \[\.\] spin +2\.00  \[ 40\.0%\]$")
    t.press("T", typed="50%-100%")
    t.wait("IPC of a range of time", r"^Samples: [5-7] of .*\n.*\n +100\.00%  \[\.\] spin +2\.00  \[ 40\.0%\]$")
    t.press("q")
    t.wait("q", "^status 0$")
    t = open_terminal(f"{words}; echo status $?; sleep 600", 100, 24)
    t.wait("before typed keys", "Source Symbol")
    for typed in "symbol_to", "comm,ipc_lbr":
        t.press("S", *["BSpace"] * 60, typed=typed)
        t.wait(f"IPC of typed keys {typed}", r"100\.00%  .* +2\.00  \[ 40\.0%\]$")
    t.press("q")
    t.wait("q", "^status 0$")


def options(open_terminal, words):
    """How the code looks from the first screen on, by words of the command line."""
    t = open_terminal(f"{words} report -i made.data -M intel --percent-type global-hits", 100, 24)
    t.wait("report -M", r"program +\[\.\] spin$")
    t.press("/", typed="spin")
    t.press("Enter", "a")
    t.wait("-M intel", r"^ +\d+\.\d\d +1: +dec +ecx$")
    t.wait("--percent-type", "q back  of all samples by number$")
    t.press("p")
    t.wait("p", "q back  by number$")
    t.press("q", "q")


def main(open_terminal):
    with open("program.c", "w", encoding="utf-8") as source:
        source.write(PROGRAM)
    subprocess.run([*shlex.split(os.environ["CC"]), "-g", "-O1", "-o", "program", "program.c"], check=True)
    with open("made.data", "wb") as f:
        f.write(each_byte.record(os.path.realpath("program"), "(spin|quiet|main|lost)$"))
    words = shlex.quote(sonde)
    t = open_terminal(f"{words} annotate -i made.data; echo status $?; sleep 600", 100, 24)
    every_key(t)
    t.press("q")
    t.wait("q", "^status 0$", missing="spin")
    # of main there is source
    t = open_terminal(f"{words} annotate -i made.data main; echo status $?; sleep 600", 100, 24)
    print(t.wait("source", r"^ +\d+ +return 5;$"))
    t.press("s")
    t.wait("s", "^main  program", missing="return 5")
    t.press("s")
    t.wait("s again", "return 5")
    t.press("Escape")
    t.wait("Escape", "^status 0$")
    # from report: samples are gathered anew, with their place in the function
    t = open_terminal(f"{words} report -i made.data; echo status $?; sleep 600", 100, 24)
    t.wait("report", r"^ +\d+\.\d\d%  data_types  program +\[\.\] spin$")
    t.press("a")
    print(t.wait("a", SPIN))
    t.press("q")
    t.wait("q", r"^ +\d+\.\d\d%  data_types  program +\[\.\] spin$", missing="nop")
    t.press("/", typed="lost")
    t.press("a", "Enter")
    t.wait("a jump through a register", "^the target of this jump is not in the code$")
    t.press("C-c")
    t.wait("Ctrl-C leaves the report, too", "^status 0$")
    options(open_terminal, words)
    write_branches()
    ipc(open_terminal)
    odd_names(open_terminal, words)
    # the binary is another one now
    os.remove("program")
    t = open_terminal(f"{words} report -i made.data; echo status $?; sleep 600", 100, 24)
    t.wait("without the binary", "^Samples: ")
    t.press("a")
    t.wait("a without names", "^the line has no function with a name$")
    t.press("q")
    t.wait("q", "^status 0$")
    return 0


if platform.machine() != "x86_64":
    skip("the functions are of x86-64")
run(main)
