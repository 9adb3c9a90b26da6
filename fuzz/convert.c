/* SPDX-License-Identifier: MIT */
/*
 * convert.c - a trace of either format through `convert`: packed, packed in whole words, unpacked, in the other byte
 * order, rebuilt, in another form
 *
 * The last byte of the input says how. What comes out can be read, and of a sound input it has the same samples; the
 * other byte order leads back to the same bytes; a failed run leaves nothing.
 */
#include <sonde/check.h>
#include <sonde/rewrite.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct sonde_convert_opts ways[] = {
	{ .pack = true },
	{ .aligned = true },
	{ .pack = true, .level = 5, .aligned = true },
	{ .compression = SONDE_COMPRESSION_NONE },
	{ .endian = SONDE_ENDIAN_LITTLE },
	{ .endian = SONDE_ENDIAN_BIG },
	{ .rebuild = true },
	{ .pack = true, .endian = SONDE_ENDIAN_BIG },
	{ .aligned = true, .to = SONDE_FORM_PIPE },
	{ .pack = true, .to = SONDE_FORM_FILE },
	{ .build_ids = SONDE_BUILD_IDS_FEATURE },
	{ .build_ids = SONDE_BUILD_IDS_MMAP2, .aligned = true },
	{ .attr_size = 136, .pack = true },
	{ .rebuild = false },
	{ .compression = SONDE_COMPRESSION_ZLIB },
	{ .compression = SONDE_COMPRESSION_ZSTD, .level = 3 },
	{ .version = 6 },
	{ .version = 7, .pack = true },
};

enum { NR_WAYS = sizeof(ways) / sizeof(ways[0]) };

static char in[64], out[64], back[64];

static bool is_sound(void)
{
	struct sonde_check_result found = { .sz = sizeof(found) };

	return sonde_check(in, NULL, &found, NULL) == 0 && !found.severities[SONDE_SEVERITY_ERROR] &&
	       !found.severities[SONDE_SEVERITY_WARNING];
}

/* 0 or negative; a failed run leaves nothing. */
static int convert(const char *from, const char *to, struct sonde_convert_opts how)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	int r;

	how.sz = sizeof(how);
	r = sonde_convert(w, from, to, &how);
	if (r < 0 && access(to, F_OK) == 0)
		abort();
	sonde_rewrite_free(w);
	return r;
}

static bool are_same_files(const char *a, const char *b)
{
	FILE *x = fopen(a, "r"), *y = fopen(b, "r");
	int c;

	if (!x || !y)
		abort();
	do
		c = getc(x);
	while (c == getc(y) && c != EOF);
	fclose(x);
	fclose(y);
	return c == EOF;
}

static void try(const struct sonde_convert_opts *how)
{
	static const struct sonde_convert_opts back_again[] = {
		[SONDE_ENDIAN_LITTLE] = { .endian = SONDE_ENDIAN_BIG },
		[SONDE_ENDIAN_BIG] = { .endian = SONDE_ENDIAN_LITTLE },
	};
	struct consumed before, after;

	if (convert(in, out, *how) < 0)
		return;
	before = consume_path(in, SONDE_ORDER_FILE);
	after = consume_path(out, SONDE_ORDER_FILE);
	if (before.opened == 0 &&
	    (after.opened < 0 || (!how->version && is_sound() && after.samples != before.samples)))
		abort();
	if (how->endian && !how->pack && !are_same_files(in, out) &&
	    (convert(out, back, back_again[how->endian]) < 0 || (is_sound() && !are_same_files(in, back))))
		abort();
	unlink(out);
	unlink(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f;

	snprintf(in, sizeof(in), "/tmp/sonde-fuzz-convert.%d", (int)getpid());
	snprintf(out, sizeof(out), "/tmp/sonde-fuzz-convert-to.%d", (int)getpid());
	snprintf(back, sizeof(back), "/tmp/sonde-fuzz-convert-back.%d", (int)getpid());
	if (size == 0)
		return 0;
	f = fopen(in, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
	try(&ways[data[size - 1] % NR_WAYS]);
	unlink(in);
	return 0;
}
