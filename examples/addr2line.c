/* SPDX-License-Identifier: MIT */
/*
 * addr2line.c - print functions and source lines of addresses, as addr2line -i -f: addr2line [-C] FILE [ADDRESS...]
 *
 * -C demangles. Without addresses they are read from the standard input.
 */
#include <sonde/symbol.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_address(struct sonde_symbols *symbols, const char *path, const char *word)
{
	uint64_t addr = strtoull(word, NULL, 16);
	int n = sonde_symbols_source_in(symbols, path, addr);

	if (n < 0)
		return n;
	if (n == 0)
		puts("??\n??:0");
	for (int i = 0; i < n; i++) {
		const struct sonde_source_frame *f = sonde_symbols_source_at(symbols, (size_t)i);

		printf("%s\n%s:%" PRIu32 "\n", f->function ? f->function : "??", f->file ? f->file : "??", f->line);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sonde_symbols_opts opts = { .sz = sizeof(opts), .no_demangle = true };
	struct sonde_symbols *symbols;
	char word[64];
	int r = 0, at = 1;

	if (argc > 1 && strcmp(argv[1], "-C") == 0) {
		opts.no_demangle = false;
		at++;
	}
	if (at >= argc) {
		fprintf(stderr, "usage: addr2line [-C] FILE [ADDRESS...]\n");
		return 2;
	}
	symbols = sonde_symbols_new(&opts);
	if (!symbols) {
		fprintf(stderr, "addr2line: out of memory\n");
		return 1;
	}
	for (int i = at + 1; i < argc && r == 0; i++)
		r = print_address(symbols, argv[at], argv[i]);
	while (at + 1 == argc && r == 0 && scanf("%63s", word) == 1)
		r = print_address(symbols, argv[at], word);
	if (r < 0)
		fprintf(stderr, "addr2line: %s\n", sonde_strerror(r));
	sonde_symbols_free(symbols);
	return r < 0;
}
