/* SPDX-License-Identifier: MIT */
#include "order/read_samples.h"

#define FORMAT_LOST (1u << 4)        /* PERF_FORMAT_LOST, which older headers lack */

bool read_samples_expected(const struct reader *r)
{
	for (size_t i = 0; i < r->evsels.n; i++)
		if (reads_counts(r->evsels.at[i]))
			return true;
	return r->nr_bytes == SONDE_NONE;
}

/* How many samples may be made of a record: each repeats what it has beside the counts. */
static uint64_t samples_within(const struct sonde_event *ev, const struct read_counts *r)
{
	uint64_t value = 1 + !!(r->read_format & PERF_FORMAT_ID) + !!(r->read_format & FORMAT_LOST);
	uint64_t counts = r->nr * value * sizeof(uint64_t);
	uint64_t others = counts < ev->raw_size ? ev->raw_size - counts : 0;

	return READ_SAMPLES_BYTES / (others ? others : 1);
}

bool read_samples_take(struct read_samples *s, const struct sonde_event *ev)
{
	struct sample sample;

	if (ev->kind != SONDE_KIND_SAMPLE || !reads_counts(ev->evsel))
		return false;
	if (event_sample(ev, &sample) == -SONDE_USAGE || !(sample.present & PERF_SAMPLE_READ))
		return false;
	s->sample = *event_of(ev);
	s->counts = sample.read;
	s->at = 0;
	s->left = samples_within(ev, &s->counts);
	return true;
}

/* Ids of events can arrive while a trace is read. 0 or -SONDE_NOMEM. */
static int map_ids(struct read_samples *s, const struct reader *r)
{
	if (s->nr_ids == r->nr_ids && s->nr_ids)
		return 0;
	for (size_t i = 0; i < r->evsels.n; i++)
		for (size_t k = 0; k < r->evsels.at[i]->nr_ids; k++)
			if (u64map_set(&s->evsel_of_id, r->evsels.at[i]->ids[k], (uint32_t)i) < 0)
				return -SONDE_NOMEM;
	s->nr_ids = r->nr_ids;
	return 0;
}

/* The event of a count. A single count without an id is that of the sample. NULL: none is known. */
static const struct sonde_evsel *evsel_of(const struct read_samples *s, uint64_t id)
{
	uint32_t i = u64map_get(&s->evsel_of_id, id);

	if (i != U64MAP_NONE)
		return s->sample.reader->evsels.at[i];
	return s->counts.nr == 1 ? s->sample.pub.evsel : NULL;
}

/* Makes the sample of a count: 1, 0 if the count has not grown or is of no event, -SONDE_NOMEM. */
static int sample_of(struct read_samples *s, const struct sonde_read_value *count, struct loaded_event *out)
{
	uint64_t id = count->id == SONDE_NONE ? s->sample.pub.id : count->id, growth;
	const struct sonde_evsel *evsel = evsel_of(s, id);

	if (count_growth_take(&s->growth, evsel, s->sample.pub.tid, id, count->value, &growth) < 0)
		return -SONDE_NOMEM;
	s->unknown += !evsel && growth;
	if (!evsel || !growth)
		return 0;
	if (s->left == 0) {
		s->crowded++;
		return 0;
	}
	s->left--;
	*out = s->sample;
	out->read_by = s->sample.pub.evsel;
	out->pub.evsel = evsel;
	out->pub.id = id;
	out->pub.period = growth;
	return 1;
}

int read_samples_next(struct read_samples *s, struct loaded_event *out)
{
	int r = 0;

	if (s->at < s->counts.nr && map_ids(s, s->sample.reader) < 0)
		return -SONDE_NOMEM;
	while (s->at < s->counts.nr && r == 0) {
		struct sonde_read_value count = read_value_at(&s->counts, s->at++);

		r = sample_of(s, &count, out);
	}
	return r;
}

void read_samples_free(struct read_samples *s)
{
	count_growth_free(&s->growth);
	u64map_free(&s->evsel_of_id);
}
