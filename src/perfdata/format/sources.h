/* SPDX-License-Identifier: MIT */
/* sources.h - the events (attrs) of a perf.data and the way from a record to its event. */
#ifndef PERFDATA_FORMAT_SOURCES_H
#define PERFDATA_FORMAT_SOURCES_H

#include "base/arena.h"
#include "base/u64map.h"
#include "model/reader.h"
#include "perfdata/format/sample.h"

/* One event; its address does not change while the reader lives. */
struct perf_source {
	struct sonde_source pub;     /* what the API shows; first, so that a pointer to it is a pointer to this */
	struct sonde_attr attr;
	struct sample_layout layout;
	bool named;                  /* by the file, not derived from the attr */
	bool has_zero_id;            /* no id at all, but kept: once, however many there are */
	VEC(uint64_t) ids;
};

/* Ways to find the id in a record: events of one file may disagree where it lies. */
#define MAX_ID_PLACES 8

/* Whose an id is, if it is a virtual machine's. */
struct id_machine {
	int32_t pid, vcpu;
};

/* What the last look-up found: neighbours are mostly of one event. */
struct source_hint {
	struct perf_source *found;
	uint64_t id;
};

struct sources {
	struct reader *reader;       /* whose `sources` is the list */
	struct u64map by_id;
	struct {
		uint8_t sample, trailer; /* as in struct sample_layout; 0: no id there */
	} places[MAX_ID_PLACES];
	size_t nr_places;
	size_t nr_without_ids;
	VEC(struct id_machine) machines;
	struct u64map machine_of_id; /* index in machines */
	struct source_hint hint;     /* of whoever changes the sources */
};

/**
 * sources_add - an event in the order of the file
 * Returns it, or NULL when out of memory. Ids are added apart because they may come later.
 */
struct perf_source *sources_add(struct sources *s, const struct sonde_attr *attr);
int sources_add_id(struct sources *s, struct perf_source *source, uint64_t id);
int sources_set_name(struct sources *s, struct perf_source *source, const char *name, size_t len);

/* Names, and ids where there are none, that EVENT_DESC gives; -SONDE_NOMEM. */
int sources_describe(struct sources *s, const struct sonde_meta *meta);

/* Notes whose the ids of an ID_INDEX record are, that lies at @p with @size bytes; -SONDE_NOMEM. */
int sources_note_machines(struct sources *s, const uint8_t *p, size_t size, bool swap);

struct perf_source *sources_by_id(const struct sources *s, uint64_t id);

/**
 * sources_find - the event that the record at @p of @size bytes belongs to; NULL if the file does not describe it
 * @id: set to the id in the record, SONDE_NONE if it has none
 */
struct perf_source *sources_find(struct sources *s, const uint8_t *p, size_t size, bool is_sample, bool swap,
				 uint64_t *id);

/*
 * The same for a thread beside the one that uses the sources, while they stay as they are; @hint is its own, zero at
 * first.
 */
struct perf_source *sources_find_beside(const struct sources *s, const uint8_t *p, size_t size, bool is_sample,
					bool swap, uint64_t *id, struct source_hint *hint);

void sources_free(struct sources *s);

static inline struct perf_source *sources_at(const struct sources *s, size_t index)
{
	return (struct perf_source *)s->reader->sources.at[index];
}

#endif
