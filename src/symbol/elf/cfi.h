/* SPDX-License-Identifier: MIT */
/*
 * cfi.h - the entries of .eh_frame and .debug_frame
 *
 * A CIE has the facts that several functions share. An FDE has the address range of a function, or of a part of it
 * where the compiler moved cold code away, and the instructions by which a frame of it is unwound. Layout: DWARF 5
 * section 6.4; Linux Standard Base, DWARF extensions.
 */
#ifndef SYMBOL_ELF_CFI_H
#define SYMBOL_ELF_CFI_H

#include "base/cursor.h"
#include "symbol/elf/file.h"

/* A section in memory. */
struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t addr;               /* of its first byte when it is loaded */
	bool swap, wide;             /* wide: addresses have 8 bytes */
	bool debug_frame;            /* .debug_frame; else .eh_frame */
};

/* A row of bytes of the section, by offset. */
struct cfi_span {
	uint32_t at, size;
};

struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	uint8_t version, encoding, address_size;
	bool has_size;               /* augmentation data begin with their size: "z" */
	bool signal;                 /* of a frame that the kernel makes for a signal handler */
	struct cfi_span program;
};

struct cfi_fde {
	struct cfi_cie cie;
	uint64_t start, size;
	struct cfi_span program;
};

/* A step from entry to entry. */
struct cfi_entry {
	uint32_t at, next;
	bool is_cie;
	uint32_t cie_at;             /* of an FDE */
	struct cfi_span body;        /* after the id */
};

/* The section of that name, with its bytes as libelf holds them; false if the file has none. */
bool cfi_section_open(struct cfi_section *s, const struct elf_file *f, const char *name);

/*
 * The bytes of the first segment of a type (PT_*) in place of a section's, for a file without section headers. False if
 * the file has none.
 */
bool cfi_segment_open(struct cfi_section *s, const struct elf_file *f, uint32_t type);

/* A section without its bytes, which lie at @offset of the open file as they are; false if they do not. */
bool cfi_section_place(struct cfi_section *s, const struct elf_file *f, const char *name, uint64_t *offset);

/* The entry at an offset; false at the end of the section, and where a length makes no sense. */
bool cfi_entry_at(const struct cfi_section *s, uint32_t at, struct cfi_entry *out);

/* False for an entry that cannot be understood. */
bool cfi_cie_read(const struct cfi_section *s, const struct cfi_entry *e, struct cfi_cie *out);

/* The FDE of an entry, with its CIE. False for one that cannot be understood or has an empty range. */
bool cfi_fde_read(const struct cfi_section *s, const struct cfi_entry *e, struct cfi_fde *out);

/* Forms of an address, and its base (DW_EH_PE_*). */
enum {
	CFI_ABSPTR = 0, CFI_ULEB = 1, CFI_UDATA2 = 2, CFI_UDATA4 = 3, CFI_UDATA8 = 4, CFI_SLEB = 9, CFI_SDATA2 = 10,
	CFI_SDATA4 = 11, CFI_SDATA8 = 12, CFI_FORM = 0x0f, CFI_PCREL = 0x10, CFI_DATAREL = 0x30, CFI_BASE = 0x70,
	CFI_INDIRECT = 0x80, CFI_OMIT = 0xff,
};

/* An address as @encoding says; @field: the address of its first byte, @data: the base of CFI_DATAREL. */
uint64_t cfi_address(struct cursor *c, const struct cfi_section *s, uint8_t encoding, uint64_t field, uint64_t data);

/* A cursor over the bytes of a span. */
struct cursor cfi_cursor(const struct cfi_section *s, struct cfi_span span);

#endif
