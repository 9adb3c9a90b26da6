/* SPDX-License-Identifier: MIT */
#include "tracefmt/print.h"
#include "tracefmt/text.h"
#include "tracefmt/tracefmt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/locale_test.h"

/* One event with every kind of field; the tests give it a print format each. */
static const char fields[] =
	"name: e\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int n;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long addr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:24;\tsize:6;\tsigned:0;\n"
	"\tfield:s8 small;\toffset:30;\tsize:1;\tsigned:1;\n"
	"\tfield:u8 byte;\toffset:31;\tsize:1;\tsigned:0;\n"
	"\tfield:u32 words[2];\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u16[] ports;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 v6[16];\toffset:48;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t cpus;\toffset:64;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 zero;\toffset:68;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc __u8[] sock;\toffset:76;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: ";

static const char little[] = "\x09\0\0\0"
			     "\xfb\xff\xff\xff"
			     "sh\0\0\0\0\0\0"
			     "\x10\x32\x54\x76\x98\xba\xdc\xfe"
			     "\0\x11\x22\xaa\xbb\xcc"
			     "\xfe"
			     "\xc8"
			     "\x01\0\0\0\x02\0\0\x80"
			     "\x50\0\x08\0"
			     "\x28\0\x04\0"
			     "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"
			     "\x60\0\x10\0"
			     "\0\0\0\0\0\0\0\0"
			     "\x70\0\x08\0"
			     "/tmp/a\n\0"
			     "\x34\x12\x78\x56\0\0\0\0"
			     "\x0d\x01\0\0\0\0\0\x80"
			     "\x01\0\0\0\0\0\0\0"
			     "\x02\0\x1f\x90\x7f\0\0\x01";

static const char big[] = "\0\x09\0\0"
			  "\xff\xff\xff\xfb"
			  "sh\0\0\0\0\0\0"
			  "\xfe\xdc\xba\x98\x76\x54\x32\x10"
			  "\0\x11\x22\xaa\xbb\xcc"
			  "\xfe"
			  "\xc8"
			  "\0\0\0\x01\x80\0\0\x02"
			  "\0\x08\0\x50"
			  "\0\x04\0\x28"
			  "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"
			  "\0\x10\0\x60"
			  "\0\0\0\0\0\0\0\0"
			  "\0\x08\0\x70"
			  "/tmp/a\n\0"
			  "\x12\x34\x56\x78\0\0\0\0"
			  "\x80\0\0\0\0\0\x01\x0d"
			  "\0\0\0\0\0\0\0\x01"
			  "\0\x02\x1f\x90\x7f\0\0\x01";

static bool symbol(void *ctx, uint64_t address, struct sonde_str *name, uint64_t *offset)
{
	(void)ctx;
	*name = (struct sonde_str){ "do_it", 5 };
	*offset = address - UINT64_C(0xfedcba9876543200);
	return address >= UINT64_C(0xfedcba9876543200);
}

static struct tracefmt *with_format(const char *print_fmt, bool big_endian)
{
	struct tracefmt *t = tracefmt_new(big_endian, 8);
	struct sonde_str printk = { "0x9 : \"nine\"", 12 };
	char text[8192];
	int n = snprintf(text, sizeof(text), "%s%s\n", fields, print_fmt);

	assert_true(n > 0 && n < (int)sizeof(text));
	assert_int_equal(tracefmt_add_format(t, "s", (struct sonde_str){ text, (size_t)n }, NULL), 0);
	assert_int_equal(tracefmt_add_printk(t, printk), 0);
	return t;
}

static void check_order(const char *print_fmt, const char *expected, bool big_endian)
{
	const struct tracefmt_context ctx = { .symbol = symbol };
	struct tracefmt *t = with_format(print_fmt, big_endian);
	const struct tracefmt_event *e = tracefmt_event(t, 9);
	struct buf out = BUF_MEMORY;

	if (tracefmt_unprintable(e))
		fail_msg("%s: %s", print_fmt, tracefmt_unprintable(e));
	tracefmt_print(e, (struct sonde_bytes){ (const uint8_t *)(big_endian ? big : little), sizeof(little) - 1 },
		       &ctx, &out);
	buf_put(&out, "", 1);
	assert_string_equal(out.p, expected);
	buf_free(&out);
	tracefmt_free(t);
}

