/* SPDX-License-Identifier: MIT */
#include "symbol/types/die.h"

#include "symbol/types/offset.h"

/* Longer chains of types, and arrays of more dimensions, are not honest. */
enum { DEPTH_MAX = 32, DIMENSIONS_MAX = 16 };

bool die_work(uint64_t *work, uint64_t steps)
{
	bool enough = *work >= steps;

	*work = enough ? *work - steps : 0;
	return enough;
}

bool die_first(Dwarf_Die *die, Dwarf_Die *child)
{
	Dwarf_Off own = dwarf_dieoffset(die);

	return dwarf_child(die, child) == 0 && dwarf_dieoffset(child) > own;
}

bool die_next(Dwarf_Die *child)
{
	Dwarf_Off own = dwarf_dieoffset(child);

	return dwarf_siblingof(child, child) == 0 && dwarf_dieoffset(child) > own;
}

static bool is_qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_shared_type:
	case DW_TAG_packed_type:
	case DW_TAG_immutable_type:
	case DW_TAG_atomic_type:
		return true;
	}
	return false;
}

static bool type_of(const Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Die copy = *die;
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(&copy, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Die at;

	if (!type_of(die, &at))
		return false;
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (!is_qualifier(dwarf_tag(&at))) {
			*type = at;
			return true;
		}
		if (!type_of(&at, &at))
			return false;
	}
	return false;
}

bool die_real(const Dwarf_Die *type, Dwarf_Die *real)
{
	Dwarf_Die at = *type;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (dwarf_tag(&at) != DW_TAG_typedef) {
			*real = at;
			return true;
		}
		if (!die_type(&at, &at))
			return false;
	}
	return false;
}

static int real_tag(const Dwarf_Die *type)
{
	Dwarf_Die real;

	return die_real(type, &real) ? dwarf_tag(&real) : DW_TAG_invalid;
}

bool die_is_pointer(const Dwarf_Die *type)
{
	switch (real_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_array_type:
		return true;
	}
	return false;
}

bool die_is_compound(const Dwarf_Die *type)
{
	int tag = real_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

bool die_pointee(const Dwarf_Die *type, Dwarf_Die *pointee)
{
	Dwarf_Die real;

	return die_is_pointer(type) && die_real(type, &real) && die_type(&real, pointee);
}

bool die_is_same(const Dwarf_Die *a, const Dwarf_Die *b)
{
	return a->cu == b->cu && a->addr == b->addr;
}

static bool number_of(const Dwarf_Die *die, unsigned int name, uint64_t *value)
{
	Dwarf_Die copy = *die;
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(&copy, name, &attr) || dwarf_formudata(&attr, &word) != 0)
		return false;
	*value = word;
	return true;
}

/* Elements of all dimensions; 0: not known. */
static uint64_t elements_of(const Dwarf_Die *array)
{
	Dwarf_Die copy = *array, range;
	uint64_t all = 0, count, upper, lower;
	int dimensions = 0;
	bool more;

	for (more = die_first(&copy, &range); more; more = die_next(&range)) {
		if (dimensions++ == DIMENSIONS_MAX)
			return 0;
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		lower = 0;
		number_of(&range, DW_AT_lower_bound, &lower);
		if (number_of(&range, DW_AT_upper_bound, &upper))
			count = upper - lower + 1;
		else if (!number_of(&range, DW_AT_count, &count))
			return 0;
		if (__builtin_mul_overflow(all ? all : 1, count, &all) || !all)
			return 0;
	}
	return all;
}

/* dwarf_aggregate_size() follows the links between the entries of an array, wherever they lead. */
uint64_t die_size(const Dwarf_Die *type)
{
	uint64_t all = 1, n, size;
	Dwarf_Die at = *type;

	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (!die_real(&at, &at))
			return 0;
		switch (dwarf_tag(&at)) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			return __builtin_mul_overflow(all, 8, &size) ? 0 : size;
		case DW_TAG_array_type:
			n = elements_of(&at);
			if (!n || __builtin_mul_overflow(all, n, &all) || !die_type(&at, &at))
				return 0;
			continue;
		}
		if (number_of(&at, DW_AT_byte_size, &size))
			return __builtin_mul_overflow(all, size, &size) ? 0 : size;
		if (dwarf_tag(&at) != DW_TAG_enumeration_type || !die_type(&at, &at))
			return 0;
	}
	return 0;
}

static uint64_t offset_of_member(const Dwarf_Die *member)
{
	uint64_t at;

	if (number_of(member, DW_AT_data_member_location, &at))
		return at;
	return number_of(member, DW_AT_data_bit_offset, &at) ? at / 8 : 0;
}

