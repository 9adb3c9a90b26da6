/* SPDX-License-Identifier: MIT */
/* fields.h - what a page shows of tracepoints without stacks: the values of their fields, the times between them */
#ifndef EXPORT_PAGE_FIELDS_H
#define EXPORT_PAGE_FIELDS_H

#include "analyze/tables/profile.h"
#include "base/arena.h"
#include "export/page/page.h"

enum {
	HTML_MOST_VALUES = 20,           /* of a field, the most frequent ones */
	HTML_VALUE_TEXT = 300,           /* bytes of a value; longer ones are cut */
};

/*
 * Gives an event of the page the fields and gaps of event @number of the profile, if that is a tracepoint. Names are
 * views of the profile, the rest lies in @memory. 0 or -SONDE_NOMEM.
 */
int html_fields_gather(struct html_event *event, const struct sonde_profile *p, uint32_t number, struct arena *memory);

#endif
