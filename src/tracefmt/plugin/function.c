/* SPDX-License-Identifier: MIT */
/* function.c - function and func_repeats, records of the function tracer */
#include "tracefmt/plugin/plugins.h"

#define INDENT 3
#define NSEC 1000000000u

enum { IP, PARENT_IP, COUNT, TOP_DELTA, BOTTOM_DELTA };

bool print_function(const struct printing *p)
{
	if (p->context)
		seq_pad(p->out, ' ', (size_t)INDENT * p->context->depth);
	printing_function(p, printing_u64(p, IP));
	return true;
}

/* The function has been called again and again: how often, and when last. */
bool print_func_repeats(const struct printing *p)
{
	uint64_t delta = printing_u64(p, TOP_DELTA) << 32 | (uint32_t)printing_u64(p, BOTTOM_DELTA);
	uint64_t last = p->context && p->context->time > delta ? p->context->time - delta : 0;
	const struct conversion seconds = { .letter = 'u', .size = 8 },
				micros = { .letter = 'u', .size = 8, .zero = true };

	print_function(p);
	printing_str(p, " (count: ");
	seq_decimal(p->out, printing_u64(p, COUNT));
	printing_str(p, "  last_ts: ");
	last = (last + 500) / 1000;
	seq_integer(p->out, &seconds, 5, -1, last / (NSEC / 1000));
	seq_char(p->out, '.');
	seq_integer(p->out, &micros, 6, -1, last % (NSEC / 1000));
	seq_char(p->out, ')');
	return true;
}
