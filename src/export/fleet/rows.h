/* SPDX-License-Identifier: MIT */
/*
 * rows.h - the rows of the fleet's tables that a recording makes: samples summed up by window, service, command, event,
 * mode and stack, and what they refer to
 *
 * Texts are of texts.h. docs/fleet.md describes the tables.
 */
#ifndef EXPORT_FLEET_ROWS_H
#define EXPORT_FLEET_ROWS_H

#include "export/export.h"
#include "export/fleet/ids.h"
#include "export/fleet/texts.h"

struct fleet_sample {
	int64_t date;                /* days since 1970 */
	int64_t time_s;              /* when the window began, since 1970 */
	const char *service, *comm, *event, *build_id;
	uint8_t cpu_mode;
	int64_t stack_id;
	uint64_t samples, weight;
};

/* Its frames are n of rows.frame_ids from `first` on. */
struct fleet_stack {
	int64_t id;
	size_t first, n;
};

struct fleet_module {
	int64_t id;                  /* of its three texts: tells modules apart, and is not written */
	const char *build_id, *path, *kind;
	bool symbolised;
};

/* One for each event. */
struct fleet_run {
	const char *event;
	uint64_t period;             /* between two samples, if it is fixed; else 0 */
	uint64_t lost;               /* of all events: in the first one's row */
	uint64_t truncated_stacks, unresolved;
};

struct fleet_rows {
	const struct export *x;
	struct fleet_texts texts;
	const char *host;
	int64_t date;                /* of the first sample */
	uint64_t start_ns, end_ns;   /* of the first and the last sample, since 1970 */
	int64_t run_id;
	const char *kernel, *cpu_model, *cmdline;   /* "": not known */
	uint32_t cpus;               /* that were online; 0: not known */
	VEC(struct fleet_sample) samples;
	VEC(struct fleet_stack) stacks;
	VEC(int64_t) frame_ids;
	VEC(struct fleet_frame) frames;
	VEC(struct fleet_module) modules;
	VEC(struct fleet_run) runs;
};

/* 0 or negative. To be freed in either case. */
int fleet_rows_make(struct fleet_rows *f, const struct export *x);
void fleet_rows_free(struct fleet_rows *f);

#endif
