/* SPDX-License-Identifier: MIT */
/* cmd_list.c - the events of this machine */
#include <sonde/catalog.h>
#include <sonde/stat.h>
#include <sonde/text.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/lists.h"
#include "cli/base/message.h"

#define NAME_WIDTH 50
#define TEXT_WIDTH 78
#define TEXT_INDENT 7

static bool accepted, json, raw_dump, long_desc, details, deprecated, all, desc = true;
static const char *output, *only_pmu;
static struct strings event_files;

static const struct option_row list_options[] = {
	{ "desc", 'd', OPTION_FLAG, &desc, .help = "with descriptions (default; --no-desc: without)" },
	{ "long-desc", 'v', OPTION_FLAG, &long_desc, .help = "with long descriptions, and the fields of tracepoints" },
	{ "details", 0, OPTION_FLAG, &details, .help = "with the terms that each name stands for" },
	{ "all", 'a', OPTION_FLAG, &all, .help = "with events that this machine cannot count, and the reason" },
	{ "deprecated", 0, OPTION_FLAG, &deprecated, .help = "with deprecated events" },
	{ "unit", 0, OPTION_STRING, &only_pmu, .arg = "PMU", .help = "only events of this PMU" },
	{ "event-file", 0, OPTION_STRINGS, &event_files, .arg = "FILE",
	  .help = "with the events and metrics of a JSON file of the processor's vendor, or of all in a directory" },
	{ "debug", 0, OPTION_FLAG, &accepted, .help = "accepted: nothing more to print" },
	{ "json", 'j', OPTION_FLAG, &json, .help = "a JSON array of objects, with the keys of perf list" },
	{ "raw-dump", 0, OPTION_FLAG, &raw_dump, .help = "names on one line" },
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE", .help = "write to FILE" },
	{ 0 },
};

/* Events that are left out because this machine cannot count them now; reasons are few. */
struct left_out {
	const char *why;
	size_t n;
};
#define REASONS 8
static struct left_out left_out[REASONS];

static void leave_out(const char *why)
{
	for (size_t i = 0; i < REASONS; i++)
		if (!left_out[i].why || !strcmp(left_out[i].why, why)) {
			left_out[i].why = why;
			left_out[i].n++;
			return;
		}
}

static bool chosen(const struct sonde_catalog_event *e, int argc, char **argv)
{
	if ((e->deprecated && !deprecated) || (only_pmu && (!e->pmu || strcmp(only_pmu, e->pmu) != 0)))
		return false;
	for (int i = 0; i < argc; i++)
		if (sonde_catalog_chooses(e, argv[i]))
			return true;
	return argc == 0;
}

/* Files of events have any bytes. */
static void print_clean(FILE *f, const char *text, size_t n)
{
	char part[256];

	for (; n > 0; text += strlen(part), n -= strlen(part)) {
		snprintf(part, sizeof(part), "%.*s", (int)(n < sizeof(part) ? n : sizeof(part) - 1), text);
		sonde_text_clean(part, strlen(part));
		fputs(part, f);
	}
}

/* A description in lines of its own, in brackets; words are not cut. */
static void print_wrapped(FILE *f, const char *text)
{
	size_t column = TEXT_INDENT;

	fprintf(f, "%*s[", TEXT_INDENT, "");
	for (const char *p = text + strspn(text, " \n"); *p; p += strspn(p, " \n")) {
		size_t n = strcspn(p, " \n");
		bool first = column == TEXT_INDENT;

		if (!first && column + n >= TEXT_WIDTH) {
			fprintf(f, "\n%*s", TEXT_INDENT, "");
			column = TEXT_INDENT;
		}
		fprintf(f, "%s", first ? "" : " ");
		print_clean(f, p, n);
		column += 1 + n;
		p += n;
	}
	fputs("]\n", f);
}

/* The fields of a tracepoint out of its format, without those that all have. */
static void print_fields(FILE *f, const char *format)
{
	static const char begin[] = " field:";

	for (const char *p = format, *end; (p = strstr(p, begin)); p = end) {
		p += strlen(begin);
		end = p + strcspn(p, ";\n");
		if (!memmem(p, (size_t)(end - p), " common_", strlen(" common_")))
			fprintf(f, "%*s%.*s\n", TEXT_INDENT + 1, "", (int)(end - p), p);
	}
}

static void print_event(FILE *f, const struct sonde_catalog_event *e)
{
	char name[1024];

	snprintf(name, sizeof(name), "%s%s%s", e->name, e->alias ? " OR " : "", e->alias ? e->alias : "");
	sonde_text_clean(name, strlen(name));
	fprintf(f, "  %-*s [%s]\n", NAME_WIDTH, name, e->kind_name);
	if (e->unavailable)
		fprintf(f, "%*sNot here: %s\n", TEXT_INDENT + 1, "", e->unavailable);
	if (desc && e->kind == SONDE_CATALOG_TRACEPOINT && long_desc && e->long_description)
		print_fields(f, e->long_description);
	else if (desc && long_desc && e->long_description)
		print_wrapped(f, e->long_description);
	else if (desc && e->description)
		print_wrapped(f, e->description);
	if (details && (e->encoding || e->metric_expr)) {
		const char *text = e->encoding ? e->encoding : e->metric_expr;

		fprintf(f, "%*s", TEXT_INDENT + 1, "");
		print_clean(f, text, strlen(text));
		fputc('\n', f);
	}
}

