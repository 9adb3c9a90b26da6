/* SPDX-License-Identifier: MIT */
#include "unwind/sframe.h"

#include "base/bytes.h"

enum { MAGIC = 0xdee2, HEADER_BYTES = 28, FUNCTION_BYTES_2 = 20, FUNCTION_BYTES_3 = 16 };

/* Flags: sorted; all functions keep a frame pointer; starts count from their field. */
enum { FLAGS_KNOWN = 7, STARTS_FROM_FIELD = 4 };

/* Of the info byte of a function, and the type in the second one. */
enum { OFFSET_SIZE = 0xf, REPEATS = 0x10, SIGNAL = 0x80, TYPE = 0x1f, TYPE_FLEXIBLE = 1 };

/* Words of a row: CFA, return address, frame pointer; two each in a flexible one. */
enum { WORDS_MOST = 15 };

/* Of the first of the two words of a flexible rule; the number of the register is above them. */
enum { FROM_REGISTER = 1, IN_MEMORY = 2, REGISTER_SHIFT = 3 };

struct sframe_abi {
	uint8_t id;
	uint16_t machine;
	uint8_t sp, fp, ra;
	bool s390;                   /* its offsets are made smaller, and its registers can be saved in others */
	uint64_t saved;              /* registers of the caller that a function saves, by DWARF numbers, as bits */
};

static const struct sframe_abi abis[] = {
	{ 2, EM_AARCH64, .sp = 31, .fp = 29, .ra = 30, .saved = UINT64_C(0x1ff80000) },  /* x19 to x28 */
	{ 3, EM_X86_64, .sp = 7, .fp = 6, .ra = 16, .saved = UINT64_C(0xf008) },         /* rbx, r12 to r15 */
	/* r6 to r13 without the frame pointer, f8 to f15 */
	{ 4, EM_S390, .sp = 15, .fp = 11, .ra = 14, .s390 = true, .saved = UINT64_C(0xff0037c0) },
};

bool sframe_open(struct sframe *x, const struct cfi_section *section, uint16_t machine)
{
	struct cursor c = cfi_cursor(section, (struct cfi_span){ 0, (uint32_t)section->size });
	uint16_t magic = cur_u16(&c);
	uint32_t rows_size, after;
	uint64_t functions_size;
	uint8_t flags, id;

	*x = (struct sframe){ .section = *section };
	x->version = cur_u8(&c);
	flags = cur_u8(&c);
	id = cur_u8(&c);
	for (size_t i = 0; i < ARRAY_SIZE(abis); i++)
		if (abis[i].id == id && abis[i].machine == machine)
			x->abi = &abis[i];
	x->from_field = flags & STARTS_FROM_FIELD;
	x->fixed_fp = (int8_t)cur_u8(&c);
	x->fixed_ra = (int8_t)cur_u8(&c);
	after = HEADER_BYTES + cur_u8(&c);
	x->nr_functions = cur_u32(&c);
	cur_u32(&c);                 /* all rows together */
	rows_size = cur_u32(&c);
	x->functions.at = cur_u32(&c);
	x->rows.at = cur_u32(&c);
	if (!cur_ok(&c) || magic != MAGIC || (x->version != 2 && x->version != 3) || flags & ~FLAGS_KNOWN || !x->abi)
		return false;
	functions_size = (uint64_t)x->nr_functions * (x->version == 2 ? FUNCTION_BYTES_2 : FUNCTION_BYTES_3);
	if ((uint64_t)after + x->functions.at + functions_size > section->size ||
	    (uint64_t)after + x->rows.at + rows_size > section->size)
		return false;
	x->functions = (struct cfi_span){ after + x->functions.at, (uint32_t)functions_size };
	x->rows = (struct cfi_span){ after + x->rows.at, rows_size };
	return true;
}

static bool take_info(struct sframe_function *f, uint8_t info)
{
	f->offset_bytes = (uint8_t)(1u << (info & OFFSET_SIZE));
	return (info & OFFSET_SIZE) <= 2;
}

/* The rows from a place in the section on. */
static struct cursor rows_from(const struct sframe *x, uint32_t at)
{
	return cfi_cursor(&x->section, (struct cfi_span){ at, x->rows.at + x->rows.size - at });
}

