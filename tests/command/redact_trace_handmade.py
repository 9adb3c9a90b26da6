#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""redact_trace_handmade.py: `convert --redact` of a trace.dat that has a text wherever one can be

Every place has a text of its own, behind the ends of texts, of events, pages and options as well. None that has to go
is in what is written, in either version, compressed or not; redacted.py finds no bytes that no row of the table
allows; what stays is there, each event keeps its length, and both trace-cmd read the file. Then damaged variants: what
is written of them has no error, and none of the texts but names of probes.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["SONDE_SOURCE"], "tests"))
import fake_tracefs  # noqa: E402
import redacted  # noqa: E402
import trace_dat  # noqa: E402

sonde = os.path.abspath(os.environ["SONDE"])
newest = os.environ.get("SONDE_NEWEST_TRACE_CMD",
                        os.path.join(os.environ["SONDE_SOURCE"], "..", "shared", "tools", "newest-trace-cmd"))
COMMON = [("unsigned short", "common_type", "", 0, 2), ("unsigned char", "common_flags", "", 2, 1),
          ("unsigned char", "common_preempt_count", "", 3, 1), ("int", "common_pid", "", 4, 4)]
secrets, failures = [], 0


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {text}")


def secret(size):
    """Text that nothing but this place has."""
    word = f"Hidden{len(secrets):03d}".encode()
    secrets.append(word)
    return word.ljust(size, b"x")[:size]


def slack(text, size):
    """A text in so many bytes, of which those behind its NUL are secret."""
    text = text.encode() + b"\0"
    return text + secret(size - len(text))


def format_text(name, number, fields, print_fmt='""'):
    text = f"name: {name}\nID: {number}\nformat:\n"
    for row in COMMON + [None] + fields:
        text += "\tfield:{0} {1}{2};\toffset:{3};\tsize:{4};\tsigned:0;\n".format(*row) if row else "\n"
    return text + f"\nprint fmt: {print_fmt}\n"


PRINT = format_text("print", 5, [("unsigned long", "ip", "", 8, 8), ("char", "buf", "[]", 16, 0)],
                    '"%ps: %s", (void *)REC->ip, REC->buf')
BPRINT = format_text("bprint", 6, [("unsigned long", "ip", "", 8, 8), ("const char *", "fmt", "", 16, 8),
                                   ("u32", "buf", "[]", 24, 0)], '"%ps: %s", (void *)REC->ip, REC->fmt')
RAW_DATA = format_text("raw_data", 16, [("unsigned int", "id", "", 8, 4), ("char", "buf", "[]", 12, 0)],
                       '"id:%04x %08x", REC->id, (int)REC->buf[0]')
USER_STACK = format_text("user_stack", 17, [("unsigned int", "tgid", "", 8, 4),
                                            ("unsigned long", "caller", "[8]", 16, 64)])
OPEN = format_text("do_open", 300, [("__data_loc char[]", "filename", "", 8, 4), ("u32", "mode", "", 12, 4),
                                    ("__rel_loc char[]", "label", "", 16, 4), ("char", "comm", "[16]", 20, 16),
                                    ("u8", "mac", "[8]", 36, 8), ("char", "fixed", "[16]", 44, 16)],
                   '"filename=%s mode=%u", __get_str(filename), REC->mode')
PROBE = format_text("their_function", 301, [("unsigned long", "__probe_ip", "", 8, 8),
                                            ("__data_loc char[]", "their_variable", "", 16, 4)],
                    '"(%lx) their_variable=\\"%s\\"", REC->__probe_ip, __get_str(their_variable)')


def common(number):
    return struct.pack("<HBBi", number, 0, 0, 1)


