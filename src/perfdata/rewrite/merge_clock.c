/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/merge_clock.h"

uint64_t merge_time(struct merge *m, const struct merge_input *in, uint64_t time)
{
	int64_t shift = in->shift;

	if (time == 0 || time == SONDE_NONE || shift == 0)
		return time;
	if (shift < 0 ? time > -(uint64_t)shift : time < SONDE_NONE - 1 - (uint64_t)shift)
		return time + (uint64_t)shift;
	ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, time, -1,
		   "{time|times} before the beginning of the clock, or past its end, in %s", in->name);
	return shift < 0 ? 1 : SONDE_NONE - 1;
}
