/* SPDX-License-Identifier: MIT */
/*
 * perfdata_compressed.c - compressed records, with a payload that is hostile itself or that hides hostile records
 *
 * The first byte says which: even, the rest are payloads as they are; odd, the rest are records, which are compressed
 * here so that the fuzzer gets past the decompressor. Its other bits are the size of the pieces, and the type.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "consume.h"
#include "stream.h"

enum { RECORD_COMPRESSED = 81, RECORD_COMPRESSED2 = 83, PAYLOAD_MAX = 65000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_payload(struct buf *b, bool second, const void *p, size_t n)
{
	size_t padding = second ? -n & 7 : 0;

	put_record_header(b, second ? RECORD_COMPRESSED2 : RECORD_COMPRESSED, (second ? 16 : 8) + n + padding);
	if (second)
		buf_put(b, &(uint64_t){ n }, 8);
	buf_put(b, p, n);
	buf_pad(b, 0, padding);
}

static void put_compressed(struct buf *b, ZSTD_CStream *z, bool second, const void *p, size_t n)
{
	char payload[PAYLOAD_MAX];
	ZSTD_outBuffer to = { payload, sizeof(payload), 0 };
	ZSTD_inBuffer from = { p, n, 0 };

	ZSTD_compressStream(z, &to, &from);
	ZSTD_flushStream(z, &to);
	put_payload(b, second, payload, to.pos);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct consumed by_file, by_time;
	struct buf b = BUF_MEMORY;
	ZSTD_CStream *z;
	size_t piece;

	if (size < 1)
		return 0;
	z = ZSTD_createCStream();
	if (!z)
		return 0;
	ZSTD_initCStream(z, 1);
	piece = (size_t)8 << (data[0] >> 2 & 15);
	if (piece > 32768)
		piece = 32768;
	put_stream_begin(&b);
	for (size_t at = 1, n; at < size; at += n) {
		n = size - at < piece ? size - at : piece;
		if (data[0] & 1)
			put_compressed(&b, z, data[0] & 2, data + at, n);
		else
			put_payload(&b, data[0] & 2, data + at, n);
	}
	ZSTD_freeCStream(z);
	if (!b.failed) {
		by_file = consume_trace(b.p, b.n, SONDE_ORDER_FILE);
		by_time = consume_trace(b.p, b.n, SONDE_ORDER_TIME);
		if (by_file.opened != by_time.opened || by_file.events != by_time.events ||
		    by_file.raw_bytes != by_time.raw_bytes)
			abort();
	}
	buf_free(&b);
	return 0;
}
