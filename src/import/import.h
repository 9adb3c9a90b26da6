/* SPDX-License-Identifier: MIT */
/*
 * import.h - a profile of another tool on its way into a profile: what the readers of all formats share
 *
 * A reader has the whole text of a file in memory, decompressed. It gives functions, tasks and events to the profile,
 * and each sample to import_sample(). A part that contradicts itself is left out and noted by import_bad(); the rest is
 * read on, as far as the format lets it.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "analyze/profile/imported.h"

struct import {
	struct gathering *profile;
	const struct sonde_query *query;  /* complete */
	const char *path;            /* for a name, if the file has none */
	const char *text;
	size_t size;
	struct sonde_error *err;     /* the first failure */
	uint64_t nr_bad;             /* samples and rows that were left out */
};

struct import_format {
	const char *name;            /* as users know it */
	/* Whether a file begins so. @whole: the text is all of it. */
	bool (*recognise)(const char *text, size_t size, bool whole);
	/* Whether its samples are stacks, and not one function each. NULL: they are. */
	bool (*has_chains)(const char *text, size_t size);
	int (*read)(struct import *im);  /* 0, or negative with the error of @im: the failure that ended it */
	bool has_times;              /* samples may have times */
};

/* Notes a part that is left out. Returns the negative code. */
int import_bad(struct import *im, enum sonde_code code, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds a sample of the task at hand if the query wants it, @at: its place in the text. 0 or -SONDE_NOMEM. */
int import_sample(struct import *im, const struct imported_sample *s, uint64_t at);

/* A weight of the file as an integer, times @factor. False after import_bad(): it is not from 0 to 2^63. */
bool import_weight(struct import *im, double weight, double factor, uint64_t at, uint64_t *out);

/* A function by the name that the file has: "0x1234" is an address without a name. HASH_INDEX_NONE: out of memory. */
uint32_t import_frame(struct import *im, struct named_frame *f);

/* Takes an id off the end of a thread's name, and the character before it: "-PID", "/TID". False: there is none. */
bool import_take_id(struct sonde_str *comm, char before, int32_t *id);

/* A binary by its file, or as "[kernel.kallsyms]"; @build_id: hexadecimal, or empty. NULL when out of memory. */
const struct binary *import_binary(struct import *im, struct sonde_str name, struct sonde_str build_id);

/* Whether code of a binary is that of the kernel. */
bool import_is_kernel(const struct binary *b);

#endif
