/* SPDX-License-Identifier: MIT */
/* record_encode.c - layouts: PERF_RECORD_* in <linux/perf_event.h> */
#include "perfdata/write/record_encode.h"

#include "base/put.h"
#include "perfdata/format/record.h"
#include "perfdata/format/sample.h"

enum { CPUMODE_KERNEL = 1, CPUMODE_USER = 2 };

#define RECORD_SIZE_AT 6

/* A record that grows in a buffer. */
struct record_encoder {
	struct buf *out;
	size_t begin;
	const struct record_layout *layout;
	const struct sonde_attr *attr;
	bool swap;
	struct sonde_error *err;
};

static void put32(struct record_encoder *e, uint32_t v)
{
	put_u32(e->out, v, e->swap);
}

static void put64(struct record_encoder *e, uint64_t v)
{
	put_u64(e->out, v, e->swap);
}

/* The pair of a process and a thread. */
static void put_pair(struct record_encoder *e, int32_t a, int32_t b)
{
	put32(e, (uint32_t)a);
	put32(e, (uint32_t)b);
}

/* With at least one NUL. */
static void put_text(struct record_encoder *e, struct sonde_str text)
{
	buf_put(e->out, text.p, text.len);
	buf_pad(e->out, 0, ALIGN_UP(text.len + 1, 8U) - text.len);
}

static uint64_t id_or_own(const struct record_encoder *e, uint64_t id)
{
	return id == 0 || id == SONDE_NONE ? e->layout->id : id;
}

static struct record_encoder begin(struct buf *out, const struct record_layout *layout, uint32_t type, uint16_t misc,
				   struct sonde_error *err)
{
	struct record_encoder e = { out, out->n, layout, layout->attr, layout->swap, err };

	put32(&e, type);
	put_u16(out, misc, e.swap);
	put_u16(out, 0, e.swap);
	return e;
}

static int end(struct record_encoder *e)
{
	size_t n = e->out->n - e->begin;
	uint16_t size = (uint16_t)n;

	if (e->out->failed)
		return err_nomem(e->err);
	if (n > RECORD_BYTES_MAX)
		return err_set(e->err, SONDE_USAGE, SONDE_NONE, "a record has at most %u bytes, not %zu",
			       RECORD_BYTES_MAX, n);
	size = e->swap ? bswap_16(size) : size;
	memcpy(e->out->p + e->begin + RECORD_SIZE_AT, &size, sizeof(size));
	return 0;
}

static uint16_t with_cpumode(uint16_t misc, uint16_t cpumode)
{
	return misc & MISC_CPUMODE_MASK ? misc : misc | cpumode;
}

/* ---- samples ---- */

static void put_fixed(struct record_encoder *e, const struct sonde_sample *s)
{
	uint64_t type = e->attr->sample_type;

	if (type & SAMPLE_IDENTIFIER)
		put64(e, id_or_own(e, s->identifier));
	if (type & SAMPLE_IP)
		put64(e, s->ip);
	if (type & SAMPLE_TID)
		put_pair(e, s->pid, s->tid);
	if (type & SAMPLE_TIME)
		put64(e, s->time);
	if (type & SAMPLE_ADDR)
		put64(e, s->addr);
	if (type & SAMPLE_ID)
		put64(e, id_or_own(e, s->id));
	if (type & SAMPLE_STREAM_ID)
		put64(e, id_or_own(e, s->stream_id));
	if (type & SAMPLE_CPU)
		put_pair(e, s->cpu, 0);
	if (type & SAMPLE_PERIOD)
		put64(e, s->period);
}

static void put_value(struct record_encoder *e, const struct sonde_read_value *v, bool value)
{
	if (value)
		put64(e, v->value);
	if (e->attr->read_format & READ_ID)
		put64(e, id_or_own(e, v->id));
	if (e->attr->read_format & READ_LOST)
		put64(e, v->lost);
}

static int put_read(struct record_encoder *e, const struct sonde_sample *s, const struct sonde_read_value *values)
{
	uint64_t format = e->attr->read_format;

	if ((!(format & READ_GROUP) && s->nr_values != 1) || (s->nr_values && !values))
		return err_set(e->err, SONDE_USAGE, SONDE_NONE, "the attr demands %s, the sample has %zu of them",
			       format & READ_GROUP ? "the counts of a group" : "one count", values ? s->nr_values : 0);
	put64(e, format & READ_GROUP ? s->nr_values : values->value);
	if (format & READ_ENABLED)
		put64(e, s->time_enabled);
	if (format & READ_RUNNING)
		put64(e, s->time_running);
	for (size_t i = 0; i < s->nr_values; i++)
		put_value(e, &values[i], format & READ_GROUP);
	return 0;
}

/* With a size of 32 bits, which with the bytes ends at a multiple of 8. */
static void put_raw(struct record_encoder *e, struct sonde_bytes raw)
{
	size_t size = ALIGN_UP(raw.len + 4, 8U) - 4;

	put32(e, (uint32_t)size);
	buf_put(e->out, raw.p, raw.len);
	buf_pad(e->out, 0, size - raw.len);
}

