/* SPDX-License-Identifier: MIT */
/*
 * .eh_frame is a row of entries: a CIE says how the addresses in its FDEs are written, an FDE has the range of a
 * function (of a part of it, where the compiler has moved cold code away). Layout: Linux Standard Base, DWARF
 * extensions. libdw takes entries apart.
 */
#include "symbol/elf/eh_frame.h"

#include <elfutils/libdw.h>
#include <string.h>

#include "base/cursor.h"
#include "base/u64map.h"
#include "symbol/elf/loads.h"

/* How an address is written: its form in the low four bits, what it counts from in the next three. */
enum { PE_ABSPTR = 0, PE_UDATA2 = 2, PE_UDATA4 = 3, PE_UDATA8 = 4, PE_SDATA2 = 10, PE_SDATA4 = 11, PE_SDATA8 = 12 };
enum { PE_FORM = 0x0f, PE_BASE = 0x70, PE_PCREL = 0x10, PE_INDIRECT = 0x80, PE_UNKNOWN = 0xff };

struct section {
	Elf_Data *data;
	uint64_t addr;               /* of its first byte */
	bool swap, wide;             /* wide: addresses have 8 bytes */
	struct u64map encodings;     /* of CIEs, by offset */
	struct elf_loads loads;
};

static bool open_section(struct section *s, const struct elf_file *f)
{
	const unsigned char host = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file_section(f, ".eh_frame", &shdr);

	*s = (struct section){ .data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL };
	if (!s->data || !s->data->d_buf)
		return false;
	s->addr = shdr.sh_addr;
	s->swap = f->ehdr.e_ident[EI_DATA] != host;
	s->wide = f->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	elf_loads_read(&s->loads, f);
	return true;
}

/* The encoding that a CIE names with 'R'. */
static uint8_t encoding_of(const Dwarf_CIE *cie, const struct section *s)
{
	const char *letter = cie->augmentation;
	struct cursor c = cur_new(cie->augmentation_data, cie->augmentation_data ? cie->augmentation_data_size : 0, 0,
				  s->swap, NULL);

	if (*letter != 'z')
		return *letter ? PE_UNKNOWN : PE_ABSPTR;
	while (*++letter) {
		uint8_t byte;

		switch (*letter) {
		case 'R':
			byte = cur_u8(&c);
			return cur_ok(&c) ? byte : PE_UNKNOWN;
		case 'L':
			cur_u8(&c);
			break;
		case 'P':
			byte = cur_u8(&c);
			if ((byte & PE_FORM) == PE_UDATA2 || (byte & PE_FORM) == PE_SDATA2)
				cur_take(&c, 2);
			else if ((byte & PE_FORM) == PE_UDATA4 || (byte & PE_FORM) == PE_SDATA4)
				cur_take(&c, 4);
			else
				cur_take(&c, (byte & PE_FORM) == PE_ABSPTR && !s->wide ? 4 : 8);
			break;
		case 'S':  /* a signal's frame */
		case 'B':  /* arm64: return addresses are signed with key B */
			break;
		default:
			return PE_UNKNOWN;
		}
	}
	return PE_ABSPTR;
}

static uint64_t read_form(struct cursor *c, const struct section *s, uint8_t form)
{
	switch (form) {
	case PE_ABSPTR: return s->wide ? cur_u64(c) : cur_u32(c);
	case PE_UDATA2: return cur_u16(c);
	case PE_SDATA2: return (uint64_t)(int16_t)cur_u16(c);
	case PE_UDATA4: return cur_u32(c);
	case PE_SDATA4: return (uint64_t)(int32_t)cur_u32(c);
	case PE_UDATA8:
	case PE_SDATA8: return cur_u64(c);
	}
	c->failed = true;
	return 0;
}

/* The range of an FDE; false if it cannot be read or is empty. */
static bool range_of(const struct section *s, const Dwarf_FDE *fde, uint64_t *start, uint64_t *size)
{
	uint32_t encoding = u64map_get(&s->encodings, fde->CIE_pointer);
	const uint8_t *section = s->data->d_buf;
	struct cursor c = cur_new(fde->start, (size_t)(fde->end - fde->start), 0, s->swap, NULL);

	if (encoding == U64MAP_NONE || encoding & PE_INDIRECT ||
	    ((encoding & PE_BASE) && (encoding & PE_BASE) != PE_PCREL))
		return false;
	*start = read_form(&c, s, encoding & PE_FORM);
	*size = read_form(&c, s, encoding & PE_FORM & 7);  /* a size has no sign */
	if ((encoding & PE_BASE) == PE_PCREL)
		*start += s->addr + (uint64_t)(fde->start - section);
	if (!s->wide)
		*start &= UINT32_MAX;
	return cur_ok(&c) && *size && *size < UINT32_MAX;
}

static size_t add_range(struct symtab_builder *b, const struct section *s, const Dwarf_FDE *fde, uint32_t name)
{
	uint64_t start, size;

	if (!range_of(s, fde, &start, &size) || !elf_loads_offset(&s->loads, &start))
		return 0;
	symtab_builder_add(b, &(struct symtab_raw){ .start = start, .size = (uint32_t)size, .name = name });
	return 1;
}

size_t eh_frame_add(struct symtab_builder *b, const struct elf_file *f)
{
	struct section s;
	uint32_t name = symtab_builder_name(b, "", 0);
	Dwarf_Off at = 0, next = 0;
	Dwarf_CFI_Entry entry;
	size_t n = 0;
	int r;

	if (name == SYMTAB_NONE || !open_section(&s, f))
		return 0;
	/* An entry that makes no sense (r < 0) is passed over, if its length leads on. */
	while ((r = dwarf_next_cfi((const unsigned char *)f->ehdr.e_ident, s.data, true, at, &next, &entry)) <= 0 &&
	       next > at) {
		if (r == 0 && dwarf_cfi_cie_p(&entry))
			b->failed |= u64map_set(&s.encodings, at, encoding_of(&entry.cie, &s)) < 0;
		else if (r == 0)
			n += add_range(b, &s, &entry.fde, name);
		at = next;
	}
	u64map_free(&s.encodings);
	return n;
}
