/* SPDX-License-Identifier: MIT */
/*
 * hot_code.h - the samples or branches of one binary by address, for optimizers
 *
 * Needs a profile with branches_if_any and SONDE_BY_SYMBOL_OFFSET. An event with branch stacks has branches, another
 * one samples. The binary is that of opts.dsos, else the main one. Code outside of known functions is left out.
 */
#ifndef EXPORT_HOT_CODE_H
#define EXPORT_HOT_CODE_H

#include "export/export.h"
#include "export/named_functions.h"

/* An instruction, as a place in a function. */
struct code_place {
	uint32_t frame;              /* the function; NO_FRAME: outside of the binary */
	uint64_t offset;
};
#define NO_FRAME UINT32_MAX

/* A branch; or a sample at `to`. */
struct hot_place {
	struct code_place from, to;
	uint64_t count, mispredicted;
};

struct hot_code {
	uint32_t binary;             /* NO_BINARY: there are no samples in a program */
	bool branches;
	VEC(struct hot_place) list;  /* each place once, in the order of the functions' numbers */
};

/* Of the event @event. 0 or -SONDE_NOMEM. To be freed in either case. */
int hot_code_make(struct hot_code *h, const struct export *x, uint32_t event);

/* The address in the binary. */
uint64_t hot_code_address(const struct sonde_profile *p, const struct code_place *place);

/* The linker's name of the function. */
const char *hot_code_function(const struct sonde_profile *p, const struct code_place *place);

void hot_code_free(struct hot_code *h);

#endif
