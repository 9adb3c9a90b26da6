/* SPDX-License-Identifier: MIT */
/* recorded.h - the counts of a recording, round after round */
#ifndef STAT_RECORDED_H
#define STAT_RECORDED_H

#include "base/u64map.h"
#include "model/reader.h"
#include "stat/table.h"

/* One cell of an event, with the counts of its last record. */
struct recorded_cell {
	size_t row, key;
	uint64_t id;
	int32_t cpu, thread;
	struct sonde_counter_value now, before;
};

struct stat_recorded {
	struct stat_table *table;
	const struct reader *reader;
	enum sonde_stat_by wanted;   /* SONDE_STAT_BY_EVENT: as it was recorded */
	struct u64map ids;           /* the index of the event that an id belongs to */
	size_t nr_known;             /* events whose ids are in the map */
	struct u64map rows;          /* of events, by their index */
	VEC(struct recorded_cell) cells;
	struct hash_index places;    /* of cells, by id, CPU and thread */
	VEC(int32_t) tids;           /* of the thread map */
	uint64_t mode, interval, time, last_round;
	bool has_level, any;
	const char *note;            /* what the reader of the table must know; NULL: nothing */
};

/* @t: empty; takes what is in the recording */
void stat_recorded_begin(struct stat_recorded *r, struct stat_table *t, const struct reader *reader,
			 enum sonde_stat_by wanted);

/* Takes an event: 1 if it ends a round, which is in the table until the next event, else 0 or a negative code. */
int stat_recorded_take(struct stat_recorded *r, const struct sonde_event *ev, struct sonde_error *err);

void stat_recorded_free(struct stat_recorded *r);

#endif
