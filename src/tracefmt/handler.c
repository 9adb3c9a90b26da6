/* SPDX-License-Identifier: MIT */
#include "tracefmt/handler.h"

#include <string.h>

#include "tracefmt/field.h"

/* Whether each event has a sample. */
static bool has_each(const struct sonde_evsel *evsel)
{
	return !evsel->attr || (!(evsel->attr->flags & SONDE_ATTR_FREQ) && evsel->attr->sample_period <= 1);
}

const struct tracepoint_handler *handler_of(const struct tracepoint_handler *rows, const struct sonde_evsel *evsel,
					    const struct tracefmt_event *format)
{
	if (!rows || !format || !has_each(evsel))
		return NULL;
	for (; rows->event; rows++)
		if (strcmp(format->full_name, rows->event) == 0)
			return tracefmt_field(format, rows->fields[0]) ? rows : NULL;
	return NULL;
}

struct handled_source *handlers_source(struct handlers *h, const struct sonde_evsel *evsel,
				       const struct tracefmt_event *format)
{
	struct handled_source *s;

	while (h->sources.n <= evsel->index)
		if (vec_push(&h->sources, (struct handled_source){ 0 }) < 0)
			return NULL;
	s = &h->sources.at[evsel->index];
	if (s->known)
		return s;
	*s = (struct handled_source){ .known = true, .format = format,
				      .handler = handler_of(h->rows, evsel, format) };
	for (size_t i = 0; s->handler && i < HANDLER_FIELDS_MOST && s->handler->fields[i]; i++)
		s->fields[i] = tracefmt_field(format, s->handler->fields[i]);
	return s;
}

void handlers_free(struct handlers *h)
{
	vec_free(&h->sources);
}

uint64_t handled_number(const struct handled_event *e, size_t field)
{
	uint64_t v = 0;

	if (e->source->fields[field])
		tracefmt_u64(e->source->format, e->source->fields[field], e->raw, &v);
	return v;
}

struct sonde_str handled_text(const struct handled_event *e, size_t field)
{
	struct sonde_str text = { "", 0 };

	if (e->source->fields[field])
		tracefmt_string(e->source->format, e->source->fields[field], e->raw, &text);
	return text;
}
