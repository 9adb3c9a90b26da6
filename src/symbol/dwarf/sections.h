/* SPDX-License-Identifier: MIT */
/*
 * sections.h - the sections of a debug file: each is read, and decompressed, when it is first needed
 *
 * A section that lies in the file as it is can be read in parts: few units of a large program are needed for
 * few addresses.
 */
#ifndef SYMBOL_DWARF_SECTIONS_H
#define SYMBOL_DWARF_SECTIONS_H

#include <pthread.h>

#include "symbol/elf/file.h"

enum debug_section {
	DEBUG_INFO, DEBUG_ABBREV, DEBUG_STR, DEBUG_STR_OFFSETS, DEBUG_LINE_STR, DEBUG_ADDR, DEBUG_RANGES,
	DEBUG_RNGLISTS, DEBUG_LINE, DEBUG_CU_INDEX,
	DEBUG_ARANGES, DEBUG_GDB_INDEX, NR_DEBUG_SECTIONS,
};

/* Bytes and their number. A NUL follows them, which is not counted: every string has an end. */
struct debug_bytes { const uint8_t *p; size_t n; };

struct debug_sections {
	bool open;
	const struct elf_file *elf;  /* NULL: no section has to be read any more */
	bool swap;                   /* the byte order of the file is not the host's */
	pthread_mutex_t lock;
	struct debug_section_state {
		uint64_t offset, size;   /* in the file; size 0: there is none */
		size_t index;        /* of the section in the file */
		bool chdr, zdebug;   /* compressed, and how it says so */
		bool read;           /* atomic; bytes do not change from here on */
		bool shared;         /* the bytes are of other sections */
		bool in_parts;       /* atomic; bytes has room for all, and `here` says which blocks were read */
		uint8_t *here;       /* a bit for each block; NULL: all of them are */
		struct debug_bytes bytes;
	} sections[NR_DEBUG_SECTIONS];
};

/* suffix: of the names of the sections, ".dwo" or "". f lives longer. */
void debug_sections_open(struct debug_sections *s, const struct elf_file *f, const char *suffix);
void debug_sections_close(struct debug_sections *s);

/* Reads the sections now, but for lines, so that the file can be closed. */
void debug_sections_detach(struct debug_sections *s);

/* Sections of the byte order of others, which are added one by one. */
void debug_sections_begin(struct debug_sections *s, const struct debug_sections *like);
/* Adds a copy of some bytes of a section, which is not read as a whole if it is not compressed. */
void debug_sections_add_part(struct debug_sections *s, enum debug_section which, struct debug_sections *from,
			     uint64_t offset, uint64_t size);
/* Adds a section of others, which live longer. */
void debug_sections_share(struct debug_sections *s, enum debug_section which, struct debug_sections *from);

/* Empty if there is none or it cannot be read. Several threads may ask at once. */
struct debug_bytes debug_sections_get(struct debug_sections *s, enum debug_section which);

/* The same bytes at the same place, but only those that debug_sections_load() has loaded may be looked at. */
struct debug_bytes debug_sections_place(struct debug_sections *s, enum debug_section which);
/* False: the bytes are not all there. */
bool debug_sections_load(struct debug_sections *s, enum debug_section which, uint64_t offset, uint64_t size);

/* The string at an offset; NULL: it lies outside. */
const char *debug_sections_string(struct debug_sections *s, enum debug_section which, uint64_t offset);

#endif
