/* SPDX-License-Identifier: MIT */
#include "cli/stat/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/ftrace.h"
#include "cli/stat/events.h"
#include "cli/stat/run.h"
#include "cli/stat/words.h"

#define RUNS 10                /* of each command, if -r does not say */
#define CERTAIN 0.05           /* a difference that chance makes more seldom than this is told as one */
#define BAR_WIDTH 30
#define STATUS_MORE 3

struct side {
	char **command;
	struct stat_run run;
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

/* A row of the table: the time of the runs, or an event. */
struct pair {
	const char *name, *unit;
	double scale, mean[2], error[2];
	unsigned runs;
	double p, p_ranks;           /* probabilities of chance */
};

static double real_at(struct sonde_table *t, size_t row, enum sonde_stat_compare_column column)
{
	return sonde_table_value_at(t, row, column)->real;
}

static struct pair pair_at(struct sonde_table *t, size_t row)
{
	const struct pair pair = {
		.name = sonde_table_value_at(t, row, SONDE_STAT_MEASURE)->text,
		.unit = sonde_table_value_at(t, row, SONDE_STAT_MEASURE_UNIT)->text,
		.scale = real_at(t, row, SONDE_STAT_MEASURE_SCALE),
		.mean = { real_at(t, row, SONDE_STAT_FIRST), real_at(t, row, SONDE_STAT_SECOND) },
		.error = { real_at(t, row, SONDE_STAT_FIRST_ERROR), real_at(t, row, SONDE_STAT_SECOND_ERROR) },
		.runs = (unsigned)sonde_table_value_at(t, row, SONDE_STAT_RUNS)->number,
		.p = real_at(t, row, SONDE_STAT_CHANCE), .p_ranks = real_at(t, row, SONDE_STAT_CHANCE_BY_RANKS),
	};

	return pair;
}

/* "msec" and their like as they are; large numbers without a fraction. */
static void print_value(FILE *out, const struct pair *pair, int side)
{
	const double value = pair->mean[side];

	fprintf(out, "%14.*f %-4s +-%6.2f%%  ", pair->scale != 1.0 || value < 100 ? 2 : 0, value, pair->unit,
		value != 0 ? 100 * (pair->error[side] / value) : 0);
}

/* Whether the difference is too large for chance. */
static bool differs(const struct pair *pair)
{
	return pair->p < CERTAIN;
}

static void print_one(FILE *out, const struct pair *pair)
{
	const double *mean = pair->mean;
	double larger = fmax(mean[0], mean[1]);

	for (int i = 0; i < 2; i++) {
		fprintf(out, " %-28s %d ", i ? "" : pair->name, i + 1);
		print_value(out, pair, i);
		print_bar(out, larger > 0 ? mean[i] / larger : 0);
		if (i == 1 && mean[0] > 0)
			fprintf(out, " %+7.2f%%  %s (p = %.3f, by ranks %.3f)", 100 * (mean[1] - mean[0]) / mean[0],
				!differs(pair) ? "no difference" : mean[1] < mean[0] ? "less" : "more", pair->p,
				pair->p_ranks);
		fputc('\n', out);
	}
}

static void print_json(FILE *out, const struct pair *pair)
{
	fputs("{\"event\" : ", out);
	stat_print_json_text(out, pair->name);
	fputs(", \"unit\" : ", out);
	stat_print_json_text(out, pair->unit);
	fprintf(out, ", \"first\" : %f, \"first-error\" : %f, \"second\" : %f, \"second-error\" : %f, \"runs\" : %u, "
		"\"p\" : %.6f, \"p-ranks\" : %.6f}\n", pair->mean[0], pair->error[0], pair->mean[1], pair->error[1],
		pair->runs, pair->p, pair->p_ranks);
}

/* Prints a line. True: the second command has certainly more of it. */
static bool print_pair(FILE *out, const struct pair *pair)
{
	if (stat_words.json)
		print_json(out, pair);
	else
		print_one(out, pair);
	return differs(pair) && pair->mean[1] > pair->mean[0];
}

/* The exit status: events that were named are judged, and the time where none was. */
static int print_sides(FILE *out, const struct side *a, const struct side *b)
{
	struct sonde_table *t = sonde_stat_compare(a->run.stat, b->run.stat);
	bool named = stat_words.nr_requests || stat_words.metrics.n, is_more = false;

	if (!t)
		return say_error(NULL, sonde_stat_error(a->run.stat));
	if (!stat_words.json) {
		fprintf(out, "\n Comparison of two commands, %u runs of each in turn:\n\n",
			sonde_stat_info(a->run.stat)->runs);
		print_command(out, "1", a->command);
		print_command(out, "2", b->command);
		fputc('\n', out);
	}
	for (size_t i = 0; i < sonde_table_info(t)->rows; i++) {
		const struct pair pair = pair_at(t, i);

		is_more |= print_pair(out, &pair) && named == (i > 0);
	}
	if (!stat_words.json)
		fputc('\n', out);
	return is_more ? STATUS_MORE : 0;
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
	for (int i = 0; i < 2; i++) {
		sides[i].run = (struct stat_run){ .stat = stat_new(false, true), .format = &format,
						  .control = &control, .command = sides[i].command };
		if (!sides[i].run.stat)
			return 1;
	}
	r = stat_run_catch_signals() || run_both(sides, runs);
	if (!r && sonde_stat_info(sides[1].run.stat)->runs > 0)
		judged = print_sides(out, &sides[0], &sides[1]);
	for (int i = 0; i < 2; i++)
		sonde_stat_free(sides[i].run.stat);
	if (out != stderr && fclose(out) != 0)
		r = 1;
	if (!r)
		r = follow_command(0, stat_run_caught());
	return r ? r : judged;
}
