/* SPDX-License-Identifier: MIT */
#include "unwind/table.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/brief_lock.h"
#include "base/sorted.h"
#include "unwind/program.h"

#ifndef PT_GNU_SFRAME  /* of glibc 2.41 */
#define PT_GNU_SFRAME 0x6474e554
#endif

/* .eh_frame_hdr: version 1, three encodings, the address of .eh_frame, a count, and pairs sorted by address. */
enum { HDR_VERSION = 1, HDR_SORTED_PAIRS = 0x3b };

static int compare_places(const void *a, const void *b)
{
	const struct fde_place *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->at > y->at) - (x->at < y->at);
}

/* The pairs of .eh_frame_hdr as linkers write them; false if they are of another form or make no sense. */
static bool read_pairs(struct unwind_table *t, const struct cfi_section *section)
{
	const struct cfi_section hdr = *section;
	struct cursor c;
	uint64_t count, eh_frame, start, at, last = 0;

	if (hdr.size < 4 || hdr.bytes[0] != HDR_VERSION || hdr.bytes[3] != HDR_SORTED_PAIRS)
		return false;
	c = cfi_cursor(&hdr, (struct cfi_span){ 4, (uint32_t)hdr.size - 4 });
	eh_frame = cfi_address(&c, &hdr, hdr.bytes[1], hdr.addr + c.at, hdr.addr);
	count = cfi_address(&c, &hdr, hdr.bytes[2], hdr.addr + c.at, hdr.addr);
	if (!cur_ok(&c) || eh_frame != t->section.addr || !count || count > cur_left(&c) / 8 ||
	    vec_reserve(&t->places, count) < 0)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		start = cfi_address(&c, &hdr, CFI_SDATA4 | CFI_DATAREL, 0, hdr.addr);
		at = cfi_address(&c, &hdr, CFI_SDATA4 | CFI_DATAREL, 0, hdr.addr) - t->section.addr;
		if (i == 0)
			t->base = start;
		if ((i && start < last) || start - t->base > UINT32_MAX || at >= t->section.size) {
			t->places.n = 0;
			return false;
		}
		last = start;
		t->places.at[t->places.n++] = (struct fde_place){ (uint32_t)(start - t->base), (uint32_t)at };
	}
	return true;
}

/* Without libelf, which would keep the bytes for as long as the file. */
static bool read_header_of_file(struct unwind_table *t, const struct elf_file *f)
{
	struct cfi_section hdr;
	uint64_t offset;
	uint8_t *bytes;
	bool ok;

	if (!cfi_section_place(&hdr, f, ".eh_frame_hdr", &offset))
		return false;
	bytes = malloc(hdr.size ? hdr.size : 1);
	if (!bytes)
		return false;
	hdr.bytes = bytes;
	ok = pread(f->fd, bytes, hdr.size, (off_t)offset) == (ssize_t)hdr.size && read_pairs(t, &hdr);
	free(bytes);
	return ok;
}

static bool read_header(struct unwind_table *t, const struct elf_file *f)
{
	struct cfi_section hdr;

	return cfi_section_open(&hdr, f, ".eh_frame_hdr") && read_pairs(t, &hdr);
}

/* The lowest start. Linkers leave FDEs of functions that they removed at 0 or 1, and some at the end of the space. */
static bool is_removed(uint64_t start)
{
	return start <= 1 || start >= UINT64_MAX - 1;
}

/* Without a header every FDE is looked at. */
static void scan(struct unwind_table *t)
{
	struct cfi_entry e;
	struct cfi_fde fde;

	t->base = UINT64_MAX;
	for (uint32_t at = 0; cfi_entry_at(&t->section, at, &e); at = e.next)
		if (!e.is_cie && cfi_fde_read(&t->section, &e, &fde) && fde.start < t->base && !is_removed(fde.start))
			t->base = fde.start;
	for (uint32_t at = 0; cfi_entry_at(&t->section, at, &e); at = e.next)
		if (!e.is_cie && cfi_fde_read(&t->section, &e, &fde) && fde.start >= t->base &&
		    fde.start - t->base <= UINT32_MAX &&
		    vec_push(&t->places, ((struct fde_place){ (uint32_t)(fde.start - t->base), e.at })) < 0)
			return;
	if (t->places.n)
		qsort(t->places.at, t->places.n, sizeof(*t->places.at), compare_places);
}

