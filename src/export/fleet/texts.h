/* SPDX-License-Identifier: MIT */
/* texts.h - the texts of rows: as UTF-8, and equal ones are one pointer */
#ifndef EXPORT_FLEET_TEXTS_H
#define EXPORT_FLEET_TEXTS_H

#include "base/buf.h"
#include "base/strpool.h"

/* { .room = BUF_MEMORY } has none. */
struct fleet_texts {
	struct strpool pool;
	struct buf room;             /* for work, of the user of the texts too */
};

/* NULL when out of memory. */
const char *fleet_text(struct fleet_texts *t, const char *text);

void fleet_texts_free(struct fleet_texts *t);

#endif