static void check(const char *print_fmt, const char *expected)
{
	check_order(print_fmt, expected, false);
	check_order(print_fmt, expected, true);
}

static void test_integers(void **state)
{
	(void)state;
	assert_int_equal(sizeof(little), sizeof(big));
	check("\"%d %u %x %lu %lld\", REC->n, REC->n, REC->n, REC->byte, (long long)REC->n",
	      "-5 4294967291 fffffffb 200 -5");
	check("\"%d %hhd %u %hhu\", REC->small, REC->byte, REC->small, REC->small", "-2 -56 4294967294 254");
	check("\"[%4d|%-4d|%04d|%+d|% d|%.3d]\", REC->small, REC->small, REC->small, 7, 7, 7",
	      "[  -2|-2  |-002|+7| 7|007]");
	check("\"%#x %#X %#o %o %08lx %#010x %#x\", 255, 255, 8, 8, 255, 255, REC->zero",
	      "0xff 0XFF 010 10 000000ff 0x000000ff 0");
	check("\"%*d|%-*d|%*d|%.*d\", 4, 1, 4, 1, -4, 1, 3, 1", "   1|1   |1   |001");
	check("\"%llx %Lu %zu %5%%c%3c\", REC->addr, 18446744073709551615ULL, REC->zero, 'a', 'b'",
	      "fedcba9876543210 18446744073709551615 0 %a  b");
}

static void test_elements(void **state)
{
	(void)state;
	check("\"(%d, %x, %u) %% %d long text after a number\", REC->words[0], REC->words[1], REC->words[2], "
	      "REC->mac[5]",
	      "(1, 80000002, 0) % 204 long text after a number");
	check("\"%d%d%s\", REC->words[1], REC->zero ? REC->words[0] : REC->words[1] >> 1, \"\"",
	      "-21474836461073741825");
	check("\"%lx%c\", ((unsigned long *)REC->v6)[8], 'x'", "0x");
}

static void test_expressions(void **state)
{
	(void)state;
	check("\"%d %d %d\", 1 + 2 * 3 - 4 / 2, (1 | 6) & ~2, 7 % 4 << 2", "5 5 12");
	check("\"%d %d %d\", REC->n < 0, REC->n > 1U, (unsigned char)REC->n == 0xfb", "1 1 1");
	check("\"%d %d\", REC->zero ? 1 / (int)REC->zero : -1, REC->n / 0", "-1 0");
	check("\"%d %d %d\", !REC->zero && REC->byte, REC->zero || 0, REC->zero ?: 3", "1 0 3");
	check("\"%u %d\", ((unsigned int)((REC->addr) >> 60)), (int)(REC->addr & ((1U << 4) - 1))", "15 0");
	check("\"%x %x %x\", REC->words[1], REC->mac[5], ((u8 *)REC->words)[5] & 0", "80000002 cc 0");
	check("\"%d %d %d\", sizeof(u64), sizeof(REC->comm), (int)sizeof(struct x *)", "8 8 8");
	check("\"%d\", ({ int x = (REC->byte); int y = (128); ((x) < (y) ? (x) : (y)); })", "128");
	check("\"%d\", ((struct trace_entry *)REC)->n + (my_type_t)1", "-4");
	check("\"%x %x\", ntohs(0x1234) == htons(0x1234), __builtin_expect(!!(REC->byte), 1)", "1 1");
	check("\"%s\", REC->n == -5 ? REC->byte > 1 ? \"a\" : \"b\" : \"c\"", "a");
	check("\"%llu.%llu\", __print_ns_to_secs(5000000007ULL), __print_ns_without_secs(5000000007ULL)", "5.7");
}

