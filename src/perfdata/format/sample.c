/* SPDX-License-Identifier: MIT */
#include "perfdata/format/sample.h"

#define BRANCH_ENTRY_BYTES 24

/* The bits of sample_order[]. */
#define SAMPLE_FIXED \
	(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | \
	 SAMPLE_CPU | SAMPLE_PERIOD)

struct field_place {
	uint8_t field;               /* enum fixed_field */
	uint32_t bit;
};
static const struct field_place sample_order[] = {
	{ AT_IDENTIFIER, SAMPLE_IDENTIFIER }, { AT_IP, SAMPLE_IP },     { AT_TID, SAMPLE_TID },
	{ AT_TIME, SAMPLE_TIME },             { AT_ADDR, SAMPLE_ADDR }, { AT_ID, SAMPLE_ID },
	{ AT_STREAM_ID, SAMPLE_STREAM_ID },   { AT_CPU, SAMPLE_CPU },   { AT_PERIOD, SAMPLE_PERIOD },
};
static const struct field_place trailer_order_from_end[] = {
	{ AT_IDENTIFIER, SAMPLE_IDENTIFIER }, { AT_CPU, SAMPLE_CPU },   { AT_STREAM_ID, SAMPLE_STREAM_ID },
	{ AT_ID, SAMPLE_ID },                 { AT_TIME, SAMPLE_TIME }, { AT_TID, SAMPLE_TID },
};

struct sample_layout sample_layout_compile(const struct sonde_attr *attr)
{
	struct sample_layout l = { .sample_bytes = RECORD_HEADER_BYTES };

	for (size_t i = 0; i < ARRAY_SIZE(sample_order); i++)
		if (attr->sample_type & sample_order[i].bit) {
			l.sample[sample_order[i].field] = l.sample_bytes;
			l.sample_bytes += 8;
		}
	if (!(attr->flags & SONDE_ATTR_SAMPLE_ID_ALL))
		return l;
	for (size_t i = 0; i < ARRAY_SIZE(trailer_order_from_end); i++)
		if (attr->sample_type & trailer_order_from_end[i].bit) {
			l.trailer_bytes += 8;
			l.trailer[trailer_order_from_end[i].field] = l.trailer_bytes;
		}
	return l;
}

/* The rest of a sample while its fields are taken one after the other. */
struct rest {
	const uint8_t *p, *end;
	const struct sonde_attr *attr;
	bool swap;
};

static uint64_t left(const struct rest *r)
{
	return (uint64_t)(r->end - r->p);
}

static bool take_u64(struct rest *r, uint64_t *out)
{
	if (left(r) < 8)
		return false;
	*out = load_u64(r->p, r->swap);
	r->p += 8;
	return true;
}

static bool take_bytes(struct rest *r, uint64_t n, const uint8_t **out)
{
	if (left(r) < n)
		return false;
	*out = r->p;
	r->p += n;
	return true;
}

bool read_decode(const uint8_t **p, const uint8_t *end, uint64_t format, bool swap, struct read_counts *out)
{
	struct rest r = { *p, end, NULL, swap };
	struct read_counts v = { .nr = 1, .read_format = format, .swap = swap };
	uint64_t entry = 8 * (1 + !!(format & READ_ID) + !!(format & READ_LOST));

	if (format & READ_GROUP) {
		if (!take_u64(&r, &v.nr))
			return false;
	} else {
		v.values = r.p;  /* the value stands before the times: read_value_at() steps over them */
		if (left(&r) < 8)
			return false;
		r.p += 8;
		entry -= 8;
	}
	if ((format & READ_ENABLED && !take_u64(&r, &v.time_enabled)) ||
	    (format & READ_RUNNING && !take_u64(&r, &v.time_running)))
		return false;
	if (format & READ_GROUP)
		v.values = r.p;
	if (entry && v.nr > left(&r) / entry)
		return false;
	r.p += v.nr * entry;
	*p = r.p;
	*out = v;
	return true;
}

static bool take_read(struct rest *r, struct sample *s)
{
	return read_decode(&r->p, r->end, r->attr->read_format, r->swap, &s->read);
}

static bool take_callchain(struct rest *r, struct sample *s)
{
	struct u64s chain = { .swap = r->swap };

	if (!take_u64(r, &chain.nr) || chain.nr > left(r) / 8 || !take_bytes(r, chain.nr * 8, &chain.p))
		return false;
	s->callchain = chain;
	return true;
}

static bool take_raw(struct rest *r, struct sample *s)
{
	uint32_t size;

	if (left(r) < 4)
		return false;
	size = load_u32(r->p, r->swap);
	r->p += 4;
	if (!take_bytes(r, size, &s->raw.p))
		return false;
	s->raw.len = size;
	return true;
}

