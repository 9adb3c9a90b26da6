/* SPDX-License-Identifier: MIT */
/* event.h - an event out of the bytes of a record */
#ifndef PERFDATA_READ_EVENT_H
#define PERFDATA_READ_EVENT_H

#include "perfdata/format/evlist.h"

/* Fills an event from the whole record at @p but for its place; its reader is evlist->reader. */
void record_load(struct evlist *evlist, const uint8_t *p, bool swap, struct loaded_event *out);

void perfdata_load(struct reader *r, const struct record_ref *ref, struct loaded_event *out);
size_t perfdata_sample_heads(struct reader *r, const struct record_ref *refs, size_t n, struct sample_head *out);
void perfdata_load_sample(const struct reader *r, const struct sonde_evsel *evsel, const uint8_t *p, uint32_t size,
			  struct loaded_event *out);
struct u64s perfdata_callchain(const struct reader *r, const struct sonde_event *ev);
struct sonde_bytes perfdata_raw(const struct reader *r, const struct sonde_event *ev);
int perfdata_sample(const struct reader *r, const struct sonde_event *ev, struct sample *out);
int perfdata_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out);
int perfdata_fields(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx);

#endif
