/* SPDX-License-Identifier: MIT */
#include "tracefmt/text.h"

#include <stdatomic.h>

#include "tracefmt/format_set.h"

static const struct tracefmt_text *make(struct tracefmt *t, const struct tracefmt_event *e)
{
	struct tracefmt_text *text = arena_alloc(&t->arena, sizeof(*text));

	if (!text || program_compile(e, &t->arena, &text->program, &text->unprintable) < 0)
		return NULL;
	text->printer = printer_find(e, text->fields);
	return text;
}

const struct tracefmt_text *text_of(const struct tracefmt_event *e)
{
	/* events are only read by those who print; this is what the set may still change in them, and in itself */
	struct tracefmt_event *event = (struct tracefmt_event *)e;
	struct tracefmt *t = (struct tracefmt *)e->set;
	const struct tracefmt_text *text = atomic_load_explicit(&event->text, memory_order_acquire);

	if (text)
		return text;
	pthread_mutex_lock(&t->lock);
	text = atomic_load_explicit(&event->text, memory_order_relaxed);
	if (!text) {
		text = make(t, e);
		atomic_store_explicit(&event->text, text, memory_order_release);
	}
	pthread_mutex_unlock(&t->lock);
	return text;
}

const char *tracefmt_unprintable(const struct tracefmt_event *e)
{
	const struct tracefmt_text *text = text_of(e);

	return text ? text->unprintable : NULL;
}
