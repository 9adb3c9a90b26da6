/* SPDX-License-Identifier: MIT */
/* look.h - how an annotation is printed */
#ifndef CLI_ANNOTATE_LOOK_H
#define CLI_ANNOTATE_LOOK_H

#include <sonde/annotate.h>

enum annotate_column { ANNOTATE_PERCENT, ANNOTATE_SAMPLES, ANNOTATE_PERIOD };

struct annotate_look {
	enum annotate_column column; /* the figures of an instruction */
	enum sonde_annotate_percent percent;
	bool raw;                    /* the bytes of instructions */
	bool lines;                  /* -l: the lines of the source with most samples first */
	bool colour;
	const char *event;           /* its name, or that of a group */
	uint64_t frequency;          /* samples a second that were asked for; 0: a fixed period */
};

/* "local period" */
const char *annotate_percent_words(enum sonde_annotate_percent percent);

/* The colour of a share for a terminal, and the end of a colour; "" without colours. */
const char *annotate_colour(const struct annotate_look *look, double percent);
const char *annotate_colour_end(const struct annotate_look *look, double percent);

/* A figure of an event, right-aligned in annotate_width() characters. */
int annotate_width(const struct annotate_look *look);
const char *annotate_title(const struct annotate_look *look);
void annotate_put_figures(const struct annotate_look *look, const struct sonde_annotation_row *row);

/* As perf annotate --stdio prints it. */
void annotate_print(const struct sonde_annotation *a, const struct annotate_look *look);

/* As perf annotate --stdio2 prints it: offsets at the targets of jumps, arrows. */
void annotate_print_arrows(const struct sonde_annotation *a, const struct annotate_look *look);

/* The lines of the source with their shares; 0 or -SONDE_NOMEM. */
int annotate_print_lines(const struct sonde_annotation *a, const struct annotate_look *look);

#endif