static void test_strings(void **state)
{
	(void)state;
	check("\"%s|%6s|%-6s|%.1s|%*s|%.*s\", REC->comm, REC->comm, REC->comm, REC->comm, 4, REC->comm, 1, REC->comm",
	      "sh|    sh|sh    |s|  sh|s");
	check("\"#\" \"DE\\t\\\"%s\\\"\", \"x\" \"y\"", "#DE\t\"xy\"");
	check("\"%s.\", __get_str(path)", "/tmp/a..");
	check("\"%s\", __get_str(path)", "/tmp/a");   /* the line break at the end is the caller's */
	check("\"%c%d\", __get_str(path)[1], ((char *)__get_dynamic_array(path))[0] == '/'", "t1");
	check("\"%d %x\", __get_dynamic_array_len(path), ((u16 *)__get_rel_dynamic_array(ports))[1]", "8 5678");
	check("\"%s %s\", (char *)(unsigned long)9, REC->addr", "nine fedcba9876543210");
	check("\"%s\", REC->byte & 8 ? __get_str(path) : \"none\"", "/tmp/a");
	check("\"\\033[1m%c\", 27", ".[1m.");
}

static void test_named_values(void **state)
{
	(void)state;
	check("\"%s\", __print_flags(REC->byte, \"|\", { 8, \"A\" }, { 0x40, \"B\" }, {( unsigned long)(( "
	      "gfp_t)0x20u), \"C\" })",
	      "A|B|0x80");
	check("\"<%s>\", __print_flags(REC->zero, \"|\", { 0, \"none\" }, { 1, \"A\" })", "<>");
	check("\"%s %s\", __print_symbolic(REC->n, { -5, \"minus\" }, { 1, \"one\" }), __print_symbolic(REC->byte, { "
	      "})",
	      "minus 0xc8");
	check("\"%s\", __print_symbolic(REC->byte, { UNKNOWN_ENUM, \"what\" }, { 200, \"known\" }, { -1, ((void *)0) "
	      "})",
	      "known");
	check("\"[%12s]\", __print_flags_u64(REC->addr & 0x30, \":\", { 0x10ULL, \"ten\" })", "[         ten]");
}

static void test_arrays(void **state)
{
	(void)state;
	check("\"%s %s\", __print_hex(REC->mac, 3), __print_hex_str(REC->mac, 600)", "00 11 22 001122aabbcc");
	check("\"%s\", __print_array(REC->words, 2, 4)", "{0x1,0x80000002}");
	check("\"%s\", __print_dynamic_array(ports, sizeof(u16))", "{0x1234,0x5678}");
	check("\"%s %s\", __get_bitmask(cpus), __get_cpumask(cpus)",
	      "00000000,00000001,80000000,0000010d 0,2-3,8,63-64");
	check("\"%*pbl %*pb\", 9, __get_dynamic_array(cpus), 9, __get_dynamic_array(cpus)", "0,2-3,8 10d");
	check("\"%s\", __print_hex_dump(\"p: \", 2, 16, 1, REC->mac, 6, 1)",
	      "p: 00000000: 00 11 22 aa bb cc                                ..\"...");
}

static void test_pointers(void **state)
{
	(void)state;
	check("\"%p %p %ps %pS %pS\", REC->addr, REC->zero, REC->addr, (void *)REC->addr, REC->byte",
	      "0xfedcba9876543210 (nil) do_it do_it+0x10 0xc8");
	check("\"%pM %pm %pMR %pMF\", REC->mac, REC->mac, REC->mac, REC->mac",
	      "00:11:22:aa:bb:cc 001122aabbcc cc:bb:aa:22:11:00 00-11-22-aa-bb-cc");
	check("\"%pI4 %pi4\", &REC->mac[2], REC->mac", "34.170.187.204 000.017.034.170");
	check("\"%pI6 %pi6 %pI6c\", REC->v6, REC->v6, REC->v6",
	      "fe80:0000:0000:0000:0000:0000:0000:0001 fe800000000000000000000000000001 fe80::1");
	check("\"%pU %pUB %pUl\", REC->v6, REC->v6, REC->v6",
	      "fe800000-0000-0000-0000-000000000001 FE800000-0000-0000-0000-000000000001 "
	      "000080fe-0000-0000-0000-000000000001");
	check("\"%*ph %*phC %3phN\", 2, REC->mac, 3, REC->mac, REC->mac", "00 11 00:11:22 001122");
	check("\"%pISpc %s\", __get_dynamic_array(sock), __get_sockaddr(sock)", "127.0.0.1:8080 127.0.0.1:8080");
	check("\"%px|%pK|%pV|%pfw\", REC->byte, REC->byte, REC->byte, REC->byte", "0xc8|0xc8|0xc8|0xc8");
}

