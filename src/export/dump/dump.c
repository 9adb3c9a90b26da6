/* SPDX-License-Identifier: MIT */
#include "export/dump/dump.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "export/sample_text.h"
#include "model/event.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define SAMPLE_CGROUP (UINT64_C(1) << 21)
#define SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)
#define BYTES_ON_A_LINE 16
#define BYTES_SHOWN 64     /* of a field; the hex dump has all bytes */

static void put_time(struct buf *out, uint64_t time)
{
	if (time == SONDE_NONE) {
		buf_char(out, '-');
		return;
	}
	buf_u64(out, time / NS_PER_SECOND);
	buf_char(out, '.');
	buf_u64_zero(out, time % NS_PER_SECOND, 9);
}

static void put_label(struct buf *out, const char *name, uint64_t index)
{
	buf_put(out, "    ", 4);
	buf_str(out, name);
	if (index != SONDE_NONE) {
		buf_char(out, '[');
		buf_u64(out, index);
		buf_char(out, ']');
	}
	buf_put(out, ": ", 2);
}

static void put_u64(struct buf *out, const char *name, uint64_t v)
{
	put_label(out, name, SONDE_NONE);
	buf_u64(out, v);
	buf_char(out, '\n');
}

static void put_hex(struct buf *out, const char *name, uint64_t index, uint64_t v)
{
	put_label(out, name, index);
	buf_put(out, "0x", 2);
	buf_hex(out, v);
	buf_char(out, '\n');
}

static void put_some_bytes(struct buf *out, const struct sonde_bytes *bytes)
{
	size_t n = bytes->len < BYTES_SHOWN ? bytes->len : BYTES_SHOWN;

	for (size_t i = 0; i < n; i++)
		buf_hex_zero(out, bytes->p[i], 2);
	if (n < bytes->len)
		buf_printf(out, "... (%zu bytes)", bytes->len);
}

static void put_bytes(struct buf *out, const char *name, const struct sonde_bytes *bytes)
{
	put_label(out, name, SONDE_NONE);
	put_some_bytes(out, bytes);
	buf_char(out, '\n');
}

static int put_field(void *ctx, const struct sonde_field *f)
{
	struct buf *out = ctx;

	put_label(out, f->name, f->index);
	switch (f->kind) {
	case SONDE_FIELD_U64:
		buf_u64(out, f->u);
		break;
	case SONDE_FIELD_I64:
		buf_i64(out, (int64_t)f->u);
		break;
	case SONDE_FIELD_HEX:
		buf_put(out, "0x", 2);
		buf_hex(out, f->u);
		break;
	case SONDE_FIELD_TIME:
		put_time(out, f->u);
		break;
	case SONDE_FIELD_DOUBLE:
		buf_printf(out, "%.17g", f->d);
		break;
	case SONDE_FIELD_NAMED:
		buf_put(out, "0x", 2);
		buf_hex(out, f->u);
		if (f->text.len) {
			buf_char(out, ' ');
			buf_text(out, f->text.p, f->text.len);
		}
		break;
	case SONDE_FIELD_TEXT:
		buf_text(out, f->text.p, f->text.len);
		break;
	case SONDE_FIELD_BYTES:
		put_some_bytes(out, &f->bytes);
		break;
	}
	buf_char(out, '\n');
	return 0;
}

static void put_chain(struct buf *out, const struct u64s *chain)
{
	static const struct {
		int64_t value;
		const char *name;
	} markers[] = {
		{ -32, "HV" },          { -128, "KERNEL" },        { -512, "USER" },       { -640, "USER_DEFERRED" },
		{ -2048, "GUEST" },     { -2176, "GUEST_KERNEL" }, { -2560, "GUEST_USER" },
	};

	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t ip = u64s_at(chain, i);

		put_label(out, "callchain", i);
		buf_put(out, "0x", 2);
		buf_hex(out, ip);
		for (size_t k = 0; k < ARRAY_SIZE(markers); k++)
			if ((int64_t)ip == markers[k].value) {
				buf_char(out, ' ');
				buf_str(out, markers[k].name);
			}
		buf_char(out, '\n');
	}
}

