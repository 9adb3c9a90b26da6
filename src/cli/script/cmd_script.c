/* SPDX-License-Identifier: MIT */
/* cmd_script.c - samples as lines of text, in the layout of perf or trace-cmd */
#include <sonde/describe.h>
#include <sonde/text.h>

#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/itrace.h"
#include "cli/base/ledger.h"
#include "cli/base/message.h"
#include "cli/base/no_samples.h"
#include "cli/base/stacks.h"
#include "cli/base/symbol_notes.h"
#include "cli/script/filters.h"
#include "cli/script/inputs.h"
#include "cli/script/stock_scripts.h"

static struct inputs inputs;
static enum sonde_script_layout layout;
static bool ns, quiet, latency, raw, no_callchain, header, header_only, raw_records;
static bool reltime, deltatime, full_source_path;
static bool show_task, show_mmap, show_switch, show_namespace, show_lost, show_round, show_bpf, show_cgroup,
	show_text_poke;
static bool no_hardirq, no_softirq;
static struct filters words, filters;  /* words of -F; words of --filter, and words of -F that are no fields */
static struct strings fields;

static int add_input(const char *arg)
{
	return inputs_add(&inputs, arg);
}

static int set_offset(const char *arg)
{
	return inputs_set_offset(&inputs, arg);
}

static int set_hz(const char *arg)
{
	return inputs_set_hz(&inputs, arg);
}

static int add_word(const char *arg)
{
	return filters_add(&words, arg);
}

static int add_filter(const char *arg)
{
	return filters_add(&filters, arg);
}

/* Takes filters and words after this option as inverse. */
static int invert(const char *arg)
{
	(void)arg;
	words.inverse = filters.inverse = true;
	return 0;
}

static int set_layout(const char *arg)
{
	static const char *const names[] = {
		[SONDE_LAYOUT_PERF] = "perf",
		[SONDE_LAYOUT_TRACE_CMD] = "trace-cmd",
		[SONDE_LAYOUT_TRACE_CMD_3_1] = "trace-cmd-3.1",
		NULL,
	};

	for (size_t i = SONDE_LAYOUT_PERF; names[i]; i++)
		if (strcmp(arg, names[i]) == 0) {
			layout = (enum sonde_script_layout)i;
			return 0;
		}
	say_unknown("layout", arg, names + SONDE_LAYOUT_PERF);
	return -SONDE_USAGE;
}

static void give_fields(const char *trace, take_value take, void *ctx)
{
	const char *name;

	(void)trace;
	for (size_t i = 0; (name = sonde_script_field(i)); i++)
		take(ctx, name, NULL);
}

