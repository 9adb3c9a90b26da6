/* SPDX-License-Identifier: MIT */
/* timed.h - the timed samples of a page, those of each event together */
#ifndef EXPORT_PAGE_TIMED_H
#define EXPORT_PAGE_TIMED_H

#include "analyze/tables/profile.h"
#include "export/page/page.h"

enum {
	HTML_MOST_SAMPLES = 3000000,     /* of an event; more are merged */
	HTML_MOST_CPUS = 65535,          /* as in web/samples.js; no machine has more */
};

struct html_timed {
	struct html_sample *samples;
	size_t *first;                   /* by event of the profile: its first sample; one more entry is the end */
	uint64_t first_ns, last_ns;      /* of all; 0 if there are none */
};

/*
 * Gathers the samples of a profile that have a time. @cell_of: by cell of the profile, its number in the page,
 * UINT32_MAX: left out. 0 or -SONDE_NOMEM; html_timed_free() in either case.
 */
int html_timed_gather(struct html_timed *t, const struct sonde_profile *p, const uint32_t *cell_of);

/*
 * Merges the samples of one cell and CPU that lie in the same span of time, in spans as short as leave at most @most
 * if that is possible; their order stays that of time. Returns how many are left, and sets *span_ns. SIZE_MAX when out
 * of memory.
 */
size_t html_timed_merge(struct html_sample *samples, size_t n, size_t most, uint64_t *span_ns);

void html_timed_free(struct html_timed *t);

#endif
