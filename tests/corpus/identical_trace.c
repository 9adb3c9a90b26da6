/* SPDX-License-Identifier: MIT */
/*
 * identical_trace.c - every trace.dat of a folder, taken apart and put together again: the same bytes
 *
 *	identical_trace FOLDER
 *
 * A file whose bytes do not all belong to something (it was cut) is named; all others go through the composer.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracedat/scan/layout.h"
#include "tracedat/write/compose.h"

enum { EXIT_SKIP = 77 };

static int recompose(struct image *im, const char *to, struct sonde_error *err)
{
	struct dat_file f;
	struct output out = { .buf = { .fd = -1 } };
	struct compose_how how;
	int r = dat_layout_read(&f, im, NULL, DAT_DEEP, err);

	if (r == 0 && !f.sound) {
		dat_file_free(&f);
		return 1;
	}
	if (r == 0)
		r = output_open(&out, to, im, err);
	how = dat_compose_same(&f);
	if (r == 0)
		r = dat_compose(&f, &out, &how, err);
	if (r == 0)
		r = output_finish(&out, err);
	output_close(&out);
	dat_file_free(&f);
	return r;
}

static bool same_bytes(struct image *a, struct image *b)
{
	uint64_t at = 0;

	while (at < a->size && a->size == b->size) {
		size_t n, m;
		const uint8_t *p = image_view_some(a, at, 65536, &n), *q = image_view_some(b, at, 65536, &m);

		if (!p || !q || n != m || memcmp(p, q, n) != 0)
			break;
		at += n;
	}
	if (at != a->size)
		printf("%llu and %llu bytes, the same up to %llu: ", (unsigned long long)a->size,
		       (unsigned long long)b->size, (unsigned long long)at);
	return at == a->size && a->size == b->size;
}

/* 0, 1: cut; -1: other bytes */
static int check(const char *path, const char *to)
{
	struct sonde_error err = { .sz = sizeof(err), .file_offset = SONDE_NONE };
	struct image im, made;
	int r = image_open(&im, path, &err);

	if (r == 0)
		r = recompose(&im, to, &err);
	if (r == 0)
		r = image_open(&made, to, &err);
	if (r == 0) {
		r = same_bytes(&im, &made) ? 0 : -1;
		image_close(&made);
		unlink(to);
	}
	image_close(&im);
	printf("%s: %s%s\n", path, r == 0 ? "the same bytes" : r > 0 ? "cut" : "NOT THE SAME", err.text);
	return r;
}

static bool is_trace(const char *path)
{
	struct image im;
	size_t n;
	const uint8_t *p;
	bool is;

	if (image_open(&im, path, NULL) < 0)
		return false;
	p = image_view_some(&im, 0, 16, &n);
	is = p && dat_header_probe(p, n);
	image_close(&im);
	return is;
}

int main(int argc, char **argv)
{
	DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
	char path[PATH_MAX], to[64];
	struct dirent *entry;
	int n = 0, cut = 0, bad = 0, r;

	if (!d) {
		printf("skipped: %s: %s\n", argc == 2 ? argv[1] : "no folder", strerror(errno));
		return EXIT_SKIP;
	}
	snprintf(to, sizeof(to), "/tmp/sonde-identical.%d", (int)getpid());
	while ((entry = readdir(d))) {
		if (snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name) >= (int)sizeof(path) ||
		    !is_trace(path))
			continue;
		r = check(path, to);
		n++;
		cut += r > 0;
		bad += r < 0;
	}
	closedir(d);
	printf("%d recordings: %d the same, %d cut, %d others\n", n, n - cut - bad, cut, bad);
	return bad ? 1 : 0;
}
