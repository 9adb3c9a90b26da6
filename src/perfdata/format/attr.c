/* SPDX-License-Identifier: MIT */
#include "perfdata/format/attr.h"

#define FLAGS_AT 40
#define AUX_ACTION_AT 116

#define PRECISE_IP_MASK (UINT64_C(3) << 15)

/* One row per field but flags and aux_action, which are bit-fields. Offsets: perf_event_attr. */
static const struct field {
	uint8_t at, size;
	uint16_t to;
} fields[] = {
#define FIELD(at, name) { at, sizeof(((struct sonde_attr *)0)->name), offsetof(struct sonde_attr, name) }
	FIELD(0, type),
	FIELD(4, size),
	FIELD(8, config),
	FIELD(16, sample_period),
	FIELD(24, sample_type),
	FIELD(32, read_format),
	FIELD(48, wakeup_events),
	FIELD(52, bp_type),
	FIELD(56, config1),
	FIELD(64, config2),
	FIELD(72, branch_sample_type),
	FIELD(80, sample_regs_user),
	FIELD(88, sample_stack_user),
	FIELD(92, clockid),
	FIELD(96, sample_regs_intr),
	FIELD(104, aux_watermark),
	FIELD(108, sample_max_stack),
	FIELD(110, reserved_2),
	FIELD(112, aux_sample_size),
	FIELD(120, sig_data),
	FIELD(128, config3),
	FIELD(136, config4),
#undef FIELD
};

static uint64_t reverse_bits(uint64_t v)
{
	uint64_t r = 0;

	for (int i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return r;
}

/*
 * Big-endian ABIs fill C bit-fields from the other end: flag k is bit 63 - k. precise_ip has two bits, whose order
 * within the field is not mirrored, so after the reversal they change places.
 */
uint64_t attr_flags_normal(uint64_t native, bool big)
{
	uint64_t flags = big ? reverse_bits(native) : native;
	uint64_t precise = flags & PRECISE_IP_MASK;

	if (big && precise != 0 && precise != PRECISE_IP_MASK)
		flags ^= PRECISE_IP_MASK;
	return flags;
}

uint64_t attr_flags_native(uint64_t flags, bool big)
{
	uint64_t precise = flags & PRECISE_IP_MASK;

	if (big && precise != 0 && precise != PRECISE_IP_MASK)
		flags ^= PRECISE_IP_MASK;
	return big ? reverse_bits(flags) : flags;
}

/* aux_action: three flags in a u32, the same bit-field rule. */
static uint32_t aux_action_mirror(uint32_t v, bool big)
{
	return big ? (uint32_t)(reverse_bits(v) >> 32) : v;
}

static void put_field(struct sonde_attr *out, const struct field *f, const uint8_t *p, bool swap)
{
	uint8_t *to = (uint8_t *)out + f->to;
	uint64_t u64 = f->size == 8 ? load_u64(p, swap) : 0;
	uint32_t u32 = f->size == 4 ? load_u32(p, swap) : 0;
	uint16_t u16 = f->size == 2 ? load_u16(p, swap) : 0;

	if (f->size == 8)
		memcpy(to, &u64, 8);
	else if (f->size == 4)
		memcpy(to, &u32, 4);
	else
		memcpy(to, &u16, 2);
}

void attr_load(const uint8_t p[ATTR_SIZE_KNOWN], bool swap, struct sonde_attr *out)
{
	bool big = host_is_big_endian() != swap;

	*out = (struct sonde_attr){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		put_field(out, &fields[i], p + fields[i].at, swap);
	out->flags = attr_flags_normal(load_u64(p + FLAGS_AT, swap), big);
	out->aux_action = aux_action_mirror(load_u32(p + AUX_ACTION_AT, swap), big);
}

int attr_decode(struct cursor *c, uint64_t bytes, struct sonde_attr *out)
{
	uint8_t room[ATTR_SIZE_KNOWN] = { 0 };
	const uint8_t *p = cur_take(c, bytes);
	uint64_t known;
	uint32_t size;

	if (!p)
		return -SONDE_TRUNCATED;
	if (bytes < ATTR_SIZE_VER0)
		return err_set(c->err, SONDE_CORRUPT, c->at - bytes,
			       "an attr of %" PRIu64 " bytes, expected 64 or more", bytes);
	size = load_u32(p + 4, c->swap);
	known = size >= ATTR_SIZE_VER0 && size < bytes ? size : size == 0 ? ATTR_SIZE_VER0 : bytes;
	memcpy(room, p, known < sizeof(room) ? known : sizeof(room));
	attr_load(room, c->swap, out);
	if (out->size == 0)
		out->size = ATTR_SIZE_VER0;
	return 0;
}

static void store(uint8_t *p, const void *value, size_t size, bool swap)
{
	for (size_t i = 0; i < size; i++)
		p[i] = ((const uint8_t *)value)[swap ? size - 1 - i : i];
}

void attr_store(uint8_t p[ATTR_SIZE_KNOWN], const struct sonde_attr *attr, bool swap)
{
	bool big = host_is_big_endian() != swap;
	uint64_t flags = attr_flags_native(attr->flags, big);
	uint32_t aux_action = aux_action_mirror(attr->aux_action, big);

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		store(p + fields[i].at, (const uint8_t *)attr + fields[i].to, fields[i].size, swap);
	store(p + FLAGS_AT, &flags, sizeof(flags), swap);
	store(p + AUX_ACTION_AT, &aux_action, sizeof(aux_action), swap);
}

uint32_t attr_size_needed(const struct sonde_attr *attr)
{
	static const uint8_t sizes[] = { ATTR_SIZE_VER0, 72, 80, 96, 104, 112, 120, 128, 136, ATTR_SIZE_KNOWN };
	uint8_t room[ATTR_SIZE_KNOWN];
	size_t n = sizeof(room), i = 0;

	attr_store(room, attr, false);
	while (n && !room[n - 1])
		n--;
	while (sizes[i] < n)
		i++;
	return sizes[i];
}

void attr_encode(struct buf *out, const struct sonde_attr *attr, bool swap)
{
	uint8_t room[ATTR_SIZE_KNOWN];
	size_t known = attr->size < sizeof(room) ? attr->size : sizeof(room);

	attr_store(room, attr, swap);
	buf_put(out, room, known);
	buf_pad(out, 0, attr->size - known);
}
