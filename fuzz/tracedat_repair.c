/* SPDX-License-Identifier: MIT */
/*
 * dat_repair.c - a trace.dat after its magic and version (6 if the first byte is even): what repair writes has no
 * errors, loses nothing when it is repaired again, and can be converted to the other version and to the same without
 * compression
 */
#include <sonde/check.h>
#include <sonde/rewrite.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consume.h"
#include "tracedat_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int show(void *ctx, const struct sonde_finding *f)
{
	(void)ctx;
	if (f->rule->severity == SONDE_SEVERITY_ERROR)
		fprintf(stderr, "0x%llx: %s: %s: expected %s, found %s\n", (unsigned long long)f->file_offset,
			f->rule->name, f->where, f->expected, f->found);
	return 0;
}

static void expect_sound(const char *path)
{
	const struct sonde_check_opts opts = { .sz = sizeof(opts), .fn = show };
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_trace *t = sonde_trace_new();

	if (sonde_check(path, &opts, &found, NULL) < 0 || found.severities[SONDE_SEVERITY_ERROR])
		abort();
	if (!t || sonde_trace_open(t, path, NULL) < 0)
		abort();
	sonde_trace_free(t);
}

/* Whatever repair wrote can be written again, unless the version has no room for it. */
static void convert(const char *path, uint32_t version, enum sonde_compression compression)
{
	const struct sonde_convert_opts opts = { .sz = sizeof(opts), .version = version, .compression = compression };
	struct sonde_rewrite *w = sonde_rewrite_new();
	char to[80];

	snprintf(to, sizeof(to), "%s.other", path);
	if (w && sonde_convert(w, path, to, &opts) == 0) {
		expect_sound(to);
		unlink(to);
	} else if (w && sonde_rewrite_error(w)->code != SONDE_UNSUPPORTED) {
		fprintf(stderr, "%s\n", sonde_rewrite_error(w)->text);
		abort();
	}
	sonde_rewrite_free(w);
}

static void repair_again(const char *path)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	char to[80];

	snprintf(to, sizeof(to), "%s.again", path);
	if (w && sonde_repair(w, path, to) == 0) {
		if (sonde_rewrite_loss_count(w))
			abort();
		unlink(to);
	}
	sonde_rewrite_free(w);
}

static void repair(const void *file, size_t n, bool seven)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	char path[64];

	snprintf(path, sizeof(path), "/tmp/sonde-fuzz-tracedat.%d", (int)getpid());
	if (w && sonde_repair_memory(w, file, n, path) == 0) {
		expect_sound(path);
		repair_again(path);
		convert(path, seven ? 6 : 7, SONDE_COMPRESSION_SAME);
		if (seven)
			convert(path, 7, SONDE_COMPRESSION_NONE);
		unlink(path);
	} else if (access(path, F_OK) == 0) {
		abort();  /* a failed run leaves nothing */
	}
	sonde_rewrite_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;
	uint8_t *file = tracedat_file(data, size, &n);

	if (!file)
		return 0;
	repair(file, n, data[0] & 1);
	free(file);
	return 0;
}
