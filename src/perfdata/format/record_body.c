/* SPDX-License-Identifier: MIT */
/* record_body.c - bodies that have a struct in the API. Layouts: PERF_RECORD_* in <linux/perf_event.h>. */
#include "perfdata/format/record_body.h"


/* Text that must end with a NUL before the body does. */
static bool take_text(struct cursor *c, struct sonde_str *out)
{
	*out = cur_strz(c);
	return cur_ok(c);
}

static int mmap_decode(const struct record *rec, struct cursor *c, void *to)
{
	struct sonde_mmap m = { 0 };

	if (rec->type != RECORD_MMAP && rec->type != RECORD_MMAP2)
		return -SONDE_USAGE;
	m.pid = (int32_t)cur_u32(c);
	m.tid = (int32_t)cur_u32(c);
	m.addr = cur_u64(c);
	m.len = cur_u64(c);
	m.pgoff = cur_u64(c);
	if (record_has_build_id(rec->p, rec->size, &(struct record_header){ .type = rec->type, .misc = rec->misc })) {
		const uint8_t *id = cur_take(c, 24);

		if (id) {
			m.build_id_size = id[0];
			memcpy(m.build_id, id + 4, m.build_id_size);
		}
	} else if (rec->type == RECORD_MMAP2) {
		m.maj = cur_u32(c);
		m.min = cur_u32(c);
		m.ino = cur_u64(c);
		m.ino_generation = cur_u64(c);
	}
	if (rec->type == RECORD_MMAP2) {
		m.prot = cur_u32(c);
		m.flags = cur_u32(c);
	}
	if (!take_text(c, &m.filename))
		return -SONDE_CORRUPT;
	*(struct sonde_mmap *)to = m;
	return 0;
}

static int comm_decode(const struct record *rec, struct cursor *c, void *to)
{
	struct sonde_comm m = { .exec = rec->misc & MISC_COMM_EXEC };

	if (rec->type != RECORD_COMM)
		return -SONDE_USAGE;
	m.pid = (int32_t)cur_u32(c);
	m.tid = (int32_t)cur_u32(c);
	if (!take_text(c, &m.comm))
		return -SONDE_CORRUPT;
	*(struct sonde_comm *)to = m;
	return 0;
}

static int task_decode(const struct record *rec, struct cursor *c, void *to)
{
	struct sonde_task m;

	if (rec->type != RECORD_FORK && rec->type != RECORD_EXIT)
		return -SONDE_USAGE;
	m.pid = (int32_t)cur_u32(c);
	m.ppid = (int32_t)cur_u32(c);
	m.tid = (int32_t)cur_u32(c);
	m.ptid = (int32_t)cur_u32(c);
	m.time = cur_u64(c);
	if (!cur_ok(c))
		return -SONDE_CORRUPT;
	*(struct sonde_task *)to = m;
	return 0;
}

static int lost_decode(const struct record *rec, struct cursor *c, void *to)
{
	struct sonde_lost m = { .id = SONDE_NONE };

	if (rec->type != RECORD_LOST && rec->type != RECORD_LOST_SAMPLES)
		return -SONDE_USAGE;
	if (rec->type == RECORD_LOST)
		m.id = cur_u64(c);
	m.lost = cur_u64(c);
	if (!cur_ok(c))
		return -SONDE_CORRUPT;
	*(struct sonde_lost *)to = m;
	return 0;
}

static int ksymbol_decode(const struct record *rec, struct cursor *c, void *to)
{
	struct sonde_ksymbol m;

	if (rec->type != RECORD_KSYMBOL)
		return -SONDE_USAGE;
	m.addr = cur_u64(c);
	m.len = cur_u32(c);
	m.ksym_type = cur_u16(c);
	m.flags = cur_u16(c);
	if (!take_text(c, &m.name))
		return -SONDE_CORRUPT;
	*(struct sonde_ksymbol *)to = m;
	return 0;
}

static int text_poke_decode(const struct record *rec, struct cursor *c, void *to)
{
	struct sonde_text_poke m;

	if (rec->type != RECORD_TEXT_POKE)
		return -SONDE_USAGE;
	m.addr = cur_u64(c);
	m.old_bytes.len = cur_u16(c);
	m.new_bytes.len = cur_u16(c);
	m.old_bytes.p = cur_take(c, m.old_bytes.len);
	m.new_bytes.p = cur_take(c, m.new_bytes.len);
	if (!cur_ok(c))
		return -SONDE_CORRUPT;
	*(struct sonde_text_poke *)to = m;
	return 0;
}

static int callchain_deferred_decode(const struct record *rec, struct cursor *c, void *to)
{
	struct callchain_deferred m = { .ips.swap = rec->swap };

	if (rec->type != RECORD_CALLCHAIN_DEFERRED)
		return -SONDE_USAGE;
	m.cookie = cur_u64(c);
	m.ips.nr = cur_u64(c);
	m.ips.p = cur_array(c, m.ips.nr, sizeof(uint64_t));
	if (!cur_ok(c))
		return -SONDE_CORRUPT;
	*(struct callchain_deferred *)to = m;
	return 0;
}

static int (*const decoders[])(const struct record *rec, struct cursor *c, void *to) = {
	[BODY_MMAP] = mmap_decode,   [BODY_COMM] = comm_decode,       [BODY_TASK] = task_decode,
	[BODY_LOST] = lost_decode,   [BODY_KSYMBOL] = ksymbol_decode, [BODY_TEXT_POKE] = text_poke_decode,
	[BODY_CALLCHAIN_DEFERRED] = callchain_deferred_decode,
};

int record_body(const struct record *rec, enum event_body body, void *out)
{
	size_t header = rec->size < 8 ? rec->size : 8;
	struct cursor c = cur_new(rec->p + header, rec->size - header, 0, rec->swap, NULL);

	return decoders[body](rec, &c, out);
}
