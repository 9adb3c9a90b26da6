/* SPDX-License-Identifier: MIT */
/* recording_missing.c - counts the events of each CPU that a recording could not hold */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/format/option.h"
#include "tracedat/format/page.h"
#include "tracedat/write/recording_file.h"
#include "tracedat/write/recording_missing.h"

/* The number of events in the pages of an extent; a page that cannot be read back counts none. */
static uint64_t events_of_extent(const struct recording *r, const struct page_layout *layout,
				 const struct recorded_extent *l, uint8_t *page, size_t size)
{
	uint64_t n = 0;

	for (uint64_t at = 0; at < l->used; at += size) {
		struct page_content e;

		if (pread(r->file.fd, page, size, (off_t)(l->at + at)) == (ssize_t)size &&
		    dat_page_measure(layout, page, size, size, &e) == 0)
			n += e.events;
	}
	return n;
}

static int note_cpu(struct recording_notes *notes, int32_t cpu, uint64_t missing, struct sonde_error *err)
{
	char text[64];
	struct page_note note = { .id = PAGE_NOTE_CPUSTAT };

	snprintf(text, sizeof(text), "CPU: %d\n" DAT_UNWRITTEN "%llu\n", (int)cpu, (unsigned long long)missing);
	note.text = arena_strndup(&notes->arena, text, strlen(text));
	return !note.text || vec_push(&notes->all, note) < 0 ? err_nomem(err) : 0;
}

static int note_buffer(struct recording *r, const struct page_layout *layout, const struct buffer *b,
		       const uint64_t *events, struct recording_notes *notes, struct sonde_error *err)
{
	uint8_t *page = malloc(b->page_size);
	int e = page ? 0 : err_nomem(err);

	for (size_t c = 0; c < b->nr_cpus && e == 0; c++) {
		uint64_t n = 0;

		for (size_t i = 0; i < b->extents[c].of.n; i++)
			n += events_of_extent(r, layout, &b->extents[c].of.at[i], page, b->page_size);
		if (n < events[c]) {
			r->base.missing += events[c] - n;
			e = note_cpu(notes, b->cpus[c], events[c] - n, err);
		}
	}
	free(page);
	return e;
}

int dat_recording_note_missing(struct recording *r, struct page_meta *meta, struct recording_notes *notes,
			       struct sonde_error *err)
{
	struct page_layout layout;
	int e = 0;

	if (!dat_page_layout_parse(&layout, host_is_big_endian(), meta->header_page))
		layout = dat_page_layout_default(host_is_big_endian(), sizeof(long));
	for (size_t i = 0; i < meta->nr_notes; i++)
		if (vec_push(&notes->all, meta->notes[i]) < 0)
			return err_nomem(err);
	for (size_t i = 0; i < r->nr_buffers && e == 0; i++)
		if (meta->buffers[i].events)
			e = note_buffer(r, &layout, &r->buffers[i], meta->buffers[i].events, notes, err);
	meta->notes = notes->all.at;
	meta->nr_notes = notes->all.n;
	return e;
}