static int put_branches(struct record_encoder *e, const struct sonde_sample *s, const struct sonde_branch *branches)
{
	uint64_t type = e->attr->branch_sample_type;
	bool big = host_is_big_endian() != e->swap;

	if (s->nr_branches && !branches)
		return err_set(e->err, SONDE_USAGE, SONDE_NONE, "the entries of the branch stack are missing");
	put64(e, s->nr_branches);
	if (type & BRANCH_HW_INDEX && s->nr_branches)
		put64(e, s->branch_hw_idx);
	for (size_t i = 0; i < s->nr_branches; i++) {
		put64(e, branches[i].from);
		put64(e, branches[i].to);
		put64(e, big ? sample_branch_flags(branches[i].flags, false) : branches[i].flags);
	}
	for (size_t i = 0; type & BRANCH_COUNTERS && i < s->nr_branches; i++)
		put64(e, branches[i].counters);
	return 0;
}

static int put_regs(struct record_encoder *e, const struct sonde_regs *regs, uint64_t mask)
{
	size_t nr = (size_t)__builtin_popcountll(mask);

	put64(e, regs ? regs->abi : 0);
	if (!regs || !regs->abi)
		return 0;
	if (regs->abi > 2 || regs->nr_values != nr)
		return err_set(e->err, SONDE_USAGE, SONDE_NONE, "the attr demands %zu registers, the sample has %zu",
			       nr, regs->nr_values);
	for (size_t i = 0; i < nr; i++)
		put64(e, regs->values[i]);
	return 0;
}

static int put_user_stack(struct record_encoder *e, const struct sonde_sample *s)
{
	uint64_t size = s->user_stack_size ? s->user_stack_size : ALIGN_UP(s->user_stack.len, 8U);

	if (size % 8 || size < s->user_stack.len || size > RECORD_BYTES_MAX)
		return err_set(e->err, SONDE_USAGE, SONDE_NONE, "%zu bytes of a stack have no room in %" PRIu64,
			       s->user_stack.len, size);
	put64(e, size);
	if (size == 0)
		return 0;
	buf_put(e->out, s->user_stack.p, s->user_stack.len);
	buf_pad(e->out, 0, (size_t)size - s->user_stack.len);
	put64(e, s->user_stack.len);
	return 0;
}

static int put_varying(struct record_encoder *e, const struct sonde_perf_record *rec, const struct sonde_sample *s)
{
	uint64_t type = e->attr->sample_type;
	int r = 0;

	if (type & SAMPLE_READ)
		r = put_read(e, s, rec->values);
	if (type & SAMPLE_CALLCHAIN) {
		put64(e, s->nr_callchain);
		for (size_t i = 0; i < s->nr_callchain; i++)
			put64(e, s->callchain[i]);
	}
	if (type & SAMPLE_RAW)
		put_raw(e, s->raw);
	if (type & SAMPLE_BRANCH_STACK && r == 0)
		r = put_branches(e, s, rec->branches);
	if (type & SAMPLE_REGS_USER && r == 0)
		r = put_regs(e, s->user_regs, e->attr->sample_regs_user);
	if (type & SAMPLE_STACK_USER && r == 0)
		r = put_user_stack(e, s);
	return r;
}

static int put_last(struct record_encoder *e, const struct sonde_sample *s)
{
	const struct { uint64_t bits, value; } before[] = {
		{ SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, s->weight }, { SAMPLE_DATA_SRC, s->data_src },
		{ SAMPLE_TRANSACTION, s->transaction },
	}, behind[] = {
		{ SAMPLE_PHYS_ADDR, s->phys_addr }, { SAMPLE_CGROUP, s->cgroup },
		{ SAMPLE_DATA_PAGE_SIZE, s->data_page_size }, { SAMPLE_CODE_PAGE_SIZE, s->code_page_size },
	};
	uint64_t type = e->attr->sample_type;
	size_t aux = ALIGN_UP(s->aux.len, 8U);
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (type & before[i].bits)
			put64(e, before[i].value);
	if (type & SAMPLE_REGS_INTR)
		r = put_regs(e, s->intr_regs, e->attr->sample_regs_intr);
	for (size_t i = 0; i < ARRAY_SIZE(behind); i++)
		if (type & behind[i].bits)
			put64(e, behind[i].value);
	if (type & SAMPLE_AUX) {
		put64(e, aux);
		buf_put(e->out, s->aux.p, s->aux.len);
		buf_pad(e->out, 0, aux - s->aux.len);
	}
	return r;
}

/* Fields with a length of their own are measured before they are copied. */
static int check_lengths(const struct sonde_sample *s, struct sonde_error *err)
{
	const size_t lengths[] = { s->nr_values,   s->nr_callchain,   s->raw.len,
				   s->nr_branches, s->user_stack.len, s->aux.len };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (lengths[i] > RECORD_BYTES_MAX)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "a record has at most %u bytes", RECORD_BYTES_MAX);
	return 0;
}

