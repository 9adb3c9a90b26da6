/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/index_builder.h"

#include <string.h>

#include "symbol/dwarf/index_format.h"

/* The owner of the addresses up to the next segment. */
struct owner_segment { uint64_t start; uint32_t owner; };
typedef VEC(struct owner_segment) segments;

/* Adds n elements to a vector; false: out of memory. */
#define APPEND(v, from, count) \
	((count) == 0 || (vec_reserve(v, count) == 0 && \
	 (memcpy((v)->at + (v)->n, from, (count) * sizeof(*(v)->at)), (v)->n += (count), true)))

static int add_strings(struct index_builder *b, const struct index_piece *p)
{
	for (size_t i = 0; i < p->strings.names.n; i++) {
		const char *s = p->strings.names.at[i];
		uint32_t number = strpool_add(&b->all.strings, s, strlen(s));

		if (number == UINT32_MAX || vec_push(&b->strings, number) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int add_functions(struct index_builder *b, const struct index_piece *p, uint32_t first_byte)
{
	uint32_t unit = (uint32_t)b->units.n, first = (uint32_t)b->all.functions.n;

	for (size_t i = 0; i < p->functions.n; i++) {
		struct piece_function f = p->functions.at[i];

		f.at += f.at == INDEX_NO_NODES ? 0 : first_byte;
		if (vec_push(&b->all.functions, f) < 0 || vec_push(&b->unit_of, unit) < 0)
			return -SONDE_NOMEM;
	}
	for (size_t i = 0; i < p->code.n; i++) {
		struct index_extent x = p->code.at[i];

		x.function += first;
		if (vec_push(&b->all.code, x) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* Lines outside of functions, as of assembler, belong to a function without a name. */
static int add_lines(struct index_builder *b, const struct index_piece *p, uint32_t first_byte)
{
	struct piece_function nameless = { .at = INDEX_NO_NODES };
	uint32_t number = (uint32_t)b->all.functions.n;

	if (p->lines.n && (vec_push(&b->all.functions, nameless) < 0 ||
			   vec_push(&b->unit_of, (uint32_t)b->units.n) < 0))
		return -SONDE_NOMEM;
	for (size_t i = 0; i < p->lines.n; i++) {
		struct index_extent x = p->lines.at[i];

		x.function = number;
		if (vec_push(&b->all.lines, x) < 0)
			return -SONDE_NOMEM;
	}
	for (size_t i = 0; i < p->blocks.n; i++) {
		struct piece_block k = p->blocks.at[i];

		k.at += first_byte;
		if (vec_push(&b->all.blocks, k) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

int index_builder_add(struct index_builder *b, struct index_piece *p)
{
	struct index_unit unit = { (uint32_t)b->strings.n, (uint32_t)b->all.blocks.n };
	uint32_t first_byte = (uint32_t)b->all.bytes.n;
	int failed = add_strings(b, p);

	if (!failed)
		failed = add_functions(b, p, first_byte);
	if (!failed)
		failed = add_lines(b, p, first_byte);
	if (!failed && (!APPEND(&b->all.bytes, p->bytes.at, p->bytes.n) || vec_push(&b->units, unit) < 0))
		failed = -SONDE_NOMEM;
	index_piece_free(p);
	return failed;
}

static int by_start(const void *a, const void *b)
{
	const struct index_extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->function < y->function) - (x->function > y->function);
}

static int emit(segments *s, uint64_t start, uint32_t owner)
{
	if (s->n && s->at[s->n - 1].start == start)
		s->n--;
	if ((s->n ? s->at[s->n - 1].owner : INDEX_NO_OWNER) == owner)
		return 0;
	return vec_push(s, ((struct owner_segment){ start, owner }));
}

/*
 * Cuts extents that overlap into segments that do not. The extent that begins last has the addresses that several
 * have; of those that begin together the shorter one; of equal ones the first.
 */
static int cut(segments *s, struct index_extent *extents, size_t n)
{
	VEC(const struct index_extent *) open = { 0 };  /* by start */
	int failed = 0;

	if (n)
		qsort(extents, n, sizeof(*extents), by_start);
	for (size_t i = 0; i <= n && !failed; i++) {
		uint64_t next = i < n ? extents[i].start : UINT64_MAX;

		while (open.n && open.at[open.n - 1]->end <= next && !failed) {
			uint64_t end = open.at[open.n - 1]->end;

			while (open.n && open.at[open.n - 1]->end <= end)
				open.n--;
			failed = emit(s, end, open.n ? open.at[open.n - 1]->function : INDEX_NO_OWNER);
		}
		if (i < n && !failed)
			failed = emit(s, next, extents[i].function);
		if (i < n && !failed)
			failed = vec_push(&open, &extents[i]);
	}
	vec_free(&open);
	return failed;
}

/* Where no function has the addresses, the lines have. */
static int merge(segments *to, const segments *code, const segments *lines)
{
	uint32_t function = INDEX_NO_OWNER, line = INDEX_NO_OWNER;
	int failed = 0;

	for (size_t i = 0, k = 0; (i < code->n || k < lines->n) && !failed;) {
		uint64_t a = i < code->n ? code->at[i].start : UINT64_MAX;
		uint64_t b = k < lines->n ? lines->at[k].start : UINT64_MAX;

		if (a <= b)
			function = code->at[i++].owner;
		if (b <= a)
			line = lines->at[k++].owner;
		failed = emit(to, a < b ? a : b, function != INDEX_NO_OWNER ? function : line);
	}
	return failed;
}

/* Which function has which addresses. */
static int share_out(struct index_builder *b, segments *s)
{
	segments code = { 0 }, lines = { 0 };
	int failed = cut(&code, b->all.code.at, b->all.code.n);

	if (!failed)
		failed = cut(&lines, b->all.lines.at, b->all.lines.n);
	if (!failed)
		failed = merge(s, &code, &lines);
	vec_free(&code);
	vec_free(&lines);
	return failed;
}

/* Offsets of the strings in the texts; NULL when out of memory. */
static uint32_t *place_texts(const struct index_builder *b, uint64_t *size)
{
	size_t n = b->all.strings.names.n;
	uint32_t *at = calloc(n + 1, sizeof(*at));

	*size = 0;
	for (size_t i = 0; at && i < n; i++) {
		at[i] = (uint32_t)*size;
		*size += strlen(b->all.strings.names.at[i]) + 1;
	}
	if (!n)
		*size = 1;           /* one NUL */
	return at;
}

static bool fits(const struct index_builder *b, const segments *s, uint64_t text_size)
{
	return text_size < UINT32_MAX && b->all.bytes.n < UINT32_MAX && b->all.functions.n < UINT32_MAX &&
	       b->all.blocks.n < UINT32_MAX && b->strings.n < UINT32_MAX && s->n < UINT32_MAX &&
	       (!s->n || s->at[s->n - 1].start - s->at[0].start < UINT32_MAX);
}

static uint8_t *write_addresses(uint8_t *to, const segments *s)
{
	uint32_t *starts = (uint32_t *)to, *owners = starts + s->n;

	for (size_t i = 0; i < s->n; i++) {
		starts[i] = (uint32_t)(s->at[i].start - s->at[0].start);
		owners[i] = s->at[i].owner;
	}
	return to + 2 * s->n * sizeof(*starts);
}

static uint8_t *write_functions(uint8_t *to, const struct index_builder *b, const uint32_t *texts, uint64_t base)
{
	struct index_function *out = (struct index_function *)to;

	for (size_t i = 0; i < b->all.functions.n; i++) {
		const struct piece_function *f = &b->all.functions.at[i];
		uint32_t unit = b->unit_of.at[i], name = 0;

		if (f->name)
			name = texts[b->strings.at[b->units.at[unit].first_string + f->name]];
		out[i] = (struct index_function){ (uint32_t)(f->start - base), name, unit, f->at };
	}
	return to + b->all.functions.n * sizeof(*out);
}

static uint8_t *write_blocks(uint8_t *to, const struct index_builder *b, uint64_t base)
{
	struct index_block *out = (struct index_block *)to;

	for (size_t i = 0; i < b->all.blocks.n; i++)
		out[i] = (struct index_block){ (uint32_t)(b->all.blocks.at[i].start - base), b->all.blocks.at[i].at };
	return to + b->all.blocks.n * sizeof(*out);
}

static uint8_t *write_strings(uint8_t *to, const struct index_builder *b, const uint32_t *texts)
{
	uint32_t *out = (uint32_t *)to;

	for (size_t i = 0; i < b->strings.n; i++)
		out[i] = texts[b->strings.at[i]];
	return to + b->strings.n * sizeof(*out);
}

static uint8_t *write_bytes(uint8_t *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
	return to + n;
}

static void write_all(uint8_t *bytes, struct index_header *h, const struct index_builder *b, const segments *s,
		      const uint32_t *texts)
{
	uint8_t *to = bytes + sizeof(*h);

	to = write_addresses(to, s);
	to = write_functions(to, b, texts, h->base);
	to = write_bytes(to, b->units.at, b->units.n * sizeof(*b->units.at));
	to = write_blocks(to, b, h->base);
	to = write_strings(to, b, texts);
	to = write_bytes(to, b->all.bytes.at, b->all.bytes.n);
	for (size_t i = 0; i < b->all.strings.names.n; i++)
		to = write_bytes(to, b->all.strings.names.at[i], strlen(b->all.strings.names.at[i]) + 1);
	memcpy(bytes, h, sizeof(*h));
	h->hash = index_hash(bytes, h->size);
	memcpy(bytes, h, sizeof(*h));
}

int index_builder_seal(struct index_builder *b, const uint64_t identity[2], uint8_t **bytes, size_t *size)
{
	segments s = { 0 };
	uint64_t text_size = 0;
	uint32_t *texts = place_texts(b, &text_size);
	int failed = texts ? share_out(b, &s) : -SONDE_NOMEM;

	if (!failed && !fits(b, &s, text_size))
		failed = -SONDE_UNSUPPORTED;
	if (!failed) {
		struct index_header h = {
			.magic = INDEX_MAGIC, .identity = { identity[0], identity[1] }, .base = s.n ? s.at[0].start : 0,
			.nr_starts = (uint32_t)s.n, .nr_functions = (uint32_t)b->all.functions.n,
			.nr_units = (uint32_t)b->units.n, .nr_blocks = (uint32_t)b->all.blocks.n,
			.nr_strings = (uint32_t)b->strings.n, .nr_bytes = (uint32_t)b->all.bytes.n,
			.text_size = (uint32_t)text_size,
		};

		h.size = index_size(&h);
		*size = h.size;
		*bytes = calloc(1, h.size);
		failed = *bytes ? 0 : -SONDE_NOMEM;
		if (!failed)
			write_all(*bytes, &h, b, &s, texts);
	}
	free(texts);
	vec_free(&s);
	return failed;
}

void index_builder_free(struct index_builder *b)
{
	index_piece_free(&b->all);
	vec_free(&b->units);
	vec_free(&b->unit_of);
	vec_free(&b->strings);
}
