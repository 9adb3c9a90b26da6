/* SPDX-License-Identifier: MIT */
/* recovered_ids.c - ids out of records, for several events that have none. */
#include "perfdata/read/recovered_ids.h"

#include "perfdata/read/event_update.h"

int perfdata_settle_ids(struct perfdata *f, struct sonde_error *err)
{
	struct recovered_ids *lost = &f->recovered_ids;
	int r;

	if (!perfdata_lacks_ids(f) || (lost->run.ids.n == 0 && lost->run.firsts.n == 0))
		return 0;
	lost->settled = true;
	worker_settle(f->base.worker);
	r = id_recovery_share(&lost->run, &f->evlist) < 0 ? err_nomem(err) : 0;
	for (size_t i = 0; r == 0 && i < lost->updates.n; i++)
		r = perfdata_note_event_update(f, lost->updates.at[i], SONDE_NONE, err);
	return r < 0 ? r : 1;
}

int perfdata_note_ids(struct perfdata *f, const uint8_t *p, const struct record_header *h, struct sonde_error *err)
{
	struct recovered_ids *lost = &f->recovered_ids;
	const uint8_t *copy;
	int r;

	if (id_recovery_take(&lost->run, p, h->type, h->size, f->header.swap) < 0)
		return err_nomem(err);
	if (id_recovery_is_whole(&lost->run, h->type)) {
		r = perfdata_settle_ids(f, err);
		return r < 0 ? r : 0;
	}
	if (h->type != RECORD_EVENT_UPDATE)
		return 0;
	copy = arena_memdup(&f->base.arena, p, h->size);
	if (!copy || vec_push(&lost->updates, copy) < 0)
		return err_nomem(err);
	return 1;
}