static void fails(const char *print_fmt, const char *reason)
{
	struct tracefmt *t = with_format(print_fmt, false);

	assert_string_equal(tracefmt_unprintable(tracefmt_event(t, 9)), reason);
	tracefmt_free(t);
}

/* mm_page_alloc of 32-bit Arm: the pages of its memory begin where mem_map says. */
static void test_what_only_the_kernel_knows_costs_its_argument(void **state)
{
	(void)state;
	check("\"page=%p pfn=0x%lx n=%d comm=%s\", "
	      "REC->addr != -1UL ? (mem_map + ((REC->addr) - (__pv_phys_pfn_offset))) : ((void *)0), "
	      "REC->addr, REC->n, REC->comm", "page=? pfn=0xfedcba9876543210 n=-5 comm=sh");
	check("\"%d|%d|%s\", SOME_ENUM + 1, REC->byte, REC->comm", "?|200|sh");
	check("\"%s %d\", __print_symbolic(REC->n + base[REC->byte, 2], { 1, \"a,b\" }), REC->n", "? -5");
	check("\"%6lx|%pS|%-3s|%d\", offset, text_start, name, 4", "     ?|?|?  |4");
	check("\"%d %d\", REC->n, last", "-5 ?");
}

static void test_formats_that_cannot_be_compiled(void **state)
{
	char deep[4000];

	(void)state;
	fails("\"%d\", mc_event_error_type(REC->n)", "mc_event_error_type() is a function of the kernel");
	fails("\"%d\", REC->nothing", "no field \"nothing\"");
	fails("\"%d\"", "the print format ends where an argument should be");
	fails("\"%d\", (1", "the print format ends where ')' should be");
	fails("\"%*d\", SOME_ENUM, 1", "the value of \"SOME_ENUM\" is not known");
	fails("\"%d\", REC->comm", "text or an array for %d");
	fails("\"%q\", 1", "unknown conversion %?");
	fails("\"abc", "\"\" where a string should be");
	fails("\"%d\", *(int *)REC->addr", "what is at an address in the kernel is not in the record");
	snprintf(deep, sizeof(deep), "\"%%d\", ");
	memset(deep + 6, '(', 3000);
	deep[3006] = '\0';
	fails(deep, "nested too deeply");
	memset(deep + 6, '~', 3000);
	fails(deep, "nested too deeply");
	for (int i = 0; i < 600; i++)
		memcpy(deep + 6 + 5 * i, "(int)", 5);
	fails(deep, "nested too deeply");
	for (int i = 0; i < 500; i++)
		memcpy(deep + 6 + 7 * i, "REC->n+", 8);
	fails(deep, "nested too deeply");
}

/* Each use of a variable doubles what was there: 2^30 steps are refused, not made. */
static void test_expressions_that_grow(void **state)
{
	char text[4000] = "\"%d\", ({ int a0 = REC->n;";
	size_t n = strlen(text);

	(void)state;
	for (int i = 1; i < 30; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " int a%d = a%d + a%d;", i, i - 1, i - 1);
	snprintf(text + n, sizeof(text) - n, " a29; })");
	fails(text, "the print format is too long");
}

static void test_fields_when_there_is_no_program(void **state)
{
	struct tracefmt *t = with_format("\"%d\", f(1)", false);
	struct buf out = BUF_MEMORY;

	(void)state;
	tracefmt_print(tracefmt_event(t, 9), (struct sonde_bytes){ (const uint8_t *)little, sizeof(little) - 1 }, NULL,
		       &out);
	buf_put(&out, "", 1);
	assert_string_equal(
		out.p,
		"[FAILED TO PARSE] n=-5 comm=sh addr=0xfedcba9876543210 mac=ARRAY[00, 11, 22, aa, bb, cc] "
		"small=-2 byte=200 words=ARRAY[01, 00, 00, 00, 02, 00, 00, 80] path=/tmp/a. "
		"ports=ARRAY[34, 12, 78, 56] v6=ARRAY[fe, 80, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 01] "
		"cpus=ARRAY[0d, 01, 00, 00, 00, 00, 00, 80, 01, 00, 00, 00, 00, 00, 00, 00] zero=0 "
		"sock=ARRAY[02, 00, 1f, 90, 7f, 00, 00, 01]");
	buf_free(&out);
	tracefmt_free(t);
}