static const struct option_row script_options[] = {
	{ "input", 'i', OPTION_CALL, .call = add_input, .arg = "FILE",
	  .help = "a trace, - for the standard input; several are printed in one order" },
	JOBS_ROW,
	{ "fields", 'F', OPTION_CALL, .call = add_word, .arg = "[TYPE:]FIELD,...",
	  .help = "print these fields; +FIELD and -FIELD change the defaults; TYPE is hw, sw, trace, raw or break; "
		  "for a trace.dat, other words are filters",
	  .values = { .give = give_fields, .list = true } },
	{ "layout", 0, OPTION_CALL, .call = set_layout, .arg = "LAYOUT",
	  .help = "perf, trace-cmd or trace-cmd-3.1 (without flags of interrupts); a trace.dat has trace-cmd's by "
		  "default",
	  .values = { .words = WORDS("perf", "trace-cmd", "trace-cmd-3.1") } },
	{ "ns", 't', OPTION_FLAG, &ns, .help = "print nine digits of times after the point" },
	{ "reltime", 0, OPTION_FLAG, &reltime, .help = "print times since the first sample" },
	{ "align-ts", 0, OPTION_FLAG, &reltime, .help = "the same" },
	{ "deltatime", 0, OPTION_FLAG, &deltatime, .help = "print times since the previous sample" },
	{ "ts-diff", 0, OPTION_FLAG, &deltatime, .help = "the same; of a trace.dat beside the time" },
	{ "raw-ts", 0, OPTION_FLAG, &inputs.raw_stamps,
	  .help = "of a trace.dat: stamps as the clock of the recorder counted them" },
	{ "nodate", 0, OPTION_FLAG, &inputs.no_date,
	  .help = "of a trace.dat: not by the wall clock that trace-cmd record --date noted" },
	{ "ts-offset", 0, OPTION_CALL, .call = set_offset, .arg = "NS",
	  .help = "of the trace of the -i before it: add so many nanoseconds to its times" },
	OFFSET_ROW,
	{ "ts2secs", 0, OPTION_CALL, .call = set_hz, .arg = "HZ",
	  .help = "the clock of the trace.dat of the -i before it, or of all, has so many ticks a second" },
	{ "latency", 'l', OPTION_FLAG, &latency,
	  .help = "of a trace.dat: narrow columns, flags of interrupts without a blank" },
	{ "raw", 'R', OPTION_FLAG, &raw, .help = "of a trace.dat: the fields of events as they are" },
	{ "hide-call-graph", 'G', OPTION_FLAG, &no_callchain, .help = "print only the ip of samples with a callchain" },
	{ "max-stack", 0, OPTION_U64, &stack_words.max_stack, .arg = "N",
	  .help = "print at most N frames of a callchain (default: 127)" },
	STITCH_LBR_ROW,
	{ "inline", 0, OPTION_FLAG, &stack_words.inlined,
	  .help = "print the functions inlined into those of callchains (default; needs DWARF)" },
	{ "full-source-path", 0, OPTION_FLAG, &full_source_path,
	  .help = "print whole paths of source files (-F +srcline)" },
	{ "header", 0, OPTION_FLAG, &header, .help = "print the description of machine and run first" },
	{ "header-only", 0, OPTION_FLAG, &header_only, .help = "nothing but that" },
	{ "dump-raw-trace", 'D', OPTION_FLAG, &raw_records,
	  .help = "print every record instead, as dump --layout perf" },
	{ "dump-unsorted-raw-trace", 0, OPTION_FLAG, &raw_records, .help = "the same" },
	{ .kind = OPTION_HEADING, .help = "Which samples" },
	SELECTION_ROWS,
	{ "filter", 0, OPTION_CALL, .call = add_filter, .arg = "EVENTS[:EXPRESSION]",
	  .help = "for a trace.dat: print these events if the expression is true" },
	{ "invert", 'v', OPTION_CALL, .call = invert, .help = "the next filters choose events that are not printed" },
	{ "no-hardirq", 'I', OPTION_FLAG, &no_hardirq,
	  .help = "of a trace.dat: no events while a hardware interrupt was served" },
	{ "no-softirq", 0, OPTION_FLAG, &no_softirq, .help = "of a trace.dat: no events while a softirq was served" },
	{ "comms", 'c', OPTION_CALL, .call = select_comms, .arg = "NAME,...", .help = "of threads of these names" },
	{ "dsos", 0, OPTION_CALL, .call = select_dsos, .arg = "NAME,...", .help = "in these binaries" },
	{ "symbols", 'S', OPTION_CALL, .call = select_symbols, .arg = "NAME,...", .help = "in these functions" },
	{ .kind = OPTION_HEADING, .help = "Other records" },
	{ "show-task-events", 0, OPTION_FLAG, &show_task, .help = "COMM, FORK, EXIT" },
	{ "show-mmap-events", 0, OPTION_FLAG, &show_mmap, .help = "MMAP, MMAP2" },
	{ "show-switch-events", 0, OPTION_FLAG, &show_switch, .help = "SWITCH, SWITCH_CPU_WIDE" },
	{ "show-namespace-events", 0, OPTION_FLAG, &show_namespace, .help = "NAMESPACES" },
	{ "show-lost-events", 0, OPTION_FLAG, &show_lost, .help = "LOST, LOST_SAMPLES" },
	{ "show-round-events", 0, OPTION_FLAG, &show_round, .help = "FINISHED_ROUND" },
	{ "show-bpf-events", 0, OPTION_FLAG, &show_bpf, .help = "KSYMBOL, BPF_EVENT" },
	{ "show-cgroup-events", 0, OPTION_FLAG, &show_cgroup, .help = "CGROUP" },
	{ "show-text-poke-events", 0, OPTION_FLAG, &show_text_poke, .help = "TEXT_POKE" },
	{ .kind = OPTION_HEADING, .help = "Symbols" },
	SYMBOL_ROWS,
	{ .kind = OPTION_HEADING, .help = "For users of perf" },
	FORCE_ROW,
	ITRACE_ROWS,
	{ "all-cpus", 'a', OPTION_FLAG, &option_accepted, .help = "accepted: all CPUs of the recording are printed" },
	{ "debug-mode", 'd', OPTION_FLAG, &option_accepted, .help = "accepted: nothing more to print" },
	{ "quiet", 'q', OPTION_FLAG, &quiet, .help = "no warnings about missing names" },
	{ "group", 0, OPTION_FLAG, &option_accepted, .help = "accepted: events of a group stay separate" },
	{ "skip-empty", 0, OPTION_FLAG, &option_accepted,
	  .help = "accepted: events without samples are always left out" },
	{ 0 },
};

