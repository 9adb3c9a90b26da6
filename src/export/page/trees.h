/* SPDX-License-Identifier: MIT */
/* trees.h - the trees of the HTML page: one for each event, with the tasks at its roots */
#ifndef EXPORT_PAGE_TREES_H
#define EXPORT_PAGE_TREES_H

#include "base/strpool.h"
#include "export/export.h"
#include "export/page/about.h"
#include "export/page/page.h"
#include "export/page/timed.h"

/* The part of a profile that a page shows. */
struct profile_page {
	const struct sonde_profile *profile;
	const struct event_cells *cells;
	const struct sonde_profile_task *tasks;
	const struct sonde_profile_stack *stacks;
	struct arena text;
	struct buf line;                 /* a text under construction */
	struct strpool comms;            /* a letter for the kind of task, then its name */
	VEC(struct html_frame) frames;   /* functions, then one for each comm */
	uint32_t *function_of;           /* by frame of the profile: its function */
	struct strpool functions;        /* what tells them apart, in their order */
	VEC(struct html_event) events;
	VEC(struct html_task) task_rows; /* those of the profile */
	uint32_t *cell_of;               /* by cell of the profile: its number in its event; UINT32_MAX: left out */
	VEC(const char *) losses;
	VEC(struct html_lost) lost;
	VEC(uint32_t) event_numbers;     /* in the profile */
	struct html_timed timed;
	struct html_about about;
	VEC(uint32_t) path;              /* the stack of a cell, from the innermost frame outwards */
	uint32_t nr_functions;
};

/*
 * Gathers what a page shows of a profile; without samples, only their sums. 0 or -SONDE_NOMEM; page_free() in either
 * case.
 */
int page_gather(struct profile_page *page, const struct export *x, bool with_samples);
void page_free(struct profile_page *page);

/* The same for the writer of pages; a view of @page. */
struct html_profile page_view(const struct profile_page *page);

#endif