/* Bytes above 127 are no text, also where a program has set a locale in which they are letters. */
static void test_text_in_any_locale(void **state)
{
	struct tracefmt *t = with_format("\"%d\", f(1)", false);
	uint8_t raw[sizeof(little) - 1];
	struct buf out = BUF_MEMORY;

	(void)state;
	memcpy(raw, little, sizeof(raw));
	memcpy(raw + 8, "\xe9\xa0", 2);
	if (test_locale_set()) {
		tracefmt_print(tracefmt_event(t, 9), (struct sonde_bytes){ raw, sizeof(raw) }, NULL, &out);
		test_locale_reset();
		buf_put(&out, "", 1);
		assert_non_null(strstr(out.p, " comm=ARRAY[e9, a0, 00, 00, 00, 00, 00, 00] "));
	}
	buf_free(&out);
	tracefmt_free(t);
}

/* Every prefix of a record, in memory of just that size. */
static void test_cut_records(void **state)
{
	static const char all[] =
		"\"%d %s %s %s %s %s %s %pM %pI6c %pISpc %x %*pbl\", REC->n, REC->comm, __get_str(path), "
		"__get_cpumask(cpus), "
		"__print_array(REC->words, 2, 4), __print_hex(REC->mac, 6), __get_sockaddr(sock), REC->mac, REC->v6, "
		"__get_dynamic_array(sock), ((u16 *)__get_rel_dynamic_array(ports))[1], 128, __get_dynamic_array(cpus)";
	struct tracefmt *t = with_format(all, false);
	struct buf out = BUF_MEMORY;

	(void)state;
	for (size_t n = 0; n < sizeof(little); n++) {
		uint8_t *copy = malloc(n + !n);

		memcpy(copy, little, n);
		out.n = 0;
		tracefmt_print(tracefmt_event(t, 9), (struct sonde_bytes){ copy, n }, NULL, &out);
		assert_memory_equal(out.p, n < 8 ? "0 " : "-5 ", 2);
		free(copy);
	}
	buf_free(&out);
	tracefmt_free(t);
}

static void test_functions_of_the_kernel(void **state)
{
	(void)state;
	check("\"%04x %04x %08x\", __le16_to_cpup(REC->mac), be16_to_cpup(&REC->mac[1]), "
	      "__be32_to_cpup((__be32 *)REC->mac)",
	      "1100 1122 001122aa");
	check("\"%d %s %s %s\", jiffies_to_msecs(REC->n), jbd2_dev_to_name(REC->byte << 16 | 5), "
	      "xen_hypercall_name(1), "
	      "xen_hypercall_name(11)", "-5 12:524293 (mmu_update) ");
	check("\"%s|%s|%s\", scsi_trace_parse_cdb(p, REC->mac, 6), scsi_trace_parse_cdb(p, REC->mac, 0), "
	      "scsi_trace_parse_cdb(p, REC->v6, 16)", "-|-|-");
}

