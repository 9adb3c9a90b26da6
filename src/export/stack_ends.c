/* SPDX-License-Identifier: MIT */
#include "export/stack_ends.h"

#include <stdio.h>

static void put_share(struct buf *b, uint64_t n, uint64_t all, const char *what, bool *any)
{
	if (!n)
		return;
	buf_printf(b, "%s%.1f%% %s", *any ? ", " : ": ", 100.0 * (double)n / (double)all, what);
	*any = true;
}

void stack_ends_put(struct buf *b, const struct sonde_profile_event *event)
{
	uint64_t all = event->unwound_complete + event->unwound_cut + event->unwound_no_table +
		       event->unwound_error + event->unwound_uretprobe;
	char cut[64] = "cut with the copied bytes";
	bool any = false;

	if (!all)
		return;
	if (event->attr)
		snprintf(cut, sizeof(cut), "cut at %u copied bytes", event->attr->sample_stack_user);
	buf_u64(b, all);
	buf_str(b, " unwound");
	put_share(b, event->unwound_complete, all, "complete", &any);
	put_share(b, event->unwound_cut, all, cut, &any);
	put_share(b, event->unwound_no_table, all, "without unwind table", &any);
	put_share(b, event->unwound_error, all, "damaged", &any);
	put_share(b, event->unwound_uretprobe, all, "ended by a uretprobe", &any);
}
