/* SPDX-License-Identifier: MIT */
/* about.h - the page's rows about a recording, and its notes on the stacks */
#ifndef EXPORT_PAGE_ABOUT_H
#define EXPORT_PAGE_ABOUT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "export/export.h"
#include "export/page/page.h"

struct html_about {
	struct arena text;
	struct buf line;                 /* a text under construction */
	VEC(struct html_info) rows;
	VEC(const char *) notes;         /* of the last event of html_about_notes() */
	const char *title;               /* the command line as one would type it; "" if not known */
	uint64_t wall_ns;                /* 0 if not known */
};

/* @a: zeroed but for line, which is BUF_MEMORY. 0 or -SONDE_NOMEM. */
int html_about_fill(struct html_about *a, const struct sonde_profile *p, const struct recorded *recorded);

/* Fills a->notes. 0 or -SONDE_NOMEM. */
int html_about_notes(struct html_about *a, const struct sonde_profile *p, const struct sonde_profile_event *event,
		     const struct meta *meta);

void html_about_free(struct html_about *a);

#endif