/* Reads the attributes that version 3 has before the rows. */
static bool read_attributes(const struct sframe *x, struct sframe_function *f)
{
	struct cursor c = rows_from(x, f->rows_at);
	uint8_t info, type;

	f->nr_rows = cur_u16(&c);
	info = cur_u8(&c);
	type = cur_u8(&c) & TYPE;
	f->repeat = cur_u8(&c);
	if (!(info & REPEATS))
		f->repeat = 0;
	f->signal = info & SIGNAL;
	f->flexible = type == TYPE_FLEXIBLE;
	f->rows_at = (uint32_t)c.at;
	return cur_ok(&c) && type <= TYPE_FLEXIBLE && take_info(f, info);
}

bool sframe_function(const struct sframe *x, uint32_t index, struct sframe_function *out)
{
	uint32_t bytes = x->version == 2 ? FUNCTION_BYTES_2 : FUNCTION_BYTES_3, at;
	struct cursor c;
	int64_t start;
	uint8_t info;

	if (index >= x->nr_functions)
		return false;
	at = x->functions.at + index * bytes;
	c = cfi_cursor(&x->section, (struct cfi_span){ at, bytes });
	start = x->version == 2 ? (int32_t)cur_u32(&c) : (int64_t)cur_u64(&c);
	*out = (struct sframe_function){ .start = x->section.addr + (x->from_field ? at : 0) + (uint64_t)start };
	out->size = cur_u32(&c);
	out->rows_at = cur_u32(&c);
	if (out->rows_at > x->rows.size)
		return false;
	out->rows_at += x->rows.at;
	if (x->version == 3)
		return read_attributes(x, out);
	out->nr_rows = cur_u32(&c);
	info = cur_u8(&c);
	out->repeat = info & REPEATS ? cur_u8(&c) : 0;
	return take_info(out, info);
}

uint8_t sframe_return_register(const struct sframe *x)
{
	return x->abi->ra;
}

/* ---- rows ---- */

/* A row as it lies in the section. */
struct sframe_words {
	uint64_t offset;             /* from the start of the function */
	bool from_sp;                /* the CFA; else from the frame pointer */
	int32_t at[WORDS_MOST];
	uint32_t as_unsigned[WORDS_MOST];
	unsigned n;
};

static uint32_t take(struct cursor *c, unsigned bytes)
{
	switch (bytes) {
	case 1: return cur_u8(c);
	case 2: return cur_u16(c);
	}
	return cur_u32(c);
}

static int32_t with_sign(uint32_t v, unsigned bytes)
{
	switch (bytes) {
	case 1: return (int8_t)v;
	case 2: return (int16_t)v;
	}
	return (int32_t)v;
}

static bool take_words(struct cursor *c, const struct sframe_function *f, struct sframe_words *w)
{
	unsigned bytes, size;
	uint8_t info;

	w->offset = take(c, f->offset_bytes);
	info = cur_u8(c);
	w->from_sp = info & 1;
	w->n = info >> 1 & WORDS_MOST;
	size = info >> 5 & 3;
	bytes = 1u << size;
	for (unsigned i = 0; i < w->n && size <= 2; i++) {
		w->as_unsigned[i] = take(c, bytes);
		w->at[i] = with_sign(w->as_unsigned[i], bytes);
	}
	return size <= 2 && cur_ok(c);
}

static bool set_cfa_offset(const struct sframe *x, struct cfi_row *row, int32_t offset)
{
	int64_t v = x->abi->s390 ? (int64_t)offset * 8 + 160 : offset;

	row->cfa_offset = (int32_t)v;
	return v == row->cfa_offset;
}

static void set_reg(struct cfi_row *row, uint8_t reg, enum reg_rule_kind kind, int32_t value)
{
	row->regs[reg] = (struct reg_rule){ .reg = reg, .kind = (uint8_t)kind, .value = value };
}

/* A register that was saved at an offset from the CFA or, on s390x, in another register. */
static bool set_saved(const struct sframe *x, struct cfi_row *row, uint8_t reg, int32_t offset)
{
	if (!x->abi->s390 || x->version != 2 || !(offset & 1)) {
		set_reg(row, reg, REG_OFFSET, offset);
		return true;
	}
	set_reg(row, reg, REG_REGISTER, offset >> 1);
	return offset >= 0 && offset >> 1 < UNWIND_REGS;
}

