/* SPDX-License-Identifier: MIT */
/* recovered_ids.h - ids out of records, for several events that have none */
#ifndef PERFDATA_READ_RECOVERED_IDS_H
#define PERFDATA_READ_RECOVERED_IDS_H

#include "perfdata/read/perfdata.h"

/*
 * Whether records cannot be told apart because events have no ids, and may be some day. perfdata_note_ids() takes what
 * a record tells of them: 1 if the record can wait for its event until they are known, 0, or negative.
 * perfdata_settle_ids() gives the events what has been learnt: 1 if there was something.
 */
static inline bool perfdata_lacks_ids(const struct perfdata *f)
{
	return f->evlist.nr_without_ids && !f->recovered_ids.settled && f->base.evsels.n > 1 && f->evlist.nr_places;
}
int perfdata_note_ids(struct perfdata *f, const uint8_t *p, const struct record_header *h, struct sonde_error *err);
int perfdata_settle_ids(struct perfdata *f, struct sonde_error *err);

#endif
