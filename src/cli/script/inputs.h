/* SPDX-License-Identifier: MIT */
/* inputs.h - several traces that a command reads together, and the options for the times of each */
#ifndef CLI_SCRIPT_INPUTS_H
#define CLI_SCRIPT_INPUTS_H

#include <sonde/trace.h>

#include "cli/base/session.h"

struct input_times {
	int64_t offset_ns;
	uint64_t stamps_per_second;  /* 0: as the trace says */
};

struct inputs {
	const char **paths;
	struct input_times *times;   /* for each path */
	size_t nr_paths;
	uint64_t stamps_per_second;  /* for traces without an option of their own */
	bool raw_stamps, no_date;    /* for all traces */
	union {
		struct session session;
		struct session;      /* the traces that could be opened, in the same order */
	};
};

/* For -i and the options after it: 0, -SONDE_USAGE after say_usage(), -SONDE_NOMEM. */
int inputs_add(struct inputs *in, const char *path);
int inputs_set_offset(struct inputs *in, const char *arg);
int inputs_set_hz(struct inputs *in, const char *arg);

/* Adds the words of the command line; "perf.data" if no trace is named. 0 or -SONDE_NOMEM. */
int inputs_end(struct inputs *in, int argc, char **argv);

/* Opens the traces, each with its share of the memory, and aligns their clocks: 0, or exit status 1 after a message. */
int inputs_open(struct inputs *in);
void inputs_free(struct inputs *in);

#endif
