/* SPDX-License-Identifier: MIT */
#include "import/import_test.h"
#include "import/perf_script.h"

static void test_both_layouts_of_perf(void **state)
{
	(void)state;
	/* 6.1 */
	check_text("sh 13176   618.456147:     250000 cpu-clock: \n"
		   "\tffffffff821f5b65 irqentry_exit+0x105 ([kernel.kallsyms])\n"
		   "\t           14f38 main+0x158 (/usr/bin/ls)\n\n",
		   "cpu-clock: sh -1/13176: main@ls;irqentry_exit@[kernel.kallsyms][k] = "
		   "irqentry_exit@[kernel.kallsyms][k] 1 250000\n");
	/* 7.2 */
	check_text("sh   13176 [001]   618.456147:     250000 cpu-clock:ppp: \n"
		   "\t    7ff0b9ac5f38 main+0x158 (/usr/bin/ls)\n\n",
		   "cpu-clock:ppp: sh -1/13176: main@ls = main@ls 1 250000\n");
}

static void test_samples_without_call_chains_are_lines(void **state)
{
	(void)state;
	check_text("            true 22483   800.700226:     250000 cycles:u:      7f2d1bd31f02 f+0x12 (/lib/ld.so)\n"
		   "              sh 22484   800.700470:          5 cycles:u: ffffffff821f5127 [unknown] ([unknown])\n",
		   "cycles:u: true -1/22483: f@ld.so = f@ld.so 1 250000\n"
		   "cycles:u: sh -1/22484: 0xffffffff821f5127[k] = 0xffffffff821f5127[k] 1 5\n");
}

static void test_names_of_tasks_have_blanks_and_numbers(void **state)
{
	(void)state;
	check_text("Web Content 12/14 [000]  1.000001: 7 cycles: \n\t1 a (/b)\n\n"
		   "FS_Worker 3  9799/ 9802  [002] 1.000002: 7 cycles: \n\t1 a (/b)\n\n"
		   "pool 1 2 77 1.000003: 7 cycles: \n\t1 a (/b)\n\n"
		   ":-1    -1 1.000004: 7 cycles: \n\t1 a (/b)\n\n"
		   "dd 5 1.000005: 7 cycles: \n\t1 a (/b)\n\n",
		   "cycles: Web Content 12/14: a@b = a@b 1 7\n"
		   "cycles: FS_Worker 3 9799/9802: a@b = a@b 1 7\n"
		   "cycles: pool 1 2 -1/77: a@b = a@b 1 7\n"
		   "cycles: :-1 -1/-1: a@b = a@b 1 7\n"
		   "cycles: dd -1/5: a@b = a@b 1 7\n");
}

static void test_other_fields(void **state)
{
	(void)state;
	/* -F comm,tid,time,event,ip,sym: no period */
	check_text("sh 1 1.000001: cpu-clock: \n\t1 a\n\n", "cpu-clock: sh -1/1: a = a 1 1\n");
	/* -F comm,pid,tid,time,ip,sym: no event */
	check_text("sh 1/2 1.000001: \n\t1 a\n\n", "samples: sh 1/2: a = a 1 1\n");
	/* -F comm,tid,event,ip: no time, no name */
	check_text("sh 1 cycles: \n\t1abc\n\n", "cycles: sh -1/1: 0x1abc = 0x1abc 1 1\n");
	check_text("sh 1 9 cycles: \n\t1abc\n\n", "cycles: sh -1/1: 0x1abc = 0x1abc 1 9\n");
	/* -F +misc, +dsoff, --ns */
	check_text("sh 1 [000] U 1.000001234: 7 cycles: \n\t1 a (/lib/b+0x12)\n\n", "cycles: sh -1/1: a@b = a@b 1 7\n");
	/* -F +uregs: lines that are no frames */
	check_text("sh 1 1.000001: 7 cycles: \n\t1 a (/b)\n ABI:2    AX:0x1\n\n", "cycles: sh -1/1: a@b = a@b 1 7\n");
}

