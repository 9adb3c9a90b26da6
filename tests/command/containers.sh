#!/bin/sh
# SPDX-License-Identifier: MIT
# containers.sh - a process in namespaces of its own: its files are gone or have other names outside
. "$SONDE_SOURCE/tests/lib.sh"
need_command unshare
[ "$(id -u)" -eq 0 ] || skip "needs root"
unshare -m -p --fork --mount-proc sh -c 'mount -t tmpfs none /tmp' 2>/dev/null || skip "there are no namespaces here"
"$SONDE" record -q -e cpu-clock:u -o "$tmp/none.data" true 2>/dev/null || skip "cannot record here"

# It copies a function to memory without a name, runs it there, and describes it in /tmp/perf-PID.map.
cat >"$tmp/jitter.c" <<'E'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) unsigned turn(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}

int main(void)
{
	unsigned (*made)(unsigned) = (unsigned (*)(unsigned))mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
								   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	memcpy((void *)made, (void *)turn, 256);
	__builtin___clear_cache((char *)made, (char *)made + 256);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	fprintf(f, "%lx 100 made_inside\n", (unsigned long)made);
	fclose(f);
	for (unsigned sum = 0;; sum += turn(1000000))
		if (made(10000000) + sum == 1)
			return 1;
}
E
# shellcheck disable=SC2086
$CC -O1 -fcf-protection=none -Wl,--build-id -o "$tmp/jitter" "$tmp/jitter.c" 2>/dev/null ||
	$CC -O1 -Wl,--build-id -o "$tmp/jitter" "$tmp/jitter.c"
id=$(readelf -n "$tmp/jitter" 2>/dev/null | sed -n 's/.*Build ID: //p')
[ -n "$id" ] || skip "$CC gives programs no build id"

# its program lies in a file system that nobody else sees and is deleted after its start
mkdir "$tmp/inner"
cat >"$tmp/run.sh" <<E
mount -t tmpfs none "$tmp/inner" && cp "$tmp/jitter" "$tmp/inner/hidden" && cd "$tmp/inner" &&
	mount -t tmpfs none /tmp || exit 1
(sleep 1; rm hidden) &
exec ./hidden
E
unshare -m -p --fork --mount-proc --kill-child sh "$tmp/run.sh" &
outer=$!
pid=
at_end() {
	[ -z "$outer" ] || kill "$outer" 2>/dev/null || :
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || :
}
is_deleted() {
	pid=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null | tr -d ' ')
	case $(readlink "/proc/$pid/exe" 2>/dev/null) in
	*"hidden (deleted)") return 0 ;;
	*) return 1 ;;
	esac
}
wait_until is_deleted
run "$SONDE" record -e cpu-clock:u -p "$pid" -o "$tmp/data" -- sleep 1
want_status 0
want_err '(container|containers) .*deleted.*: --buildid-cache keeps'

# the build id of a file that no path leads to
"$SONDE" dump -i "$tmp/data" >"$tmp/dump"
grep -A 12 "build_id: $id" "$tmp/dump" | grep -q "filename: .*hidden" || fail "no build id of the deleted program"

# by which it is found elsewhere; and the map under the number of the process inside, while that lives
mkdir -p "$tmp/sys/$tmp/inner"
cp "$tmp/jitter" "$tmp/sys/$tmp/inner/hidden"
run "$SONDE" report --buildid-dir "" --sysroot "$tmp/sys" -i "$tmp/data"
want_out '\[\.\] turn$'
want_out '\[\.\] made_inside$'
kill -9 "$pid"
wait "$outer" 2>/dev/null || :
pid=
outer=
run "$SONDE" report --buildid-dir "" --sysroot "$tmp/sys" -i "$tmp/data"
want_out '\[\.\] turn$'
if grep -q made_inside "$tmp/out"; then failed_run "a name of a process that has ended"; fi

# a library that is deleted once it is mapped: its names are lost, whether its task still runs when that is read or not
cat >"$tmp/fleeting.c" <<'E'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	usleep(20000);
	if (argc != 2 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(argv[1], O_RDONLY), 0) == MAP_FAILED)
		return 1;
	unlink(argv[1]);
	for (volatile unsigned i = 0; i < 3000000; i++)
		;
	return 0;
}
E
# shellcheck disable=SC2086
$CC -O1 -Wl,--build-id -o "$tmp/fleeting" "$tmp/fleeting.c"
cp "$tmp/fleeting" "$tmp/library"
run "$SONDE" record -e cpu-clock -o "$tmp/fleeting.data" -- "$tmp/fleeting" "$tmp/library"
want_status 0
want_err 'library (was gone before it could be read: its functions have no names|.*--buildid-cache keeps)'

# the same with a jitdump, whose name is known: the file is in the container
case $(uname -m) in
x86_64 | aarch64) ;;
*) skip "jit_writer makes no code for this processor" ;;
esac
mkdir "$tmp/dumps"
# shellcheck disable=SC2016  # the inner shell expands them
unshare -m -p --fork --mount-proc --kill-child sh -c 'mount -t tmpfs none "$1" && exec "$2" "$1" stay' sh \
	"$tmp/dumps" "$SONDE_BUILD/tests/jit_writer" >"$tmp/written" 2>&1 &
outer=$!
has_dump() {
	pid=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null | tr -d ' ')
	[ -n "$pid" ] && grep -q ' r-xp .*\.dump$' "/proc/$pid/maps" 2>/dev/null
}
wait_until has_dump
run "$SONDE" record -q -k mono -e cpu-clock:u -p "$pid" -o "$tmp/dump.data" -- sleep 0.5
want_status 0
run "$SONDE" report -i "$tmp/dump.data"
want_out '\[JIT\] tid [0-9]* .*jit_(one|two|three|moved)$'
kill -9 "$pid"
wait "$outer" 2>/dev/null || :
pid=
outer=
run "$SONDE" report -i "$tmp/dump.data"
want_err 'jit-[0-9]*.dump: cannot open'
