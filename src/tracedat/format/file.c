/* SPDX-License-Identifier: MIT */
#include "tracedat/format/file.h"

#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"

void dat_file_init(struct dat_file *f, struct image *im)
{
	*f = (struct dat_file){ .image = im, .first_options = DAT_NONE };
	f->budget = dat_unpack_limit(im ? im->size : 0);
}

void dat_file_free(struct dat_file *f)
{
	for (size_t i = 0; i < f->parts.n; i++)
		vec_free(&f->parts.at[i].items);
	for (size_t i = 0; i < f->buffers.n; i++) {
		vec_free(&f->buffers.at[i].extents);
		vec_free(&f->buffers.at[i].order);
	}
	vec_free(&f->parts);
	vec_free(&f->buffers);
	u64map_free(&f->part_at);
	decoder_free(&f->decoder);
	arena_free(&f->arena);
}

int dat_file_add(struct dat_file *f, struct dat_part part, size_t *out)
{
	if (f->parts.n >= U64MAP_NONE || vec_push(&f->parts, part) < 0)
		return -SONDE_NOMEM;
	*out = f->parts.n - 1;
	return part.at == SONDE_NONE ? 0 : u64map_set(&f->part_at, part.at, (uint32_t)*out);
}

int dat_file_add_bytes(struct dat_file *f, uint16_t id, const void *p, size_t n, size_t *out)
{
	static const uint8_t nothing[8];
	struct dat_part part = dat_part_new(DAT_PART_SECTION, id, SONDE_NONE);

	if (!p) {
		p = nothing;
		n = dat_metadata_size_bytes(id);
	}
	part.bytes = (struct dat_bytes){ .p = arena_memdup(&f->arena, p, n ? n : 1), .n = n };
	return part.bytes.p ? dat_file_add(f, part, out) : -SONDE_NOMEM;
}

int dat_file_add_buffer(struct dat_file *f, struct dat_buffer b, size_t *out)
{
	if (vec_push(&f->buffers, b) < 0)
		return -SONDE_NOMEM;
	*out = f->buffers.n - 1;
	return 0;
}

struct dat_part *dat_file_section(struct dat_file *f, uint16_t id)
{
	for (size_t i = 0; i < f->parts.n; i++)
		if (f->parts.at[i].kind == DAT_PART_SECTION && f->parts.at[i].id == id)
			return &f->parts.at[i];
	return NULL;
}

bool dat_buffer_has_pages(const struct dat_buffer *b)
{
	for (size_t i = 0; i < b->extents.n; i++)
		if (b->extents.at[i].bytes.n)
			return true;
	return false;
}

bool dat_file_has_pages(const struct dat_file *f)
{
	for (size_t i = 0; i < f->buffers.n; i++)
		if (dat_buffer_has_pages(&f->buffers.at[i]))
			return true;
	return false;
}

uint32_t dat_part_cpus(const struct dat_part *options, bool swap)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < options->items.n; i++) {
		uint32_t n = dat_option_cpus(options->items.at[i].id, options->items.at[i].data, swap);

		nr = n > nr ? n : nr;
	}
	return nr;
}

struct dat_item *dat_file_option(struct dat_file *f, uint16_t id)
{
	for (size_t i = 0; i < f->parts.n; i++)
		for (size_t k = 0; k < f->parts.at[i].items.n; k++)
			if (f->parts.at[i].items.at[k].id == id)
				return &f->parts.at[i].items.at[k];
	return NULL;
}

struct dat_part *dat_file_unfinished(struct dat_file *f, size_t *item)
{
	for (size_t i = 0; i < f->parts.n; i++)
		for (size_t k = 0; k < f->parts.at[i].items.n; k++) {
			const struct dat_item *o = &f->parts.at[i].items.at[k];

			if (o->id == DAT_OPTION_CPUSTAT && o->data.len >= sizeof(DAT_UNFINISHED) - 1 &&
			    !memcmp(o->data.p, DAT_UNFINISHED, sizeof(DAT_UNFINISHED) - 1)) {
				*item = k;
				return &f->parts.at[i];
			}
		}
	return NULL;
}

const uint8_t *dat_bytes_get(struct dat_file *f, const struct dat_bytes *b, uint8_t **owned, struct sonde_error *err)
{
	const uint8_t *view;

	*owned = NULL;
	if (b->p)
		return b->p;
	view = b->n <= IMAGE_VIEW_MAX ? image_view(f->image, b->at, (size_t)b->n) : NULL;
	if (view)
		return view;
	if (b->at > f->image->size || b->n > f->image->size - b->at) {
		err_set(err, SONDE_TRUNCATED, b->at, "%" PRIu64 " bytes are not all there", b->n);
		return NULL;
	}
	*owned = image_copy(f->image, b->at, b->n);
	if (!*owned && image_failed(f->image, err) == 0)
		err_nomem(err);
	return *owned;
}

int dat_unpack(struct dat_file *f, const uint8_t *p, size_t n, uint8_t *out, size_t size, struct sonde_error *err)
{
	int r;

	if (!f->codec)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "it is compressed, but the file does not say how in a way that is known");
	if (!f->decoder.state) {
		r = decoder_init(&f->decoder, f->codec, err);
		if (r < 0)
			return r;
	}
	return decoder_unpack(&f->decoder, p, n, out, size, err);
}

static int unpack_block(struct dat_file *f, struct cursor *c, uint8_t **out, size_t *n, struct sonde_error *err)
{
	uint32_t packed = cur_u32(c), size = cur_u32(c);
	const uint8_t *p = cur_take(c, packed);
	uint8_t *grown;
	int r;

	if (!p)
		return -SONDE_TRUNCATED;
	if (size > f->budget)
		return err_set(err, SONDE_CORRUPT, c->at, "it says that %u bytes are %u ones compressed", packed, size);
	f->budget -= size;
	grown = realloc(*out, *n + size + 1);
	if (!grown)
		return err_nomem(err);
	*out = grown;
	r = dat_unpack(f, p, packed, *out + *n, size, err);
	*n += r < 0 ? 0 : size;
	return r;
}

int dat_part_load_some(struct dat_file *f, const struct dat_part *part, uint8_t **out, size_t *n,
		       struct sonde_error *err)
{
	uint8_t *owned;
	const uint8_t *p = dat_bytes_get(f, &part->bytes, &owned, err);
	struct cursor c;
	uint32_t count;
	int r = 0;

	*out = NULL;
	*n = 0;
	if (!p)
		return err && err->code ? -(int)err->code : -SONDE_NOMEM;
	if (!part->packed) {
		*out = malloc(part->bytes.n + 1);
		if (!*out)
			r = err_nomem(err);
		else
			memcpy(*out, p, part->bytes.n);
		*n = part->bytes.n;
		free(owned);
		return r;
	}
	if (!owned) {  /* reading on would take the view away */
		owned = malloc(part->bytes.n + 1);
		if (!owned)
			return err_nomem(err);
		memcpy(owned, p, part->bytes.n);
	}
	c = cur_new(owned, part->bytes.n, part->bytes.at, f->swap, err);
	count = part->kind == DAT_PART_TEXT ? cur_u32(&c) : 1;
	while (r == 0 && count-- > 0)
		r = unpack_block(f, &c, out, n, err);
	free(owned);
	if (r == 0 && !*out)
		*out = calloc(1, 1);
	return r;
}

int dat_part_load(struct dat_file *f, const struct dat_part *part, uint8_t **out, size_t *n, struct sonde_error *err)
{
	int r = dat_part_load_some(f, part, out, n, err);

	if (r < 0) {
		free(*out);
		*out = NULL;
	}
	return r;
}