static void test_source_lines_and_inlined_functions(void **state)
{
	(void)state;
	check_text("sh 1 1.000001: 7 cycles: \n\t1 in+0x3 (inlined)\n\t1 out+0x3 (/b)\n\t9 main (/b)\n\n",
		   "cycles: sh -1/1: main@b;out@b;in@b(i) = out@b 1 7\n");
	check_text("sh 1 1.000001: 7 cycles: \n\t1 in+0x3\n  a.c:5 (inlined)\n\t1 out+0x3 (/b)\n  a.c:9\n\n",
		   "cycles: sh -1/1: out@b;in@b(i) = out@b 1 7\n");
	/* perf 6.1: nothing but inlined functions at an address; the outermost has the code */
	check_text("sh 1 1.000001: 7 cycles: \n\t1 in+0x3 (inlined)\n\t1 out+0x3 (inlined)\n\t9 main (/b)\n\n",
		   "cycles: sh -1/1: main@b;out;in(i) = out 1 7\n");
}

static void test_names_with_blanks_and_parentheses(void **state)
{
	(void)state;
	check_text("sh 1 1.000001: 7 cycles: \n"
		   "\t1 operator new(unsigned long)+0x5 (/usr/lib/my lib (deleted))\n"
		   "\t2 (anonymous namespace)::f(int) const (/b)\n"
		   "\t3 g(int)\n\n",
		   "cycles: sh -1/1: g(int);(anonymous namespace)::f(int) const@b;"
		   "operator new(unsigned long)@my lib (deleted) = operator new(unsigned long)@my lib (deleted) 1 7\n");
}

static void test_tracepoints(void **state)
{
	(void)state;
	check_text("sh 1 [000] 1.000001: sched:sched_switch: prev_comm=sh prev_pid=1 ==> next_comm=a next_pid=2\n"
		   "\tffffffff81000010 schedule+0x1 ([kernel.kallsyms])\n\n"
		   "sh 1 [000] 1.000002: sched:sched_switch: add 12 1.5: x\n",
		   "sched:sched_switch: sh -1/1: schedule@[kernel.kallsyms][k] = schedule@[kernel.kallsyms][k] 1 1\n"
		   "sched:sched_switch: sh -1/1:  = 0x0 1 1\n");
}

static void test_other_lines_are_passed_over(void **state)
{
	(void)state;
	check_text("# ========\n# captured on    : Sat\n#\n"
		   "sh 1 1.000001: PERF_RECORD_COMM exec: sh:1/1\n"
		   "sh 1 1.000002: 7 cycles: \r\n\t1 a (/b)\r\n\r\n",
		   "cycles: sh -1/1: a@b = a@b 1 7\n");
}

static void test_other_texts_are_none(void **state)
{
	static const char *const texts[] = {
		"sh;main;a 5\n", "   sh-12    [001]  100.123456: sched_switch: prev_comm=sh\n",
		"Jan  1 10:00:00 host kernel: [    1.000001] usb: new\n", "[    1.000001] usb 1-1: new\n",
		"12 a (b)\n", "sh 1 1.000001:\n", "# only comments\n", "a b c 1 2 3\n", "cycles: 1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(import_perf_script.recognise(texts[i], strlen(texts[i]), true));
}

static void test_damaged_lines_are_told(void **state)
{
	(void)state;
	check_bad_text("sh 1 1.000001: 7 cycles: \n\t1 a (/b)\n\nnonsense\n\tlost (/b)\n"
		       "sh 1 1.000002: 9 cycles: \n\t1 a",
		       "cycles: sh -1/1: a@b = a@b 1 7\ncycles: sh -1/1: a = a 1 9\n", SONDE_CORRUPT, "nonsense",
		       "expected a sample or its frames, found 'nonsense' (the first of 2 such places)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_layouts_of_perf),
		cmocka_unit_test(test_samples_without_call_chains_are_lines),
		cmocka_unit_test(test_names_of_tasks_have_blanks_and_numbers),
		cmocka_unit_test(test_other_fields),
		cmocka_unit_test(test_source_lines_and_inlined_functions),
		cmocka_unit_test(test_names_with_blanks_and_parentheses),
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_other_lines_are_passed_over),
		cmocka_unit_test(test_other_texts_are_none),
		cmocka_unit_test(test_damaged_lines_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
