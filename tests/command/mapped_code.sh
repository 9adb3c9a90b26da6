#!/bin/sh
# SPDX-License-Identifier: MIT
# mapped_code.sh - code that programs map in their own ways: text copied to other pages, a library inside a zip file
. "$SONDE_SOURCE/tests/lib.sh"
need_command python3
need_command nm
"$SONDE" record -q -e cpu-clock:u -o "$tmp/none.data" true 2>/dev/null || skip "cannot record here"
cat >"$tmp/turn.h" <<'E'
static inline unsigned turns(unsigned n)
{
	unsigned x = 1;
	for (unsigned i = 0; i < n; i++)
		x = i & 1 ? x * 1103515245 + 12345 : x ^ x >> 3;
	return x;
}
E

# programs copy their text to huge pages, which have no file
cat >"$tmp/copied.c" <<'E'
#include <string.h>
#include <sys/mman.h>
#include "turn.h"
enum { PART = 65536 };
volatile unsigned result;
__attribute__((noinline, section("text_of_its_own"), aligned(65536))) unsigned copied_turn(unsigned n)
{
	return turns(n);
}
/* the rest of the last page */
__attribute__((noinline, section("text_of_its_own"), aligned(65536))) unsigned another_turn(unsigned n)
{
	return turns(n) + 1;
}
static char kept[PART];
int main(void)
{
	void *text = (void *)copied_turn;

	memcpy(kept, text, PART);
	if (mmap(text, PART, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != text)
		return 1;
	memcpy(text, kept, PART);
	__builtin___clear_cache((char *)text, (char *)text + PART);
	result = copied_turn(40000000) + another_turn(1);
	return 0;
}
E
# shellcheck disable=SC2086
$CC -O1 -I"$tmp" -o "$tmp/copied" "$tmp/copied.c"
run "$SONDE" record -q -e cpu-clock:u -F 499 -o "$tmp/copied.data" "$tmp/copied"
want_status 0
run "$SONDE" report -i "$tmp/copied.data"
want_out ' copied  *\[\.\] copied_turn$'
if grep -q 'perf-[0-9]*\.map' "$tmp/out"; then failed_run "the copy has lost its file"; fi

# a library of a zip file, mapped from there
cat >"$tmp/library.c" <<'E'
#include "turn.h"
__attribute__((aligned(4096))) unsigned zipped_turn(unsigned n)
{
	return turns(n);
}
E
# shellcheck disable=SC2086
$CC -O1 -I"$tmp" -shared -fPIC -Wl,-z,max-page-size=4096 -o "$tmp/libturn.so" "$tmp/library.c"
cat >"$tmp/zipped.c" <<'E'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
volatile unsigned result;
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY);
	char *code = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, atol(argv[2]));

	if (argc != 4 || code == MAP_FAILED)
		return 1;
	result = ((unsigned (*)(unsigned))(code + atol(argv[3])))(40000000);
	return 0;
}
E
# shellcheck disable=SC2086
$CC -O1 -o "$tmp/zipped" "$tmp/zipped.c"
python3 - "$tmp" "$(nm "$tmp/libturn.so" | sed -n 's/ T zipped_turn$//p')" >"$tmp/place" <<'E'
import struct
import sys
import zipfile
tmp, value = sys.argv[1], int(sys.argv[2], 16)
data = open(f"{tmp}/libturn.so", "rb").read()
bits = 64 if data[4] == 2 else 32
order = "<" if data[5] == 1 else ">"
# the program headers: the offset in the file of the function
at, = struct.unpack_from(order + ("Q" if bits == 64 else "I"), data, 32 if bits == 64 else 28)
size, count = struct.unpack_from(order + "HH", data, 54 if bits == 64 else 42)
for i in range(count):
    if bits == 64:
        kind, _, offset, vaddr, _, filesz = struct.unpack_from(order + "IIQQQQ", data, at + i * size)
    else:
        kind, offset, vaddr, _, filesz = struct.unpack_from(order + "IIIII", data, at + i * size)
    if kind == 1 and vaddr <= value < vaddr + filesz:
        inside = value - vaddr + offset
with zipfile.ZipFile(f"{tmp}/base.apk", "w") as z:
    z.writestr("classes.txt", "not a library " * 1000, zipfile.ZIP_DEFLATED)
    entry = zipfile.ZipInfo("lib/libturn.so")
    # the data of a library begin at a page, after a header of 30 bytes, the name and a filling
    start = z.fp.tell() + 30 + len(entry.filename)
    fill = -start % 65536
    entry.extra = struct.pack("<HH", 0xd935, fill - 4) + bytes(fill - 4)
    z.writestr(entry, data, zipfile.ZIP_STORED)
    start += fill
place = start + inside
print(place & ~65535, place & 65535)
E
read -r offset inside <"$tmp/place"
run "$SONDE" record -q -e cpu-clock:u -F 499 -o "$tmp/zipped.data" "$tmp/zipped" "$tmp/base.apk" "$offset" "$inside"
want_status 0
run "$SONDE" report -i "$tmp/zipped.data"
want_out ' base.apk  *\[\.\] zipped_turn$'

# cut short it has no list of files any more
head -c 70000 "$tmp/base.apk" >"$tmp/cut" && mv "$tmp/cut" "$tmp/base.apk"
run "$SONDE" report -i "$tmp/zipped.data"
want_status 0
if grep -q zipped_turn "$tmp/out"; then failed_run "a name from nowhere"; fi
