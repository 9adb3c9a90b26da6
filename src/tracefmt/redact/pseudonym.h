/* SPDX-License-Identifier: MIT */
/*
 * pseudonym.h - another name for each name, the same one every time, and a list of all that were replaced
 *
 * The list is what a finished output is searched for. Names shorter than SEARCH_MIN are not in it, nor those that have
 * the form of a pseudonym already.
 */
#ifndef TRACEFMT_REDACT_PSEUDONYM_H
#define TRACEFMT_REDACT_PSEUDONYM_H

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
	NAME_BUFFER,                 /* buffer-1: of a trace.dat */
	NAME_PROBE,                  /* probe_1: the event of a probe */
	NAME_PROBES,                 /* probes_1: its group */
	NAME_VARIABLE,               /* var_1: an argument of a probe */
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

/* The same for the name of a mapping: those of the kernel may be modules, in brackets. */
bool pseudonym_keeps_mapping(bool of_kernel, const char *name, size_t len);

/* Overwrites a text of @room bytes, which may end before with a NUL; bytes behind it become zeros. A pseudonym that
 * does not fit is cut in front: its beginning may be a name, as "comm-7" begins with "comm". 0, -SONDE_NOMEM. */
int pseudonym_overwrite(struct pseudonyms *p, enum name_class class, char *text, size_t room);

void pseudonyms_free(struct pseudonyms *p);

#endif