static bool plain_row(const struct sframe *x, const struct sframe_words *w, struct cfi_row *row)
{
	unsigned next = 1;

	row->cfa_reg = w->from_sp ? x->abi->sp : x->abi->fp;
	if (!set_cfa_offset(x, row, w->at[0]))
		return false;
	if (x->fixed_ra)
		set_reg(row, x->abi->ra, REG_OFFSET, x->fixed_ra);
	else if (next < w->n && !w->at[next])
		next++;              /* still in its register */
	else if (next < w->n && !set_saved(x, row, x->abi->ra, w->at[next++]))
		return false;
	if (next < w->n)
		return set_saved(x, row, x->abi->fp, w->at[next]);
	if (x->fixed_fp)
		set_reg(row, x->abi->fp, REG_OFFSET, x->fixed_fp);
	return true;
}

static bool flexible_reg(struct cfi_row *row, uint8_t reg, uint32_t control, int32_t offset)
{
	uint32_t base = control >> REGISTER_SHIFT;

	if (!(control & FROM_REGISTER)) {
		set_reg(row, reg, control & IN_MEMORY ? REG_OFFSET : REG_VAL_OFFSET, offset);
		return true;
	}
	if (base >= UNWIND_REGS)
		return false;
	if (control & IN_MEMORY) {
		set_reg(row, reg, REG_AT_REGISTER, offset);
		row->regs[reg].base = (uint16_t)base;
		return true;
	}
	set_reg(row, reg, REG_REGISTER, (int32_t)base);
	return offset == 0;
}

/* Pairs of a control word and an offset; a single 0 in place of a pair is the default. */
static bool flexible_row(const struct sframe *x, const struct sframe_words *w, struct cfi_row *row)
{
	uint32_t base = w->as_unsigned[0] >> REGISTER_SHIFT;
	const uint8_t regs[] = { x->abi->ra, x->abi->fp };
	const int8_t fixed[] = { x->fixed_ra, x->fixed_fp };
	unsigned next = 2;

	if (w->n < 2 || !(w->as_unsigned[0] & FROM_REGISTER) || base >= UNWIND_REGS ||
	    !set_cfa_offset(x, row, w->at[1]))
		return false;
	row->cfa_reg = (uint8_t)base;
	row->cfa_in_memory = w->as_unsigned[0] & IN_MEMORY;
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		if (next >= w->n || !w->as_unsigned[next]) {
			if (fixed[i])
				set_reg(row, regs[i], REG_OFFSET, fixed[i]);
			next++;
			continue;
		}
		if (next + 2 > w->n || !flexible_reg(row, regs[i], w->as_unsigned[next], w->at[next + 1]))
			return false;
		next += 2;
	}
	return true;
}

/* A row without words is that of a function that nothing called. */
static bool make_row(const struct sframe *x, const struct sframe_function *f, const struct sframe_words *w,
		     struct cfi_row *row)
{
	*row = (struct cfi_row){ .cfa_reg = x->abi->sp };
	for (uint8_t reg = 0; reg < 64; reg++)
		if (x->abi->saved >> reg & 1)
			set_reg(row, reg, REG_UNDEFINED, 0);
	if (!w->n) {
		set_reg(row, x->abi->ra, REG_UNDEFINED, 0);
		return true;
	}
	return f->flexible ? flexible_row(x, w, row) : plain_row(x, w, row);
}

int sframe_rows(const struct sframe *x, const struct sframe_function *f, cfi_row_fn *fn, void *ctx)
{
	uint32_t bytes = f->repeat ? f->repeat : f->size;
	struct cursor c = rows_from(x, f->rows_at);
	struct sframe_words this, next = { 0 };
	struct cfi_row row;
	int r = 0;

	if (!f->nr_rows || !take_words(&c, f, &next))
		return -SONDE_CORRUPT;
	for (uint32_t i = 0; i < f->nr_rows && r == 0; i++) {
		uint64_t end = bytes;

		this = next;
		if (i + 1 < f->nr_rows) {
			if (!take_words(&c, f, &next) || next.offset < this.offset)
				return -SONDE_CORRUPT;
			end = next.offset;
		}
		if (end > bytes || !make_row(x, f, &this, &row))
			return -SONDE_CORRUPT;
		if (this.offset < end)
			r = fn(ctx, f->start + this.offset, f->start + end, &row);
	}
	return r;
}
