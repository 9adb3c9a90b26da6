/* SPDX-License-Identifier: MIT */
/* lines.c - the lines of the source of an annotation, those with most samples first */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/annotate/look.h"
#include "cli/base/message.h"

#define SHOWN_FROM 0.5

struct line_share {
	const char *file;
	uint32_t line;
	double percent;
};

static int by_line(const void *a, const void *b)
{
	const struct line_share *x = a, *y = b;
	int files = strcmp(x->file, y->file);

	if (files)
		return files;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int by_percent(const void *a, const void *b)
{
	const struct line_share *x = a, *y = b;

	if (x->percent != y->percent)
		return x->percent > y->percent ? -1 : 1;
	return by_line(a, b);
}

/* Shares of one line become one. */
static size_t sum_up(struct line_share *at, size_t n)
{
	size_t kept = 0;

	qsort(at, n, sizeof(*at), by_line);
	for (size_t i = 0; i < n; i++)
		if (kept && by_line(&at[kept - 1], &at[i]) == 0)
			at[kept - 1].percent += at[i].percent;
		else
			at[kept++] = at[i];
	return kept;
}

int annotate_print_lines(const struct sonde_annotation *a, const struct annotate_look *look)
{
	struct sonde_annotation_row row = { .sz = sizeof(row) };
	struct line_share *at = malloc((sonde_annotation_rows(a) + 1) * sizeof(*at));
	size_t n = 0;

	if (!at)
		return -SONDE_NOMEM;
	for (size_t i = 0; sonde_annotation_row(a, i, &row); i++)
		if (row.nr_percent && row.file && row.percent[0] > 0)
			at[n++] = (struct line_share){ row.file, row.line, row.percent[0] };
	n = n ? sum_up(at, n) : 0;
	qsort(at, n, sizeof(*at), by_percent);
	printf("\nSorted summary for file ");
	print_trace_text(sonde_annotation_info(a)->dso);
	printf("\n----------------------------------------------\n\n");
	if (!n)
		printf(" Nothing higher than 0.5%%\n");
	for (size_t i = 0; i < n && at[i].percent > SHOWN_FROM; i++) {
		printf(" %s%7.2f%s ", annotate_colour(look, at[i].percent), at[i].percent,
		       annotate_colour_end(look, at[i].percent));
		print_trace_text(at[i].file);
		printf(":%u\n", at[i].line);
	}
	free(at);
	return 0;
}
