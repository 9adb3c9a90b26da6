/* SPDX-License-Identifier: MIT */
/*
 * id_recovery.h - ids for events that have lost theirs, out of the records that repeat them
 *
 * PERF_RECORD_ID_INDEX has all ids, an event after the other, but does not say where the next event begins. That shows
 * where rings begin anew, and by the EVENT_UPDATE records, which name the first id of an event. All that is known of
 * the ids has to agree.
 */
#ifndef PERFDATA_SCAN_ID_RECOVERY_H
#define PERFDATA_SCAN_ID_RECOVERY_H

#include "base/vec.h"
#include "perfdata/format/evlist.h"

struct id_recovery {
	VEC(uint64_t) ids;
	VEC(size_t) starts;          /* where the rings begin anew, the next event does */
	VEC(uint64_t) firsts;
	uint64_t last_idx;
};

/* Takes the record at @p, of any type and of @size bytes, if it tells of ids; 0 or -SONDE_NOMEM. */
int id_recovery_take(struct id_recovery *run, const uint8_t *p, uint32_t type, size_t size, bool swap);

/*
 * Whether all is known that stands at the beginning of a recording: a round has ended after this record, and there were
 * ids.
 */
bool id_recovery_is_whole(const struct id_recovery *run, uint32_t type);

/* Gives the events the ids that are theirs beyond doubt; 0 or -SONDE_NOMEM. */
int id_recovery_share(const struct id_recovery *run, struct evlist *s);

void id_recovery_free(struct id_recovery *run);

#endif
