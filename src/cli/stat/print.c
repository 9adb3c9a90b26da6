/* SPDX-License-Identifier: MIT */
#include "cli/stat/print.h"

#include <locale.h>
#include <math.h>
#include <sonde/text.h>
#include <string.h>

#include "cli/stat/derived.h"

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

static const char *why_no_value(const struct stat_row *row, const struct stat_cell *cell)
{
	return row->refused ? "<not supported>" : cell->running.mean == 0 ? "<not counted>" : NULL;
}

static double shown_value(const struct stat_row *row, const struct stat_cell *cell)
{
	return cell->value.mean * row->scale;
}

static int decimals_of(const struct stat_row *row)
{
	return row->scale != 1.0 ? 2 : 0;
}

static double running_share(const struct stat_cell *cell)
{
	return cell->enabled.mean > 0 ? 100 * cell->running.mean / cell->enabled.mean : 100;
}

/* One row with a cgroup gives every row that field. */
static bool has_cgroups(const struct stat_table *t)
{
	for (size_t i = 0; i < t->nr_rows; i++)
		if (t->rows[i].cgroup)
			return true;
	return false;
}

static bool has_count(const struct stat_table *t)
{
	return t->by >= STAT_CORE;
}

static const char *key_kind(enum stat_aggregation by)
{
	static const char *const names[] = {
		[STAT_CPU] = "cpu", [STAT_THREAD] = "thread", [STAT_CORE] = "core", [STAT_CLUSTER] = "cluster",
		[STAT_CACHE] = "cache", [STAT_DIE] = "die", [STAT_SOCKET] = "socket", [STAT_NODE] = "node",
	};

	return names[by];
}

/* ---- text ---- */

/* perf's widths of "CPU0", "S0-D0-C1" and their like. */
static const int key_width[] = {
	[STAT_CPU] = 6, [STAT_CORE] = 18, [STAT_CLUSTER] = 20, [STAT_CACHE] = 22, [STAT_DIE] = 12, [STAT_SOCKET] = 6,
	[STAT_NODE] = 6,
};

static void text_key(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row, size_t key,
		     uint32_t nr)
{
	const char *id = t->keys[key], *dash;

	if (t->by == STAT_GLOBAL)
		return;
	if (t->by == STAT_THREAD) {
		dash = strrchr(id, '-');
		fprintf(f->out, "%*.*s-%-7s ", 16, (int)(dash - id), id, dash + 1);
	} else if (has_count(t)) {
		fprintf(f->out, "%-*s %4u ", key_width[t->by], id, nr);
	} else {
		fprintf(f->out, "%-*s ", key_width[table_row_by(t, row)], id);
	}
}

static size_t unit_width(const struct stat_table *t)
{
	size_t w = UNIT_WIDTH;

	for (size_t i = 0; i < t->nr_rows; i++)
		if (t->rows[i].unit && strlen(t->rows[i].unit) > w)
			w = strlen(t->rows[i].unit);
	return w;
}

/* Red beyond a threshold, green below it. */
static void text_metric(const struct stat_format *f, const struct stat_derived *d)
{
	static const char *const colours[] = { [STAT_NO_THRESHOLD] = "", [STAT_GOOD] = "\033[32m",
					       [STAT_BAD] = "\033[31m" };
	bool coloured = f->colour && d->threshold;

	fprintf(f->out, " # %s%8.1f%s %-*s", coloured ? colours[d->threshold] : "", d->value,
		coloured ? "\033[m" : "", METRIC_UNIT_WIDTH, d->unit);
}

/* The further metrics of a row stand below the first one. */
static void text_more_metrics(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row,
			      size_t key)
{
	struct stat_derived d;

	for (size_t i = 1; stat_derive(t, row, key, i, &d); i++) {
		text_key(f, t, row, key, row->refused ? 0 : row->cells[key].nr);
		fprintf(f->out, "%*s", 18 + 1 + (int)unit_width(t) + 1 + NAME_WIDTH, "");
		text_metric(f, &d);
		fputc('\n', f->out);
	}
}

static void text_line(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row, size_t key)
{
	const struct stat_cell *cell = &row->cells[key];
	const char *none = why_no_value(row, cell);
	struct stat_derived d;
	double share;

	text_key(f, t, row, key, row->refused ? 0 : cell->nr);
	if (none)
		fprintf(f->out, "%18s", none);
	else
		print_user_number(f->out, 18, decimals_of(row), shown_value(row, cell), f->big_numbers);
	fprintf(f->out, " %-*s ", (int)unit_width(t), row->unit && !row->refused ? row->unit : "");
	print_plain(f->out, row->name, NAME_WIDTH);
	if (has_cgroups(t)) {
		fputc(' ', f->out);
		print_plain(f->out, row->cgroup ? row->cgroup : "", 0);
	}
	if (stat_derive(t, row, key, 0, &d))
		text_metric(f, &d);
	else
		fprintf(f->out, "%*s", METRIC_WIDTH, "");
	if (none) {
		fputc('\n', f->out);
		text_more_metrics(f, t, row, key);
		return;
	}
	if (t->runs > 1 && cell->value.mean != 0)
		fprintf(f->out, "  ( +-%6.2f%% )", 100 * mean_deviation(&cell->value));
	share = running_share(cell);
	if (cell->running.mean != cell->enabled.mean)
		fprintf(f->out, "  (%.2f%%)", share);
	fputc('\n', f->out);
	text_more_metrics(f, t, row, key);
}

