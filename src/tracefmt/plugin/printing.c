/* SPDX-License-Identifier: MIT */
#include "tracefmt/plugin/printing.h"

#include <string.h>

#include "tracefmt/context.h"
#include "tracefmt/field.h"

uint64_t printing_u64(const struct printing *p, unsigned i)
{
	uint64_t v;

	return p->fields[i] && tracefmt_u64(p->event, p->fields[i], p->raw, &v) ? v : 0;
}

bool printing_function_name(const struct printing *p, uint64_t address)
{
	struct sonde_str name;
	uint64_t offset;

	if (!context_symbol(p->event, p->context, address, &name, &offset))
		return false;
	seq_text(p->out, (const uint8_t *)name.p, name.len);
	return true;
}

void printing_function(const struct printing *p, uint64_t address)
{
	if (printing_function_name(p, address))
		return;
	seq_put(p->out, "0x", 2);
	seq_hex(p->out, address);
}

void printing_str(const struct printing *p, const char *s)
{
	seq_put(p->out, s, strlen(s));
}
