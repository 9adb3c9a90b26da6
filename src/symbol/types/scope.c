/* SPDX-License-Identifier: MIT */
#include "symbol/types/scope.h"

#include <sonde/types.h>

static bool is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
}

int scopes_around(Dwarf_Die *function, uint64_t addr, Dwarf_Die out[SCOPES_MAX], uint64_t *work)
{
	Dwarf_Die child;
	int n = 0;
	bool more;

	out[n++] = *function;
	more = die_first(function, &child);
	while (more && n < SCOPES_MAX && die_work(work, 1)) {
		if (is_scope(dwarf_tag(&child)) && dwarf_haspc(&child, addr) > 0) {
			out[n] = child;
			more = die_first(&out[n++], &child);
		} else {
			more = die_next(&child);
		}
	}
	return n;
}

bool scope_start(Dwarf_Die *scope, uint64_t *start)
{
	Dwarf_Addr base, from, to;

	if (dwarf_ranges(scope, 0, &base, &from, &to) <= 0)
		return false;
	*start = from;
	return true;
}

/* The operations after the first one that change neither place nor meaning of a variable. */
static bool is_simple(const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 1; i < n; i++)
		switch (ops[i].atom) {
		case DW_OP_stack_value:
		case DW_OP_deref:
		case DW_OP_deref_size:
		case DW_OP_piece:
			break;
		default:
			return false;
		}
	return n > 0;
}

/* The address that a DW_OP_addr has, or an index into a table of addresses stands for. */
static bool address_of(Dwarf_Attribute *attr, const Dwarf_Op *op, uint64_t *addr)
{
	Dwarf_Attribute other;
	Dwarf_Addr value;

	if (op->atom == DW_OP_addr) {
		*addr = op->number;
		return true;
	}
	if ((op->atom != DW_OP_addrx && op->atom != DW_OP_GNU_addr_index) ||
	    dwarf_getlocation_attr(attr, op, &other) != 0 || dwarf_formaddr(&other, &value) != 0)
		return false;
	*addr = value;
	return true;
}

bool variable_address(Dwarf_Die *variable, uint64_t *addr)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	return dwarf_attr_integrate(variable, DW_AT_location, &attr) && dwarf_getlocation(&attr, &ops, &n) == 0 &&
	       n == 1 && address_of(&attr, ops, addr);
}

/* Takes a place that is simple enough; false: another one. */
static bool take_place(struct variable *v, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n)
{
	const Dwarf_Op *op = ops;
	bool is_value = n == 2 && ops[1].atom == DW_OP_stack_value;
	uint64_t addr;

	if (!is_simple(ops, n))
		return false;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		v->place = VARIABLE_IN_REG;
		v->reg = op->atom - DW_OP_reg0;
	} else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		v->place = is_value ? VARIABLE_IN_REG : VARIABLE_AT_REG;
		v->reg = op->atom - DW_OP_breg0;
		v->offset = (int64_t)op->number;
	} else if (op->atom == DW_OP_fbreg && !is_value) {
		v->place = VARIABLE_ON_FRAME;
		v->offset = (int64_t)op->number;
	} else if (address_of(attr, op, &addr) && !is_value) {
		v->place = VARIABLE_AT_ADDRESS;
		v->offset = (int64_t)addr;
	} else {
		return false;
	}
	return true;
}

static int collect_locations(struct scope *scope, Dwarf_Die *die)
{
	struct variable v = { 0 };
	Dwarf_Addr base, start, end;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0, next;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attr) || !die_type(die, &v.type))
		return 0;
	v.size = die_size(&v.type);
	while ((next = dwarf_getlocations(&attr, at, &base, &start, &end, &ops, &n)) > at) {
		at = next;
		v.offset = 0;
		if (!n || !take_place(&v, &attr, ops, n))
			continue;
		v.everywhere = start == 0 && end == (Dwarf_Addr)-1;
		v.start = start;
		v.end = end;
		if (vec_push(&scope->variables, v) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

int scope_collect(struct scope *scope)
{
	Dwarf_Die child;
	int r = 0;
	bool more;

	for (more = die_first(&scope->die, &child); more && r == 0; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_variable || dwarf_tag(&child) == DW_TAG_formal_parameter)
			r = collect_locations(scope, &child);
	return r;
}
