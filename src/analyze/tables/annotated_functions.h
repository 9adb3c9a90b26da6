/* SPDX-License-Identifier: MIT */
/* annotated_functions.h - the functions of a profile, hottest first, with their cells */
#ifndef ANALYZE_TABLES_ANNOTATED_FUNCTIONS_H
#define ANALYZE_TABLES_ANNOTATED_FUNCTIONS_H

#include "analyze/tables/profile.h"

#define NO_CELL UINT32_MAX

/* A function with samples: a symbol of a binary, or a BPF program. */
struct annotated_function {
	const struct binary *binary;
	struct symtab *table;        /* NULL: the binary is a BPF program, one function */
	uint32_t symbol;
	uint32_t first_cell;         /* of all events; NO_CELL: there is none */
	uint64_t samples, period;    /* of the event */
};

struct annotated_functions {
	uint32_t event;
	VEC(struct annotated_function) list; /* by period of the event; those without samples last */
	uint32_t *next_cell;         /* by cell: the next one of the same function, or NO_CELL */
};

/* Kept in the profile until annotated_functions_drop(); NULL when out of memory. */
const struct annotated_functions *annotated_functions_get(struct sonde_profile *p, uint32_t event);

/* After any change of the profile. */
void annotated_functions_drop(struct sonde_profile *p);

const char *annotated_function_name(const struct annotated_function *f);

/* The last part of a binary's path, as the profile has it. */
const char *annotated_dso_name(const struct sonde_profile *p, const struct binary *b);

#endif
