/* SPDX-License-Identifier: MIT */
/* ledger.h - what was lost: rows that grow while a trace is read. */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include <sonde/trace.h>

#include "base/arena.h"
#include "base/vec.h"

struct ledger {
	VEC(struct sonde_loss) rows;
	VEC(const char *) texts;     /* of the rows, as they were added: with words for one and for many */
	/* found at open: the first rows as they were then, to which the events are added anew when
	 * they are read again */
	VEC(struct sonde_loss) lasting;
	struct arena text;
};

/**
 * ledger_add - count a loss; rows of one kind, text and cpu are one
 * A word that depends on the number is written "{event|events}", that for one comes first.
 * @time: of the event that tells of it, SONDE_NONE if none. Out of memory drops the row: the ledger must not be what
 * stops a reader.
 */
void ledger_add(struct ledger *l, enum sonde_loss_kind kind, uint64_t count, uint64_t file_offset, uint64_t time,
		int32_t cpu, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

/* Says what the first of a row is that lies at @file_offset; no change if no row begins there, or one that is told. */
void ledger_describe_first(struct ledger *l, uint64_t file_offset, const char *what);

/* "{event|events} lost" in the words for one or for many; @out has room for @text. */
void ledger_words(char *out, const char *text, bool one);

/* Everything so far was found at open. */
void ledger_mark_lasting(struct ledger *l);

/* Forgets what was found while events were read: they are about to be read again. */
void ledger_restart(struct ledger *l);

/* "recorder": the kind of a loss in documents. */
const char *ledger_kind_name(enum sonde_loss_kind kind);

void ledger_free(struct ledger *l);

#endif