/* The first member that an offset lies in: of a union the first one that is large enough. */
static bool find_member(const Dwarf_Die *compound, int64_t offset, Dwarf_Die *member, uint64_t *work)
{
	Dwarf_Die real;
	bool more;

	if (!die_real(compound, &real))
		return false;
	for (more = die_first(&real, member); more && die_work(work, 1); more = die_next(member)) {
		uint64_t at, size;
		Dwarf_Die type;

		if (dwarf_tag(member) != DW_TAG_member && dwarf_tag(member) != DW_TAG_inheritance)
			continue;
		at = offset_of_member(member);
		if (!die_type(member, &type))
			continue;
		size = die_size(&type);
		if (offset == (int64_t)at || (uint64_t)offset - at < size)
			return true;
	}
	return false;
}

bool die_member_type(const Dwarf_Die *type, int64_t offset, Dwarf_Die *out, uint64_t *work)
{
	Dwarf_Die at = *type, member;

	if (offset < 0)
		return false;
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		if (!die_real(&at, &at) || (uint64_t)offset >= die_size(&at))
			return false;
		if (die_is_compound(&at)) {
			if (!find_member(&at, offset, &member, work) || !die_type(&member, &at))
				return false;
			offset = offset_difference(offset, (int64_t)offset_of_member(&member));
		} else if (dwarf_tag(&at) == DW_TAG_array_type) {
			if (!die_type(&at, &at) || !die_size(&at) || offset < 0)
				return false;
			offset = (int64_t)((uint64_t)offset % die_size(&at));
		} else {
			*out = at;
			return true;
		}
	}
	return false;
}

static void put_word(struct buf *b, const Dwarf_Die *type)
{
	Dwarf_Die copy = *type;
	const char *name = dwarf_diename(&copy);

	switch (dwarf_tag(&copy)) {
	case DW_TAG_structure_type:
		buf_str(b, "struct ");
		break;
	case DW_TAG_union_type:
		buf_str(b, "union ");
		break;
	case DW_TAG_enumeration_type:
		buf_str(b, "enum ");
		break;
	case DW_TAG_subroutine_type:
		name = "(function_type)";
		break;
	default:
		name = name ? name : "(unknown type)";
	}
	buf_str(b, name ? name : "");
}

/* The sign after the name of the type that a pointer points to; NULL for other types. */
static const char *sign_of(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type: return "*";
	case DW_TAG_array_type: return "[]";
	case DW_TAG_reference_type: return "&";
	case DW_TAG_rvalue_reference_type: return "&&";
	}
	return NULL;
}

/* Pointers and arrays come from the outermost one inwards, their signs the other way. */
void die_put_name(struct buf *b, const Dwarf_Die *type)
{
	const char *signs[DEPTH_MAX];
	Dwarf_Die at = *type;
	bool is_void = false;
	int n = 0;

	while (n < DEPTH_MAX && !is_void && sign_of(dwarf_tag(&at))) {
		signs[n++] = sign_of(dwarf_tag(&at));
		is_void = !die_type(&at, &at);
	}
	if (is_void)
		buf_str(b, "void");
	else
		put_word(b, &at);
	while (n-- > 0)
		buf_str(b, signs[n]);
}

void die_put_member(struct buf *b, const Dwarf_Die *type, int64_t offset, uint64_t *work)
{
	Dwarf_Die at = *type, member;
	bool first = true;
	uint64_t bits;

	for (int depth = 0; depth < DEPTH_MAX && die_is_compound(&at); depth++) {
		const char *name;

		if (!find_member(&at, offset, &member, work) || !die_type(&member, &at))
			return;
		offset = offset_difference(offset, (int64_t)offset_of_member(&member));
		name = dwarf_diename(&member);
		if (!name)
			continue;
		if (!first)
			buf_char(b, '.');
		buf_str(b, name);
		if (number_of(&member, DW_AT_bit_size, &bits))
			buf_printf(b, ":%llu", (unsigned long long)bits);
		first = false;
	}
}

bool die_is_better(const Dwarf_Die *a, const Dwarf_Die *b)
{
	Dwarf_Die x = *a, y = *b;
	uint64_t size, other;

	if (die_is_pointer(a) != die_is_pointer(b))
		return die_is_pointer(b);
	if (die_is_pointer(b)) {
		if (!die_pointee(a, &x))
			return true;
		if (!die_pointee(b, &y))
			return false;
	}
	size = die_size(&x);
	other = die_size(&y);
	if (!size || !other)
		return false;
	if (size != other)
		return size < other;
	if (die_is_compound(&x) != die_is_compound(&y))
		return die_is_compound(&y);
	return dwarf_tag(&y) == DW_TAG_typedef;
}