/* Bytes that the fields after the branch stack need at least; hw_idx is decided by what is left (see below). */
static bool ends_with_hw_idx(const struct rest *r)
{
	static const uint64_t single = SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT | SAMPLE_DATA_SRC | SAMPLE_TRANSACTION |
				       SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE;
	static const uint64_t variable = SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR | SAMPLE_AUX;
	uint64_t type = r->attr->sample_type;

	if (type & variable)
		return true;
	return left(r) != 8 * (uint64_t)__builtin_popcountll(type & single);
}

/*
 * nr, [hw_idx], nr entries, [nr counters]. Kernels write nr = 0 without hw_idx for a sample that has no branches, so
 * then the length of what follows tells whether it is there.
 */
static bool take_branches(struct rest *r, struct sample *s)
{
	uint64_t type = r->attr->branch_sample_type, nr, hw_idx = SONDE_NONE;
	const uint8_t *entries, *counters = NULL;

	if (!take_u64(r, &nr))
		return false;
	if (type & BRANCH_HW_INDEX && (nr || ends_with_hw_idx(r)) && !take_u64(r, &hw_idx))
		return false;
	if (nr > left(r) / BRANCH_ENTRY_BYTES || !take_bytes(r, nr * BRANCH_ENTRY_BYTES, &entries))
		return false;
	if (type & BRANCH_COUNTERS && !take_bytes(r, nr * 8, &counters))
		return false;
	s->branches.nr = nr;
	s->branches.hw_idx = hw_idx;
	s->branches.entries = entries;
	s->branches.counters = counters;
	s->branches.swap = r->swap;
	s->branches.is_call_stack = type & BRANCH_CALL_STACK;
	return true;
}

static bool take_regs(struct rest *r, uint64_t mask, struct regs *out)
{
	struct regs regs = { .mask = mask, .values.swap = r->swap };

	if (!take_u64(r, &regs.abi))
		return false;
	if (regs.abi > 2)  /* not defined today: its fields have another shape */
		return false;
	regs.values.nr = regs.abi ? (uint64_t)__builtin_popcountll(mask) : 0;
	if (!take_bytes(r, regs.values.nr * 8, &regs.values.p))
		return false;
	*out = regs;
	return true;
}

static bool take_user_regs(struct rest *r, struct sample *s)
{
	return take_regs(r, r->attr->sample_regs_user, &s->user_regs);
}

static bool take_intr_regs(struct rest *r, struct sample *s)
{
	return take_regs(r, r->attr->sample_regs_intr, &s->intr_regs);
}

static bool take_user_stack(struct rest *r, struct sample *s)
{
	uint64_t size, valid;
	const uint8_t *p;

	if (!take_u64(r, &size))
		return false;
	if (size == 0)
		return true;  /* and there is no dyn_size */
	if (!take_bytes(r, size, &p) || !take_u64(r, &valid))
		return false;
	s->user_stack = (struct sonde_bytes){ p, valid < size ? valid : size };
	s->user_stack_size = size;
	return true;
}

static bool take_aux(struct rest *r, struct sample *s)
{
	uint64_t size;

	if (!take_u64(r, &size) || !take_bytes(r, size, &s->aux.p))
		return false;
	s->aux.len = size;
	return true;
}

#define TAKE_U64(name) \
	static bool take_##name(struct rest *r, struct sample *s) \
	{ \
		return take_u64(r, &s->name); \
	}
TAKE_U64(weight)
TAKE_U64(data_src)
TAKE_U64(transaction)
TAKE_U64(phys_addr)
TAKE_U64(cgroup)
TAKE_U64(data_page_size)
TAKE_U64(code_page_size)

/* The fields after the fixed ones, in the order of the record. */
static const struct {
	uint64_t bits;
	bool (*take)(struct rest *r, struct sample *s);
} rest_order[] = {
	{ SAMPLE_READ, take_read },
	{ SAMPLE_CALLCHAIN, take_callchain },
	{ SAMPLE_RAW, take_raw },
	{ SAMPLE_BRANCH_STACK, take_branches },
	{ SAMPLE_REGS_USER, take_user_regs },
	{ SAMPLE_STACK_USER, take_user_stack },
	{ SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, take_weight },
	{ SAMPLE_DATA_SRC, take_data_src },
	{ SAMPLE_TRANSACTION, take_transaction },
	{ SAMPLE_REGS_INTR, take_intr_regs },
	{ SAMPLE_PHYS_ADDR, take_phys_addr },
	{ SAMPLE_CGROUP, take_cgroup },
	{ SAMPLE_DATA_PAGE_SIZE, take_data_page_size },
	{ SAMPLE_CODE_PAGE_SIZE, take_code_page_size },
	{ SAMPLE_AUX, take_aux },
};

