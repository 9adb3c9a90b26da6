/* SPDX-License-Identifier: MIT */
#include "tracefmt/print.h"
#include "tracefmt/tracefmt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/bytes.h"

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
#define FIELD(type, offset, size, sign) "\tfield:" type ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

static const char ksyms[] = "0000000000001000 T alpha\n0000000000001000 t other\n0000000000000500 t low\n"
			    "0000000000002000 t beta\t[mod]\n0000000000001800 a absolute\n"
			    "0000000000001900 t $x\nrubbish\n"
			    "0000000000009000 T end\n";

static int load(void *ctx, struct buf *out)
{
	(void)ctx;
	buf_put(out, ksyms, sizeof(ksyms) - 1);
	return out->failed;
}

/* A record that is put together word by word, in the recorder's byte order. */
struct built_record {
	bool big_endian;
	size_t n;
	uint8_t p[512];
};

static void put(struct built_record *r, size_t at, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		r->p[at + (r->big_endian ? size - 1 - i : i)] = (uint8_t)(v >> 8 * i);
	if (at + size > r->n)
		r->n = at + size;
}

static void put_text(struct built_record *r, size_t at, const char *s)
{
	memcpy(r->p + at, s, strlen(s) + 1);
	if (at + strlen(s) + 1 > r->n)
		r->n = at + strlen(s) + 1;
}

static struct tracefmt *with(const char *system, const char *format, bool big_endian)
{
	struct tracefmt *t = tracefmt_new(big_endian, 8);
	static const char printk[] = "0x77 : \"n=%d %s %-4hhd| %lx %lld %c %*d %pS %pI4 %.2s%%\\nnext\\n\"\n";
	struct sonde_error err = { 0 };

