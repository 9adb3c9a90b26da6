/* SPDX-License-Identifier: MIT */
/* kmem.c - who allocates and frees is told by name, before the text of the print format */
#include "tracefmt/context.h"
#include "tracefmt/plugin/plugins.h"

enum { CALL_SITE };

bool print_call_site(const struct printing *p)
{
	uint64_t address = printing_u64(p, CALL_SITE), offset;
	struct sonde_str name;

	if (!context_symbol(p->event, p->context, address, &name, &offset))
		return false;
	seq_char(p->out, '(');
	seq_text(p->out, (const uint8_t *)name.p, name.len);
	seq_put(p->out, "+0x", 3);
	seq_hex(p->out, offset);
	seq_put(p->out, ") ", 2);
	return false;
}
