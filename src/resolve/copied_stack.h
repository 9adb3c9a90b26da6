/* SPDX-License-Identifier: MIT */
/*
 * copied_stack.h - the stack of a sample as it was copied, or its call stack of branches, and what is known of stacks
 * without looking at frames
 */
#ifndef RESOLVE_COPIED_STACK_H
#define RESOLVE_COPIED_STACK_H

#include "model/event.h"

/* The default of kernel.perf_event_max_stack: frames of a stack that the kernel records. */
enum { USUAL_STACK_LIMIT = 127 };

/* The registers of a sample and the copy of its stack, or its branches: they give the user part of its callchain. */
struct copied_stack {
	uint64_t ip;
	struct regs regs;
	struct sonde_bytes bytes;
	struct branches branches;    /* nr is 0 unless they are a call stack */
	const char *arch;            /* of the recording machine; as long as the trace */
	bool in_kernel;
};

/* Whether samples of an event can have one. */
bool copied_stack_expected(const struct sonde_evsel *evsel);

/* That of a decoded sample; false if it has none. */
bool copied_stack_of(const struct sample *s, uint8_t cpumode, const char *arch, struct copied_stack *out);

/* The same out of its record. */
bool copied_stack_find(const struct sonde_event *ev, const char *arch, struct copied_stack *out);

/*
 * A stack of as many frames as the kernel records may lack outer ones; of a longer stack than is wanted some are left
 * out.
 */
struct long_stack {
	bool cut, shortened;
};

static inline uint32_t kernel_stack_limit(const struct sonde_attr *attr)
{
	return attr && attr->sample_max_stack ? attr->sample_max_stack : USUAL_STACK_LIMIT;
}

/* False for most: these need not be asked for. */
static inline bool long_stack_is_possible(const struct u64s *chain, const struct sonde_attr *attr, uint32_t max_frames)
{
	return chain->nr >= kernel_stack_limit(attr) || chain->nr > max_frames;
}

struct long_stack long_stack_of(const struct u64s *chain, const struct sonde_attr *attr, uint32_t max_frames);

#endif
