/* SPDX-License-Identifier: MIT */
#include "parquet/metadata.h"

#include <stdlib.h>

#include "base/str.h"
#include "parquet/thrift.h"

/* A run of a few bytes can claim any number of values: no honest file has more for each of its bytes. */
#define VALUES_PER_BYTE_MAX 4096

/* A node of the schema, of which the leaves are columns. */
struct schema_node {
	struct sonde_bytes name;
	int64_t physical;            /* -1: a group */
	int64_t repetition, nr_children;
};

struct metadata_reading {
	struct metadata *m;
	const struct parquet_column *wanted;
	struct arena *arena;
	struct sonde_error *err;
	uint64_t file_size;          /* without the footer */
	uint64_t bytes_left;         /* of file_size: not in the chunks so far, since chunks do not overlap */
	struct schema_node *nodes;
	size_t nr_nodes, nr_leaves;
	bool *found;                 /* of the wanted columns */
};

static struct schema_node take_node(struct cursor *from)
{
	struct schema_node node = { .physical = -1 };
	struct thrift_field f = { 0 };

	while (thrift_next(from, &f))
		switch (f.id) {
		case 1: node.physical = thrift_int(from, &f); break;
		case 3: node.repetition = thrift_int(from, &f); break;
		case 4: node.name = thrift_binary(from, &f); break;
		case 5: node.nr_children = thrift_int(from, &f); break;
		default: thrift_skip(from, &f);
		}
	return node;
}

static bool is_name(struct sonde_bytes name, const char *text)
{
	return str_is((struct sonde_str){ (const char *)name.p, name.len }, text);
}

static int other_type(struct metadata_reading *d, const struct parquet_column *column)
{
	return err_set(d->err, SONDE_UNSUPPORTED, d->file_size, "column %s has another type than expected",
		       column->name);
}

/* A column without a list, at a leaf. */
static int find_flat(struct metadata_reading *d, size_t wanted, const struct schema_node *node)
{
	const struct parquet_column *column = &d->wanted[wanted];
	struct metadata_column *c = &d->m->columns[wanted];
	bool is_number = node->physical == PHYSICAL_INT32 || node->physical == PHYSICAL_INT64;

	if (node->repetition == REPETITION_REPEATED || column->type == PARQUET_INT64_LIST ||
	    (column->type == PARQUET_STRING ? node->physical != PHYSICAL_BYTE_ARRAY : !is_number))
		return other_type(d, column);
	*c = (struct metadata_column){ .leaf = d->nr_leaves, .physical = (enum physical_type)node->physical,
				       .most_defined = node->repetition == REPETITION_OPTIONAL };
	return 0;
}

/* A list: a group of one repeated group of one leaf. */
static int find_list(struct metadata_reading *d, size_t wanted, const struct schema_node *nodes, size_t left)
{
	struct metadata_column *c = &d->m->columns[wanted];
	const struct schema_node *leaf = &nodes[2];
	unsigned defined;

	if (left < 3 || d->wanted[wanted].type != PARQUET_INT64_LIST || nodes[0].nr_children != 1 ||
	    nodes[1].nr_children != 1 || nodes[1].repetition != REPETITION_REPEATED || leaf->nr_children ||
	    nodes[0].repetition == REPETITION_REPEATED || leaf->repetition == REPETITION_REPEATED ||
	    (leaf->physical != PHYSICAL_INT32 && leaf->physical != PHYSICAL_INT64))
		return other_type(d, &d->wanted[wanted]);
	defined = 1 + (nodes[0].repetition == REPETITION_OPTIONAL);
	*c = (struct metadata_column){ .leaf = d->nr_leaves, .physical = (enum physical_type)leaf->physical,
				       .element_defined = defined,
				       .most_defined = defined + (leaf->repetition == REPETITION_OPTIONAL) };
	return 0;
}

static int find_column(struct metadata_reading *d, const struct schema_node *nodes, size_t left)
{
	for (size_t i = 0; i < d->m->nr_columns; i++)
		if (!d->found[i] && is_name(nodes[0].name, d->wanted[i].name)) {
			d->found[i] = true;
			return nodes[0].nr_children ? find_list(d, i, nodes, left) : find_flat(d, i, nodes);
		}
	return 0;
}

