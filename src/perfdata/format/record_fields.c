/* SPDX-License-Identifier: MIT */
/*
 * record_fields.c - every field of a record, for whoever shows records without knowing them
 *
 * Fields are described by the row of the type (record.c). Layouts that depend on values of the record are shown by a
 * function of the table below. Layouts: <linux/perf_event.h> and tools/lib/perf/include/perf/event.h.
 */
#include "perfdata/format/record_fields.h"

#include <stddef.h>

#include "perfdata/format/attr.h"
#include "perfdata/format/sample.h"

/* The state of a walk over one record. */
struct show {
	const struct record *rec;
	const struct sonde_attr *attr;  /* of the record's event; may be NULL */
	struct cursor c;                /* what has not been shown */
	sonde_field_fn fn;
	void *ctx;
	int stopped;                    /* what fn returned, if not 0 */
};

static void put(struct show *s, struct sonde_field f)
{
	if (!s->stopped && cur_ok(&s->c))
		s->stopped = s->fn(s->ctx, &f);
}

static void put_number(struct show *s, const char *name, enum sonde_field_kind kind, uint64_t index, uint64_t v)
{
	put(s, (struct sonde_field){ .name = name, .index = index, .kind = kind, .u = v });
}

static void put_u64(struct show *s, const char *name, uint64_t v)
{
	put_number(s, name, SONDE_FIELD_U64, SONDE_NONE, v);
}

static void put_named(struct show *s, const char *name, uint64_t v, const char *const *names, size_t nr_names)
{
	const char *text = v < nr_names && names[v] ? names[v] : "?";

	put(s, (struct sonde_field){ .name = name, .index = SONDE_NONE, .kind = SONDE_FIELD_NAMED, .u = v,
				     .text = { text, strlen(text) } });
}

static void put_text(struct show *s, const char *name, uint64_t index, struct sonde_str text)
{
	put(s, (struct sonde_field){ .name = name, .index = index, .kind = SONDE_FIELD_TEXT, .text = text });
}

static void put_bytes(struct show *s, const char *name, uint64_t n)
{
	const uint8_t *p = cur_take(&s->c, n);
	struct sonde_field f = { .name = name, .index = SONDE_NONE, .kind = SONDE_FIELD_BYTES };

	f.bytes = (struct sonde_bytes){ p, p ? n : 0 };
	put(s, f);
}

static void put_rest(struct show *s, const char *name)
{
	if (cur_left(&s->c))
		put_bytes(s, name, cur_left(&s->c));
}

/* Bits that are set, by their names: "READ|EXEC". */
static void put_flags(struct show *s, const char *name, uint64_t v, const struct value_names *values)
{
	char text[128] = "";
	size_t n = 0;

	for (size_t i = 0; i < values->nr; i++) {
		size_t len = strlen(values->names[i]);

		if (!(v >> i & 1) || n + len + 1 >= sizeof(text))
			continue;
		if (n)
			text[n++] = '|';
		memcpy(text + n, values->names[i], len);
		n += len;
	}
	put(s, (struct sonde_field){ .name = name, .index = SONDE_NONE, .kind = SONDE_FIELD_NAMED, .u = v,
				     .text = { text, n } });
}

static struct cursor cursor_at(const struct record *rec, size_t at)
{
	return cur_new(rec->p + (at < rec->size ? at : rec->size), at < rec->size ? rec->size - at : 0, 0, rec->swap,
		       NULL);
}

static void put_row_number(struct show *s, const struct record_field *f, uint64_t index)
{
	static const uint8_t shown_as[] = {
		[FIELD_U8] = SONDE_FIELD_U64,   [FIELD_U16] = SONDE_FIELD_U64,   [FIELD_U32] = SONDE_FIELD_U64,
		[FIELD_U64] = SONDE_FIELD_U64,  [FIELD_S32] = SONDE_FIELD_I64,   [FIELD_S64] = SONDE_FIELD_I64,
		[FIELD_HEX32] = SONDE_FIELD_HEX, [FIELD_HEX64] = SONDE_FIELD_HEX, [FIELD_TIME] = SONDE_FIELD_TIME,
		[FIELD_EVENT_ID] = SONDE_FIELD_U64,
	};
	size_t bytes = record_number_bytes(f->kind);
	const uint8_t *p = cur_take(&s->c, bytes);
	uint64_t v = p ? load_integer(p, bytes, f->kind == FIELD_S32, s->rec->swap) : 0;

	if (!f->values)
		put_number(s, f->name, shown_as[f->kind], index, v);
	else if (f->values->flags)
		put_flags(s, f->name, v, f->values);
	else
		put_named(s, f->name, v, f->values->names, f->values->nr);
}

