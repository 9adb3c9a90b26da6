/* SPDX-License-Identifier: MIT */
/*
 * frames.c - prints the frames of addresses of an ELF file
 *
 *	frames FILE CACHE_DIR <ADDRESSES
 *
 * An address is a line of hexadecimal digits. It is printed again, and after it each frame with a tab, the function,
 * the file and the line, innermost first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/elf/loads.h"
#include "symbol/source_lines.h"

static void print(uint64_t addr, const struct source_frame *frames, size_t n)
{
	printf("%" PRIx64 "\n", addr);
	for (size_t i = 0; i < n; i++)
		printf("\t%s\t%s\t%u\n", frames[i].function ? frames[i].function : "??",
		       frames[i].file ? frames[i].file : "??", frames[i].line);
}

int main(int argc, char **argv)
{
	struct binary b = { .kind = BINARY_FILE, .name = argc > 1 ? argv[1] : NULL, .pid = -1 };
	struct symbols *symbols;
	struct source_lines *lines;
	struct elf_loads loads;
	struct elf_file f;
	char text[64];

	if (argc != 3 || elf_file_open(&f, argv[1], NULL) < 0) {
		fprintf(stderr, "usage: frames FILE CACHE_DIR <ADDRESSES\n");
		return 2;
	}
	elf_loads_read(&loads, &f);
	memcpy(b.build_id, f.build_id, sizeof(b.build_id));
	b.build_id_size = f.build_id_size;
	elf_file_close(&f);
	symbols = symbols_new(&(struct symbols_opts){ .cache_dir = argv[2], .buildid_dir = "" });
	lines = symbols ? source_lines_new(symbols) : NULL;
	while (lines && fgets(text, sizeof(text), stdin)) {
		uint64_t addr = strtoull(text, NULL, 16), offset = addr;
		const struct source_frame *frames = NULL;
		size_t n = elf_loads_offset(&loads, &offset) ? source_lines_find(lines, &b, offset, &frames) : 0;

		print(addr, frames, n);
	}
	source_lines_free(lines);
	symbols_free(symbols);
	return lines ? 0 : 1;
}
