/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/annotation_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/sorted.h"
#include "base/text.h"
#include "disasm/data.h"
#include "symbol/load.h"

enum {
	LINES_BEFORE = 5,            /* of the source, that lead to the line of an instruction */
	LINE_MOST = 1024,            /* bytes that are shown of a line */
	NAME_MOST = 1024,            /* bytes that a row shows of a name: every row may show the same long one */
	TAB = 8,
};

/* While the rows are made. */
struct making {
	struct sonde_annotation *a;
	struct disasm *disasm;
	struct disasm_place at;
	size_t next_count;           /* in counts.list: the first one that no row has yet */
	size_t next_mode;            /* in code.modes */
	bool is_data;                /* the mode of the place: no code */
	const struct source_text *source;    /* of the last line */
	const char *file;            /* the same, as DWARF has it; NULL: none yet */
	uint32_t line;
	const char *numbered;        /* the file whose number is known */
	uint32_t number;
	VEC(uint64_t) targets;       /* by row: where its jump goes */
};

#define NO_TARGET UINT64_MAX

static uint32_t begin_text(struct making *m)
{
	return (uint32_t)m->a->texts.n;
}

static int add_row(struct making *m, const struct annotation_row *row, uint64_t target)
{
	buf_char(&m->a->texts, '\0');
	if (m->a->texts.failed || m->a->texts.n > UINT32_MAX || vec_push(&m->targets, target) < 0)
		return -SONDE_NOMEM;
	return vec_push(&m->a->rows, *row) < 0 ? -SONDE_NOMEM : 0;
}

static void put_name(struct buf *out, const char *name)
{
	size_t len = strnlen(name, NAME_MOST + 1);

	buf_text(out, name, len > NAME_MOST ? NAME_MOST : len);
	if (len > NAME_MOST)
		buf_str(out, "...");
}

/* A line of source as text of a terminal: blanks for tabs, no control bytes. */
static void put_source(struct buf *out, struct sonde_str line)
{
	size_t begin = out->n;

	for (size_t i = 0; i < line.len && out->n - begin < LINE_MOST; i++) {
		if (line.p[i] == '\t')
			buf_pad(out, ' ', TAB - (out->n - begin) % TAB);
		else
			buf_char(out, line.p[i]);
	}
	if (!out->failed)
		text_clean(out->p + begin, out->n - begin);
}

static uint32_t file_number(struct making *m)
{
	const char *name = m->a->opts.full_source_path ? m->file : path_base(m->file);

	if (m->file != m->numbered)
		m->number = strpool_add(&m->a->files, name, strlen(name));
	m->numbered = m->file;
	return m->number;
}

/* The line of a BPF program, whose types have it. */
static bool text_of_program(const struct making *m, struct sonde_str *text)
{
	const struct bpf_line *line = m->a->counts.function.table ? NULL :
		bpf_lines_find(&m->a->profile->symbols->bpf, m->a->start, m->at.addr - m->a->code.addr + m->a->start);

	if (!line || !line->text[0])
		return false;
	*text = (struct sonde_str){ line->text, strlen(line->text) };
	return true;
}

static int add_source(struct making *m, uint32_t line)
{
	struct annotation_row row = { .addr = m->at.addr, .text = begin_text(m), .line = line,
				      .kind = SONDE_ANNOTATION_SOURCE, .target = NO_ANNOTATION_ROW,
				      .callee = SYMTAB_NONE };
	struct sonde_str text;

	row.file = file_number(m);
	if (row.file == UINT32_MAX)
		return -SONDE_NOMEM;
	if (source_text_line(m->source, line, &text) || text_of_program(m, &text)) {
		put_source(&m->a->texts, text);
	} else {
		row.kind = SONDE_ANNOTATION_LABEL;
		put_name(&m->a->texts, strpool_get(&m->a->files, row.file));
		buf_printf(&m->a->texts, ":%u", line);
	}
	return add_row(m, &row, NO_TARGET);
}

/* Tells, once, why a file of the source may not be what was compiled. */
static int note_source(struct making *m)
{
	const struct source_text *t = m->source;

	if (t->refused)
		return annotation_notes_add(&m->a->notes, "the text of %s is left out: %s", t->path, t->refused);
	if (!t->starts.n)
		return 0;
	if (m->a->code.file_s && t->changed_s > m->a->code.file_s)
		return annotation_notes_add(&m->a->notes, "%s is newer than %.*s: its lines may be others", t->path,
				       (int)m->a->code.source.n, m->a->code.source.p);
	return 0;
}

/*
 * The lines before an instruction of another line than the last one. As objdump does it: lines that lead there are
 * shown once, going forwards.
 */
