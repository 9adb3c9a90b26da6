/* SPDX-License-Identifier: MIT */
#include "cli/report/page_code.h"

#include <stdlib.h>
#include <string.h>

/* A page is to be sent to others: its code stays below a few megabytes. */
enum { MOST_FUNCTIONS = 40, MOST_BYTES = 2 << 20, ROW_BYTES = 24 /* of its numbers */, MOST_EVENTS = 64 };

#define SHARE_FROM 0.5               /* percent of an event */

static bool is_taken(const struct page_code *c, const struct sonde_annotation *a)
{
	const struct sonde_annotation_info *own = sonde_annotation_info(a);

	for (size_t i = 0; i < c->n; i++) {
		const struct sonde_annotation_info *other = sonde_annotation_info(c->list[i]);

		if (other->start == own->start && strcmp(other->dso, own->dso) == 0)
			return true;
	}
	return false;
}

/* About what it takes in the page. */
static size_t bytes_of(const struct sonde_annotation *a)
{
	struct sonde_annotation_row row = { .sz = sizeof(row) };
	size_t bytes = 0;

	for (size_t i = 0; sonde_annotation_row(a, i, &row); i++)
		bytes += strlen(row.text) + ROW_BYTES;
	return bytes;
}

/* Takes an annotation over. One that is too large is left out: smaller functions may follow. */
static int take(struct page_code *c, struct sonde_annotation *a)
{
	const size_t bytes = bytes_of(a);
	struct sonde_annotation **list;

	if (is_taken(c, a) || bytes > MOST_BYTES - c->bytes) {
		sonde_annotation_free(a);
		return 0;
	}
	list = realloc(c->list, (c->n + 1) * sizeof(*list));
	if (!list) {
		sonde_annotation_free(a);
		return -SONDE_NOMEM;
	}
	c->list = list;
	c->list[c->n++] = a;
	c->bytes += bytes;
	return 0;
}

static int take_event(struct page_code *c, struct sonde_profile *p, struct sonde_annotate_opts *opts)
{
	struct sonde_error err = { .sz = sizeof(err) };
	int r = 0;

	for (opts->nth = 0; r == 0 && opts->nth < MOST_FUNCTIONS && c->n < MOST_FUNCTIONS; opts->nth++) {
		struct sonde_annotation *a = sonde_annotate(p, opts, &err);

		if (a)
			r = take(c, a);
		else if (err.code != SONDE_UNSUPPORTED)
			return err.code == SONDE_NOMEM ? -SONDE_NOMEM : 0;
	}
	return r;
}

int page_code_take(struct page_code *c, struct sonde_profile *p, const struct sonde_annotate_opts *how)
{
	const size_t nr_events = sonde_profile_event_count(p);
	uint32_t others[MOST_EVENTS];
	int r = 0;

	for (uint32_t i = 0; i < nr_events && i < MOST_EVENTS && r == 0; i++) {
		struct sonde_annotate_opts opts = *how;

		opts.event = i;
		opts.events = others;
		opts.percent_limit = SHARE_FROM;
		if (!sonde_profile_event_at(p, i)->samples)
			continue;
		for (uint32_t k = 0; k < nr_events && k < MOST_EVENTS; k++)
			if (k != i && sonde_profile_event_at(p, k)->samples)
				others[opts.nr_events++] = k;
		r = take_event(c, p, &opts);
	}
	return r;
}

void page_code_free(struct page_code *c)
{
	for (size_t i = 0; i < c->n; i++)
		sonde_annotation_free(c->list[i]);
	free(c->list);
}
