/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/formats_union.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

int dat_formats_union_begin(struct formats_union *u, struct dat_writer *to, const struct tracefmt *like,
			    struct ledger *ledger, struct sonde_error *err)
{
	*u = (struct formats_union){ .to = to, .ledger = ledger, .err = err };
	u->formats = tracefmt_new(tracefmt_big_endian(like), tracefmt_long_size(like));
	return u->formats ? 0 : -SONDE_NOMEM;
}

void dat_formats_union_announce(struct formats_union *u, const struct tracefmt *t)
{
	for (size_t i = 0; i < tracefmt_nr_events(t); i++)
		if (tracefmt_event_at(t, i)->id <= EVENT_ID_MAX && tracefmt_event_at(t, i)->id > u->next_id)
			u->next_id = (uint32_t)tracefmt_event_at(t, i)->id;
}

void dat_formats_union_next(struct formats_union *u, uint16_t **new_ids)
{
	u->nr_traces++;
	u->new_ids = new_ids;
}

static size_t index_of(const struct tracefmt *t, uint64_t id)
{
	for (size_t i = 0; i < tracefmt_nr_events(t); i++)
		if (tracefmt_event_at(t, i)->id == id)
			return i;
	return SIZE_MAX;
}

/* The text with another number in its line "ID: ". */
static struct sonde_str renumber(struct formats_union *u, struct sonde_str text, uint32_t id)
{
	const char *line = memmem(text.p, text.len, "\nID: ", 5), *end;
	struct sonde_str made = { 0 };
	struct buf b = BUF_MEMORY;

	if (!line)
		return made;
	line += 5;
	end = memchr(line, '\n', text.len - (size_t)(line - text.p));
	if (!end)
		end = text.p + text.len;
	buf_put(&b, text.p, (size_t)(line - text.p));
	buf_u64(&b, id);
	buf_put(&b, end, text.len - (size_t)(end - text.p));
	if (!b.failed)
		made = (struct sonde_str){ arena_strndup(&u->arena, b.p, b.n), b.n };
	buf_free(&b);
	return made;
}

static int add_new(struct formats_union *u, const char *system, struct sonde_str text)
{
	size_t before = tracefmt_nr_events(u->formats);
	int r = tracefmt_add_format(u->formats, system, text, NULL);
	struct sonde_str kept = { arena_strndup(&u->arena, text.p, text.len), text.len };

	if (r == -SONDE_NOMEM || !kept.p)
		return -SONDE_NOMEM;
	if (r == 0 && tracefmt_nr_events(u->formats) > before && vec_push(&u->texts, kept) < 0)
		return -SONDE_NOMEM;
	return dat_writer_add_format(u->to, system, text.p, text.len, u->err);
}

/* The number of an equal event that is in the union already; 0 if there is none. */
static uint16_t find_renumbered(struct formats_union *u, const char *system, const char *name, struct sonde_str text)
{
	for (size_t i = 0; i < u->texts.n; i++) {
		const struct tracefmt_event *e = tracefmt_event_at(u->formats, i);
		struct sonde_str same;

		if (strcmp(e->system, system) != 0 || strcmp(e->name, name) != 0)
			continue;
		same = renumber(u, text, (uint32_t)e->id);
		if (same.p && str_equal(same, u->texts.at[i]))
			return (uint16_t)e->id;
	}
	return 0;
}

/* Whether another event has the number. */
static int take_renumbered(struct formats_union *u, const char *system, const char *name, struct sonde_str text,
			   uint32_t id)
{
	uint16_t **ids = u->new_ids, known = find_renumbered(u, system, name, text);
	struct sonde_str other;

	if (!*ids)
		*ids = calloc(EVENT_ID_MAX + 1, sizeof(**ids));
	if (!*ids)
		return -SONDE_NOMEM;
	if (known) {
		(*ids)[id] = known;
		return 0;
	}
	if (u->next_id >= EVENT_ID_MAX) {
		ledger_add(u->ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
			   "{event|events} without a free number");
		return 0;
	}
	other = renumber(u, text, ++u->next_id);
	(*ids)[id] = (uint16_t)u->next_id;
	return other.p ? add_new(u, system, other) : -SONDE_NOMEM;
}

static int take(struct formats_union *u, const struct tracefmt_event *e, struct sonde_str text)
{
	uint32_t id = e->id <= EVENT_ID_MAX ? (uint32_t)e->id : 0;
	size_t known = index_of(u->formats, id);

	if (known == SIZE_MAX || id == 0) {
		u->next_id = id > u->next_id ? id : u->next_id;
		return add_new(u, e->system, text);
	}
	if (str_equal(u->texts.at[known], text) && strcmp(tracefmt_event_at(u->formats, known)->system, e->system) == 0)
		return 0;
	return take_renumbered(u, e->system, e->name, text, id);
}

int dat_formats_union_take(void *formats_union, const char *system, struct sonde_str text, uint64_t at)
{
	struct formats_union *u = formats_union;
	struct tracefmt *one = tracefmt_new(tracefmt_big_endian(u->formats), tracefmt_long_size(u->formats));
	int r = one ? tracefmt_add_format(one, system, text, NULL) : -SONDE_NOMEM;

	(void)at;
	if (r == 0 && tracefmt_nr_events(one) == 1)
		r = take(u, tracefmt_event_at(one, 0), text);
	else if (r != -SONDE_NOMEM)  /* a format that cannot be parsed is copied */
		r = u->nr_traces == 1 ? dat_writer_add_format(u->to, system, text.p, text.len, u->err) : 0;
	tracefmt_free(one);
	return r;
}

void dat_formats_union_free(struct formats_union *u)
{
	tracefmt_free(u->formats);
	vec_free(&u->texts);
	arena_free(&u->arena);
}
