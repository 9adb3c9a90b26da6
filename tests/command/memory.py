#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory.py: --max-memory holds, and without it a report of few functions takes little

Every command that reads a trace, on a recording of 60 MB that is made of a small one over and over, with round marks
and without, as a file and through a pipe, and on one whose samples all are of different threads.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

SKIP = 77
sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import shipped_data  # noqa: E402

sonde = os.environ["SONDE"]
LIMIT = 32 << 20
CODE = 24 << 20  # of the program and its libraries, which are mapped and no data
MODEL = "model.data"     # in the folder of the test
FINISHED_ROUND = 68
SAMPLE = 9
REPORT_MOST = 12 << 20   # of a report that has few functions, with the code


def records(data):
    at = 16
    while at + 8 <= len(data):
        kind, size = int.from_bytes(data[at:at + 4], "little"), int.from_bytes(data[at + 6:at + 8], "little")
        more = (int.from_bytes(data[at + 8:at + 12], "little") if kind == 66 else 0)
        yield kind, data[at:at + size + more]
        at += size + more


def make(path, tmp, rounds):
    pipe = os.path.join(tmp, "model")
    subprocess.run([sonde, "convert", "--to", "pipe", MODEL, pipe], check=True, capture_output=True)
    with open(pipe, "rb") as f:
        data = f.read()
    head, body = [], []  # what is said once, what comes again and again
    for kind, record in records(data):
        (body if kind == SAMPLE or kind == FINISHED_ROUND and rounds else head).append(record)
    once = b"".join(body)
    with open(path, "wb") as f:
        f.write(data[:16] + b"".join(head))
        for _ in range((60 << 20) // len(once)):
            f.write(once)


def run(args, stdin=None):
    """Exit status, messages and peak of a command, which writes to a file that is thrown away."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(os.devnull, "wb") as null, tempfile.TemporaryFile() as messages:
        p = subprocess.Popen([sonde, *args], stdin=stdin, stdout=null, stderr=messages, preexec_fn=limit)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        return p.returncode, messages.read().decode(errors="replace"), usage.ru_maxrss * 1024


def check(args, stdin=None, found=0, limit=LIMIT):
    status, messages, peak = run([args[0], "--max-memory", str(limit), *args[1:]], stdin)
    short = re.search(r"[Oo]ut of memory|ENOMEM|Cannot allocate", messages) is not None
    good = peak <= limit + CODE and status <= found and not short
    if "html" in args:
        good &= "the page has no time axis" in messages
    print(f"{'ok' if good else 'WRONG'}: {' '.join(a for a in args if '/' not in a)}: status {status}, {peak >> 20} MB"
          f"{', memory was short' if short else ''}")
    if not good:
        print("   ", messages.strip()[-400:])
    return good


def check_report(path):
    """bench/measure starts the command: the memory of this interpreter would count too.

    The first run puts the symbols of the kernel into the cache.
    """
    subprocess.run([sonde, "report", "-i", path], capture_output=True, check=True)
    out = subprocess.run([os.path.join(os.environ["SONDE_BUILD"], "bench/measure"), "100", sonde, "report", "-i", path],
                         capture_output=True, check=True, text=True).stdout
    peak, status = map(int, out.split()[3:])
    good = status == 0 and peak <= REPORT_MOST
    print(f"{'ok' if good else 'WRONG'}: report without a limit: status {status}, {peak >> 10} kB")
    return good


def main():
    if os.environ.get("SONDE_SANITIZE", "none") != "none":
        print("skipped: a sanitizer has memory of its own")
        sys.exit(SKIP)
    good = True
    with tempfile.TemporaryDirectory() as tmp:
        os.chdir(tmp)
        shipped_data.put("tracepoints.data", MODEL)
        new = os.path.join(tmp, "new")
        for rounds in (True, False):
            big = os.path.join(tmp, "big.data")
            make(big, tmp, rounds)
            print("with round marks" if rounds else "without round marks")
            for args in (["script"], ["report"], ["report", "--json"], ["dump"], ["info", "--count"], ["export"],
                         ["export", "--to", "html"]):
                good &= check([*args, "-i", big])
            good &= check(["script", "-i", big], limit=2 * LIMIT)    # room for a second thread
            with open(big, "rb") as f:
                good &= check(["report", "-i", "-"], f)
            if rounds:
                good &= check_report(big)
                for args in (["check"], ["convert", "--to", "file"], ["convert", "--endian", "big"], ["convert", "-z"],
                             ["convert", "--redact"], ["repair"], ["cut", "--cpu", "0"], ["merge", "-o", new, MODEL]):
                    good &= check([*args, big, *([] if args[0] in ("check", "merge") else [new])],
                                  found=args == ["check"])
        out = subprocess.run([sonde, "report", "--max-memory", "1M", MODEL], capture_output=True)
        good &= out.returncode == 2
        os.chdir("/")
    sys.exit(0 if good else 1)


main()
