/* SPDX-License-Identifier: MIT */
/* export.h - a profile that is being written in an output format */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <sonde/export.h>

#include "analyze/rows/event_cells.h"
#include "base/buf.h"
#include "model/ledger.h"

/* One of several traces. */
struct recorded_input {
	const char *path;
	const struct ledger *losses;
	const struct sonde_alignment *alignment;  /* NULL: it was not aligned */
};

/* The recording of a profile; all may be NULL or 0. */
struct recorded {
	const char *path;
	const struct meta *meta;
	const struct ledger *losses;
	int64_t at_s;                    /* seconds since 1970 */
	const struct recorded_input *inputs;     /* all of several */
	size_t nr_inputs;
};

struct export {
	const struct sonde_profile *profile;
	struct event_cells cells;        /* of the profile */
	/* complete: members that the program's structs lack are 0; opts.report, page and fleet are not looked at */
	struct sonde_export_opts opts;
	struct sonde_report_opts report;
	struct sonde_page_opts page;
	struct sonde_fleet_opts fleet;
	struct recorded recorded;
	struct recorded baseline_recorded;       /* that of page.baseline */
	struct buf *out;
	const char *dir;                 /* of a format that is a directory; `out` is NULL then */
	struct sonde_error *err;
};

/* Copies the options of a call. 0, or -SONDE_USAGE */
int export_take_opts(struct export *x, const struct sonde_export_opts *opts);

/* Tells the program something that the format has no place for: opts.noted. */
void export_note(const struct export *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Finds the cells of each event whose tasks opts.tids and opts.comms want. 0 or -SONDE_NOMEM */
int export_cells(struct export *x);

/* Whether the options name one event; whether event i has samples, and is not another than the options name. */
bool export_names_event(const struct export *x);
bool export_wants_event(const struct export *x, size_t i);

/* Finds the event to write: the first that is wanted. -SONDE_USAGE if the options name one without samples. */
int export_event(struct export *x);

#endif