	if (tracefmt_add_format(t, system, (struct sonde_str){ format, strlen(format) }, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(tracefmt_add_printk(t, (struct sonde_str){ printk, sizeof(printk) - 1 }), 0);
	tracefmt_symbols_from(t, load, NULL);
	return t;
}

static void expect(const struct tracefmt *t, const struct built_record *r, const struct tracefmt_context *ctx,
	const char *expected)
{
	uint8_t *exact = malloc(r->n);   /* so that a read beyond it is seen */
	struct buf out = BUF_MEMORY;

	memcpy(exact, r->p, r->n);
	tracefmt_print(tracefmt_event_at(t, 0), (struct sonde_bytes){ exact, r->n }, ctx, &out);
	buf_put(&out, "", 1);
	assert_string_equal(out.p, expected);
	buf_free(&out);
	free(exact);
}

static const struct tracefmt_context report = { .style = TRACEFMT_TRACE_CMD };

static void test_function(void **state)
{
	struct tracefmt *t = with("ftrace", "name: function\nID: 1\nformat:\n" COMMON FIELD("unsigned long ip", 8, 8, 0)
				  FIELD("unsigned long parent_ip", 16, 8, 0)
				  "\nprint fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n", false);
	struct built_record r = { .n = 24 };
	const struct tracefmt_context deep = { .style = TRACEFMT_TRACE_CMD, .depth = 2 };

	(void)state;
	put(&r, 8, 0x1010, 8);
	put(&r, 16, 0x2000, 8);
	expect(t, &r, &report, "alpha");
	expect(t, &r, &deep, "      alpha");
	expect(t, &r, NULL, " alpha <-- beta");
	put(&r, 8, 0x9001, 8);
	expect(t, &r, &report, "0x9001");
	put(&r, 8, 0x9000, 8);
	expect(t, &r, &report, "end");
	put(&r, 8, 0x4ff, 8);
	expect(t, &r, &report, "0x4ff");
	tracefmt_free(t);
}

static void test_repeated_function(void **state)
{
	struct tracefmt *t = with("ftrace", "name: func_repeats\nID: 1\nformat:\n" COMMON FIELD("unsigned long ip", 8,
		8, 0)
				  FIELD("unsigned long parent_ip", 16, 8, 0) FIELD("u16 count", 24, 2, 0)
				  FIELD("u16 top_delta_ts", 26, 2, 0) FIELD("u32 bottom_delta_ts", 28, 4,
				  	0) "\nprint fmt: \"\"\n", false);
	struct built_record r = { .n = 32 };
	const struct tracefmt_context late = { .style = TRACEFMT_TRACE_CMD, .time = UINT64_C(7000001500) };

	(void)state;
	put(&r, 8, 0x1000, 8);
	put(&r, 24, 3, 2);
	put(&r, 28, 1000000000, 4);
	expect(t, &r, &late, "alpha (count: 3  last_ts:     6.000002)");
	tracefmt_free(t);
}

static const char graph_entry[] = "name: funcgraph_entry\nID: 2\nformat:\n" COMMON FIELD("unsigned long func", 8, 8, 0)
				  FIELD("int depth", 16, 4,
				  	1) "\nprint fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n";
static const char graph_exit[] = "name: funcgraph_exit\nID: 3\nformat:\n" COMMON FIELD("unsigned long func", 8, 8, 0)
				 FIELD("int depth", 16, 4, 1) FIELD("unsigned long long calltime", 24, 8, 0)
				 FIELD("unsigned long long rettime", 32, 8,
				 	0) "\nprint fmt: \"<-- %ps\", (void *)REC->func\n";

static void test_graph(void **state)
{
	static const struct { uint64_t ns; const char *text; } durations[] = {
		{ 8973, "  8.973 us   |    }" },          { 10001, "+ 10.001 us  |    }" },
		{ 119148, "! 119.148 us |    }" },        { 1234567, "# 1234.567 us |    }" },
		{ 12345678, "# 12345.678 us |    }" },     { 123456789, "# 123456.789 us |    }" },
		{ 1000000000, "# 1000000 us |    }" },    { UINT64_C(12345678901), "$ 12345678 us |    }" },
	};

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct tracefmt *in = with("ftrace", graph_entry, big_endian), *exit = with("ftrace", graph_exit,
			big_endian);
		struct built_record enter = { .big_endian = big_endian }, leave = { .big_endian = big_endian };
		struct tracefmt_context leaf = report;

		put(&enter, 8, 0x1000, 8);
		put(&enter, 16, 1, 4);
		expect(in, &enter, &report, "             |    alpha() {");
		put(&leave, 8, 0x1000, 8);
		put(&leave, 16, 1, 4);
		put(&leave, 24, 5, 8);
		for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
			put(&leave, 32, 5 + durations[i].ns, 8);
			expect(exit, &leave, &report, durations[i].text);
		}
		put(&leave, 32, 5 + 25550, 8);
		assert_int_equal(tracefmt_add_format(in, "ftrace", (struct sonde_str){ graph_exit,
			sizeof(graph_exit) - 1 }, NULL), 0);
		leaf.leaf = (struct sonde_bytes){ leave.p, leave.n };
		expect(in, &enter, &leaf, "+ 25.550 us  |    alpha();");
		leaf.leaf.len = 20;   /* cut: as if it had taken no time */
		expect(in, &enter, &leaf, "  0.000 us   |    alpha();");
		put(&enter, 16, UINT32_MAX, 4);
		enter.n = 10;
		expect(in, &enter, &report, "             |  0x0() {");
		tracefmt_free(in);
		tracefmt_free(exit);
	}
}

static void test_stack(void **state)
{
	static const char format[] = "name: kernel_stack\nID: 4\nformat:\n" COMMON FIELD("int size", 8, 4, 1)
				     FIELD("unsigned long caller[8]", 16, 64,
				     	0) "\nprint fmt: \"\\t=> %ps\", (void *)REC->caller[0]\n";

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct tracefmt *t = with("ftrace", format, big_endian);
		struct built_record r = { .big_endian = big_endian };

		put(&r, 8, 3, 4);
		put(&r, 16, 0x1010, 8);
		put(&r, 24, 0x100, 8);
		put(&r, 32, 0x2000, 8);
		put(&r, 40, 0x2000, 8);
		expect(t, &r, &report, "<stack trace >\n=> alpha (1010)\n=> 100\n=> beta (2000)");
		put(&r, 24, UINT64_MAX, 8);
		expect(t, &r, &report, "<stack trace >\n=> alpha (1010)");
		r.n = 23;
		expect(t, &r, &report, "<stack trace >");
		expect(t, &r, NULL, "\t=> 0x0");
		tracefmt_free(t);
	}
}

