/* SPDX-License-Identifier: MIT */
/* details.h - properties that tell samples apart on request, as numbers: time, address, cgroup, data type, ... */
#ifndef ANALYZE_DETAILS_H
#define ANALYZE_DETAILS_H

#include <sonde/profile.h>

#include "base/hash_index.h"
#include "base/strpool.h"
#include "base/u64map.h"
#include "base/vec.h"

struct details {
	VEC(struct sonde_profile_detail) list;  /* 0: nothing is known */
	struct hash_index index;
	struct strpool names;
	struct u64map cgroups;           /* number of the name, by id */
};

int details_init(struct details *d);
void details_free(struct details *d);

/*
 * The number of what a sample has of @by, bits of enum sonde_profile_by; HASH_INDEX_NONE when out of memory. @known:
 * the properties that are not of the sample alone: parallelism, symbol_offset, data_type; 0 if nobody asks for them.
 */
uint32_t details_of(struct details *d, uint32_t by, const struct sonde_event *ev,
		    const struct sonde_profile_detail *known);

/* Takes the name of a cgroup from the record that tells it; others are passed over. 0 or -SONDE_NOMEM. */
int details_note_cgroup(struct details *d, const struct sonde_event *ev);

#endif
