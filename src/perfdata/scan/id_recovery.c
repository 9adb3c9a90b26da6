/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/id_recovery.h"

#include "perfdata/format/record.h"

static int take_index(struct id_recovery *run, const uint8_t *p, size_t size, bool swap)
{
	uint64_t nr = load_u64(p + 8, swap), room = (size - ID_INDEX_AT) / ID_INDEX_ENTRY_BYTES;

	for (uint64_t i = 0; i < nr && i < room; i++) {
		const uint8_t *entry = p + ID_INDEX_AT + ID_INDEX_ENTRY_BYTES * i;
		uint64_t id = load_u64(entry, swap), idx = load_u64(entry + 8, swap);

		if ((run->ids.n == 0 || idx <= run->last_idx) && vec_push(&run->starts, run->ids.n) < 0)
			return -SONDE_NOMEM;
		if (vec_push(&run->ids, id) < 0)
			return -SONDE_NOMEM;
		run->last_idx = idx;
	}
	return 0;
}

/* Several updates of one event follow each other. */
static int take_update(struct id_recovery *run, uint64_t id)
{
	if (run->firsts.n && run->firsts.at[run->firsts.n - 1] == id)
		return 0;
	return vec_push(&run->firsts, id);
}

int id_recovery_take(struct id_recovery *run, const uint8_t *p, uint32_t type, size_t size, bool swap)
{
	if (type == RECORD_ID_INDEX && size >= ID_INDEX_AT)
		return take_index(run, p, size, swap);
	if (type == RECORD_EVENT_UPDATE && size >= 24)
		return take_update(run, load_u64(p + 16, swap));
	return 0;
}

bool id_recovery_is_whole(const struct id_recovery *run, uint32_t type)
{
	return type == RECORD_FINISHED_ROUND && (run->ids.n || run->firsts.n);
}

/* Events begin at the ids that updates name, if all of these are there in the same order. */
static bool start_at_firsts(const struct id_recovery *run, size_t *starts)
{
	size_t nr = 0;

	for (size_t i = 0; i < run->ids.n && nr < run->firsts.n; i++)
		if (run->ids.at[i] == run->firsts.at[nr])
			starts[nr++] = i;
	return nr == run->firsts.n && starts[0] == 0;
}

/* Where each of @nr events begins among the ids; false if nothing tells. */
static bool find_starts(const struct id_recovery *run, size_t nr, size_t *starts)
{
	if (run->ids.n == 0)
		return false;
	if (run->starts.n == nr) {
		memcpy(starts, run->starts.at, nr * sizeof(*starts));
		return true;
	}
	if (run->firsts.n == nr && run->starts.n > nr && start_at_firsts(run, starts))
		return true;
	for (size_t i = 0; i < nr; i++)
		starts[i] = i * (run->ids.n / nr);
	return run->ids.n % nr == 0;
}

/* Gives event after event its ids; or only tells whether each id that is known would go to the event that has it. */
static int share(const struct id_recovery *run, struct evlist *s, const size_t *starts, bool give)
{
	size_t nr = s->reader->evsels.n, event = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->ids.n; i++) {
		const struct evsel *owner = evlist_by_id(s, run->ids.at[i]);

		while (event + 1 < nr && i >= starts[event + 1])
			event++;
		if (give)
			r = owner ? 0 : evlist_add_id(s, evlist_at(s, event), run->ids.at[i]);
		else
			r = owner && owner->pub.index != event;
	}
	return r;
}

/* Gives the ids that belong to nobody to the only event that has none. */
static int give_rest(const struct id_recovery *run, struct evlist *s)
{
	struct evsel *without = NULL;
	int r = 0;

	for (size_t i = 0; i < s->reader->evsels.n; i++) {
		if (evlist_at(s, i)->ids.n)
			continue;
		if (without)
			return 0;
		without = evlist_at(s, i);
	}
	for (size_t i = 0; without && r == 0 && i < run->ids.n; i++)
		if (!evlist_by_id(s, run->ids.at[i]))
			r = evlist_add_id(s, without, run->ids.at[i]);
	return r;
}

/* Better one id than none. */
static int give_firsts(const struct id_recovery *run, struct evlist *s)
{
	size_t nr = s->reader->evsels.n;
	int r = 0;

	for (size_t i = 0; i < nr && run->firsts.n == nr; i++)
		if (evlist_at(s, i)->ids.n)
			return 0;
	for (size_t i = 0; r == 0 && i < nr && run->firsts.n == nr; i++)
		r = evlist_add_id(s, evlist_at(s, i), run->firsts.at[i]);
	return r;
}

int id_recovery_share(const struct id_recovery *run, struct evlist *s)
{
	size_t nr = s->reader->evsels.n, *starts;
	int r;

	if (nr == 0)
		return 0;
	if (run->ids.n == 0)
		return give_firsts(run, s);
	starts = calloc(nr, sizeof(*starts));
	if (!starts)
		return -SONDE_NOMEM;
	if (find_starts(run, nr, starts) && share(run, s, starts, false) == 0)
		r = share(run, s, starts, true);
	else
		r = give_rest(run, s);
	free(starts);
	return r;
}

void id_recovery_free(struct id_recovery *run)
{
	vec_free(&run->ids);
	vec_free(&run->starts);
	vec_free(&run->firsts);
}
