/* SPDX-License-Identifier: MIT */
#include "cli/annotate/look.h"

#include <inttypes.h>
#include <stdio.h>

#define RED_FROM 5.0
#define GREEN_FROM 0.5

const char *annotate_percent_words(enum sonde_annotate_percent percent)
{
	switch (percent) {
	case SONDE_PERCENT_LOCAL_HITS:
		return "local hits";
	case SONDE_PERCENT_GLOBAL_PERIOD:
		return "global period";
	case SONDE_PERCENT_GLOBAL_HITS:
		return "global hits";
	case SONDE_PERCENT_LOCAL_PERIOD:
		break;
	}
	return "local period";
}

const char *annotate_colour(const struct annotate_look *look, double percent)
{
	if (!look->colour || percent < GREEN_FROM)
		return "";
	return percent >= RED_FROM ? "\033[31m" : "\033[32m";
}

const char *annotate_colour_end(const struct annotate_look *look, double percent)
{
	return look->colour && percent >= GREEN_FROM ? "\033[m" : "";
}

int annotate_width(const struct annotate_look *look)
{
	return look->column == ANNOTATE_PERIOD ? 12 : 8;
}

const char *annotate_title(const struct annotate_look *look)
{
	return look->column == ANNOTATE_PERIOD ? "Period" : look->column == ANNOTATE_SAMPLES ? "Samples" : "Percent";
}

void annotate_put_figures(const struct annotate_look *look, const struct sonde_annotation_row *row)
{
	for (size_t i = 0; i < row->nr_percent; i++) {
		printf("%s", annotate_colour(look, row->percent[i]));
		switch (look->column) {
		case ANNOTATE_PERCENT:
			printf("%8.2f", row->percent[i]);
			break;
		case ANNOTATE_SAMPLES:
			printf("%8" PRIu64, row->counts[i].samples);
			break;
		case ANNOTATE_PERIOD:
			printf("%12" PRIu64, row->counts[i].period);
			break;
		}
		printf("%s", annotate_colour_end(look, row->percent[i]));
	}
}
