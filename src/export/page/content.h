/* SPDX-License-Identifier: MIT */
/* content.h - all that a page shows: a profile, the code of its functions, and the recording that it compares with */
#ifndef EXPORT_PAGE_CONTENT_H
#define EXPORT_PAGE_CONTENT_H

#include "export/page/trees.h"

struct shown_content {
	struct profile_page page;
	struct buf code;                 /* JSON */
	bool compares;
	struct profile_page before;      /* of the older recording */
};

/*
 * Gathers a profile with what the options ask for; without samples, only their sums. 0 or -SONDE_NOMEM; content_free()
 * in either case.
 */
int content_gather(struct shown_content *c, const struct export *x, bool with_samples);

/* The same for the writer of pages, a view of @c. @before is filled: the result refers to it. */
struct html_profile content_view(const struct shown_content *c, struct html_profile *before);

void content_free(struct shown_content *c);

/* Writes the profile to x->out: 1, 0 if there is nothing to write, or negative. */
int export_html(struct export *x);

#endif
