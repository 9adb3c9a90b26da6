/* SPDX-License-Identifier: MIT */
/* code_options.h - options of commands that show the code of functions */
#ifndef CLI_BASE_CODE_OPTIONS_H
#define CLI_BASE_CODE_OPTIONS_H

#include <sonde/annotate.h>

#include "cli/base/command.h"

/* Rows for a command's table; code_options_read() has their result. */
#define CODE_ROWS \
	{ "disassembler-style", 'M', OPTION_STRING, &code_words.style, .arg = "STYLE", \
	  .help = "syntax of x86 instructions: att (default) or intel", \
	  .values = { .words = WORDS("att", "intel") } }, \
	{ "percent-type", 0, OPTION_STRING, &code_words.percent_type, .arg = "TYPE", \
	  .help = "percentages in code: of the function or of all samples, of periods or numbers: local-period " \
		  "(default), local-hits, global-period, global-hits", \
	  .values = { .words = WORDS("local-period", "local-hits", "global-period", "global-hits") } }, \
	{ "prefix", 0, OPTION_STRING, &code_words.prefix, .arg = "PREFIX", \
	  .help = "put this before paths of source files" }, \
	{ "prefix-strip", 0, OPTION_U64, &code_words.prefix_strip, .arg = "N", \
	  .help = "take the first N directories off paths of source files" }, \
	SOURCE_DIR_ROW
#define SOURCE_DIR_ROW \
	{ "source-dir", 0, OPTION_STRINGS, &code_words.source_dirs, .arg = "DIR", \
	  .help = "look for source files below this directory, also without their first directories; their text may " \
		  "be part of pages and bundles; may be repeated" }

struct code_words {
	const char *style, *percent_type, *prefix;
	uint64_t prefix_strip;
	struct strings source_dirs;
};
extern struct code_words code_words;

/* Sets the members of @opts that the rows are about, and `sz`. The exit status: 2 after a message. */
int code_options_read(struct sonde_annotate_opts *opts);

#endif
