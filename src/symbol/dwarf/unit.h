/* SPDX-License-Identifier: MIT */
/*
 * unit.h - the units of one debug file, and its entries (DIE): attributes as strings and addresses
 *
 * The headers of all units are read when the file is opened, the first entry of a unit when the unit is needed: see
 * unit_ready(). Neither changes after that.
 */
#ifndef SYMBOL_DWARF_UNIT_H
#define SYMBOL_DWARF_UNIT_H

#include "base/hash_index.h"
#include "base/u64map.h"
#include "symbol/dwarf/abbrev.h"
#include "symbol/dwarf/sections.h"

/* The attributes of an entry that are read. */
struct die {
	uint64_t offset;             /* in .debug_info */
	const struct abbrev *abbrev;
	uint32_t present;            /* bit by enum die_attr */
	uint16_t form[NR_ATTRS];
	uint64_t value[NR_ATTRS];
};

#define DIE_HAS(die, attr) ((die)->present >> (attr) & 1)

struct unit {
	struct debug_file *file;
	uint64_t offset, end;        /* in .debug_info; entries are from `first` on */
	uint64_t first;
	uint64_t abbrev_offset;
	uint64_t id;                 /* dwo_id; 0: none; up to DWARF 4 known by the first entry */
	struct form_sizes sizes;
	uint16_t version;
	uint8_t type;                /* DW_UT_* */
	bool loaded;                 /* atomic: all its bytes are in memory */
	bool has_first;              /* atomic: the first entry was read */
	bool readable;               /* it is sound; all fields below are of that entry */
	bool partial;                /* has no code, but origins of functions */
	bool is_c;                   /* names have no scopes */
	struct die die;
	uint64_t low_pc;             /* the base of its range lists */
	uint64_t str_offsets_base, addr_base, rnglists_base;
	uint64_t ranges_base;        /* of offsets in .debug_ranges: of a split unit, what its skeleton says */
	struct debug_file *addresses; /* whose .debug_addr and .debug_ranges are used: of a split unit the main file */
	struct abbrev_table *abbrevs; /* atomic; NULL: not compiled yet */
	struct unit_scopes *scopes;  /* atomic, owned; NULL: not made yet; see die_names.h */
};

struct debug_file {
	struct debug_sections sections;
	struct debug_file *supplement;   /* made by dwz; or NULL */
	VEC(struct unit) units;      /* by offset */
	pthread_mutex_t lock;        /* of the tables of abbreviations */
	VEC(struct abbrev_key { uint64_t offset; struct form_sizes sizes; struct abbrev_table *table; }) tables;
	struct hash_index tables_index;
	size_t abbrev_bytes;         /* that may still be compiled */
	pthread_mutex_t first_lock;  /* of first entries and the two members below */
	size_t first_bytes;          /* of abbreviations that may still be read for first entries */
	struct u64map first_seen;    /* tables of abbreviations of which the first one was read */
};

/* f lives longer. suffix: of the names of its sections. */
void debug_file_open(struct debug_file *d, const struct elf_file *f, const char *suffix);
/* A file whose sections are added one by one. */
void debug_file_begin(struct debug_file *d, const struct debug_sections *like);
void debug_file_close(struct debug_file *d);

/* Finds the units by their headers. 0 or -SONDE_NOMEM. */
int debug_file_read_units(struct debug_file *d);

/* Reads the first entry of a unit if that was not done. False: it is damaged. By several threads. */
bool unit_ready(struct unit *u);

/* The unit that has an offset of .debug_info, if it can be read; or NULL. */
struct unit *debug_file_unit(const struct debug_file *d, uint64_t offset);

/* NULL: damaged, or out of memory. */
const struct abbrev_table *unit_abbrevs(struct unit *u);

/* A scan of the entries of a unit, from an offset in .debug_info on. */
struct dwarf_scan unit_scan(struct unit *u, uint64_t offset);

/* Reads the attributes of an entry whose code was read. Check the scan afterwards. */
void die_read(struct die *die, struct dwarf_scan *s, const struct unit *u, const struct abbrev_table *t,
	      const struct abbrev *a);

/* Skips them; returns the offset of the sibling, 0 if the entry does not say. */
uint64_t die_skip(struct dwarf_scan *s, const struct unit *u, const struct abbrev_table *t, const struct abbrev *a);

/* The entry at an offset of the unit's .debug_info; false: there is none. */
bool die_at(struct die *die, struct unit *u, uint64_t offset);

/* The entry that an attribute refers to, and its unit; false: there is none, or no such attribute. */
bool die_referred(const struct unit *u, const struct die *die, enum die_attr attr, struct unit **to, uint64_t *offset);

/* An attribute as a string, as long as the files are open; NULL: has none. */
const char *die_string(const struct unit *u, const struct die *die, enum die_attr attr);

/* An attribute as an address. */
bool die_address(const struct unit *u, const struct die *die, enum die_attr attr, uint64_t *addr);

/* The address of an index in .debug_addr. */
bool unit_indexed_address(const struct unit *u, uint64_t index, uint64_t *addr);

#endif
