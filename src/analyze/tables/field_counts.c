/* SPDX-License-Identifier: MIT */
#include "analyze/tables/field_counts.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

int field_counts_init(struct field_counts *f, bool on)
{
	static const char *const all[] = { "trace_fields" };

	f->on = on;
	return trace_fields_init(&f->fields, all, on, false);
}

void field_counts_free(struct field_counts *f)
{
	trace_fields_free(&f->fields);
	u64map_free(&f->counts);
	vec_free(&f->counted);
	vec_free(&f->by_event);
}

static bool is_full(const struct field_counts *f, uint32_t event)
{
	return f->counted.at[event] >= FIELD_COUNTS_MOST || f->counts.entries.n >= FIELD_COUNTS_VALUES ||
	       f->fields.texts.text.bytes >= FIELD_COUNTS_TEXT;
}

static uint64_t key_of(uint32_t event, uint32_t values)
{
	return (uint64_t)event << 32 | values;
}

int field_counts_take(struct field_counts *f, const struct sonde_event *ev, uint32_t event,
		      const struct tracefmt *formats)
{
	const struct sonde_attr *attr = ev->evsel->attr;
	const struct tracefmt_event *format;
	struct sample sample;
	uint32_t values, count;

	/* what a group reads of another member has none of its fields */
	if (!f->on || !formats || !attr || attr->type != PERF_TYPE_TRACEPOINT || event_layout(ev) != ev->evsel)
		return 0;
	while (f->counted.n <= event)
		if (vec_push(&f->counted, 0) < 0)
			return -SONDE_NOMEM;
	format = tracefmt_event(formats, attr->config);
	if (!format || is_full(f, event) || event_sample(ev, &sample) == -SONDE_USAGE)
		return 0;
	values = trace_fields_number(&f->fields, event, format, sample.raw);
	if (!values)
		return -SONDE_NOMEM;
	f->counted.at[event]++;
	count = u64map_get(&f->counts, key_of(event, values));
	return u64map_set(&f->counts, key_of(event, values), count == U64MAP_NONE ? 1 : count + 1);
}

uint32_t field_counts_counted(const struct field_counts *f, uint32_t event)
{
	return event < f->counted.n ? f->counted.at[event] : 0;
}

const struct trace_columns *field_counts_columns(const struct field_counts *f, uint32_t event)
{
	return trace_fields_columns(&f->fields, event);
}

static int compare_keys(const void *va, const void *vb)
{
	const struct u64map_entry *a = va, *b = vb;

	return a->key < b->key ? -1 : a->key > b->key;
}

int field_counts_settle(struct field_counts *f)
{
	f->by_event.n = 0;
	for (size_t i = 0; i < f->counts.entries.n; i++)
		if (vec_push(&f->by_event, f->counts.entries.at[i]) < 0)
			return -SONDE_NOMEM;
	if (f->by_event.n)
		qsort(f->by_event.at, f->by_event.n, sizeof(*f->by_event.at), compare_keys);
	return 0;
}

static int compare_texts(const void *va, const void *vb)
{
	const struct field_value *a = va, *b = vb;

	return strcmp(a->text, b->text);
}

static int compare_counts(const void *va, const void *vb)
{
	const struct field_value *a = va, *b = vb;

	return a->count != b->count ? (a->count < b->count ? 1 : -1) : strcmp(a->text, b->text);
}

/* The first entry of an event or one after it. */
static size_t first_of(const struct field_counts *f, uint32_t event)
{
	size_t low = 0, high = f->by_event.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->by_event.at[middle].key >> 32 < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Sums up the counts of equal texts. */
static void merge_equal(struct field_values *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->list.n; i++) {
		if (kept && strcmp(v->list.at[kept - 1].text, v->list.at[i].text) == 0)
			v->list.at[kept - 1].count += v->list.at[i].count;
		else
			v->list.at[kept++] = v->list.at[i];
	}
	v->list.n = kept;
}

int field_counts_list(const struct field_counts *f, uint32_t event, size_t column, struct field_values *v)
{
	v->list.n = 0;
	for (size_t i = first_of(f, event); i < f->by_event.n && f->by_event.at[i].key >> 32 == event; i++) {
		const struct u64map_entry *entry = &f->by_event.at[i];
		const char *text = trace_fields_value(&f->fields, (uint32_t)entry->key, column);

		if (text && vec_push(&v->list, ((struct field_value){ text, entry->value })) < 0)
			return -SONDE_NOMEM;
	}
	if (!v->list.n)
		return 0;
	qsort(v->list.at, v->list.n, sizeof(*v->list.at), compare_texts);
	merge_equal(v);
	qsort(v->list.at, v->list.n, sizeof(*v->list.at), compare_counts);
	return 0;
}