bool unwind_table_open(struct unwind_table *t, const struct elf_file *f, const char *name)
{
	*t = (struct unwind_table){ .lock = BRIEF_LOCK };
	if (!cfi_section_open(&t->section, f, name))
		return false;
	if (t->section.debug_frame || !read_header(t, f))
		scan(t);
	if (!t->places.n)
		unwind_table_free(t);
	return t->places.n > 0;
}

bool unwind_table_open_in_file(struct unwind_table *t, const struct elf_file *f, struct code_files *files,
			       const struct code_file *file)
{
	*t = (struct unwind_table){ .lock = BRIEF_LOCK, .in_file = { .files = files, .file = file } };
	if (cfi_section_place(&t->section, f, ".eh_frame", &t->in_file.offset) && read_header_of_file(t, f))
		return true;
	unwind_table_free(t);
	return false;
}

bool unwind_table_open_bytes(struct unwind_table *t, const struct cfi_section *section)
{
	*t = (struct unwind_table){ .lock = BRIEF_LOCK, .section = *section };
	if (unwind_table_own(t) < 0)
		return false;
	scan(t);
	if (!t->places.n)
		unwind_table_free(t);
	return t->places.n > 0;
}

bool unwind_table_open_exidx(struct unwind_table *t, const struct elf_file *f)
{
	uint64_t start;

	*t = (struct unwind_table){ .lock = BRIEF_LOCK, .kind = TABLE_EXIDX };
	if (!exidx_open(&t->exidx, f))
		return false;
	t->section = t->exidx.index;
	t->base = 0;                 /* addresses have 32 bits */
	for (uint32_t at = 0; t->section.size - at >= EXIDX_ENTRY_BYTES; at += EXIDX_ENTRY_BYTES) {
		start = exidx_function(&t->exidx, at);
		if (vec_push(&t->places, ((struct fde_place){ (uint32_t)start, at })) < 0)
			break;
	}
	if (t->places.n)
		qsort(t->places.at, t->places.n, sizeof(*t->places.at), compare_places);
	return t->places.n > 0;
}

bool unwind_table_open_sframe(struct unwind_table *t, const struct elf_file *f)
{
	struct sframe_function function;

	*t = (struct unwind_table){ .lock = BRIEF_LOCK, .kind = TABLE_SFRAME, .base = UINT64_MAX };
	if ((!cfi_section_open(&t->section, f, ".sframe") && !cfi_segment_open(&t->section, f, PT_GNU_SFRAME)) ||
	    !sframe_open(&t->sframe, &t->section, f->ehdr.e_machine))
		return false;
	for (uint32_t i = 0; i < t->sframe.nr_functions; i++)
		if (sframe_function(&t->sframe, i, &function) && function.start < t->base)
			t->base = function.start;
	for (uint32_t i = 0; i < t->sframe.nr_functions; i++) {
		if (!sframe_function(&t->sframe, i, &function) || function.start - t->base > UINT32_MAX)
			continue;
		if (vec_push(&t->places, ((struct fde_place){ (uint32_t)(function.start - t->base), i })) < 0)
			break;
	}
	if (t->places.n)
		qsort(t->places.at, t->places.n, sizeof(*t->places.at), compare_places);
	return t->places.n > 0;
}

int unwind_table_own(struct unwind_table *t)
{
	t->owned = malloc(t->section.size ? t->section.size : 1);
	if (!t->owned)
		return -SONDE_NOMEM;
	memcpy(t->owned, t->section.bytes, t->section.size);
	t->section.bytes = t->owned;
	return 0;
}

void unwind_table_free(struct unwind_table *t)
{
	vec_free(&t->places);
	u64map_free(&t->function_of);
	vec_free(&t->functions);
	vec_free(&t->rows);
	hash_index_free(&t->by_content);
	vec_free(&t->rules);
	arena_free(&t->texts);
	free(t->owned);
	fde_file_free(&t->in_file);
	pthread_mutex_destroy(&t->lock);
	*t = (struct unwind_table){ 0 };
}

/* ---- rules ---- */

static size_t rule_bytes(const struct unwind_rule *r)
{
	return sizeof(*r) + r->nr_regs * sizeof(r->regs[0]);
}

