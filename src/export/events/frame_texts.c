/* SPDX-License-Identifier: MIT */
#include "export/events/frame_texts.h"

void frame_texts_free(struct frame_texts *t)
{
	buf_free(&t->text);
	vec_free(&t->ends);
}

/* Makes the texts up to that of a frame: frames get their numbers in the order in which they are met. */
static bool make_up_to(struct frame_texts *t, const struct event_rows *e, uint32_t frame)
{
	while (t->ends.n <= frame) {
		t->make(&e->places.frames.at[t->ends.n], &t->text);
		if (t->text.failed || vec_push(&t->ends, t->text.n) < 0)
			return false;
	}
	return true;
}

void frame_texts_put(struct frame_texts *t, const struct event_rows *e, uint32_t frame, struct buf *out)
{
	size_t begin;

	if (frame >= t->ends.n && !make_up_to(t, e, frame)) {
		if (!out->failed)
			out->failed = err_nomem(out->err);
		return;
	}
	begin = frame ? t->ends.at[frame - 1] : 0;
	buf_put(out, t->text.p + begin, t->ends.at[frame] - begin);
}

void frame_texts_put_stack(struct frame_texts *t, const struct event_rows *e, uint32_t stack, char between,
			   struct buf *out)
{
	const struct sonde_profile_stack *list = e->stacks.list.at;

	for (bool first = true; stack; stack = list[stack].parent, first = false) {
		if (!first)
			buf_char(out, between);
		frame_texts_put(t, e, list[stack].frame, out);
	}
}
