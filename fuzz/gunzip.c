/* SPDX-License-Identifier: MIT */
/* Any bytes as a gzip file: never more than was asked for, and with a lower limit the beginning of the same text. */
#include <stdlib.h>
#include <string.h>

#include "codec/gunzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20, LESS = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sonde_error err = { .sz = sizeof(err), .file_offset = SONDE_NONE };
	struct buf whole = BUF_MEMORY, less = BUF_MEMORY;
	int r = gunzip(data, size, MOST, &whole, &err);

	if (whole.n > MOST || (r < 0 && (!err.code || (err.file_offset != SONDE_NONE && err.file_offset > size))))
		abort();
	if (gunzip(data, size, LESS, &less, NULL) == 0 && (r < 0 || less.n != whole.n))
		abort();
	if (less.n > LESS || less.n > whole.n || (less.n && memcmp(less.p, whole.p, less.n) != 0))
		abort();
	buf_free(&whole);
	buf_free(&less);
	return 0;
}