/* The object of a rule; NULL when out of memory. */
static const struct unwind_rule *intern(struct unwind_table *t, const struct unwind_rule *rule)
{
	uint64_t hash = hash_index_seed(&t->by_content) ^ hash_bytes((const uint8_t *)rule, rule_bytes(rule));
	const struct unwind_rule *copy;
	uint32_t i;

	hash_index_each(&t->by_content, hash, i)
		if (rule_bytes(t->rules.at[i]) == rule_bytes(rule) && !memcmp(t->rules.at[i], rule, rule_bytes(rule)))
			return t->rules.at[i];
	copy = arena_memdup(&t->texts, rule, rule_bytes(rule));
	if (!copy || vec_push(&t->rules, copy) < 0 ||
	    hash_index_add(&t->by_content, hash, (uint32_t)(t->rules.n - 1)) < 0)
		return NULL;
	return copy;
}

struct compiling {
	struct unwind_table *t;
	uint64_t return_register;
	bool signal;
	bool has_expressions;        /* rows point into the section */
	uint64_t end;                /* of the last row */
};

static int take_row(void *ctx, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct compiling *c = ctx;
	union {
		struct unwind_rule rule;
		uint8_t room[sizeof(struct unwind_rule) + UNWIND_REGS * sizeof(struct reg_rule)];
	} u;
	const struct unwind_rule *rule;

	memset(&u.rule, 0, sizeof(u.rule));  /* compared with others byte by byte */
	u.rule.cfa_is_expression = row->cfa_is_expression;
	u.rule.cfa_in_memory = row->cfa_in_memory;
	u.rule.cfa_reg = row->cfa_reg;
	u.rule.cfa_offset = row->cfa_offset;
	u.rule.signal = c->signal;
	u.rule.body_only = c->t->kind == TABLE_EXIDX;
	u.rule.return_register = c->return_register < UNWIND_REGS ? (uint8_t)c->return_register : CPU_NO_REG;
	for (size_t i = 0; i < UNWIND_REGS; i++)
		if (row->regs[i].kind != REG_SAME)
			u.rule.regs[u.rule.nr_regs++] = row->regs[i];
	c->has_expressions |= row->cfa_is_expression;
	for (size_t i = 0; i < u.rule.nr_regs; i++)
		c->has_expressions |= u.rule.regs[i].kind == REG_EXPRESSION ||
				      u.rule.regs[i].kind == REG_VAL_EXPRESSION;
	rule = intern(c->t, &u.rule);
	c->end = end;
	return rule ? vec_push(&c->t->rows, ((struct unwind_row){ start, rule })) : -SONDE_NOMEM;
}

/* A copy as long as the table; NULL when out of memory. */
static const struct cfi_section *keep(struct unwind_table *t, const struct cfi_section *small)
{
	struct cfi_section copy = *small;

	copy.bytes = arena_memdup(&t->texts, small->bytes, small->size);
	return copy.bytes ? arena_memdup(&t->texts, &copy, sizeof(copy)) : NULL;
}

/* The entry of a function in the section, or in a small one with what was read of the file. */
struct function_entry {
	struct cfi_section small;
	bool in_small;
	uint32_t at;                 /* UINT32_MAX: the file does not have it */
};

/* The rows of an FDE, and its end; none if it cannot be understood. 0 or -SONDE_NOMEM. */
static int compile_fde(struct compiling *c, const struct function_entry *entry, struct unwind_function *f)
{
	const struct cfi_section *s = entry->in_small ? &entry->small : &c->t->section;
	struct cfi_entry e;
	struct cfi_fde fde;
	int r;

	if (entry->at == UINT32_MAX || !cfi_entry_at(s, entry->at, &e) || !cfi_fde_read(s, &e, &fde))
		return 0;
	c->end = fde.start;
	c->return_register = fde.cie.return_register;
	c->signal = fde.cie.signal;
	f->end = fde.start + fde.size;
	r = cfi_program_run(s, &fde, take_row, c);
	if (entry->in_small && c->has_expressions && r != -SONDE_NOMEM) {
		f->section = keep(c->t, &entry->small);
		if (!f->section)
			return -SONDE_NOMEM;
	}
	return r == -SONDE_NOMEM ? r : 0;
}

/* The row of an entry of .ARM.exidx, which reaches to the next function. */
static int compile_exidx(struct compiling *c, uint32_t place, uint64_t *end)
{
	const struct unwind_table *t = c->t;
	struct cfi_row row;

	*end = place + 1 < t->places.n ? t->places.at[place + 1].start : UINT32_MAX;
	c->end = t->places.at[place].start;
	if (!exidx_row(&t->exidx, t->places.at[place].at, &row, &c->return_register))
		return 0;
	return take_row(c, c->end, *end, &row);
}

