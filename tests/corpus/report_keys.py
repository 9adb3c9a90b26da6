#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report_keys.py - each sort key and mode of sonde report against perf report --stdio, on recordings that have the data

Rows and their numbers are compared, with whatever width: perf cuts the text of some columns, unless widths are given.
Where options choose samples, the sums above the rows are compared, too. No names are compared: neither program gets a
file of symbols (--kallsyms /dev/null, --symfs). Of trees of addresses each line is compared, with the last digits of
its address: perf shows addresses of the process. A row of the table may have a version of perf: the other one is known
to differ (docs/report-differences.md says how).
"""
import collections
import os
import re
import shutil
import subprocess
import sys

SONDE = os.environ["SONDE"]
CORPUS = os.environ.get("SONDE_CORPUS", os.path.join(os.environ["SONDE_SOURCE"], "../shared/corpus"))
PERFS = {"6.1": shutil.which("perf"), "7.2": os.environ.get("SONDE_NEWEST_PERF") or shutil.which("newest-perf") or
         os.path.join(CORPUS, "../tools/newest-perf")}
BARE = ["--kallsyms", "/dev/null", "--symfs", "/nonexistent", "-g", "none"]
BOTH, OLD, NEW = ("6.1", "7.2"), ("6.1",), ("7.2",)

BRANCHES = "", "-s dso_from,dso_to", "-s symbol_from,symbol_to", "-s mispredict,cycles,in_tx,abort", "-s addr_from", \
    "-s addr_to", "-s cpu,mispredict", "-s pid,dso_to", "-n -s mispredict", "-s time,comm"
BRANCH_LINES = "-F overhead,weight1,comm", "-s srcline_from", "-s srcline_to", \
    "--hierarchy -s dso_from,mispredict,dso_to"
HISTORY = "--branch-history", "--branch-history --no-children", "--branch-history -n", \
    "--branch-history -G --percent-limit 20", \
    "--branch-history -s dso,callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles"
CHOSEN = "--pid 2046 -s comm,pid -n", "--tid 2053 -s comm -n", "--pid 2046 --tid 2053 -s comm,pid", \
    "--comms chrome -s pid -n", "--comms chrome,perf --pid 4371 -s pid", \
    "--percentage relative --tid 2053 -s comm -n"
OF_BINARIES = "--percentage relative -d chrome -s comm -n", "--percentage relative -d [kernel.kallsyms] -s cpu -n", \
    "--percentage relative -d [kernel.kallsyms] -s comm,pid"
ADDRESSES = "-g address --no-children", "-g caller,address --no-children -s comm", \
    "-g branch,address --no-children"
MEMORY = "--mem-mode -s local_weight", "--mem-mode -s weight", "--mem-mode -s snoop,tlb", \
    "--mem-mode -s locked,blocked", "--mem-mode -s symbol_daddr,symbol", "--mem-mode -s dso_daddr,snoop", \
    "--mem-mode -s symbol_iaddr", "--mem-mode -s phys_daddr", "--mem-mode -s data_page_size,code_page_size", \
    "--mem-mode -s local_ins_lat,dso", "--mem-mode -s dso,sym", "--mem-mode -n -s snoop"
RETIRED = "--mem-mode -s ins_lat,p_stage_cyc", "--mem-mode -s local_ins_lat,local_p_stage_cyc", \
    "--mem-mode --hierarchy -s tlb,dso_daddr", "--mem-mode -F overhead,weight1,weight2,weight3,sym"
CLASSES = "--mem-mode -F overhead,op,cache -s comm", "--mem-mode -F overhead,memory,dtlb,sample -s dso,sym"
GROUPS = "", "-s comm,dso -n", "-s sym --show-total-period", "-s comm,dso --group-sort-idx 1", \
    "-s comm --percent-limit 20", "--hierarchy -s comm,dso,sym -n", "--hierarchy -s dso,comm --group-sort-idx 1"
FIELDS = "-s prev_comm,prev_pid", "-s sched:sched_switch.prev_pid", "-s sched_switch.prev_state/raw,next_comm", \
    "-s comm,sched_stat_runtime.*", "-s prev_pid,next_pid --percent-limit 5"
# recording, options, versions of perf that print the same
TABLE = [
    ("perf/quipper-perf.data.branch_stack_hw_index", BRANCHES, BOTH),
    ("perf/quipper-perf.data.branch_stack_hw_index", BRANCH_LINES, NEW),
    ("perf/quipper-perf.data.branch_stack_spec", BRANCHES, BOTH),
    ("perf/aosp-perf_b.data", BRANCHES, BOTH),
    ("perf/autofdo-hierarchical_discriminator_test.x86_64.perf.data", ("-s comm", "-s mispredict,cycles"), NEW),
    ("perf/aosp-lbr-perf_lbr.data", ("-s comm", "-s dso_from,dso_to", "-s cycles,mispredict", "-s addr_to"), NEW),
    ("perf/perfparser-vector_static_gcc.perf.lbr.data", ("--no-children -s comm,dso", "-b -s dso_from,cycles"), BOTH),
    ("perf/quipper-perf.data.branch_stack_hw_index", HISTORY, NEW),
    ("perf/quipper-perf.data.branch_stack_spec", HISTORY, NEW),
    ("perf/aosp-perf_b.data", HISTORY, NEW),
    ("perf/aosp-lbr-perf_lbr.data", HISTORY, NEW),
    ("perf/quipper-perf.data.forkexit-3.8", ("--hierarchy --percent-limit 10 -s dso,comm,sym",
                                             "--hierarchy --percent-limit 10 -n -s dso,comm"), BOTH),
    ("perf/quipper-perf.data.systemwide.0-3.4", CHOSEN, BOTH),
    ("perf/quipper-perf.data.systemwide.0-3.4", OF_BINARIES, OLD),
    ("perf/quipper-perf.data.branch_stack_hw_index", ("--comms chrome -n",
                                                          "--percentage relative --comms chrome"), NEW),
    ("perf/perfparser-vector_static_clang.perf.data", ("--mem-mode -s local_weight,sym",
                                                           "--mem-mode --children -s sym"), BOTH),
    ("perf/quipper-perf.data.callgraph-3.8", ADDRESSES, NEW),
    ("perf/quipper-perf.data.callgraph_and_branch-3.4", ("--no-branch-stack -g address --no-children",), NEW),
    ("perf/quipper-perf.data.weight_struct", MEMORY, BOTH),
    ("perf/quipper-perf.data.weight_struct", ("-s simd", "-s comm,simd,sym", "--hierarchy -s comm,simd,dso"), NEW),
    ("perf/quipper-perf.data.weight_struct", ("--mem-mode", "--mem-mode -s mem", *RETIRED, *CLASSES), NEW),
    ("recorded/perf6.1-physaddr.data", MEMORY, BOTH),
    ("recorded/perf6.1-physaddr.data", ("--mem-mode", *RETIRED, *CLASSES), NEW),
    ("recorded/perf7.2-inheritstat.data", ("--mem-mode", "--mem-mode -s symbol_daddr,symbol,dso_daddr"), NEW),
    ("perf/quipper-perf.data.group_desc-4.14", GROUPS, BOTH),
    ("perf/quipper-perf.data.hw_and_sw-3.4", ("--group -s comm,dso -n", "--group -s sym",
                                              "--group --hierarchy -s comm,dso,sym"), NEW),
    ("recorded/perf6.1-weight.data", ("-s local_weight", "-s weight", "-s local_ins_lat,ins_lat"), BOTH),
    ("recorded/perf6.1-physaddr.data", ("-s code_page_size", "-s transaction"), BOTH),
    ("recorded/perf6.1-sched.data", ("-s trace", "-s trace,comm", "-s prev_state", "-s sched_switch.*",
                                     "-s trace_fields/raw", "--raw-trace -s trace"), OLD),
    ("recorded/perf6.1-sched.data", FIELDS, BOTH),
    ("recorded/perf6.1-kprobe.data", ("", "-s +comm"), BOTH),
    ("recorded/perf6.1-kprobe.data", ("-s comm,ret", "-s ret,__probe_ip", "--raw-trace", "-s trace_fields/raw"), OLD),
    ("recorded/perf6.1-lost.data", ("", "-s id", "-s common_pid,id -n"), BOTH),
    ("recorded/perf6.1-pipe_stdout_raw.data", ("--no-children -s trace,comm",), OLD),
    ("recorded/perf7.2-trace.data", ("",), NEW),
    ("cases/raw-trace3.data", ("--raw-trace -s comm,dso", "--raw-trace -n -s dso"), NEW),
    ("recorded/perf6.1-allcgroups.data", ("-s socket", "-s cgroup,socket"), BOTH),
    ("recorded/perf6.1-allcgroups.data", ("-s comm_nodigit",), NEW),
    ("perf/quipper-perf.data.ctx_switch_namespaces-4.14", ("-s cgroup_id,comm",), BOTH),
]


def rows(command, trees, head):
    told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    lines = (re.sub(r"\s+", " ", line).strip() for line in told.stdout.decode(errors="replace").splitlines())
    if trees:
        lines = (re.sub(r"\b(0x)?[0-9a-f]{0,13}([0-9a-f]{3})\b(?= \(|$)", r"\2", line) for line in lines)
    return collections.Counter(line for line in lines if (head and re.match("# (Samples|Event count)", line)) or
                               ((trees or re.search(r"\d%", line)) and line[:1] not in "#"))


def is_version(tool, version):
    return tool and os.access(tool, os.X_OK) and f"perf version {version}" in subprocess.run(
        [tool, "--version"], capture_output=True, text=True, check=False).stdout


def compare(version, path, options):
    trees = "--branch-history" in options or "-g " in options
    head = bool(re.search("--(pid|tid|comms|percentage)", options))
    words = ["-i", os.path.join(CORPUS, path), *BARE[:4 if trees else 6], *options.split()]
    wide = [] if re.search("cpu|socket|trace|kprobe|lost|history", path + options) else ["-w", ",".join(["90"] * 16)]
    theirs = rows([PERFS[version], "report", "--stdio", *words, *wide], trees, head)
    ours = rows([SONDE, "report", *words], trees, head)
    if ours and ours == theirs:
        return True
    print(f"{path} {options}: perf {version}: {sum(ours.values())} rows, perf {sum(theirs.values())}\n"
          f"  only sonde: {list((ours - theirs).elements())[:3]}\n"
          f"  only perf:  {list((theirs - ours).elements())[:3]}")
    return False


def main():
    if not os.path.isdir(CORPUS):
        print("skipped: there is no corpus")
        return 77
    perfs = {version for version, tool in PERFS.items() if is_version(tool, version)}
    if not perfs:
        print("skipped: there is no perf to compare with")
        return 77
    done = [compare(version, path, options) for path, several, versions in TABLE for options in several
            for version in versions if version in perfs]
    print(f"{len(done)} reports compared, {done.count(False)} differ")
    return 1 if False in done else 0


if __name__ == "__main__":
    os.environ.update(LC_ALL="C", PERF_CONFIG="/dev/null", DEBUGINFOD_URLS="")
    sys.exit(main())
