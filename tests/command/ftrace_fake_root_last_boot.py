#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ftrace_fake_root_last_boot.py: buffers that have outlived a boot, from a folder that looks like a tracefs with some

The pages hold addresses of a kernel that lay elsewhere; the symbols are those of the kernel that runs here.
"""
import os
import re
import subprocess
import sys
import tempfile

source = os.environ["SONDE_SOURCE"]
sys.path.insert(0, os.path.join(source, "tests"))
import fake_tracefs

SKIP = 77
TASK = 77                    # of the boot before: whoever has this number now is somebody else
SHIFT = 0x1a000000           # where that kernel was, seen from this one
GONE = 0xffffffffff200000    # a module that is not there any more
sonde = os.environ["SONDE"]
newest = os.path.join(source, "..", "shared", "tools", "newest-perf")


def fail(text):
    print("FAILED:", text, file=sys.stderr)
    sys.exit(1)


def run(*command):
    p = subprocess.run([sonde, *command], capture_output=True, text=True, timeout=600)
    if p.returncode:
        fail(f"{command}: status {p.returncode}: {p.stderr}")
    return p.stdout


def symbols():
    with open("/proc/kallsyms") as f:
        return {name: int(address, 16) for address, _, name in (line.split()[:3] for line in f)}


def make_page(text, shift):
    read, write = text["vfs_read"] + shift, text["vfs_write"] + shift
    return fake_tracefs.page(1000000, [
        (1001000, fake_tracefs.function(TASK, read, write)),
        (1002000, fake_tracefs.stack(TASK, read + 16, write + 32, GONE + 64)),
        (1003000, fake_tracefs.switch(TASK, "of then", 0, "swapper/0"))])


def body(path, name):
    """Lines of the events of one buffer, without their columns."""
    lines, of_it = [], False
    for line in run("script", path).splitlines():
        columns = re.match(r"^ *(\S+): +.*-\d+ +\[\d+\] \S+ +\d+\.\d+: (\S+: .*)$", line)
        if not line.startswith("=>"):
            of_it = columns and columns[1] == name
            line = columns[2] if columns else line
        if of_it:
            lines.append(re.sub(" +", " ", line.rstrip()))
    return lines


def without_name(text):
    """trace-cmd learns the name of a task too late for the line that tells it."""
    return re.sub(r"^boot_map: .*?-77 ", "", text, flags=re.M)


def expect(path, name, moved):
    address = [text["vfs_read"] + 16 + moved, text["vfs_write"] + 32 + moved, GONE + 64]
    want = ["function: vfs_read", "kernel_stack: <stack trace >", "=> vfs_read (%x)" % address[0],
            "=> vfs_write (%x)" % address[1],
            "=> %x" % address[2], "sched_switch: of then:77 [120] R ==> swapper/0:0 [120]"]
    got = body(path, name)
    if got != want:
        fail(f"{path}, {name}: {got}, not {want}")


text = symbols()
if not text.get("_text"):
    print("skipped: /proc/kallsyms hides addresses")
    sys.exit(SKIP)
with tempfile.TemporaryDirectory(prefix="sonde-test.") as tmp:
    os.chdir(tmp)
    root = fake_tracefs.FakeTracefs(os.path.join(tmp, "tracing"))
    then = (text["_text"] + SHIFT) & 0xffffffffffffffff
    infos = {"boot_map": (SHIFT, "%x\t[kernel]\n%x\tgone\n" % (then, GONE)),
             "boot_6.12": (SHIFT, "text delta:\t%d\ndata delta:\t%d\n" % (-SHIFT, -SHIFT)),
             "boot_now": (0, "# Current\n")}

    # ---- one buffer, of each kind ----
    for name, (shift, info) in infos.items():
        root.add_buffer(name, [[make_page(text, shift)]])
        root.put("instances/%s/last_boot_info" % name, info)
        # knows nothing of modules: an address of one is moved with the kernel, to where nothing is
        if name == "boot_6.12":
            continue
        run("extract", "--tracefs", root.root, "-B", name, "-o", name + ".dat")
        expect(name + ".dat", name, shift)
        names = run("script", name + ".dat")
        if name == "boot_map" and not re.search(r" <\.\.\.>-77 ", names):
            fail(f"a task of the boot before has a name of this one: {names}")
        if "LAST_BOOT_INFO" not in run("info", "-I", name + ".dat"):
            fail("what is known of the boot before is not kept")
    run("extract", "--tracefs", root.root, "-B", "boot_6.12", "-o", "boot_6.12.dat")
    if body("boot_6.12.dat", "boot_6.12")[2:4] != ["=> vfs_read (%x)" % (text["vfs_read"] + 16 + SHIFT),
                                                  "=> vfs_write (%x)" % (text["vfs_write"] + 32 + SHIFT)]:
        fail(f"deltas: {body('boot_6.12.dat', 'boot_6.12')}")
    root.close()

    # ---- several together, one of which is of this boot ----
    for name, (shift, info) in infos.items():
        os.unlink(os.path.join(root.root, "instances", name, "per_cpu/cpu0/trace_pipe_raw"))
        root.add_buffer(name, [[make_page(text, shift)]])
    run("extract", "--tracefs", root.root, *[word for name in infos for word in ("-B", name)], "-o", "all.dat")
    root.close()
    expect("all.dat", "boot_map", SHIFT)
    expect("all.dat", "boot_now", 0)

    # ---- and through the commands that write files ----
    run("convert", "-z", "all.dat", "packed.dat")
    run("convert", "--to", "v6", "all.dat", "v6.dat")
    run("cut", "--cpu", "0", "packed.dat", "cut.dat")
    for path in "packed.dat", "v6.dat", "cut.dat":
        expect(path, "boot_map", SHIFT)
        expect(path, "boot_now", 0)
    shown = run("report", "boot_map.dat", "-g")
    if "vfs_read" not in shown or "vfs_write" not in shown:
        fail(f"no names in the tree of a stack: {shown}")

    # ---- trace-cmd, where one is there that knows of it (and looks into compressed lists of modules only): the same
    # text ----
    if os.access(newest, os.X_OK):
        os.symlink(newest, "newest-trace-cmd")
        run("convert", "-z", "boot_map.dat", "theirs.dat")
        p = subprocess.run(["./newest-trace-cmd", "report", "theirs.dat"], capture_output=True, text=True, timeout=500)
        if p.returncode == 0 and without_name(p.stdout) != without_name(run("script", "theirs.dat")):
            fail(f"trace-cmd: {p.stdout}\nsonde: {run('script', 'theirs.dat')}")
