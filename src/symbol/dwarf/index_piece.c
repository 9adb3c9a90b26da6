/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/index_piece.h"

#include <string.h>

#include "symbol/dwarf/index_format.h"

/* A block is decoded from its start, which takes longer the more rows it has. */
enum { BLOCK_ROWS = 48 };

#define UNKNOWN UINT32_MAX

/* Texts of a unit: so many bytes, and so many for each function and file. In a hostile file all of them are long. */
enum { TEXT_BYTES = 1 << 20, TEXT_BYTES_EACH = 512 };

/* Names that were met before, by where they lie. */
enum { RECENT_TEXTS = 1024 };

struct piece_encoder {
	struct index_piece *p;
	const struct unit_tree *tree;
	struct line_table *table;
	VEC(uint32_t) files;         /* by number in the table: the number in the piece, or UNKNOWN */
	struct { const char *text; uint32_t number; } recent[RECENT_TEXTS];
	size_t text_left;            /* bytes of texts that are taken yet */
	uint32_t *order;             /* nodes, those of a function together */
	uint32_t *root, *rest;       /* of each node: its function; bytes after its ranges */
	bool failed;                 /* out of memory */
};

static void put(struct piece_encoder *e, uint64_t v)
{
	struct index_piece *p = e->p;

	if (e->failed || (p->bytes.cap - p->bytes.n < 10 && vec_reserve(&p->bytes, 10) < 0)) {
		e->failed = true;
		return;
	}
	for (; v >= 0x80; v >>= 7)
		p->bytes.at[p->bytes.n++] = (uint8_t)(v | 0x80);
	p->bytes.at[p->bytes.n++] = (uint8_t)v;
}

/* Small differences of either sign become small numbers. */
static uint64_t zigzag(uint32_t to, uint32_t from)
{
	int32_t d = (int32_t)(to - from);

	return (uint32_t)d << 1 ^ (uint32_t)(d >> 31);
}

static uint32_t string(struct piece_encoder *e, const char *s)
{
	size_t slot = (uintptr_t)s * UINT64_C(0x9e3779b97f4a7c15) >> 54, len;

	if (!s || !s[0])
		return 0;
	if (e->recent[slot].text == s)
		return e->recent[slot].number;
	len = strnlen(s, e->text_left);
	e->text_left -= len;
	if (s[len])
		return 0;            /* all bytes are used up: it has no name */
	e->recent[slot].text = s;
	e->recent[slot].number = strpool_add(&e->p->strings, s, len);
	e->failed |= e->recent[slot].number == UINT32_MAX;
	return e->recent[slot].number;
}

static uint32_t file(struct piece_encoder *e, uint32_t number)
{
	if (!e->table || number >= e->table->header.files.n)
		return 0;
	while (e->files.n <= number)
		if (vec_push(&e->files, UNKNOWN) < 0) {
			e->failed = true;
			return 0;
		}
	if (e->files.at[number] == UNKNOWN)
		e->files.at[number] = string(e, line_table_path(e->table, number));
	return e->files.at[number];
}

static uint64_t first_start(const struct unit_tree *t, const struct tree_node *n)
{
	return n->nr_ranges ? t->ranges.at[n->first_range].start : 0;
}

/* The node after its ranges, without the nodes that are inlined into it. */
static void put_call(struct piece_encoder *e, const struct tree_node *n)
{
	put(e, string(e, n->name));
	put(e, file(e, n->call_file));
	put(e, n->call_line);
	put(e, n->call_column);
}

static void put_node(struct piece_encoder *e, const struct tree_node *n, uint32_t rest)
{
	uint64_t at = first_start(e->tree, &e->tree->nodes.at[n->parent]);

	put(e, n->nr_ranges);
	for (uint32_t i = 0; i < n->nr_ranges; i++) {
		const struct tree_range *r = &e->tree->ranges.at[n->first_range + i];

		put(e, r->start - at);
		put(e, r->end - r->start);
		at = r->end;
	}
	put(e, rest);
	put_call(e, n);
}

/* Bytes that something would take. */
#define MEASURE(e, what) \
	({ size_t before_ = (e)->p->bytes.n; uint32_t size_; what; size_ = (uint32_t)((e)->p->bytes.n - before_); \
	   (e)->p->bytes.n = before_; size_; })

/* From the last node to the first, the size of each one's rest, of which those of its children are part. */
static void measure_nodes(struct piece_encoder *e, const uint32_t *nodes, uint32_t n)
{
	for (uint32_t i = n; i-- > 1 && !e->failed;) {
		const struct tree_node *node = &e->tree->nodes.at[nodes[i]];
		uint32_t call = MEASURE(e, put_call(e, node)), *rest = &e->rest[nodes[i]];

		*rest += call;
		e->rest[node->parent] += *rest + MEASURE(e, put_node(e, node, *rest)) - call;
	}
}

