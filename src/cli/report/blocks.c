/* SPDX-License-Identifier: MIT */
#include "cli/report/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/message.h"

/* As wide as with perf. */
enum { RANGE_WIDTH = 70, DSO_WIDTH = 20 };

static double percent(uint64_t value, uint64_t of)
{
	return of ? 100.0 * (double)value / (double)of : 0;
}

/* "65.5K" */
static void print_cycles(int width, uint64_t n)
{
	char text[32];

	if (n >= 1000000)
		snprintf(text, sizeof(text), "%.1fM", (double)n / 1e6);
	else if (n >= 1000)
		snprintf(text, sizeof(text), "%.1fK", (double)n / 1e3);
	else
		snprintf(text, sizeof(text), "%" PRIu64, n);
	printf("  %*s", width, text);
}

static void print_dots(int n)
{
	while (n-- > 0)
		putchar('.');
}

static void print_titles(const struct sonde_profile *p, char separator)
{
	const struct sonde_profile_event *e;
	uint64_t samples = 0, period = 0;
	const char *before = "";

	for (size_t i = 0; (e = sonde_profile_event_at(p, i)); i++) {
		samples += e->samples;
		period += e->period;
	}
	printf("# Samples: %" PRIu64 "  of event '", samples);
	for (size_t i = 0; (e = sonde_profile_event_at(p, i)); i++)
		if (e->samples) {
			printf("%s", before);
			print_trace_text(e->name);
			before = ", ";
		}
	printf("'\n# Event count (approx.): %" PRIu64 "\n#\n", period);
	if (separator) {
		const char c = separator;

		printf("# Sampled Cycles%%%cSampled Cycles%cAvg Cycles%%%cAvg Cycles%c[Program Block Range]%c"
		       "Shared Object\n", c, c, c, c, c);
		return;
	}
	printf("# Sampled Cycles%%  Sampled Cycles  Avg Cycles%%  Avg Cycles  %*s  %*s\n", RANGE_WIDTH,
	       "[Program Block Range]", DSO_WIDTH, "Shared Object");
	printf("# ...............  ..............  ...........  ..........  ");
	print_dots(RANGE_WIDTH);
	printf("  ");
	print_dots(DSO_WIDTH);
	printf("\n#\n");
}

/* Right-aligned, without control bytes. */
static void print_right(int width, const char *text)
{
	for (int i = (int)strlen(text); i < width; i++)
		putchar(' ');
	print_trace_text(text);
}

/* A text in which the separator would begin another column. */
static void print_separated(const char *text, char separator)
{
	char *copy = strdup(text);

	for (char *p = copy; p && (p = strchr(p, separator));)
		*p = '.';
	print_trace_text(copy ? copy : "");
	free(copy);
}

static void print_separated_row(const struct sonde_profile *p, const struct sonde_profile_block *b, uint64_t averages,
				const char *range, char c)
{
	printf("%.2f%%%c%" PRIu64 "%c%.2f%%%c%" PRIu64 "%c", percent(b->cycles, sonde_profile_block_cycles(p)), c,
	       b->cycles, c, percent(b->cycles / b->runs, averages), c, b->cycles / b->runs, c);
	print_separated(range, c);
	putchar(c);
	print_separated(b->dso_name, c);
	putchar('\n');
}

static void print_row(const struct sonde_profile *p, const struct sonde_profile_block *b, uint64_t averages,
		      char separator)
{
	char range[4096];

	snprintf(range, sizeof(range), "[%s -> %s]", b->start_place, b->end_place);
	if (separator) {
		print_separated_row(p, b, averages, range, separator);
		return;
	}
	printf("  %14.2f%%", percent(b->cycles, sonde_profile_block_cycles(p)));
	print_cycles(14, b->cycles);
	printf("  %10.2f%%", percent(b->cycles / b->runs, averages));
	print_cycles(10, b->cycles / b->runs);
	printf("  ");
	print_right(RANGE_WIDTH, range);
	printf("  ");
	print_right(DSO_WIDTH, b->dso_name);
	putchar('\n');
}

int blocks_print(struct sonde_profile *p, bool titles, char separator, double percent_limit)
{
	const struct sonde_profile_block *b;
	uint64_t averages = 0;

	if (sonde_profile_find_blocks(p) < 0)
		return say_out_of_memory();
	for (size_t i = 0; (b = sonde_profile_block_at(p, i)); i++)
		averages += b->cycles / b->runs;
	if (titles)
		print_titles(p, separator);
	for (size_t i = 0; (b = sonde_profile_block_at(p, i)); i++)
		if (percent(b->cycles, sonde_profile_block_cycles(p)) >= percent_limit)
			print_row(p, b, averages, separator);
	if (!sonde_profile_block_cycles(p))
		warn("the branches were recorded without cycles");
	return 0;
}
