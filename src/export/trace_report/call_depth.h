/* SPDX-License-Identifier: MIT */
/*
 * call_depth.h - how far the line of a traced function is indented, as trace-cmd report does it
 *
 * A function record names a function and its caller, not how deep they are. So for each CPU the names are kept that
 * came last at each level: a function is one level below the last of its caller's name; a caller that is not there
 * begins anew.
 */
#ifndef EXPORT_TRACE_REPORT_CALL_DEPTH_H
#define EXPORT_TRACE_REPORT_CALL_DEPTH_H

#include "base/vec.h"
#include "tracefmt/tracefmt.h"

#define REPORT_DEPTH_MAX 256

struct report_depths {
	/* Names stay where they are until others take their place; an empty one is unknown. */
	VEC(struct report_levels { size_t n; struct sonde_str names[REPORT_DEPTH_MAX]; } *) cpus;
};

/* Levels of the function at @ip, called from @parent_ip on @cpu: 0 or more, or -SONDE_NOMEM. */
int report_depth(struct report_depths *d, const struct tracefmt *formats, const struct tracefmt_boot *boot, int32_t cpu,
		 uint64_t ip, uint64_t parent_ip);

void report_depths_free(struct report_depths *d);

#endif
