/* SPDX-License-Identifier: MIT */
/* frame_texts.h - the text of each frame of a walk's stacks in one format, made once */
#ifndef EXPORT_EVENTS_FRAME_TEXTS_H
#define EXPORT_EVENTS_FRAME_TEXTS_H

#include "export/events/event_rows.h"

struct frame_texts {
	void (*make)(const struct place_frame *f, struct buf *out);
	struct buf text;
	VEC(size_t) ends;            /* in text, by number of the frame */
};

#define FRAME_TEXTS(make_) ((struct frame_texts){ .make = (make_), .text = BUF_MEMORY })

void frame_texts_free(struct frame_texts *t);

/* Appends the text of a frame. */
void frame_texts_put(struct frame_texts *t, const struct event_rows *e, uint32_t frame, struct buf *out);

/* Appends the texts of the frames of a stack, innermost first, with @between. */
void frame_texts_put_stack(struct frame_texts *t, const struct event_rows *e, uint32_t stack, char between,
			   struct buf *out);

#endif
