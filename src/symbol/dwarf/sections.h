/* SPDX-License-Identifier: MIT */
/* sections.h - the sections of a debug file: each is read, and decompressed, when it is first needed. */
#ifndef SYMBOL_DWARF_SECTIONS_H
#define SYMBOL_DWARF_SECTIONS_H

#include <pthread.h>

#include "symbol/elf/file.h"

enum debug_section {
	DEBUG_INFO, DEBUG_ABBREV, DEBUG_STR, DEBUG_STR_OFFSETS, DEBUG_LINE_STR, DEBUG_ADDR, DEBUG_RANGES,
	DEBUG_RNGLISTS, DEBUG_LINE, NR_DEBUG_SECTIONS,
};

/* Bytes and their number. A NUL follows them, which is not counted: every string has an end. */
struct debug_bytes { const uint8_t *p; size_t n; };

struct debug_sections {
	const struct elf_file *elf;  /* must stay open until every section that is wanted was read */
	bool swap;                   /* the byte order of the file is not the host's */
	pthread_mutex_t lock;
	struct debug_section_state {
		uint64_t offset, size;   /* in the file; size 0: there is none */
		bool chdr, zdebug;   /* compressed, and how it says so */
		bool read;           /* atomic; bytes do not change from here on */
		struct debug_bytes bytes;
	} sections[NR_DEBUG_SECTIONS];
};

/* suffix: of the names of the sections, ".dwo" or "". Frees nothing of f, which lives longer. */
void debug_sections_open(struct debug_sections *s, const struct elf_file *f, const char *suffix);
void debug_sections_close(struct debug_sections *s);

/* Empty if there is none or it cannot be read. Several threads may ask at once. */
struct debug_bytes debug_sections_get(struct debug_sections *s, enum debug_section which);

#endif
