/* SPDX-License-Identifier: MIT */
/* plain.c - an annotation as perf annotate --stdio prints it */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/annotate/look.h"
#include "cli/base/message.h"

#define BRANCH_FROM 0.1              /* percent of the runs */

enum { RAW_WIDTH = 24, LINE_MARKED_FROM = 1 /* of two: half a percent */ };

static void put_title(const struct sonde_annotation_info *info, const struct annotate_look *look, int figures)
{
	size_t n = strlen(info->dso_name) + strlen(look->event);

	n += (size_t)printf(" %-*s|\tSource code & Disassembly of ", figures, annotate_title(look));
	print_trace_text(info->dso_name);
	n += (size_t)printf(" for ");
	print_trace_text(look->event);
	n += (size_t)printf(" (%" PRIu64 " samples, percent: %s)\n", info->samples,
			    annotate_percent_words(look->percent));
	for (size_t i = 0; i < n + 4; i++)
		putchar('-');
	printf("\n%*s : %*s%016" PRIx64 " <", figures, "", 5, "", info->start);
	print_trace_text(info->symbol);
	printf(">:\n");
}

static void put_bytes(const struct sonde_annotation_row *row)
{
	int n = 0;

	for (size_t i = 0; i < row->size; i++)
		n += printf("%02x ", row->bytes[i]);
	printf("%*s", n < RAW_WIDTH ? RAW_WIDTH - n : 1, "");
}

/* Whether the instruction begins a line of the source that has samples, for -l. */
static bool is_marked(const struct sonde_annotation_row *row, const char **file, uint32_t *line)
{
	if (!row->file || 2 * row->percent[0] <= LINE_MARKED_FROM ||
	    (*file && *line == row->line && strcmp(*file, row->file) == 0))
		return false;
	*file = row->file;
	*line = row->line;
	return true;
}

/* Where branches came from and went to, as perf says it. */
static void put_branches(const struct sonde_annotation_row *row)
{
	if (row->joined > BRANCH_FROM || row->left > BRANCH_FROM)
		printf("\t#");
	if (row->joined > BRANCH_FROM)
		printf(" +%.2f%%", row->joined);
	if (row->left > BRANCH_FROM)
		printf(" -%.2f%% (p:%.2f%%)", row->left, row->predicted);
}

static void put_insn(const struct sonde_annotation_row *row, const struct annotate_look *look)
{
	annotate_put_figures(look, row);
	printf(look->colour ? " : \033[35m  %" PRIx64 ":\033[m\033[34m   " : " :   %" PRIx64 ":   ", row->addr);
	if (look->raw)
		put_bytes(row);
	printf("%s%s", row->text, look->colour ? "\033[m" : "");
}

void annotate_print(const struct sonde_annotation *a, const struct annotate_look *look)
{
	const struct sonde_annotation_info *info = sonde_annotation_info(a);
	struct sonde_annotation_row row = { .sz = sizeof(row) };
	int figures = (int)info->nr_events * annotate_width(look);
	const char *file = NULL;
	uint32_t line = 0;

	put_title(info, look, figures);
	for (size_t i = 0; sonde_annotation_row(a, i, &row); i++) {
		if (row.kind == SONDE_ANNOTATION_SOURCE) {
			printf("%*s : %-4u %s\n", figures, "", row.line, row.text);
			continue;
		}
		if (row.kind == SONDE_ANNOTATION_LABEL) {
			printf("%*s : %*s%s\n", figures, "", 5, "", row.text);
			continue;
		}
		put_insn(&row, look);
		put_branches(&row);
		if (look->lines && is_marked(&row, &file, &line)) {
			printf(" // ");
			print_trace_text(row.file);
			printf(":%u", row.line);
		}
		putchar('\n');
	}
}
