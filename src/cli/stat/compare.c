/* SPDX-License-Identifier: MIT */
#include "cli/stat/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/ftrace.h"
#include "cli/stat/metrics.h"
#include "cli/stat/run.h"
#include "cli/stat/significance.h"
#include "cli/stat/words.h"

#define RUNS 10                /* of each command, if -r does not say */
#define CERTAIN 0.05           /* a difference that chance makes more seldom than this is told as one */
#define BAR_WIDTH 30
#define STATUS_MORE 3

struct side {
	char **command;
	double *values;              /* of each run: the time, then the count of each row */
	size_t nr_values;            /* of a run */
	struct stat_table table;
	struct stat_run run;
	struct stat_mean elapsed;
};

static void print_command(FILE *out, const char *label, char **command)
{
	fprintf(out, " %s: ", label);
	for (; *command; command++) {
		for (const char *p = *command; *p; p++)
			fputc((unsigned char)*p < 0x20 || *p == 0x7f ? '.' : *p, out);
		fputc(' ', out);
	}
	fputc('\n', out);
}

static void print_bar(FILE *out, double share)
{
	int n = (int)(share * BAR_WIDTH + 0.5);

	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < n ? '#' : ' ', out);
}

/* "msec" and their like as they are; large numbers without a fraction. */
static void print_value(FILE *out, const struct stat_mean *m, double scale, const char *unit)
{
	double value = m->mean * scale;

	fprintf(out, "%14.*f %-4s +-%6.2f%%  ", scale != 1.0 || value < 100 ? 2 : 0, value, unit,
		100 * mean_deviation(m));
}

/* The measure that is compared: the time of the runs, or a row of counts. */
struct pair {
	const char *name, *unit;
	double scale;
	const struct stat_mean *a, *b;
	double by_ranks;             /* probability */
};

/* Whether the difference is too large for chance. */
static bool differs(const struct pair *pair)
{
	return welch_probability(pair->a, pair->b) < CERTAIN;
}

static void print_one(FILE *out, const struct pair *pair)
{
	const struct stat_mean *a = pair->a, *b = pair->b, *both[] = { a, b };
	double larger = fmax(a->mean, b->mean), p = welch_probability(a, b);

	for (int i = 0; i < 2; i++) {
		fprintf(out, " %-28s %d ", i ? "" : pair->name, i + 1);
		print_value(out, both[i], pair->scale, pair->unit);
		print_bar(out, larger > 0 ? both[i]->mean / larger : 0);
		if (i == 1 && a->mean > 0)
			fprintf(out, " %+7.2f%%  %s (p = %.3f, by ranks %.3f)", 100 * (b->mean - a->mean) / a->mean,
				!differs(pair) ? "no difference" : b->mean < a->mean ? "less" : "more", p,
				pair->by_ranks);
		fputc('\n', out);
	}
}

static void print_json(FILE *out, const struct pair *pair)
{
	const struct stat_mean *a = pair->a, *b = pair->b;

	fputs("{\"event\" : ", out);
	stat_print_json_text(out, pair->name);
	fputs(", \"unit\" : ", out);
	stat_print_json_text(out, pair->unit);
	fprintf(out, ", \"first\" : %f, \"first-error\" : %f, \"second\" : %f, \"second-error\" : %f, \"runs\" : %u, "
		"\"p\" : %.6f, \"p-ranks\" : %.6f}\n", a->mean * pair->scale, mean_error(a) * pair->scale,
		b->mean * pair->scale, mean_error(b) * pair->scale, a->n, welch_probability(a, b), pair->by_ranks);
}

/* Values number `i` of all runs of a side, one after the other; owned by the caller; NULL: no memory. */
static double *values_of(const struct side *s, size_t i)
{
	double *v = malloc(s->elapsed.n * sizeof(*v));

	for (uint32_t run = 0; v && run < s->elapsed.n; run++)
		v[run] = s->values[run * s->nr_values + i];
	return v;
}

static double by_ranks(const struct side *a, const struct side *b, size_t i)
{
	double *x = values_of(a, i), *y = values_of(b, i);
	double p = x && y ? rank_probability(x, a->elapsed.n, y, b->elapsed.n) : 1;

	free(x);
	free(y);
	return p;
}

