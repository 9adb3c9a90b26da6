#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet_record.py: `sonde record --switch-output --export parquet:DIR` adds each finished file to a data set

Files are switched by signals, so the test depends on no time. What DIR then has is what an export of the same files
makes; stacks and frames are written once. A recorder that is killed leaves what was switched in the data set, and the
rest can be repaired and exported.
"""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
from duckdb import DuckDB  # noqa: E402
from reader import Skip, Wrong, environment  # noqa: E402

SONDE = os.path.abspath(os.environ["SONDE"])
TABLES = ("frames", "modules", "runs", "samples", "stacks")
WORK = ["sh", "-c", "while :; do :; done"]
DEADLINE_S = 120


def check(what, got, want):
    if got != want:
        raise Wrong(f"{what}: {got}, not {want}")


def wait_until(what, fact, recorder):
    end = time.monotonic() + DEADLINE_S
    while not fact():
        if recorder.poll() is not None or time.monotonic() > end:
            raise Wrong(f"{what} did not happen")
        time.sleep(0.02)


def run(*words, status=0):
    r = subprocess.run([SONDE, *words], capture_output=True, stdin=subprocess.DEVNULL, env=environment, timeout=240)
    if r.returncode != status:
        raise Wrong(f"sonde {' '.join(words)}: exit status {r.returncode}: {r.stderr.decode(errors='replace')}")
    return r


def files(place, table):
    return sorted(glob.glob(os.path.join(place, "v1", table, "date=*", "host=*", "*.parquet")))


class Recorder:
    """Of a busy loop, which it starts and ends."""
    def __init__(self, folder, *options):
        self.output, self.set = os.path.join(folder, "r.data"), os.path.join(folder, "set")
        self.messages = os.path.join(folder, "messages")
        self.work = subprocess.Popen(WORK, stdin=subprocess.DEVNULL)
        with open(self.messages, "wb") as log:
            self.process = subprocess.Popen(
                [SONDE, "record", "-e", "cpu-clock", "-F", "999", "-g", "-p", str(self.work.pid), "-o", self.output,
                 "--switch-output", "--export", f"parquet:{self.set}", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)

    def has_samples(self):
        """Whether the file at hand, which is not finished, has samples by now."""
        r = subprocess.run([SONDE, "script", "-F", "comm", "-i", self.output], capture_output=True,
                           stdin=subprocess.DEVNULL, env=environment, timeout=DEADLINE_S, check=False)
        return r.stdout.strip() != b""

    def wait_for_samples(self):
        wait_until("a sample", self.has_samples, self.process)

    def file_number(self):
        return os.stat(self.output).st_ino if os.path.exists(self.output) else None

    def switch(self):
        """The file at hand has samples, and is finished."""
        self.wait_for_samples()
        known = self.file_number()
        self.process.send_signal(signal.SIGUSR2)
        wait_until("another file", lambda: self.file_number() not in (None, known), self.process)

    def wait_for_export(self):
        wait_until("an exported file", lambda: files(self.set, "samples"), self.process)

    def end(self, sig, status):
        self.process.send_signal(sig)
        check("exit status", self.process.wait(timeout=DEADLINE_S), status)

    def close(self):
        for process in (self.process, self.work):
            if process.poll() is None:
                process.kill()
            process.wait()

    def said(self):
        with open(self.messages, encoding="utf-8", errors="replace") as f:
            return f.read()


def names(paths):
    return [os.path.basename(path) for path in paths]


def check_twice(data_set):
    """No stack, frame or module is written twice."""
    runs = set(names(files(data_set, "runs")))
    for table, key in ("stacks", "stack_id"), ("frames", "frame_id"), ("modules", "(build_id, path, kind)"):
        check(f"runs with {table}", set(names(files(data_set, table))) & runs != set(), True)
        twice = f"select {key} from read_parquet('{data_set}/v1/{table}/**') group by 1 having count(*) > 1"
        try:
            check(f"{table} that were written twice", DuckDB().ask([twice]), [[]])
        except Skip as e:
            print(f"{table} were not counted: {e}")


def check_kept(folder):
    """With --switch-max-files the recorder keeps files, whose export has the same rows."""
    recorder = Recorder(folder, "--switch-max-files", "99")
    try:
        recorder.switch()
        recorder.wait_for_export()      # while the recording goes on
        recorder.end(signal.SIGINT, -signal.SIGINT)
    finally:
        recorder.close()
    kept = sorted(glob.glob(recorder.output + ".*"))
    again = os.path.join(folder, "again")
    run("export", "--to", "parquet", "--no-inline", "-o", again, *kept)
    for table in ("samples", "runs"):
        ours, theirs = files(recorder.set, table), files(again, table)
        check(f"names of {table}", names(ours), names(theirs))
        check(f"{table} of {len(kept)} files", [read(a) for a in ours] == [read(b) for b in theirs], True)
    check("all stacks of the first run", {read(path) for path in files(recorder.set, "stacks")} &
          {read(path) for path in files(again, "stacks")} != set(), True)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def check_killed(folder):
    """Of a killed recorder: what was switched is in the data set, the rest is repaired and added."""
    recorder = Recorder(folder)
    try:
        recorder.switch()
        recorder.wait_for_export()
        recorder.switch()       # the process that exports may have it before it
        recorder.wait_for_samples()
        recorder.process.kill()
        recorder.process.wait()
        end = time.monotonic() + DEADLINE_S
        while glob.glob(recorder.output + ".*") and time.monotonic() < end:
            time.sleep(0.02)
    finally:
        recorder.close()
    check("files that stay", glob.glob(recorder.output + "*"), [recorder.output])
    runs = names(files(recorder.set, "runs"))
    check("runs, and samples of each", [len(runs) >= 2, names(files(recorder.set, "samples"))], [True, runs])
    check_twice(recorder.set)
    whole = os.path.join(folder, "whole.data")
    run("repair", recorder.output, whole)
    run("export", "--to", "parquet", "-o", recorder.set, whole)
    check("runs with the rest", len(files(recorder.set, "runs")), len(runs) + 1)


def check_refused(folder):
    """A data set that cannot be written: files stay, and the message names them."""
    os.mkdir(folder)
    blocked = os.path.join(folder, "set")
    with open(blocked, "w", encoding="utf-8"):
        pass
    recorder = Recorder(folder)
    try:
        recorder.wait_for_samples()
        recorder.end(signal.SIGTERM, -signal.SIGTERM)
    finally:
        recorder.close()
    kept, = glob.glob(recorder.output + ".*")
    check("the message", f"{kept} was not exported; it stays" in recorder.said(), True)
    for words in [["--export", "parquet:x"], ["--switch-output", "--export", "folded:x"],
                  ["--switch-output", "--export", "parquet:"],
                  ["--switch-output", "--export", "parquet:x", "--ftrace"]]:
        run("record", *words, "-o", os.path.join(folder, "no.data"), "true", status=2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = environment["HOME"] = folder
        try:
            for part in (check_kept, check_killed, check_refused):
                own = os.path.join(folder, part.__name__)
                if part is not check_refused:
                    os.mkdir(own)
                part(own)
        except Wrong as e:
            print(f"FAILED: {e}")
            return 1
    print("files are exported while the recording goes on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