/* The nodes are in the order of a walk from the root, each group before its children. */
static int find_columns(struct metadata_reading *d)
{
	int64_t top_left = d->nr_nodes ? d->nodes[0].nr_children : 0;
	int r = 0;

	for (size_t i = 1, below = 0; i < d->nr_nodes && r == 0; i++) {
		const struct schema_node *node = &d->nodes[i];

		if (node->nr_children < 0 || (uint64_t)node->nr_children > d->nr_nodes - i - 1)
			return err_set(d->err, SONDE_CORRUPT, d->file_size, "a group of the schema has %" PRId64
				       " children, %zu elements are left", node->nr_children, d->nr_nodes - i - 1);
		if (below)
			below--;
		else if (top_left-- > 0)
			r = find_column(d, node, d->nr_nodes - i);
		below += (size_t)node->nr_children;
		d->nr_leaves += node->nr_children == 0;
	}
	for (size_t i = 0; i < d->m->nr_columns && r == 0; i++)
		if (!d->found[i])
			r = err_set(d->err, SONDE_UNSUPPORTED, d->file_size, "there is no column %s",
				    d->wanted[i].name);
	return r;
}

static int take_schema(struct metadata_reading *d, struct cursor *from, const struct thrift_field *f)
{
	uint64_t n = thrift_list(from, f, THRIFT_STRUCT);

	if (d->nodes)
		return err_set(d->err, SONDE_CORRUPT, from->at, "the footer has two schemas");
	d->nodes = arena_calloc(d->arena, n + 1, sizeof(*d->nodes));
	if (!d->nodes)
		return err_nomem(d->err);
	d->nr_nodes = (size_t)n;
	for (size_t i = 0; i < d->nr_nodes; i++)
		d->nodes[i] = take_node(from);
	return from->failed ? thrift_failure(from) : find_columns(d);
}

struct chunk_fields {
	int64_t codec, nr_values, size, data_page, dictionary_page;
};

static void take_chunk_metadata(struct cursor *from, struct chunk_fields *c)
{
	struct thrift_field f = { 0 };

	while (thrift_next(from, &f))
		switch (f.id) {
		case 4: c->codec = thrift_int(from, &f); break;
		case 5: c->nr_values = thrift_int(from, &f); break;
		case 7: c->size = thrift_int(from, &f); break;
		case 9: c->data_page = thrift_int(from, &f); break;
		case 11: c->dictionary_page = thrift_int(from, &f); break;
		default: thrift_skip(from, &f);
		}
}

static struct chunk_fields take_chunk(struct cursor *from)
{
	struct chunk_fields c = { 0 };
	struct thrift_field f = { 0 };

	while (thrift_next(from, &f))
		if (f.id == 3 && thrift_struct(from, &f))
			take_chunk_metadata(from, &c);
		else
			thrift_skip(from, &f);
	return c;
}

static int check_chunk(struct metadata_reading *d, uint64_t at, const struct chunk_fields *c, struct metadata_chunk *to)
{
	/* a dictionary page at 0 is none: some writers give it so */
	uint64_t begin = (uint64_t)(c->dictionary_page > 0 && c->dictionary_page < c->data_page ?
				    c->dictionary_page : c->data_page);

	if (c->codec != PAGE_UNCOMPRESSED && c->codec != PAGE_ZSTD)
		return err_set(d->err, SONDE_UNSUPPORTED, at, "pages are packed by codec %" PRId64
			       "; 0 (none) and 6 (zstd) can be read", c->codec);
	if (c->nr_values < 0 || c->size < 0 || c->data_page < 0 || begin > d->file_size ||
	    (uint64_t)c->size > d->file_size - begin)
		return err_set(d->err, SONDE_CORRUPT, at, "the pages at %" PRIu64 " have %" PRId64
			       " bytes, but the footer begins at %" PRIu64, begin, c->size, d->file_size);
	if ((uint64_t)c->size > d->bytes_left)
		return err_set(d->err, SONDE_CORRUPT, at, "the pages at %" PRIu64 " have %" PRId64
			       " bytes, but the file has only %" PRIu64 " left for pages", begin, c->size,
			       d->bytes_left);
	d->bytes_left -= (uint64_t)c->size;
	*to = (struct metadata_chunk){ .begin = begin, .end = begin + (uint64_t)c->size,
				       .nr_values = (uint64_t)c->nr_values, .codec = (enum page_codec)c->codec };
	return 0;
}

