/* SPDX-License-Identifier: MIT */
/* counter.h - events, their cells, and the command that is counted. */
#ifndef RECORD_COUNT_COUNTER_H
#define RECORD_COUNT_COUNTER_H

#include <sonde/counter.h>

#include "record/count/system_calls.h"
#include "record/event/event.h"
#include "record/event/target.h"
#include "record/event/vendor_events.h"
#include "record/host/child.h"

#define FORMAT_LOST (UINT64_C(1) << 4)  /* of read_format, in headers since Linux 6.0 */

struct count_cell {
	struct sonde_counter_value value;
	struct sonde_counter_value base;  /* counts and times of the last reset */
	void *map;                   /* the page, and a ring after it if there are rings; NULL: not mapped */
	size_t map_bytes;
};

struct counted {
	struct sonde_counter_event event;
	struct sonde_counter_value sum;
	struct count_cell *cells;
	size_t nr_cells;
	int cgroup;                  /* fd of the directory; -1: none */
	char refusal[256];
};

struct sonde_counter {
	const struct system_calls *calls;
	struct sonde_counter_opts opts;
	struct sonde_error err;
	struct event_roots roots;
	struct events events;
	struct vendor_events vendor;
	VEC(struct counted) counted; /* one for each of events */
	size_t first_of_last_add;
	bool opened;

	struct target target;
	struct child child;
	struct sonde_counter_command command;
	const char *command_name;
};

struct sonde_counter *counter_new(const struct system_calls *calls);
void counter_release(struct sonde_counter *c);

/* Closes what is open; the events stay. */
void counter_close(struct sonde_counter *c);

/* Gives each event that was added its struct counted. */
int counter_take_events(struct sonde_counter *c);

/* Unmaps and closes the cells of an event, which then has none. */
void counter_close_event(struct counted *e);

/* -SONDE_USAGE unless the counter is open and has that event. */
int counter_check_event(struct sonde_counter *c, size_t event);

#endif
