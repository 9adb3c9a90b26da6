/* SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/nothing.h"

enum { WORTH_A_HINT = 1 };  /* percent of the samples */

static bool is_word(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(p, word, n) == 0;
}

static int take_graph_word(struct report_graph *g, const char *p, size_t n)
{
	char *end;

	if (is_word(p, n, "graph")) {
		g->relative = false;
	} else if (is_word(p, n, "fractal")) {
		g->relative = true;
	} else if (is_word(p, n, "none")) {
		g->on = false;
	} else if (is_word(p, n, "caller")) {
		g->callee = false;
		g->order_given = true;
	} else if (is_word(p, n, "callee")) {
		g->callee = true;
		g->order_given = true;
	} else if (!is_word(p, n, "function") && !is_word(p, n, "percent")) {
		g->limit = strtod(p, &end);
		if (end != p + n || n == 0 || !(g->limit >= 0 && g->limit <= 100))
			return -SONDE_USAGE;
		if (g->limit == 0)
			g->limit = -1;
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

void report_describe(struct sonde_export_opts *opts, const struct sonde_trace *t)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);
	struct stat st;

	opts->meta = sonde_trace_meta(t);
	opts->nr_losses = sonde_trace_losses(t, &opts->losses);
	if (info && strcmp(info->path, "-") != 0 && stat(info->path, &st) == 0)
		opts->recorded_s = st.st_mtime;
}

void report_hint(const struct sonde_profile *p)
{
	struct sonde_profile_nameless n;
	double share;

	if (!sonde_profile_nameless(p, &n))
		return;
	share = 100.0 * (double)n.samples / (double)n.all_samples;
	if (share < WORTH_A_HINT)
		return;
	if (access(n.dso, F_OK) < 0)
		say("%s: %.1f%% of the samples have no symbol; the file is needed for names (--symfs DIR looks for it below DIR)", n.dso, share);
	else
		say("%s: %.1f%% of the samples have no symbol; its debug symbols have the names (Debian, Ubuntu: find-dbgsym-packages %s, "
		    "Fedora: dnf debuginfo-install %s)", n.dso_name, share, n.dso, n.dso);
}

int report_write_page(const struct sonde_profile *p, struct sonde_trace *const *traces, size_t nr_traces, const char *path,
		      const struct sonde_export_opts *opts)
{
	struct sonde_export_opts page = *opts;
	struct sonde_error err = { 0 };
	int r;

	if (nr_traces)
		report_describe(&page, traces[0]);
	r = sonde_export_file(p, "html", path, &page, &err);
	if (r == 0)
		say_nothing(traces, nr_traces);
	return r < 0 ? say_error(err.code == SONDE_USAGE ? NULL : path, &err) : 0;
}
