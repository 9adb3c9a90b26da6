/* SPDX-License-Identifier: MIT */
/* stack.c - kernel_stack: as many return addresses as its size says, whatever the declared bound of the array is */
#include "tracefmt/plugin/plugins.h"

#include "base/bytes.h"

enum { CALLER, SIZE };

bool print_kernel_stack(const struct printing *p)
{
	uint8_t size = p->event->long_size;
	size_t at = p->fields[CALLER]->offset;
	uint64_t nr = printing_has(p, SIZE) ? printing_u64(p, SIZE) : UINT64_MAX, ip;

	printing_str(p, "<stack trace >");
	for (uint64_t i = 0; i < nr && at <= p->raw.len && p->raw.len - at >= size && p->out->p < p->out->end;
	     i++, at += size) {
		ip = size == 8 ? load_u64(p->raw.p + at, p->event->swap) : load_u32(p->raw.p + at, p->event->swap);
		if (ip == (size == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		printing_str(p, "\n=> ");
		if (printing_function_name(p, ip)) {
			printing_str(p, " (");
			seq_hex(p->out, ip);
			seq_char(p->out, ')');
		} else {
			seq_hex(p->out, ip);
		}
	}
	return true;
}
