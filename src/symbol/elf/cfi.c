/* SPDX-License-Identifier: MIT */
#include "symbol/elf/cfi.h"

#include <string.h>
#include <sys/stat.h>

/* A longer section is not what a linker makes; offsets in it have 32 bits here. */
#define SECTION_MAX ((size_t)1 << 31)

/* Without its bytes. */
static struct cfi_section section_of(const struct elf_file *f, const GElf_Shdr *shdr, const char *name)
{
	return (struct cfi_section){ .size = shdr->sh_size,
				     .addr = shdr->sh_addr,
				     .swap = elf_file_swaps(f),
				     .wide = f->ehdr.e_ident[EI_CLASS] == ELFCLASS64,
				     .debug_frame = strcmp(name, ".eh_frame") != 0 };
}

bool cfi_section_open(struct cfi_section *s, const struct elf_file *f, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file_section(f, name, &shdr);
	GElf_Chdr packed;
	Elf_Data *data;

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return false;
	if (shdr.sh_flags & SHF_COMPRESSED &&
	    (!gelf_getchdr(scn, &packed) || packed.ch_size > SECTION_MAX || elf_compress(scn, 0, 0) < 0))
		return false;
	data = shdr.sh_flags & SHF_COMPRESSED ? elf_getdata(scn, NULL) : elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size > SECTION_MAX)
		return false;
	*s = section_of(f, &shdr, name);
	s->bytes = data->d_buf;
	s->size = data->d_size;
	return true;
}

bool cfi_segment_open(struct cfi_section *s, const struct elf_file *f, uint32_t type)
{
	size_t nr = 0;
	GElf_Phdr ph;
	Elf_Data *data;

	elf_getphdrnum(f->elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != type)
			continue;
		data = ph.p_filesz <= SECTION_MAX ?
			elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_BYTE) : NULL;
		if (!data || !data->d_buf)
			return false;
		*s = section_of(f, &(GElf_Shdr){ .sh_addr = ph.p_vaddr, .sh_size = data->d_size }, "");
		s->bytes = data->d_buf;
		return true;
	}
	return false;
}

bool cfi_section_place(struct cfi_section *s, const struct elf_file *f, const char *name, uint64_t *offset)
{
	GElf_Shdr shdr;
	struct stat st;

	if (f->fd < 0 || fstat(f->fd, &st) < 0 || !elf_file_section(f, name, &shdr) ||
	    shdr.sh_type == SHT_NOBITS || shdr.sh_flags & SHF_COMPRESSED || shdr.sh_size > SECTION_MAX ||
	    shdr.sh_offset > (uint64_t)st.st_size || shdr.sh_size > (uint64_t)st.st_size - shdr.sh_offset)
		return false;
	*offset = shdr.sh_offset;
	*s = section_of(f, &shdr, name);
	return true;
}

struct cursor cfi_cursor(const struct cfi_section *s, struct cfi_span span)
{
	return cur_new(s->bytes + span.at, span.size, span.at, s->swap, NULL);
}

static struct cfi_span rest_of(const struct cursor *c)
{
	return (struct cfi_span){ (uint32_t)c->at, (uint32_t)cur_left(c) };
}

static uint64_t address(struct cursor *c, bool wide)
{
	return wide ? cur_u64(c) : cur_u32(c);
}

static uint64_t read_form(struct cursor *c, bool wide, uint8_t form)
{
	switch (form) {
	case CFI_ABSPTR: return address(c, wide);
	case CFI_ULEB: return cur_uleb(c);
	case CFI_SLEB: return (uint64_t)cur_sleb(c);
	case CFI_UDATA2: return cur_u16(c);
	case CFI_SDATA2: return (uint64_t)(int16_t)cur_u16(c);
	case CFI_UDATA4: return cur_u32(c);
	case CFI_SDATA4: return (uint64_t)(int32_t)cur_u32(c);
	case CFI_UDATA8:
	case CFI_SDATA8: return cur_u64(c);
	}
	c->failed = true;
	return 0;
}

uint64_t cfi_address(struct cursor *c, const struct cfi_section *s, uint8_t encoding, uint64_t field, uint64_t data)
{
	uint64_t v = read_form(c, s->wide, encoding & CFI_FORM);

	if (encoding & CFI_INDIRECT)
		c->failed = true;
	else if ((encoding & CFI_BASE) == CFI_PCREL)
		v += field;
	else if ((encoding & CFI_BASE) == CFI_DATAREL && data)
		v += data;
	else if (encoding & CFI_BASE)
		c->failed = true;
	return s->wide ? v : v & UINT32_MAX;
}

