/* SPDX-License-Identifier: MIT */
#include "resolve/addr_location.h"

#include <string.h>

#include "base/bytes.h"
#include "tracefmt/tracefmt.h"

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

static struct addr_location find(struct symbols *s, maps_root root, uint64_t ip)
{
	struct addr_location p = { .mapping = maps_find(root, ip), .symbol = SYMTAB_NONE };

	if (!p.mapping)
		p = find_behind_kernel(s, root, ip);
	else if (p.mapping->binary->kind != BINARY_KSYMBOL) {
		p.table = symbols_table(s, p.mapping->binary);
		p.symbol = symtab_find(p.table, mapping_to_binary(p.mapping, ip));
	}
	p.looked_up = ip;
	return p;
}

struct addr_location addr_location_find(struct symbols *s, maps_root root, uint64_t ip, bool is_caller)
{
	struct addr_location p, before;

	if (!is_caller)
		return find(s, root, ip);
	before = find(s, root, ip - 1);
	if (before.symbol != SYMTAB_NONE)
		return before;
	p = find(s, root, ip);  /* a handler returns to the begin of a function that nothing calls */
	return p.symbol != SYMTAB_NONE || !before.mapping ? p : before;
}

void locator_free(struct locator *l)
{
	strpool_free(&l->names);
}

void locator_name_in_kernel(struct locator *l, uint64_t ip, struct addr_location *p)
{
	struct sonde_str name;
	uint64_t offset;
	uint32_t number;

	if (!tracefmt_symbol(l->kernel, NULL, ip, &name, &offset))
		return;
	number = strpool_add(&l->names, name.p, name.len);
	l->out_of_memory |= number == UINT32_MAX;
	if (number == UINT32_MAX)
		return;
	p->kernel_name = strpool_get(&l->names, number);
	p->kernel_offset = offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
}

const char *addr_location_module(const struct addr_location *p)
{
	if (p->mapping)
		return p->mapping->binary->name;
	return p->kernel_name ? "[kernel.kallsyms]" : NULL;
}

static bool begins_as_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}

bool addr_location_is_handler_entry(const struct addr_location *p)
{
	static const char *const signals[] = {
		"__restore", "__default_sa_restorer", "__default_rt_sa_restorer", "__kernel_rt_sigreturn",
		"__kernel_sigreturn", "__vdso_rt_sigreturn",
	};
	static const char *const interrupts[] = {
		"asm_", "end_repeat_nmi", "el1_", "el1h_", "el1t_", "__irq_svc", "__dabt_svc", "__pabt_svc",
		"__und_svc", "ext_int_handler", "io_int_handler", "pgm_check_handler", "handle_exception",
	};
	const char *name;

	if (p->symbol == SYMTAB_NONE)
		return false;
	name = symtab_linkage_name(p->table, p->symbol);
	if (p->mapping->binary->kind == BINARY_KERNEL)
		return begins_as_one_of(name, interrupts, ARRAY_SIZE(interrupts));
	return p->mapping->binary->kind <= BINARY_VDSO && begins_as_one_of(name, signals, ARRAY_SIZE(signals));
}

size_t addr_location_source(const struct addr_location *p, struct source_lines *lines,
			    const struct source_frame **frames)
{
	if (!lines || !p->mapping)
		return 0;
	return source_lines_find(lines, p->mapping->binary, mapping_to_binary(p->mapping, p->looked_up), frames);
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
	*offset = p->kernel_offset;
	return p->kernel_name;
}

uint64_t addr_location_offset_in(const struct addr_location *p, uint64_t ip)
{
	if (p->symbol != SYMTAB_NONE)
		return mapping_to_binary(p->mapping, ip) - symtab_start(p->table, p->symbol);
	return p->mapping && p->mapping->binary->kind == BINARY_KSYMBOL ? ip - p->mapping->start : ip;
}

uint64_t addr_location_offset(struct symbols *s, maps_root root, uint64_t ip)
{
	struct addr_location p = addr_location_find(s, root, ip, false);

	return addr_location_offset_in(&p, ip);
}

bool addr_location_is_unnamed_code(const struct addr_location *p)
{
	return p->symbol == SYMTAB_NONE && p->mapping && p->mapping->binary->kind == BINARY_JIT;
}

enum sonde_binary_kind binary_public_kind(const struct binary *b)
{
	switch (b->kind) {
	case BINARY_FILE: return SONDE_BINARY_USER;
	case BINARY_VDSO: return SONDE_BINARY_VDSO;
	case BINARY_KERNEL: return SONDE_BINARY_KERNEL;
	case BINARY_KSYMBOL:
	case BINARY_MODULE: return SONDE_BINARY_MODULE;
	case BINARY_JIT:
	case BINARY_JITDUMP: return SONDE_BINARY_JIT;
	case BINARY_OTHER: break;
	}
	return SONDE_BINARY_OTHER;
}
