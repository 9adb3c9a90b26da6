/* SPDX-License-Identifier: MIT */
#include "perfdata/format/record_fields.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/buf.h"

/* Fields as "name=value" or "name[index]=value", a blank after each. */
static int gather(void *ctx, const struct sonde_field *f)
{
	struct buf *out = ctx;

	buf_str(out, f->name);
	if (f->index != SONDE_NONE)
		buf_printf(out, "[%u]", (unsigned)f->index);
	buf_char(out, '=');
	switch (f->kind) {
	case SONDE_FIELD_I64:
		buf_i64(out, (int64_t)f->u);
		break;
	case SONDE_FIELD_HEX:
		buf_printf(out, "0x%" PRIx64, f->u);
		break;
	case SONDE_FIELD_TEXT:
	case SONDE_FIELD_NAMED:
		buf_put(out, f->text.p, f->text.len);
		break;
	case SONDE_FIELD_BYTES:
		for (size_t i = 0; i < f->bytes.len; i++)
			buf_hex_zero(out, f->bytes.p[i], 2);
		break;
	case SONDE_FIELD_DOUBLE:
		buf_printf(out, "%g", f->d);
		break;
	default:
		buf_u64(out, f->u);
	}
	buf_char(out, ' ');
	return 0;
}

static void expect_order(uint32_t type, uint16_t misc, const void *body, size_t n, bool big_endian, int result,
			 const char *text)
{
	uint8_t *p = malloc(8 + n);
	struct record rec = { p, 8 + n, type, misc, big_endian != host_is_big_endian() };
	struct buf out = BUF_MEMORY;

	memset(p, 0, 8);
	memcpy(p + 8, body, n);
	assert_int_equal(record_fields(&rec, NULL, gather, &out), result);
	buf_char(&out, '\0');
	assert_string_equal(out.p, text);
	buf_free(&out);
	free(p);
}

static void expect(uint32_t type, uint16_t misc, const void *body, size_t n, int result, const char *text)
{
	expect_order(type, misc, body, n, false, result, text);
}

static void fixed_fields(void **state)
{
	(void)state;
	expect(RECORD_COMM, 0, "\1\0\0\0\xff\xff\xff\xff" "ls\0\0\0\0\0\0", 16, 0, "pid=1 tid=-1 comm=ls ");
	expect(RECORD_AUX, 0, "\0\x10\0\0\0\0\0\0\0\2\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 24, 0,
	       "aux_offset=0x1000 aux_size=0x200 flags=TRUNCATED|PARTIAL ");
	expect(RECORD_BPF_EVENT, 0, "\1\0\0\0\7\0\0\0\1\2\3\4\5\6\7\x10", 16, 0,
	       "type=PROG_LOAD flags=0 id=7 tag=0102030405060710 ");
}

static void varying_fields(void **state)
{
	(void)state;
	expect(RECORD_SWITCH, 0x6000, "", 0, 0, "switch=OUT preempt ");
	expect(RECORD_TEXT_POKE, 0, "\0\0\0\0\1\0\0\0\2\0\3\0\x0f\x1f\xe9\1\2\0\0\0", 20, 0,
	       "addr=0x100000000 old_len=2 new_len=3 old_bytes=0f1f new_bytes=e90102 ");
	expect(RECORD_THREAD_MAP, 0,
	       "\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
	       "demo\0\0\0\0\0\0\0\0\0\0\0\0",
	       32, 0, "nr=1 pid[0]=-1 comm[0]=demo ");
	expect(RECORD_CPU_MAP, 0, "\1\0\1\0\x8\0\0\0\0\0\5\0\0\0\0\0\0\0", 18, 0, "type=MASK mask[0]=0x5 ");
	expect(RECORD_CPU_MAP, 0, "\0\0\1\0\xff\xff\0\0", 8, 0, "type=CPUS cpu[0]=-1 ");
	expect(RECORD_CPU_MAP, 0, "\2\0\0\0\0\0\3\0", 8, 0, "type=RANGE any_cpu=0 start_cpu=0 end_cpu=3 ");
	expect(RECORD_EVENT_UPDATE, 0, "\1\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\xe0\x3f", 24, 0,
	       "type=SCALE id=5 scale=0.5 ");
	expect(RECORD_MMAP2, MISC_MMAP_BUILD_ID,
	       "\1\0\0\0\1\0\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	       "\2\0\0\0\xab\xcd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\2\0\0\0/a\0\0\0\0\0\0", 72, 0,
	       "pid=1 tid=1 addr=0x1000 len=0x2000 pgoff=0x0 build_id=abcd prot=READ|EXEC flags=PRIVATE filename=/a ");
	/* no build id has 21 bytes: these are numbers of a device, whatever the bit says */
	expect(RECORD_MMAP2, MISC_MMAP_BUILD_ID,
	       "\1\0\0\0\1\0\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	       "\x15\0\0\0\3\0\0\0\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\2\0\0\0/a\0\0\0\0\0\0",
	       72, 0,
	       "pid=1 tid=1 addr=0x1000 len=0x2000 pgoff=0x0 maj=21 min=3 ino=7 ino_generation=0 prot=READ|EXEC "
	       "flags=PRIVATE filename=/a ");
}

