/* SPDX-License-Identifier: MIT */
/* print.h - the text of a record, as the kernel or trace-cmd prints it */
#ifndef TRACEFMT_PRINT_H
#define TRACEFMT_PRINT_H

#include "tracefmt/tracefmt.h"

/* In whose words an event is printed. */
enum tracefmt_style {
	TRACEFMT_KERNEL,             /* by the print format, as perf does */
	/* as trace-cmd report does: with its plug-ins, and with records of tracers drawn */
	TRACEFMT_TRACE_CMD,
};

/* The caller's part of printing; all of it may be zero. */
struct tracefmt_context {
	void *ctx;
	/* The kernel function at an address: its name (a view until the next call) and how far into it the address is.
	 * NULL, or where it returns false: the recorder's own table is asked. Called on the printing thread. */
	bool (*symbol)(void *ctx, uint64_t address, struct sonde_str *name, uint64_t *offset);
	const struct tracefmt_boot *boot;  /* of the record's buffer: see tracefmt_boot() */
	enum tracefmt_style style;
	/* of a funcgraph_entry: the record of the funcgraph_exit that directly follows it */
	struct sonde_bytes leaf;
	uint32_t depth;              /* of a function: how many levels its line is indented */
	uint64_t time;               /* of the record, in nanoseconds; func_repeats counts back from it */
};

/* The longest text that is printed of one record; what is beyond is cut. */
#define TRACEFMT_TEXT_MAX (64 * 1024)

/**
 * tracefmt_print - what the kernel would print of a record, without a trailing newline
 * Control bytes of strings in the record are printed as '.'. Time and output are bounded by the sizes of the format
 * and of @raw. An event without program is printed as tracefmt_print_fields() does, after "[FAILED TO PARSE]".
 */
void tracefmt_print(const struct tracefmt_event *e, struct sonde_bytes raw, const struct tracefmt_context *ctx,
		    struct buf *out);

#endif
