/* SPDX-License-Identifier: MIT */
/* arrows.c - an annotation as perf annotate --stdio2 prints it */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/annotate/look.h"
#include "cli/base/message.h"

enum { IPC_WIDTH = 6, CYCLES_WIDTH = 6 };

static int hex_digits(uint64_t n)
{
	int digits = 1;

	while (n >>= 4)
		digits++;
	return digits;
}

static void put_head(const struct sonde_annotation_info *info, const struct annotate_look *look)
{
	printf("Samples: %" PRIu64 "  of event%s '", info->samples, info->nr_events > 1 ? "s" : "");
	print_trace_text(look->event);
	printf("', ");
	if (look->frequency)
		printf("%" PRIu64 " Hz, ", look->frequency);
	printf("Event count (approx.): %" PRIu64 ", [percent: %s]\n", info->period,
	       annotate_percent_words(look->percent));
	print_trace_text(info->symbol);
	printf("() ");
	print_trace_text(info->dso);
	printf("\n%-*s", info->has_cycles ? (int)info->nr_events * annotate_width(look) : 0, annotate_title(look));
	if (info->has_cycles)
		printf("%*s%*s(Average IPC: %.2f, IPC Coverage: %.1f%%)", IPC_WIDTH, "IPC ", CYCLES_WIDTH, "Cycle ",
		       info->ipc, info->ipc_coverage);
	putchar('\n');
}

/* One character and a blank, or two blanks. */
static const char *arrow_of(const struct sonde_annotation_row *row, size_t i)
{
	switch (row->flow) {
	case SONDE_FLOW_JUMP:
		return row->target == SONDE_NO_ROW ? "  " : row->target > i ? "\u2193 " : "\u2191 ";
	case SONDE_FLOW_CALL:
		return "\u2192 ";
	case SONDE_FLOW_RETURN:
		return "\u2190 ";
	case SONDE_FLOW_NEXT:
		break;
	}
	return "  ";
}

/* A jump inside of the function goes to an offset, a call to a name. */
static void put_text(const struct sonde_annotation *a, const struct sonde_annotation_row *row)
{
	struct sonde_annotation_row target = { .sz = sizeof(target) };

	if (row->target != SONDE_NO_ROW && sonde_annotation_row(a, row->target, &target)) {
		printf("%.*s%" PRIx64, (int)row->target_at, row->text, target.addr - sonde_annotation_info(a)->start);
	} else if (row->callee) {
		printf("%.*s", (int)row->target_at, row->text);
		print_trace_text(row->callee);
		if (row->callee_offset)
			printf("+0x%" PRIx64, row->callee_offset);
	} else {
		printf("%s", row->text);
	}
}

static void put_figures(const struct sonde_annotation_row *row, const struct annotate_look *look)
{
	int width = annotate_width(look);

	for (size_t i = 0; i < row->nr_percent; i++) {
		bool any = row->samples || row->nr_percent > 1;

		printf("%s", annotate_colour(look, row->percent[i]));
		if (!any)
			printf("%*s", width, "");
		else if (look->column == ANNOTATE_PERCENT)
			printf("%*.2f ", width - 1, row->percent[i]);
		else
			printf("%*" PRIu64 " ", width - 1,
			       look->column == ANNOTATE_SAMPLES ? row->counts[i].samples : row->counts[i].period);
		printf("%s", annotate_colour_end(look, row->percent[i]));
	}
}

/* Of the block that ends with the instruction. */
static void put_cycles(const struct sonde_annotation_row *row)
{
	if (row->ipc > 0)
		printf("%*.2f ", IPC_WIDTH - 1, row->ipc);
	else
		printf("%*s", IPC_WIDTH, "");
	if (row->cycles)
		printf("%*" PRIu64 " ", CYCLES_WIDTH - 1, row->cycles);
	else
		printf("%*s", CYCLES_WIDTH, "");
}

void annotate_print_arrows(const struct sonde_annotation *a, const struct annotate_look *look)
{
	const struct sonde_annotation_info *info = sonde_annotation_info(a);
	struct sonde_annotation_row row = { .sz = sizeof(row) };
	int figures = (int)info->nr_events * annotate_width(look) + (info->has_cycles ? IPC_WIDTH + CYCLES_WIDTH : 0);
	int digits = hex_digits(info->size);

	put_head(info, look);
	for (size_t i = 0; sonde_annotation_row(a, i, &row); i++) {
		if (row.kind != SONDE_ANNOTATION_INSN) {
			printf("%*s%s\n", figures + digits + 3, "", row.text);
			continue;
		}
		put_figures(&row, look);
		if (info->has_cycles)
			put_cycles(&row);
		if (row.is_target)
			printf(" %*" PRIx64 ": ", digits, row.addr - info->start);
		else
			printf("%*s", digits + 3, "");
		printf("%s", arrow_of(&row, i));
		put_text(a, &row);
		putchar('\n');
	}
}
