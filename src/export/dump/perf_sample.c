/* SPDX-License-Identifier: MIT */
#include "export/dump/perf_sample.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "export/sample_text.h"
#include "model/event.h"

#define SAMPLE_DATA_PAGE_SIZE (UINT64_C(1) << 22)
#define SAMPLE_CODE_PAGE_SIZE (UINT64_C(1) << 23)
#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define FORMAT_LOST (UINT64_C(1) << 4)
#define BRANCH_RESERVED_AT 33        /* of the flags of a branch: bits that perf 6.1 has no name for */

static void put_0x(struct buf *out, uint64_t v)
{
	if (v)
		buf_put(out, "0x", 2);
	buf_hex(out, v);
}

static void put_head(struct buf *out, const struct sonde_event *ev)
{
	buf_printf(out, "(IP, 0x%x): %d/%d: ", ev->misc, ev->pid, ev->tid);
	put_0x(out, ev->ip);
	buf_str(out, " period: ");
	buf_u64(out, ev->period);
	buf_str(out, " addr: ");
	put_0x(out, ev->addr);
	buf_char(out, '\n');
}

/* "..... 10: 00007f00a1aa924a" */
static void put_numbered(struct buf *out, uint64_t number, uint64_t addr)
{
	buf_printf(out, "..... %2llu: ", (unsigned long long)number);
	buf_hex_zero(out, addr, 16);
}

static void put_chain(struct buf *out, const struct u64s *chain)
{
	buf_printf(out, "... FP chain: nr:%llu\n", (unsigned long long)chain->nr);
	for (uint64_t i = 0; i < chain->nr; i++) {
		put_numbered(out, i, u64s_at(chain, i));
		buf_char(out, '\n');
	}
}

static void put_branch(struct buf *out, uint64_t i, const struct sonde_branch *b)
{
	put_numbered(out, i, b->from);
	buf_put(out, " -> ", 4);
	buf_hex_zero(out, b->to, 16);
	buf_printf(out, " %u cycles %c%c%c%c %llx ", branch_cycles(b->flags),
		   b->flags & BRANCH_MISPREDICTED ? 'M' : ' ', b->flags & BRANCH_PREDICTED ? 'P' : ' ',
		   b->flags & BRANCH_ABORTED ? 'A' : ' ',
		   b->flags & BRANCH_IN_TRANSACTION ? 'T' : ' ', (unsigned long long)(b->flags >> BRANCH_RESERVED_AT));
	buf_str(out, text_branch_kind(branch_kind(b->flags)));
	buf_char(out, '\n');
}

/* A stack of calls is one address longer than its branches: it begins where the newest one led to. */
static void put_calls(struct buf *out, const struct sample *s)
{
	uint64_t nr = s->branches.nr;

	buf_printf(out, "... branch callstack: nr:%llu\n", (unsigned long long)nr + 1);
	for (uint64_t i = 0; i < nr; i++) {
		struct sonde_branch b = sample_branch_at(s, i);

		if (i == 0) {
			put_numbered(out, 0, b.to);
			buf_char(out, '\n');
		}
		put_numbered(out, i + 1, b.from);
		buf_char(out, '\n');
	}
}

static void put_branches(struct buf *out, const struct sample *s)
{
	if (s->branches.is_call_stack) {
		put_calls(out, s);
		return;
	}
	buf_printf(out, "... branch stack: nr:%llu\n", (unsigned long long)s->branches.nr);
	for (uint64_t i = 0; i < s->branches.nr; i++) {
		struct sonde_branch b = sample_branch_at(s, i);

		put_branch(out, i, &b);
	}
}

static void put_registers(struct buf *out, const char *which, const struct regs *r, const char *arch)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	uint64_t at = 0;

	if (!r->abi)
		return;
	buf_printf(out, "... %s regs: mask 0x%llx ABI %s\n", which, (unsigned long long)r->mask,
		   r->abi < ARRAY_SIZE(abis) ? abis[r->abi] : "unknown");
	for (unsigned bit = 0; bit < 64 && at < r->values.nr; bit++) {
		const char *name = text_register(arch, bit);

		if (!(r->mask >> bit & 1))
			continue;
		buf_printf(out, ".... %-5s 0x", name ? name : "unknown");
		buf_hex_zero(out, u64s_at(&r->values, at++), 16);
		buf_char(out, '\n');
	}
}