/* A name and its alias are two events of the catalogue, but one line: the first in the order of the alphabet. */
static bool is_second_name(const struct sonde_catalog_event *e)
{
	return e->alias && e->kind != SONDE_CATALOG_PMU && strlen(e->name) < strlen(e->alias);
}

static const char *topic_of(const struct sonde_catalog_event *e)
{
	static const char *const names[] = {
		[SONDE_CATALOG_HARDWARE] = "Hardware events", [SONDE_CATALOG_SOFTWARE] = "Software events",
		[SONDE_CATALOG_TOOL] = "Events of the program that counts", [SONDE_CATALOG_CACHE] = "Cache events",
		[SONDE_CATALOG_PMU] = "Events of PMUs", [SONDE_CATALOG_RAW] = "Other forms",
		[SONDE_CATALOG_BREAKPOINT] = "Other forms", [SONDE_CATALOG_TRACEPOINT] = "Tracepoints",
		[SONDE_CATALOG_METRIC] = "Metrics", [SONDE_CATALOG_SDT] = "Static probes",
	};

	return e->kind == SONDE_CATALOG_PMU && e->topic ? e->topic : names[e->kind];
}

static int write_text(void *ctx, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, ctx) == n ? 0 : -1;
}

/* ---- metrics: those of perf that sonde stat -M has built in, and those of --event-file ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_word_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

static bool asks_metrics(const char *word)
{
	return is_word_of(word, (const char *const[]){ "metric", "metrics", NULL });
}

static bool asks_groups(const char *word)
{
	return is_word_of(word, (const char *const[]){ "metricgroup", "metricgroups", NULL });
}

static bool is_kind(const char *word)
{
	return asks_metrics(word) || asks_groups(word) ||
	       is_word_of(word, (const char *const[]){ "hw", "hardware", "sw", "software", "tool", "cache", "hwcache",
						       "pmu", "raw", "breakpoint", "tracepoint", "sdt", NULL });
}

static size_t print_built_in(FILE *f)
{
	const struct sonde_stat_metric *m;
	size_t nr = 0;

	for (; (m = sonde_stat_metric_at(NULL, nr)); nr++)
		if (raw_dump)
			fprintf(f, "%s%s", nr ? " " : "", m->name);
		else
			fprintf(f, "%s  %-*s [Metric]\n       [Of %s]\n", nr ? "" : "Metrics of sonde stat -M:\n",
				NAME_WIDTH, m->name, m->events);
	fputs(raw_dump ? "\n" : "", f);
	return nr;
}

/* The names of the groups, each once. */
static size_t print_groups(FILE *f, const struct sonde_catalog *c)
{
	struct strings names = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < sonde_catalog_count(c); i++) {
		const char *groups = sonde_catalog_at(c, i)->metric_group;
		size_t n;

		for (; groups && *groups; groups += n + (groups[n] == ';')) {
			char *name;

			n = strcspn(groups, ";");
			name = n ? strndup(groups, n) : NULL;
			if (name && list_add(&names, name) < 0)
				free(name);
		}
	}
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_name);
	for (size_t i = 0; i < names.n; i++)
		if (i == 0 || strcmp(names.at[i], names.at[i - 1]) != 0) {
			fputs(raw_dump ? (nr ? " " : "") : nr ? "" : "Groups of metrics:\n", f);
			print_clean(f, names.at[i], strlen(names.at[i]));
			fputs(raw_dump ? "" : "\n", f);
			nr++;
		}
	fputs(raw_dump && nr ? "\n" : "", f);
	for (size_t i = 0; i < names.n; i++)
		free((char *)names.at[i]);
	free(names.at);
	return nr;
}

