/* SPDX-License-Identifier: MIT */
#include "export/otlp/dictionary.h"

#include <string.h>

#include "base/protobuf.h"
#include "export/build_id_text.h"

enum otlp_table {
	MAPPING_TABLE = 1, LOCATION_TABLE, FUNCTION_TABLE, LINK_TABLE, STRING_TABLE, ATTRIBUTE_TABLE, STACK_TABLE,
};
enum { TRACE_ID_BYTES = 16, SPAN_ID_BYTES = 8 };

uint32_t otlp_string(struct otlp_dictionary *d, const char *s)
{
	uint32_t number = strpool_add(&d->strings, s, strlen(s));

	d->failed |= number == UINT32_MAX;
	return number == UINT32_MAX ? 0 : number;
}

/* Begins an attribute: where its value begins. */
static size_t begin_attribute(struct otlp_dictionary *d, const char *key, size_t *value)
{
	size_t m = pb_begin(&d->attributes, ATTRIBUTE_TABLE);

	pb_u64(&d->attributes, 1, otlp_string(d, key));
	*value = pb_begin(&d->attributes, 2);
	return m;
}

static uint32_t end_attribute(struct otlp_dictionary *d, size_t m, size_t value)
{
	pb_end(&d->attributes, value);
	pb_end(&d->attributes, m);
	d->failed |= d->attributes.failed;
	return ++d->nr_attributes;
}

uint32_t otlp_attribute_text(struct otlp_dictionary *d, const char *key, const char *text)
{
	size_t value, m = begin_attribute(d, key, &value);

	pb_str(&d->attributes, 1, text);
	return end_attribute(d, m, value);
}

uint32_t otlp_attribute_number(struct otlp_dictionary *d, const char *key, int64_t number)
{
	size_t value, m = begin_attribute(d, key, &value);

	pb_i64(&d->attributes, 3, number);
	return end_attribute(d, m, value);
}

int otlp_dictionary_make(struct otlp_dictionary *d, const struct sonde_profile *p)
{
	size_t nr_binaries = p->tasks->binaries.list.n;

	*d = (struct otlp_dictionary){ .p = p, .stacks = BUF_MEMORY, .attributes = BUF_MEMORY };
	d->build_id = calloc(nr_binaries + 1, sizeof(*d->build_id));
	if (named_functions_make(&d->functions, p) < 0 || locations_make(&d->locations, p) < 0 || !d->build_id ||
	    strpool_add(&d->strings, "", 0) == UINT32_MAX)
		return -SONDE_NOMEM;
	d->native = otlp_attribute_text(d, "profile.frame.type", "native");
	d->kernel = otlp_attribute_text(d, "profile.frame.type", "kernel");
	for (size_t i = 0; i < nr_binaries; i++)
		if (p->tasks->binaries.list.at[i]->build_id_size)
			d->build_id[i] = otlp_attribute_text(d, "process.executable.build_id.gnu",
							     build_id_text(p->tasks->binaries.list.at[i]).s);
	return d->failed ? -SONDE_NOMEM : 0;
}

uint32_t otlp_stack(struct otlp_dictionary *d, const struct sonde_profile_cell *cell)
{
	uint64_t key = cell->stack ? cell->stack : d->p->stacks.list.n + (uint64_t)cell->frame;
	uint32_t index = u64map_get(&d->stack_index, key);
	size_t m;

	if (index != U64MAP_NONE)
		return index;
	if (locations_of_cell(&d->locations, cell) < 0 || u64map_set(&d->stack_index, key, d->nr_stacks + 1) < 0) {
		d->failed = true;
		return 0;
	}
	m = pb_begin(&d->stacks, STACK_TABLE);
	pb_packed(&d->stacks, 1, d->locations.path.at, d->locations.path.n);
	pb_end(&d->stacks, m);
	d->failed |= d->stacks.failed;
	return ++d->nr_stacks;
}

/* An element of a table that stands for nothing. */
static void put_nothing(struct buf *out, uint32_t table)
{
	pb_end(out, pb_begin(out, table));
}

