/* SPDX-License-Identifier: MIT */
/* Every library of a zip file, with its symbols. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "consume.h"
#include "symbol/elf/symbols.h"
#include "symbol/elf/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_library(const struct zip *z, size_t i)
{
	struct symtab_builder b = { 0 };
	struct elf_file f;
	struct symtab *t;

	if (zip_open_library(&f, z, i, NULL) < 0)
		return;
	elf_add_symbols(&b, &f, SHT_SYMTAB, &f, ELF_FILE_OFFSET);
	elf_add_symbols(&b, &f, SHT_DYNSYM, &f, ELF_FILE_OFFSET);
	elf_file_close(&f);
	t = symtab_build(&b, SYMTAB_SAME_BEST);
	for (uint32_t k = 0; t && k < t->n; k++)
		symtab_name(t, k);
	symtab_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("zip", MFD_CLOEXEC);
	char path[64];
	struct zip z;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || zip_open(&z, path, NULL) < 0)
		goto close;
	for (size_t i = 0; i < z.libraries.n; i++)
		add_library(&z, i);
	zip_close(&z);
close:
	if (fd >= 0)
		close(fd);
	return 0;
}
