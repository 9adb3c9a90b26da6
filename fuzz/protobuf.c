/* SPDX-License-Identifier: MIT */
/* Any bytes as a message of Protocol Buffers: its fields, their bodies as texts, numbers and messages. */
#include <stdlib.h>

#include "base/protobuf_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEEPEST = 8 };

/* Makes reads of bytes happen. */
static volatile uint64_t read_sum;

static void read_message(struct cursor c, int depth)
{
	uint64_t v, sum = 0, end = c.at + cur_left(&c);
	struct pb_field f, numbers;

	while (pb_next(&c, &f) > 0) {
		struct sonde_str text = pb_string(&f);

		if (!f.number || f.at >= end || c.at > end || text.len > end - f.at)
			abort();
		for (size_t i = 0; i < text.len; i++)
			sum += (uint8_t)text.p[i];
		numbers = f;
		while (pb_next_number(&numbers, &v) > 0)
			sum += v;
		if (f.wire == 2 && depth < DEEPEST)
			read_message(f.body, depth + 1);
	}
	read_sum = sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sonde_error err = { .sz = sizeof(err), .file_offset = SONDE_NONE };

	read_message(cur_new(data, size, 0, false, &err), 0);
	return 0;
}
