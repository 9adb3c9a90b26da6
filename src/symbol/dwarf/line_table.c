/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/line_table.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/sorted.h"

/* Rows between two ends, in the order of the program. */
struct sequence { uint64_t start; size_t first, nr_rows; };

struct line_machine {
	struct line_header *h;
	const struct dwarf *code;
	VEC(struct line_row) rows;
	VEC(struct sequence) sequences;
	size_t first;                /* row of the sequence that is being made */
	bool dropped;                /* what follows up to the next end, because it began outside the code */
	uint64_t op_index;           /* within an instruction of several operations */
	struct line_row now;
};

static void begin_sequence(struct line_machine *m)
{
	m->first = m->rows.n;
	m->dropped = false;
	m->op_index = 0;
	m->now = (struct line_row){ .file = 1, .line = 1 };
}

/* The rows since the last end are a sequence if they lie in code; others belong to functions that are not there. */
static int end_sequence(struct line_machine *m, uint64_t end)
{
	uint64_t start;

	/* a row of no extent */
	while (m->rows.n > m->first && m->rows.at[m->rows.n - 1].address >= end)
		m->rows.n--;
	if (m->rows.n == m->first)
		return 0;
	start = m->rows.at[m->first].address;
	if (m->dropped || (m->code && !dwarf_is_code(m->code, start))) {
		m->dropped = true;   /* from a tombstone, an address may wrap around to that of a function */
		m->rows.n = m->first;
		return 0;
	}
	if (vec_push(&m->rows, ((struct line_row){ .address = end, .end = true })) < 0)
		return -SONDE_NOMEM;
	return vec_push(&m->sequences, ((struct sequence){ start, m->first, m->rows.n - m->first }));
}

static bool same_place(const struct line_row *a, const struct line_row *b)
{
	return a->file == b->file && a->line == b->line && a->column == b->column && a->end == b->end;
}

/* Appends a row to sorted ones of which the last is not after it. */
static int append(struct line_row **rows, size_t *n, size_t *cap, size_t first, const struct line_row *row)
{
	if (*n > first && (*rows)[*n - 1].address == row->address)
		--*n;
	if (*n > first && same_place(&(*rows)[*n - 1], row))
		return 0;
	if (*n == *cap && vec_grow((void **)rows, cap, *n, 1, sizeof(**rows)) < 0)
		return -SONDE_NOMEM;
	(*rows)[(*n)++] = *row;
	return 0;
}

static int add_row(struct line_machine *m)
{
	int failed = 0;

	/* the address goes backwards: another sequence begins */
	if (m->rows.n > m->first && m->rows.at[m->rows.n - 1].address > m->now.address) {
		failed = end_sequence(m, m->rows.at[m->rows.n - 1].address);
		m->first = m->rows.n;
	}
	return failed ? failed : append(&m->rows.at, &m->rows.n, &m->rows.cap, m->first, &m->now);
}

static void advance(struct line_machine *m, uint64_t operations)
{
	const struct line_header *h = m->h;

	if (h->max_ops == 1) {
		m->now.address += operations * h->min_inst_length;
		return;
	}
	operations += m->op_index;
	m->now.address += operations / h->max_ops * h->min_inst_length;
	m->op_index = operations % h->max_ops;
}

static int run_special(struct line_machine *m, uint8_t opcode)
{
	unsigned adjusted = (unsigned)(opcode - m->h->opcode_base);

	advance(m, adjusted / m->h->line_range);
	m->now.line += (uint32_t)(m->h->line_base + (int)(adjusted % m->h->line_range));
	return add_row(m);
}

static uint64_t take_address(struct cursor *c)
{
	uint64_t size = cur_left(c);
	const uint8_t *p;

	if (size != 2 && size != 4 && size != 8)
		return 0;
	p = cur_take(c, size);
	return p ? load_integer(p, size, false, c->swap) : 0;
}

static int run_extended(struct line_machine *m, struct cursor *program)
{
	struct cursor c = cur_sub(program, cur_uleb(program));
	uint64_t end = m->now.address;
	int failed = 0;

	switch (cur_left(&c) ? cur_u8(&c) : 0) {
	case DW_LNE_end_sequence:
		failed = end_sequence(m, end);
		begin_sequence(m);
		return failed;
	case DW_LNE_set_address:
		m->now.address = take_address(&c);
		m->op_index = 0;
		return 0;
	case DW_LNE_define_file:
		return line_header_add_file(m->h, &c, cur_strz(&c).p);
	default:
		return 0;            /* discriminators, and what others have added */
	}
}