static void test_bprint(void **state)
{
	static const char format[] = "name: bprint\nID: 6\nformat:\n" COMMON FIELD("unsigned long ip", 8, 8, 0)
				     FIELD("const char * fmt", 16, 8, 0) FIELD("u32 buf", 24, 0, 0)
				     "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n";

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct tracefmt *t = with("ftrace", format, big_endian);
		struct built_record r = { .big_endian = big_endian };

		put(&r, 8, 0x1000, 8);
		put(&r, 16, 0x77, 8);
		put(&r, 24, (uint32_t)-5, 4);
		put_text(&r, 28, "one\ntwo\x1b");    /* 9 bytes */
		put(&r, 37, (uint8_t)-3, 1);
		put(&r, 40, UINT64_C(0xfedcba9876543210), 8);
		put(&r, 48, (uint64_t)-7, 8);
		put(&r, 56, 'c', 1);
		put(&r, 60, 4, 4);
		put(&r, 64, 9, 4);
		put(&r, 68, 0x1010, 8);
		put_text(&r, 76, "1.2.3.4");
		put_text(&r, 84, "long");
		expect(t, &r, NULL,
			"alpha: n=-5 one\ntwo. -3  | fedcba9876543210 -7 c    9 alpha+0x10 1.2.3.4 lo%\nnext");
		r.n = 64;
		expect(t, &r, NULL, "alpha: n=-5 one\ntwo. -3  | fedcba9876543210 -7 c    0 (cut)");
		put(&r, 16, 0x78, 8);
		expect(t, &r, &report, "alpha: (NO FORMAT FOUND at 78)");
		tracefmt_free(t);
	}
}

static void test_raw_data(void **state)
{
	struct tracefmt *t = with("ftrace", "name: raw_data\nID: 7\nformat:\n" COMMON FIELD("unsigned int id", 8, 4, 0)
				  FIELD("char buf[]", 12, 0,
				  	0) "\nprint fmt: \"id:%04x %08x\", REC->id, (int)REC->buf[0]\n", false);
	struct built_record r = { 0 };

	(void)state;
	put(&r, 8, 0x201, 4);
	put(&r, 12, 0xff03, 2);
	expect(t, &r, &report, "# 201 03 ff");
	tracefmt_free(t);
}

static void test_message_of_several_lines(void **state)
{
	struct tracefmt *t = with("ftrace", "name: print\nID: 5\nformat:\n" COMMON FIELD("unsigned long ip", 8, 8, 0)
				  FIELD("char buf[]", 16, 0, 0) "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n",
				  	false);
	struct built_record r = { 0 };

	(void)state;
	put(&r, 8, 0x1000, 8);
	put_text(&r, 16, "a\n\tb\x1b[2J\n\n");
	expect(t, &r, &report, "alpha: a\n\tb.[2J\n");
	expect(t, &r, NULL, "alpha: a\n\tb.[2J");
	tracefmt_free(t);
}

static void test_sched(void **state)
{
	struct tracefmt *t = with("sched", "name: sched_switch\nID: 8\nformat:\n" COMMON FIELD("char prev_comm[8]", 8,
		8, 0)
				  FIELD("pid_t prev_pid", 16, 4, 1) FIELD("int prev_prio", 20, 4,
				  	1) FIELD("long prev_state", 24, 8, 1)
				  FIELD("char next_comm[8]", 32, 8, 0) FIELD("pid_t next_pid", 40, 4,
				  	1) FIELD("int next_prio", 44, 4, 1)
				  "\nprint fmt: \"%s\", __print_flags(REC->prev_state & 0xff, \"|\", { 0x01, \"S\" }, "
				  "{ 0x02, \"D\" }, "
				  "{ 0x80, \"I\" })\n", false);
	struct tracefmt *wakeup = with("sched", "name: sched_wakeup\nID: 9\nformat:\n" COMMON FIELD("char comm[8]", 8,
		8, 0)
				       FIELD("pid_t pid", 16, 4, 1) FIELD("int prio", 20, 4, 1) FIELD("int success", 24,
				       	4, 1)
				       FIELD("int target_cpu", 28, 4, 1) "\nprint fmt: \"%s\", REC->comm\n", false);
	struct built_record r = { 0 };

	(void)state;
	put_text(&r, 8, "b\x07sh");
	put(&r, 16, 42, 4);
	put(&r, 20, 120, 4);
	put(&r, 24, 1, 8);
	put(&r, 28, 7, 4);
	expect(wakeup, &r, &report, "b.sh:42 [120] success=1 CPU:007");
	expect(wakeup, &r, NULL, "b.sh");
	put(&r, 24, 0x182, 8);
	put_text(&r, 32, "idle");
	put(&r, 40, 0, 4);
	put(&r, 44, (uint32_t)-1, 4);
	expect(t, &r, &report, "b.sh:42 [120] D|I ==> idle:0 [-1]");
	put(&r, 24, 0x104, 8);
	expect(t, &r, &report, "b.sh:42 [120] ? ==> idle:0 [-1]");
	put(&r, 24, 0x100, 8);
	expect(t, &r, &report, "b.sh:42 [120] R ==> idle:0 [-1]");
	tracefmt_free(t);
	tracefmt_free(wakeup);
}

