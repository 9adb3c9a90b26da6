/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/form.h"

enum { SIZE_VARIES = -1, SIZE_ULEB = -2, SIZE_ADDRESS = -3, SIZE_OFFSET = -4, SIZE_REF_ADDR = -5 };

static const int8_t sizes_by_form[] = {
	[0] = SIZE_VARIES, [DW_FORM_addr] = SIZE_ADDRESS, [2] = SIZE_VARIES, [DW_FORM_block2] = SIZE_VARIES,
	[DW_FORM_block4] = SIZE_VARIES, [DW_FORM_data2] = 2, [DW_FORM_data4] = 4, [DW_FORM_data8] = 8,
	[DW_FORM_string] = SIZE_VARIES, [DW_FORM_block] = SIZE_VARIES, [DW_FORM_block1] = SIZE_VARIES,
	[DW_FORM_data1] = 1, [DW_FORM_flag] = 1, [DW_FORM_sdata] = SIZE_VARIES, [DW_FORM_strp] = SIZE_OFFSET,
	[DW_FORM_udata] = SIZE_ULEB, [DW_FORM_ref_addr] = SIZE_REF_ADDR, [DW_FORM_ref1] = 1, [DW_FORM_ref2] = 2,
	[DW_FORM_ref4] = 4, [DW_FORM_ref8] = 8, [DW_FORM_ref_udata] = SIZE_ULEB, [DW_FORM_indirect] = SIZE_VARIES,
	[DW_FORM_sec_offset] = SIZE_OFFSET, [DW_FORM_exprloc] = SIZE_VARIES, [DW_FORM_flag_present] = 0,
	[DW_FORM_strx] = SIZE_ULEB, [DW_FORM_addrx] = SIZE_ULEB, [DW_FORM_ref_sup4] = 4,
	[DW_FORM_strp_sup] = SIZE_OFFSET, [DW_FORM_data16] = 16, [DW_FORM_line_strp] = SIZE_OFFSET,
	[DW_FORM_ref_sig8] = 8, [DW_FORM_implicit_const] = 0, [DW_FORM_loclistx] = SIZE_ULEB,
	[DW_FORM_rnglistx] = SIZE_ULEB, [DW_FORM_ref_sup8] = 8, [DW_FORM_strx1] = 1, [DW_FORM_strx2] = 2,
	[DW_FORM_strx3] = 3, [DW_FORM_strx4] = 4, [DW_FORM_addrx1] = 1, [DW_FORM_addrx2] = 2, [DW_FORM_addrx3] = 3,
	[DW_FORM_addrx4] = 4,
};

/* Of the forms with high numbers. */
static int gnu_size(uint16_t form)
{
	switch (form) {
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return SIZE_OFFSET;
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return SIZE_ULEB;
	default:
		return SIZE_VARIES;
	}
}

int form_size(uint16_t form, const struct form_sizes *sizes)
{
	int size = form < ARRAY_SIZE(sizes_by_form) ? sizes_by_form[form] : gnu_size(form);

	switch (size) {
	case SIZE_ADDRESS:
		return sizes->address;
	case SIZE_OFFSET:
		return sizes->offset;
	case SIZE_REF_ADDR:
		return sizes->ref_addr;
	default:
		return size;
	}
}

/* One step of an indirection: the real form, which may not be indirect again. */
static uint16_t real_form(struct dwarf_scan *s)
{
	uint64_t form = scan_uleb(s);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX) {
		scan_fail(s);
		return DW_FORM_flag_present;
	}
	return (uint16_t)form;
}

static void skip_varying(struct dwarf_scan *s, uint16_t form)
{
	switch (form) {
	case DW_FORM_block1:
		scan_skip(s, scan_uint(s, 1));
		break;
	case DW_FORM_block2:
		scan_skip(s, scan_uint(s, 2));
		break;
	case DW_FORM_block4:
		scan_skip(s, scan_uint(s, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		scan_skip(s, scan_uleb(s));
		break;
	case DW_FORM_string:
		scan_skip_string(s);
		break;
	case DW_FORM_sdata:
		scan_skip_leb(s);
		break;
	default:
		scan_fail(s);  /* unknown: nobody can tell where the next value begins */
	}
}

void form_skip(struct dwarf_scan *s, uint16_t form, const struct form_sizes *sizes)
{
	int size;

	if (form == DW_FORM_indirect)
		form = real_form(s);
	size = form_size(form, sizes);
	if (size >= 0)
		scan_skip(s, (uint64_t)size);
	else if (size == SIZE_ULEB)
		scan_skip_leb(s);
	else
		skip_varying(s, form);
}

uint64_t form_read(struct dwarf_scan *s, uint16_t *form, const struct form_sizes *sizes)
{
	const uint8_t *p;
	int size;

	if (*form == DW_FORM_indirect)
		*form = real_form(s);
	size = form_size(*form, sizes);
	if (size == 0)
		return 1;
	if (size > 0 && size <= 8)
		return scan_uint(s, (unsigned)size);
	if (size == SIZE_ULEB)
		return scan_uleb(s);
	p = s->p;
	switch (*form) {
	case DW_FORM_sdata:
		return (uint64_t)scan_sleb(s);
	case DW_FORM_string:
		scan_skip_string(s);
		return (uintptr_t)p;
	default:
		form_skip(s, *form, sizes);
		return 0;
	}
}
