/* SPDX-License-Identifier: MIT */
/*
 * code_changes.h - the code of a kernel as it was between the changes that it made while it was recorded
 *
 * A TEXT_POKE record has the bytes before and after a change. Changes are numbered from 0 in the order of time; moment
 * N is before change N and after the one before it.
 */
#ifndef SYMBOL_LIST_CODE_CHANGES_H
#define SYMBOL_LIST_CODE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

struct code_change {
	uint64_t addr;
	uint16_t old_len, new_len;   /* both 0: another trace begins, of which the changes before tell nothing */
	size_t at;                   /* in bytes: the old ones, then the new ones */
};

/* {0} has no changes. */
struct code_changes {
	VEC(struct code_change) list;
	VEC(uint8_t) bytes;
};

/* 0 or -SONDE_NOMEM. */
int code_changes_add(struct code_changes *c, uint64_t addr, struct sonde_bytes old, struct sonde_bytes new);
int code_changes_begin_trace(struct code_changes *c);

/* Whether a change touches some of the bytes from @addr on. */
bool code_change_touches(const struct code_change *change, uint64_t addr, uint64_t size);

/* Makes code at @addr, whenever it was read, that of a moment: of the bytes that no change touches nothing is known. */
void code_changes_apply(const struct code_changes *c, size_t moment, uint64_t addr, uint8_t *code, size_t size);

void code_changes_free(struct code_changes *c);

#endif
