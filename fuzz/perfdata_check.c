/* SPDX-License-Identifier: MIT */
/* perfdata_check.c - the rules, over bytes in memory and through the window on a file: the same findings */
#include <sonde/check.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int sum_up(void *ctx, const struct sonde_finding *f)
{
	uint64_t *sum = ctx;

	*sum = *sum * 31 + f->file_offset + strlen(f->where) + strlen(f->expected) + strlen(f->found);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t in_memory = 0, in_file = 0;
	struct sonde_check_opts opts = { .sz = sizeof(opts), .fn = sum_up, .ctx = &in_memory };
	struct sonde_check_result found = { .sz = sizeof(found) }, again = { .sz = sizeof(again) };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[32];

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		sonde_check_memory(data, size, &opts, &found, NULL);
		opts.ctx = &in_file;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (sonde_check(path, &opts, &again, NULL) < 0 || in_memory != in_file ||
		    found.records != again.records)
			abort();
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