static int compile_sframe(struct compiling *c, uint32_t index, struct unwind_function *f)
{
	const struct sframe *x = &c->t->sframe;
	struct sframe_function function;
	int r;

	if (!sframe_function(x, index, &function))
		return 0;
	c->end = function.start;
	c->return_register = sframe_return_register(x);
	c->signal = function.signal;
	f->end = function.start + function.size;
	f->repeat = function.repeat;
	r = sframe_rows(x, &function, take_row, c);
	return r == -SONDE_NOMEM ? r : 0;
}

/* Runs the instructions of a function. Returns its index, UINT32_MAX when out of memory. */
static uint32_t compile(struct unwind_table *t, uint32_t place, const struct function_entry *entry)
{
	struct unwind_function f = { .first = (uint32_t)t->rows.n };
	uint32_t index = (uint32_t)t->functions.n;
	struct compiling c = { .t = t };
	int r = 0;

	switch (t->kind) {
	case TABLE_CFI: r = compile_fde(&c, entry, &f); break;
	case TABLE_EXIDX: r = compile_exidx(&c, place, &f.end); break;
	case TABLE_SFRAME: r = compile_sframe(&c, t->places.at[place].at, &f); break;
	}
	/* after the rows of a damaged program nothing is known */
	if (r < 0 || vec_push(&t->rows, ((struct unwind_row){ c.end, NULL })) < 0)
		return UINT32_MAX;
	f.nr = (uint32_t)t->rows.n - f.first;
	if (vec_push(&t->functions, f) < 0 || u64map_set(&t->function_of, place, index) < 0)
		return UINT32_MAX;
	return index;
}

/* The last place that begins at @offset or before it; UINT32_MAX if there is none. */
static uint32_t place_of(const struct unwind_table *t, uint64_t offset)
{
	size_t low = 0, high = t->places.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->places.at[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? (uint32_t)low - 1 : UINT32_MAX;
}

/* @start: of the function */
static const struct unwind_rule *rule_at(const struct unwind_table *t, const struct unwind_function *f, uint64_t start,
					 uint64_t addr)
{
	const struct unwind_row *rows = t->rows.at + f->first;
	size_t n;

	if (f->repeat)
		addr = start + (addr - start) % f->repeat;
	n = sorted_nr_at_most(rows, f->nr, start, addr);
	return n ? rows[n - 1].rule : NULL;
}

/*
 * The index of a function that was not compiled yet. The lock is held, but not while the file is read: with the buffer
 * of the table, which another thread makes anew meanwhile if it needs one.
 */
static uint32_t find_new(struct unwind_table *t, uint32_t place)
{
	struct function_entry e = { .at = t->places.at[place].at };
	struct fde_file in_file = t->in_file;
	uint32_t function;

	if (in_file.files) {
		t->in_file.cie_size = 0;
		t->in_file.bytes = (__typeof__(t->in_file.bytes)){ 0 };
		pthread_mutex_unlock(&t->lock);
		e.in_small = true;
		if (!fde_file_read(&in_file, &t->section, e.at, &e.small, &e.at))
			e.at = UINT32_MAX;
		pthread_mutex_lock(&t->lock);
	}
	function = in_file.files ? u64map_get(&t->function_of, place) : U64MAP_NONE;
	if (function == U64MAP_NONE)
		function = compile(t, place, &e);
	if (in_file.files) {
		fde_file_free(&t->in_file);
		t->in_file = in_file;
	}
	return function;
}

bool unwind_table_find(struct unwind_table *t, uint64_t addr, const struct unwind_rule **rule,
		       const struct cfi_section **section, uint64_t *start, uint64_t *end)
{
	uint32_t place = addr >= t->base ? place_of(t, addr - t->base) : UINT32_MAX, function;
	const struct unwind_function *f;

	if (place == UINT32_MAX)
		return false;
	*rule = NULL;
	*start = t->base + t->places.at[place].start;
	pthread_mutex_lock(&t->lock);
	function = u64map_get(&t->function_of, place);
	if (function == U64MAP_NONE)
		function = find_new(t, place);
	f = function == UINT32_MAX ? NULL : &t->functions.at[function];
	if (f && addr < f->end) {
		*rule = rule_at(t, f, *start, addr);
		*end = f->end;
		*section = f->section ? f->section : &t->section;
	}
	pthread_mutex_unlock(&t->lock);
	return *rule != NULL;
}
