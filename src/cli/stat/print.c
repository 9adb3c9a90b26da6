/* SPDX-License-Identifier: MIT */
#include "cli/stat/print.h"

#include <locale.h>
#include <math.h>
#include <sonde/text.h>
#include <string.h>

#include "cli/stat/line.h"

#define METRIC_WIDTH 38        /* of "# 1.000 CPUs  CPUs_utilized", with its distance from the name */
#define METRIC_UNIT_WIDTH 26
#define UNIT_WIDTH 4
#define NAME_WIDTH 32

/* The decimal point and the groups of thousands are the user's; everything else is printed in the locale "C". */
static void print_user_number(FILE *out, int width, int decimals, double value, bool groups)
{
	locale_t user = newlocale(LC_NUMERIC_MASK, "", (locale_t)0), old = (locale_t)0;

	if (user)
		old = uselocale(user);
	fprintf(out, groups ? "%'*.*f" : "%*.*f", width, decimals, value);
	if (user) {
		uselocale(old);
		freelocale(user);
	}
}

void stat_print_json_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(out, "\\u%04x", *p);
		else
			fputc(*p, out);
	fputc('"', out);
}

/* Control bytes of names never reach a terminal. */
static void print_plain(FILE *out, const char *text, int width)
{
	int n = 0;

	for (; *text; text++, n++)
		fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '.' : *text, out);
	for (; n < width; n++)
		fputc(' ', out);
}

static bool is_supported(const struct stat_line *l)
{
	return strcmp(l->state, "not supported") != 0;
}

/* "<not counted>"; NULL: the event was counted */
static const char *why_no_value(const struct stat_line *l)
{
	if (!isnan(l->value))
		return NULL;
	return is_supported(l) ? "<not counted>" : "<not supported>";
}

static const char *shown_unit(const struct stat_line *l)
{
	return is_supported(l) ? l->unit : "";
}

static int decimals_of(const struct stat_line *l)
{
	return l->scale != 1.0 ? 2 : 0;
}

/* "GHz  cycles_frequency": perf's unit of a metric */
struct metric_text {
	char text[256];
};

static struct metric_text text_of(const struct stat_line_metric *m)
{
	struct metric_text t;

	snprintf(t.text, sizeof(t.text), "%.60s%s%.180s", m->unit, *m->unit ? "  " : "", m->name);
	return t;
}

static bool has_count(enum sonde_stat_by by)
{
	return by >= SONDE_STAT_BY_CORE;
}

static const char *key_kind(enum sonde_stat_by by)
{
	static const char *const names[] = {
		[SONDE_STAT_BY_CPU] = "cpu", [SONDE_STAT_BY_THREAD] = "thread", [SONDE_STAT_BY_CORE] = "core",
		[SONDE_STAT_BY_CLUSTER] = "cluster", [SONDE_STAT_BY_CACHE] = "cache", [SONDE_STAT_BY_DIE] = "die",
		[SONDE_STAT_BY_SOCKET] = "socket", [SONDE_STAT_BY_NODE] = "node",
	};

	return names[by];
}

/* ---- text ---- */

/* perf's widths of "CPU0", "S0-D0-C1" and their like. */
static const int key_width[] = {
	[SONDE_STAT_BY_CPU] = 6, [SONDE_STAT_BY_CORE] = 18, [SONDE_STAT_BY_CLUSTER] = 20, [SONDE_STAT_BY_CACHE] = 22,
	[SONDE_STAT_BY_DIE] = 12, [SONDE_STAT_BY_SOCKET] = 6, [SONDE_STAT_BY_NODE] = 6,
};

static void text_key(const struct stat_format *f, const struct stat_line *l)
{
	const char *dash;

	if (l->by == SONDE_STAT_BY_THREAD) {
		dash = strrchr(l->key, '-');
		fprintf(f->out, "%*.*s-%-7s ", 16, dash ? (int)(dash - l->key) : 0, l->key, dash ? dash + 1 : "");
	} else if (has_count(l->by)) {
		fprintf(f->out, "%-*s %4u ", key_width[l->by], l->key, (unsigned)l->counters);
	} else if (l->by != SONDE_STAT_BY_EVENT) {
		fprintf(f->out, "%-*s ", key_width[stat_line_by(l)], l->key);
	}
}

