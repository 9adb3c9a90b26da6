/* SPDX-License-Identifier: MIT */
/* trace.h - the public handle of a trace */
#ifndef API_TRACE_TRACE_H
#define API_TRACE_TRACE_H

#include <sonde/symbol.h>

#include "io/input.h"
#include "io/output.h"
#include "model/input_format.h"
#include "order/order.h"
#include "tracefmt/tracefmt.h"

struct sonde_trace {
	struct reader *reader;       /* NULL until it is open */
	struct event_views *views;   /* content of its events that the program asked for */
	struct sonde_error err;
	struct sonde_event_desc event_desc;  /* the last description that the program asked for */
	struct sonde_stack_sizes stack_sizes;  /* the last ones that the program asked for */
	char *path;
	struct file_id files[2];     /* the file that it is read from, or a file in a directory and the directory */
	size_t nr_files;
	void (*progress)(void *ctx, double share);
	void *progress_ctx;
	const struct tracefmt *reader_formats;  /* of a trace.dat, whose reader owns them; else NULL */
	struct tracefmt *formats;    /* tracepoint formats of a perf.data; NULL until the first use */
	struct unread_profile *profile;  /* it is no trace, but a profile of another tool; else NULL */
	struct sonde_alignment alignment;  /* text is NULL until sonde_traces_align() */
};

#endif