def record(body, delta=0):
    """An event of a page; a long one has bytes of rounding."""
    if len(body) % 4 == 0 and len(body) <= 112:
        return struct.pack("<I", delta << 5 | len(body) // 4) + body
    return struct.pack("<II", delta << 5, len(body) + 4) + body + secret(9)[6:6 + -len(body) % 4]


def page(events, time=1000):
    body = b"".join(events)
    page = struct.pack("<QQ", time, len(body)) + body
    return page + secret(fake_tracefs.PAGE - len(page))


def do_open():
    fixed = secret(16)
    body = common(300) + struct.pack("<I", 60 | 32 << 16) + struct.pack("<I", 0o644)
    body += struct.pack("<I", 92 - 20 | 16 << 16) + slack("bash", 16) + secret(9)[:8] + fixed
    return body + b"/home/" + secret(9) + b"/" + slack("f", 16) + slack("a text", 16) + secret(20)


def write(path):
    events = [record(do_open()),
              record(common(5) + struct.pack("<Q", 0xffffffff81000000) + secret(20) + b"\n\0\0\0"),
              record(common(6) + struct.pack("<QQ", 0xffffffff81000000, 0xffffffff82000000) + secret(24)),
              record(common(16) + struct.pack("<I", 7) + secret(16)),
              record(common(17) + struct.pack("<II", 1, 0) + struct.pack("<Q", 0x401000) + secret(16)),
              record(common(301) + struct.pack("<QI", 0x401000, 20 | 24 << 16) + secret(9) + b"\0" + secret(14)),
              record(common(999) + secret(40)),                          # an event that nothing describes
              struct.pack("<II", 29 | 1 << 5, 24) + secret(20),          # padding
              record(common(300)[:8]),                                   # shorter than its fields
              struct.pack("<I", 29) + secret(60)]                        # the rest of the page
    maps = f"7 2 /usr/bin/{secret(12).decode()}\n401000 402000 /usr/lib/{secret(12).decode()}\n403000 404000 [heap]\n"
    others = (trace_dat.option(5, b"Linux " + secret(12) + b" 6.1.0 x86_64\0" + secret(12))
              + trace_dat.option(2, b"CPU: 0\nentries: 5\n" + secret(12) + b": 3\nBuffer: mine\n\0" + secret(12))
              + trace_dat.option(9, slack("3.2", 30)) + trace_dat.option(7, slack("0", 30))
              + trace_dat.option(10, maps.encode() + b"\0" + secret(12))
              + trace_dat.option(13, secret(12) + b"\0" + struct.pack("<QIII", 5, 1, 0, 77) + secret(12))
              + trace_dat.option(6, b"probe_theirs:their_function,common_pid/a:b,c\0")
              + trace_dat.option(11, struct.pack("<Q", 7) + secret(12))
              + trace_dat.option(24, secret(12) + b":0\t[kernel]\n\0") + trace_dat.option(99, secret(30)))
    secrets.extend([b"their_function", b"their_variable", b"probe_theirs"])
    symbols = "ffffffff81000000 T start_kernel\nffffffffc0000000 t bpf_prog_6deef7357e7b4530_"
    trace_dat.write(path, [PRINT, BPRINT, RAW_DATA, USER_STACK], {"fs": [OPEN], "probe_theirs": [PROBE]},
                    [trace_dat.area([page(events), page([record(do_open(), 9)], 9000)])],
                    kallsyms=symbols + secret(14).decode() + "\t[bpf]\n", names="1 bash\n77 qemu\n",
                    printk='0xffffffff82000000 : "kept %s"\n', others=others, more=[(77, secret(30))])


def run(*args):
    return subprocess.run([sonde, *args], capture_output=True, text=True, errors="replace", timeout=60, check=False)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def convert(before, after, *how):
    if os.path.exists(after):
        os.unlink(after)
    return run("convert", *how, before, after)


def no_zlib(tool, path):
    """A trace-cmd that was made without zlib says so, in its way."""
    r = subprocess.run([tool, "report", "-i", path], capture_output=True, text=True, errors="replace", check=False)
    return "no zlib" if r.returncode and "error reading header" in r.stderr else ""


def check_writing(path, plain, new, how):
    """What is written has none of the secrets; nor has it when it is unpacked."""
    r = convert(path, new, "--redact", *how)
    if r.returncode not in (0, 1) or not os.path.exists(new):
        fail(f"{how}: exit status {r.returncode}: {r.stderr}")
        return
    again = new + ".plain"
    convert(new, again, "--to", "v7", "--no-compress")
    for name, data in (new, read(new)), ("unpacked", read(again)):
        for word in secrets:
            if word in data:
                fail(f"{how}: {word.decode()} is in {os.path.basename(name)}")
    for where, left in redacted.leftovers(read(again), plain):
        fail(f"{how}: {where}: {left}")
    for kept in (b"bash", b"start_kernel", b"bpf_prog_6deef7357e7b4530_prog-1", b'"kept %s"', b"filename=%s mode=%u",
                 b"Linux host-1 6.1.0 x86_64", b"[heap]", b"do_open", b"probes_1", b"probe_1", b"var_1", b"/dso-1",
                 b"text-1"):
        if kept not in read(again):
            fail(f"{how}: {kept.decode()} has gone")
    if " 0 errors" not in run("check", new).stdout:
        fail(f"{how}: {run('check', new).stdout}")
    lines = [line for line in run("script", new).stdout.splitlines() if "do_open:" in line]
    if len(lines) < 2 or "/dso-" not in lines[0] or "mode=420" not in lines[0]:
        fail(f"{how}: events are not as long as they were: {lines}")
    for tool in "trace-cmd", newest:
        if shutil.which(tool) and not ("zlib" in how and "no zlib" in no_zlib(tool, new)):
            r = subprocess.run([tool, "report", "-i", new], capture_output=True, text=True, errors="replace",
                               check=False)
            if r.returncode or r.stdout.count("do_open:") != 3 or "probe_1:" not in r.stdout:
                fail(f"{how}: {tool}: {r.returncode}: {r.stdout}{r.stderr}")


def check_damaged(plain, new, count):
    """Bytes that are changed, and files that are cut: what sonde writes of them is sound, and has no hidden text."""
    rng = random.Random(7)
    written = 0
    for i in range(count):
        data = bytearray(plain)
        if i % 4 == 0:
            del data[rng.randrange(1, len(data)):]
        for _ in range(1 + i % 3):
            at = rng.randrange(len(data))
            data[at] = rng.choice((0, 255, data[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
        with open(new + ".damaged", "wb") as f:
            f.write(data)
        if convert(new + ".damaged", new + ".mended", "--redact").returncode > 1:
            fail(f"damage {i}: {convert(new + '.damaged', new + '.mended', '--redact')}")
        if not os.path.exists(new + ".mended"):
            continue
        written += 1
        if " 0 errors" not in run("check", new + ".mended").stdout:
            fail(f"damage {i}: {run('check', new + '.mended').stdout}")
        convert(new + ".mended", new + ".plain", "--to", "v7", "--no-compress")
        for word in secrets:
            # damage can hide that an event is a probe; its name is then one of those that stay
            if word.startswith(b"Hidden") and (word in read(new + ".mended") or word in read(new + ".plain")):
                fail(f"damage {i}: {word.decode()} is left")
    return written


def main():
    with tempfile.TemporaryDirectory() as tmp:
        path, new = os.path.join(tmp, "in.dat"), os.path.join(tmp, "out.dat")
        write(path)
        plain = read(path)
        if not redacted.leftovers(plain, plain) or not redacted.secrets(plain):
            fail("the reader of the test finds nothing in the recording itself")
        for how in ([], ["--to", "v6"], ["--to", "v7", "--compression", "zlib"], ["-z"]):
            check_writing(path, plain, new, how)
        for first in ("v6", "-z"):
            convert(path, path + first, *(["--to", "v6"] if first == "v6" else ["-z"]))
            check_writing(path + first, plain, new, [])
            check_writing(path + first, plain, new, ["--to", "v7", "--no-compress"])
        for how in (["--to", "file"], ["--to", "pipe"]):
            r = convert(path, new, "--redact", *how)
            if r.returncode == 0 or os.path.exists(new) or "in the format that it has" not in r.stderr:
                fail(f"{how}: exit status {r.returncode}: {r.stderr}")
        written = check_damaged(plain, new, int(os.environ.get("SONDE_DAMAGES", "120")))
    print(f"{len(secrets)} places, {written} files of damaged ones")
    return 1 if failures or not written else 0


sys.exit(main())
