/* SPDX-License-Identifier: MIT */
/* file.h - an ELF file, opened with suspicion: whatever is wrong with it ends in a sentence, not in a crash. */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <gelf.h>

#include "base/bytes.h"
#include "base/err.h"

/* The place of bytes in a file. */
struct elf_part { uint64_t start, end; };

struct elf_file {
	Elf *elf;
	GElf_Ehdr ehdr;
	int fd;                      /* -1: the file lies in memory */
	void *memory;                /* owned: what was unpacked */
	uint8_t build_id[20];
	uint8_t build_id_size;       /* 0: has none */
	uint64_t offset;             /* of a library in a zip file: where it begins; else 0 */
	uint64_t size;               /* of the file, unpacked */
	/* Changes with the file: a hash of build id and size, else of inode, size and times; 0 of memory without id. */
	uint64_t identity;
	struct elf_part *parts;      /* the bytes that are there: owned, by start; NULL: all of the file */
	size_t nr_parts;
};

/* Files that end in .gz, .xz or .zst are unpacked into memory. */
int elf_file_open(struct elf_file *f, const char *path, struct sonde_error *err);

/* Owns the bytes (malloced) from here on, also when it fails. */
int elf_file_open_memory(struct elf_file *f, void *bytes, size_t size, struct sonde_error *err);

/*
 * Opens the small ELF file with further symbols that .gnu_debugdata holds, xz-compressed. -SONDE_MISSING if there is
 * none.
 */
int elf_file_open_debugdata(struct elf_file *inner, const struct elf_file *f, struct sonde_error *err);

/* The first section of a type (SHT_SYMTAB...) whose contents are there, or NULL. */
Elf_Scn *elf_file_section_of_type(const struct elf_file *f, uint32_t type, GElf_Shdr *shdr);

/* The section of a name, or NULL. */
Elf_Scn *elf_file_section(const struct elf_file *f, const char *name, GElf_Shdr *shdr);

/* Bytes of the file; false if they are not all there. */
bool elf_file_read(const struct elf_file *f, uint64_t at, void *to, size_t n);

void elf_file_close(struct elf_file *f);

/* Whether the byte order of the file is not the host's. */
static inline bool elf_file_swaps(const struct elf_file *f)
{
	return f->ehdr.e_ident[EI_DATA] == (host_is_big_endian() ? ELFDATA2LSB : ELFDATA2MSB);
}

/* Whether a machine (EM_*) has addresses of 64 bits, where no file tells. */
static inline bool elf_machine_is_wide(uint16_t machine)
{
	return machine != EM_386 && machine != EM_ARM && machine != EM_PPC && machine != EM_MIPS;
}

/* Recorded ids may be padded with zeros to 20 bytes. */
bool build_id_equal(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size);

#define BUILD_ID_TEXT 41
void build_id_print(char text[BUILD_ID_TEXT], const uint8_t *id, size_t size);

#endif
