/* SPDX-License-Identifier: MIT */
/* tracefmt_print.c - a `format` text, a NUL, and the raw bytes of a record of that event, in both byte orders */
#include "tracefmt/field.h"
#include "tracefmt/print.h"
#include "tracefmt/print_fields.h"
#include "tracefmt/text.h"
#include "tracefmt/tracefmt.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(struct sonde_str text, struct sonde_bytes raw, bool big_endian)
{
	struct tracefmt *t = tracefmt_new(big_endian, big_endian ? 4 : 8);
	const struct tracefmt_event *e;
	struct buf out = BUF_MEMORY;
	struct sonde_bytes bytes;
	uint64_t v;

	if (t && tracefmt_add_format(t, "fuzz", text, NULL) == 0) {
		e = tracefmt_event_at(t, 0);
		tracefmt_print(e, raw, NULL, &out);
		if (out.n > TRACEFMT_TEXT_MAX && !tracefmt_unprintable(e))
			abort();
		tracefmt_print_fields(e, raw, &out);
		for (size_t i = 0; i < e->nr_fields; i++) {
			tracefmt_element(e, &e->fields[i], raw, 1, &v);
			if (tracefmt_bytes(e, &e->fields[i], raw, &bytes) && bytes.len > raw.len)
				abort();
		}
	}
	buf_free(&out);
	tracefmt_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t text = nul ? (size_t)(nul - data) : size, left = nul ? size - text - 1 : 0;
	uint8_t *raw = malloc(left + !left);   /* a copy of its own, so that a read beyond it is seen */

	if (!raw)
		return 0;
	memcpy(raw, data + size - left, left);
	for (int big_endian = 0; big_endian < 2; big_endian++)
		print((struct sonde_str){ (const char *)data, text }, (struct sonde_bytes){ raw, left }, big_endian);
	free(raw);
	return 0;
}
