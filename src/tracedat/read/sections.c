/* SPDX-License-Identifier: MIT */
/* sections.c - all sections of version 7: in the order of the file, and as the options lead to them */
#include "tracedat/format/encode.h"
#include "tracedat/read/tracedat.h"

#define MAX_SECTIONS 65536

static int read_options(struct tracedat *f, const struct dat_section *s, uint64_t *next, struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	struct bytes bytes;
	struct cursor c;
	int r;

	*next = 0;
	if (u64map_get(&f->visited, s->at) != U64MAP_NONE) {
		ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, s->at, SONDE_NONE, -1,
			   "options sections that name one before them as the next");
		return 0;
	}
	if (u64map_set(&f->visited, s->at, 1) < 0)
		return err_nomem(err);
	r = section_read(f, s, &bytes, &failure);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0 || s->cut) {
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, s->at, SONDE_NONE, -1, "options sections that are cut or damaged");
		f->damaged = true;
	}
	if (r < 0)
		return 0;
	c = bytes_cursor(f, &bytes, NULL);
	r = option_read_list(f, &bytes, &c, next, err);
	bytes_free(&bytes);
	return r;
}

int section_follow_options(struct tracedat *f, struct sonde_error *err)
{
	uint64_t at = f->header.options;
	struct dat_section s;
	int r = 0;

	if (at == 0) {
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, SONDE_NONE, SONDE_NONE, -1,
			   "recording was never finished: its sections are searched for");
		f->damaged = true;
	}
	while (at && r == 0) {
		if (section_header(f, at, &s) < 0 || s.id != SECTION_OPTIONS) {
			ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, at, SONDE_NONE, -1,
				   "options sections are missing: the file was cut, or what it says about them is wrong");
			f->damaged = true;
			break;
		}
		r = read_options(f, &s, &at, err);
	}
	return r;
}

static bool is_pointed_to(const struct tracedat *f, const struct dat_section *s)
{
	return s->id < SECTION_POINTERS && f->section_at[s->id];
}

/* Files without all of their options: what an option would say of this section. */
static int note_orphan(struct tracedat *f, const struct dat_section *s, struct sonde_error *err)
{
	uint64_t next;

	if (s->id == SECTION_OPTIONS && u64map_get(&f->visited, s->at) == U64MAP_NONE)
		return read_options(f, s, &next, err);
	if (s->id >= SECTION_HEADER_INFO && s->id <= SECTION_CMDLINES && !is_pointed_to(f, s))
		f->section_at[s->id] = s->at;
	if (s->id == SECTION_BUFFER_TEXT)
		return buffer_add_text(f, s->payload, s->size, s->flags & SECTION_COMPRESSED, err);
	return 0;
}

/* Names are offsets in the payloads of all strings sections, one behind the other. */
static int read_names(struct tracedat *f, const struct dat_section *all, size_t nr, struct sonde_error *err)
{
	VEC(char) text = { 0 };
	struct bytes bytes;
	int r = 0;

	for (size_t i = 0; i < nr && r == 0; i++) {
		if (all[i].id != SECTION_STRINGS || section_read(f, &all[i], &bytes, NULL) < 0)
			continue;
		if (vec_reserve(&text, bytes.n + 1) < 0) {
			r = err_nomem(err);
		} else if (bytes.n) {
			memcpy(text.at + text.n, bytes.p, bytes.n);
			text.n += bytes.n;
		}
		bytes_free(&bytes);
	}
	for (size_t i = 0; i < nr && r == 0; i++) {
		uint32_t at = all[i].description;

		if (at == NO_DESCRIPTION || at >= text.n)
			continue;
		f->sections.at[i].name = arena_strndup(&f->base.arena, text.at + at, strnlen(text.at + at, text.n - at));
		if (!f->sections.at[i].name)
			r = err_nomem(err);
	}
	vec_free(&text);
	return r;
}

static int list_one(struct tracedat *f, const struct dat_section *s, struct sonde_error *err)
{
	struct sonde_section row = { .id = s->id, .file_offset = s->at, .size = s->size, .compressed = s->flags & SECTION_COMPRESSED };

	if (vec_push(&f->sections, row) < 0)
		return err_nomem(err);
	if (s->cut)
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, 1, s->at, SONDE_NONE, -1,
			   "sections end behind the end of the file: it was cut, or what they say about their size is wrong");
	return f->damaged ? note_orphan(f, s, err) : 0;
}

int section_list(struct tracedat *f, struct sonde_error *err)
{
	VEC(struct dat_section) all = { 0 };
	uint64_t at = f->header.end;
	struct dat_section s;
	int r = 0;

	while (r == 0 && all.n < MAX_SECTIONS && section_header(f, at, &s) == 0) {
		r = vec_push(&all, s) < 0 ? err_nomem(err) : list_one(f, &s, err);
		at = s.payload + s.size;
	}
	for (size_t i = 0; i < all.n && r == 0 && f->damaged; i++)
		if (all.at[i].id == SECTION_BUFFER && u64map_get(&f->visited, all.at[i].at) == U64MAP_NONE &&
		    vec_push(&f->orphans, all.at[i]) < 0)
			r = err_nomem(err);
	if (r == 0)
		r = read_names(f, all.at, all.n, err);
	vec_free(&all);
	return r;
}
