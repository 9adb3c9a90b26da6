/* SPDX-License-Identifier: MIT */
/* Line programs written byte by byte: every opcode, the tables of every version, hostile programs. */
#include "symbol/dwarf/line_table.h"

#include <dwarf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"

enum { LINE_BASE = -5, LINE_RANGE = 14, OPCODE_BASE = 13 };

/* A line program while it is written. */
struct program {
	struct buf b;
	int version;
	bool dwarf64, swap;
	uint8_t min_inst, max_ops, line_range, opcode_base;
	size_t header_length, tables;        /* where the length of the header is, and what it counts from */
	struct unit_lines lines;
};

static void u8(struct program *p, unsigned v)
{
	buf_char(&p->b, (char)v);
}

static void number(struct program *p, uint64_t v, int size)
{
	uint8_t bytes[8];

	if (size == 2)
		store_u16(bytes, (uint16_t)v, p->swap);
	else if (size == 4)
		store_u32(bytes, (uint32_t)v, p->swap);
	else
		store_u64(bytes, v, p->swap);
	buf_put(&p->b, bytes, (size_t)size);
}

static void uleb(struct program *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		u8(p, (unsigned)(v & 0x7f) | 0x80);
	u8(p, (unsigned)v);
}

static void sleb(struct program *p, int v)
{
	for (; v < -64 || v > 63; v >>= 7)
		u8(p, (unsigned)(v & 0x7f) | 0x80);
	u8(p, (unsigned)(v & 0x7f));
}

static void string(struct program *p, const char *s)
{
	buf_put(&p->b, s, strlen(s) + 1);
}

static void offset(struct program *p, uint64_t v)
{
	number(p, v, p->dwarf64 ? 8 : 4);
}

static struct program begin(int version)
{
	return (struct program){ .b = BUF_MEMORY, .version = version, .min_inst = 1, .max_ops = 1,
				 .line_range = LINE_RANGE, .opcode_base = OPCODE_BASE,
				 .lines = { .address_size = 8, .comp_dir = "/home" } };
}

static void put_header(struct program *p)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

	if (p->dwarf64)
		number(p, UINT32_MAX, 4);
	offset(p, 0);
	number(p, (uint64_t)p->version, 2);
	if (p->version == 5) {
		u8(p, 8);
		u8(p, 0);
	}
	p->header_length = p->b.n;
	offset(p, 0);
	p->tables = p->b.n;
	u8(p, p->min_inst);
	if (p->version >= 4)
		u8(p, p->max_ops);
	u8(p, 1);
	u8(p, (uint8_t)LINE_BASE);
	u8(p, p->line_range);
	u8(p, p->opcode_base);
	for (int i = 1; i < p->opcode_base; i++)
		u8(p, i <= 12 ? operands[i - 1] : 2);
}

/* Directories and files of versions before 5, and of 5 in the way that GCC writes them. */
static void put_files(struct program *p)
{
	if (p->version < 5) {
		string(p, "include");
		string(p, "/usr/include");
		string(p, "");
		for (int i = 0; i < 3; i++) {
			string(p, i == 0 ? "main.c" : i == 1 ? "main.h" : "stdio.h");
			uleb(p, (uint64_t)i);
			uleb(p, 12345);
			uleb(p, 678);
		}
		string(p, "");
		return;
	}
	u8(p, 1);
	uleb(p, DW_LNCT_path);
	uleb(p, DW_FORM_string);
	uleb(p, 3);
	string(p, "/home");
	string(p, "include");
	string(p, "/usr/include");
	u8(p, 2);
	uleb(p, DW_LNCT_path);
	uleb(p, DW_FORM_string);
	uleb(p, DW_LNCT_directory_index);
	uleb(p, DW_FORM_udata);
	uleb(p, 4);
	for (int i = 0; i < 4; i++) {
		string(p, i < 2 ? "main.c" : i == 2 ? "main.h" : "stdio.h");
		uleb(p, (uint64_t)(i < 2 ? 0 : i - 1));
	}
}

