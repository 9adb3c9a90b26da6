/* SPDX-License-Identifier: MIT */
/* evlist.h - the events (attrs) of a perf.data and the way from a record to its event. */
#ifndef PERFDATA_FORMAT_EVLIST_H
#define PERFDATA_FORMAT_EVLIST_H

#include "base/arena.h"
#include "base/u64map.h"
#include "model/reader.h"
#include "perfdata/format/sample.h"

/* One event; its address does not change while the reader lives. */
struct evsel {
	struct sonde_evsel pub;      /* what the API shows; first, so that a pointer to it is a pointer to this */
	struct sonde_attr attr;
	struct sample_layout layout;
	bool named;                  /* by the file, not derived from the attr */
	bool has_zero_id;            /* no id at all, but kept: once, however many there are */
	VEC(uint64_t) ids;
};

/* Ways to find the id in a record: events of one file may disagree where it lies. */
#define MAX_ID_PLACES 8

/* The virtual machine that an id belongs to. */
struct id_machine {
	int32_t pid, vcpu;
};

/* Results of the last look-ups, by the low bits of the id: a CPU has one id for each event, counted up. */
#define EVSEL_HINTS 16
struct evsel_hint {
	struct {
		struct evsel *found;
		uint64_t id;
	} of[EVSEL_HINTS];
};

struct evlist {
	struct reader *reader;       /* whose `evsels` is the list */
	struct u64map by_id;
	struct {
		uint8_t sample, trailer; /* as in struct sample_layout; 0: no id there */
	} places[MAX_ID_PLACES];
	size_t nr_places;
	size_t nr_without_ids;
	VEC(struct id_machine) machines;
	struct u64map machine_of_id; /* index in machines */
	struct evsel_hint hint;     /* of whoever changes the evlist */
};

/**
 * evlist_add - an event in the order of the file
 * Returns it, or NULL when out of memory. Ids are added apart because they may come later.
 */
struct evsel *evlist_add(struct evlist *s, const struct sonde_attr *attr);
int evlist_add_id(struct evlist *s, struct evsel *source, uint64_t id);
int evlist_set_name(struct evlist *s, struct evsel *source, const char *name, size_t len);

/* Names, and ids where there are none, that EVENT_DESC gives; -SONDE_NOMEM. */
int evlist_describe(struct evlist *s, const struct meta *meta);

/* Notes whose the ids of an ID_INDEX record are, that lies at @p with @size bytes; -SONDE_NOMEM. */
int evlist_note_machines(struct evlist *s, const uint8_t *p, size_t size, bool swap);

struct evsel *evlist_by_id(const struct evlist *s, uint64_t id);

/* evlist_find_beside() where the hint does not help. */
struct evsel *evlist_look_up(const struct evlist *s, const uint8_t *p, size_t size, bool is_sample, bool swap,
			     uint64_t *id, struct evsel_hint *hint);

/*
 * evlist_find() for a thread beside the one that uses the evlist, while they stay as they are; @hint is its own, zero
 * at first.
 */
static inline struct evsel *evlist_find_beside(const struct evlist *s, const uint8_t *p, size_t size, bool is_sample,
					       bool swap, uint64_t *id, struct evsel_hint *hint)
{
	size_t place = is_sample ? s->places[0].sample : 0, at;

	if (place && size >= place + 8) {
		*id = load_u64(p + place, swap);
		at = *id % EVSEL_HINTS;
		if (hint->of[at].found && *id == hint->of[at].id)
			return hint->of[at].found;
	}
	return evlist_look_up(s, p, size, is_sample, swap, id, hint);
}

/**
 * evlist_find - the event that the record at @p of @size bytes belongs to; NULL if the file does not describe it
 * @id: set to the id in the record, SONDE_NONE if it has none
 */
static inline struct evsel *evlist_find(struct evlist *s, const uint8_t *p, size_t size, bool is_sample, bool swap,
					uint64_t *id)
{
	return evlist_find_beside(s, p, size, is_sample, swap, id, &s->hint);
}

void evlist_free(struct evlist *s);

static inline struct evsel *evlist_at(const struct evlist *s, size_t index)
{
	return (struct evsel *)s->reader->evsels.at[index];
}

/* A field of fixed place in the record at @p of @size bytes, which is one of this event; NULL if it is not there. */
static inline const uint8_t *evsel_field(const struct evsel *s, const uint8_t *p, size_t size, bool is_sample,
					 enum fixed_field field)
{
	const uint8_t *places = is_sample ? s->layout.sample : s->layout.trailer;

	if (places[field] == 0 ||
	    size < (is_sample ? s->layout.sample_bytes : RECORD_HEADER_BYTES + (size_t)s->layout.trailer_bytes))
		return NULL;
	return is_sample ? p + places[field] : p + size - places[field];
}

#endif
