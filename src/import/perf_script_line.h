/* SPDX-License-Identifier: MIT */
/*
 * perf_script_line.h - the lines of `perf script`'s text
 *
 *	comm  12/14 [001]  100.000001:     250000 cpu-clock:          the head of a sample
 *		    55d1743e780b seconds_now+0x6b (./workload)        a frame of it, the innermost first
 *	  workload.c:147                                              its source line (-F +srcline)
 *
 * Every part of a head may be missing except for the thread (perf script -F). Without a call chain, the frame stands in
 * the head; of a tracepoint, its text does.
 */
#ifndef IMPORT_PERF_SCRIPT_LINE_H
#define IMPORT_PERF_SCRIPT_LINE_H

#include <sonde/types.h>

#include <stdbool.h>

struct script_frame {
	uint64_t addr;
	struct sonde_str name;       /* without its offset; none: "[unknown]", or there is none */
	struct sonde_str dso;        /* none: "[unknown]", or there is none */
	struct sonde_str file;       /* of its source line; none: not known */
	uint32_t line;
	bool inlined;
};

struct script_sample {
	struct sonde_str comm;
	int32_t pid, tid;            /* -1: not there; one number is the thread's */
	uint64_t time;               /* ns; SONDE_NONE: none */
	uint64_t period;             /* 1 if there is none */
	bool has_period;
	struct sonde_str event;      /* none: there is none */
	struct script_frame frame;
	bool has_frame;              /* in this line */
};

/* False: the line is no head of a sample. */
bool script_take_sample(struct sonde_str line, struct script_sample *out);

/* False: the line is no frame. */
bool script_take_frame(struct sonde_str line, struct script_frame *out);

/* Adds "FILE:LINE" and " (inlined)" of a line behind a frame. False: the line is none of it. */
bool script_take_source(struct sonde_str line, struct script_frame *frame);

/* A record that is no sample, as `perf script --show-mmap-events` prints it. */
bool script_is_record(struct sonde_str line);

#endif
