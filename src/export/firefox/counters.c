/* SPDX-License-Identifier: MIT */
#include "export/firefox/counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_COUNT UINT32_MAX

struct counter {
	uint32_t event;              /* in the texts of tracks */
	int32_t pid;
	uint32_t main_thread;
	uint32_t first;              /* its first count, or NO_COUNT */
	size_t n;
};

struct firefox_counters {
	struct json *j;
	const struct tracks *tracks;
	uint64_t zero;
	VEC(struct counter) list;
	uint32_t *next;              /* by count: the next one of its counter */
};

/* The number of the counter, in @known; U64MAP_NONE when out of memory. */
static uint32_t counter_of(struct firefox_counters *c, struct u64map *known, struct counter wanted)
{
	uint64_t key = (uint64_t)wanted.event << 32 | (uint32_t)wanted.pid;
	uint32_t i = u64map_get(known, key);

	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)c->list.n;
	return vec_push(&c->list, wanted) < 0 || u64map_set(known, key, i) < 0 ? U64MAP_NONE : i;
}

/* Backwards, so that each list is in the order of time. */
static int gather(struct firefox_counters *c, const struct u64map *main_of)
{
	const struct track_counts *counts = &c->tracks->counts;
	struct u64map known = { 0 };
	int r = 0;

	for (uint32_t i = (uint32_t)counts->list.n; i-- > 0 && r == 0;) {
		const struct track_count *count = &counts->list.at[i];
		int32_t pid = count->thread == UINT32_MAX ? -1 : c->tracks->sched.states.tasks.at[count->thread].pid;
		uint32_t main_thread = u64map_get(main_of, (uint32_t)pid), number;

		if (pid < 0 || main_thread == U64MAP_NONE || count->time == SONDE_NONE || count->time < c->zero)
			continue;
		number = counter_of(c, &known, (struct counter){ count->event, pid, main_thread, NO_COUNT, 0 });
		if (number == U64MAP_NONE) {
			r = -SONDE_NOMEM;
			break;
		}
		c->next[i] = c->list.at[number].first;
		c->list.at[number].first = i;
		c->list.at[number].n++;
	}
	u64map_free(&known);
	return r;
}

static void put_samples(struct firefox_counters *c, const struct counter *counter)
{
	const struct track_count *counts = c->tracks->counts.list.at;

	json_key(c->j, "samples");
	json_object(c->j);
	json_key(c->j, "time");
	json_array(c->j);
	for (uint32_t i = counter->first; i != NO_COUNT; i = c->next[i])
		json_millis(c->j, counts[i].time - c->zero);
	json_end(c->j);
	json_key(c->j, "count");
	json_array(c->j);
	for (uint32_t i = counter->first; i != NO_COUNT; i = c->next[i])
		json_u64(c->j, counts[i].growth);
	json_end(c->j);
	json_member_u64(c->j, "length", counter->n);
	json_end(c->j);
}

static void put_display(struct json *j, const char *name)
{
	json_key(j, "display");
	json_object(j);
	json_member_text(j, "graphType", "line-rate");
	json_member_text(j, "unit", "");
	json_member_text(j, "color", "teal");
	json_key(j, "markerSchemaLocation");
	json_null(j);
	json_member_u64(j, "sortWeight", 0);
	json_member_text(j, "label", name);
	json_key(j, "tooltipRows");
	json_array(j);
	json_object(j);
	json_member_text(j, "type", "value");
	json_member_text(j, "source", "count");
	json_key(j, "format");
	json_object(j);
	json_member_text(j, "unit", "");
	json_end(j);
	json_member_text(j, "label", name);
	json_end(j);
	json_end(j);
	json_end(j);
}

static void put_counter(struct firefox_counters *c, const struct counter *counter)
{
	const char *name = strpool_get(&c->tracks->texts, counter->event);
	char pid[16];

	snprintf(pid, sizeof(pid), "%" PRId32, counter->pid);
	json_object(c->j);
	json_member_text(c->j, "name", name);
	json_member_text(c->j, "category", "Counts");
	json_member_text(c->j, "description", "events since the sample before");
	json_member_text(c->j, "pid", pid);
	json_member_u64(c->j, "mainThreadIndex", counter->main_thread);
	put_samples(c, counter);
	put_display(c->j, name);
	json_end(c->j);
}

int firefox_counters_put(struct json *j, const struct tracks *tracks, const struct u64map *main_of, uint64_t zero)
{
	struct firefox_counters c = { .j = j, .tracks = tracks, .zero = zero };
	int r = 0;

	c.next = malloc((tracks->counts.list.n + 1) * sizeof(*c.next));
	if (!c.next)
		return -SONDE_NOMEM;
	r = gather(&c, main_of);
	if (r == 0 && c.list.n) {
		json_key(j, "counters");
		json_array(j);
		for (size_t i = 0; i < c.list.n; i++)
			put_counter(&c, &c.list.at[i]);
		json_end(j);
	}
	vec_free(&c.list);
	free(c.next);
	return r;
}