static uint32_t shown(void)
{
	return (show_task ? SONDE_SHOW_TASK : 0u) | (show_mmap ? SONDE_SHOW_MMAP : 0u) |
		(show_switch ? SONDE_SHOW_SWITCH : 0u) | (show_namespace ? SONDE_SHOW_NAMESPACE : 0u) |
		(show_lost ? SONDE_SHOW_LOST : 0u) | (show_round ? SONDE_SHOW_ROUND : 0u) |
		(show_bpf ? SONDE_SHOW_BPF : 0u) | (show_cgroup ? SONDE_SHOW_CGROUP : 0u) |
		(show_text_poke ? SONDE_SHOW_TEXT_POKE : 0u);
}

static int dump_traces(const struct sonde_query *query, struct sonde_error *err)
{
	const struct sonde_dump_opts opts = { .sz = sizeof(opts), .query = query, .layout = SONDE_DUMP_PERF };
	int r = 0;

	for (size_t i = 0; i < inputs.n && r == 0; i++)
		r = sonde_dump(inputs.traces[i], NULL, &opts, err);
	return r;
}

static int print_traces(struct sonde_error *err)
{
	struct sonde_query query = selection();
	const struct sonde_script_opts opts = {
		.sz = sizeof(opts),
		.query = &query,
		.fields = fields.at,
		.nr_fields = fields.n,
		.comms = selected.comms.at,
		.nr_comms = selected.comms.n,
		.dsos = selected.dsos.at,
		.nr_dsos = selected.dsos.n,
		.symbols = selected.symbols.at,
		.nr_symbols = selected.symbols.n,
		.show = shown(),
		.clock = reltime ? SONDE_CLOCK_RELATIVE : deltatime ? SONDE_CLOCK_DELTA : SONDE_CLOCK_TRACE,
		.ns = ns,
		.no_callchain = no_callchain,
		.max_stack = stack_limit(stack_words.max_stack),
		.stitch_lbr = stack_words.stitch_lbr,
		.symbol_opts = &symbol_options,
		.layout = layout,
		.latency = latency,
		.raw = raw,
		.ts_diff = deltatime,
		.filters = filters.at,
		.nr_filters = filters.n,
		.no_hardirq = no_hardirq,
		.no_softirq = no_softirq,
		.threads = threads_wanted(),
		.inlined = stack_words.inlined,
		.full_source_path = full_source_path,
	};
	size_t failed = 0;
	int r = select_within_all(inputs.traces, inputs.n, &query, &failed);

	if (r < 0) {
		*err = *sonde_trace_error(inputs.traces[failed]);
		return r;
	}
	for (size_t i = 0; i < inputs.n && (header || header_only) && r == 0; i++) {
		const struct sonde_describe_opts describe = { .sz = sizeof(describe) };

		r = sonde_trace_describe(inputs.traces[i], NULL, &describe, err);
	}
	if (r == 0 && raw_records && !header_only)
		return dump_traces(&query, err);
	if (r == 0 && !header_only)
		r = sonde_script_several(inputs.traces, inputs.n, NULL, &opts, err);
	return r;
}