static void test_other_plug_ins(void **state)
{
	struct tracefmt *timer = with("timer", "name: hrtimer_start\nID: 1\nformat:\n" COMMON FIELD("void * hrtimer", 8,
		8, 0)
				      FIELD("void * function", 16, 8, 0) FIELD("s64 expires", 24, 8,
				      	1) FIELD("s64 softexpires", 32, 8, 1)
				      "\nprint fmt: \"-\"\n", false);
	struct tracefmt *kfree = with("kmem", "name: kfree\nID: 1\nformat:\n" COMMON FIELD("unsigned long call_site", 8,
		8, 0)
				      "\nprint fmt: \"call_site=%pS\", (void *)REC->call_site\n", false);
	struct tracefmt *tlb = with("tlb", "name: tlb_flush\nID: 1\nformat:\n" COMMON FIELD("int reason", 8, 4, 1)
				    FIELD("unsigned long pages", 16, 8, 0) "\nprint fmt: \"-\"\n", false);
	struct built_record r = { 0 };

	(void)state;
	put(&r, 8, 0xabc, 8);
	put(&r, 16, 0x1000, 8);
	put(&r, 24, 17, 8);
	put(&r, 32, 18, 8);
	expect(timer, &r, &report, "hrtimer=0xabc function=alpha/0x0 expires=17 softexpires=18");
	put(&r, 16, 0x10, 8);
	expect(timer, &r, &report, "hrtimer=0xabc function=0x00000010 expires=17 softexpires=18");
	expect(kfree, &r, &report, "(low+0x5bc) call_site=low+0x5bc");
	put(&r, 8, 0x10, 8);
	expect(kfree, &r, &report, "call_site=0x10");
	put(&r, 8, 1, 8);
	put(&r, 16, UINT64_MAX, 8);
	expect(tlb, &r, &report, "pages=-1 reason=remote shootdown (1)");
	expect(tlb, &r, NULL, "-");
	tracefmt_free(timer);
	tracefmt_free(kfree);
	tracefmt_free(tlb);
}

static void test_futex(void **state)
{
	struct tracefmt *t = with("syscalls", "name: sys_enter_futex\nID: 1\nformat:\n" COMMON FIELD("u32 * uaddr", 8,
		8, 0)
				  FIELD("int op", 16, 8, 0) FIELD("u32 val", 24, 8,
				  	0) FIELD("const struct timespec * utime", 32, 8, 0)
				  FIELD("u32 * uaddr2", 40, 8, 0) FIELD("u32 val3", 48, 8, 0) "\nprint fmt: \"-\"\n",
				  	false);
	struct built_record r = { 0 };

	(void)state;
	put(&r, 8, 0x1230, 8);
	put(&r, 16, 0x189, 8);
	put(&r, 24, 9, 8);
	put(&r, 32, 0x77, 8);
	put(&r, 40, 0x88, 8);
	put(&r, 48, 0x99, 8);
	expect(t, &r, &report,
		"op=FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME uaddr=0x00001230 val=0x00000009 "
			       "utime=0x00000077 val3=0x00000099");
	put(&r, 16, 4, 8);
	expect(t, &r, &report,
		"op=FUTEX_CMP_REQUEUE uaddr=0x00001230 val=9 val2=119 uaddr2=0x00000088 val3=0x00000099");
	put(&r, 16, 13, 8);
	expect(t, &r, &report, "-");
	tracefmt_free(t);
}