static int run_standard(struct line_machine *m, uint8_t opcode, struct cursor *c)
{
	switch (opcode) {
	case DW_LNS_copy:
		return add_row(m);
	case DW_LNS_advance_pc:
		advance(m, cur_uleb(c));
		return 0;
	case DW_LNS_advance_line:
		m->now.line += (uint32_t)cur_sleb(c);
		return 0;
	case DW_LNS_set_file:
		m->now.file = (uint32_t)cur_uleb(c);
		return 0;
	case DW_LNS_set_column:
		m->now.column = (uint32_t)cur_uleb(c);
		return 0;
	case DW_LNS_const_add_pc:
		advance(m, (255u - m->h->opcode_base) / m->h->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		m->now.address += cur_u16(c);
		m->op_index = 0;
		return 0;
	default:                     /* whether a statement, prologue or block begins is of no use to a profiler */
		for (unsigned n = m->h->operands[opcode - 1]; n; n--)
			cur_uleb(c);
		return 0;
	}
}

/* Every row takes a byte of the program, so rows are proportional to the input. */
static int run(struct line_machine *m)
{
	struct cursor *c = &m->h->program;
	int failed = 0;

	begin_sequence(m);
	while (!failed && cur_left(c) && cur_ok(c)) {
		uint8_t opcode = cur_u8(c);

		if (opcode >= m->h->opcode_base)
			failed = run_special(m, opcode);
		else if (opcode == 0)
			failed = run_extended(m, c);
		else
			failed = run_standard(m, opcode, c);
	}
	/* without an end the last row holds nowhere */
	if (!failed && m->rows.n > m->first)
		failed = end_sequence(m, m->rows.at[m->rows.n - 1].address);
	return failed ? failed : cur_ok(c) ? 0 : -SONDE_CORRUPT;
}

static int by_start(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Copies the sequences in their order. One that begins within another one ends it; of equal starts the first holds. */
static int arrange(struct line_table *t, struct line_machine *m)
{
	for (size_t i = 0; i < m->sequences.n; i++) {
		const struct sequence *s = &m->sequences.at[i];
		uint64_t limit = UINT64_MAX;

		if (i && s->start == s[-1].start)
			continue;
		for (size_t k = i + 1; k < m->sequences.n && limit == UINT64_MAX; k++)
			if (m->sequences.at[k].start > s->start)
				limit = m->sequences.at[k].start;
		for (size_t k = 0; k < s->nr_rows && m->rows.at[s->first + k].address <= limit; k++)
			if (append(&t->rows.at, &t->rows.n, &t->rows.cap, 0, &m->rows.at[s->first + k]) < 0)
				return -SONDE_NOMEM;
	}
	return 0;
}

static bool is_sorted(const struct line_machine *m)
{
	for (size_t i = 1; i < m->sequences.n; i++) {
		const struct sequence *s = &m->sequences.at[i - 1];

		if (m->rows.at[s->first + s->nr_rows - 1].address >= s[1].start)
			return false;
	}
	return true;
}

int line_table_read(struct line_table *t, const struct unit_lines *lines, const struct dwarf *code)
{
	struct line_machine m = { .h = &t->header, .code = code };
	int failed, ended;

	*t = (struct line_table){ 0 };
	failed = line_header_read(&t->header, lines);
	if (failed < 0)
		return failed;
	ended = run(&m);
	failed = ended == -SONDE_NOMEM ? ended : 0;
	if (!failed && is_sorted(&m)) {
		t->rows.at = m.rows.at;
		t->rows.n = m.rows.n;
		t->rows.cap = m.rows.cap;
		m.rows.at = NULL;
	} else if (!failed) {
		qsort(m.sequences.at, m.sequences.n, sizeof(*m.sequences.at), by_start);
		failed = arrange(t, &m);
	}
	vec_free(&m.rows);
	vec_free(&m.sequences);
	if (failed)
		line_table_free(t);
	return failed ? failed : ended;
}

void line_table_free(struct line_table *t)
{
	line_header_free(&t->header);
	vec_free(&t->rows);
}

const struct line_row *line_table_find(const struct line_table *t, uint64_t addr)
{
	size_t n = sorted_nr_at_most(t->rows.at, t->rows.n, address, addr);

	return n && !t->rows.at[n - 1].end ? &t->rows.at[n - 1] : NULL;
}
