/* SPDX-License-Identifier: MIT */
/* stacks.h - what a recording has of call stacks, and what that leaves out */
#ifndef CLI_STACKS_H
#define CLI_STACKS_H

#include <sonde/profile.h>
#include <sonde/trace.h>

/* Of a perf.data: trees and the times of callers were asked for where no stack was recorded. */
void say_no_callchains(const struct sonde_trace *t);

/* Stacks were recorded as bytes, which are not unwound: callers in user space are missing. */
void say_not_unwound(const struct sonde_trace *t);

/* The frames of --max-stack as the library takes them; 0: not given. */
uint32_t stack_limit(uint64_t max_stack);

/* Some stacks have more frames than --max-stack keeps. @outermost: those are kept */
void say_shortened(const struct sonde_profile *p, uint64_t max_stack, bool outermost);

#endif