static void end_header(struct program *p)
{
	int size = p->dwarf64 ? 8 : 4;
	uint64_t v = p->b.n - p->tables;

	if (size == 8)
		store_u64(p->b.p + p->header_length, v, p->swap);
	else
		store_u32(p->b.p + p->header_length, (uint32_t)v, p->swap);
}

static struct program standard(int version)
{
	struct program p = begin(version);

	put_header(&p);
	put_files(&p);
	end_header(&p);
	return p;
}

static void extended(struct program *p, unsigned op, size_t operands)
{
	u8(p, 0);
	uleb(p, operands + 1);
	u8(p, op);
}

static void set_address(struct program *p, uint64_t v)
{
	extended(p, DW_LNE_set_address, 8);
	number(p, v, 8);
}

static void special(struct program *p, unsigned addresses, int lines)
{
	u8(p, p->opcode_base + (unsigned)(lines - LINE_BASE) + addresses * p->line_range);
}

static void end_sequence(struct program *p)
{
	extended(p, DW_LNE_end_sequence, 0);
}

static int run(struct program *p, struct line_table *t)
{
	uint64_t length = p->b.n - (p->dwarf64 ? 12 : 4);
	uint8_t *exact;
	int r;

	if (p->dwarf64)
		store_u64(p->b.p + 4, length, p->swap);
	else
		store_u32(p->b.p, (uint32_t)length, p->swap);
	exact = malloc(p->b.n);
	assert_non_null(exact);
	memcpy(exact, p->b.p, p->b.n);
	p->lines.line = (struct debug_bytes){ exact, p->b.n };
	p->lines.swap = p->swap;
	r = line_table_read(t, &p->lines, NULL);
	buf_free(&p->b);
	return r;
}

static void done(struct program *p, struct line_table *t)
{
	line_table_free(t);
	free((void *)(uintptr_t)p->lines.line.p);
}

static void check_row(const struct line_table *t, size_t i, uint64_t address, uint32_t file, uint32_t line,
		      uint32_t column)
{
	assert_true(i < t->rows.n);
	assert_int_equal(t->rows.at[i].address, address);
	assert_int_equal(t->rows.at[i].file, file);
	assert_int_equal(t->rows.at[i].line, line);
	assert_int_equal(t->rows.at[i].column, column);
	assert_false(t->rows.at[i].end);
}

static void check_end(const struct line_table *t, size_t i, uint64_t address)
{
	assert_true(i < t->rows.n);
	assert_int_equal(t->rows.at[i].address, address);
	assert_true(t->rows.at[i].end);
}