/* A field of the part of the record that begins at @base: of the record itself, or of an element of its array. */
static void put_row_field(struct show *s, const struct record_field *f, size_t base, uint64_t index)
{
	uint8_t size;

	s->c = cursor_at(s->rec, base + f->at);
	switch ((enum field_kind)f->kind) {
	case FIELD_BYTES8:
		put_bytes(s, f->name, 8);
		break;
	case FIELD_BUILD_ID:
		size = cur_u8(&s->c);
		cur_take(&s->c, 3);
		put_bytes(s, f->name, size);
		break;
	case FIELD_CHARS16:
		put_text(s, f->name, index, cur_str(&s->c, 16));
		break;
	case FIELD_CHARS64:
		put_text(s, f->name, index, cur_str(&s->c, 64));
		break;
	case FIELD_CHARS256:
		put_text(s, f->name, index, cur_str(&s->c, 256));
		break;
	case FIELD_CHARS:
	case FIELD_STRING:
		put_text(s, f->name, index, cur_str(&s->c, cur_left(&s->c)));
		break;
	default:
		put_row_number(s, f, index);
	}
}

static void put_row_fields(struct show *s, const struct record_field *f, size_t base, uint64_t index)
{
	for (; f && f->name && cur_ok(&s->c); f++)
		put_row_field(s, f, base, index);
}

static void put_row_array(struct show *s, const struct record_array *a)
{
	for (uint64_t i = 0; a->size && a->at + (i + 1) * a->size <= s->rec->size; i++)
		put_row_fields(s, a->fields, a->at + i * a->size, i);
}

static void show_switch(struct show *s)
{
	static const char *const names[] = { "IN", "OUT", "OUT preempt" };
	bool out = s->rec->misc & 0x2000, preempted = s->rec->misc & 0x4000;

	put_named(s, "switch", out ? 1 + preempted : 0, names, ARRAY_SIZE(names));
}

static void show_read(struct show *s)
{
	struct read_counts r;
	const uint8_t *p = s->c.p;

	if (!s->attr || !read_decode(&p, s->c.end, s->attr->read_format, s->rec->swap, &r))
		return put_rest(s, "data");
	if (r.read_format & READ_ENABLED)
		put_u64(s, "time_enabled", r.time_enabled);
	if (r.read_format & READ_RUNNING)
		put_u64(s, "time_running", r.time_running);
	for (uint64_t i = 0; i < r.nr; i++) {
		struct sonde_read_value v = read_value_at(&r, i);

		put_number(s, "value", SONDE_FIELD_U64, i, v.value);
		if (r.read_format & READ_ID)
			put_number(s, "id", SONDE_FIELD_U64, i, v.id);
		if (r.read_format & READ_LOST)
			put_number(s, "lost", SONDE_FIELD_U64, i, v.lost);
	}
}

static void show_text_poke(struct show *s)
{
	uint16_t old_len, new_len;

	s->c = cursor_at(s->rec, 16);
	old_len = cur_u16(&s->c);
	new_len = cur_u16(&s->c);
	put_bytes(s, "old_bytes", old_len);
	put_bytes(s, "new_bytes", new_len);
}

static void show_attr(struct show *s)
{
	size_t nr;
	const struct attr_field *fields = attr_fields(&nr);
	struct cursor head = s->c;
	struct sonde_attr attr;
	uint32_t size;

	cur_u32(&head);
	size = cur_u32(&head);
	if (!size)
		size = ATTR_SIZE_VER0;
	if (attr_decode(&s->c, size, &attr) < 0)
		return;
	for (size_t i = 0; i < nr; i++) {
		bool decimal = fields[i].shown == ATTR_DEC || fields[i].shown == ATTR_CLOCK;
		uint64_t v = attr_value(&attr, &fields[i]);

		if (fields[i].shown != ATTR_HIDDEN && (v || i < 2))
			put_number(s, fields[i].name, decimal ? SONDE_FIELD_U64 : SONDE_FIELD_HEX, SONDE_NONE, v);
	}
	for (uint64_t i = 0; cur_left(&s->c) >= 8; i++)
		put_number(s, "id", SONDE_FIELD_U64, i, cur_u64(&s->c));
}

