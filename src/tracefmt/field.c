/* SPDX-License-Identifier: MIT */
/* field.c - values of fields in the raw bytes of a record */
#include "tracefmt/field.h"
#include "tracefmt/tracefmt.h"

const struct sonde_tracepoint_field *tracefmt_field(const struct tracefmt_event *e, const char *name)
{
	for (size_t i = 0; i < e->nr_fields; i++)
		if (strcmp(e->fields[i].name, name) == 0)
			return &e->fields[i];
	return NULL;
}

static bool load(const uint8_t *p, uint32_t size, bool is_signed, bool swap, uint64_t *out)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	*out = load_integer(p, size, is_signed, swap);
	return true;
}

static bool fits(struct sonde_bytes raw, uint64_t offset, uint64_t size)
{
	return offset <= raw.len && size <= raw.len - offset;
}

bool tracefmt_u64(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		  uint64_t *out)
{
	return fits(raw, f->offset, f->size) &&
	       load(raw.p + f->offset, f->size, f->flags & SONDE_TRACEPOINT_SIGNED, e->swap, out);
}

/* Where a dynamic field points to: offset in the low half, length in the high one; 2-byte words of old kernels have no
 * length, the bytes run to the end of the record. */
static bool dynamic(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		    struct sonde_bytes *out)
{
	uint64_t word, offset, len;

	if (f->size > 4 || !fits(raw, f->offset, f->size) || !load(raw.p + f->offset, f->size, false, e->swap, &word))
		return false;
	offset = word & 0xffff;
	if (f->flags & SONDE_TRACEPOINT_REL_LOC)
		offset += f->offset + f->size;
	if (offset > raw.len)
		return false;
	len = f->size == 4 ? word >> 16 : raw.len - offset;
	if (len > raw.len - offset)
		return false;
	*out = (struct sonde_bytes){ raw.p + offset, len };
	return true;
}

bool tracefmt_bytes(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		    struct sonde_bytes *out)
{
	if (f->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC))
		return dynamic(e, f, raw, out);
	if (!fits(raw, f->offset, f->size))
		return false;
	*out = (struct sonde_bytes){ raw.p + f->offset, f->size };
	if (f->size == 0 && f->flags & SONDE_TRACEPOINT_ARRAY)
		out->len = raw.len - f->offset;
	return true;
}

bool tracefmt_string(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		     struct sonde_str *out)
{
	struct sonde_bytes b;

	if (!tracefmt_bytes(e, f, raw, &b))
		return false;
	*out = (struct sonde_str){ (const char *)b.p, strnlen((const char *)b.p, b.len) };
	return true;
}

bool tracefmt_element(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		      uint64_t i, uint64_t *out)
{
	struct sonde_bytes b;

	if (!(f->flags & SONDE_TRACEPOINT_ARRAY))
		return i == 0 && tracefmt_u64(e, f, raw, out);
	if (!tracefmt_bytes(e, f, raw, &b) || i >= b.len / f->elem_size)
		return false;
	return load(b.p + i * f->elem_size, f->elem_size, f->flags & SONDE_TRACEPOINT_SIGNED, e->swap, out);
}

static uint32_t common_at(const struct tracefmt *t, const char *name, uint32_t size, uint32_t usual)
{
	const struct tracefmt_event *e = tracefmt_nr_events(t) ? tracefmt_event_at(t, 0) : NULL;
	const struct sonde_tracepoint_field *f = e ? tracefmt_field(e, name) : NULL;

	return f && f->size == size && f->offset < 64 ? f->offset : usual;
}

struct tracefmt_common tracefmt_common_fields(const struct tracefmt *t)
{
	return (struct tracefmt_common){ common_at(t, "common_type", 2, 0), common_at(t, "common_pid", 4, 4) };
}
