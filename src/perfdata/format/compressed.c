/* SPDX-License-Identifier: MIT */
/*
 * compressed.c - the fields of COMPRESSED and COMPRESSED2: PERF_RECORD_COMPRESSED in
 * tools/lib/perf/include/perf/event.h
 */
#include "perfdata/format/compressed.h"

#include "perfdata/format/sample.h"

#define COMPRESSED2_BYTES 16

/*
 * Recorders of 6.16 and some after it split what does not fit into one record, and then wrote the size of all pieces,
 * cut to 16 bits, as the size of the first: which has all the bytes that a record can have.
 */
#define COMPRESSED2_SPLIT_BYTES 65535

static bool is_split(const uint8_t *p, uint16_t size, bool swap)
{
	uint64_t data_size = load_u64(p + 8, swap);

	return data_size > COMPRESSED2_SPLIT_BYTES - COMPRESSED2_BYTES && data_size < UINT32_MAX &&
	       (uint16_t)ALIGN_UP(data_size + COMPRESSED2_BYTES, 8) == size;
}

uint16_t compressed2_size(const uint8_t *p, uint16_t size, bool swap)
{
	return is_split(p, size, swap) ? COMPRESSED2_SPLIT_BYTES : size;
}

/* The payload of either record. Where data_size makes no sense it was never set, and nothing pads the payload. */
struct sonde_bytes compressed_payload(const uint8_t *p, const struct record_header *h, bool swap)
{
	size_t header = h->type == RECORD_COMPRESSED ? RECORD_HEADER_BYTES : COMPRESSED2_BYTES;
	struct sonde_bytes b = { p + header, h->size - header };
	uint64_t data_size;

	if (h->size < header)
		return (struct sonde_bytes){ NULL, 0 };
	if (h->type == RECORD_COMPRESSED2) {
		data_size = load_u64(p + 8, swap);
		if (data_size <= b.len && b.len - data_size < 8)
			b.len = data_size;
	}
	return b;
}

bool compressed_begins_stream(struct sonde_bytes b)
{
	return b.len >= 4 && memcmp(b.p, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* A stream cannot expand without end. Samples with stacks of zeros come to a few hundred times their bytes. */
#define EXPANSION_MAX 1000
#define EXPANSION_FREE_BYTES (16 << 20)

bool compressed_expands_too_far(uint64_t nr_in, uint64_t nr_out)
{
	return nr_out / EXPANSION_MAX > nr_in + EXPANSION_FREE_BYTES / EXPANSION_MAX;
}
