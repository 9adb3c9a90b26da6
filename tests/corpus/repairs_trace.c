/* SPDX-License-Identifier: MIT */
/*
 * repairs_trace.c - every trace.dat of a folder, cut at places from its first byte to its last and overwritten at
 * others: it is checked, and what repair makes of it has no errors, can be opened, and is repaired into itself
 *
 *	repairs_trace FOLDER
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sonde/check.h>
#include <sonde/rewrite.h>

enum { CUTS = 14, HOLES = 7, HOLE_BYTES = 700, SIZE_MAX_ALL = 1 << 20, EXIT_SKIP = 77 };

static char made[64], again[80];

static bool same_files(const char *a, const char *b)
{
	FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
	int c = 0, d = 0;

	while (x && y && c == d && c != EOF) {
		c = getc(x);
		d = getc(y);
	}
	if (x)
		fclose(x);
	if (y)
		fclose(y);
	return x && y && c == d;
}

/* One repair is enough: a second one loses nothing and changes nothing. */
static bool is_enough(void)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	bool enough = w && sonde_repair(w, made, again) == 0 && sonde_rewrite_loss_count(w) == 0 &&
		same_files(made, again);

	sonde_rewrite_free(w);
	unlink(again);
	return enough;
}

/* Repairs the bytes; the result, if there is one, is sound. */
static int check_one(const char *path, const char *how, size_t at, const uint8_t *p, size_t n)
{
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_rewrite *w = sonde_rewrite_new();
	struct sonde_trace *t = sonde_trace_new();
	const char *wrong = NULL;
	uint64_t written;

	if (sonde_check_memory(p, n, NULL, &found, NULL) < 0)
		wrong = "cannot be checked";
	if (w && sonde_repair_memory(w, p, n, made) == 0) {
		written = sonde_rewrite_counts(w)->written;
		if (sonde_check(made, NULL, &found, NULL) < 0 || found.severities[SONDE_SEVERITY_ERROR])
			wrong = "the repaired file has errors";
		else if (found.records != written)
			wrong = "the repaired file has another number of events";
		else if (sonde_trace_open(t, made, NULL) < 0)
			wrong = "the repaired file cannot be opened";
		else if (!is_enough())
			wrong = "the repaired file is repaired once more";
		unlink(made);
	} else if (n > 4096 && strcmp(how, "hole") != 0) {
		wrong = "was not repaired";
	}
	if (wrong)
		printf("%s: %s at %zu: %s: %s\n", path, how, at, wrong, sonde_rewrite_error(w)->text);
	sonde_rewrite_free(w);
	sonde_trace_free(t);
	return wrong ? -1 : 0;
}

static int check_cut(const char *path, const uint8_t *data, size_t cut)
{
	uint8_t *copy = malloc(cut ? cut : 1);
	int r;

	memcpy(copy, data, cut);
	r = check_one(path, "cut", cut, copy, cut);
	free(copy);
	return r;
}

static int check_hole(const char *path, uint8_t *data, size_t size, size_t at)
{
	uint8_t kept[HOLE_BYTES];
	size_t n = size - at < HOLE_BYTES ? size - at : HOLE_BYTES;
	int r;

	memcpy(kept, data + at, n);
	for (size_t i = 0; i < n; i++)
		data[at + i] = (uint8_t)(i * 37 + at);
	r = check_one(path, "hole", at, data, size);
	memcpy(data + at, kept, n);
	return r;
}

static int check_file(const char *path, size_t size)
{
	uint8_t *data = malloc(size);
	FILE *f = fopen(path, "rb");
	int bad = 0;

	if (!data || !f || fread(data, 1, size, f) != size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	if (memcmp(data, "\x17\x08\x44tracing", 10) == 0) {
		for (size_t i = 0; i <= CUTS; i++)
			bad |= check_cut(path, data, size * i / CUTS);
		for (size_t i = 0; i < HOLES; i++)
			bad |= check_hole(path, data, size, size * i / HOLES + i * 7);
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
	snprintf(made, sizeof(made), "/tmp/sonde-repairs.%d", (int)getpid());
	snprintf(again, sizeof(again), "%s.again", made);
	while ((entry = readdir(d))) {
		if (!strstr(entry->d_name, ".dat") || strstr(entry->d_name, ".data") || strstr(entry->d_name, ".cpu") ||
		    snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name) >= (int)sizeof(path) ||
		    stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < 16 || st.st_size > SIZE_MAX_ALL)
			continue;
		bad |= check_file(path, (size_t)st.st_size);
		n++;
	}
	closedir(d);
	printf("%d recordings\n", n);
	return bad ? 1 : 0;
}
