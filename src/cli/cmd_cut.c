/* SPDX-License-Identifier: MIT */
/* cmd_cut.c - writes a part of a trace */
#include <sonde/cut.h>

#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/lists.h"
#include "cli/base/memory.h"
#include "cli/base/message.h"
#include "cli/base/no_samples.h"
#include "cli/base/read_progress.h"
#include "cli/base/rewriting.h"
#include "cli/base/values.h"

static struct strings events, buffers;
static uint64_t max_events, max_pages;
static uint32_t drop;

static int choose_events(const char *arg)
{
	return list_add_words(&events, arg);
}

static int choose_drop(const char *arg)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} parts[] = {
		{ "callchain", SONDE_DROP_CALLCHAIN }, { "stack", SONDE_DROP_STACK }, { "regs", SONDE_DROP_REGS },
		{ "raw", SONDE_DROP_RAW }, { "branch", SONDE_DROP_BRANCH },
	};

	for (size_t len; *arg; arg += len + (arg[len] == ',')) {
		size_t k = 0;

		len = strcspn(arg, ",");
		while (k < sizeof(parts) / sizeof(*parts) &&
		       (strlen(parts[k].name) != len || memcmp(parts[k].name, arg, len) != 0))
			k++;
		if (k == sizeof(parts) / sizeof(*parts)) {
			say_usage("--drop takes callchain, stack, regs, raw and branch, not '%.*s'", (int)len, arg);
			return -SONDE_USAGE;
		}
		drop |= parts[k].bit;
	}
	return 0;
}

static const struct option_row cut_options[] = {
	SELECTION_ROWS,
	{ "comm", 0, OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "of threads of these names" },
	{ "event", 'e', OPTION_CALL, .call = choose_events, .arg = "EVENTS", .help = "of these events",
	  .values = { .give = give_trace_events, .list = true } },
	{ "drop", 0, OPTION_CALL, .call = choose_drop, .arg = "PARTS",
	  .help = "drop parts of samples: callchain, stack, regs, raw, branch",
	  .values = { .words = WORDS("callchain", "stack", "regs", "raw", "branch"), .list = true } },
	{ "buffer", 'B', OPTION_STRINGS, &buffers, .arg = "NAME",
	  .help = "trace.dat: of this buffer; '' is the top one" },
	{ "max-events", 0, OPTION_U64, &max_events, .arg = "N", .help = "trace.dat: the first N of these events" },
	{ "max-pages", 0, OPTION_U64, &max_pages, .arg = "N", .help = "trace.dat: N pages of each CPU" },
	QUIET_ROW,
	{ 0 },
};

/* Every buffer of a trace.dat has the same events, so the first buffer's are listed. */
static bool is_of_first_buffer(const struct sonde_trace *t, const struct sonde_evsel *evsel)
{
	return !evsel->buffer || strcmp(evsel->buffer, sonde_trace_evsel_at(t, 0)->buffer) == 0;
}

/* Tells that none of the given names is an event of the trace. */
static int say_no_event(const char *path)
{
	struct sonde_trace *t = sonde_trace_new();
	struct strings known = { 0 };
	int status = 1;

	if (!t || sonde_trace_open(t, path, open_options()) < 0)
		goto free;
	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++) {
		const struct sonde_evsel *evsel = sonde_trace_evsel_at(t, i);

		if (is_of_first_buffer(t, evsel) && list_add(&known, evsel->name) < 0)
			goto free;
	}
	if (list_add(&known, NULL) == 0)
		status = say_unknown("event", events.at[0], known.at);
free:
	free(known.at);
	sonde_trace_free(t);
	return status;
}

static int cut_run(int argc, char **argv)
{
	struct sonde_query query = selection();
	struct sonde_cut_opts opts = { .sz = sizeof(opts),
				       .query = &query,
				       .comms = selected.comms.at,
				       .nr_comms = selected.comms.n,
				       .drop = drop,
				       .buffers = buffers.at,
				       .nr_buffers = buffers.n,
				       .max_events = max_events,
				       .max_pages = max_pages };
	struct sonde_rewrite *w;
	int r = 0, status;

	query.events = events.at;
	query.nr_events = events.n;
	if (argc != 2)
		return say_usage("an input and an output are needed");
	if (select_within_file(argv[0], &query) < 0)
		return 1;
	w = rewriting_begin();
	if (w)
		r = sonde_cut(w, argv[0], argv[1], &opts);
	if (w && r == -SONDE_MISSING && events.n) {
		sonde_rewrite_free(w);
		return say_no_event(argv[0]);
	}
	status = rewriting_end(w, argv[0], r, false);
	if (w && r == 0)
		say_bundle_left_out(argv[0]);
	if (w && r == 0)
		say_no_samples_cut(argv[0], argv[1]);
	return status;
}

static const struct example cut_examples[] = {
	{ "sonde cut --time 10%-20% perf.data part.data", "write the second tenth of a recording" },
	{ "sonde cut --event sched_switch trace.dat switches.dat", "write some events of a trace.dat" },
	{ 0 },
};

const struct command cmd_cut = {
	.name = "cut",
	.args = "INPUT OUTPUT",
	.help = "write a part of a trace",
	.details = "Samples are chosen by time, CPU, task, name and event. Side-band records (comm, mmap, fork, ...) "
		   "are kept up to the end of the cut, so that each sample has the same task and symbols as in the "
		   "whole trace. A trace.dat keeps its version and compression.",
	.options = cut_options,
	.examples = cut_examples,
	.run = cut_run,
};
