/* SPDX-License-Identifier: MIT */
#include "export/page/fields.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static int add_values(struct html_field *to, const struct field_values *values, struct arena *memory)
{
	size_t n = values->list.n < HTML_MOST_VALUES ? values->list.n : HTML_MOST_VALUES;
	struct field_value *shown = arena_alloc(memory, n * sizeof(*shown));

	for (size_t i = 0; shown && i < n; i++) {
		const char *text = values->list.at[i].text;

		shown[i] = (struct field_value){ arena_strndup(memory, text, strnlen(text, HTML_VALUE_TEXT)),
						 values->list.at[i].count };
		if (!shown[i].text)
			return -SONDE_NOMEM;
	}
	*to = (struct html_field){ to->name, shown, n, values->list.n };
	return shown ? 0 : -SONDE_NOMEM;
}

static int add_fields(struct html_event *event, const struct field_counts *counts, uint32_t number,
		      struct arena *memory)
{
	const struct trace_columns *columns = field_counts_columns(counts, number);
	struct field_values values = { 0 };
	struct html_field *fields;
	int ret = 0;

	event->nr_counted = field_counts_counted(counts, number);
	if (!event->nr_counted || !columns || !columns->n)
		return 0;
	fields = arena_alloc(memory, columns->n * sizeof(*fields));
	if (!fields)
		return -SONDE_NOMEM;
	event->fields = fields;
	for (size_t i = 0; i < columns->n && ret == 0; i++) {
		ret = field_counts_list(counts, number, i, &values);
		if (ret == 0 && values.list.n) {
			fields[event->nr_fields].name = columns->at[i].field;
			ret = add_values(&fields[event->nr_fields++], &values, memory);
		}
	}
	vec_free(&values.list);
	return ret;
}

static int compare_gaps(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* The value below which a share of an ordered list lies: the nearest rank. */
static uint64_t percentile(const uint64_t *list, size_t n, size_t percent)
{
	size_t rank = (n * percent + 99) / 100;

	return list[rank ? rank - 1 : 0];
}

static int add_gaps(struct html_event *event, const struct sonde_profile *p, uint32_t number)
{
	static const uint8_t shares[] = { 0, 50, 90, 99, 100 };
	uint64_t before = SONDE_NONE;
	VEC(uint64_t) gaps = { 0 };
	int ret = 0;

	for (size_t i = 0; i < p->timed.list.n && ret == 0; i++) {
		const struct sonde_profile_sample *s = &p->timed.list.at[i];

		if (s->time == SONDE_NONE || p->cells.at[s->cell].event != number)
			continue;
		if (before != SONDE_NONE)
			ret = vec_push(&gaps, s->time - before);
		before = s->time;
	}
	if (gaps.n && ret == 0) {
		qsort(gaps.at, gaps.n, sizeof(*gaps.at), compare_gaps);
		event->nr_gaps = gaps.n;
		for (size_t i = 0; i < sizeof(shares); i++)
			event->gaps_ns[i] = percentile(gaps.at, gaps.n, shares[i]);
	}
	vec_free(&gaps);
	return ret;
}

int html_fields_gather(struct html_event *event, const struct sonde_profile *p, uint32_t number, struct arena *memory)
{
	const struct sonde_attr *attr = p->events.at[number].attr;
	int ret;

	if (!attr || attr->type != PERF_TYPE_TRACEPOINT)
		return 0;
	ret = add_fields(event, &p->field_counts, number, memory);
	return ret == 0 ? add_gaps(event, p, number) : ret;
}
