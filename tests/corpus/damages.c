/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "damages.h"

enum { FILE_BYTES_MIN = 64 };

uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);  /* splitmix64 */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

size_t below(uint64_t *state, size_t n)
{
	return n ? (size_t)(next_random(state) % n) : 0;
}

void *need(void *p)
{
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return p;
}

static void touch(struct damage *d, size_t at, size_t n)
{
	d->ranges[d->n++] = (struct range){ at, at + n };
}

static void flip_bits(struct damage *d, uint64_t *random)
{
	static const size_t counts[] = { 1, 1, 2, 4, 8, 32 };
	size_t n = counts[below(random, sizeof(counts) / sizeof(*counts))];

	d->kind = "flipped bits";
	for (size_t i = 0; i < n; i++) {
		size_t at = below(random, d->bytes.n);

		d->bytes.p[at] ^= (uint8_t)(1 << below(random, 8));
		touch(d, at, 1);
	}
}

static void cut_end(struct damage *d, uint64_t *random)
{
	size_t at = below(random, d->bytes.n);

	d->kind = "cut end";
	touch(d, at, d->bytes.n - at);
	d->bytes.n = at;
}

static size_t block_size(const struct damage *d, uint64_t *random)
{
	size_t n = (size_t)1 << (3 + below(random, 10));  /* 8 bytes to a page */

	return n < d->bytes.n / 4 ? n : d->bytes.n / 4;
}

static void cut_piece(struct damage *d, uint64_t *random)
{
	size_t n = block_size(d, random), at = below(random, d->bytes.n - n);

	d->kind = "missing piece";
	touch(d, at, n);
	memmove(d->bytes.p + at, d->bytes.p + at + n, d->bytes.n - at - n);
	d->bytes.n -= n;
}

static void swap_blocks(struct damage *d, uint64_t *random)
{
	size_t n = block_size(d, random), a = below(random, d->bytes.n / 2 - n),
	       b = d->bytes.n / 2 + below(random, d->bytes.n / 2 - n);

	d->kind = "swapped blocks";
	touch(d, a, n);
	touch(d, b, n);
	for (size_t i = 0; i < n; i++) {
		uint8_t byte = d->bytes.p[a + i];

		d->bytes.p[a + i] = d->bytes.p[b + i];
		d->bytes.p[b + i] = byte;
	}
}

static void overwrite(struct damage *d, uint64_t *random)
{
	size_t n = block_size(d, random), at = below(random, d->bytes.n - n);
	bool noise = below(random, 2);

	d->kind = noise ? "noise" : "zeros";
	touch(d, at, n);
	for (size_t i = 0; i < n; i++)
		d->bytes.p[at + i] = noise ? (uint8_t)next_random(random) : 0;
}

struct damage damage_new(const struct bytes *whole, uint64_t number)
{
	static void (*const kinds[])(struct damage *d, uint64_t *random) = {
		flip_bits, cut_end, swap_blocks, flip_bits, cut_piece, overwrite,
	};
	struct damage d = { .bytes = { need(malloc(whole->n)), whole->n } };
	uint64_t random = number;

	memcpy(d.bytes.p, whole->p, whole->n);
	kinds[below(&random, sizeof(kinds) / sizeof(*kinds))](&d, &random);
	d.bytes.p = need(realloc(d.bytes.p, d.bytes.n + 1));
	return d;
}

struct bytes read_file(const char *path)
{
	struct bytes b = { 0 };
	struct stat st;
	FILE *f = fopen(path, "rb");

	if (!f || fstat(fileno(f), &st) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	b.n = (size_t)st.st_size;
	b.p = need(malloc(b.n + 1));
	if (fread(b.p, 1, b.n, f) != b.n) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	return b;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void find_files(const char *folder, bool (*is_wanted)(const char *path), char ***paths, size_t *n)
{
	DIR *d = opendir(folder);
	char path[PATH_MAX];
	struct dirent *entry;
	struct stat st;

	while (d && (entry = readdir(d))) {
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= (int)sizeof(path) ||
		    stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < FILE_BYTES_MIN || !is_wanted(path))
			continue;
		*paths = need(realloc(*paths, (*n + 1) * sizeof(**paths)));
		(*paths)[(*n)++] = need(strdup(path));
	}
	if (d)
		closedir(d);
	qsort(*paths, *n, sizeof(**paths), by_name);
}
