/* SPDX-License-Identifier: MIT */
/* perfdata_merge.c - two perf.data, or one and itself: what comes out of a merge can be read, and a failed one leaves
 * nothing */
#include <sonde/merge.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER_BYTES 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool put_file(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "w");
	bool whole = f && fwrite(p, 1, n, f) == n;

	return f && fclose(f) == 0 && whole;
}

/* Where the second file begins; the size if there is none. */
static size_t find_second(const uint8_t *data, size_t size)
{
	const uint8_t *p = size > HEADER_BYTES ? memmem(data + HEADER_BYTES, size - HEADER_BYTES, data, 8) : NULL;

	return p ? (size_t)(p - data) : size;
}

static void merge(const char *const paths[2], const char *to, const int64_t offsets[2])
{
	const struct sonde_merge_opts opts = { .sz = sizeof(opts), .offsets_ns = offsets, .nr_offsets = 2 };
	struct sonde_rewrite *w = sonde_rewrite_new();
	struct sonde_trace *t = sonde_trace_new();

	if (w && t && sonde_merge(w, paths, 2, to, &opts) == 0) {
		if (sonde_trace_open(t, to, NULL) < 0) {
			fprintf(stderr, "%s\n", sonde_trace_error(t)->text);
			abort();
		}
		unlink(to);
	} else if (access(to, F_OK) == 0) {
		abort();
	}
	sonde_trace_free(t);
	sonde_rewrite_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t second = find_second(data, size);
	char a[64], b[64], to[64];
	const char *const paths[2] = { a, second < size ? b : a };
	int64_t offsets[2] = { 0, 0 };

	snprintf(a, sizeof(a), "/tmp/sonde-fuzz-merge-a.%d", (int)getpid());
	snprintf(b, sizeof(b), "/tmp/sonde-fuzz-merge-b.%d", (int)getpid());
	snprintf(to, sizeof(to), "/tmp/sonde-fuzz-merge.%d", (int)getpid());
	if (size >= 8)
		memcpy(&offsets[1], data + size - 8, sizeof(offsets[1]));
	if (put_file(a, data, second) && (second == size || put_file(b, data + second, size - second)))
		merge(paths, to, offsets);
	unlink(a);
	unlink(b);
	return 0;
}