/* The place is that of the size before the copy. An empty copy has none in a struct sample. */
static void put_stack(struct buf *out, const struct sample *s, const struct sonde_event *ev)
{
	buf_str(out, "... ustack: size ");
	buf_u64(out, s->user_stack.len);
	if (s->user_stack.p)
		buf_printf(out, ", offset 0x%llx", (unsigned long long)(s->user_stack.p - ev->raw) - sizeof(uint64_t));
	buf_char(out, '\n');
}

static void put_read(struct buf *out, const struct read_counts *r)
{
	buf_str(out, "... sample_read:\n");
	if (r->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		buf_printf(out, "...... time enabled %016llx\n", (unsigned long long)r->time_enabled);
	if (r->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		buf_printf(out, "...... time running %016llx\n", (unsigned long long)r->time_running);
	if (r->read_format & PERF_FORMAT_GROUP)
		buf_printf(out, ".... group nr %llu\n", (unsigned long long)r->nr);
	for (uint64_t i = 0; i < r->nr; i++) {
		struct sonde_read_value v = read_value_at(r, i);

		buf_str(out, "..... id ");
		buf_hex_zero(out, v.id == SONDE_NONE ? 0 : v.id, 16);
		buf_str(out, ", value ");
		buf_hex_zero(out, v.value, 16);
		if (r->read_format & FORMAT_LOST) {
			buf_str(out, ", lost ");
			buf_u64(out, v.lost);
		}
		buf_char(out, '\n');
	}
}

static void put_page_size(struct buf *out, const char *what, uint64_t bytes)
{
	buf_printf(out, " .. %s page size: ", what);
	text_page_size(out, bytes);
	buf_char(out, '\n');
}

static void put_memory(struct buf *out, const struct sample *s)
{
	if (s->present & (PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT)) {
		bool parts = s->present & SAMPLE_WEIGHT_STRUCT;

		buf_str(out, "... weight: ");
		buf_u64(out, parts ? (uint32_t)s->weight : s->weight);
		if (parts)
			buf_printf(out, ",0x%x,0x%x", (unsigned)(s->weight >> 32 & 0xffff),
				   (unsigned)(s->weight >> 48));
		buf_char(out, '\n');
	}
	if (s->present & PERF_SAMPLE_DATA_SRC)
		buf_printf(out, " . data_src: 0x%llx\n", (unsigned long long)s->data_src);
	if (s->present & PERF_SAMPLE_PHYS_ADDR)
		buf_printf(out, " .. phys_addr: 0x%llx\n", (unsigned long long)s->phys_addr);
	if (s->present & SAMPLE_DATA_PAGE_SIZE)
		put_page_size(out, "data", s->data_page_size);
	if (s->present & SAMPLE_CODE_PAGE_SIZE)
		put_page_size(out, "code", s->code_page_size);
	if (s->present & PERF_SAMPLE_TRANSACTION)
		buf_printf(out, "... transaction: %llx\n", (unsigned long long)s->transaction);
}

void perf_sample(struct buf *out, const struct sonde_event *ev, const struct meta *meta)
{
	struct sample s;
	int r = event_sample(ev, &s);

	put_head(out, ev);
	if (r == -SONDE_USAGE) {
		buf_str(out, "    the file does not describe the event of this sample\n");
		return;
	}
	if (s.present & PERF_SAMPLE_CALLCHAIN)
		put_chain(out, &s.callchain);
	if (s.present & PERF_SAMPLE_BRANCH_STACK)
		put_branches(out, &s);
	if (s.present & PERF_SAMPLE_REGS_USER)
		put_registers(out, "user", &s.user_regs, meta->arch);
	if (s.present & PERF_SAMPLE_REGS_INTR)
		put_registers(out, "intr", &s.intr_regs, meta->arch);
	if (s.present & PERF_SAMPLE_STACK_USER)
		put_stack(out, &s, ev);
	put_memory(out, &s);
	if (s.present & PERF_SAMPLE_READ)
		put_read(out, &s.read);
	if (r < 0)
		buf_str(out, "    the record is too short for its other fields\n");
}
