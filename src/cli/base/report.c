/* SPDX-License-Identifier: MIT */
#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/no_samples.h"

enum { WORTH_A_HINT = 1 };  /* percent of the samples */

static bool is_word(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* The first number is the least percentage, the second how many branches. */
static int take_graph_number(struct report_graph *g, const char *p, size_t n)
{
	char *end;
	double v = strtod(p, &end);

	if (end != p + n || n == 0 || !(v >= 0) || v > (g->limit_given ? UINT32_MAX : 100))
		return -SONDE_USAGE;
	if (g->limit_given)
		g->branches = (uint32_t)v;
	else
		g->limit = v > 0 ? v : -1;
	g->limit_given = true;
	return 0;
}

static const struct { const char *word; enum sonde_graph_style style;
} styles[] = {
	{ "graph", SONDE_GRAPH_TREE },
	{ "fractal", SONDE_GRAPH_FRACTAL },
	{ "flat", SONDE_GRAPH_FLAT },
	{ "folded", SONDE_GRAPH_FOLDED },
};
static const struct { const char *word; enum sonde_graph_value value; } values[] = {
	{ "percent", SONDE_GRAPH_PERCENT }, { "period", SONDE_GRAPH_PERIOD }, { "count", SONDE_GRAPH_COUNT },
};
static const struct { const char *word; enum graph_nodes nodes;
} kinds_of_nodes[] = {
	{ "function", NODES_FUNCTIONS }, { "address", NODES_ADDRESSES }, { "srcline", NODES_LINES },
};

static int take_graph_word(struct report_graph *g, const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (is_word(p, n, styles[i].word)) {
			g->style = styles[i].style;
			return 0;
		}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (is_word(p, n, values[i].word)) {
			g->value = values[i].value;
			return 0;
		}
	for (size_t i = 0; i < sizeof(kinds_of_nodes) / sizeof(kinds_of_nodes[0]); i++)
		if (is_word(p, n, kinds_of_nodes[i].word)) {
			g->nodes = kinds_of_nodes[i].nodes;
			return 0;
		}
	if (is_word(p, n, "none")) {
		g->on = false;
	} else if (is_word(p, n, "caller") || is_word(p, n, "callee")) {
		g->callee = is_word(p, n, "callee");
		g->order_given = true;
	} else if (is_word(p, n, "branch")) {
		g->branches_too = true;
	} else {
		return take_graph_number(g, p, n);
	}
	return 0;
}

int report_graph_parse(struct report_graph *g, const char *words)
{
	size_t n;
	int r = 0;

	*g = (struct report_graph){ .on = true };
	for (; *words && r == 0; words += n + (words[n] == ',')) {
		n = strcspn(words, ",");
		r = take_graph_word(g, words, n);
	}
	return r;
}

void report_graph_add(const struct report_graph *g, struct sonde_profile_opts *opts)
{
	if (!g->on)
		return;
	opts->by |= g->nodes != NODES_FUNCTIONS ? (uint32_t)SONDE_BY_SRCLINE : 0;
	opts->places = g->nodes == NODES_ADDRESSES;
	opts->stack_branches = g->branches_too;
}

/* When the file was written; 0 if that is not known. */
static int64_t written_at(const struct sonde_trace *t)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);
	struct stat st;

	return info && strcmp(info->path, "-") != 0 && stat(info->path, &st) == 0 ? st.st_mtime : 0;
}

void report_describe(struct sonde_export_opts *opts, const struct sonde_trace *t)
{
	opts->trace = t;
	opts->recorded_s = written_at(t);
}

void report_describe_all(struct sonde_export_opts *opts, struct sonde_trace *const *traces, size_t n)
{
	if (!n)
		return;
	report_describe(opts, traces[0]);
	opts->others = traces + 1;
	opts->nr_others = n - 1;
}

void report_describe_baseline(struct sonde_page_opts *page, const struct sonde_trace *t)
{
	page->baseline_trace = t;
	page->baseline_recorded_s = written_at(t);
}

static void hint_missing(const struct sonde_profile_dso_note *n, double share, bool first)
{
	bool here = n->kind == SONDE_BINARY_JIT || n->dso[0] != '/' || access(n->dso, F_OK) == 0;

	if (n->reason && here)
		warn("%s: %.1f%% of the samples have no symbol: %s",
		     n->kind == SONDE_BINARY_JIT ? n->dso_name : n->dso, share, n->reason);
	else if (n->kind == SONDE_BINARY_JIT)
		return;  /* the map has other functions */
	else if (first && n->dso[0] == '/' && !here)
		warn("%s: %.1f%% of the samples have no symbol; the file is needed for names "
		     "(--symfs DIR looks for it below DIR)", n->dso, share);
	else if (first && n->dso[0] == '/' && !n->packaged)
		warn("no symbols found in %s for %.1f%% of the samples: it is stripped; build it with -g and do not "
		     "strip it", n->dso_name, share);
	else if (first && n->dso[0] == '/')
		warn("no symbols found in %s for %.1f%% of the samples, maybe install a debug package (Debian, Ubuntu: "
		     "find-dbgsym-packages %s, Fedora: dnf debuginfo-install %s)", n->dso_name, share, n->dso, n->dso);
}

static void hint(struct sonde_profile *p, bool all)
{
	const struct sonde_profile_dso_note *n;
	const char *said = NULL;
	bool first = true;

	for (size_t i = 0; (n = sonde_profile_dso_note_at(p, i)); i++) {
		double share = 100.0 * (double)n->samples / (double)n->all_samples;

		if (share < WORTH_A_HINT)
			break;
		if (!all && n->kind != SONDE_BINARY_JIT)
			continue;
		if (n->doubt && (!said || strcmp(said, n->doubt) != 0))
			warn("%s", n->doubt);
		said = n->doubt;
		if (n->doubt && !n->reason)
			continue;
		hint_missing(n, share, first);
		first = first && n->dso[0] != '/';
	}
}

void report_hint(struct sonde_profile *p)
{
	hint(p, true);
}

void report_hint_made_code(struct sonde_profile *p)
{
	hint(p, false);
}

void report_say_note(void *ctx, const char *text)
{
	(void)ctx;
	say("%s", text);
}

int report_write_page(const struct sonde_profile *p, struct sonde_trace *const *traces, size_t nr_traces,
		      const char *path, const struct sonde_export_opts *opts)
{
	struct sonde_export_opts page = *opts;
	struct sonde_error err = { .sz = sizeof(err) };
	int r;

	page.noted = report_say_note;
	report_describe_all(&page, traces, nr_traces);
	r = sonde_export_file(p, "html", path, &page, &err);
	if (r == 0)
		say_no_samples(traces, nr_traces);
	return r < 0 ? say_error(err.code == SONDE_USAGE ? NULL : path, &err) : 0;
}
