#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""debuginfod.py - symbols from servers of this test, of which one never answers"""
import ctypes
import http.server
import lzma
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import perf_data as pd

SONDE = os.environ["SONDE"]
BASE = 0xffffffff81000000
SOURCE = """
static unsigned __attribute__((noinline)) far_away(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}
int main(void) { return (int)(far_away(100000000) & 1); }
"""


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def run(*words, **env):
    return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False,
                          env={**os.environ, **env})


class Server:
    """Serves a folder and notes what was asked for."""

    def __init__(self, folder):
        self.asked = asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=folder)

            def log_message(self, *_):
                asked.append(self.path)

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


class Silence:
    """Accepts and never answers."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.taken = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            self.taken.append(self.socket.accept())


def report(data, cache, *words, **env):
    """The output, the messages, and the seconds until the output began and ended."""
    began = time.monotonic()
    env = {**os.environ, "DEBUGINFOD_CACHE_PATH": cache, **env}
    with tempfile.TemporaryFile("w+") as messages:
        with subprocess.Popen([SONDE, "report", "--buildid-dir", "", *words, "-i", data], stdout=subprocess.PIPE,
                              stderr=messages, text=True, env=env) as p:
            out = p.stdout.readline()
            first = time.monotonic() - began
            out += p.stdout.read()
        messages.seek(0)
        err = messages.read()
    assert p.returncode == 0, err
    return out, err, first, time.monotonic() - began


def report_until_named(data, cache, *words, **env):
    """On a loaded machine a file can come too late for one run."""
    for _ in range(20):
        out, err, _, _ = report(data, cache, *words, **env)
        if "far_away" in out:
            return out, err
        assert "the next run has the names" in err or "did not answer in time" in err, err
        if "did not answer in time" in err:
            shutil.rmtree(cache)
    raise AssertionError(f"no name after 20 runs: {out}\n{err}")


def main(tmp):
    program, data = f"{tmp}/spin", f"{tmp}/data"
    with open(f"{tmp}/spin.c", "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run([*os.environ["CC"].split(), "-O1", "-g", "-Wl,--build-id", "-o", program, f"{tmp}/spin.c"],
                   check=True)
    hex_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", program).stdout)
    if not hex_id:
        skip("the compiler gives programs no build id")
    hex_id = hex_id.group(1)
    if run("perf", "record", "-q", "-N", "-e", "cpu-clock:u", "-F", "999", "-o", data, program).returncode:
        skip("perf cannot record here")
    folder = f"{tmp}/served/buildid/{hex_id}"
    os.makedirs(folder)
    shutil.copy(program, f"{folder}/executable")
    subprocess.run(["objcopy", "--only-keep-debug", program, f"{folder}/debuginfo"], check=True)
    subprocess.run(["strip", program], check=True)
    server, silence = Server(f"{tmp}/served"), Silence()

    # nobody is asked unless somebody says so; an empty variable says nothing
    out, err, _, _ = report(data, f"{tmp}/c0")
    assert "far_away" not in out, out
    assert run(SONDE, "report", "--debuginfod", "-i", data, DEBUGINFOD_URLS="").returncode == 2
    assert not server.asked and not os.path.exists(f"{tmp}/c0")

    # by the option, then from the cache without the server
    out, err = report_until_named(data, f"{tmp}/c1", f"--debuginfod={server.url}")
    assert f"/buildid/{hex_id}/debuginfo" in server.asked, server.asked
    n = len(server.asked)
    out, err, _, _ = report(data, f"{tmp}/c1", "--no-debuginfod", DEBUGINFOD_URLS=server.url)
    assert "far_away" in out and "debuginfod" not in err and len(server.asked) == n, err

    # by the variable, which an option overrules
    out, err, _, _ = report(data, f"{tmp}/c2", "--no-debuginfod", DEBUGINFOD_URLS=server.url)
    assert "far_away" not in out and len(server.asked) == n, err
    report_until_named(data, f"{tmp}/c2", DEBUGINFOD_URLS=server.url)

    # without the program, which the server has too
    os.rename(program, f"{tmp}/away")
    report_until_named(data, f"{tmp}/c3", f"--debuginfod={server.url}")
    os.rename(f"{tmp}/away", program)

    # a miss is remembered
    empty = Server(f"{tmp}/c0")
    out, err, _, _ = report(data, f"{tmp}/c4", f"--debuginfod={empty.url}")
    assert empty.asked and "no server has" in err, err
    n = len(empty.asked)
    out, err, _, _ = report(data, f"{tmp}/c4", f"--debuginfod={empty.url}")
    assert len(empty.asked) == n and "debuginfod" not in err, err

    # a file of another build is not used
    os.makedirs(f"{tmp}/wrong/buildid/{hex_id}")
    shutil.copy(SONDE, f"{tmp}/wrong/buildid/{hex_id}/debuginfo")
    wrong = Server(f"{tmp}/wrong")
    out, err, _, _ = report(data, f"{tmp}/c5", f"--debuginfod={wrong.url}")
    assert "far_away" not in out and "the server sent another build" in err, err

    # a server that refuses the connection has not been silent
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{s.getsockname()[1]}"
        out, err, _, _ = report(data, f"{tmp}/c8", f"--debuginfod={closed}")
    assert re.search(f"debuginfod: {closed} could not be asked for \\d+ files?: Connection refused", err), err
    assert "in time" not in err, err

    # the report does not wait for a server that never answers; on a loaded machine its output can come that late
    _, _, first0, all0 = report(data, f"{tmp}/c6")
    for _ in range(5):
        shutil.rmtree(f"{tmp}/c6", ignore_errors=True)
        out, err, first, everything = report(data, f"{tmp}/c6", f"--debuginfod={silence.url}")
        if first < everything - 0.5:
            break
    print(f"first output after {first:.2f} s ({first0:.2f} without), all after {everything:.2f} s ({all0:.2f})")
    assert "spin" in out and "far_away" not in out, out
    assert re.search(r"debuginfod: \d files? did not come before the output was made", err), err
    assert re.search(f"debuginfod: {silence.url} did not answer in time for \\d files?", err), err
    assert silence.taken
    assert first < everything - 0.5, "the report waited"
    _, err, _, _ = report(data, f"{tmp}/c6", f"--debuginfod={silence.url}")
    assert "debuginfod" not in err, "the silence is not remembered"

    # of many files only the first ones are asked for: four threads, and nothing more after their silence
    several, before = f"{tmp}/several.data", len(silence.taken)
    with lzma.open(f"{os.environ['SONDE_SOURCE']}/tests/data/tasks.data.xz") as packed, open(several, "wb") as f:
        f.write(packed.read())
    _, err, _, _ = report(several, f"{tmp}/c7", "--symfs", f"{tmp}/c0", f"--debuginfod={silence.url}")
    files = int(re.search(r"did not answer in time for (\d+) files", err).group(1))
    assert files > 4 >= len(silence.taken) - before, f"{files} files, {len(silence.taken) - before} questions"
    check_one_of_two(tmp, program, bytes.fromhex(hex_id), server, silence)
    check_kernel(tmp, f"{tmp}/served", server)


def check_one_of_two(tmp, program, real_id, server, silence):
    """Files that the live server has not got cost the time of the dead one; the file that it has comes all the same."""
    data, cache = f"{tmp}/two.data", f"{tmp}/c10"
    section = next(line.split("]")[1].split() for line in run("readelf", "-SW", program).stdout.splitlines()
                   if "] .text " in line)
    records = pd.comm("prog")
    names = [(f"/nowhere/file{i}", bytes([i]) * 20) for i in range(1, 4)] + [(program, real_id)]
    for i, (name, build_id) in enumerate(names):
        base = (i + 1) << 24
        records += pd.mmap2(base, 1 << 20, name, bytes([20, 0, 0, 0]) + build_id, pd.USER | 1 << 14)
        records += b"".join(pd.sample(base + int(section[3], 16) + at) for at in range(0, int(section[4], 16), 8))
    with open(data, "wb") as f:
        f.write(pd.make(records))
    urls = f"{silence.url} {server.url}"
    _, err, _, everything = report(data, cache, f"--debuginfod={urls}")
    print(f"a dead and a live server: all after {everything:.2f} s")
    assert re.search(f"debuginfod: one or more of {urls} did not answer in time for \\d files", err), err
    for _ in range(20):
        out, err, _, _ = report(data, cache, f"--debuginfod={urls}")
        if "far_away" in out:
            break
        assert "the next run has the names" in err or "did not answer in time" in err, err
        if "the next run has the names" not in err:
            shutil.rmtree(cache)     # the machine is loaded: it is remembered as a miss
    assert "far_away" in out, f"{out}\n{err}"


def check_kernel(tmp, folder, server):
    """The kernel's debug file is asked for by --debuginfod, not because a variable is set; the image is a library."""
    own, image, data = bytes(range(60, 80)), f"{tmp}/kernel", f"{tmp}/kernel.data"
    with open(f"{tmp}/kernel.c", "w", encoding="ascii") as f:
        f.write("int _text(int x) { return x; }\nint of_the_kernel(int x) { return x * x + 1; }\n")
    subprocess.run([*os.environ["CC"].split(), "-O1", "-g", "-shared", "-fPIC", "-nostdlib",
                    f"-Wl,--build-id=0x{own.hex()}", "-o", image, f"{tmp}/kernel.c"], check=True)
    at = {name: int(address, 16) for address, _, name in
          re.findall(r"^([0-9a-f]+) (\w) (\w+)$", run("nm", image).stdout, re.M)}
    records = pd.comm("prog") + pd.record(pd.MMAP, pd.KERNEL, struct.pack(
        "<iIQQQ", -1, 0, BASE, 1 << 20, BASE) + pd.text("[kernel.kallsyms]_text") + pd.trailer(1000))
    records += pd.sample(BASE + at["of_the_kernel"] - at["_text"] + 1, misc=pd.KERNEL)
    name = pd.text("[kernel.kallsyms]")
    entry = struct.pack("<IHHi20sB3x", 0, pd.KERNEL | 0x8000, 36 + len(name), -1, own, 20) + name
    with open(data, "wb") as f:
        f.write(pd.make(records, {pd.BUILD_ID: entry}))
    place = f"{folder}/buildid/{own.hex()}"
    os.makedirs(place)
    shutil.copy(image, f"{place}/debuginfo")
    before = len(server.asked)
    out, err, _, _ = report(data, f"{tmp}/c8", DEBUGINFOD_URLS=server.url)
    assert "of_the_kernel" not in out, out
    assert f"/buildid/{own.hex()}/debuginfo" not in server.asked[before:], server.asked[before:]
    for _ in range(20):
        out, err, _, _ = report(data, f"{tmp}/c9", f"--debuginfod={server.url}", "--sort", "sym,srcline")
        if "of_the_kernel" in out:
            break
        assert "the next run has the names" in err or "did not answer in time" in err, err
    assert "of_the_kernel" in out and "kernel.c:2" in out, f"{out}\n{err}"


try:
    ctypes.CDLL("libdebuginfod.so.1")
except OSError:
    skip("there is no libdebuginfod")
for command in ("perf", "objcopy", "readelf", "strip", "nm"):
    if not shutil.which(command):
        skip(f"there is no {command}")
with tempfile.TemporaryDirectory() as folder_of_test:
    main(folder_of_test)