static int take_chunks(struct metadata_reading *d, struct cursor *from, const struct thrift_field *f,
		       struct metadata_chunk *chunks)
{
	uint64_t n = thrift_list(from, f, THRIFT_STRUCT);
	int r = 0;

	if (n != d->nr_leaves && !from->failed)
		return err_set(d->err, SONDE_CORRUPT, from->at, "a row group has %" PRIu64 " columns, the schema %zu",
			       n, d->nr_leaves);
	for (uint64_t leaf = 0; leaf < n && r == 0 && !from->failed; leaf++) {
		uint64_t at = from->at;
		struct chunk_fields fields = take_chunk(from);

		for (size_t i = 0; i < d->m->nr_columns && r == 0 && !from->failed; i++)
			if (d->m->columns[i].leaf == leaf)
				r = check_chunk(d, at, &fields, &chunks[i]);
	}
	return r;
}

static int take_group(struct metadata_reading *d, struct cursor *from, size_t group)
{
	struct thrift_field f = { 0 };
	bool has_chunks = false;
	int64_t nr_rows = -1;
	int r = 0;

	while (r == 0 && thrift_next(from, &f))
		switch (f.id) {
		case 1:
			has_chunks = true;
			r = take_chunks(d, from, &f, d->m->chunks + group * d->m->nr_columns);
			break;
		case 3: nr_rows = thrift_int(from, &f); break;
		default: thrift_skip(from, &f);
		}
	if (r == 0 && !from->failed && (nr_rows < 0 || !has_chunks))
		r = err_set(d->err, SONDE_CORRUPT, from->at, "a row group lacks the columns or the number of rows");
	d->m->group_rows[group] = (uint64_t)nr_rows;
	return r;
}

static int take_groups(struct metadata_reading *d, struct cursor *from, const struct thrift_field *f)
{
	uint64_t n = thrift_list(from, f, THRIFT_STRUCT);
	int r = 0;

	if (!d->nodes || d->m->chunks)
		return err_set(d->err, SONDE_CORRUPT, from->at, "the footer has row groups before a schema, or twice");
	if (n > cur_left(from) / (d->nr_leaves + 1))
		return err_set(d->err, SONDE_CORRUPT, from->at, "the footer has %" PRIu64 " row groups in %" PRIu64
			       " bytes", n, cur_left(from));
	d->m->chunks = arena_calloc(d->arena, n * d->m->nr_columns + 1, sizeof(*d->m->chunks));
	d->m->group_rows = arena_calloc(d->arena, n + 1, sizeof(*d->m->group_rows));
	if (!d->m->chunks || !d->m->group_rows)
		return err_nomem(d->err);
	for (size_t i = 0; i < n && r == 0 && !from->failed; i++)
		r = take_group(d, from, i);
	d->m->nr_groups = (size_t)n;
	return r;
}

/* Lists have more values than rows. */
static int check_values(const struct metadata_reading *d, size_t column)
{
	const struct metadata *m = d->m;
	uint64_t sum = 0;

	for (size_t i = 0; i < m->nr_groups; i++)
		if (__builtin_add_overflow(sum, m->chunks[i * m->nr_columns + column].nr_values, &sum))
			sum = UINT64_MAX;
	if (sum / VALUES_PER_BYTE_MAX > d->file_size)
		return err_set(d->err, SONDE_CORRUPT, d->file_size, "column %s has %" PRIu64 " values in %" PRIu64
			       " bytes", d->wanted[column].name, sum, d->file_size);
	return 0;
}