static void every_opcode(void **state)
{
	struct line_table t;

	(void)state;
	for (int version = 2; version <= 5; version++) {
		struct program p = standard(version);

		set_address(&p, 0x1000);
		u8(&p, DW_LNS_copy);                     /* 1000: 1 */
		u8(&p, DW_LNS_advance_pc);
		uleb(&p, 0x200);
		u8(&p, DW_LNS_advance_line);
		sleb(&p, 300);
		u8(&p, DW_LNS_set_file);
		uleb(&p, 2);
		u8(&p, DW_LNS_set_column);
		uleb(&p, 200);
		u8(&p, DW_LNS_copy);                     /* 1200: 2:301:200 */
		u8(&p, DW_LNS_advance_line);
		sleb(&p, -250);
		u8(&p, DW_LNS_negate_stmt);
		u8(&p, DW_LNS_set_basic_block);
		u8(&p, DW_LNS_const_add_pc);             /* (255 - 13) / 14 */
		u8(&p, DW_LNS_set_prologue_end);
		u8(&p, DW_LNS_set_epilogue_begin);
		u8(&p, DW_LNS_set_isa);
		uleb(&p, 1000);
		u8(&p, DW_LNS_copy);                     /* 1211: 51 */
		u8(&p, DW_LNS_fixed_advance_pc);
		number(&p, 0x1000, 2);
		extended(&p, DW_LNE_set_discriminator, 2);
		uleb(&p, 300);
		special(&p, 3, 8);                       /* 2214: 59 */
		special(&p, 1, -5);                      /* 2215: 54 */
		extended(&p, DW_LNE_define_file, 10);
		string(&p, "made.c");
		uleb(&p, 1);
		uleb(&p, 0);
		uleb(&p, 0);
		u8(&p, DW_LNS_set_file);
		uleb(&p, 4);
		special(&p, 1, 0);                       /* 2216: 4:54 */
		extended(&p, 0x90, 3);                   /* of a vendor */
		number(&p, 0xffff, 2);
		u8(&p, 0xff);
		u8(&p, DW_LNS_advance_pc);
		uleb(&p, 4);
		end_sequence(&p);
		assert_int_equal(run(&p, &t), 0);
		assert_int_equal(t.rows.n, 7);
		check_row(&t, 0, 0x1000, 1, 1, 0);
		check_row(&t, 1, 0x1200, 2, 301, 200);
		check_row(&t, 2, 0x1211, 2, 51, 200);
		check_row(&t, 3, 0x2214, 2, 59, 200);
		check_row(&t, 4, 0x2215, 2, 54, 200);
		check_row(&t, 5, 0x2216, 4, 54, 200);
		check_end(&t, 6, 0x221a);
		assert_string_equal(line_table_path(&t, 1), "/home/main.c");
		assert_string_equal(line_table_path(&t, 2), "/home/include/main.h");
		assert_string_equal(line_table_path(&t, 3), "/usr/include/stdio.h");
		assert_string_equal(line_table_path(&t, 4), "/home/include/made.c");
		assert_null(line_table_path(&t, 5));
		if (version == 5)
			assert_string_equal(line_table_path(&t, 0), "/home/main.c");
		else
			assert_null(line_table_path(&t, 0));
		done(&p, &t);
	}
}

static void unknown_opcodes_are_skipped(void **state)
{
	struct program p = begin(4);
	struct line_table t;

	(void)state;
	p.opcode_base = 16;                  /* 13 to 15 have two operands */
	put_header(&p);
	put_files(&p);
	end_header(&p);
	set_address(&p, 0x1000);
	u8(&p, 14);
	uleb(&p, 1000000);
	uleb(&p, 0);
	special(&p, 2, 3);
	end_sequence(&p);
	assert_int_equal(run(&p, &t), 0);
	assert_int_equal(t.rows.n, 0);       /* of no extent */
	done(&p, &t);

	p = begin(2);
	p.opcode_base = 10;                  /* as before DWARF 3: 10 to 12 are special */
	put_header(&p);
	put_files(&p);
	end_header(&p);
	set_address(&p, 0x1000);
	u8(&p, 10 + 5 + 1);                  /* one line, no address */
	special(&p, 7, 2);
	special(&p, 1, 0);
	end_sequence(&p);
	assert_int_equal(run(&p, &t), 0);
	check_row(&t, 0, 0x1000, 1, 2, 0);
	check_row(&t, 1, 0x1007, 1, 4, 0);
	check_end(&t, 2, 0x1008);
	done(&p, &t);
}

