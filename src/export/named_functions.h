/* SPDX-License-Identifier: MIT */
/*
 * named_functions.h - the functions of a profile as other tools know them: by name and binary
 *
 * A profile has a frame for each function, another one where it was inlined, and with lines one for each line. Other
 * tools have one function for all of these.
 */
#ifndef EXPORT_NAMED_FUNCTIONS_H
#define EXPORT_NAMED_FUNCTIONS_H

#include "analyze/tables/profile.h"

#define NO_BINARY UINT32_MAX

struct named_function {
	const char *name;            /* for people; without a symbol "0x3fb10", "[unknown]"; never NULL or empty */
	const char *linkage_name;    /* as the linker knows it; NULL: not known, or inlined */
	const char *file;            /* of its source; NULL: not known, or the profile has no lines */
	uint32_t binary;             /* index in the binaries of the profile, or NO_BINARY */
	uint64_t addr;               /* in the binary, where it begins; 0: not known */
	uint32_t size;               /* bytes; 0: not known */
	bool in_kernel;
	bool is_symbol;              /* it has a name of its own */
};

struct named_functions {
	VEC(struct named_function) list;
	uint32_t *of_frame;          /* by frame: the number of its function */
	struct strpool names;
	struct u64map by_name;       /* binary + 1 and the number of the name: number of the function */
};

/* 0 or -SONDE_NOMEM. To be freed in either case. */
int named_functions_make(struct named_functions *n, const struct sonde_profile *p);

void named_functions_free(struct named_functions *n);

#endif
