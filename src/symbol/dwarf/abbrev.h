/* SPDX-License-Identifier: MIT */
/*
 * abbrev.h - tables of abbreviations, compiled into steps: skip so many bytes, read this attribute
 *
 * Only attributes that sonde uses are read. All that lie between them and have a fixed size are skipped at once.
 */
#ifndef SYMBOL_DWARF_ABBREV_H
#define SYMBOL_DWARF_ABBREV_H

#include "base/err.h"
#include "base/vec.h"
#include "symbol/dwarf/form.h"

/* Attributes that are read. */
enum die_attr {
	ATTR_NONE,
	ATTR_SIBLING, ATTR_NAME, ATTR_LINKAGE_NAME, ATTR_LOW_PC, ATTR_HIGH_PC, ATTR_RANGES, ATTR_ABSTRACT_ORIGIN,
	ATTR_SPECIFICATION, ATTR_CALL_FILE, ATTR_CALL_LINE, ATTR_CALL_COLUMN, ATTR_DECLARATION,
	/* of units only */
	ATTR_LANGUAGE, ATTR_STMT_LIST, ATTR_COMP_DIR, ATTR_STR_OFFSETS_BASE, ATTR_ADDR_BASE, ATTR_RNGLISTS_BASE,
	ATTR_DWO_NAME, ATTR_DWO_ID, ATTR_GNU_RANGES_BASE,
	NR_ATTRS,
};

/* Groups of tags, by the way in which a walk for functions treats them. */
enum die_kind {
	DIE_OTHER,                   /* no code below it */
	DIE_UNIT, DIE_PARTIAL_UNIT,
	DIE_SCOPE,                   /* a namespace or class: functions may be in it, and have its name before theirs */
	DIE_FUNCTION, DIE_INLINED, DIE_BLOCK,
};

struct abbrev_step {
	uint32_t skip;               /* bytes before the value */
	uint16_t form;               /* of the value; 0: there is none */
	uint8_t attr;                /* enum die_attr; ATTR_NONE: the value is skipped */
	int8_t size;                 /* of a value of 1 to 8 bytes, whatever it is; 0: form_read() finds out */
	int64_t implicit;            /* the value of a DW_FORM_implicit_const */
};

struct abbrev {
	uint64_t code;
	uint32_t first_step, nr_steps;
	uint8_t kind;                /* enum die_kind */
	bool children;
	bool is_namespace;           /* of a DIE_SCOPE */
};

struct abbrev_table {
	VEC(struct abbrev) abbrevs;  /* by code */
	VEC(struct abbrev_step) steps;
};

/*
 * Compiles the table that begins here; of only_code, if that is not 0, the one abbreviation. *used: bytes that were
 * read. NULL when out of memory. A table that is damaged ends before the damage.
 */
struct abbrev_table *abbrev_table_new(struct dwarf_scan from, const struct form_sizes *sizes, uint64_t only_code,
				      size_t *used);
void abbrev_table_free(struct abbrev_table *t);

const struct abbrev *abbrev_search(const struct abbrev_table *t, uint64_t code);

/* NULL: there is none. Compilers count from 1 without gaps. */
static inline const struct abbrev *abbrev_find(const struct abbrev_table *t, uint64_t code)
{
	if (code - 1 < t->abbrevs.n && t->abbrevs.at[code - 1].code == code)
		return &t->abbrevs.at[code - 1];
	return abbrev_search(t, code);
}

#endif