static int unit_width(struct sonde_table *t)
{
	size_t w = UNIT_WIDTH;

	for (size_t i = 0; i < sonde_table_info(t)->rows; i++) {
		const char *unit = stat_text_at(t, i, SONDE_STAT_UNIT);

		if (unit && strlen(unit) > w)
			w = strlen(unit);
	}
	return (int)w;
}

/* Red beyond a threshold, green below it. */
static void text_metric(const struct stat_format *f, const struct stat_line_metric *m)
{
	const char *colour = !m->threshold || !f->colour ? NULL : *m->threshold == 'b' ? "\033[31m" : "\033[32m";

	fprintf(f->out, " # %s%8.1f%s %-*s", colour ? colour : "", m->value, colour ? "\033[m" : "", METRIC_UNIT_WIDTH,
		text_of(m).text);
}

/* @width: of the units */
static void text_line(const struct stat_format *f, const struct stat_line *l, int width)
{
	const char *none = why_no_value(l);

	if (none)
		fprintf(f->out, "%18s", none);
	else
		print_user_number(f->out, 18, decimals_of(l), l->value, f->big_numbers);
	fprintf(f->out, " %-*s ", width, shown_unit(l));
	print_plain(f->out, l->event, NAME_WIDTH);
	if (l->cgroup) {
		fputc(' ', f->out);
		print_plain(f->out, l->cgroup, 0);
	}
	if (l->metric.name)
		text_metric(f, &l->metric);
	else
		fprintf(f->out, "%*s", METRIC_WIDTH, "");
	if (!none && l->has_deviation && l->value != 0)
		fprintf(f->out, "  ( +-%6.2f%% )", l->deviation);
	if (!none && l->running_share != 100)
		fprintf(f->out, "  (%.2f%%)", l->running_share);
}

/* The further metrics of a row stand below the first one. */
static void text_further(const struct stat_format *f, const struct stat_line *l, int width)
{
	fprintf(f->out, "%*s", 18 + 1 + width + 1 + NAME_WIDTH, "");
	text_metric(f, &l->metric);
}

/* ---- with separators ---- */

static void csv_key(const struct stat_format *f, const struct stat_line *l)
{
	const char *x = f->separator;

	if (l->by != SONDE_STAT_BY_EVENT)
		fprintf(f->out, "%s%s", l->key, x);
	if (has_count(l->by))
		fprintf(f->out, "%u%s", (unsigned)l->counters, x);
}

static void csv_metric(const struct stat_format *f, const struct stat_line_metric *m)
{
	if (m->name && !isnan(m->value))
		fprintf(f->out, "%.1f", m->value);
	fprintf(f->out, "%s%s", f->separator, m->name ? text_of(m).text : "");
}

static void csv_line(const struct stat_format *f, const struct stat_line *l)
{
	const char *none = why_no_value(l), *x = f->separator;

	if (none)
		fputs(none, f->out);
	else
		fprintf(f->out, "%.*f", decimals_of(l), l->value);
	fprintf(f->out, "%s%s%s", x, shown_unit(l), x);
	print_plain(f->out, l->event, 0);
	fputs(x, f->out);
	if (l->cgroup) {
		print_plain(f->out, l->cgroup, 0);
		fputs(x, f->out);
	}
	if (l->has_deviation)
		fprintf(f->out, "%.2f%%%s", l->deviation, x);
	fprintf(f->out, "%lld%s%.2f%s", (long long)l->running, x, l->running_share, x);
	csv_metric(f, &l->metric);
}

/* The fields of the count are empty; @first: the row of the count */
static void csv_further(const struct stat_format *f, const struct stat_line *l, const struct stat_line *first)
{
	for (int n = 5 + (first->cgroup != NULL) + first->has_deviation; n > 0; n--)
		fputs(f->separator, f->out);
	csv_metric(f, &l->metric);
}

/* ---- JSON ---- */

static void json_key(const struct stat_format *f, const struct stat_line *l)
{
	if (l->by == SONDE_STAT_BY_EVENT)
		return;
	fprintf(f->out, "\"%s\" : ", key_kind(stat_line_by(l)));
	stat_print_json_text(f->out, stat_line_by(l) == SONDE_STAT_BY_CPU ? l->key + strlen("CPU") : l->key);
	fputs(", ", f->out);
}

