/* SPDX-License-Identifier: MIT */
#include "tracefmt/context.h"

#include "tracefmt/print.h"

bool context_symbol(const struct tracefmt_event *e, const struct tracefmt_context *context, uint64_t address,
		     struct sonde_str *name, uint64_t *offset)
{
	if (context && context->symbol && context->symbol(context->ctx, address, name, offset))
		return true;
	return tracefmt_symbol(e->set, context ? context->boot : NULL, address, name, offset);
}

const char *context_constant(const struct tracefmt_event *e, const struct tracefmt_context *context, uint64_t address)
{
	return tracefmt_boot_address(e->set, context ? context->boot : NULL, &address) ?
		tracefmt_printk(e->set, address) :
		NULL;
}
