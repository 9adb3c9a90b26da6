/* SPDX-License-Identifier: MIT */
/*
 * perfdata_sample.c - one sample of an event that the input describes
 *
 * 40 bytes of its attr (sample_type, read_format, branch_sample_type, registers in user space and at interrupts), a
 * byte whose first bit is the byte order, then the body. Both ways to take a sample apart agree, and every byte of
 * every view is there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "consume.h"
#include "perfdata/format/record.h"
#include "perfdata/format/sample.h"

enum { ATTR_WORDS = 5, HEAD_BYTES = 8 * ATTR_WORDS + 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where every byte goes, so that no read is optimised away. */
static volatile uint64_t sink;

static void touch(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sink += p[i];
}

static void touch_u64s(const struct u64s *a)
{
	for (uint64_t i = 0; i < a->nr; i++)
		sink += u64s_at(a, i);
}

/* Reads each byte of each view in a sample. */
static void consume_sample(const struct sample *s)
{
	for (uint64_t i = 0; i < s->read.nr; i++)
		sink += read_value_at(&s->read, i).value;
	touch_u64s(&s->callchain);
	touch(s->raw.p, s->raw.len);
	for (uint64_t i = 0; i < s->branches.nr; i++)
		sink += sample_branch_at(s, i).from;
	touch_u64s(&s->user_regs.values);
	touch_u64s(&s->intr_regs.values);
	touch(s->user_stack.p, s->user_stack.len);
	touch(s->aux.p, s->aux.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample_field spans[SAMPLE_FIELDS_MAX];
	struct sonde_attr attr = { .type = 1, .size = 136 };
	uint64_t words[ATTR_WORDS];
	struct sample s;
	struct buf b = BUF_MEMORY;
	size_t nr, end = RECORD_HEADER_BYTES;
	uint16_t bytes;
	int r;
	bool swap;

	if (size < HEAD_BYTES || size - HEAD_BYTES > UINT16_MAX - RECORD_HEADER_BYTES)
		return 0;
	memcpy(words, data, sizeof(words));
	attr.sample_type = words[0];
	attr.read_format = words[1];
	attr.branch_sample_type = words[2];
	attr.sample_regs_user = words[3];
	attr.sample_regs_intr = words[4];
	swap = data[HEAD_BYTES - 1] & 1;
	bytes = (uint16_t)(size - HEAD_BYTES + RECORD_HEADER_BYTES);
	buf_put(&b, &(uint32_t){ swap ? bswap_32(RECORD_SAMPLE) : RECORD_SAMPLE }, 4);
	buf_put(&b, &(uint16_t[]){ 0, swap ? bswap_16(bytes) : bytes }, 4);
	buf_put(&b, data + HEAD_BYTES, size - HEAD_BYTES);
	if (b.failed == 0) {
		r = sample_decode((uint8_t *)b.p, bytes, &attr, swap, &s);
		consume_sample(&s);
		if (sample_fields((uint8_t *)b.p, bytes, &attr, swap, spans, &nr) != r)
			abort();
		for (size_t i = 0; i < nr; end += spans[i++].bytes)
			if (spans[i].at != end || spans[i].bytes > bytes - end)
				abort();
	}
	buf_free(&b);
	return 0;
}
