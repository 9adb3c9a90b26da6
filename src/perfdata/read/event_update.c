/* SPDX-License-Identifier: MIT */
#include "perfdata/read/event_update.h"

#include "perfdata/format/cpu_map.h"

static int take_cpus(struct arena *arena, struct cursor *c, struct sonde_evsel *source)
{
	const struct sonde_cpu_range *ranges = NULL, **list;
	size_t nr = 0;
	int r = cpu_map_decode(c, arena, &ranges, &nr);

	if (r < 0 || !ranges)
		return r;
	list = arena_alloc(arena, nr * sizeof(*list));
	if (!list)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < nr; i++)
		list[i] = &ranges[i];
	source->cpus = list;
	source->nr_cpus = nr;
	return 0;
}

static int take(struct perfdata *f, struct cursor *c)
{
	uint64_t type = cur_u64(c), id = cur_u64(c), bits;
	struct evsel *s = evlist_by_id(&f->evlist, id);
	struct sonde_str text;

	if (!s && f->base.evsels.n == 1)  /* the only event needs no id */
		s = evlist_at(&f->evlist, 0);
	if (!cur_ok(c) || !s)
		return 0;
	if (type == EVENT_UPDATE_CPUS)
		return take_cpus(&f->base.arena, c, &s->pub);
	if (type == EVENT_UPDATE_SCALE) {
		bits = cur_u64(c);
		if (cur_ok(c))
			memcpy(&s->pub.scale, &bits, sizeof(s->pub.scale));
		return 0;
	}
	text = cur_str(c, cur_left(c));
	if (type == EVENT_UPDATE_NAME && text.len)
		return evlist_set_name(&f->evlist, s, text.p, text.len);
	if (type == EVENT_UPDATE_UNIT) {
		s->pub.unit = arena_strndup(&f->base.arena, text.p, text.len);
		return s->pub.unit ? 0 : -SONDE_NOMEM;
	}
	return 0;
}

int perfdata_note_event_update(struct perfdata *f, const uint8_t *p, uint64_t file_offset, struct sonde_error *err)
{
	struct record_header h = record_header(p, f->header.swap);
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	struct cursor c = cur_new(p + RECORD_HEADER_BYTES, h.size - (size_t)RECORD_HEADER_BYTES,
				  file_offset + RECORD_HEADER_BYTES, f->header.swap, &failure);
	int r = take(f, &c);

	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, file_offset, SONDE_NONE, -1,
			   "EVENT_UPDATE records not read: %s", failure.text);
	return 0;
}
