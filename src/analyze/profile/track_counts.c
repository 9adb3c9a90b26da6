/* SPDX-License-Identifier: MIT */
#include "analyze/profile/track_counts.h"

#include <linux/perf_event.h>
#include <string.h>

#include "model/reader.h"

bool track_counts_expect(const struct sonde_evsel *evsel)
{
	return evsel->attr && evsel->attr->sample_type & PERF_SAMPLE_READ &&
	       evsel->attr->read_format & PERF_FORMAT_GROUP;
}

/* Ids of events can arrive while a trace is read. */
static int map_ids(struct track_counts *c, const struct reader *reader)
{
	if (c->nr_ids == reader->nr_ids && c->evsel_of_id.entries.n)
		return 0;
	for (size_t i = 0; i < reader->evsels.n; i++)
		for (size_t k = 0; k < reader->evsels.at[i]->nr_ids; k++)
			if (u64map_set(&c->evsel_of_id, reader->evsels.at[i]->ids[k], (uint32_t)i) < 0)
				return -SONDE_NOMEM;
	c->nr_ids = reader->nr_ids;
	return 0;
}

static int take_one(struct track_counts *c, const struct sonde_event *ev, const struct sonde_evsel *evsel,
		    struct track_count count, const struct sonde_read_value *v, struct strpool *texts)
{
	if (count_growth_take(&c->growth, evsel, ev->tid, v->id, v->value, &count.growth) < 0)
		return -SONDE_NOMEM;
	if (count.growth == 0 || count.growth > INT64_MAX)  /* a count that shrinks is damaged */
		return 0;
	if (c->nr++ >= TRACK_COUNTS_MOST)
		return 0;
	count.event = strpool_add(texts, evsel->name, strlen(evsel->name));
	return count.event == UINT32_MAX ? -SONDE_NOMEM : vec_push(&c->list, count);
}

int track_counts_take(struct track_counts *c, const struct sonde_event *ev, const struct read_counts *read,
		      uint32_t thread, struct strpool *texts)
{
	const struct reader *reader = event_of(ev)->reader;
	const struct track_count count = { .time = ev->time, .thread = thread, .cpu = ev->cpu };

	if (map_ids(c, reader) < 0)
		return -SONDE_NOMEM;
	for (uint64_t i = 0; i < read->nr; i++) {
		const struct sonde_read_value v = read_value_at(read, i);
		const uint32_t index = v.id == SONDE_NONE ? U64MAP_NONE : u64map_get(&c->evsel_of_id, v.id);

		if (index == U64MAP_NONE || reader->evsels.at[index] == ev->evsel)
			continue;
		if (take_one(c, ev, reader->evsels.at[index], count, &v, texts) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

void track_counts_end_trace(struct track_counts *c)
{
	count_growth_free(&c->growth);
	u64map_free(&c->evsel_of_id);
	c->evsel_of_id = (struct u64map){ 0 };
	c->nr_ids = 0;
}

void track_counts_free(struct track_counts *c)
{
	track_counts_end_trace(c);
	vec_free(&c->list);
}
