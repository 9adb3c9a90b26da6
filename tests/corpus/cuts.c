/* SPDX-License-Identifier: MIT */
/*
 * cuts.c - every recording of a folder, cut: a perf.data at each byte of its first kilobyte, at each third of its last
 * one, which is read as a whole each time, and at 100 places between; a trace.dat, whose formats are compiled at each
 * opening, at fewer. A sanitizer, with which a cut takes ten times as long, sees each eleventh byte. Both numbers are
 * odd, so that words are cut at each of their bytes.
 *
 *	cuts FOLDER
 *
 * A cut copy lies in a heap block of its exact size, so that one byte too far is seen by the address sanitizer. A cut
 * recording never has more than the whole one had, unless that is damaged (what refutes a record may be cut), and a cut
 * that costs something is told: by an error or by the ledger.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../fuzz/consume.h"

enum {
	EDGE_BYTES = 1024, PLACES = 100, TRACEDAT_PLACES = 20, TRACEDAT_EDGE_STEP = 127, END_STEP = 3,
	SANITIZER_EDGE_STEP = 11, SANITIZER_PLACES = 50, EXIT_SKIP = 77
};

static void *read_file(const char *path, size_t size)
{
	void *p = malloc(size ? size : 1);
	FILE *f = fopen(path, "rb");

	if (!p || !f || fread(p, 1, size, f) != size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	return p;
}

/* A stream has no length of its own: cut after a record, or after its header of 16 bytes, it is a shorter stream. */
static bool ends_between_records(const struct consumed *c, size_t cut)
{
	return c->stream && (c->events ? c->end == cut : cut == 16);
}

static int check_cut(const char *path, const uint8_t *data, size_t size, const struct consumed *whole, size_t cut)
{
	uint8_t *copy = malloc(cut ? cut : 1);
	struct consumed c;
	const char *wrong = NULL;

	if (!copy)
		return 0;
	memcpy(copy, data, cut);
	c = consume_trace(copy, cut, cut % 2 ? SONDE_ORDER_TIME : SONDE_ORDER_FILE);
	free(copy);
	if (c.opened == 0 && c.events > whole->events && !whole->losses)
		wrong = "has more events than the whole recording";
	else if (c.opened == 0 && c.events < whole->events && c.losses == 0 && c.ended == 0 &&
		 !ends_between_records(&c, cut))
		wrong = "lost events without a word";
	if (wrong)
		fprintf(stderr, "%s: cut at %zu of %zu bytes: %s (%llu of %llu)\n", path, cut, size, wrong,
			(unsigned long long)c.events, (unsigned long long)whole->events);
	return wrong ? -1 : 0;
}

static bool is_sanitized(void)
{
	const char *sanitizer = getenv("SONDE_SANITIZE");

	return sanitizer && strcmp(sanitizer, "none") != 0;
}

/* Bytes from this cut to the next one; @step: between the first and the last kilobyte. */
static size_t step_at(size_t cut, size_t size, size_t step, bool tracedat)
{
	if (cut >= EDGE_BYTES && cut + EDGE_BYTES < size)
		return step;
	if (tracedat)
		return TRACEDAT_EDGE_STEP;
	if (is_sanitized())
		return SANITIZER_EDGE_STEP;
	return cut < EDGE_BYTES ? 1 : END_STEP;
}

static int check_file(const char *path, size_t size)
{
	uint8_t *data = read_file(path, size);
	struct consumed whole = consume_trace(data, size, SONDE_ORDER_FILE);
	bool tracedat = size > 10 && memcmp(data, "\x17\x08\x44tracing", 10) == 0;
	size_t places = tracedat ? TRACEDAT_PLACES : is_sanitized() ? SANITIZER_PLACES : PLACES;
	size_t step = size / (places + 1) ? size / (places + 1) : 1;
	int bad = 0;

	for (size_t cut = 0; cut < size; cut += step_at(cut, size, step, tracedat)) {
		if (cut >= EDGE_BYTES && cut + EDGE_BYTES < size && cut + step + EDGE_BYTES > size)
			cut = size - EDGE_BYTES;  /* the last kilobyte begins here */
		bad |= check_cut(path, data, size, &whole, cut);
	}
	free(data);
	return bad;
}

int main(int argc, char **argv)
{
	DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
	char path[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	int bad = 0, n = 0;

	if (!d) {
		printf("skipped: %s: %s\n", argc == 2 ? argv[1] : "no folder", strerror(errno));
		return EXIT_SKIP;
	}
	while ((entry = readdir(d))) {
		if (snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name) >= (int)sizeof(path) ||
		    stat(path, &st) < 0 || !S_ISREG(st.st_mode) || strstr(entry->d_name, ".json"))
			continue;
		bad |= check_file(path, (size_t)st.st_size);
		n++;
	}
	closedir(d);
	printf("%d recordings\n", n);
	return bad ? 1 : 0;
}