/* For a trace.dat, words of -F are fields only if they can be nothing else: a user of trace-cmd means filters. */
static bool may_filter(void)
{
	for (size_t i = 0; i < inputs.n; i++)
		if (strcmp(sonde_trace_info(inputs.traces[i])->format, "trace.dat") != 0)
			return false;
	return layout != SONDE_LAYOUT_PERF;
}

static int script_run(int argc, char **argv)
{
	struct sonde_error err = { .sz = sizeof(err) };
	int r = -1, status;

	if (!quiet)
		symbol_notes_warn(&symbol_options);
	if (stock_scripts_answer(argc, argv))
		return 2;
	if (inputs_end(&inputs, argc, argv) < 0)
		return 1;
	status = inputs_open(&inputs);
	if (inputs.n && !inputs.out_of_memory) {
		r = filters_divide(&words, may_filter(), &filters, &fields);
		if (r < 0)
			status = r == -SONDE_USAGE ? 2 : 1;
	}
	if (inputs.n && r == 0) {
		r = print_traces(&err);
		if (r == 0 && !header_only && !raw_records)
			say_no_samples(inputs.traces, inputs.n);
		if (r == -SONDE_USAGE)
			status = say_usage("%s", err.text);
		else if (r < 0)
			status |= say_error(err.code == SONDE_SYSTEM || err.code == SONDE_DENIED || inputs.n > 1 ?
					   NULL : sonde_trace_info(inputs.traces[0])->path, &err);
		for (size_t i = 0; i < inputs.n && r != -SONDE_USAGE; i++) {
			if (stack_words.stitch_lbr)
				say_not_stitched(inputs.traces[i]);
			itrace_say_not_decoded(inputs.traces[i]);
			status |= ledger_print(inputs.traces[i]);
		}
	}
	inputs_free(&inputs);
	return status;
}

static const struct example script_examples[] = {
	{ "sonde script", "print the samples of perf.data as perf script does" },
	{ "sonde script trace.dat", "print the events of a trace.dat as trace-cmd report does" },
	{ "sonde script -F comm,tid,time,ip,sym", "print these fields" },
	{ "sonde script --filter 'sched_switch: next_prio < 100' trace.dat",
	  "print the events for which an expression holds" },
	{ 0 },
};

const struct command cmd_script = {
	.name = "script",
	.args = "[FILE...]",
	.help = "print samples as lines of text, in the layout of perf script or trace-cmd report",
	.details = "Fields are comm, pid, tid, cpu, misc, tod, time, period, event, flags, trace, addr, data_src, "
		   "weight, ins_lat, retire_lat, cgroup, ip, sym, symoff, dso, dsoff, iregs, uregs, brstack, "
		   "brstacksym, brstackoff, bpf-output, phys_addr, data_page_size, code_page_size, transaction, read, "
		   "machine_pid and vcpu. Fields that samples were recorded without are left out of the defaults.\n"
		   "A trace.dat is printed as trace-cmd report prints it, with --layout perf or where fields are "
		   "asked for as perf script would; --dsos, --symbols and other records are of perf's layout only. "
		   "Several traces are printed in one order of time, by the clock of the first trace, and each event "
		   "with the name of its file; trace.dat and perf.data together have perf's layout. Host and guest of "
		   "one session of trace-cmd are printed by the host's clock.\n"
		   "A filter is EVENT,SYSTEM/EVENT,...: EXPRESSION, the names being regular expressions. In the "
		   "expression are fields, COMM, CPU, numbers, strings, == != < <= > >=, ~ (a pattern as "
		   "\"kworker*\"), =~ and !~ (a regular expression), arithmetic, && || ! and parentheses: "
		   "'sched_switch: prev_prio < 100 && next_comm ~ \"k*\"'.\n"
		   "docs/script-differences.md and docs/trace-cmd-differences.md say where the output is not that of "
		   "perf script and of trace-cmd report.",
	.options = script_options,
	.examples = script_examples,
	.prints_a_lot = true,
	.prints_at_once = true,
	.run = script_run,
};
