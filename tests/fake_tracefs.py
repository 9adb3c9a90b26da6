# SPDX-License-Identifier: MIT
"""fake_tracefs.py - a folder that looks like a mounted tracefs of another machine, for `sonde record --ftrace
--tracefs`

Its settings are plain files, which take what is written; its rings are FIFOs that hold pages as a kernel writes them,
so that they are polled, read and spliced like real ones.
"""
import os
import struct

PAGE = 4096
SWITCH_ID = 7
HEADER_PAGE = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
"""
HEADER_EVENT = """# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""
COMMON = """format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""
SWITCH = "name: sched_switch\nID: %d\n" % SWITCH_ID + COMMON + """\
\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;
\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;
\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;
\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;
\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;
\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;

print fmt: "prev_comm=%s prev_pid=%d prev_prio=%d ==> next_comm=%s next_pid=%d next_prio=%d", \
REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->next_comm, REC->next_pid, REC->next_prio
"""
FUNCTION_ID, STACK_ID = 1, 4
FUNCTION = "name: function\nID: %d\n" % FUNCTION_ID + COMMON + """\
\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;
\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;

print fmt: " %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip
"""
STACK = "name: kernel_stack\nID: %d\n" % STACK_ID + COMMON + """\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;
\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;

print fmt: "\\t=> %ps\\n\\t=> %ps\\n", (void *)REC->caller[0], (void *)REC->caller[1]
"""


def record(delta, body):
    """An event of a page: what it holds is a multiple of 4 bytes."""
    assert len(body) % 4 == 0 and len(body) // 4 <= 28
    return struct.pack("<I", len(body) // 4 | delta << 5) + body


def switch(pid, comm, next_pid, next_comm, state=0):
    return struct.pack("<HBBi16siiq16sii", SWITCH_ID, 0, 0, pid, comm.encode(), pid, 120, state, next_comm.encode(),
                       next_pid, 120)


def function(pid, ip, parent):
    return struct.pack("<HBBiQQ", FUNCTION_ID, 0, 0, pid, ip, parent)


def stack(pid, *callers):
    return struct.pack("<HBBii4x%dQ" % len(callers), STACK_ID, 0, 0, pid, len(callers), *callers)


def page(time, events):
    """Events are pairs: time, body."""
    data, last = b"", time
    for at, body in events:
        data += record(at - last, body)
        last = at
    assert len(data) <= PAGE - 16
    return (struct.pack("<QQ", time, len(data)) + data).ljust(PAGE, b"\0")


class FakeTracefs:
    """root: where it is made. Rings stay open, as they would on a kernel that may write more, until close()."""

    def __init__(self, root):
        self.root = root
        self.rings = []
        self.put("events/header_page", HEADER_PAGE)
        self.put("events/header_event", HEADER_EVENT)
        self.put("events/sched/sched_switch/format", SWITCH)
        self.put("events/sched/sched_switch/id", "%d\n" % SWITCH_ID)
        self.put("events/ftrace/function/format", FUNCTION)
        self.put("events/ftrace/kernel_stack/format", STACK)
        self.put("printk_formats", "")
        self.put("saved_cmdlines", "1 init\n")
        os.makedirs(os.path.join(root, "instances"))

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def get(self, path):
        with open(os.path.join(self.root, path)) as f:
            return f.read()

    def add_buffer(self, name, pages, clock="[local] global counter"):
        """A buffer with settings of its own; name "" is the main one. pages: for each CPU a list of at most 16."""
        at = "instances/" + name + "/" if name else ""
        for file, text in (("trace_clock", clock + "\n"), ("tracing_on", "1\n"), ("buffer_size_kb", "64\n"),
                           ("tracing_cpumask", "ffff\n"), ("set_event_pid", ""), ("set_event_notrace_pid", ""),
                           ("events/sched/sched_switch/enable", "0\n"), ("events/sched/sched_switch/filter", "none\n"),
                           ("events/sched/sched_switch/trigger", "# Available triggers:\n")):
            self.put(at + file, text)
        for cpu, ring in enumerate(pages):
            self.put(at + "per_cpu/cpu%d/stats" % cpu,
                     "entries: 0\noverrun: 0\ncommit overrun: 0\ndropped events: 0\nread events: 0\n")
            path = os.path.join(self.root, at + "per_cpu/cpu%d/trace_pipe_raw" % cpu)
            os.mkfifo(path)
            fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
            for p in ring:
                assert os.write(fd, p) == len(p)
            self.rings.append(fd)

    def close(self):
        for fd in self.rings:
            os.close(fd)
        self.rings = []
