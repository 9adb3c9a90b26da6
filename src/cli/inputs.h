/* SPDX-License-Identifier: MIT */
/* inputs.h - several traces that a command reads together, and what the options behind each say of its times */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include <sonde/trace.h>

#include "cli/command.h"

struct input_times {
	int64_t offset_ns;
	uint64_t stamps_per_second;  /* 0: as the trace says */
};

struct inputs {
	const char **paths;
	struct input_times *times;   /* of each */
	size_t n;
	uint64_t stamps_per_second;  /* of those that say nothing else */
	bool raw_stamps, no_date;    /* of all */
	struct sonde_trace **traces; /* those that have been opened, in the same order */
	size_t nr_traces;
};

/* For -i and what comes behind it: 0, -SONDE_USAGE after say_usage(), -SONDE_NOMEM. */
int inputs_add(struct inputs *in, const char *path);
int inputs_set_offset(struct inputs *in, const char *arg);
int inputs_set_hz(struct inputs *in, const char *arg);

/* The words of the command line too, and if there are none at all "perf.data". 0 or -SONDE_NOMEM. */
int inputs_end(struct inputs *in, int argc, char **argv);

/* Opens all, each with its share of the memory: 0, or exit status 1 after a message. */
int inputs_open(struct inputs *in);
void inputs_free(struct inputs *in);

#endif
