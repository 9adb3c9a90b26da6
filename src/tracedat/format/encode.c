/* SPDX-License-Identifier: MIT */
#include "tracedat/format/encode.h"

void dat_encode_header(struct buf *b, uint32_t version, bool big_endian, uint8_t long_size, uint32_t page_size)
{
	static const char magic[] = "\x17\x08\x44tracing";

	buf_put(b, magic, sizeof(magic) - 1);
	buf_u64(b, version);
	buf_char(b, 0);
	buf_char(b, (char)big_endian);
	buf_char(b, (char)long_size);
	put_u32(b, page_size, big_endian != host_is_big_endian());
}

void dat_encode_section(struct buf *b, bool swap, uint16_t id, uint16_t flags, uint32_t description, uint64_t size)
{
	put_u16(b, id, swap);
	put_u16(b, flags, swap);
	put_u32(b, description, swap);
	put_u64(b, size, swap);
}

void dat_encode_option(struct buf *b, bool swap, uint16_t id, const void *data, uint32_t size)
{
	put_u16(b, id, swap);
	put_u32(b, size, swap);
	buf_put(b, data, size);
}
