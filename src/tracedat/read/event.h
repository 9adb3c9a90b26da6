/* SPDX-License-Identifier: MIT */
/* event.h - a record becomes an event; see struct reader_ops */
#ifndef TRACEDAT_READ_EVENT_H
#define TRACEDAT_READ_EVENT_H

#include "tracedat/read/tracedat.h"

void dat_load(struct reader *r, const struct record_ref *ref, struct loaded_event *out);
struct u64s dat_callchain(const struct reader *r, const struct sonde_event *ev);
struct u64s dat_user_callchain(const struct reader *r, const struct sonde_event *ev);
bool dat_is_lone_stack(const struct reader *r, const struct sonde_event *ev);
int dat_sample(const struct reader *r, const struct sonde_event *ev, struct sample *out);
int dat_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out);
int dat_fields(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx);
/* A line of saved_cmdlines: "  123 bash". */
bool dat_cmdline(struct sonde_str line, int32_t *pid, struct sonde_str *comm);

#endif