int record_encode_sample(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
			 const struct sonde_sample *s, struct sonde_error *err)
{
	struct record_encoder e;
	int r = check_lengths(s, err);

	if (r < 0)
		return r;
	if (layout->attr->sample_type & ~SAMPLE_KNOWN)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "fields of samples that this version does not know: 0x%" PRIx64,
			       (uint64_t)(layout->attr->sample_type & ~SAMPLE_KNOWN));
	e = begin(out, layout, RECORD_SAMPLE, with_cpumode(rec->misc, CPUMODE_USER), err);
	put_fixed(&e, s);
	r = put_varying(&e, rec, s);
	if (r == 0)
		r = put_last(&e, s);
	return r < 0 ? r : end(&e);
}

/* ---- the side band ---- */

/* The sample_id trailer; the body does not have all of it. */
static int end_with_trailer(struct record_encoder *e, const struct sonde_perf_record *rec, int32_t pid, int32_t tid)
{
	uint64_t type = e->attr->flags & SONDE_ATTR_SAMPLE_ID_ALL ? e->attr->sample_type : 0;

	if (type & SAMPLE_TID)
		put_pair(e, pid, tid);
	if (type & SAMPLE_TIME)
		put64(e, rec->time);
	if (type & SAMPLE_ID)
		put64(e, id_or_own(e, rec->id));
	if (type & SAMPLE_STREAM_ID)
		put64(e, id_or_own(e, rec->id));
	if (type & SAMPLE_CPU)
		put_pair(e, rec->cpu, 0);
	if (type & SAMPLE_IDENTIFIER)
		put64(e, id_or_own(e, rec->id));
	return end(e);
}

static int check_text(struct sonde_str text, struct sonde_error *err)
{
	if (text.len > RECORD_BYTES_MAX)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "a record has at most %u bytes", RECORD_BYTES_MAX);
	return text.len && memchr(text.p, 0, text.len) ?
		err_set(err, SONDE_USAGE, SONDE_NONE, "a name ends before a NUL") :
		0;
}

static bool needs_mmap2(const struct sonde_mmap *m)
{
	return m->maj || m->min || m->ino || m->ino_generation || m->prot || m->flags || m->build_id_size;
}

/* In the place of device and inode. */
static void put_build_id(struct record_encoder *e, const struct sonde_mmap *m)
{
	uint8_t room[24] = { m->build_id_size };

	memcpy(room + 4, m->build_id, m->build_id_size);
	buf_put(e->out, room, sizeof(room));
}

int record_encode_mmap(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
		       const struct sonde_mmap *m, struct sonde_error *err)
{
	uint16_t misc = (uint16_t)(rec->misc & ~MISC_MMAP_BUILD_ID);
	struct record_encoder e;
	int r = check_text(m->filename, err);

	if (r < 0)
		return r;
	if (m->build_id_size > sizeof(m->build_id))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "a build id has at most %zu bytes", sizeof(m->build_id));
	misc = with_cpumode(misc, m->pid == -1 ? CPUMODE_KERNEL : CPUMODE_USER);
	if (m->build_id_size)
		misc |= MISC_MMAP_BUILD_ID;
	e = begin(out, layout, needs_mmap2(m) ? RECORD_MMAP2 : RECORD_MMAP, misc, err);
	put_pair(&e, m->pid, m->tid);
	put64(&e, m->addr);
	put64(&e, m->len);
	put64(&e, m->pgoff);
	if (m->build_id_size) {
		put_build_id(&e, m);
	} else if (needs_mmap2(m)) {
		put32(&e, m->maj);
		put32(&e, m->min);
		put64(&e, m->ino);
		put64(&e, m->ino_generation);
	}
	if (needs_mmap2(m)) {
		put32(&e, m->prot);
		put32(&e, m->flags);
	}
	put_text(&e, m->filename);
	return end_with_trailer(&e, rec, m->pid, m->tid);
}

int record_encode_comm(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
		       const struct sonde_comm *c, struct sonde_error *err)
{
	uint16_t misc = (uint16_t)(rec->misc & ~MISC_COMM_EXEC);
	struct record_encoder e;
	int r = check_text(c->comm, err);

	if (r < 0)
		return r;
	e = begin(out, layout, RECORD_COMM, c->exec ? misc | MISC_COMM_EXEC : misc, err);
	put_pair(&e, c->pid, c->tid);
	put_text(&e, c->comm);
	return end_with_trailer(&e, rec, c->pid, c->tid);
}

int record_encode_task(struct buf *out, const struct record_layout *layout, const struct sonde_perf_record *rec,
		       bool exits, const struct sonde_task *t, struct sonde_error *err)
{
	struct record_encoder e = begin(out, layout, exits ? RECORD_EXIT : RECORD_FORK, rec->misc, err);

	put_pair(&e, t->pid, t->ppid);
	put_pair(&e, t->tid, t->ptid);
	put64(&e, t->time);
	return end_with_trailer(&e, rec, t->pid, t->tid);
}