static void test_guest(void **state)
{
	struct tracefmt *exit = with("kvm", "name: kvm_exit\nID: 1\nformat:\n" COMMON FIELD("unsigned int exit_reason",
		8, 4, 0)
				     FIELD("unsigned long guest_rip", 16, 8, 0) FIELD("u32 isa", 24, 4,
				     	0) FIELD("u64 info1", 32, 8, 0)
				     FIELD("u64 info2", 40, 8, 0) "\nprint fmt: \"-\"\n", false);
	struct tracefmt *entry = with("kvm", "name: kvm_entry\nID: 1\nformat:\n" COMMON FIELD("unsigned int vcpu_id", 8,
		4, 0)
				      FIELD("unsigned long rip", 16, 8, 0) "\nprint fmt: \"-\"\n", false);
	struct tracefmt *insn = with("kvm", "name: kvm_emulate_insn\nID: 1\nformat:\n" COMMON FIELD("__u64 rip", 8, 8,
		0)
				     FIELD("__u32 csbase", 16, 4, 0) FIELD("__u8 len", 20, 1, 0) FIELD("__u8[15] insn",
				     	21, 15, 0)
				     FIELD("__u8 failed", 37, 1, 0) "\nprint fmt: \"-\"\n", false);
	struct built_record r = { 0 };

	(void)state;
	put(&r, 8, 12, 4);
	put(&r, 16, 0x1234, 8);
	put(&r, 24, 1, 4);
	put(&r, 32, 0x181, 8);
	put(&r, 40, 0x22, 8);
	expect(exit, &r, &report, "reason HLT rip 0x1234 info 181 22");
	expect(entry, &r, &report, " vcpu 12 rip 0x1234");
	put(&r, 8, 0x400, 4);
	expect(exit, &r, &report, "reason UNKNOWN (1024) rip 0x1234 info 181 22");
	put(&r, 24, 2, 4);
	expect(exit, &r, &report, "reason EXIT_NPF rip 0x1234 info 181 22");
	put(&r, 24, 3, 4);
	expect(exit, &r, &report, "reason UNKNOWN-ISA rip 0x1234 info 181 22");
	memset(r.p, 0xab, 40);
	put(&r, 8, 0x1000, 8);
	put(&r, 16, 0x20, 4);
	put(&r, 20, 2, 1);
	expect(insn, &r, &report, "20:1000: ab ab FAIL");
	put(&r, 20, 255, 1);
	put(&r, 37, 0, 1);
	expect(insn, &r, &report, "20:1000: ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab");
	tracefmt_free(exit);
	tracefmt_free(entry);
	tracefmt_free(insn);
}

static void test_shadow_page(void **state)
{
	struct tracefmt *t = with("kvmmmu", "name: kvm_mmu_get_page\nID: 1\nformat:\n" COMMON FIELD("__u64 gfn", 16, 8,
		0)
				  FIELD("__u32 role", 24, 4, 0) FIELD("__u32 root_count", 28, 4, 0) FIELD("bool unsync",
				  	32, 1, 0)
				  FIELD("bool created", 33, 1, 0) "\nprint fmt: \"%s\", ({ f(p); })\n", false);
	struct built_record r = { 0 };

	(void)state;
	put(&r, 16, 0x40000, 8);
	put(&r, 24, 0x1782, 4);
	put(&r, 33, 1, 1);
	expect(t, &r, &report, "new sp gfn 40000 2 q0 direct wux !pae nxe !wp root 0 sync");
	put(&r, 24, 0x0100ea74, 4);
	put(&r, 28, 7, 4);
	put(&r, 32, 1, 2);
	expect(t, &r, &report, "existing sp gfn 40000 4 q3 w-- invalid pae !nxe wp smep smap smm root 7 unsync");
	expect(t, &r, NULL, "[FAILED TO PARSE] gfn=262144 role=16837236 root_count=7 unsync=1 created=0");
	tracefmt_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_repeated_function),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_bprint),
		cmocka_unit_test(test_raw_data),
		cmocka_unit_test(test_message_of_several_lines),
		cmocka_unit_test(test_sched),
		cmocka_unit_test(test_other_plug_ins),
		cmocka_unit_test(test_futex),
		cmocka_unit_test(test_guest),
		cmocka_unit_test(test_shadow_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