static void show_build_id(struct show *s)
{
	uint8_t size = 20;

	s->c = cursor_at(s->rec, 32);
	if (s->rec->misc & 0x8000)
		size = cur_u8(&s->c);
	s->c = cursor_at(s->rec, 12);
	put_bytes(s, "build_id", size <= 20 ? size : 20);
}

/* As many entries as are counted; then, where there are guests, whose each is. */
static void show_id_index(struct show *s)
{
	const struct record_array *a = &record_type_find(RECORD_ID_INDEX)->array;
	struct cursor count = cursor_at(s->rec, a->count_at);
	uint64_t nr = cur_u64(&count), room = cur_left(&s->c) / a->size;

	for (uint64_t i = 0; i < nr && i < room; i++)
		put_row_fields(s, a->fields, a->at + i * a->size, i);
	for (uint64_t i = 0; i < nr && cur_left(&s->c) >= ID_INDEX_MACHINE_BYTES; i++) {
		put_number(s, "machine_pid", SONDE_FIELD_I64, i, cur_u64(&s->c));
		put_number(s, "vcpu", SONDE_FIELD_I64, i, cur_u64(&s->c));
	}
}

static void show_auxtrace_error(struct show *s)
{
	struct cursor fmt = cursor_at(s->rec, 28);
	uint32_t format = cur_u32(&fmt);

	if (format >= 1)
		put_number(s, "time", SONDE_FIELD_TIME, SONDE_NONE, cur_u64(&s->c));
	put_text(s, "msg", SONDE_NONE, cur_str(&s->c, cur_left(&s->c) < 64 ? cur_left(&s->c) : 64));
	if (format >= 2) {
		put_u64(s, "machine_pid", cur_u32(&s->c));
		put_u64(s, "vcpu", cur_u32(&s->c));
	}
}

/* The set that begins at the cursor with its u16 type. */
static void show_cpus(struct show *s)
{
	uint16_t type = cur_u16(&s->c), nr, long_size;

	switch (type) {
	case 0:
		nr = cur_u16(&s->c);
		for (uint64_t i = 0; i < nr && cur_left(&s->c) >= 2; i++)
			put_number(s, "cpu", SONDE_FIELD_I64, i, (uint64_t)(int16_t)cur_u16(&s->c));
		break;
	case 1:
		nr = cur_u16(&s->c);
		long_size = cur_u16(&s->c);
		if (long_size == 8)
			cur_take(&s->c, 4);  /* aligns the words within the struct */
		for (uint64_t i = 0; i < nr && cur_left(&s->c) >= long_size; i++)
			put_number(s, "mask", SONDE_FIELD_HEX, i, long_size == 8 ? cur_u64(&s->c) : cur_u32(&s->c));
		break;
	case 2:
		put_u64(s, "any_cpu", cur_u8(&s->c));
		cur_u8(&s->c);
		put_u64(s, "start_cpu", cur_u16(&s->c));
		put_u64(s, "end_cpu", cur_u16(&s->c));
		break;
	default:
		put_rest(s, "data");
	}
}

static void show_cpu_map(struct show *s)
{
	s->c = cursor_at(s->rec, 8);
	show_cpus(s);
}

static void show_event_update(struct show *s)
{
	struct cursor head = cursor_at(s->rec, 8);
	uint64_t type = cur_u64(&head), v;
	double scale;

	switch (type) {
	case 0:
		put_text(s, "unit", SONDE_NONE, cur_str(&s->c, cur_left(&s->c)));
		break;
	case 1:
		v = cur_u64(&s->c);
		memcpy(&scale, &v, sizeof(scale));
		put(s, (struct sonde_field){ .name = "scale", .index = SONDE_NONE, .kind = SONDE_FIELD_DOUBLE,
					     .d = scale });
		break;
	case 2:
		put_text(s, "name", SONDE_NONE, cur_str(&s->c, cur_left(&s->c)));
		break;
	case 3:
		show_cpus(s);
		break;
	default:
		put_rest(s, "data");
	}
}

static void show_feature(struct show *s)
{
	struct cursor head = cursor_at(s->rec, 8);
	uint64_t id = cur_u64(&head);
	const char *name = id < SONDE_FEAT_BITS ? sonde_feature_name((uint32_t)id) : NULL;

	if (name && cur_left(&s->c))  /* an empty one is the mark of the end, whatever its number means today */
		put_text(s, "feature", SONDE_NONE, (struct sonde_str){ name, strlen(name) });
	put_rest(s, "data");
}

static void show_data(struct show *s)
{
	put_rest(s, "data");
}

