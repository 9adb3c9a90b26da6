/* SPDX-License-Identifier: MIT */
/* dictionary.c - prints the words of perf.data for libFuzzer: magics, record headers, features, bits; all from the
 * tables */
#include <stdio.h>

#include "perfdata/format/feature.h"
#include "perfdata/format/record.h"
#include "perfdata/format/sample.h"

static void word(const void *p, size_t n)
{
	const uint8_t *b = p;

	putchar('"');
	for (size_t i = 0; i < n; i++)
		printf("\\x%02x", b[i]);
	puts("\"");
}

/* In both byte orders. */
static void number32(uint32_t v)
{
	word(&v, sizeof(v));
	v = bswap_32(v);
	word(&v, sizeof(v));
}

static void number64(uint64_t v)
{
	word(&v, sizeof(v));
	v = bswap_64(v);
	word(&v, sizeof(v));
}

static void record(uint32_t type, uint16_t size)
{
	struct record_header h = { type, 0, (uint16_t)ALIGN_UP((unsigned)size, 8U) };

	word(&h, sizeof(h));
	h = (struct record_header){ bswap_32(h.type), 0, bswap_16(h.size) };
	word(&h, sizeof(h));
}

int main(void)
{
	const struct feature *features;
	size_t nr;

	word("PERFILE2", 8);
	word("2ELIFREP", 8);
	word("PERFFILE", 8);
	word("\x28\xb5\x2f\xfd", 4);  /* zstd */
	for (uint32_t type = 0; type < RECORD_HEADER_MAX; type++)
		if (record_type_find(type))
			record(type, record_type_find(type)->min_size);
	features = feature_table(&nr);
	for (size_t i = 0; i < nr; i++)
		number32(features[i].id);
	for (uint64_t bit = 1; bit & SAMPLE_KNOWN; bit <<= 1)
		number64(bit);
	number64(UINT64_MAX);
	return 0;
}
