/* SPDX-License-Identifier: MIT */
#include "perfdata/format/attr.h"

#define FLAGS_AT 40
#define AUX_ACTION_AT 116

#define PRECISE_IP_MASK (UINT64_C(3) << ATTR_PRECISE_IP_BIT)

static const struct attr_bit sample_type_bits[] = {
	{ 0, "IP" }, { 1, "TID" }, { 2, "TIME" }, { 3, "ADDR" }, { 4, "READ" }, { 5, "CALLCHAIN" }, { 6, "ID" },
	{ 7, "CPU" },
	{ 8, "PERIOD" }, { 9, "STREAM_ID" }, { 10, "RAW" }, { 11, "BRANCH_STACK" }, { 12, "REGS_USER" },
	{ 13, "STACK_USER" },
	{ 16, "IDENTIFIER" }, { 18, "REGS_INTR" }, { 15, "DATA_SRC" }, { 14, "WEIGHT" }, { 17, "TRANSACTION" },
	{ 19, "PHYS_ADDR" }, { 20, "AUX" }, { 21, "CGROUP" }, { 22, "DATA_PAGE_SIZE" }, { 23, "CODE_PAGE_SIZE" },
	{ 24, "WEIGHT_STRUCT" },
};
static const struct attr_bit read_format_bits[] = {
	{ 0, "TOTAL_TIME_ENABLED" }, { 1, "TOTAL_TIME_RUNNING" }, { 2, "ID" }, { 3, "GROUP" }, { 4, "LOST" },
};
static const struct attr_bit branch_bits[] = {
	{ 0, "USER" }, { 1, "KERNEL" }, { 2, "HV" }, { 3, "ANY" }, { 4, "ANY_CALL" }, { 5, "ANY_RETURN" },
	{ 6, "IND_CALL" },
	{ 7, "ABORT_TX" }, { 8, "IN_TX" }, { 9, "NO_TX" }, { 10, "COND" }, { 11, "CALL_STACK" }, { 12, "IND_JUMP" },
	{ 13, "CALL" }, { 14, "NO_FLAGS" }, { 15, "NO_CYCLES" }, { 16, "TYPE_SAVE" }, { 17, "HW_INDEX" },
	{ 18, "PRIV_SAVE" },
	{ 19, "COUNTERS" },
};

static const struct attr_bit flag_bits[] = {
	{ 0, "disabled" }, { 1, "inherit" }, { 2, "pinned" }, { 3, "exclusive" }, { 4, "exclude_user" },
	{ 5, "exclude_kernel" },
	{ 6, "exclude_hv" }, { 7, "exclude_idle" }, { 8, "mmap" }, { 9, "comm" }, { 10, "freq" },
	{ 11, "inherit_stat" },
	{ 12, "enable_on_exec" }, { 13, "task" }, { 14, "watermark" }, { ATTR_PRECISE_IP_BIT, "precise_ip" },
	{ 17, "mmap_data" },
	{ 18, "sample_id_all" }, { 19, "exclude_host" }, { 20, "exclude_guest" }, { 21, "exclude_callchain_kernel" },
	{ 22, "exclude_callchain_user" }, { 23, "mmap2" }, { 24, "comm_exec" }, { 25, "use_clockid" },
	{ 26, "context_switch" },
	{ 27, "write_backward" }, { 28, "namespaces" }, { 29, "ksymbol" }, { 30, "bpf_event" }, { 31, "aux_output" },
	{ 32, "cgroup" }, { 33, "text_poke" }, { 34, "build_id" }, { 35, "inherit_thread" }, { 36, "remove_on_exec" },
	{ 37, "sigtrap" }, { 38, "defer_callchain" }, { 39, "defer_output" },
};

/* Flags and aux_action are bit-fields. Offsets: perf_event_attr. */
static const struct attr_field fields[] = {
#define NAMED(at, name, shown, text, key, ...)                                                             \
	{ at, sizeof(((struct sonde_attr *)0)->name), offsetof(struct sonde_attr, name), shown, #name, text, key, \
	  __VA_ARGS__ }
#define FIELD(at, name, shown, ...) NAMED(at, name, shown, #name, #name, __VA_ARGS__)
#define BITS(at, name, shown, array, ...) \
	FIELD(at, name, shown, .bits = array, .nr_bits = ARRAY_SIZE(array), __VA_ARGS__)
	FIELD(0, type, ATTR_DEC, .always = true),
	FIELD(4, size, ATTR_DEC),
	FIELD(8, config, ATTR_HEX, .always = true),
	NAMED(16, sample_period, ATTR_DEC, "{ sample_period, sample_freq }", "sample_period"),
	BITS(24, sample_type, ATTR_BITS, sample_type_bits, .always = true),
	BITS(32, read_format, ATTR_BITS, read_format_bits, .always = true),
	BITS(FLAGS_AT, flags, ATTR_FLAGS, flag_bits, .always = true),
	NAMED(48, wakeup_events, ATTR_DEC, "{ wakeup_events, wakeup_watermark }", "wakeup"),
	FIELD(52, bp_type, ATTR_DEC),
	NAMED(56, config1, ATTR_HEX, "{ bp_addr, config1 }", "config1"),
	NAMED(64, config2, ATTR_HEX, "{ bp_len, config2 }", "config2"),
	BITS(72, branch_sample_type, ATTR_BITS, branch_bits),
	FIELD(80, sample_regs_user, ATTR_HEX),
	FIELD(88, sample_stack_user, ATTR_DEC),
	FIELD(92, clockid, ATTR_CLOCK),
	FIELD(96, sample_regs_intr, ATTR_HEX),
	FIELD(104, aux_watermark, ATTR_DEC),
	FIELD(108, sample_max_stack, ATTR_DEC),
	FIELD(110, reserved_2, ATTR_HIDDEN),
	FIELD(112, aux_sample_size, ATTR_DEC),
	FIELD(AUX_ACTION_AT, aux_action, ATTR_HEX),
	FIELD(120, sig_data, ATTR_SIG_DATA),
	FIELD(128, config3, ATTR_HEX),
	FIELD(136, config4, ATTR_HEX),
#undef NAMED
#undef FIELD
#undef BITS
};

const struct attr_field *attr_fields(size_t *nr)
{
	*nr = ARRAY_SIZE(fields);
	return fields;
}

uint64_t attr_value(const struct sonde_attr *attr, const struct attr_field *f)
{
	return load_integer((const uint8_t *)attr + f->to, f->size, false, false);
}

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

/* A number, in the other order if it is to be swapped. */
static void copy_number(void *to, const void *from, size_t size, bool swap)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[swap ? size - 1 - i : i];
}

void attr_load(const uint8_t p[ATTR_SIZE_KNOWN], bool swap, struct sonde_attr *out)
{
	bool big = host_is_big_endian() != swap;

	*out = (struct sonde_attr){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		copy_number((uint8_t *)out + fields[i].to, p + fields[i].at, fields[i].size, swap);
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

void attr_store(uint8_t p[ATTR_SIZE_KNOWN], const struct sonde_attr *attr, bool swap)
{
	bool big = host_is_big_endian() != swap;
	uint64_t flags = attr_flags_native(attr->flags, big);
	uint32_t aux_action = aux_action_mirror(attr->aux_action, big);

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		copy_number(p + fields[i].at, (const uint8_t *)attr + fields[i].to, fields[i].size, swap);
	store_u64(p + FLAGS_AT, flags, swap);
	store_u32(p + AUX_ACTION_AT, aux_action, swap);
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
