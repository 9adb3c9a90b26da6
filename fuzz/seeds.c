/* SPDX-License-Identifier: MIT */
/*
 * seeds.c - a fuzz target as a plain test: every seed once, in a heap copy of its exact size, so that a one-byte
 * overrun is seen by the address sanitizer
 *
 * Arguments are folders: below the corpus ($SONDE_CORPUS, or ../shared/corpus beside the source), or in fuzz/.
 */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EXIT_SKIP = 77, SEED_MAX = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *copy = f ? malloc(size ? size : 1) : NULL;
	bool read = copy && fread(copy, 1, size, f) == size;

	if (f)
		fclose(f);
	fprintf(stderr, "%s%s\n", path, read ? "" : ": cannot be read");  /* the last line of a crash names the seed */
	if (read)
		LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	return read ? 0 : -1;
}

/* The seeds in a folder, in no order; -1 if one could not be read. */
static int run_folder(const char *folder)
{
	DIR *d = opendir(folder);
	char path[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	int n = 0;

	if (!d)
		return 0;
	while (n >= 0 && (entry = readdir(d))) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= (int)sizeof(path) ||
		    stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > SEED_MAX)
			continue;
		n = run_file(path, (size_t)st.st_size) < 0 ? -1 : n + 1;
	}
	closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	const char *source = getenv("SONDE_SOURCE"), *corpus = getenv("SONDE_CORPUS");
	char folder[PATH_MAX];
	int n, total = 0;

	for (int i = 1; i < argc; i++) {
		for (int in_corpus = 0; in_corpus < 2; in_corpus++) {
			if (!in_corpus)
				snprintf(folder, sizeof(folder), "%s/fuzz/%s", source ? source : ".", argv[i]);
			else if (corpus)
				snprintf(folder, sizeof(folder), "%s/%s", corpus, argv[i]);
			else
				snprintf(folder, sizeof(folder), "%s/../shared/corpus/%s", source ? source : ".",
					 argv[i]);
			n = run_folder(folder);
			if (n < 0)
				return 1;
			total += n;
		}
	}
	printf("%d seeds\n", total);
	return total ? 0 : EXIT_SKIP;
}