static int add_lines(struct making *m)
{
	struct source_text *t = source_texts_get(&m->a->sources, m->file);
	uint32_t from = m->line;

	if (!t)
		return -SONDE_NOMEM;
	m->source = t;
	if (note_source(m) < 0)
		return -SONDE_NOMEM;
	if (t->starts.n && m->line > t->shown) {
		from = m->line > LINES_BEFORE ? m->line - LINES_BEFORE : 1;
		from = from > t->shown ? from : t->shown + 1;
		t->shown = m->line;
	}
	for (; from < m->line && m->line <= t->starts.n; from++)
		if (add_source(m, from) < 0)
			return -SONDE_NOMEM;
	return add_source(m, m->line);
}

/* Finds the line of the instruction that comes next. */
static int take_line(struct making *m)
{
	struct sonde_annotation *a = m->a;
	const struct source_frame *frames;
	size_t n = source_lines_find(a->profile->lines, a->counts.function.binary, m->at.addr - a->code.addr + a->start,
				     &frames);

	if (!n || !frames[0].file || !frames[0].line)
		return 0;
	if (m->file && m->line == frames[0].line && (m->file == frames[0].file || !strcmp(m->file, frames[0].file)))
		return 0;
	m->file = frames[0].file;
	m->line = frames[0].line;
	return a->opts.source ? add_lines(m) : 0;
}

/* Adds the samples at the bytes of a row up. @out: index in row_counts; 0: there are none */
static int take_counts(struct making *m, uint64_t end, uint32_t *out)
{
	struct annotation_counts *c = &m->a->counts;
	size_t nr = c->events.n;

	*out = 0;
	if (m->next_count == c->list.n || c->list.at[m->next_count].offset >= end)
		return 0;
	if (vec_reserve(&m->a->row_counts, nr) < 0)
		return -SONDE_NOMEM;
	*out = (uint32_t)m->a->row_counts.n;
	memset(m->a->row_counts.at + *out, 0, nr * sizeof(*m->a->row_counts.at));
	m->a->row_counts.n += nr;
	for (; m->next_count < c->list.n && c->list.at[m->next_count].offset < end; m->next_count++) {
		const struct offset_count *from = &c->list.at[m->next_count];
		struct sonde_annotation_count *to = &m->a->row_counts.at[*out + from->event];

		to->samples += from->samples;
		to->period += from->period;
	}
	return 0;
}

/* The symbol at an address of the code, or SYMTAB_NONE. */
static uint32_t symbol_at(const struct making *m, uint64_t addr, uint64_t *offset)
{
	const struct sonde_annotation *a = m->a;
	struct symtab *t = a->counts.function.table;
	uint64_t in_table = addr - a->code.addr + a->start;
	uint32_t i = t ? symtab_find(t, in_table) : SYMTAB_NONE;

	if (i != SYMTAB_NONE)
		*offset = in_table - symtab_start(t, i);
	return i;
}

/* " <printf@plt>", " <hot+0x80>" */
static void put_symbol(struct making *m, uint64_t addr)
{
	uint64_t offset;
	uint32_t i = symbol_at(m, addr, &offset);

	if (i == SYMTAB_NONE)
		return;
	buf_str(&m->a->texts, " <");
	put_name(&m->a->texts, symtab_name(m->a->counts.function.table, i));
	if (offset)
		buf_printf(&m->a->texts, "+0x%" PRIx64, offset);
	buf_char(&m->a->texts, '>');
}

/* @row: its text begins here */
static void put_insn(struct making *m, const struct disasm_insn *insn, struct annotation_row *row)
{
	struct buf *out = &m->a->texts;
	size_t n = strlen(insn->operands);

	if (n)
		buf_printf(out, "%-6s ", insn->mnemonic);
	else
		buf_str(out, insn->mnemonic);
	if (insn->has_target) {
		buf_put(out, insn->operands, insn->target_at);
		row->target_at = (uint16_t)(out->n - row->text);
		buf_hex(out, insn->target);
		put_symbol(m, insn->target);
	} else {
		buf_put(out, insn->operands, n);
	}
	if (insn->has_referred) {
		buf_str(out, "        # ");
		buf_hex(out, insn->referred);
		put_symbol(m, insn->referred);
	}
}

static bool is_inside(const struct making *m, uint64_t addr)
{
	return addr - m->a->code.addr < m->a->code.size;
}

static enum sonde_annotation_flow flow_of(const struct making *m, const struct disasm_insn *insn)
{
	switch (insn->kind) {
	case DISASM_JUMP:
		return insn->has_target && !is_inside(m, insn->target) ? SONDE_FLOW_CALL : SONDE_FLOW_JUMP;
	case DISASM_CALL:
		return SONDE_FLOW_CALL;
	case DISASM_RETURN:
		return SONDE_FLOW_RETURN;
	}
	return SONDE_FLOW_NEXT;
}

