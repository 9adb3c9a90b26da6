/* SPDX-License-Identifier: MIT */
/* dat_check.c - a trace.dat after its magic and version (6 if the first byte is even): counted the same twice, and
 * every finding has its texts */
#include <sonde/check.h>

#include <stdlib.h>
#include <string.h>

#include "tracedat_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(void *ctx, const struct sonde_finding *f)
{
	uint64_t *n = ctx;

	if (!f->rule->name || !f->rule->text || strlen(f->where) + strlen(f->expected) + strlen(f->found) == 0)
		abort();
	n[f->rule->severity]++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t told[3] = { 0 };
	const struct sonde_check_opts opts = { .sz = sizeof(opts), .fn = count, .ctx = told };
	struct sonde_check_result found = { .sz = sizeof(found) }, again = { .sz = sizeof(again) };
	size_t n;
	uint8_t *file = tracedat_file(data, size, &n);

	if (!file)
		return 0;
	if (sonde_check_memory(file, n, &opts, &found, NULL) == 0 && memcmp(told, found.severities, sizeof(told)) != 0)
		abort();
	if (sonde_check_memory(file, n, NULL, &again, NULL) == 0 && again.records != found.records)
		abort();
	free(file);
	return 0;
}