static void json_metric(const struct stat_format *f, const struct stat_line_metric *m)
{
	if (isnan(m->value))
		fputs("\"metric-value\" : \"nan\"", f->out);
	else
		fprintf(f->out, "\"metric-value\" : \"%f\"", m->value);
	fprintf(f->out, ", \"metric-unit\" : \"%s\"", text_of(m).text);
	if (m->threshold)
		fprintf(f->out, ", \"metric-threshold\" : \"%s\"", m->threshold);
}

static void json_line(const struct stat_format *f, const struct stat_line *l)
{
	const char *none = why_no_value(l);

	if (has_count(l->by))
		fprintf(f->out, "\"counters\" : %u, ", (unsigned)l->counters);
	if (none)
		fprintf(f->out, "\"counter-value\" : \"%s\", ", none);
	else
		fprintf(f->out, "\"counter-value\" : \"%f\", ", l->value);
	fprintf(f->out, "\"unit\" : \"%s\", \"event\" : ", shown_unit(l));
	stat_print_json_text(f->out, l->event);
	if (l->cgroup) {
		fputs(", \"cgroup\" : ", f->out);
		stat_print_json_text(f->out, l->cgroup);
	}
	if (l->has_deviation)
		fprintf(f->out, ", \"variance\" : %.2f", l->deviation);
	fprintf(f->out, ", \"event-runtime\" : %lld, \"pcnt-running\" : %.2f", (long long)l->running,
		l->running_share);
	if (l->metric.name) {
		fputs(", ", f->out);
		json_metric(f, &l->metric);
	}
}

/* ---- tables ---- */

static void print_moment(const struct stat_format *f, double moment)
{
	if (f->json)
		fputc('{', f->out);
	if (moment == STAT_NO_TIME)
		return;
	if (moment == STAT_SUMMARY) {
		if (f->separator)
			fprintf(f->out, "%16s%s", "summary", f->separator);
	} else if (f->json) {
		fprintf(f->out, "\"interval\" : %.9f, ", moment);
	} else if (f->separator) {
		fprintf(f->out, "%.9f%s", moment, f->separator);
	} else {
		fprintf(f->out, "%16.9f ", moment);
	}
}

/* @first: the row of the count that a further metric belongs to, or the row itself */
static void print_line(const struct stat_format *f, const struct stat_line *l, const struct stat_line *first,
		       int width)
{
	if (f->json) {
		json_key(f, l);
		if (l->state)
			json_line(f, l);
		else
			json_metric(f, &l->metric);
	} else if (f->separator) {
		csv_key(f, l);
		if (l->state)
			csv_line(f, l);
		else
			csv_further(f, l, first);
	} else {
		text_key(f, l);
		if (l->state)
			text_line(f, l, width);
		else
			text_further(f, l, width);
	}
	fputs(f->json ? "}\n" : "\n", f->out);
}

static void print_rows(const struct stat_format *f, struct sonde_table *t, enum sonde_stat_by by, double moment)
{
	const int width = unit_width(t);
	struct stat_line first = { 0 };

	for (size_t i = 0; i < sonde_table_info(t)->rows; i++) {
		const struct stat_line l = stat_line_at(t, by, i);

		if (l.state)
			first = l;
		if (l.state)
			print_moment(f, moment);
		else if (f->json)
			fputc('{', f->out);
		print_line(f, &l, &first, width);
	}
}

static void print_unit(const struct stat_format *f, const struct stat_line_metric *m)
{
	if (f->separator)
		fprintf(f->out, "%s%s", text_of(m).text, f->separator);
	else
		fprintf(f->out, "%*s ", METRIC_UNIT_WIDTH, text_of(m).text);
}

static void print_value(const struct stat_format *f, const struct stat_line_metric *m, bool is_first)
{
	if (f->json)
		fprintf(f->out, "%s\"%s\" : \"%.1f\"", is_first ? "" : ", ", text_of(m).text, m->value);
	else if (f->separator)
		fprintf(f->out, "%.1f%s", m->value, f->separator);
	else
		fprintf(f->out, "%*.1f ", METRIC_UNIT_WIDTH, m->value);
}