/* One of the fields of sample_order, in that order. A loop over the table took twice the time. */
#define TAKE_FIXED(bit, set) \
	do { \
		if (!(type & (bit))) \
			break; \
		if (left(r) < 8) \
			return -SONDE_CORRUPT; \
		set; \
		r->p += 8; \
		s->present |= (bit); \
	} while (0)

static int take_fixed(struct rest *r, struct sample *s)
{
	uint64_t type = r->attr->sample_type;

	TAKE_FIXED(SAMPLE_IDENTIFIER, s->identifier = load_u64(r->p, r->swap));
	TAKE_FIXED(SAMPLE_IP, s->ip = load_u64(r->p, r->swap));
	TAKE_FIXED(SAMPLE_TID, s->pid = (int32_t)load_u32(r->p, r->swap);
		   s->tid = (int32_t)load_u32(r->p + 4, r->swap));
	TAKE_FIXED(SAMPLE_TIME, s->time = load_u64(r->p, r->swap));
	TAKE_FIXED(SAMPLE_ADDR, s->addr = load_u64(r->p, r->swap));
	TAKE_FIXED(SAMPLE_ID, s->id = load_u64(r->p, r->swap));
	TAKE_FIXED(SAMPLE_STREAM_ID, s->stream_id = load_u64(r->p, r->swap));
	TAKE_FIXED(SAMPLE_CPU, s->cpu = (int32_t)load_u32(r->p, r->swap));
	TAKE_FIXED(SAMPLE_PERIOD, s->period = load_u64(r->p, r->swap));
	return 0;
}

int sample_decode(const uint8_t *p, size_t size, const struct sonde_attr *attr, bool swap, struct sample *out)
{
	struct rest r = { p + RECORD_HEADER_BYTES, p + size, attr, swap };
	uint64_t wanted;

	*out = (struct sample){ .identifier = SONDE_NONE, .id = SONDE_NONE, .stream_id = SONDE_NONE, .time = SONDE_NONE,
				      .pid = -1, .tid = -1, .cpu = -1, .branches.hw_idx = SONDE_NONE };
	if (!(attr->flags & SONDE_ATTR_FREQ))
		out->period = attr->sample_period;
	if (size < RECORD_HEADER_BYTES || take_fixed(&r, out) < 0)
		return -SONDE_CORRUPT;
	wanted = attr->sample_type & ~out->present;
	for (size_t i = 0; wanted && i < ARRAY_SIZE(rest_order); i++) {
		if (!(wanted & rest_order[i].bits))
			continue;
		if (!rest_order[i].take(&r, out))
			return -SONDE_CORRUPT;
		out->present |= wanted & rest_order[i].bits;
		wanted &= ~rest_order[i].bits;
	}
	return 0;
}

int sample_fields(const uint8_t *p, size_t size, const struct sonde_attr *attr, bool swap,
		 struct sample_field out[SAMPLE_FIELDS_MAX], size_t *nr)
{
	struct rest r = { p + RECORD_HEADER_BYTES, p + size, attr, swap };
	uint64_t wanted = attr->sample_type;
	struct sample ignored;
	const uint8_t *from;

	*nr = 0;
	for (size_t i = 0; i < ARRAY_SIZE(sample_order); i++) {
		if (!(wanted & sample_order[i].bit))
			continue;
		if (left(&r) < 8)
			return -SONDE_CORRUPT;
		out[(*nr)++] = (struct sample_field){ sample_order[i].bit, (uint32_t)(r.p - p), 8 };
		r.p += 8;
		wanted &= ~sample_order[i].bit;
	}
	for (size_t i = 0; wanted && i < ARRAY_SIZE(rest_order); i++) {
		if (!(wanted & rest_order[i].bits))
			continue;
		wanted &= ~rest_order[i].bits;
		from = r.p;
		if (!rest_order[i].take(&r, &ignored))
			return -SONDE_CORRUPT;
		out[(*nr)++] = (struct sample_field){ rest_order[i].bits, (uint32_t)(from - p),
						      (uint32_t)(r.p - from) };
	}
	return 0;
}

bool sample_is_whole(const uint8_t *p, size_t size, const struct sonde_attr *attr, const struct sample_layout *layout,
		     bool swap)
{
	struct rest r = { p + layout->sample_bytes, p + size, attr, swap };
	uint64_t wanted = attr->sample_type & ~SAMPLE_FIXED;
	struct sample ignored;

	if (size < layout->sample_bytes)
		return false;
	if (wanted == SAMPLE_RAW)        /* most recordings have one of these or none: no search in the table */
		return take_raw(&r, &ignored);
	if (wanted == SAMPLE_CALLCHAIN)
		return take_callchain(&r, &ignored);
	for (size_t i = 0; wanted && i < ARRAY_SIZE(rest_order); i++) {
		if (!(wanted & rest_order[i].bits))
			continue;
		if (!rest_order[i].take(&r, &ignored))
			return false;
		wanted &= ~rest_order[i].bits;
	}
	return true;
}
