/* SPDX-License-Identifier: MIT */
/* export.h - the formats that a profile can be written in: to add one, write its file and add its row to the table of export.c. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <sonde/export.h>

#include "analyze/profile.h"
#include "base/buf.h"
#include "model/ledger.h"

/* What a page says of the recording; all may be NULL or 0. */
struct recorded {
	const struct sonde_meta *meta;
	const struct ledger *losses;
	int64_t at_s;                    /* seconds since 1970 */
};

struct export {
	const struct sonde_profile *profile;
	struct sonde_export_opts opts;   /* complete, whatever the caller's header knew */
	struct recorded recorded;
	struct buf *out;
	struct sonde_error *err;
};

/* Every format, and what writes it: 1, 0 if there was nothing to write, or negative; failures of `out` are seen by the caller. */
extern const struct sonde_export_format export_formats[];
extern int (*const export_writers[])(struct export *x);
extern const size_t nr_export_formats;

/* The number of the event to write: opts.event, else the first with samples. -SONDE_USAGE if there is none of that name. */
int export_event(struct export *x);

int export_folded(struct export *x);
int export_html(struct export *x);
int export_html(struct export *x);
int export_json(struct export *x);
int export_report(struct export *x);

#endif
