/* SPDX-License-Identifier: MIT */
#include "record/perf/losses.h"

#include <linux/perf_event.h>
#include <string.h>

/* A LOST_SAMPLES record for the losses of a ring after its last LOST record. */
static int put_late_loss(struct sonde_perf_recorder *r, size_t ring, size_t event, size_t cell, uint64_t lost)
{
	const struct sonde_attr *a = &r->events.at[event].attr;
	struct perf_event_header h = { .type = PERF_RECORD_LOST_SAMPLES };
	uint64_t words[8], n = 1;
	int32_t cpu = r->rings.by_thread ? 0 : r->target.cpus.at[ring % r->rings.nr];

	words[n++] = lost;
	if (a->sample_type & PERF_SAMPLE_TID)
		words[n++] = 0;
	if (a->sample_type & PERF_SAMPLE_TIME)
		words[n++] = r->record_stats.time_last;
	if (a->sample_type & PERF_SAMPLE_CPU)
		memcpy(&words[n++], &(uint32_t[]){ (uint32_t)cpu, 0 }, 8);
	words[n++] = r->counters.ids[cell];
	h.size = (uint16_t)(n * sizeof(*words));
	memcpy(words, &h, sizeof(h));
	r->record_stats.lost += lost;
	return r->sink->ops->records(r->sink, words, h.size, &r->err);
}

/* Compares the kernel's counts with the LOST records for each ring, which several events share. */
int losses_account(struct sonde_perf_recorder *r)
{
	int e = 0;

	for (size_t ring = 0; e == 0 && ring < 2 * r->rings.nr; ring++) {
		uint64_t sum = 0, most = 0;
		size_t of_event = 0, of_cell = 0;

		for (size_t ev = 0; ev < r->events.n; ev++)
			for (size_t t = 0; t < r->target.tids.n; t++)
				for (size_t n = 0; n < r->target.cpus.n; n++) {
					size_t cell = counters_cell(&r->counters, ev, t, n);
					uint64_t lost;

					if (ring_set_index(&r->rings, ev, t, n) != ring || r->counters.fds[cell] < 0)
						continue;
					lost = counters_lost(&r->counters, ev, cell);
					sum += lost;
					if (lost > most) {
						most = lost;
						of_event = ev;
						of_cell = cell;
					}
				}
		if (sum > r->record_stats.lost_by_ring[ring])
			e = put_late_loss(r, ring, of_event, of_cell, sum - r->record_stats.lost_by_ring[ring]);
		r->stats.lost_rings += sum || r->record_stats.lost_by_ring[ring];
	}
	return e;
}
