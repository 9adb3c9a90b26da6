/* SPDX-License-Identifier: MIT */
/* sample_head.h - what a sample tells at fixed places of its record */
#ifndef PERFDATA_READ_SAMPLE_HEAD_H
#define PERFDATA_READ_SAMPLE_HEAD_H

#include "perfdata/format/evlist.h"
#include "perfdata/format/record.h"

/*
 * Whether these places tell what a profile needs: not if the callchain comes later, and not if the sample has read
 * counts, for each of which it stands.
 */
static inline bool sample_has_head(const struct evsel *s, const struct record_header *h)
{
	return s && h->size >= s->layout.sample_bytes && !(s->attr.flags & SONDE_ATTR_DEFER_CALLCHAIN) &&
	       !(s->attr.sample_type & SAMPLE_READ);
}

/* All but the reference and the callchain. */
static inline __attribute__((always_inline)) void sample_head_load(const struct evsel *s, const uint8_t *p,
								   const struct record_header *h, bool swap,
								   struct sample_head *out)
{
	const uint8_t *at = s->layout.sample;

	out->evsel = &s->pub;
	out->ip = at[AT_IP] ? load_u64(p + at[AT_IP], swap) : 0;
	out->time = at[AT_TIME] ? load_u64(p + at[AT_TIME], swap) : SONDE_NONE;
	out->period = at[AT_PERIOD]                      ? load_u64(p + at[AT_PERIOD], swap) :
		      s->attr.flags & SONDE_ATTR_FREQ ? 0 :
							s->attr.sample_period;
	out->pid = at[AT_TID] ? (int32_t)load_u32(p + at[AT_TID], swap) : -1;
	out->tid = at[AT_TID] ? (int32_t)load_u32(p + at[AT_TID] + 4, swap) : -1;
	out->cpu = at[AT_CPU] ? (int32_t)load_u32(p + at[AT_CPU], swap) : -1;
	out->cpumode = h->misc & MISC_CPUMODE_MASK;
}

#endif