static void sizes_of_instructions(void **state)
{
	struct program p = begin(4);
	struct line_table t;

	(void)state;
	p.min_inst = 4;
	put_header(&p);
	put_files(&p);
	end_header(&p);
	set_address(&p, 0x1000);
	special(&p, 0, 0);
	special(&p, 2, 1);                   /* 2 * 4 */
	u8(&p, DW_LNS_fixed_advance_pc);     /* not scaled */
	number(&p, 2, 2);
	special(&p, 0, 1);
	u8(&p, DW_LNS_advance_pc);
	uleb(&p, 1);
	end_sequence(&p);
	assert_int_equal(run(&p, &t), 0);
	check_row(&t, 0, 0x1000, 1, 1, 0);
	check_row(&t, 1, 0x1008, 1, 2, 0);
	check_row(&t, 2, 0x100a, 1, 3, 0);
	check_end(&t, 3, 0x100e);
	done(&p, &t);

	p = begin(4);                        /* three operations in 16 bytes, as on ia64 */
	p.min_inst = 16;
	p.max_ops = 3;
	put_header(&p);
	put_files(&p);
	end_header(&p);
	set_address(&p, 0x1000);
	special(&p, 0, 0);
	special(&p, 2, 1);                   /* the third one of the same instruction */
	special(&p, 2, 1);                   /* the second one of the next */
	u8(&p, DW_LNS_advance_pc);
	uleb(&p, 4);
	special(&p, 0, 1);
	u8(&p, DW_LNS_advance_pc);
	uleb(&p, 1);
	end_sequence(&p);
	assert_int_equal(run(&p, &t), 0);
	assert_int_equal(t.rows.n, 4);
	check_row(&t, 0, 0x1000, 1, 2, 0);   /* the last row of an address */
	check_row(&t, 1, 0x1010, 1, 3, 0);
	check_row(&t, 2, 0x1020, 1, 4, 0);
	check_end(&t, 3, 0x1030);
	done(&p, &t);
}

static void rows_are_joined(void **state)
{
	struct program p = standard(5);
	struct line_table t;

	(void)state;
	set_address(&p, 0x2000);             /* sequences in any order */
	special(&p, 0, 6);
	special(&p, 4, 0);                   /* the same place */
	special(&p, 4, 1);
	special(&p, 0, 1);                   /* the same address */
	special(&p, 0, -1);
	special(&p, 4, 0);
	u8(&p, DW_LNS_advance_pc);
	uleb(&p, 4);
	end_sequence(&p);
	set_address(&p, 0x1ff0);
	special(&p, 0, 0);
	special(&p, 8, 8);
	special(&p, 0, -8 + 3);
	special(&p, 4, -3);
	u8(&p, DW_LNS_advance_pc);
	uleb(&p, 4);
	end_sequence(&p);
	assert_int_equal(run(&p, &t), 0);
	assert_int_equal(t.rows.n, 6);
	check_row(&t, 0, 0x1ff0, 1, 1, 0);
	check_row(&t, 1, 0x1ff8, 1, 4, 0);
	check_row(&t, 2, 0x1ffc, 1, 1, 0);
	check_row(&t, 3, 0x2000, 1, 7, 0);
	check_row(&t, 4, 0x2008, 1, 8, 0);
	check_end(&t, 5, 0x2010);
	assert_null(line_table_find(&t, 0x1fef));
	assert_int_equal(line_table_find(&t, 0x1fff)->line, 1);
	assert_int_equal(line_table_find(&t, 0x2007)->line, 7);
	assert_int_equal(line_table_find(&t, 0x200f)->line, 8);
	assert_null(line_table_find(&t, 0x2010));
	done(&p, &t);
}

static void backward_rows_end_a_sequence(void **state)
{
	struct program p = standard(4);
	struct line_table t;

	(void)state;
	set_address(&p, 0x2000);
	special(&p, 0, 1);
	special(&p, 4, 1);
	set_address(&p, 0x1000);
	special(&p, 0, 1);
	special(&p, 4, 1);
	end_sequence(&p);
	assert_int_equal(run(&p, &t), 0);
	assert_int_equal(t.rows.n, 4);
	check_row(&t, 0, 0x1000, 1, 4, 0);
	check_end(&t, 1, 0x1004);
	check_row(&t, 2, 0x2000, 1, 2, 0);
	check_end(&t, 3, 0x2004);
	done(&p, &t);
}

