/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/abbrev.h"

#include <stdlib.h>

/* Attributes of every entry that is walked into, and those of units. */
static enum die_attr attr_of(uint64_t name, enum die_kind kind)
{
	switch (name) {
	case DW_AT_sibling:
		return ATTR_SIBLING;
	case DW_AT_name:
		return ATTR_NAME;
	case DW_AT_low_pc:
		return ATTR_LOW_PC;
	case DW_AT_high_pc:
		return ATTR_HIGH_PC;
	case DW_AT_ranges:
		return ATTR_RANGES;
	case DW_AT_declaration:
		return ATTR_DECLARATION;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return ATTR_LINKAGE_NAME;
	case DW_AT_abstract_origin:
		return ATTR_ABSTRACT_ORIGIN;
	case DW_AT_specification:
		return ATTR_SPECIFICATION;
	case DW_AT_call_file:
		return ATTR_CALL_FILE;
	case DW_AT_call_line:
		return ATTR_CALL_LINE;
	case DW_AT_call_column:
		return ATTR_CALL_COLUMN;
	}
	if (kind != DIE_UNIT && kind != DIE_PARTIAL_UNIT)
		return ATTR_NONE;
	switch (name) {
	case DW_AT_language:
		return ATTR_LANGUAGE;
	case DW_AT_stmt_list:
		return ATTR_STMT_LIST;
	case DW_AT_comp_dir:
		return ATTR_COMP_DIR;
	case DW_AT_str_offsets_base:
		return ATTR_STR_OFFSETS_BASE;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		return ATTR_ADDR_BASE;
	case DW_AT_rnglists_base:
		return ATTR_RNGLISTS_BASE;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		return ATTR_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return ATTR_DWO_ID;
	case DW_AT_GNU_ranges_base:
		return ATTR_GNU_RANGES_BASE;
	}
	return ATTR_NONE;
}

static enum die_attr wanted(uint64_t name, enum die_kind kind)
{
	enum die_attr attr = attr_of(name, kind);

	if (kind == DIE_OTHER || kind == DIE_BLOCK)
		return attr == ATTR_SIBLING ? attr : ATTR_NONE;
	if (kind == DIE_SCOPE)
		return attr == ATTR_SIBLING || attr == ATTR_NAME || attr == ATTR_DECLARATION ||
		       attr == ATTR_SPECIFICATION || attr == ATTR_ABSTRACT_ORIGIN ? attr : ATTR_NONE;
	return attr;
}

static enum die_kind kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
	case DW_TAG_skeleton_unit:
		return DIE_UNIT;
	case DW_TAG_partial_unit:
		return DIE_PARTIAL_UNIT;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
		return DIE_SCOPE;
	case DW_TAG_subprogram:
		return DIE_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return DIE_INLINED;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return DIE_BLOCK;
	default:
		return DIE_OTHER;
	}
}

/* The steps of the attributes that follow. step: the one that is being made. */
static int compile_attributes(struct abbrev_table *t, struct dwarf_scan *s, enum die_kind kind,
			      const struct form_sizes *sizes)
{
	struct abbrev_step step = { 0 };

	for (;;) {
		uint64_t name = scan_uleb(s), form = scan_uleb(s);
		enum die_attr attr = wanted(name, kind);
		int size;

		if (form == DW_FORM_implicit_const)
			step.implicit = scan_sleb(s);
		if ((!name && !form) || s->failed || form > UINT16_MAX)
			break;
		size = form_size((uint16_t)form, sizes);
		if (attr == ATTR_NONE && size >= 0 && step.skip < UINT32_MAX - 16) {
			step.skip += (uint32_t)size;
			continue;
		}
		step.attr = (uint8_t)attr;
		step.form = (uint16_t)form;
		step.size = size > 0 && size <= 8 ? (int8_t)size : 0;
		if (vec_push(&t->steps, step) < 0)
			return -SONDE_NOMEM;
		step = (struct abbrev_step){ 0 };
	}
	return step.skip ? vec_push(&t->steps, step) : 0;
}

static int by_code(const void *a, const void *b)
{
	const struct abbrev *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return (x->first_step > y->first_step) - (x->first_step < y->first_step);
}

static void sort(struct abbrev_table *t)
{
	for (size_t i = 1; i < t->abbrevs.n; i++)
		if (t->abbrevs.at[i - 1].code >= t->abbrevs.at[i].code) {
			qsort(t->abbrevs.at, t->abbrevs.n, sizeof(*t->abbrevs.at), by_code);
			return;
		}
}

struct abbrev_table *abbrev_table_new(struct dwarf_scan from, const struct form_sizes *sizes, uint64_t only_code,
				      size_t *used)
{
	struct abbrev_table *t = calloc(1, sizeof(*t));
	const uint8_t *begin = from.p;
	int r = t ? 0 : -SONDE_NOMEM;

	while (r == 0) {
		struct abbrev a = { .code = scan_uleb(&from), .first_step = t ? (uint32_t)t->steps.n : 0 };
		uint64_t tag = a.code ? scan_uleb(&from) : 0;

		if (!a.code || from.failed)
			break;
		a.kind = (uint8_t)kind_of(tag);
		a.is_namespace = tag == DW_TAG_namespace;
		a.children = scan_u8(&from) != 0;
		r = compile_attributes(t, &from, kind_of(tag), sizes);
		if (from.failed || t->steps.n > UINT32_MAX)
			break;
		a.nr_steps = (uint32_t)t->steps.n - a.first_step;
		if (only_code && a.code != only_code)
			t->steps.n = 0;
		else if (r == 0)
			r = vec_push(&t->abbrevs, a);
		if (a.code == only_code)
			break;
	}
	*used = (size_t)(from.p - begin);
	if (r < 0) {
		abbrev_table_free(t);
		return NULL;
	}
	sort(t);
	return t;
}

void abbrev_table_free(struct abbrev_table *t)
{
	if (!t)
		return;
	vec_free(&t->abbrevs);
	vec_free(&t->steps);
	free(t);
}

const struct abbrev *abbrev_search(const struct abbrev_table *t, uint64_t code)
{
	size_t low = 0, high = t->abbrevs.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->abbrevs.at[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->abbrevs.n && t->abbrevs.at[low].code == code ? &t->abbrevs.at[low] : NULL;
}
