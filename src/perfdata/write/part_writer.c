/* SPDX-License-Identifier: MIT */
#include "perfdata/write/part_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/zstd.h"
#include "perfdata/format/header.h"
#include "perfdata/format/record.h"

#define COMPRESSED_HEADER_BYTES 8
#define COMPRESSED2_HEADER_BYTES 16

void part_writer_free(struct part_writer *l)
{
	stream_packer_free(&l->packer);
	free(l->gathered);
	output_close(&l->own);
}

/* One COMPRESSED record around the payload of n bytes after its header. */
static void put_packed(struct part_writer *l, struct packing *how, uint8_t *record, size_t header, size_t n)
{
	size_t size = how->aligned ? ALIGN_UP(header + n, (size_t)8) : header + n;
	uint32_t type = how->aligned ? RECORD_COMPRESSED2 : RECORD_COMPRESSED;
	uint16_t misc = 0, size16 = (uint16_t)size;
	uint64_t data_size = n;

	memset(record + header + n, 0, size - header - n);
	if (how->swap) {
		type = bswap_32(type);
		size16 = bswap_16(size16);
		data_size = bswap_64(data_size);
	}
	memcpy(record, &type, 4);
	memcpy(record + 4, &misc, 2);
	memcpy(record + 6, &size16, 2);
	if (how->aligned)
		memcpy(record + 8, &data_size, 8);
	buf_put(&l->to->buf, record, size);
	how->nr_packed += n;
}

int part_writer_pack(struct part_writer *l, struct packing *how, size_t keep, struct sonde_error *err)
{
	size_t n = keep < l->nr_gathered ? l->nr_gathered - keep : 0;
	struct codec_io io = { .in = l->gathered, .nr_in = n };
	size_t header = how->aligned ? COMPRESSED2_HEADER_BYTES : COMPRESSED_HEADER_BYTES;
	uint8_t record[RECORD_BYTES_MAX];
	int r = 1;

	if (n == 0)
		return 0;
	how->nr_plain += n;
	while (r > 0) {
		io.out = record + header;
		io.nr_out = sizeof(record) - header;
		r = stream_packer_step(&l->packer, &io, err);
		if (r < 0)
			return r;
		if (io.nr_out < sizeof(record) - header)
			put_packed(l, how, record, header, sizeof(record) - header - io.nr_out);
	}
	l->nr_gathered -= n;
	memmove(l->gathered, l->gathered + n, l->nr_gathered);
	return l->to->buf.failed;
}

static int gather(struct part_writer *l, struct packing *how, const void *p, size_t n, struct sonde_error *err)
{
	int r = 0;

	if (!l->gathered) {
		l->gathered = malloc(PART_GATHER_BYTES);
		r = l->gathered ? stream_packer_init(&l->packer, &codec_zstd, how->level, err) : err_nomem(err);
	}
	if (r == 0 && n > PART_GATHER_BYTES - l->nr_gathered)
		r = part_writer_pack(l, how, 0, err);
	if (r < 0)
		return r;
	memcpy(l->gathered + l->nr_gathered, p, n);
	l->nr_gathered += n;
	return 0;
}

int part_writer_plain(struct part_writer *l, struct packing *how, const void *p, size_t n, struct sonde_error *err)
{
	int r = part_writer_pack(l, how, 0, err);

	if (r < 0)
		return r;
	buf_put(&l->to->buf, p, n);
	return l->to->buf.failed;
}

int part_writer_record(struct part_writer *l, struct packing *how, const void *p, size_t n, struct sonde_error *err)
{
	bool packed = how->level && load_u32(p, how->swap) < RECORD_USER;

	return packed ? gather(l, how, p, n, err) : part_writer_plain(l, how, p, n, err);
}
