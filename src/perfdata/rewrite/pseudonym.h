/* SPDX-License-Identifier: MIT */
/*
 * pseudonym.h - another name for each name, the same one every time, and a list of all that were replaced
 *
 * The list is what a finished output is searched for. Names shorter than SEARCH_MIN are not in it, nor those that have
 * the form of a pseudonym already.
 */
#ifndef PERFDATA_REWRITE_PSEUDONYM_H
#define PERFDATA_REWRITE_PSEUDONYM_H

#include "base/multi_search.h"
#include "base/strpool.h"

enum name_class {
	NAME_COMM,                   /* comm-1 */
	NAME_PATH,                   /* /dso-1 */
	NAME_CGROUP,                 /* /cgroup-1 */
	NAME_BPF,                    /* prog-1 */
	NAME_TEXT,                   /* text-1: of a tracepoint */
	NAME_ARGUMENT,               /* arg-1 */
	NAME_HOST,                   /* host-1 */
	NR_NAME_CLASSES,
};

#define PSEUDONYM_BYTES 24

struct pseudonyms {
	struct strpool names[NR_NAME_CLASSES];
	struct multi_search removed;
};

/**
 * pseudonym_of - what stands for a name of @len bytes, which may end before with a NUL
 * @out: its text; what says nothing about anybody (no name, "swapper", "[vdso]", "[kernel.kallsyms]") is kept, see
 * pseudonym_keeps() Returns 0, -SONDE_NOMEM.
 */
int pseudonym_of(struct pseudonyms *p, enum name_class class, const char *name, size_t len, char out[PSEUDONYM_BYTES]);

/* Whether a name stays as it is. */
bool pseudonym_keeps(enum name_class class, const char *name, size_t len);

/* The same for the name of a mapping whose record has @misc: those of the kernel may be modules, in brackets. */
bool pseudonym_keeps_mapping(uint16_t misc, const char *name, size_t len);

void pseudonyms_free(struct pseudonyms *p);

#endif