static void put_branches(struct buf *out, const struct sample *s, const struct sonde_attr *attr)
{
	if (s->branches.hw_idx != SONDE_NONE)
		put_hex(out, "branch hw_idx", SONDE_NONE, s->branches.hw_idx);
	for (uint64_t i = 0; i < s->branches.nr; i++) {
		struct sonde_branch b = sample_branch_at(s, i);

		put_label(out, "branch", i);
		buf_put(out, "0x", 2);
		buf_hex(out, b.from);
		buf_put(out, "/0x", 3);
		buf_hex(out, b.to);
		text_branch_flags(out, b.flags);
		if (attr->branch_sample_type & BRANCH_COUNTERS) {
			buf_put(out, " counters 0x", 12);
			buf_hex(out, b.counters);
		}
		buf_char(out, '\n');
	}
}

static void put_registers(struct buf *out, const char *what, const struct regs *r, const char *arch)
{
	uint64_t at = 0;

	put_label(out, what, SONDE_NONE);
	buf_put(out, "abi ", 4);
	buf_u64(out, r->abi);
	for (unsigned bit = 0; bit < 64 && at < r->values.nr; bit++) {
		const char *name = text_register(arch, bit);

		if (!(r->mask >> bit & 1))
			continue;
		buf_char(out, ' ');
		if (name)
			buf_str(out, name);
		else
			buf_printf(out, "r%u", bit);
		buf_put(out, "=0x", 3);
		buf_hex(out, u64s_at(&r->values, at++));
	}
	buf_char(out, '\n');
}

