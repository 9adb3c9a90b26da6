/* SPDX-License-Identifier: MIT */
/* perfdata_repair.c - whatever the input was, what repair writes has no errors, and as many records as it says */
#include <sonde/check.h>
#include <sonde/rewrite.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "consume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int show(void *ctx, const struct sonde_finding *f)
{
	(void)ctx;
	if (f->rule->severity == SONDE_SEVERITY_ERROR)
		fprintf(stderr, "0x%llx: %s: %s: expected %s, found %s\n", (unsigned long long)f->file_offset,
			f->rule->name, f->where, f->expected, f->found);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sonde_check_opts opts = { .sz = sizeof(opts), .fn = show };
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_rewrite *w = sonde_rewrite_new();
	struct sonde_trace *t;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/sonde-fuzz-repair.%d", (int)getpid());
	sonde_check_memory(data, size, NULL, &found, NULL);
	if (w && sonde_repair_memory(w, data, size, path) == 0) {
		if (sonde_check(path, &opts, &found, NULL) < 0 || found.severities[SONDE_SEVERITY_ERROR])
			abort();
		t = sonde_trace_new();
		if (sonde_trace_open(t, path, NULL) < 0)
			abort();
		sonde_trace_free(t);
		unlink(path);
	} else if (access(path, F_OK) == 0) {
		abort();  /* a failed run leaves nothing */
	}
	sonde_rewrite_free(w);
	return 0;
}