/* ---- with separators ---- */

static void csv_number(const struct stat_format *f, double value)
{
	char text[64];

	if (isnan(value))
		return;
	snprintf(text, sizeof(text), "%.1f", value);
	fputs(text, f->out);
}

/* The fields of the count are empty. */
static void csv_more_metrics(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row,
			     size_t key)
{
	const char *x = f->separator;
	struct stat_derived d;

	for (size_t i = 1; stat_derive(t, row, key, i, &d); i++) {
		if (t->by != STAT_GLOBAL)
			fprintf(f->out, "%s%s", t->keys[key], x);
		if (has_count(t))
			fprintf(f->out, "%u%s", row->refused ? 0 : row->cells[key].nr, x);
		for (int n = 5 + has_cgroups(t) + (t->runs > 1); n > 0; n--)
			fputs(x, f->out);
		csv_number(f, d.value);
		fprintf(f->out, "%s%s\n", x, d.unit);
	}
}

static void csv_line(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row, size_t key)
{
	const struct stat_cell *cell = &row->cells[key];
	const char *none = why_no_value(row, cell), *x = f->separator;
	struct stat_derived d = { .value = NAN, .unit = "" };

	if (t->by != STAT_GLOBAL)
		fprintf(f->out, "%s%s", t->keys[key], x);
	if (has_count(t))
		fprintf(f->out, "%u%s", row->refused ? 0 : cell->nr, x);
	if (none)
		fputs(none, f->out);
	else
		fprintf(f->out, "%.*f", decimals_of(row), shown_value(row, cell));
	fprintf(f->out, "%s%s%s", x, row->unit && !row->refused ? row->unit : "", x);
	print_plain(f->out, row->name, 0);
	fputs(x, f->out);
	if (has_cgroups(t)) {
		print_plain(f->out, row->cgroup ? row->cgroup : "", 0);
		fputs(x, f->out);
	}
	if (t->runs > 1)
		fprintf(f->out, "%.2f%%%s", 100 * mean_deviation(&cell->value), x);
	fprintf(f->out, "%.0f%s%.2f%s", cell->running.mean, x, running_share(cell), x);
	stat_derive(t, row, key, 0, &d);
	csv_number(f, d.value);
	fprintf(f->out, "%s%s\n", x, d.unit);
	csv_more_metrics(f, t, row, key);
}

/* ---- JSON ---- */

static void json_key(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row, size_t key)
{
	enum stat_aggregation by = table_row_by(t, row);
	const char *id = t->keys[key];

	if (t->by == STAT_GLOBAL)
		return;
	fprintf(f->out, "\"%s\" : ", key_kind(by));
	stat_print_json_text(f->out, by == STAT_CPU ? id + strlen("CPU") : id);
	fputs(", ", f->out);
}

static void json_metric(const struct stat_format *f, const struct stat_derived *d)
{
	if (isnan(d->value))
		fputs("\"metric-value\" : \"nan\"", f->out);
	else
		fprintf(f->out, "\"metric-value\" : \"%f\"", d->value);
	fprintf(f->out, ", \"metric-unit\" : \"%s\"", d->unit);
	if (d->threshold)
		fprintf(f->out, ", \"metric-threshold\" : \"%s\"", d->threshold == STAT_BAD ? "bad" : "good");
}

