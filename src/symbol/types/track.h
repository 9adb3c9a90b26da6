/* SPDX-License-Identifier: MIT */
/* track.h - the type that an instruction touches through a register, followed from the beginning of its scopes */
#ifndef SYMBOL_TYPES_TRACK_H
#define SYMBOL_TYPES_TRACK_H

#include "symbol/types/function.h"
#include "symbol/types/state.h"

enum track_result { TRACK_NOTHING, TRACK_TYPE, TRACK_CANARY };

/* scopes: from the function inwards. *type and *offset are set with TRACK_TYPE. */
enum track_result track(struct function *f, struct scope *const *scopes, int nr_scopes, uint32_t insn,
			const struct operand *memory, const struct surroundings *in, Dwarf_Die *type,
			int64_t *offset);

#endif
