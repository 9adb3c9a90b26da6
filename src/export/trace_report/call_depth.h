/* SPDX-License-Identifier: MIT */
/*
 * call_depth.h - the indentation of a traced function, as in trace-cmd report
 *
 * A function record names a function and its caller, but not their depth. So the last name at each level is kept for
 * each CPU: a function is one level below the last name that is its caller's; a function of an unknown caller begins at
 * level 0.
 */
#ifndef EXPORT_TRACE_REPORT_CALL_DEPTH_H
#define EXPORT_TRACE_REPORT_CALL_DEPTH_H

#include "base/vec.h"
#include "tracefmt/tracefmt.h"

#define REPORT_DEPTH_MAX 256

struct report_depths {
	/* Names stay in place until others replace them; an empty name is unknown. */
	VEC(struct report_levels { size_t n; struct sonde_str names[REPORT_DEPTH_MAX]; } *) cpus;
};

/* The level of the function at @ip, called from @parent_ip on @cpu: 0 or more, or -SONDE_NOMEM. */
int report_depth(struct report_depths *d, const struct tracefmt *formats, const struct tracefmt_boot *boot, int32_t cpu,
		 uint64_t ip, uint64_t parent_ip);

void report_depths_free(struct report_depths *d);

#endif
