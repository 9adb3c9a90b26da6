/* SPDX-License-Identifier: MIT */
/* details.h - properties that tell samples apart on request, as numbers: time, address, cgroup, data type, ... */
#ifndef ANALYZE_TABLES_DETAILS_H
#define ANALYZE_TABLES_DETAILS_H

#include <sonde/profile.h>

#include "base/buf.h"
#include "base/hash_index.h"
#include "base/strpool.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "tracefmt/tracefmt.h"

/* The file of a namespace in /proc. */
struct namespace_file { uint64_t dev, ino; };

struct details {
	VEC(struct sonde_profile_detail) list;  /* 0: nothing is known */
	struct hash_index index;
	struct strpool names;
	struct buf text;                 /* of a tracepoint's record, while it is made */
	struct u64map cgroups;           /* number of the name, by id */
	VEC(struct namespace_file) namespaces;   /* that threads came to have */
	struct u64map namespace_of_thread;       /* number in namespaces, by machine and tid */
};


int details_init(struct details *d);
void details_free(struct details *d);

/*
 * Takes over what an event has of @by, bits of enum sonde_profile_by, without its fields being decoded. @epoch: ns
 * since 1970 at the time 0, for steps that begin by date; else 0
 */
void details_take_event(struct sonde_profile_detail *key, uint32_t by, uint64_t time_step_ns, uint64_t epoch,
			const struct sonde_event *ev);

/* Takes the text of a tracepoint's record; @fields: all its fields as text. 0 or -SONDE_NOMEM. */
int details_take_trace(struct details *d, struct sonde_profile_detail *key, const struct tracefmt_event *format,
		       struct sonde_bytes raw, bool fields);

/* Takes the cgroup namespace of the thread, if a record told it. */
void details_take_namespace(const struct details *d, struct sonde_profile_detail *key, const struct sonde_event *ev);

/* The number of the detail that is as @key; HASH_INDEX_NONE when out of memory. */
uint32_t details_number(struct details *d, const struct sonde_profile_detail *key);

/* Functions have got the numbers @numbers; none that a detail refers to was left out. 0 or -SONDE_NOMEM. */
int details_renumber_frames(struct details *d, const uint32_t *numbers);

/*
 * Takes the name of a cgroup, or the cgroup namespace of a thread, from the record that tells it; others are passed
 * over. 0 or -SONDE_NOMEM.
 */
int details_note_namespaces(struct details *d, const struct sonde_event *ev);
int details_note_cgroup(struct details *d, const struct sonde_event *ev);

#endif
