/* SPDX-License-Identifier: MIT */
/* table.h - one section of unwind information: its functions by address, and the rows of those that were asked for */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <pthread.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "symbol/elf/cfi.h"
#include "unwind/exidx.h"
#include "unwind/fde_file.h"
#include "unwind/rule.h"
#include "unwind/sframe.h"

/* A function, by its start from the base of the table on, and its FDE or other entry in the section, or its number. */
struct fde_place {
	uint32_t start, at;
};

/* A function whose instructions were run: its rows. */
struct unwind_function {
	uint32_t first, nr;
	uint32_t repeat;             /* the rows are those of each so many bytes; 0: of the whole function */
	const struct cfi_section *section;  /* of its expressions; NULL: that of the table */
	uint64_t end;
};

struct unwind_row {
	uint64_t start;
	const struct unwind_rule *rule;  /* NULL: nothing is known */
};

struct unwind_table {
	struct cfi_section section;
	enum { TABLE_CFI, TABLE_EXIDX, TABLE_SFRAME } kind;
	pthread_mutex_t lock;        /* of in_file and of all from function_of on: the others do not change */
	struct exidx exidx;          /* of TABLE_EXIDX */
	struct sframe sframe;        /* of TABLE_SFRAME */
	struct fde_file in_file;     /* of a section without bytes */
	void *owned;                 /* its bytes, where the file was closed; or NULL */
	uint64_t base;               /* all starts count from here */
	VEC(struct fde_place) places;  /* by start */
	struct u64map function_of;   /* index in places -> index in functions */
	VEC(struct unwind_function) functions;
	VEC(struct unwind_row) rows;
	struct arena texts;          /* the rules */
	struct hash_index by_content;
	VEC(const struct unwind_rule *) rules;
};

/* Opens the section of that name; false if the file has none or it has no functions. */
bool unwind_table_open(struct unwind_table *t, const struct elf_file *f, const char *name);

/*
 * The same of an .eh_frame with a search table; its entries are read from @file, the same one, when they are asked for.
 * False also if there is no search table, or the file is not one on disk.
 */
bool unwind_table_open_in_file(struct unwind_table *t, const struct elf_file *f, struct code_files *files,
			       const struct code_file *file);

/* The same of an .eh_frame that is in no ELF file; its bytes are copied. */
bool unwind_table_open_bytes(struct unwind_table *t, const struct cfi_section *section);

/* The same of .ARM.exidx. */
bool unwind_table_open_exidx(struct unwind_table *t, const struct elf_file *f);

/* The same of .sframe. */
bool unwind_table_open_sframe(struct unwind_table *t, const struct elf_file *f);

/* Copies the section's bytes, so that the file can be closed. 0 or -SONDE_NOMEM. */
int unwind_table_own(struct unwind_table *t);

/*
 * The rule at an address, the section of its expressions, and the range of its function; false if the section does not
 * have the address. Several threads may ask at once.
 */
bool unwind_table_find(struct unwind_table *t, uint64_t addr, const struct unwind_rule **rule,
		       const struct cfi_section **section, uint64_t *start, uint64_t *end);

void unwind_table_free(struct unwind_table *t);

#endif
