/* SPDX-License-Identifier: MIT */
/*
 * known.h - the stacks, frames and modules that one writer has written today: it need not write them again
 *
 * Memory is bounded: a writer that has written more begins anew, and duplicates are harmless.
 */
#ifndef EXPORT_FLEET_KNOWN_H
#define EXPORT_FLEET_KNOWN_H

#include <sonde/export.h>

#include "base/u64map.h"

/* {0} knows none. */
struct sonde_export_known {
	int64_t date;                /* days since 1970 */
	struct u64map ids;
};

static inline bool known_has(const struct sonde_export_known *k, int64_t date, int64_t id)
{
	return k && k->date == date && u64map_get(&k->ids, (uint64_t)id) != U64MAP_NONE;
}

/* 0 or -SONDE_NOMEM */
int known_add(struct sonde_export_known *k, int64_t date, int64_t id);

#endif