/* Prints a line. True: the second command has certainly more of it. */
static bool print_pair(FILE *out, const struct pair *pair)
{
	if (stat_words.json)
		print_json(out, pair);
	else
		print_one(out, pair);
	return differs(pair) && pair->b->mean > pair->a->mean;
}

/* The exit status: events that were named are judged, and the time where none was. */
static int print_sides(FILE *out, const struct side *a, const struct side *b)
{
	bool named = stat_words.nr_requests || stat_words.metrics.n, more;

	if (!stat_words.json) {
		fprintf(out, "\n Comparison of two commands, %u runs of each in turn:\n\n", a->elapsed.n);
		print_command(out, "1", a->command);
		print_command(out, "2", b->command);
		fputc('\n', out);
	}
	more = print_pair(out, &(struct pair){ "elapsed time", "msec", 1e3, &a->elapsed, &b->elapsed,
					       by_ranks(a, b, 0) }) && !named;
	for (size_t i = 0; i < a->table.nr_rows && i < b->table.nr_rows; i++) {
		const struct stat_row *x = &a->table.rows[i], *y = &b->table.rows[i];

		if (!x->hidden && !x->refused && !y->refused)
			more |= print_pair(out, &(struct pair){ x->name, x->unit, x->scale, &x->cells[0].value,
								&y->cells[0].value, by_ranks(a, b, i + 1) }) && named;
	}
	if (!stat_words.json)
		fputc('\n', out);
	return more ? STATUS_MORE : 0;
}

static int keep_values(struct side *s, uint32_t runs)
{
	double *v;

	if (!s->values) {
		s->nr_values = 1 + s->table.nr_rows;
		s->values = calloc((size_t)runs * s->nr_values, sizeof(*s->values));
	}
	if (!s->values)
		return say_out_of_memory();
	v = &s->values[(s->elapsed.n - 1) * s->nr_values];
	v[0] = s->elapsed.last;
	for (size_t i = 0; i + 1 < s->nr_values; i++)
		v[i + 1] = s->table.rows[i].cells ? s->table.rows[i].cells[0].value.last : 0;
	return 0;
}

/* In turn, so that changes of the machine meanwhile are the same for both. */
static int run_both(struct side sides[2], uint32_t runs)
{
	for (uint32_t n = 0; n < runs; n++)
		for (int i = 0; i < 2; i++) {
			struct stat_run *run = &sides[i].run;

			run->nr = n;
			if (stat_run_once(run))
				return 1;
			if (stat_run_caught())
				return 0;
			if (run->wait_status) {
				say("'%s' has failed; failing commands are not compared", sides[i].command[0]);
				return 1;
			}
			mean_add(&sides[i].elapsed, (double)run->times.elapsed * 1e-9);
			if (keep_values(&sides[i], runs))
				return 1;
		}
	return 0;
}

int stat_compare(int argc, char **argv)
{
	struct side sides[2] = { { .command = argv } };
	struct stat_format format = { .out = stderr };
	struct stat_control control = { .fd = -1, .ack = -1 };
	uint32_t runs = stat_words.runs > 1 ? (uint32_t)stat_words.runs : RUNS;
	FILE *out = stderr;
	int r, judged = 0;

	for (int i = 0; i < argc && !sides[1].command; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			sides[1].command = &argv[i + 1];
		}
	if (!sides[1].command || !sides[0].command[0] || !sides[1].command[0])
		return say_usage("--compare takes two commands: sonde stat --compare FIRST... -- SECOND...");
	if (stat_words.output) {
		out = fopen(stat_words.output, stat_words.append ? "ae" : "we");
		if (!out) {
			say("cannot write %s", stat_words.output);
			return 1;
		}
	}
	for (int i = 0; i < 2; i++)
		sides[i].run = (struct stat_run){ .table = &sides[i].table, .format = &format, .control = &control,
						  .command = sides[i].command };
	r = stat_run_catch_signals() || run_both(sides, runs);
	if (!r && sides[1].elapsed.n > 0)
		judged = print_sides(out, &sides[0], &sides[1]);
	for (int i = 0; i < 2; i++) {
		table_free(&sides[i].table);
		free(sides[i].values);
	}
	stat_metrics_free();
	if (out != stderr && fclose(out) != 0)
		r = 1;
	if (!r)
		r = follow_command(0, stat_run_caught());
	return r ? r : judged;
}
