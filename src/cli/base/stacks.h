/* SPDX-License-Identifier: MIT */
/* stacks.h - options of several commands about call stacks, and messages about those of a recording */
#ifndef CLI_BASE_STACKS_H
#define CLI_BASE_STACKS_H

#include <sonde/profile.h>
#include <sonde/trace.h>

/* Rows for a command's table; they fill stack_words. Commands with another help have rows of their own. */
#define MAX_STACK_ROW \
	{ "max-stack", 0, OPTION_U64, &stack_words.max_stack, .arg = "N", \
	  .help = "keep at most N frames of a stack, from the innermost (default: 127)" }
#define STITCH_LBR_ROW \
	{ "stitch-lbr", 0, OPTION_FLAG, &stack_words.stitch_lbr, \
	  .help = "add older calls of the samples before to call stacks of branches (--call-graph lbr)" }
#define INLINE_ROW \
	{ "inline", 0, OPTION_FLAG, &stack_words.inlined, \
	  .help = "keep the functions inlined into those of stacks (default; needs DWARF)" }

struct stack_words {
	uint64_t max_stack;          /* 0: not given */
	bool stitch_lbr, inlined;
};
extern struct stack_words stack_words;

/* For a perf.data: trees or --children were requested, but no callchains were recorded. */
void say_no_callchains(const struct sonde_trace *t);

/* For a perf.data: --stitch-lbr was given, but what it needs was not recorded. */
void say_not_stitched(const struct sonde_trace *t);

/* The value of --max-stack for the library; 0: not given. */
uint32_t stack_limit(uint64_t max_stack);

/* Some stacks have more frames than --max-stack keeps. @outermost: the outermost frames were kept */
void say_shortened(const struct sonde_profile *p, uint64_t max_stack, bool outermost);

#endif
