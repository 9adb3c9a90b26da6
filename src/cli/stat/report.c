/* SPDX-License-Identifier: MIT */
#include "cli/stat/report.h"

#include <sonde/trace.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/options.h"
#include "cli/stat/print.h"

#define HEADING_EVERY 25       /* intervals */

static struct {
	const char *input, *separator, *output;
	bool json, no_big_num;
	enum sonde_stat_by by;
} words;

static int told_apart(enum sonde_stat_by by)
{
	words.by = by;
	return 0;
}

static int by_cpu(const char *arg) { (void)arg; return told_apart(SONDE_STAT_BY_CPU); }
static int by_core(const char *arg) { (void)arg; return told_apart(SONDE_STAT_BY_CORE); }
static int by_die(const char *arg) { (void)arg; return told_apart(SONDE_STAT_BY_DIE); }
static int by_socket(const char *arg) { (void)arg; return told_apart(SONDE_STAT_BY_SOCKET); }
static int by_node(const char *arg) { (void)arg; return told_apart(SONDE_STAT_BY_NODE); }

static int set_separator(const char *arg)
{
	words.separator = strcmp(arg, "\\t") == 0 ? "\t" : arg;
	return *arg ? 0 : (say_usage("-x: the separator is empty"), -SONDE_USAGE);
}

static const struct option_row report_options[] = {
	{ "input", 'i', OPTION_STRING, &words.input, .arg = "FILE", .help = "read FILE, not perf.data; - is a pipe" },
	{ "field-separator", 'x', OPTION_CALL, .call = set_separator, .arg = "TEXT",
	  .help = "separate fields by this" },
	{ "json-output", 'j', OPTION_FLAG, &words.json, .help = "one JSON object for each line" },
	{ "no-aggr", 'A', OPTION_CALL, .call = by_cpu, .help = "one line for each CPU" },
	{ "per-core", 0, OPTION_CALL, .call = by_core, .help = "one line for each core" },
	{ "per-die", 0, OPTION_CALL, .call = by_die, .help = "one line for each die" },
	{ "per-socket", 0, OPTION_CALL, .call = by_socket, .help = "one line for each socket" },
	{ "per-node", 0, OPTION_CALL, .call = by_node, .help = "one line for each NUMA node" },
	{ "no-big-num", 0, OPTION_FLAG, &words.no_big_num, .help = "do not separate thousands" },
	{ 0 },
};

static const struct command report_command = { .name = "stat", .options = report_options, .reads_no_trace = true };

struct report {
	struct sonde_trace *trace;
	struct sonde_stat *stat;
	struct stat_format format;
	uint64_t rounds;
	bool is_pipe, has_note;
};

static void name_target(const struct report *r, char *out, size_t size)
{
	const struct sonde_meta *meta = sonde_trace_meta(r->trace);
	size_t n = (size_t)snprintf(out, size, "'");

	for (size_t i = 0; i < meta->nr_cmdline && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "", meta->cmdline[i]);
	if (meta->nr_cmdline == 0 || r->is_pipe)
		n = (size_t)snprintf(out, size, "'pipe");
	if (n < size)
		snprintf(out + n, size - n, "'");
}

static void print_round(struct report *r)
{
	const struct sonde_stat_info *info = sonde_stat_info(r->stat);
	struct stat_end end = { .no_rows = !sonde_table_info(sonde_stat_table(r->stat))->rows };
	static char target[4096];

	if (info->interval_ms) {
		if (r->rounds++ % HEADING_EVERY == 0)
			stat_print_heading(&r->format, r->stat);
		stat_print_table(&r->format, r->stat, info->seconds);
	} else {
		name_target(r, target, sizeof(target));
		stat_print_title(&r->format, target, 1);
		stat_print_table(&r->format, r->stat, STAT_NO_TIME);
		stat_print_end(&r->format, info, &end);
	}
}

static void say_note(struct report *r)
{
	const char *note = sonde_stat_info(r->stat)->note;

	if (note && !r->has_note)
		say("%s", note);
	r->has_note = note;
}

static int read_all(struct report *r, const char *path)
{
	const struct sonde_error *e = sonde_stat_error(r->stat);
	int n = sonde_stat_open_trace(r->stat, r->trace);

	while (n >= 0 && (n = sonde_stat_next_round(r->stat)) > 0) {
		say_note(r);
		print_round(r);
	}
	say_note(r);
	if (n == 0)
		return 0;
	if (e->code == SONDE_MISSING)
		say("%s has no counts: `sonde stat record` writes some, `sonde report` shows samples", path);
	else if (e->code == SONDE_UNSUPPORTED && e->file_offset == SONDE_NONE)
		say("%s", e->text);
	else
		say_error(path, e);
	return 1;
}

int stat_report(int argc, char **argv)
{
	struct sonde_stat_opts opts = { .sz = sizeof(opts) };
	struct report r = { .format = { .out = stderr } };
	const char *path;
	int status;

	switch (options_parse(&report_command, &argc, argv)) {
	case OPTIONS_USAGE:
		return 2;
	case OPTIONS_HELP:
		puts("sonde stat report [-i FILE] [-x TEXT | -j] [-A | --per-core | --per-die | --per-socket | "
		     "--per-node] [--no-big-num]");
		return 0;
	default:
		break;
	}
	path = input_path(words.input, argc, argv);
	if (!path)
		return 2;
	r.is_pipe = strcmp(path, "-") == 0;
	r.format.separator = words.separator;
	r.format.json = words.json;
	r.format.big_numbers = !words.no_big_num;
	opts.by = words.by;
	opts.no_rates = words.separator || words.json;
	r.trace = sonde_trace_new();
	r.stat = sonde_stat_new(&opts);
	if (!r.trace || !r.stat)
		return say_out_of_memory();
	status = sonde_trace_open(r.trace, path, NULL) < 0 ? say_error(path, sonde_trace_error(r.trace)) :
							     read_all(&r, path);
	sonde_stat_free(r.stat);
	sonde_trace_free(r.trace);
	return status;
}
