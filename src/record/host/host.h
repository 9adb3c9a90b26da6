/* SPDX-License-Identifier: MIT */
/* host.h - what this machine is, for the metadata of a recording. */
#ifndef RECORD_HOST_HOST_H
#define RECORD_HOST_HOST_H

#include "model/meta.h"

#include "base/arena.h"

/* Fills what can be learnt of the host and sets the bits in meta->features; texts and arrays are placed in @a. */
void host_describe(struct meta *meta, struct arena *a, const char *sysfs, const char *proc);

static inline void meta_has(struct meta *meta, uint32_t feature)
{
	meta->features[feature / 64] |= UINT64_C(1) << (feature % 64);
}

static inline void meta_set(struct meta *meta, uint32_t feature, bool on)
{
	meta->features[feature / 64] &= ~(UINT64_C(1) << feature % 64);
	meta->features[feature / 64] |= (uint64_t)on << feature % 64;
}

#endif
