/* SPDX-License-Identifier: MIT */
/*
 * symtab.h - the symbols of one binary: sorted, compact, looked up by address
 *
 * A symbol is an index, dense from 0 and sorted by start, so that what aggregates works on integers. A table does not
 * change once it is built; several threads may use it.
 */
#ifndef SYMBOL_TABLE_SYMTAB_H
#define SYMBOL_TABLE_SYMTAB_H

#include <pthread.h>

#include <sonde/types.h>

#include "base/arena.h"
#include "base/paged_file.h"
#include "base/vec.h"

#define SYMTAB_NONE UINT32_MAX

/* The starts between two of the top index are a page. */
enum { SYMTAB_TOP_STEP = PAGED_FILE_PAGE / sizeof(uint64_t) };

/* Set in symtab_entry.name: the code that jumps to the named function through the procedure linkage table */
#define SYMTAB_PLT (UINT32_C(1) << 31)

struct symtab_entry {
	uint32_t size;               /* bytes; 0: a label of no extent */
	uint32_t name;               /* offset into the strings, and SYMTAB_PLT */
	uint32_t outer;              /* the nearest symbol before this one that ends after it, or SYMTAB_NONE */
};

struct symtab {
	uint32_t n;
	const uint64_t *starts;
	const struct symtab_entry *entries;
	const char *strings;         /* ends with a NUL */
	size_t strings_size;
	uint64_t bias;               /* what a lookup takes off an address, and a start adds (wraps around) */

	/* where the symbols come from: a path, "/proc/kallsyms", "[vdso] of this process"; or "" */
	const char *source;
	const char *reason;          /* why there are none, or not the best ones; or "" */
	const char *doubt;           /* why they may be those of another file; or "" */

	bool carried;                /* the recording itself has them */
	bool bundled;                /* a bundle has them */
	bool demangle;
	bool out_of_memory;          /* for a name to be shown: another one was given */
	pthread_mutex_t lock;        /* of shown and texts, when a name is added */
	const char **shown;          /* by index: the name for people, made when it is first asked for */
	struct arena texts;
	/*
	 * Its bytes have to be asked for before they are looked at: symtab_entry(), paged_file_need(). NULL: starts,
	 * entries and strings are malloced.
	 */
	struct paged_file *file;
	const uint64_t *top;         /* of a table in a file: each SYMTAB_TOP_STEP-th start, in memory */
};

/* Entries of the top index of a table with n symbols. */
static inline uint32_t symtab_top_size(uint32_t n)
{
	return n / SYMTAB_TOP_STEP + (n % SYMTAB_TOP_STEP != 0);
}

/* The symbol at addr (an address as mapping_to_binary() gives it), the innermost where they nest; or SYMTAB_NONE. */
uint32_t symtab_find(const struct symtab *t, uint64_t addr);

static inline const struct symtab_entry *symtab_entry(const struct symtab *t, uint32_t i)
{
	return t->file ? paged_file_need(t->file, &t->entries[i], sizeof(t->entries[i])) : &t->entries[i];
}

/* Without the bias. */
static inline uint64_t symtab_linked_start(const struct symtab *t, uint32_t i)
{
	if (t->file)
		paged_file_need(t->file, &t->starts[i], sizeof(t->starts[i]));
	return t->starts[i];
}

static inline uint64_t symtab_start(const struct symtab *t, uint32_t i)
{
	return symtab_linked_start(t, i) + t->bias;
}

/* The first address after it. */
static inline uint64_t symtab_end(const struct symtab *t, uint32_t i)
{
	return symtab_start(t, i) + symtab_entry(t, i)->size;
}

static inline bool symtab_is_plt(const struct symtab *t, uint32_t i)
{
	return symtab_entry(t, i)->name & SYMTAB_PLT;
}

/* The name as the linker knows it, without the "@plt" of a PLT entry. */
const char *symtab_linkage_name(const struct symtab *t, uint32_t i);

/*
 * The name for people: demangled without parameters, PLT entries as "name@plt". As long as the table lives; never
 * NULL.
 */
const char *symtab_name(struct symtab *t, uint32_t i);

/* Collects symbols in any order and makes a table of them. */
struct symtab_builder {
	VEC(struct symtab_raw) raw;
	VEC(char) strings;
	bool failed;                 /* out of memory, or more names than a table can hold */
};

enum symtab_binding { SYMTAB_LOCAL, SYMTAB_WEAK, SYMTAB_GLOBAL };

struct symtab_raw {
	uint64_t start;
	uint32_t size;               /* 0: up to the next symbol; the last one to the end of the page after its own */
	uint32_t name;
	enum symtab_binding binding;
	bool old;                    /* a version of the name that programs are not linked with any more */
};

/*
 * Room for size bytes of names, zeroed after what the caller fills in; NULL when they do not fit. *at is their
 * offset.
 */
char *symtab_builder_strings(struct symtab_builder *b, size_t size, uint32_t *at);

/* Adds a name and its NUL: the offset, or SYMTAB_NONE. */
uint32_t symtab_builder_name(struct symtab_builder *b, const char *name, size_t len);

void symtab_builder_add(struct symtab_builder *b, const struct symtab_raw *raw);

/*
 * The one rule for the name of an address that has several: docs/symbol-names.md. Of two symbols at one place, is the
 * first the better name?
 */
bool symtab_is_better(const struct symtab_builder *b, const struct symtab_raw *x, const struct symtab_raw *than);

enum symtab_same {
	SYMTAB_SAME_BEST,            /* of several symbols with one start keep the best: symtab_is_better() */
	SYMTAB_SAME_LAST,            /* keep the one added last */
};

/* Empties the builder. NULL when out of memory. */
struct symtab *symtab_build(struct symtab_builder *b, enum symtab_same same);

void symtab_builder_free(struct symtab_builder *b);

/*
 * Gives a table what another one has, which is freed. Symbols keep their numbers if the other one begins with them.
 * Nobody uses the table meanwhile, and names that it has given are gone.
 */
void symtab_replace(struct symtab *t, struct symtab *by);

struct symtab *symtab_new(void);
void symtab_free(struct symtab *t);

#endif