static void sequences_that_overlap(void **state)
{
	struct program p = standard(4);
	struct line_table t;

	(void)state;
	for (int i = 0; i < 3; i++) {        /* 1000, 1004 and again 1000 */
		set_address(&p, i == 1 ? 0x1004 : 0x1000);
		special(&p, 0, i + 1);
		special(&p, 2, 4);
		special(&p, 12, 0);
		end_sequence(&p);
	}
	assert_int_equal(run(&p, &t), 0);
	assert_int_equal(t.rows.n, 5);
	check_row(&t, 0, 0x1000, 1, 2, 0);
	check_row(&t, 1, 0x1002, 1, 6, 0);
	check_row(&t, 2, 0x1004, 1, 3, 0);
	check_row(&t, 3, 0x1006, 1, 7, 0);
	check_end(&t, 4, 0x1012);
	done(&p, &t);
}

static void set_bytes(struct debug_sections *s, enum debug_section which, const char *text, size_t n)
{
	s->sections[which] = (struct debug_section_state){ .size = n, .read = true,
							   .bytes = { (const uint8_t *)text, n } };
}

/* A table with all forms that a value may have, after each of which the path must be found. */
static void every_form(void **state)
{
	static const char line_str[] = "x\0/from/line_str", str[] = "y\0from_str", sup[] = "z\0from_sup";
	static const struct { unsigned form; uint64_t size; } forms[] = {
		{ DW_FORM_data1, 1 }, { DW_FORM_data2, 2 }, { DW_FORM_data4, 4 }, { DW_FORM_data8, 8 },
		{ DW_FORM_data16, 16 }, { DW_FORM_flag, 1 }, { DW_FORM_strx1, 1 }, { DW_FORM_strx2, 2 },
		{ DW_FORM_strx3, 3 }, { DW_FORM_strx4, 4 }, { DW_FORM_addr, 8 }, { DW_FORM_flag_present, 0 },
	};
	struct debug_sections strings = { 0 }, sup_strings = { 0 };
	struct line_table t;

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		struct program p = begin(5);
		size_t nr_columns = ARRAY_SIZE(forms) + 10;

		p.dwarf64 = wide;
		p.swap = wide;
		set_bytes(&strings, DEBUG_LINE_STR, line_str, sizeof(line_str) - 1);
		set_bytes(&strings, DEBUG_STR, str, sizeof(str) - 1);
		set_bytes(&sup_strings, DEBUG_STR, sup, sizeof(sup) - 1);
		p.lines.strings = &strings;
		p.lines.sup_strings = &sup_strings;
		put_header(&p);
		u8(&p, 1);
		uleb(&p, DW_LNCT_path);
		uleb(&p, DW_FORM_line_strp);
		uleb(&p, 1);
		offset(&p, 2);
		u8(&p, (unsigned)nr_columns);
		for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
			uleb(&p, DW_LNCT_MD5);
			uleb(&p, forms[i].form);
		}
		uleb(&p, DW_LNCT_timestamp);
		uleb(&p, DW_FORM_block);
		uleb(&p, DW_LNCT_timestamp);
		uleb(&p, DW_FORM_block1);
		uleb(&p, DW_LNCT_timestamp);
		uleb(&p, DW_FORM_block2);
		uleb(&p, DW_LNCT_timestamp);
		uleb(&p, DW_FORM_block4);
		uleb(&p, DW_LNCT_size);
		uleb(&p, DW_FORM_sdata);
		uleb(&p, DW_LNCT_size);
		uleb(&p, DW_FORM_strx);
		uleb(&p, 0x2001);                        /* LLVM's source */
		uleb(&p, DW_FORM_line_strp);
		uleb(&p, 0x2001);
		uleb(&p, DW_FORM_sec_offset);
		uleb(&p, DW_LNCT_directory_index);
		uleb(&p, DW_FORM_udata);
		uleb(&p, DW_LNCT_path);
		uleb(&p, wide ? DW_FORM_strp_sup : DW_FORM_strp);
		uleb(&p, 2);
		for (int file = 0; file < 2; file++) {
			for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
				buf_pad(&p.b, 'a', forms[i].size);
			uleb(&p, 3);
			buf_pad(&p.b, 'b', 3);
			u8(&p, 2);
			buf_pad(&p.b, 'b', 2);
			number(&p, 1, 2);
			buf_pad(&p.b, 'b', 1);
			number(&p, 0, 4);
			sleb(&p, -1000);
			uleb(&p, 1000);
			offset(&p, 0);
			offset(&p, 0);
			uleb(&p, 0);
			offset(&p, file ? 2 : 1000);     /* out of the section */
		}
		end_header(&p);
		set_address(&p, 0x1000);
		special(&p, 0, 0);
		special(&p, 1, 0);
		end_sequence(&p);
		assert_int_equal(run(&p, &t), 0);
		assert_null(line_table_path(&t, 0));
		assert_string_equal(line_table_path(&t, 1),
				    wide ? "/from/line_str/from_sup" : "/from/line_str/from_str");
		assert_int_equal(t.rows.n, 2);
		done(&p, &t);
	}
}