/* One line of the metrics of a key, in the rows from @first to @end; as text with their units above it. */
static void print_metrics_of_key(const struct stat_format *f, struct sonde_table *t, size_t first, size_t end,
				 double moment)
{
	if (!f->json && moment == STAT_NO_TIME) {
		for (size_t i = first; i < end; i++)
			if (stat_text_at(t, i, SONDE_STAT_METRIC_NAME))
				print_unit(f, &(struct stat_line_metric){ stat_text_at(t, i, SONDE_STAT_METRIC_NAME), 0,
								stat_text_at(t, i, SONDE_STAT_METRIC_UNIT), NULL });
		fputc('\n', f->out);
	}
	print_moment(f, moment);
	for (size_t i = first; i < end; i++) {
		const struct stat_line l = stat_line_at(t, SONDE_STAT_BY_EVENT, i);

		if (l.metric.name)
			print_value(f, &l.metric, i == first);
	}
	fputs(f->json ? "}\n" : "\n", f->out);
}

static bool is_same_key(const char *a, const char *b)
{
	return (!a && !b) || (a && b && !strcmp(a, b));
}

static void print_metrics(const struct stat_format *f, struct sonde_table *t, double moment)
{
	const size_t rows = sonde_table_info(t)->rows;
	size_t end;

	for (size_t i = 0; i < rows; i = end) {
		const char *key = stat_text_at(t, i, SONDE_STAT_KEY);

		for (end = i + 1; end < rows && is_same_key(stat_text_at(t, end, SONDE_STAT_KEY), key);)
			end++;
		print_metrics_of_key(f, t, i, end, moment);
	}
}

void stat_print_table(const struct stat_format *f, struct sonde_stat *s, double moment)
{
	struct sonde_table *t = f->metric_only ? sonde_stat_metrics(s) : sonde_stat_table(s);

	if (t && f->metric_only)
		print_metrics(f, t, moment);
	else if (t)
		print_rows(f, t, sonde_stat_info(s)->by, moment);
	fflush(f->out);
}

void stat_print_heading(const struct stat_format *f, struct sonde_stat *s)
{
	const enum sonde_stat_by by = sonde_stat_info(s)->by;
	struct sonde_table *t;

	if (f->json || f->separator || f->metric_only)
		return;
	t = sonde_stat_table(s);
	fputs("#           time ", f->out);
	if (by == SONDE_STAT_BY_THREAD)
		fputs("            comm-pid     ", f->out);
	else if (by != SONDE_STAT_BY_EVENT)
		fprintf(f->out, has_count(by) ? "%-*s ctrs " : "%-*s ", key_width[by], key_kind(by));
	fprintf(f->out, "            counts %-*s events\n", t ? unit_width(t) : UNIT_WIDTH, "unit");
}

void stat_print_title(const struct stat_format *f, const char *target, uint32_t runs)
{
	if (f->json || f->separator)
		return;
	fputs("\n Performance counter stats for ", f->out);
	print_plain(f->out, target, 0);
	if (runs > 1)
		fprintf(f->out, " (%u runs)", runs);
	fputs(":\n\n", f->out);
}

static void print_each(const struct stat_format *f, const struct sonde_stat_info *info, const double *each)
{
	fputs(" # Table of individual measurements:\n", f->out);
	for (uint32_t i = 0; i < info->runs; i++) {
		double off = each[i] - info->elapsed;
		int hashes = info->elapsed > 0 ? (int)(fabs(off) / info->elapsed * 100 / 5) : 0;

		fprintf(f->out, " %17.9f (%+.9f) ", each[i], off);
		for (int k = 0; k <= hashes && k < 60; k++)
			fputc('#', f->out);
		fputc('\n', f->out);
	}
	fputs("\n # Final result:\n", f->out);
}

void stat_print_end(const struct stat_format *f, const struct sonde_stat_info *info, const struct stat_end *end)
{
	if (f->json || f->separator)
		return;
	if (!end->no_rows)
		fputc('\n', f->out);
	if (info->runs > 1) {
		if (end->each)
			print_each(f, info, end->each);
		fprintf(f->out, " %17.9f +- %.9f seconds time elapsed  ( +-%6.2f%% )\n\n", info->elapsed,
			info->elapsed_error, info->elapsed != 0 ? 100 * (info->elapsed_error / info->elapsed) : 0);
	} else {
		fprintf(f->out, " %17.9f seconds time elapsed", info->elapsed);
		if (end->has_usage)
			fprintf(f->out, "\n\n %17.9f seconds user\n %17.9f seconds sys\n", info->user, info->system);
		fputs("\n\n", f->out);
	}
	fflush(f->out);
}
