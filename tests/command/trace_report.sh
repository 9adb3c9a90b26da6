#!/bin/sh
# SPDX-License-Identifier: MIT
# trace_report.sh - `sonde script` of a new recording of this kernel's events, against trace-cmd report, byte for byte
. "$SONDE_SOURCE/tests/lib.sh"
cd "$tmp"
need_command python3
[ "$SONDE_SANITIZE" = none ] || skip "what a sanitizer slows down loses too many events"

# A bit of everything that kernels have events for.
cat >work.sh <<'WORK'
dd if=/dev/zero of=a bs=64k count=30 conv=fsync
cp a b; mv b c; ln -s c l; mkdir d; rmdir d; chmod 600 c; cat c >/dev/null; truncate -s 100 c; rm l
python3 - <<'PYTHON'
import mmap, os, select, signal, socket, subprocess, threading, time
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
client.sendall(b"x" * 5000)
peer.recv(5000)
client.close()
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hi", ("127.0.0.1", 9))
memory = mmap.mmap(-1, 1 << 21)
memory[:] = b"y" * (1 << 21)
memory.madvise(mmap.MADV_DONTNEED)
threads = [threading.Thread(target=lambda: sum(range(100000))) for _ in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.05)
r, w = os.pipe()
poll = select.epoll()
poll.register(r, select.EPOLLIN)
os.write(w, b"1")
poll.poll(0.1)
if os.fork() == 0:
    os._exit(0)
os.wait()
os.nice(1)
os.sched_yield()
for cpu in sorted(os.sched_getaffinity(0))[:2]:
    os.sched_setaffinity(0, {cpu})
with open("a", "r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
    pages[:100] = b"z" * 100
    pages.flush()
subprocess.run(["true"])
PYTHON
WORK
run "$SONDE" record -q --ftrace -e all -m 16M -o new.dat -- sh work.sh
[ "$status" -eq 0 ] || skip "the kernel cannot be traced here: $(tail -1 "$tmp/err")"

"$SONDE" script new.dat 2>/dev/null | sed -nE 's/^.{16,}-[0-9]+ +\[[0-9]+\] .{5,} [0-9.]+: ([^ :]+): .*/\1/p' |
	sort -u >names
[ "$(wc -l <names)" -ge 150 ] || fail "only $(wc -l <names) different events"
echo "$(wc -l <names) different events"
python3 "$SONDE_SOURCE/tests/corpus/trace_report.py" new.dat
