/* SPDX-License-Identifier: MIT */
#include "perfdata/format/evlist.h"

#include <linux/perf_event.h>
#include <string.h>

#include "perfdata/format/event_name.h"
#include "perfdata/format/record.h"

/* Where events of this layout have their id: IDENTIFIER is at a fixed place, ID not quite. */
static void add_place(struct evlist *s, const struct sample_layout *l)
{
	uint8_t sample = l->sample[AT_IDENTIFIER] ? l->sample[AT_IDENTIFIER] : l->sample[AT_ID];
	uint8_t trailer = l->trailer[AT_IDENTIFIER] ? l->trailer[AT_IDENTIFIER] : l->trailer[AT_ID];

	if (!sample)
		return;
	for (size_t i = 0; i < s->nr_places; i++)
		if (s->places[i].sample == sample && s->places[i].trailer == trailer)
			return;
	if (s->nr_places < MAX_ID_PLACES) {
		s->places[s->nr_places].sample = sample;
		s->places[s->nr_places].trailer = trailer;
		s->nr_places++;
	}
}

struct evsel *evlist_add(struct evlist *s, const struct sonde_attr *attr)
{
	struct reader *r = s->reader;
	struct evsel *source = arena_alloc(&r->arena, sizeof(*source));
	char name[EVENT_NAME_BYTES];

	if (!source || r->evsels.n >= U64MAP_NONE)
		return NULL;
	source->attr = *attr;
	source->layout = sample_layout_compile(attr);
	source->pub.index = (uint32_t)r->evsels.n;
	source->pub.leader = source->pub.index;
	source->pub.attr = &source->attr;
	source->pub.scale = 1.0;
	event_name_of_attr(attr, name);
	source->pub.name = arena_strndup(&r->arena, name, strlen(name));
	if (!source->pub.name || vec_push(&r->evsels, &source->pub) < 0)
		return NULL;
	add_place(s, &source->layout);
	s->nr_without_ids++;
	s->hint = (struct evsel_hint){ 0 };
	return source;
}

int evlist_add_id(struct evlist *s, struct evsel *source, uint64_t id)
{
	if (u64map_get(&s->by_id, id) == source->pub.index || (id == 0 && source->has_zero_id))
		return 0;
	source->has_zero_id |= id == 0;
	if (vec_push(&source->ids, id) < 0)
		return -SONDE_NOMEM;
	s->nr_without_ids -= source->ids.n == 1;
	source->pub.ids = source->ids.at;
	source->pub.nr_ids = source->ids.n;
	s->reader->nr_ids++;
	s->hint = (struct evsel_hint){ 0 };
	if (u64map_get(&s->by_id, id) != U64MAP_NONE)  /* ids that collide: the first event keeps it */
		return 0;
	return u64map_set(&s->by_id, id, source->pub.index);
}

int evlist_set_name(struct evlist *s, struct evsel *source, const char *name, size_t len)
{
	char *copy = arena_strndup(&s->reader->arena, name, strnlen(name, len));

	if (!copy)
		return -SONDE_NOMEM;
	source->pub.name = copy;
	source->named = true;
	return 0;
}

