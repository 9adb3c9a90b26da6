/* SPDX-License-Identifier: MIT */
/* tracefmt_format.c - any text as a `format` file; its print format is compiled and run over a record of zeros */
#include "tracefmt/print.h"
#include "tracefmt/tracefmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t zeros[256];
	struct tracefmt *t = tracefmt_new(size & 1, size & 2 ? 4 : 8);
	struct buf out = BUF_MEMORY;

	if (!t)
		return 0;
	if (tracefmt_add_format(t, "fuzz", (struct sonde_str){ (const char *)data, size }, NULL) == 0)
		tracefmt_print(tracefmt_event_at(t, 0), (struct sonde_bytes){ zeros, sizeof(zeros) }, NULL, &out);
	buf_free(&out);
	tracefmt_free(t);
	return 0;
}
