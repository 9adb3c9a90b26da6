/* SPDX-License-Identifier: MIT */
#include "tracefmt/redact/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(s) (struct sonde_str){ (s), strlen(s) }

static const char probe[] =
	"name: readline__return\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] line;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 lx;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u8 key[4];\toffset:40;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"(%lx <- %lx) line=\\\"%s\\\" lx=%lx key={%x}\", REC->__probe_func, REC->__probe_ret_ip, "
	"__get_str(line), REC->lx, REC->key[0]\n";
static const char shown[] =
	"name: probe_1\nID: 9\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] var_1;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 var_2;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u8 var_3[4];\toffset:40;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"(%lx <- %lx) var_1=\\\"%s\\\" var_2=%lx var_3={%x}\", REC->__probe_func, REC->__probe_ret_ip, "
	"__get_str(var_1), REC->var_2, REC->var_3[0]\n";
static const char plain[] =
	"name: sys_enter\nID: 10\nformat:\n\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n";

/* The lists of the formats of two systems, as they are shown. */
static void put(struct pseudonyms *names, const char *system, const char *text, struct buf *out)
{
	struct tracefmt *t = tracefmt_new(false, 8);
	struct format_lists lists = { 0 };
	struct arena arena = { 0 };

	assert_int_equal(tracefmt_add_format(t, system, TEXT(text), NULL), 0);
	assert_int_equal(redact_note_probes(names, t), 0);
	assert_int_equal(redact_format(names, system, TEXT(text), &arena, &lists), 0);
	format_lists_put_systems(&lists, NULL, false, out);
	assert_int_equal(out->failed, 0);
	format_lists_free(&lists);
	arena_free(&arena);
	tracefmt_free(t);
}

static void check_format(const char *system, const char *text, const char *new_system, const char *new_text)
{
	struct pseudonyms names = { 0 };
	struct buf out = BUF_MEMORY;
	size_t at = 4;

	put(&names, system, text, &out);
	assert_string_equal(out.p + at, new_system);
	at += strlen(new_system) + 1 + 4 + FORMAT_SIZE_BYTES;
	assert_int_equal(out.n - at, strlen(new_text));
	assert_memory_equal(out.p + at, new_text, strlen(new_text));
	buf_free(&out);
	pseudonyms_free(&names);
}

static void probes_are_renamed(void **state)
{
	(void)state;
	check_format("probe_bash", probe, "probes_1", shown);
	check_format("mine", probe, "probes_1", shown);   /* known by its fields */
	check_format("uprobes", probe, "uprobes", shown);
	check_format("raw_syscalls", plain, "raw_syscalls", plain);
}

static void names_of_events(void **state)
{
	static const struct { const char *name, *other; } rows[] = {
		{ "mine:readline__return", "probes_1:probe_1" }, { "probe_bash:xmalloc", "probes_2:probe_2" },
		{ "probe:do_open", "probe:probe_3" }, { "mine:readline__return:u", "probes_1:probe_1" },
		{ "sched:sched_switch", NULL }, { "cycles:u", NULL }, { "", NULL },
	};
	struct pseudonyms names = { 0 };
	struct buf out = BUF_MEMORY;
	char other[REDACTED_EVENT_BYTES];

	(void)state;
	put(&names, "mine", probe, &out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int r = redact_event_name(&names, rows[i].name, strlen(rows[i].name), other);

		assert_int_equal(r, rows[i].other != NULL);
		if (r)
			assert_string_equal(other, rows[i].other);
	}
	assert_true(redact_names_probe(&names, TEXT("mine:readline__return,common_pid/x,y")));
	assert_true(redact_names_probe(&names, TEXT("a:b,line")));
	assert_false(redact_names_probe(&names, TEXT("sched:sched_switch,prev_pid/sched:x,next_pid")));
	buf_free(&out);
	pseudonyms_free(&names);
}

static void programs_of_bpf(void **state)
{
	static const char symbols[] = "ffffffff81000000 T bpf_prog_alloc\n"
				      "ffffffffc0000000 t bpf_prog_6deef7357e7b4530_handle_exec\t[bpf]\n"
				      "ffffffffc0000040 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
				      "ffffffffc0000080 t bpf_prog_handle_exec\t[bpf]\n"
				      "ffffffffc00000c0 t bpf_trampoline_12\t[bpf]\n"
				      "ffffffffc0000100 t mine\t[bpf]\n"
				      "ffffffffc0000140 t init\t[module]";
	static const char want[] = "ffffffff81000000 T bpf_prog_alloc\n"
				   "ffffffffc0000000 t bpf_prog_6deef7357e7b4530_prog-1\t[bpf]\n"
				   "ffffffffc0000040 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
				   "ffffffffc0000080 t bpf_prog_prog-1\t[bpf]\n"
				   "ffffffffc00000c0 t bpf_trampoline_12\t[bpf]\n"
				   "ffffffffc0000100 t prog-2\t[bpf]\n"
				   "ffffffffc0000140 t init\t[module]";
	struct pseudonyms names = { 0 };
	struct buf out = BUF_MEMORY;

	(void)state;
	assert_int_equal(redact_kallsyms(&names, TEXT(symbols), &out), 0);
	assert_int_equal(out.n, strlen(want));
	assert_memory_equal(out.p, want, out.n);
	buf_free(&out);
	pseudonyms_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_renamed), cmocka_unit_test(names_of_events),
		cmocka_unit_test(programs_of_bpf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
