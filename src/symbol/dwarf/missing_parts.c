/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/missing_parts.h"

void missing_parts_init(struct missing_parts *m)
{
	*m = (struct missing_parts){ 0 };
	pthread_mutex_init(&m->lock, NULL);
}

void missing_parts_free(struct missing_parts *m)
{
	vec_free(&m->notes);
	arena_free(&m->text);
	pthread_mutex_destroy(&m->lock);
}

void missing_parts_add(struct missing_parts *m, struct buf *note)
{
	const char *text;

	pthread_mutex_lock(&m->lock);
	m->n++;
	text = m->notes.n < MISSING_PARTS_TOLD && !note->failed ? arena_strndup(&m->text, note->p, note->n) : NULL;
	if (text)
		vec_push(&m->notes, text);
	pthread_mutex_unlock(&m->lock);
	buf_free(note);
}
