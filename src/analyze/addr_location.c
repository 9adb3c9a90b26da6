/* SPDX-License-Identifier: MIT */
#include "analyze/addr_location.h"

/*
 * The recorded mapping of the kernel ends with its text. Behind it lies the code for the start, which calls that of the
 * idle tasks and never returns: kallsyms names it.
 */
static struct addr_location find_behind_kernel(struct symbols *s, maps_root root, uint64_t ip)
{
	const struct mapping *before = maps_before(root, ip);
	struct addr_location p = { .symbol = SYMTAB_NONE };

	if (!before || before->binary->kind != BINARY_KERNEL)
		return p;
	p.table = symbols_table(s, before->binary);
	p.symbol = symtab_find(p.table, mapping_to_binary(before, ip));
	if (p.symbol == SYMTAB_NONE)
		p.table = NULL;
	else
		p.mapping = before;
	return p;
}

struct addr_location addr_location_find(struct symbols *s, maps_root root, uint64_t ip)
{
	struct addr_location p = { .mapping = maps_find(root, ip), .symbol = SYMTAB_NONE };

	if (!p.mapping)
		return find_behind_kernel(s, root, ip);
	if (p.mapping->binary->kind == BINARY_KSYMBOL)
		return p;
	p.table = symbols_table(s, p.mapping->binary);
	p.symbol = symtab_find(p.table, mapping_to_binary(p.mapping, ip));
	return p;
}

const char *addr_location_symbol(const struct addr_location *p, uint64_t ip, uint64_t *offset)
{
	if (p->symbol != SYMTAB_NONE) {
		*offset = mapping_to_binary(p->mapping, ip) - symtab_start(p->table, p->symbol);
		return symtab_name(p->table, p->symbol);
	}
	if (p->mapping && p->mapping->binary->kind == BINARY_KSYMBOL) {
		*offset = ip - p->mapping->start;
		return p->mapping->binary->name;
	}
	*offset = 0;
	return NULL;
}

enum sonde_binary_kind binary_public_kind(const struct binary *b)
{
	switch (b->kind) {
	case BINARY_FILE: return SONDE_BINARY_USER;
	case BINARY_VDSO: return SONDE_BINARY_VDSO;
	case BINARY_KERNEL: return SONDE_BINARY_KERNEL;
	case BINARY_KSYMBOL:
	case BINARY_MODULE: return SONDE_BINARY_MODULE;
	case BINARY_JIT: return SONDE_BINARY_JIT;
	case BINARY_OTHER: break;
	}
	return SONDE_BINARY_OTHER;
}
