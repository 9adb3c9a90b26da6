/* SPDX-License-Identifier: MIT */
/* option.h - the options of a trace.dat: one row each; an option without a row is carried as it is */
#ifndef TRACEDAT_OPTION_H
#define TRACEDAT_OPTION_H

#include "base/buf.h"
#include "tracedat/tracedat.h"

#define OPTION_DONE 0

enum {
	DAT_OPTION_DATE = 1, DAT_OPTION_CPUSTAT = 2, DAT_OPTION_TRACECLOCK = 4, DAT_OPTION_OFFSET = 7, DAT_OPTION_CPUCOUNT = 8, DAT_OPTION_TRACEID = 11,
	DAT_OPTION_TIME_SHIFT = 12, DAT_OPTION_TSC2NSEC = 14,
};

/*
 * What option CPUSTAT says in a file that sonde is recording, until it finishes it and the statistics are known. The texts of all
 * CPUSTAT are one for trace-cmd, which shows them to its user.
 */
#define DAT_UNFINISHED "Recording: unfinished\n"

/* What a line of CPUSTAT begins with that says how many events of the CPU sonde could not write, because the disk was full. */
#define DAT_UNWRITTEN "unwritten events: "

struct dat_option {
	const char *name;            /* NULL: no such option */
	/* What it means for the reader; NULL: nothing. 0, -SONDE_TRUNCATED, -SONDE_CORRUPT with @c->err set, -SONDE_NOMEM. */
	int (*take)(struct tracedat *f, struct cursor *c);
	/* What it says, as text; NULL: it is text. */
	void (*show)(struct buf *out, struct cursor *c);
	bool version_7;              /* only there */
};

/* NULL for an id without a row. */
const struct dat_option *dat_option_find(uint32_t id);

#endif