/* Names that are compared again and again, and bits that are looked at, are counted. */
static void test_print_formats_that_run_long(void **state)
{
	static char names[200000], text[250000], raw[60000];
	struct tracefmt *t = tracefmt_new(false, 8);
	struct buf out = BUF_MEMORY;
	size_t n = 0;
	int len;

	(void)state;
	for (int i = 0; n < sizeof(names) - 20; i++)
		n += (size_t)snprintf(names + n, 20, ",{%d,\"\"}", i + 10000);
	len = snprintf(text, sizeof(text), "name: e\nID: 9\nformat:\n\tfield:int n;\toffset:0;\tsize:4;\tsigned:1;\n"
		       "\nprint fmt: \"%%s");
	for (int i = 0; i < 1000; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%%s");
	len += snprintf(text + len, sizeof(text) - (size_t)len, "\", ({ char *a = __print_symbolic(REC->n%s); a; })",
		names);
	for (int i = 0; i < 1000; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, ",a");
	assert_int_equal(tracefmt_add_format(t, "s", (struct sonde_str){ text, (size_t)len }, NULL), 0);
	assert_null(tracefmt_unprintable(tracefmt_event_at(t, 0)));
	tracefmt_print(tracefmt_event_at(t, 0), (struct sonde_bytes){ (uint8_t *)raw, 4 }, NULL, &out);
	buf_put(&out, "", 1);
	assert_string_equal(out.p + strspn(out.p, "0x"), " [cut: the print format runs too long]");
	assert_true(strspn(out.p, "0x") > 3 && strspn(out.p, "0x") < 3 * 1000);
	out.n = 0;
	tracefmt_free(t);

	t = tracefmt_new(false, 8);
	len = snprintf(text, sizeof(text),
		"name: e\nID: 9\nformat:\n\tfield:unsigned long mask[7500];\toffset:0;\tsize:60000;"
		       "\tsigned:0;\n\nprint fmt: \"");
	for (int i = 0; i < 20; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%%*pbl");
	len += snprintf(text + len, sizeof(text) - (size_t)len, "\"");
	for (int i = 0; i < 20; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, ", 480000, REC->mask");
	assert_int_equal(tracefmt_add_format(t, "s", (struct sonde_str){ text, (size_t)len }, NULL), 0);
	tracefmt_print(tracefmt_event_at(t, 0), (struct sonde_bytes){ (uint8_t *)raw, sizeof(raw) }, NULL, &out);
	buf_put(&out, "", 1);
	assert_string_equal(out.p, " [cut: the print format runs too long]");
	buf_free(&out);
	tracefmt_free(t);
}

static void test_huge_print_formats(void **state)
{
	size_t n = 300000;
	char *text = malloc(n);
	struct tracefmt *t = tracefmt_new(false, 8);
	struct buf out = BUF_MEMORY;

	(void)state;
	memset(text, 'x', n);
	memcpy(text, fields, sizeof(fields) - 1);
	text[sizeof(fields) - 1] = '"';
	text[n - 1] = '"';
	assert_int_equal(tracefmt_add_format(t, "s", (struct sonde_str){ text, n }, NULL), 0);
	assert_string_equal(tracefmt_unprintable(tracefmt_event(t, 9)), "the print format is longer than 256 KB");
	tracefmt_print(tracefmt_event(t, 9), (struct sonde_bytes){ (const uint8_t *)little, 8 }, NULL, &out);
	assert_memory_equal(out.p, "[FAILED TO PARSE] n=-5 ", 23);
	buf_free(&out);
	tracefmt_free(t);
	free(text);
}

static void test_long_text_is_cut(void **state)
{
	struct tracefmt *t = with_format("\"%d%60000d%60000d\", 1, 2, 3", false);
	struct buf out = BUF_MEMORY;

	(void)state;
	tracefmt_print(tracefmt_event(t, 9), (struct sonde_bytes){ NULL, 0 }, NULL, &out);
	assert_int_equal(out.n, TRACEFMT_TEXT_MAX);
	assert_int_equal(out.p[60000], '2');
	buf_free(&out);
	tracefmt_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_named_values),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_what_only_the_kernel_knows_costs_its_argument),
		cmocka_unit_test(test_formats_that_cannot_be_compiled),
		cmocka_unit_test(test_expressions_that_grow),
		cmocka_unit_test(test_fields_when_there_is_no_program),
		cmocka_unit_test(test_text_in_any_locale),
		cmocka_unit_test(test_cut_records),
		cmocka_unit_test(test_long_text_is_cut),
		cmocka_unit_test(test_functions_of_the_kernel),
		cmocka_unit_test(test_print_formats_that_run_long),
		cmocka_unit_test(test_huge_print_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