static void json_line(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row, size_t key)
{
	const struct stat_cell *cell = &row->cells[key];
	const char *none = why_no_value(row, cell);
	struct stat_derived d;

	json_key(f, t, row, key);
	if (has_count(t))
		fprintf(f->out, "\"counters\" : %u, ", row->refused ? 0 : cell->nr);
	if (none)
		fprintf(f->out, "\"counter-value\" : \"%s\", ", none);
	else
		fprintf(f->out, "\"counter-value\" : \"%f\", ", shown_value(row, cell));
	fprintf(f->out, "\"unit\" : \"%s\", \"event\" : ", row->unit && !row->refused ? row->unit : "");
	stat_print_json_text(f->out, row->name);
	if (has_cgroups(t)) {
		fputs(", \"cgroup\" : ", f->out);
		stat_print_json_text(f->out, row->cgroup ? row->cgroup : "");
	}
	if (t->runs > 1)
		fprintf(f->out, ", \"variance\" : %.2f", 100 * mean_deviation(&cell->value));
	fprintf(f->out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f", cell->running.mean, running_share(cell));
	for (size_t i = 0; stat_derive(t, row, key, i, &d); i++) {
		fputs(i ? "}\n{" : ", ", f->out);
		if (i > 0)
			json_key(f, t, row, key);
		json_metric(f, &d);
	}
	fputs("}\n", f->out);
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

static void print_line(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row, size_t key,
		       double moment)
{
	bool idle = t->by == STAT_THREAD && t->nr_keys > 1 && row->cells[key].running.mean == 0;

	if (row->hidden || (!row->refused && row->cells[key].nr == 0) || idle || !table_row_has_key(t, row, key))
		return;
	print_moment(f, moment);
	if (f->json)
		json_line(f, t, row, key);
	else if (f->separator)
		csv_line(f, t, row, key);
	else
		text_line(f, t, row, key);
}

/* Each value that is derived from a row, in one line. */
static bool print_values(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row,
			 size_t key, bool any)
{
	struct stat_derived d;

	for (size_t i = 0; stat_derive(t, row, key, i, &d); i++) {
		if (f->json)
			fprintf(f->out, "%s\"%s\" : \"%.1f\"", any ? ", " : "", d.unit, d.value);
		else if (f->separator)
			fprintf(f->out, "%.1f%s", d.value, f->separator);
		else
			fprintf(f->out, "%*.1f ", METRIC_UNIT_WIDTH, d.value);
		any = true;
	}
	return any;
}

static void print_units(const struct stat_format *f, const struct stat_table *t, const struct stat_row *row, size_t key)
{
	struct stat_derived d;

	for (size_t i = 0; stat_derive(t, row, key, i, &d); i++) {
		if (f->separator)
			fprintf(f->out, "%s%s", d.unit, f->separator);
		else
			fprintf(f->out, "%*s ", METRIC_UNIT_WIDTH, d.unit);
	}
}

/* One line of all derived values; as text with their units above it. */
static void print_derived_only(const struct stat_format *f, const struct stat_table *t, size_t key, double moment)
{
	bool any = false;

	if (!f->json && moment == STAT_NO_TIME) {
		for (size_t i = 0; i < t->nr_rows; i++)
			if (!t->rows[i].hidden)
				print_units(f, t, &t->rows[i], key);
		fputc('\n', f->out);
	}
	print_moment(f, moment);
	for (size_t i = 0; i < t->nr_rows; i++)
		if (!t->rows[i].hidden)
			any = print_values(f, t, &t->rows[i], key, any);
	fputs(f->json ? "}\n" : "\n", f->out);
}

void stat_print_table(const struct stat_format *f, const struct stat_table *t, double moment)
{
	if (f->metric_only) {
		for (size_t key = 0; key < t->nr_keys; key++)
			print_derived_only(f, t, key, moment);
	} else if (has_count(t)) {
		for (size_t key = 0; key < t->nr_keys; key++)
			for (size_t i = 0; i < t->nr_rows; i++)
				print_line(f, t, &t->rows[i], key, moment);
	} else {
		for (size_t i = 0; i < t->nr_rows; i++)
			for (size_t key = 0; key < t->nr_keys; key++)
				print_line(f, t, &t->rows[i], key, moment);
	}
	fflush(f->out);
}

void stat_print_heading(const struct stat_format *f, const struct stat_table *t)
{
	if (f->json || f->separator || f->metric_only)
		return;
	fputs("#           time ", f->out);
	if (t->by == STAT_THREAD)
		fputs("            comm-pid     ", f->out);
	else if (t->by != STAT_GLOBAL)
		fprintf(f->out, has_count(t) ? "%-*s ctrs " : "%-*s ", key_width[t->by], key_kind(t->by));
	fprintf(f->out, "            counts %-*s events\n", (int)unit_width(t), "unit");
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

static void print_each(const struct stat_format *f, const struct stat_end *end)
{
	fputs(" # Table of individual measurements:\n", f->out);
	for (uint32_t i = 0; i < end->elapsed.n; i++) {
		double off = end->each[i] - end->elapsed.mean;
		int hashes = end->elapsed.mean > 0 ? (int)(fabs(off) / end->elapsed.mean * 100 / 5) : 0;

		fprintf(f->out, " %17.9f (%+.9f) ", end->each[i], off);
		for (int k = 0; k <= hashes && k < 60; k++)
			fputc('#', f->out);
		fputc('\n', f->out);
	}
	fputs("\n # Final result:\n", f->out);
}

void stat_print_end(const struct stat_format *f, const struct stat_end *end)
{
	if (f->json || f->separator)
		return;
	if (!end->no_rows)
		fputc('\n', f->out);
	if (end->elapsed.n > 1) {
		if (end->each)
			print_each(f, end);
		fprintf(f->out, " %17.9f +- %.9f seconds time elapsed  ( +-%6.2f%% )\n\n", end->elapsed.mean,
			mean_error(&end->elapsed), 100 * mean_deviation(&end->elapsed));
	} else {
		fprintf(f->out, " %17.9f seconds time elapsed", end->elapsed.mean);
		if (end->has_usage)
			fprintf(f->out, "\n\n %17.9f seconds user\n %17.9f seconds sys\n", end->user.mean,
				end->system.mean);
		fputs("\n\n", f->out);
	}
	fflush(f->out);
}