/* nodes: the function and what was inlined into it. */
static int add_function(struct piece_encoder *e, const uint32_t *nodes, uint32_t n)
{
	const struct tree_node *f = &e->tree->nodes.at[nodes[0]];
	struct index_piece *p = e->p;
	uint32_t number = (uint32_t)p->functions.n, at = INDEX_NO_NODES;

	if (!f->nr_ranges)
		return 0;
	measure_nodes(e, nodes, n);
	if (n > 1) {
		at = (uint32_t)p->bytes.n;
		put(e, e->rest[nodes[0]]);
		for (uint32_t i = 1; i < n; i++)
			put_node(e, &e->tree->nodes.at[nodes[i]], e->rest[nodes[i]]);
	}
	for (uint32_t i = 0; i < f->nr_ranges; i++) {
		const struct tree_range *r = &e->tree->ranges.at[f->first_range + i];

		if (vec_push(&p->code, ((struct index_extent){ r->start, r->end, number })) < 0)
			return -SONDE_NOMEM;
	}
	return vec_push(&p->functions, ((struct piece_function){ first_start(e->tree, f), string(e, f->name), at }));
}

/* The nodes of each function together, as a function may be nested in another one. */
static int group_nodes(struct piece_encoder *e)
{
	const struct unit_tree *t = e->tree;
	uint32_t n = (uint32_t)t->nodes.n, at = 0;
	uint32_t *next = calloc(n + 1, sizeof(*next));  /* of each function, the place of its next node */

	e->order = calloc(n + 1, sizeof(*e->order));
	e->root = calloc(n + 1, sizeof(*e->root));
	e->rest = calloc(n + 1, sizeof(*e->rest));
	if (!next || !e->order || !e->root || !e->rest) {
		free(next);
		return -SONDE_NOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = t->nodes.at[i].parent;

		e->root[i] = parent == TREE_NO_PARENT ? i : e->root[parent];
		next[e->root[i]]++;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t nr = next[i];

		next[i] = at;
		at += nr;
	}
	for (uint32_t i = 0; i < n; i++)
		e->order[next[e->root[i]]++] = i;
	free(next);
	return 0;
}

static int add_functions(struct piece_encoder *e)
{
	uint32_t n = (uint32_t)e->tree->nodes.n, last;
	int failed = group_nodes(e);

	for (uint32_t i = 0; i < n && !failed; i = last) {
		for (last = i + 1; last < n && e->root[e->order[last]] == e->order[i];)
			last++;
		failed = add_function(e, e->order + i, last - i);
	}
	return failed;
}

static void put_row(struct piece_encoder *e, const struct line_row *r, const struct line_row *before)
{
	uint64_t distance = (r->address - before->address) << 2;
	uint32_t to = file(e, r->file);

	if (r->end) {
		put(e, distance | ROW_END);
		return;
	}
	/* after an end, all is relative to the row before that */
	if (to != file(e, before->file))
		put(e, distance | ROW_FILE);
	else
		put(e, distance | (r->column == before->column ? ROW_LINE : ROW_COLUMN));
	put(e, zigzag(r->line, before->line));
	if (to != file(e, before->file) || r->column != before->column)
		put(e, r->column);
	if (to != file(e, before->file))
		put(e, to);
}

/* Rows from the first on; returns how many, an end after them too. */
static size_t put_block(struct piece_encoder *e, const struct line_row *rows, size_t left)
{
	size_t n = left < BLOCK_ROWS ? left : BLOCK_ROWS;
	struct line_row before = rows[0];

	if (n < left && rows[n].end)
		n++;
	put(e, n - 1);
	put(e, file(e, rows[0].file));
	put(e, rows[0].line);
	put(e, rows[0].column);
	for (size_t i = 1; i < n; i++) {
		put_row(e, &rows[i], &before);
		if (!rows[i].end)
			before = rows[i];
		before.address = rows[i].address;
	}
	return n;
}

static int add_lines(struct piece_encoder *e)
{
	const struct line_row *rows = e->table ? e->table->rows.at : NULL;
	size_t n = e->table ? e->table->rows.n : 0, start = 0;
	struct index_piece *p = e->p;

	for (size_t i = 0; i < n && !e->failed;) {
		if (vec_push(&p->blocks, ((struct piece_block){ rows[i].address, (uint32_t)p->bytes.n })) < 0)
			return -SONDE_NOMEM;
		i += put_block(e, rows + i, n - i);
	}
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].end)
			continue;
		if (vec_push(&p->lines, ((struct index_extent){ rows[start].address, rows[i].address, 0 })) < 0)
			return -SONDE_NOMEM;
		start = i + 1;
	}
	return 0;
}

int index_piece_make(struct index_piece *p, const struct unit_tree *tree, struct line_table *table)
{
	struct piece_encoder e = { .p = p, .tree = tree, .table = table };
	int failed;

	*p = (struct index_piece){ 0 };
	e.text_left = TEXT_BYTES + TEXT_BYTES_EACH * (tree->nodes.n + (table ? table->header.files.n : 0));
	failed = add_functions(&e);
	if (!failed)
		failed = add_lines(&e);
	if (e.failed)
		failed = -SONDE_NOMEM;
	vec_free(&e.files);
	free(e.order);
	free(e.root);
	free(e.rest);
	if (failed)
		index_piece_free(p);
	return failed;
}

void index_piece_free(struct index_piece *p)
{
	vec_free(&p->code);
	vec_free(&p->lines);
	vec_free(&p->functions);
	vec_free(&p->blocks);
	vec_free(&p->bytes);
	strpool_free(&p->strings);
}