/* The same set of bytes in both byte orders, alone in a CPU_MAP and after the id of an EVENT_UPDATE. */
static void expect_cpus(const char *little, const char *big, size_t n, const char *map, const char *update)
{
	char body[64] = "\3\0\0\0\0\0\0\0\5\0\0\0\0\0\0";

	expect_order(RECORD_CPU_MAP, 0, little, n, false, 0, map);
	expect_order(RECORD_CPU_MAP, 0, big, n, true, 0, map);
	memcpy(body + 16, little, n);
	expect_order(RECORD_EVENT_UPDATE, 0, body, 16 + n, false, 0, update);
	memcpy(body, "\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\5", 16);
	memcpy(body + 16, big, n);
	expect_order(RECORD_EVENT_UPDATE, 0, body, 16 + n, true, 0, update);
}

static void sets_of_cpus(void **state)
{
	(void)state;
	expect_cpus("\0\0\3\0\xff\xff\2\0\1\1\0\0\0\0\0\0", "\0\0\0\3\xff\xff\0\2\1\1\0\0\0\0\0\0", 16,
		    "type=CPUS cpu[0]=-1 cpu[1]=2 cpu[2]=257 ", "type=CPUS id=5 cpu[0]=-1 cpu[1]=2 cpu[2]=257 ");
	expect_cpus("\1\0\2\0\4\0\5\0\0\x80\1\0\0\0\0\0", "\0\1\0\2\0\4\x80\0\0\5\0\0\0\1\0\0", 16,
		    "type=MASK mask[0]=0x80000005 mask[1]=0x1 ", "type=CPUS id=5 mask[0]=0x80000005 mask[1]=0x1 ");
	expect_cpus("\1\0\2\0\x8\0\0\0\0\0\5\0\0\0\0\0\0\x80\1\0\0\0\0\0\0\0",
		    "\0\1\0\2\0\x8\0\0\0\0\x80\0\0\0\0\0\0\5\0\0\0\0\0\0\0\1", 26,
		    "type=MASK mask[0]=0x8000000000000005 mask[1]=0x1 ",
		    "type=CPUS id=5 mask[0]=0x8000000000000005 mask[1]=0x1 ");
	expect_cpus("\2\0\1\0\2\0\1\1", "\0\2\1\0\0\2\1\1", 8, "type=RANGE any_cpu=1 start_cpu=2 end_cpu=257 ",
		    "type=CPUS id=5 any_cpu=1 start_cpu=2 end_cpu=257 ");
}

static void threads(void **state)
{
	static const char text[] = "nr=2 pid[0]=-1 comm[0]=a pid[1]=258 comm[1]=demo ";
	static const char little[] = "\2\0\0\0\0\0\0\0"
				     "\xff\xff\xff\xff\xff\xff\xff\xff" "a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
				     "\2\1\0\0\0\0\0\0" "demo\0\0\0\0\0\0\0\0\0\0\0\0";
	static const char big[] = "\0\0\0\0\0\0\0\2"
				  "\xff\xff\xff\xff\xff\xff\xff\xff" "a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
				  "\0\0\0\0\0\0\1\2" "demo\0\0\0\0\0\0\0\0\0\0\0\0";

	(void)state;
	expect_order(RECORD_THREAD_MAP, 0, little, 56, false, 0, text);
	expect_order(RECORD_THREAD_MAP, 0, big, 56, true, 0, text);
}

static void unknown_and_cut(void **state)
{
	(void)state;
	expect(60, 0, "\1\2", 2, 0, "data=0102 ");
	assert_string_equal(sonde_event_type_name(32775), "SIMPLEPERF_CALLCHAIN");
	assert_string_equal(sonde_event_type_name(32778), "SIMPLEPERF_DEBUG");
	assert_null(sonde_event_type_name(32768));
	assert_null(sonde_event_type_name(32779));
	expect(32775, 0, "\1\2", 2, 0, "data=0102 ");
	expect(RECORD_LOST, 0, "\1\0\0\0\0\0\0\0", 8, -SONDE_CORRUPT, "id=1 ");
	expect(RECORD_TEXT_POKE, 0, "\0\0\0\0\0\0\0\0\x10\0\0\0\1\2", 14, -SONDE_CORRUPT,
	       "addr=0x0 old_len=16 new_len=0 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_fields),
		cmocka_unit_test(varying_fields),
		cmocka_unit_test(sets_of_cpus),
		cmocka_unit_test(threads),
		cmocka_unit_test(unknown_and_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