static void paths(void **state)
{
	static const struct { const char *comp_dir, *dir0, *dir1, *name; int dir; const char *path; } cases[] = {
		{ "/c", "/d", "e", "f.c", 1, "/c/e/f.c" }, { "./d", "./d", "../e", "f.c", 1, "./d/../e/f.c" },
		{ "./d", "./d", "e", "f.c", 0, "./d/./d/f.c" }, { "/c", "/d", "/e/", "f.c", 1, "/e/f.c" },
		{ "/c", "/d", "e", "/f.c", 1, "/f.c" }, { NULL, "d", "e", "f.c", 1, "e/f.c" },
		{ "/c", "", "e", "f.c", 1, "/c/e/f.c" }, { "/c", "/d", "e", "f.c", 7, "/c/f.c" },
		{ "/c", "/d", "e", "", 1, NULL },
	};
	struct line_table t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct program p = begin(5);

		p.lines.comp_dir = cases[i].comp_dir;
		put_header(&p);
		u8(&p, 1);
		uleb(&p, DW_LNCT_path);
		uleb(&p, DW_FORM_string);
		uleb(&p, 2);
		string(&p, cases[i].dir0);
		string(&p, cases[i].dir1);
		u8(&p, 2);
		uleb(&p, DW_LNCT_path);
		uleb(&p, DW_FORM_string);
		uleb(&p, DW_LNCT_directory_index);
		uleb(&p, DW_FORM_data1);
		uleb(&p, 1);
		string(&p, cases[i].name);
		u8(&p, (unsigned)cases[i].dir);
		end_header(&p);
		assert_int_equal(run(&p, &t), 0);
		if (cases[i].path)
			assert_string_equal(line_table_path(&t, 0), cases[i].path);
		else
			assert_null(line_table_path(&t, 0));
		done(&p, &t);
	}
}

/* The program is found by the length of the header, whatever its tables are. */
static void tables_may_be_damaged(void **state)
{
	struct line_table t;

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct program p = begin(5);

		put_header(&p);
		u8(&p, kind == 3 ? 0 : 1);
		if (kind != 3) {
			uleb(&p, DW_LNCT_path);
			uleb(&p, kind == 0 ? 0x77 : kind == 2 ? DW_FORM_flag_present : DW_FORM_string);
		}
		uleb(&p, kind == 1 ? UINT64_MAX : 2);   /* more directories than bytes */
		string(&p, "/home");
		end_header(&p);
		set_address(&p, 0x1000);
		special(&p, 0, 4);
		special(&p, 4, 0);
		end_sequence(&p);
		assert_int_equal(run(&p, &t), 0);
		check_row(&t, 0, 0x1000, 1, 5, 0);
		assert_null(line_table_path(&t, 1));
		done(&p, &t);
	}
}