static void put_mappings(const struct otlp_dictionary *d, struct buf *out, const uint32_t *names)
{
	put_nothing(out, MAPPING_TABLE);
	for (uint32_t i = 0; i < d->p->tasks->binaries.list.n; i++) {
		uint64_t attribute = d->build_id[i];
		size_t m = pb_begin(out, MAPPING_TABLE);

		pb_u64(out, 4, names[i]);
		if (attribute)
			pb_packed(out, 5, &attribute, 1);
		pb_end(out, m);
	}
}

static void put_lines(const struct otlp_dictionary *d, struct buf *out, const struct location *l)
{
	for (;; l = &d->locations.list.at[l->into]) {
		size_t m = pb_begin(out, 3);

		pb_u64(out, 1, (uint64_t)d->functions.of_frame[l->frame] + 1);
		if (d->p->frames.list.at[l->frame].line)
			pb_u64(out, 2, d->p->frames.list.at[l->frame].line);
		pb_end(out, m);
		if (l->into == NO_LOCATION)
			return;
	}
}

static void put_locations(const struct otlp_dictionary *d, struct buf *out)
{
	put_nothing(out, LOCATION_TABLE);
	for (size_t i = 0; i < d->locations.list.n; i++) {
		const struct location *l = &d->locations.list.at[i], *outer = l;
		size_t m = pb_begin(out, LOCATION_TABLE);
		const struct named_function *f;
		uint64_t kind;

		while (outer->into != NO_LOCATION)
			outer = &d->locations.list.at[outer->into];
		f = &d->functions.list.at[d->functions.of_frame[outer->frame]];
		kind = f->in_kernel ? d->kernel : d->native;
		if (f->binary != NO_BINARY)
			pb_u64(out, 1, (uint64_t)f->binary + 1);
		pb_u64(out, 2, f->addr);
		put_lines(d, out, l);
		pb_packed(out, 4, &kind, 1);
		pb_end(out, m);
	}
}

static void put_functions(struct otlp_dictionary *d, struct buf *out)
{
	put_nothing(out, FUNCTION_TABLE);
	for (size_t i = 0; i < d->functions.list.n; i++) {
		const struct named_function *f = &d->functions.list.at[i];
		size_t m = pb_begin(out, FUNCTION_TABLE);

		pb_u64(out, 1, otlp_string(d, f->name));
		pb_u64(out, 2, otlp_string(d, f->linkage_name ? f->linkage_name : f->name));
		if (f->file)
			pb_u64(out, 3, otlp_string(d, f->file));
		pb_end(out, m);
	}
}

static void put_no_link(struct buf *out)
{
	static const uint8_t zeros[TRACE_ID_BYTES];
	size_t m = pb_begin(out, LINK_TABLE);

	pb_bytes(out, 1, zeros, TRACE_ID_BYTES);
	pb_bytes(out, 2, zeros, SPAN_ID_BYTES);
	pb_end(out, m);
}

void otlp_dictionary_put(struct otlp_dictionary *d, struct buf *out, uint32_t field)
{
	size_t n = d->p->tasks->binaries.list.n, m = pb_begin(out, field);
	uint32_t *names = malloc((n + 1) * sizeof(*names));

	for (size_t i = 0; names && i < n; i++)
		names[i] = otlp_string(d, d->p->tasks->binaries.list.at[i]->name);
	if (names)
		put_mappings(d, out, names);
	d->failed |= !names;
	free(names);
	put_locations(d, out);
	put_functions(d, out);
	put_no_link(out);
	put_nothing(out, ATTRIBUTE_TABLE);
	buf_put(out, d->attributes.p, d->attributes.n);
	put_nothing(out, STACK_TABLE);
	buf_put(out, d->stacks.p, d->stacks.n);
	for (size_t i = 0; i < d->strings.names.n; i++)
		pb_str(out, STRING_TABLE, d->strings.names.at[i]);
	pb_end(out, m);
}

void otlp_dictionary_free(struct otlp_dictionary *d)
{
	named_functions_free(&d->functions);
	locations_free(&d->locations);
	strpool_free(&d->strings);
	u64map_free(&d->stack_index);
	buf_free(&d->stacks);
	buf_free(&d->attributes);
	free(d->build_id);
}