static int add_insn(struct making *m, const struct disasm_insn *insn)
{
	struct annotation_row row = { .addr = insn->addr, .text = begin_text(m), .line = m->line, .size = insn->size,
				      .kind = SONDE_ANNOTATION_INSN, .target = NO_ANNOTATION_ROW,
				      .callee = SYMTAB_NONE };
	uint64_t target = NO_TARGET;

	row.flow = (uint8_t)flow_of(m, insn);
	if (row.flow == SONDE_FLOW_JUMP && insn->has_target)
		target = insn->target;
	if (row.flow == SONDE_FLOW_CALL && insn->has_target)
		row.callee = symbol_at(m, insn->target, &row.callee_offset);
	if (m->file)
		row.file = file_number(m);
	if (row.file == UINT32_MAX || take_counts(m, insn->addr + insn->size - m->a->code.addr, &row.counts) < 0)
		return -SONDE_NOMEM;
	put_insn(m, insn, &row);
	return add_row(m, &row, target);
}

/* The mode of the code at the place, where the file marks that. @size: of data, up to the next mark. */
static void take_mode(struct making *m, size_t *size)
{
	const struct code_bytes *c = &m->a->code;

	while (m->next_mode < c->modes.n && c->modes.at[m->next_mode].addr <= m->at.addr) {
		enum code_mode_kind kind = c->modes.at[m->next_mode++].kind;

		m->is_data = kind == CODE_DATA;
		disasm_set_thumb(m->disasm, kind == CODE_THUMB);
	}
	*size = 4;
	if (m->next_mode < c->modes.n && c->modes.at[m->next_mode].addr - m->at.addr < 4)
		*size = (size_t)(c->modes.at[m->next_mode].addr - m->at.addr);
}

/* An instruction begins where one was interrupted: the next such address, 0 if there is none. */
static uint64_t next_sampled(const struct making *m)
{
	const struct annotation_counts *c = &m->a->counts;
	uint64_t offset = m->at.addr - m->a->code.addr;
	size_t i = m->next_count;

	while (i < c->list.n && c->list.at[i].offset <= offset)
		i++;
	return i < c->list.n ? m->a->code.addr + c->list.at[i].offset : 0;
}

static int add_next(struct making *m)
{
	struct disasm_insn insn;
	size_t size;

	take_mode(m, &size);
	if (take_line(m) < 0)
		return -SONDE_NOMEM;
	m->at.sync = next_sampled(m);
	if (m->is_data)
		data_take(&m->at, size, m->a->code.code.big_endian, &insn);
	else
		disasm_next(m->disasm, &m->at, &insn);
	return add_insn(m, &insn);
}

/* Compilers fill the place up to the next function. */
static void drop_padding(struct sonde_annotation *a)
{
	while (a->rows.n > 1) {
		const struct annotation_row *last = &a->rows.at[a->rows.n - 1];
		const char *text = a->texts.p + last->text;

		if (last->counts || (last->kind == SONDE_ANNOTATION_INSN && strncmp(text, "nop", 3) != 0 &&
				     strcmp(text, "int3") != 0 && strcmp(text, "xchg   %ax,%ax") != 0))
			return;
		a->rows.n--;
	}
}

uint32_t annotation_row_at(const struct sonde_annotation *a, uint64_t addr)
{
	/* lines of the source have the address of the instruction after them, which is the last row of that address */
	size_t n = sorted_nr_at_most(a->rows.at, a->rows.n, addr, addr);

	return n && a->rows.at[n - 1].addr == addr && a->rows.at[n - 1].kind == SONDE_ANNOTATION_INSN ?
		(uint32_t)n - 1 : NO_ANNOTATION_ROW;
}

static void find_targets(struct making *m)
{
	struct sonde_annotation *a = m->a;

	for (size_t i = 0; i < a->rows.n; i++) {
		if (m->targets.at[i] == NO_TARGET)
			continue;
		a->rows.at[i].target = annotation_row_at(a, m->targets.at[i]);
		if (a->rows.at[i].target != NO_ANNOTATION_ROW)
			a->rows.at[a->rows.at[i].target].is_target = true;
	}
}

int annotation_rows_make(struct sonde_annotation *a, struct sonde_error *err)
{
	struct making m = { .a = a, .at = { .p = a->code.bytes, .left = a->code.size, .addr = a->code.addr } };
	struct sonde_error why = { .file_offset = SONDE_NONE };
	int r = disasm_new(&m.disasm, &a->code.code, a->opts.intel ? DISASM_INTEL : DISASM_ATT, &why);

	if (r < 0)
		return err_set(err, why.code, SONDE_NONE, "cannot annotate %s: %s",
			       annotated_function_name(&a->counts.function), why.text);
	/* number 0 stands for no counts, and for no file */
	if (vec_reserve(&a->row_counts, 1) < 0 || strpool_add(&a->files, "", 0) == UINT32_MAX)
		r = -SONDE_NOMEM;
	a->row_counts.n = 1;
	while (r == 0 && m.at.left)
		r = add_next(&m);
	if (r == 0) {
		drop_padding(a);
		find_targets(&m);
	}
	vec_free(&m.targets);
	disasm_free(m.disasm);
	return r;
}