static int check_rows(const struct metadata_reading *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->m->nr_groups; i++)
		if (__builtin_add_overflow(sum, d->m->group_rows[i], &sum))
			sum = UINT64_MAX;
	if (sum != d->m->nr_rows)
		return err_set(d->err, SONDE_CORRUPT, d->file_size, "%" PRIu64
			       " rows are expected, the row groups have %" PRIu64, d->m->nr_rows, sum);
	if (sum / VALUES_PER_BYTE_MAX > d->file_size)
		return err_set(d->err, SONDE_CORRUPT, d->file_size, "the file has %" PRIu64 " rows in %" PRIu64
			       " bytes", sum, d->file_size);
	return 0;
}

static int take_footer(struct metadata_reading *d, struct cursor *from)
{
	struct thrift_field f = { 0 };
	int64_t nr_rows = -1;
	int r = 0;

	while (r == 0 && thrift_next(from, &f))
		switch (f.id) {
		case 2: r = take_schema(d, from, &f); break;
		case 3: nr_rows = thrift_int(from, &f); break;
		case 4: r = take_groups(d, from, &f); break;
		default: thrift_skip(from, &f);
		}
	if (r < 0 || from->failed)
		return r < 0 ? r : thrift_failure(from);
	if (nr_rows < 0 || !d->nodes)
		return err_set(d->err, SONDE_CORRUPT, from->at, "the footer lacks the schema or the number of rows");
	d->m->nr_rows = (uint64_t)nr_rows;
	r = check_rows(d);
	for (size_t i = 0; i < d->m->nr_columns && r == 0; i++)
		r = check_values(d, i);
	return r;
}

/* Where the footer is; it ends before the last 8 bytes. */
static int find_footer(struct image *file, uint64_t *at, struct sonde_error *err)
{
	const uint8_t *p = image_view(file, 0, PARQUET_MAGIC_BYTES);
	uint64_t room = file->size - PARQUET_MAGIC_BYTES - PARQUET_TAIL_BYTES;
	uint32_t size;

	if (!p || memcmp(p, PARQUET_MAGIC, PARQUET_MAGIC_BYTES) != 0)
		return err_set(err, SONDE_FORMAT, 0, "no Parquet file: it does not begin with " PARQUET_MAGIC);
	p = file->size < PARQUET_MAGIC_BYTES + PARQUET_TAIL_BYTES ? NULL :
		image_view(file, file->size - PARQUET_TAIL_BYTES, PARQUET_TAIL_BYTES);
	if (!p || memcmp(p + 4, PARQUET_MAGIC, PARQUET_MAGIC_BYTES) != 0)
		return err_set(err, SONDE_TRUNCATED, file->size, "the Parquet file has no end: " PARQUET_MAGIC
			       " is expected in its last 4 bytes");
	size = load_u32(p, host_is_big_endian());
	if (size > room)
		return err_set(err, SONDE_CORRUPT, file->size - PARQUET_TAIL_BYTES, "the footer has %u bytes, %" PRIu64
			       " are left", size, room);
	*at = file->size - PARQUET_TAIL_BYTES - size;
	return 0;
}

int metadata_read(struct metadata *m, struct image *file, const struct parquet_column *columns, size_t nr_columns,
		  struct arena *arena, struct sonde_error *err)
{
	struct metadata_reading d = { .m = m, .wanted = columns, .arena = arena, .err = err };
	struct cursor from;
	uint64_t at = 0;
	uint8_t *p;
	int r = find_footer(file, &at, err);

	if (r < 0)
		return r;
	*m = (struct metadata){ .nr_columns = nr_columns };
	m->columns = arena_calloc(arena, nr_columns + 1, sizeof(*m->columns));
	d.found = arena_calloc(arena, nr_columns + 1, sizeof(*d.found));
	d.file_size = d.bytes_left = at;
	p = image_copy(file, at, file->size - PARQUET_TAIL_BYTES - at);
	if (!p || !m->columns || !d.found) {
		r = image_failed(file, err);
		free(p);
		return r < 0 ? r : err_nomem(err);
	}
	from = cur_new(p, file->size - PARQUET_TAIL_BYTES - at, at, host_is_big_endian(), err);
	r = take_footer(&d, &from);
	free(p);
	return r;
}
