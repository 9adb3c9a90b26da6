/* SPDX-License-Identifier: MIT */
/* stacks.h - messages about the call stacks of a recording */
#ifndef CLI_STACKS_H
#define CLI_STACKS_H

#include <sonde/profile.h>
#include <sonde/trace.h>

/* For a perf.data: trees or --children were requested, but no callchains were recorded. */
void say_no_callchains(const struct sonde_trace *t);

/* For a perf.data: --stitch-lbr was given, but what it needs was not recorded. */
void say_not_stitched(const struct sonde_trace *t);

/* The value of --max-stack for the library; 0: not given. */
uint32_t stack_limit(uint64_t max_stack);

/* Some stacks have more frames than --max-stack keeps. @outermost: the outermost frames were kept */
void say_shortened(const struct sonde_profile *p, uint64_t max_stack, bool outermost);

#endif