/* The events that the words choose, in the form that the options choose. Their number. */
static size_t print_events(FILE *f, const struct sonde_catalog *c, int argc, char **argv)
{
	const struct sonde_output to = { .sz = sizeof(to), .write = write_text, .ctx = f };
	const char *topic = NULL;
	size_t nr = 0;

	if (json)
		fputs("[", f);
	for (size_t i = 0; i < sonde_catalog_count(c); i++) {
		const struct sonde_catalog_event *e = sonde_catalog_at(c, i);

		if (!chosen(e, argc, argv) || (!json && !raw_dump && is_second_name(e)))
			continue;
		/* an event that was asked for by its name gets an answer */
		if (e->unavailable && !all && e->kind != SONDE_CATALOG_TRACEPOINT && (argc == 0 || json || raw_dump)) {
			leave_out(e->unavailable);
			continue;
		}
		if (json) {
			fputs(nr ? ",\n" : "\n", f);
			sonde_catalog_print_json(e, &to, NULL);
		} else if (raw_dump) {
			fprintf(f, "%s%s", nr ? " " : "", e->name);
		} else {
			if (!topic || strcmp(topic, topic_of(e)) != 0)
				fprintf(f, "%s%s:\n", nr ? "\n" : "", topic_of(e));
			topic = topic_of(e);
			print_event(f, e);
		}
		nr++;
	}
	fputs(json ? "\n]\n" : raw_dump ? "\n" : "", f);
	return nr;
}

static void print_left_out(FILE *f)
{
	for (size_t i = 0; !json && !raw_dump && i < REASONS && left_out[i].why; i++)
		fprintf(f, "\n%zu more %s: %s (sonde list --all)\n", left_out[i].n,
			left_out[i].n == 1 ? "event cannot be counted now" : "events cannot be counted now",
			left_out[i].why);
}

/* Groups are asked for alone; metrics come after the events. */
static size_t print_all(FILE *f, const struct sonde_catalog *c, int argc, char **argv)
{
	size_t nr;

	if (argc == 1 && asks_groups(argv[0]) && !json)
		return print_groups(f, c);
	nr = print_events(f, c, argc, argv);
	for (int i = 0; i < argc && !json; i++)
		if (asks_metrics(argv[i]))
			return nr + print_built_in(f);
	return nr;
}

/* Why nothing is listed. The exit status: a kind that has no events is no failure. */
static int say_none(const struct sonde_catalog_opts *opts, char **argv)
{
	if (opts->nr_sdt_files)
		say("no static probe is in %s", argv[1]);
	else if (asks_groups(argv[0]))
		say("no group of metrics is known: --event-file names the file of your processor's metrics");
	else if (!strcmp(argv[0], "sdt"))
		say("static probes are those of files: `sonde list sdt FILE...`");
	else if (is_kind(argv[0]))
		say("this machine has no events of the kind %s", argv[0]);
	else
		say("no event of this machine is called so: %s", argv[0]);
	return opts->nr_sdt_files || !is_kind(argv[0]);
}

static int list_run(int argc, char **argv)
{
	struct sonde_catalog_opts opts = {
		.sz = sizeof(opts), .sysfs = getenv("SYSFS_PATH"), .tracefs = getenv("TRACEFS_PATH"),
		.try_events = !getenv("SYSFS_PATH"), .formats = json || long_desc,
		.event_files = event_files.at, .nr_event_files = event_files.n,
	};
	struct sonde_catalog *c = sonde_catalog_new();
	FILE *f = stdout;
	int status = 0;

	if (!c)
		return say_out_of_memory();
	if (argc > 1 && !strcmp(argv[0], "sdt")) {
		opts.sdt_files = (const char *const *)argv + 1;
		opts.nr_sdt_files = (size_t)argc - 1;
		argc = 1;
	}
	if (sonde_catalog_open(c, &opts) < 0) {
		status = say_error(NULL, sonde_catalog_error(c));
	} else if (output && !(f = fopen(output, "we"))) {
		say("%s: %s", output, strerror(errno));
		status = 1;
	} else {
		if (print_all(f, c, argc, argv) == 0 && argc > 0 && !json)
			status = say_none(&opts, argv);
		print_left_out(f);
		if (f != stdout && fclose(f) != 0) {
			say("%s: %s", output, strerror(errno));
			status = 1;
		}
	}
	sonde_catalog_free(c);
	return status;
}

static const struct example list_examples[] = {
	{ "sonde list", "list the events that this machine can count, record and trace" },
	{ "sonde list -v sched:sched_switch", "show the fields of a tracepoint" },
	{ "sonde list --all hw cache", "show what the machine cannot count, and why" },
	{ 0 },
};

const struct command cmd_list = {
	.name = "list",
	.args = "[hw|sw|tool|cache|pmu|raw|tracepoint|metric|metricgroup|sdt FILE...|GLOB...]",
	.help = "list the events of this machine",
	.details = "A word chooses a kind of event, or the events whose name has it as a part or matches it as a glob: "
		   "`sonde list 'sched:*'`, `sonde list pmu:uncore_imc`. `sonde list sdt FILE...` lists the static "
		   "probes (USDT) of files.\n"
		   "Each generic event is opened once, so the list has what this machine can count now; --all has the "
		   "others too, with the reason.\n"
		   "Every name can follow -e of sonde record. The environment variables SYSFS_PATH and TRACEFS_PATH "
		   "name other places than /sys and /sys/kernel/tracing; nothing is opened then.",
	.options = list_options,
	.reads_no_trace = true,
	.examples = list_examples,
	.prints_a_lot = true,
	.run = list_run,
};
