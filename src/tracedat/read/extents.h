/* SPDX-License-Identifier: MIT */
/* extents.h - where in the file the pages of the CPUs are */
#ifndef TRACEDAT_READ_EXTENTS_H
#define TRACEDAT_READ_EXTENTS_H

#include "base/err.h"

struct tracedat;

/* The pages of one CPU in one buffer. */
struct cpu_extent {
	uint64_t offset, size;       /* size 0: up to the next one, if compressed */
	uint32_t buffer, page_size;
	int32_t cpu;
	bool compressed;
};

/* Makes the extents of all buffers */
int dat_extents_make_all(struct tracedat *f, struct sonde_error *err);

#endif