static void put_read(struct buf *out, const struct read_counts *r)
{
	if (r->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_u64(out, "time_enabled", r->time_enabled);
	if (r->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_u64(out, "time_running", r->time_running);
	for (uint64_t i = 0; i < r->nr; i++) {
		struct sonde_read_value v = read_value_at(r, i);

		put_label(out, "read", i);
		buf_u64(out, v.value);
		if (v.id != SONDE_NONE) {
			buf_put(out, " id ", 4);
			buf_u64(out, v.id);
		}
		if (v.lost) {
			buf_put(out, " lost ", 6);
			buf_u64(out, v.lost);
		}
		buf_char(out, '\n');
	}
}

static void put_memory(struct buf *out, const struct sample *s)
{
	if (s->present & PERF_SAMPLE_WEIGHT)
		put_u64(out, "weight", s->weight);
	if (s->present & SAMPLE_WEIGHT_STRUCT) {
		put_u64(out, "weight", (uint32_t)s->weight);
		put_u64(out, "ins_lat", s->weight >> 32 & 0xffff);
		put_u64(out, "retire_lat", s->weight >> 48);
	}
	if (s->present & PERF_SAMPLE_DATA_SRC) {
		put_label(out, "data_src", SONDE_NONE);
		buf_put(out, "0x", 2);
		buf_hex(out, s->data_src);
		buf_char(out, ' ');
		text_data_src(out, s->data_src);
		buf_char(out, '\n');
	}
	if (s->present & PERF_SAMPLE_TRANSACTION) {
		put_label(out, "transaction", SONDE_NONE);
		buf_put(out, "0x", 2);
		buf_hex(out, s->transaction);
		buf_char(out, ' ');
		text_transaction(out, s->transaction);
		buf_char(out, '\n');
	}
}

/* Fields in the order of the record, without those that a cut record lacks. */
static void put_sample(struct buf *out, const struct sonde_event *ev, const struct meta *meta)
{
	struct sample s;
	int r = event_sample(ev, &s);
	uint64_t has;

	if (r == -SONDE_USAGE) {
		buf_str(out, "    the file does not describe the event of this sample\n");
		return;
	}
	has = s.present;
	if (has & PERF_SAMPLE_IDENTIFIER)
		put_u64(out, "identifier", s.identifier);
	if (has & PERF_SAMPLE_IP)
		put_hex(out, "ip", SONDE_NONE, s.ip);
	if (has & PERF_SAMPLE_ADDR)
		put_hex(out, "addr", SONDE_NONE, s.addr);
	if (has & PERF_SAMPLE_ID)
		put_u64(out, "id", s.id);
	if (has & PERF_SAMPLE_STREAM_ID)
		put_u64(out, "stream_id", s.stream_id);
	put_u64(out, "period", ev->period);
	if (has & PERF_SAMPLE_READ)
		put_read(out, &s.read);
	if (has & PERF_SAMPLE_CALLCHAIN)
		put_chain(out, &s.callchain);
	if (has & PERF_SAMPLE_RAW)
		put_bytes(out, "raw", &s.raw);
	if (has & PERF_SAMPLE_BRANCH_STACK)
		put_branches(out, &s, ev->evsel->attr);
	if (has & PERF_SAMPLE_REGS_USER)
		put_registers(out, "user_regs", &s.user_regs, meta->arch);
	if (has & PERF_SAMPLE_STACK_USER) {
		put_u64(out, "user_stack_size", s.user_stack_size);
		put_bytes(out, "user_stack", &s.user_stack);
	}
	put_memory(out, &s);
	if (has & PERF_SAMPLE_REGS_INTR)
		put_registers(out, "intr_regs", &s.intr_regs, meta->arch);
	if (has & PERF_SAMPLE_PHYS_ADDR)
		put_hex(out, "phys_addr", SONDE_NONE, s.phys_addr);
	if (has & SAMPLE_CGROUP)
		put_u64(out, "cgroup", s.cgroup);
	if (has & SAMPLE_DATA_PAGE_SIZE)
		put_u64(out, "data_page_size", s.data_page_size);
	if (has & SAMPLE_CODE_PAGE_SIZE)
		put_u64(out, "code_page_size", s.code_page_size);
	if (has & PERF_SAMPLE_AUX)
		put_bytes(out, "aux", &s.aux);
	if (r < 0)
		buf_str(out, "    the record is too short for its other fields\n");
}

/* "0x1f40 12.345678901 cpu 3 pid 10 tid 11 MMAP2 misc 0x2 size 88 event cycles" */
static void put_head(struct buf *out, const struct sonde_event *ev)
{
	const char *type = sonde_event_type_name(ev->type);

	buf_put(out, "0x", 2);
	buf_hex(out, ev->file_offset);
	buf_char(out, ' ');
	put_time(out, ev->time);
	if (ev->cpu >= 0) {
		buf_put(out, " cpu ", 5);
		buf_i64(out, ev->cpu);
	}
	if (ev->pid != -1 || ev->tid != -1) {
		buf_put(out, " pid ", 5);
		buf_i64(out, ev->pid);
		buf_put(out, " tid ", 5);
		buf_i64(out, ev->tid);
	}
	buf_char(out, ' ');
	if (type) {
		buf_str(out, type);
	} else {
		buf_put(out, "type ", 5);
		buf_u64(out, ev->type);
	}
	buf_put(out, " misc 0x", 8);
	buf_hex(out, ev->misc);
	buf_put(out, " size ", 6);
	buf_u64(out, ev->raw_size);
	if (ev->evsel) {
		buf_put(out, " event ", 7);
		text_line_name(out, ev->evsel->name);
	}
	buf_char(out, '\n');
}

static void put_hex_dump(struct buf *out, const struct sonde_event *ev)
{
	for (size_t at = 0; at < ev->raw_size; at += BYTES_ON_A_LINE) {
		size_t end = ev->raw_size - at < BYTES_ON_A_LINE ? ev->raw_size : at + BYTES_ON_A_LINE;

		buf_put(out, "  ", 2);
		buf_hex_zero(out, at, 4);
		buf_char(out, ':');
		for (size_t i = at; i < at + BYTES_ON_A_LINE; i++) {
			buf_char(out, ' ');
			if (i < end)
				buf_hex_zero(out, ev->raw[i], 2);
			else
				buf_put(out, "  ", 2);
		}
		buf_put(out, "  ", 2);
		for (size_t i = at; i < end; i++)
			buf_char(out, ev->raw[i] < ' ' || ev->raw[i] > '~' ? '.' : (char)ev->raw[i]);
		buf_char(out, '\n');
	}
}

void dump_fields(struct buf *out, const struct sonde_event *ev)
{
	if (event_fields(ev, put_field, out) == -SONDE_CORRUPT)
		buf_str(out, "    the record is too short for its other fields\n");
}

void dump_event(struct buf *out, const struct sonde_event *ev, const struct meta *meta, bool hex)
{
	put_head(out, ev);
	if (ev->kind == SONDE_KIND_SAMPLE)
		put_sample(out, ev, meta);
	else
		dump_fields(out, ev);
	if (hex)
		put_hex_dump(out, ev);
	buf_char(out, '\n');
}
