/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/index.h"

#include "base/cursor.h"

bool index_open(struct index *x, const uint8_t *bytes, size_t size)
{
	struct index_header *h = &x->header;
	const uint8_t *p = bytes + sizeof(*h);

	if (size < sizeof(*h))
		return false;
	memcpy(h, bytes, sizeof(*h));
	if (h->magic != INDEX_MAGIC || h->size != size || index_size(h) != size || !h->text_size ||
	    bytes[size - 1] || index_hash(bytes, size) != h->hash)
		return false;
	x->starts = (const uint32_t *)p;
	x->owners = x->starts + h->nr_starts;
	x->functions = (const struct index_function *)(x->owners + h->nr_starts);
	x->units = (const struct index_unit *)(x->functions + h->nr_functions);
	x->blocks = (const struct index_block *)(x->units + h->nr_units);
	x->strings = (const uint32_t *)(x->blocks + h->nr_blocks);
	x->bytes = (const uint8_t *)(x->strings + h->nr_strings);
	x->text = (const char *)(x->bytes + h->nr_bytes);
	return true;
}

/* A text at an offset; NULL: none. */
static const char *text_at(const struct index *x, uint32_t at)
{
	return at < x->header.text_size && x->text[at] ? x->text + at : NULL;
}

/* A text by its number in a unit. */
static const char *unit_text(const struct index *x, uint32_t unit, uint64_t number)
{
	uint64_t at = x->units[unit].first_string + number;

	return number && number < x->header.nr_strings && at < x->header.nr_strings ? text_at(x, x->strings[at]) : NULL;
}

static struct cursor bytes_from(const struct index *x, uint64_t at)
{
	struct cursor c = cur_new(x->bytes, x->header.nr_bytes, 0, false, NULL);

	cur_take(&c, at);
	return c;
}

/* A function that was inlined, and where it was called; all are numbers of the unit. */
struct inlined_call { uint64_t name, file, line, column; };

/* Whether the address lies in a node, of which c takes the ranges. at: first start of the parent, then of the node. */
static bool take_ranges(struct cursor *c, uint64_t offset, uint64_t *at)
{
	uint64_t nr = cur_uleb(c), end = *at, start;
	bool found = false;

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		start = end + cur_uleb(c);
		end = start + cur_uleb(c);
		if (i == 0)
			*at = start;
		found |= offset >= start && offset < end;
	}
	return found;
}

/* The inlined functions that have the address, outermost first; returns their number. */
static size_t take_calls(const struct index *x, const struct index_function *f, uint64_t offset,
			 struct inlined_call calls[INDEX_FRAMES_MAX])
{
	struct cursor c = bytes_from(x, f->at);
	uint64_t parent = f->start;
	size_t n = 0;

	c = cur_sub(&c, cur_uleb(&c));
	while (cur_left(&c) && n < INDEX_FRAMES_MAX - 1) {
		uint64_t start = parent;
		bool found = take_ranges(&c, offset, &start);
		struct cursor rest = cur_sub(&c, cur_uleb(&c));

		if (!found)
			continue;
		calls[n].name = cur_uleb(&rest);
		calls[n].file = cur_uleb(&rest);
		calls[n].line = cur_uleb(&rest);
		calls[n].column = cur_uleb(&rest);
		if (!cur_ok(&rest))
			break;
		n++;
		c = rest;            /* the rest of the siblings do not have the address */
		parent = start;
	}
	return n;
}

static uint32_t unzigzag(uint64_t v)
{
	return (uint32_t)(v >> 1) ^ (uint32_t)-(int64_t)(v & 1);
}

struct line_place { uint64_t file; uint32_t line, column; };

/* The last row of a block at or before the address; false: no row holds there. */
static bool find_row(const struct index *x, const struct index_block *block, uint64_t offset, struct line_place *place)
{
	struct cursor c = bytes_from(x, block->at);
	uint64_t left = cur_uleb(&c), address = block->start, head;
	struct line_place now = { .file = cur_uleb(&c) };
	bool ended = false;

	now.line = (uint32_t)cur_uleb(&c);
	now.column = (uint32_t)cur_uleb(&c);
	for (*place = now; left && cur_ok(&c); left--) {
		head = cur_uleb(&c);
		address += head >> 2;
		if (address > offset)
			break;
		ended = (head & 3) == ROW_END;
		if (ended)
			continue;
		now.line += unzigzag(cur_uleb(&c));
		if ((head & 3) != ROW_LINE)
			now.column = (uint32_t)cur_uleb(&c);
		if ((head & 3) == ROW_FILE)
			now.file = cur_uleb(&c);
		*place = now;
	}
	return cur_ok(&c) && !ended;
}

/* The last of n numbers, `step` numbers apart, that is not above v; -1: none. */
static int64_t last_not_above(const uint32_t *numbers, size_t step, int64_t n, uint64_t v)
{
	int64_t low = 0, high = n;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (numbers[(size_t)middle * step] <= v)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

static bool find_place(const struct index *x, uint32_t unit, uint64_t offset, struct line_place *place)
{
	uint32_t first = x->units[unit].first_block;
	uint32_t end = unit + 1 < x->header.nr_units ? x->units[unit + 1].first_block : x->header.nr_blocks;
	int64_t i;

	*place = (struct line_place){ 0 };
	if (first >= end || end > x->header.nr_blocks)
		return false;
	i = last_not_above(&x->blocks[first].start, sizeof(*x->blocks) / sizeof(uint32_t), end - first, offset);
	return i >= 0 && find_row(x, &x->blocks[first + i], offset, place);
}

/* The function that has the address. */
static const struct index_function *find_function(const struct index *x, uint64_t offset, struct index_answer *a)
{
	int64_t i = last_not_above(x->starts, 1, x->header.nr_starts, offset);
	const struct index_function *f;

	if (i < 0 || x->owners[i] >= x->header.nr_functions)
		return NULL;
	a->start = x->header.base + x->starts[i];
	a->end = i + 1 < x->header.nr_starts ? x->header.base + x->starts[i + 1] : UINT64_MAX;
	f = &x->functions[x->owners[i]];
	return f->unit < x->header.nr_units ? f : NULL;
}

void index_find(const struct index *x, uint64_t addr, struct index_answer *a)
{
	uint64_t offset = addr - x->header.base;
	struct inlined_call calls[INDEX_FRAMES_MAX];
	const struct index_function *f;
	struct line_place place;
	size_t nr_calls;

	a->n = 0;
	f = addr < x->header.base ? NULL : find_function(x, offset, a);
	if (!f)
		return;
	a->in_function = f->at != INDEX_NO_NODES || f->name;
	nr_calls = f->at != INDEX_NO_NODES ? take_calls(x, f, offset, calls) : 0;
	if (!find_place(x, f->unit, offset, &place) && !a->in_function)
		return;
	/* each call is where the frame outside of it is */
	while (nr_calls--) {
		const struct inlined_call *c = &calls[nr_calls];

		a->frames[a->n++] = (struct source_frame){ unit_text(x, f->unit, c->name),
							   unit_text(x, f->unit, place.file), place.line,
							   place.column };
		place = (struct line_place){ c->file, (uint32_t)c->line, (uint32_t)c->column };
	}
	a->frames[a->n++] = (struct source_frame){ text_at(x, f->name), unit_text(x, f->unit, place.file), place.line,
						   place.column };
}
