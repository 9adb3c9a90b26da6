/* SPDX-License-Identifier: MIT */
#include "tracefmt/redact/fields.h"

#include "base/err.h"
#include "tracefmt/field.h"
#include "tracefmt/redact/format.h"

#define COMMON_BYTES 8               /* type, flags, preempt count and pid: of an event without a format */
#define DYNAMIC (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC)

/* Fields of the tracers' own events whose format says another type or a smaller size than they have. */
static const struct {
	const char *event, *field;
	enum redact_kind kind;
	bool to_end;
} of_tracers[] = {
	{ "kernel_stack", "caller", REDACT_NUMBERS, true },
	{ "user_stack", "caller", REDACT_USER_ADDRESSES, true },
	{ "bprint", "buf", REDACT_BYTES, true },       /* arguments of a trace_printk(): words with strings in them */
	{ "print", "buf", REDACT_TEXT, true },
	{ "raw_data", "buf", REDACT_BYTES, true },
};

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static enum redact_kind kind_of(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f,
				bool keeps_comms)
{
	if (f->flags & SONDE_TRACEPOINT_BITMASK)
		return REDACT_NUMBERS;
	if (!(f->flags & SONDE_TRACEPOINT_ARRAY))
		return is_number_size(f->size) ? REDACT_NUMBERS : REDACT_BYTES;
	if (f->elem_size != 1)
		return is_number_size(f->elem_size) ? REDACT_NUMBERS : REDACT_BYTES;
	if (!(f->flags & SONDE_TRACEPOINT_STRING))
		return REDACT_BYTES;
	/* an argument of a probe is what its author calls so */
	return keeps_comms && ends_with(f->name, "comm") && !redact_is_probe(e) ? REDACT_COMM : REDACT_TEXT;
}

bool redact_field(const struct tracefmt_event *e, const struct sonde_tracepoint_field *f, struct sonde_bytes raw,
		  bool keeps_comms, enum redact_kind *kind, struct sonde_bytes *out)
{
	*kind = kind_of(e, f, keeps_comms);
	if (!tracefmt_bytes(e, f, raw, out))
		return false;
	for (size_t i = 0; e->is_tracer && i < sizeof(of_tracers) / sizeof(of_tracers[0]); i++)
		if (strcmp(e->name, of_tracers[i].event) == 0 && strcmp(f->name, of_tracers[i].field) == 0) {
			*kind = of_tracers[i].kind;
			if (of_tracers[i].to_end && !(f->flags & DYNAMIC))
				out->len = (size_t)(raw.p + raw.len - out->p);
		}
	return true;
}

/* Programs have the lower half of the addresses, of which no machine has 64 bits: eight letters are none of them. */
static void keep_addresses(const struct tracefmt_event *e, struct sonde_bytes field, uint8_t *to)
{
	memcpy(to, field.p, field.len);
	for (size_t at = 0; e->long_size == 8 && at + 8 <= field.len; at += 8)
		if (load_u64(field.p + at, e->swap) >> 56)
			memset(to + at, 0, 8);
}

static int change_text(struct pseudonyms *names, const struct sonde_tracepoint_field *f, struct sonde_bytes field,
		       uint8_t *to)
{
	enum name_class class = strstr(f->name, "comm") ? NAME_COMM : field.p[0] == '/' ? NAME_PATH : NAME_TEXT;

	memcpy(to, field.p, field.len);
	return pseudonym_overwrite(names, class, (char *)to, field.len);
}

static int change_field(struct pseudonyms *names, const struct tracefmt_event *e,
			const struct sonde_tracepoint_field *f, enum redact_kind kind, struct sonde_bytes field,
			uint8_t *to)
{
	switch (kind) {
	case REDACT_NUMBERS:
		memcpy(to, field.p, field.len);
		return 0;
	case REDACT_USER_ADDRESSES:
		keep_addresses(e, field, to);
		return 0;
	case REDACT_COMM:
		memset(to, 0, field.len);
		memcpy(to, field.p, strnlen((const char *)field.p, field.len));
		return 0;
	case REDACT_TEXT:
		return change_text(names, f, field, to);
	case REDACT_BYTES:
		memset(to, 0, field.len);
	}
	return 0;
}

/* The word of a dynamic field that says where its bytes are; one that says nothing true stays out. */
static void keep_place(const struct sonde_tracepoint_field *f, struct sonde_bytes raw, uint8_t *to)
{
	if (f->flags & DYNAMIC)
		memcpy(to + f->offset, raw.p + f->offset, f->size);
}

/* Fields that overlap are those of somebody who wants to keep a text: the kind that keeps least is the last one. */
int redact_fields(struct pseudonyms *names, const struct tracefmt_event *e, struct sonde_bytes raw, bool keeps_comms,
		  uint8_t *to)
{
	enum redact_kind kind;
	struct sonde_bytes field;
	int r = 0;

	memset(to, 0, raw.len);
	if (!e)
		memcpy(to, raw.p, raw.len < COMMON_BYTES ? raw.len : COMMON_BYTES);
	for (int pass = REDACT_NUMBERS; e && pass <= REDACT_BYTES; pass++)
		for (size_t i = 0; r == 0 && i < e->nr_fields; i++) {
			const struct sonde_tracepoint_field *f = &e->fields[i];

			if (!redact_field(e, f, raw, keeps_comms, &kind, &field))
				continue;
			if (pass == REDACT_NUMBERS)
				keep_place(f, raw, to);
			if ((int)kind == pass && field.len)
				r = change_field(names, e, f, kind, field, to + (field.p - raw.p));
		}
	return r;
}