bool cfi_entry_at(const struct cfi_section *s, uint32_t at, struct cfi_entry *out)
{
	struct cursor c = cfi_cursor(s, (struct cfi_span){ at, at <= s->size ? (uint32_t)s->size - at : 0 });
	uint64_t length = cur_u32(&c), id, id_at;
	bool long_form = length == UINT32_MAX;

	if (long_form)
		length = cur_u64(&c);
	if (!cur_ok(&c) || at > s->size || length > cur_left(&c))
		return false;
	*out = (struct cfi_entry){ .at = at, .next = (uint32_t)(c.at + length) };
	if (length == 0)  /* ends the .eh_frame of an object file; those of others may follow */
		return true;
	c = cur_sub(&c, length);
	id_at = c.at;
	id = long_form && s->debug_frame ? cur_u64(&c) : cur_u32(&c);
	out->body = rest_of(&c);
	if (s->debug_frame) {
		out->is_cie = id == (long_form ? UINT64_MAX : UINT32_MAX);
		out->cie_at = id < s->size ? (uint32_t)id : UINT32_MAX;
	} else {
		out->is_cie = id == 0;
		out->cie_at = id <= id_at ? (uint32_t)(id_at - id) : UINT32_MAX;
	}
	if (!cur_ok(&c))             /* shorter than its id: passed over */
		out->body = (struct cfi_span){ 0 };
	return true;
}

/* The data that the letters of an augmentation name. */
static bool read_augmentation(struct cursor *c, const struct cfi_section *s, const char *letters, struct cfi_cie *out)
{
	struct cursor data;

	if (*letters != 'z')
		return *letters == 0;
	out->has_size = true;
	data = cur_sub(c, cur_uleb(c));
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			out->encoding = cur_u8(&data);
			break;
		case 'L':
			cur_u8(&data);
			break;
		case 'P':
			read_form(&data, s->wide, cur_u8(&data) & CFI_FORM);
			break;
		case 'S':
			out->signal = true;
			break;
		case 'B':  /* aarch64: return addresses are signed with key B */
		case 'G':  /* aarch64: the frame is tagged */
			break;
		default:   /* its data are unknown, and so are those after */
			return cur_ok(c);
		}
	}
	return cur_ok(c) && cur_ok(&data);
}

bool cfi_cie_read(const struct cfi_section *s, const struct cfi_entry *e, struct cfi_cie *out)
{
	struct cursor c = cfi_cursor(s, e->body);
	struct sonde_str letters;

	*out = (struct cfi_cie){ .version = cur_u8(&c), .address_size = s->wide ? 8 : 4 };
	letters = cur_strz(&c);
	if (!e->is_cie || !cur_ok(&c) || (out->version != 1 && out->version != 3 && out->version != 4))
		return false;
	if (out->version == 4) {
		out->address_size = cur_u8(&c);
		if (cur_u8(&c) != 0)  /* segments */
			return false;
	}
	if (strcmp(letters.p, "eh") == 0) {  /* gcc 2: an address follows */
		address(&c, s->wide);
		letters.p += 2;
	}
	out->code_align = cur_uleb(&c);
	out->data_align = cur_sleb(&c);
	out->return_register = out->version == 1 ? cur_u8(&c) : cur_uleb(&c);
	if (!read_augmentation(&c, s, letters.p, out))
		return false;
	out->program = rest_of(&c);
	return cur_ok(&c) && (out->address_size == 4 || out->address_size == 8);
}

bool cfi_fde_read(const struct cfi_section *s, const struct cfi_entry *e, struct cfi_fde *out)
{
	struct cursor c = cfi_cursor(s, e->body);
	struct cfi_entry cie;

	if (e->is_cie || !e->body.size || !cfi_entry_at(s, e->cie_at, &cie) || !cfi_cie_read(s, &cie, &out->cie))
		return false;
	if (s->debug_frame) {
		out->start = address(&c, out->cie.address_size == 8);
		out->size = address(&c, out->cie.address_size == 8);
	} else {
		out->start = cfi_address(&c, s, out->cie.encoding, s->addr + c.at, 0);
		out->size = read_form(&c, s->wide, out->cie.encoding & CFI_FORM & 7);  /* a size has no sign */
	}
	if (out->cie.has_size)
		cur_take(&c, cur_uleb(&c));
	out->program = rest_of(&c);
	return cur_ok(&c) && out->size && out->size < UINT32_MAX;
}