static void hostile_headers(void **state)
{
	struct line_table t;
	struct program p;

	(void)state;
	p = begin(4);
	p.line_range = 0;
	put_header(&p);
	put_files(&p);
	end_header(&p);
	assert_int_equal(run(&p, &t), -SONDE_CORRUPT);
	done(&p, &t);
	p = begin(4);
	p.opcode_base = 0;
	put_header(&p);
	put_files(&p);
	end_header(&p);
	assert_int_equal(run(&p, &t), -SONDE_CORRUPT);
	done(&p, &t);
	for (int version = 0; version < 9; version += version == 1 ? 5 : 1) {
		p = standard(version);
		assert_int_equal(run(&p, &t), -SONDE_CORRUPT);
		done(&p, &t);
	}
	p = begin(4);                        /* min_inst_length 0: the address does not move */
	p.min_inst = 0;
	put_header(&p);
	put_files(&p);
	end_header(&p);
	set_address(&p, 0x1000);
	for (int i = 0; i < 10; i++)
		special(&p, 10, 1);
	end_sequence(&p);
	assert_int_equal(run(&p, &t), 0);
	assert_int_equal(t.rows.n, 0);
	done(&p, &t);
}

/* A program without an end has what is in front of it. */
static void no_end(void **state)
{
	struct program p = standard(5);
	struct line_table t;

	(void)state;
	set_address(&p, 0x1000);
	special(&p, 0, 4);
	special(&p, 4, 1);
	u8(&p, DW_LNS_advance_pc);
	u8(&p, 0x80);
	assert_int_equal(run(&p, &t), -SONDE_CORRUPT);
	assert_int_equal(t.rows.n, 2);
	check_row(&t, 0, 0x1000, 1, 5, 0);
	check_end(&t, 1, 0x1004);
	done(&p, &t);
}

/* Every program that is cut short, in memory that ends where it does. */
static void every_prefix(void **state)
{
	struct program p = standard(5);
	struct line_table t, all;
	struct unit_lines lines;

	(void)state;
	set_address(&p, 0x1000);
	special(&p, 0, 4);
	special(&p, 4, 1);
	end_sequence(&p);
	assert_int_equal(run(&p, &all), 0);
	lines = p.lines;
	for (size_t n = 0; n < p.lines.line.n; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		assert_non_null(cut);
		memcpy(cut, p.lines.line.p, n);
		lines.line = (struct debug_bytes){ cut, n };
		assert_int_equal(line_table_read(&t, &lines, NULL), -SONDE_CORRUPT);
		line_table_free(&t);
		if (n > 4) {                     /* a length that fits: the header or the program is cut */
			store_u32(cut, (uint32_t)n - 4, false);
			line_table_read(&t, &lines, NULL);
			assert_true(t.rows.n <= all.rows.n);
			line_table_free(&t);
		}
		free(cut);
	}
	lines = p.lines;
	lines.offset = lines.line.n + 1;
	assert_int_equal(line_table_read(&t, &lines, NULL), -SONDE_CORRUPT);
	lines.offset = UINT64_MAX;
	assert_int_equal(line_table_read(&t, &lines, NULL), -SONDE_CORRUPT);
	assert_int_equal(line_header_unit_size(&lines), 0);
	assert_int_equal(line_header_unit_size(&p.lines), p.lines.line.n);
	done(&p, &all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opcode),
		cmocka_unit_test(unknown_opcodes_are_skipped),
		cmocka_unit_test(sizes_of_instructions),
		cmocka_unit_test(rows_are_joined),
		cmocka_unit_test(backward_rows_end_a_sequence),
		cmocka_unit_test(sequences_that_overlap),
		cmocka_unit_test(every_form),
		cmocka_unit_test(paths),
		cmocka_unit_test(tables_may_be_damaged),
		cmocka_unit_test(hostile_headers),
		cmocka_unit_test(no_end),
		cmocka_unit_test(every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