/* The machines of all ids stand after the ids, where any of them is a guest. */
int evlist_note_machines(struct evlist *s, const uint8_t *p, size_t size, bool swap)
{
	uint64_t nr = size >= ID_INDEX_AT ? load_u64(p + 8, swap) : 0;

	if (nr > (size - ID_INDEX_AT) / (ID_INDEX_ENTRY_BYTES + ID_INDEX_MACHINE_BYTES))
		return 0;
	for (uint64_t i = 0; i < nr; i++) {
		const uint8_t *entry = p + ID_INDEX_AT + ID_INDEX_ENTRY_BYTES * i;
		const uint8_t *machine = p + ID_INDEX_AT + ID_INDEX_ENTRY_BYTES * nr + ID_INDEX_MACHINE_BYTES * i;
		struct id_machine m = { (int32_t)load_u64(machine, swap), (int32_t)load_u64(machine + 8, swap) };

		if (m.pid == 0 && u64map_get(&s->machine_of_id, load_u64(entry, swap)) == U64MAP_NONE)
			continue;
		if (s->machines.n >= U64MAP_NONE || vec_push(&s->machines, m) < 0 ||
		    u64map_set(&s->machine_of_id, load_u64(entry, swap), (uint32_t)(s->machines.n - 1)) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

struct evsel *evlist_by_id(const struct evlist *s, uint64_t id)
{
	uint32_t index = u64map_get(&s->by_id, id);

	return index == U64MAP_NONE ? NULL : evlist_at(s, index);
}

static uint64_t id_at(const uint8_t *p, size_t size, size_t place, bool from_end, bool swap)
{
	/* between the header and the end, whichever side it is counted from */
	if (place == 0 || size < RECORD_HEADER_BYTES + 8 || place > size - 8)
		return SONDE_NONE;
	return load_u64(from_end ? p + size - place : p + place, swap);
}

struct evsel *evlist_look_up(const struct evlist *s, const uint8_t *p, size_t size, bool is_sample, bool swap,
			     uint64_t *id, struct evsel_hint *hint)
{
	struct evsel *found;
	size_t at;

	*id = SONDE_NONE;
	if (s->reader->evsels.n == 0)
		return NULL;
	if (s->reader->evsels.n == 1 || s->nr_places == 0) {
		if (s->nr_places)
			*id = id_at(p, size, is_sample ? s->places[0].sample : s->places[0].trailer, !is_sample, swap);
		return evlist_at(s, 0);
	}
	for (size_t i = 0; i < s->nr_places; i++) {
		*id = id_at(p, size, is_sample ? s->places[i].sample : s->places[i].trailer, !is_sample, swap);
		at = *id % EVSEL_HINTS;
		if (hint->of[at].found && *id == hint->of[at].id)
			return hint->of[at].found;
		if (*id == 0 || (*id == SONDE_NONE && !is_sample))  /* synthesized, or without a trailer */
			return evlist_at(s, 0);
		found = evlist_by_id(s, *id);
		if (found) {
			hint->of[at].found = found;
			hint->of[at].id = *id;
			return found;
		}
	}
	return NULL;
}

/* The recorder's name of an event without a description. NULL: there is none, or perf has its own word. */
static const char *recorded_name(const struct sonde_attr *attr, const struct meta *meta)
{
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_HW_CACHE)
		return NULL;
	for (size_t i = 0; i < meta->nr_event_types; i++)
		if (meta->event_types[i].type == attr->type && meta->event_types[i].config == attr->config)
			return meta->event_types[i].name;
	return NULL;
}

static int name_by_type(struct evlist *s, const struct meta *meta)
{
	for (size_t i = 0; meta->nr_event_types && i < s->reader->evsels.n; i++) {
		struct evsel *source = evlist_at(s, i);
		const char *name = source->named ? NULL : recorded_name(&source->attr, meta);

		if (name && evlist_set_name(s, source, name, strlen(name)) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

int evlist_describe(struct evlist *s, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_event_descs; i++) {
		const struct event_desc *d = &meta->event_descs[i];
		struct evsel *source = d->nr_ids ? evlist_by_id(s, d->ids[0]) : NULL;

		if (!source && i < s->reader->evsels.n)
			source = evlist_at(s, i);
		if (!source)
			continue;
		for (size_t k = 0, none = source->ids.n == 0; none && k < d->nr_ids; k++)
			if (evlist_add_id(s, source, d->ids[k]) < 0)
				return -SONDE_NOMEM;
		if (!source->named && d->name[0] && evlist_set_name(s, source, d->name, strlen(d->name)) < 0)
			return -SONDE_NOMEM;
	}
	return name_by_type(s, meta);
}

void evlist_free(struct evlist *s)
{
	for (size_t i = 0; i < s->reader->evsels.n; i++)
		vec_free(&evlist_at(s, i)->ids);
	vec_free(&s->reader->evsels);
	u64map_free(&s->by_id);
	vec_free(&s->machines);
	u64map_free(&s->machine_of_id);
}