static void show_compressed2(struct show *s)
{
	struct cursor head = cursor_at(s->rec, 8);
	uint64_t size = cur_u64(&head);

	put_bytes(s, "data", size < cur_left(&s->c) ? size : cur_left(&s->c));
}

static void show_schedstat_domain(struct show *s)
{
	static const char *const order_old[] = { "idle", "busy", "newidle" },
				 *const order_new[] = { "busy", "idle", "newidle" };
	static const char *const names_old[] = { "lb_count", "lb_balanced", "lb_failed", "lb_imbalance", "lb_gained",
						 "lb_hot_gained", "lb_nobusyq", "lb_nobusyg" };
	static const char *const names_new[] = {
		"lb_count",          "lb_balanced",       "lb_failed",           "lb_imbalance_load",
		"lb_imbalance_util", "lb_imbalance_task", "lb_imbalance_misfit", "lb_gained",
		"lb_hot_gained",     "lb_nobusyq",        "lb_nobusyg"
	};
	static const char *const tail[] = {
		"alb_count", "alb_failed",   "alb_pushed", "sbe_count",        "sbe_balanced",     "sbe_pushed",
		"sbf_count", "sbf_balanced", "sbf_pushed", "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance"
	};
	struct cursor head = cursor_at(s->rec, 20);
	uint16_t version = cur_u16(&head);
	const char *const *names = version >= 17 ? names_new : names_old;
	size_t nr_names = version >= 17 ? ARRAY_SIZE(names_new) : ARRAY_SIZE(names_old);

	for (size_t block = 0; block < 3; block++) {
		const char *which = version >= 16 ? order_new[block] : order_old[block];

		put_text(s, "balancing", SONDE_NONE, (struct sonde_str){ which, strlen(which) });
		for (size_t i = 0; i < nr_names; i++)
			put_u64(s, names[i], cur_u32(&s->c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(tail); i++)
		put_u64(s, tail[i], cur_u32(&s->c));
}

/* Fields of a type that its row cannot tell, in place of an array. The cursor stands after the fixed part. */
static void (*const varying[])(struct show *s) = {
	[RECORD_READ] = show_read,
	[RECORD_SWITCH] = show_switch,
	[RECORD_SWITCH_CPU_WIDE] = show_switch,
	[RECORD_TEXT_POKE] = show_text_poke,
	[RECORD_HEADER_ATTR] = show_attr,
	[RECORD_HEADER_BUILD_ID] = show_build_id,
	[RECORD_ID_INDEX] = show_id_index,
	[RECORD_AUXTRACE_ERROR] = show_auxtrace_error,
	[RECORD_CPU_MAP] = show_cpu_map,
	[RECORD_EVENT_UPDATE] = show_event_update,
	[RECORD_HEADER_FEATURE] = show_feature,
	[RECORD_COMPRESSED] = show_data,
	[RECORD_COMPRESSED2] = show_compressed2,
	[RECORD_SCHEDSTAT_DOMAIN] = show_schedstat_domain,
};

/* Where the varying part begins: those without a row of fields show everything after the header. */
static size_t varying_at(const struct record_type *type)
{
	return type->fields ? type->min_size : RECORD_HEADER_BYTES;
}

int record_fields(const struct record *rec, const struct sonde_attr *attr, sonde_field_fn fn, void *ctx)
{
	const struct record_type *type = record_type_find(rec->type);
	struct show s = { .rec = rec, .attr = attr, .c = cursor_at(rec, RECORD_HEADER_BYTES), .fn = fn, .ctx = ctx };
	const struct record_field *later;
	bool has_id;

	if (!type || rec->type >= SIMPLEPERF_FIRST) {
		put_rest(&s, "data");
		return s.stopped;
	}
	has_id = type->with_id &&
		record_has_build_id(rec->p, rec->size, &(struct record_header){ .type = rec->type, .misc = rec->misc });
	put_row_fields(&s, has_id ? type->with_id : type->fields, 0, SONDE_NONE);
	for (later = type->later; later && later[1].name; later++)
		;
	if (later && later->at < rec->size)
		put_row_fields(&s, type->later, 0, SONDE_NONE);
	if (!cur_ok(&s.c))
		return s.stopped ? s.stopped : -SONDE_CORRUPT;
	s.c = cursor_at(rec, varying_at(type));
	if (rec->type < ARRAY_SIZE(varying) && varying[rec->type])
		varying[rec->type](&s);
	else
		put_row_array(&s, &type->array);
	if (s.stopped)
		return s.stopped;
	return cur_ok(&s.c) ? 0 : -SONDE_CORRUPT;
}
