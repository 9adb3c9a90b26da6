#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""evlist.py: `sonde evlist` and `sonde buildid-list` print the lines of perf's for every recording of the corpus.

Held against the newest perf, which names types and configs of attrs (SONDE_NEWEST_PERF, else beside the corpus). What
both print is changed alike where perf asks this machine for what the recording says.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

SKIP = 77
source = os.environ["SONDE_SOURCE"]
corpus = os.environ.get("SONDE_CORPUS", os.path.join(source, "..", "shared", "corpus"))
perf = os.environ.get("SONDE_NEWEST_PERF", os.path.join(corpus, "..", "tools", "newest-perf"))
sonde = os.environ["SONDE"]

COMMANDS = [["evlist"], ["evlist", "-F"], ["evlist", "-g"], ["evlist", "-v"], ["evlist", "--trace-fields"],
            ["buildid-list"], ["buildid-list", "-H"]]

CHANGES = [
    (r"^# Tip: use 'perf ", r"# Tip: use 'sonde "),
    # a tracepoint: perf looks its number up in the tracefs of this machine
    (r"(config: \w+) \(\w+:[^)]*\)", r"\1"),
    (r"(config: 0x\w{9,}) \([^)]*\)", r"\1"),          # so it does with the number of a PMU
    (r"type: (\d+) \(([a-z]\w*|PERF_TYPE_RAW)\)", r"type: \1"),
    (r"^([\w-]+):[ukhpPHG]+(?=\W|$)", r"\1"),          # modifiers that the name of a stream's event has from its attr
    (r"^unknown event PMU=(\d+) config=", r"type \1 config "),
    (r"/tmp/perf-vdso\.so-\w+", "[vdso]"),             # a copy that the recorder made
]


def lines_of(command, file):
    # perf prints names that it has freed, which the test runner has malloc overwrite
    env = {name: value for name, value in os.environ.items() if command[0] != perf or name != "MALLOC_PERTURB_"}
    done = subprocess.run(command + ["-i", file], capture_output=True, text=True, errors="replace", timeout=600,
                          check=False, env=env)
    lines = []
    for line in done.stdout.splitlines():
        for pattern, by in CHANGES:
            line = re.sub(pattern, by, line)
        lines.append(line)
    return (build_ids(lines) if command[1] == "buildid-list" else lines), done


# Attrs that no recording of the corpus has: type and config.
GENERIC = [(0, 7), (0, 8), (0, 9), (0, 10), (1, 4), (1, 6), (1, 7), (1, 8), (1, 10), (1, 11), (1, 12), (3, 0),
           (3, 0x10000), (3, 0x10203),
           (3, 0x106), (3, 0x7), (3, 0x300), (3, 0x20000), (4, 0x1B7), (5, 0), (77, 5)]


def patched(file, attr_type, config, copy):
    """A copy of a recording of this byte order, whose first attr has another type and config."""
    with open(file, "rb") as f:
        data = bytearray(f.read())
    attrs = struct.unpack_from("<Q", data, 24)[0]
    struct.pack_into("<I", data, attrs, attr_type)
    struct.pack_into("<Q", data, attrs + 8, config)
    with open(copy, "wb") as f:
        f.write(data)
    return copy


def build_ids(lines):
    """By path: perf lists a path again, perhaps without its id, when it was mapped from another inode."""
    ids = {}
    for line in lines:
        build_id, path = line[:40].strip(), line[41:]
        ids[path] = ids.get(path) or build_id
    return [f"{ids[path]:40} {path}" for path in sorted(ids)]


def compare(command, file):
    """1 if the lists differ, 0 if not, None if perf does not print one."""
    theirs, done = lines_of([perf] + command, file)
    if done.returncode or not theirs or re.search("[Ee]rror|ERROR|[Ff]ailed", done.stderr):
        return None
    ours, _ = lines_of([sonde] + command, file)
    if ours == theirs:
        return 0
    print(f"FAILED: {' '.join(command)} of {file}")
    print("".join(f"  - {line}\n" for line in theirs if line not in ours) +
          "".join(f"  + {line}\n" for line in ours if line not in theirs), end="")
    return 1


def main():
    if not os.path.isdir(corpus) or not os.access(perf, os.X_OK):
        print(f"skipped: there is no corpus at {corpus} (set SONDE_CORPUS), or no {perf} (set SONDE_NEWEST_PERF)")
        return SKIP
    results = []
    for folder in ("perf", "recorded"):
        for name in sorted(os.listdir(os.path.join(corpus, folder))):
            if not re.search(r"\.data|perf", name) or name == "expected":
                continue
            results += [compare(command, os.path.join(corpus, folder, name)) for command in COMMANDS
                        if name not in DIFFERENT.get(" ".join(command), {})]
    with tempfile.TemporaryDirectory() as folder:
        for attr_type, config in GENERIC:
            file = patched(os.path.join(corpus, "recorded", "perf6.1-groupS.data"), attr_type, config,
                           os.path.join(folder, "copy"))
            results.append(compare(["evlist", "-v"], file))
    held = [r for r in results if r is not None]
    print(f"{len(held)} lists compared, {sum(held)} differ")
    return 1 if sum(held) or len(held) < 700 else 0


TRACEPOINTS = "perf does not name the tracepoints of a stream before it has read all of it"
GROUPS = "perf has no groups in a stream"
IDS = "perf has lost the id of a binary that was mapped from two inodes, which the header tells"
# Recordings of which perf prints something else as a whole, and why.
EVENTS = {
    "armhf-pipe.data": TRACEPOINTS, "s390x-pipe.data": TRACEPOINTS, "perf6.1-pipe_tp.data": TRACEPOINTS,
    "perf6.1-pipe_stdout_raw.data": TRACEPOINTS, "perf7.2-pipe_stdout_raw.data": TRACEPOINTS,
    "perf6.1-inject_tofifo.data": "broken stream: tracepoints without a name are named in other words",
    "perf6.1-groupS_pipe.data": GROUPS, "perf7.2-groupS_pipe.data": GROUPS,
}
DIFFERENT = {
    **{command: EVENTS for command in ("evlist", "evlist -F", "evlist -g", "evlist -v", "evlist --trace-fields")},
    "buildid-list -H": {
        "aosp-perf_with_mini_debug_info.data":
            "a kernel without a mapping: perf takes any address of its half for the kernel's",
        "quipper-perf.data.intel_pt-4.14": "perf decodes the hardware trace: binaries that no sample is in",
        "perf6.1-allcgroups.data": IDS, "perf6.1-switchevents.data": IDS, "s390x-dir.data": IDS,
    },
}

if __name__ == "__main__":
    sys.exit(main())
