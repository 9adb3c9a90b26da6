/* SPDX-License-Identifier: MIT */
#include "export/record_text.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "model/event.h"

#define RECORD_KSYMBOL 17
#define RECORD_BPF_EVENT 18
#define RECORD_CGROUP 19
#define RECORD_TEXT_POKE 20
#define MISC_MMAP_DATA 0x2000

static void put_0x(struct buf *out, uint64_t v)
{
	if (v)
		buf_put(out, "0x", 2);
	buf_hex(out, v);
}

static void put_string(struct buf *out, struct sonde_str s)
{
	buf_text(out, s.p, s.len);
}

static void put_pair(struct buf *out, int64_t a, char between, int64_t b)
{
	buf_i64(out, a);
	buf_char(out, between);
	buf_i64(out, b);
}

static void put_task(struct buf *out, const struct sonde_event *ev)
{
	struct sonde_task t;

	if (event_task(ev, &t) < 0)
		return;
	buf_char(out, '(');
	put_pair(out, t.pid, ':', t.tid);
	buf_put(out, "):(", 3);
	put_pair(out, t.ppid, ':', t.ptid);
	buf_char(out, ')');
}

static void put_comm(struct buf *out, const struct sonde_event *ev)
{
	struct sonde_comm c;

	if (event_comm(ev, &c) < 0)
		return;
	buf_str(out, c.exec ? " exec: " : ": ");
	put_string(out, c.comm);
	buf_char(out, ':');
	put_pair(out, c.pid, '/', c.tid);
}

static void put_protection(struct buf *out, const struct sonde_mmap *m)
{
	buf_char(out, m->prot & 1 ? 'r' : '-');
	buf_char(out, m->prot & 2 ? 'w' : '-');
	buf_char(out, m->prot & 4 ? 'x' : '-');
	buf_char(out, m->flags & 1 ? 's' : 'p');
}

static void put_device(struct buf *out, const struct sonde_mmap *m)
{
	if (m->build_id_size) {
		buf_put(out, " <", 2);
		for (size_t i = 0; i < m->build_id_size; i++)
			buf_hex_zero(out, m->build_id[i], 2);
		buf_char(out, '>');
		return;
	}
	buf_char(out, ' ');
	buf_hex_zero(out, m->maj, 2);
	buf_char(out, ':');
	buf_hex_zero(out, m->min, 2);
	buf_char(out, ' ');
	buf_u64(out, m->ino);
	buf_char(out, ' ');
	buf_u64(out, m->ino_generation);
}

static void put_mmap(struct buf *out, const struct sonde_event *ev)
{
	struct sonde_mmap m;

	if (event_mmap(ev, &m) < 0)
		return;
	buf_char(out, ' ');
	put_pair(out, m.pid, '/', m.tid);
	buf_put(out, ": [", 3);
	put_0x(out, m.addr);
	buf_char(out, '(');
	put_0x(out, m.len);
	buf_put(out, ") @ ", 4);
	put_0x(out, m.pgoff);
	if (ev->type == PERF_RECORD_MMAP2)
		put_device(out, &m);
	buf_put(out, "]: ", 3);
	if (ev->type == PERF_RECORD_MMAP2)
		put_protection(out, &m);
	else
		buf_char(out, ev->misc & MISC_MMAP_DATA ? 'r' : 'x');
	buf_char(out, ' ');
	put_string(out, m.filename);
}

/* The named numbers of a record; numbers that it lacks are 0. */
struct named_numbers {
	const char *const *names;
	size_t n;
	uint64_t values[4];
	struct sonde_str text;
};

static int take_number(void *ctx, const struct sonde_field *f)
{
	struct named_numbers *want = ctx;

	if (f->kind == SONDE_FIELD_TEXT)
		want->text = f->text;
	for (size_t i = 0; i < want->n; i++)
		if (strcmp(want->names[i], f->name) == 0)
			want->values[i] = f->u;
	return 0;
}

static struct named_numbers numbers_of(const struct sonde_event *ev, const char *const *names, size_t n)
{
	struct named_numbers want = { .names = names, .n = n };

	event_fields(ev, take_number, &want);
	return want;
}

static void put_switch(struct buf *out, const struct sonde_event *ev)
{
	static const char *const names[] = { "next_prev_pid", "next_prev_tid" };
	bool leaves = ev->misc & PERF_RECORD_MISC_SWITCH_OUT;
	struct named_numbers v;

	buf_str(out, !leaves ? " IN         " :
		     ev->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? " OUT preempt" : " OUT        ");
	if (ev->type != PERF_RECORD_SWITCH_CPU_WIDE)
		return;
	v = numbers_of(ev, names, ARRAY_SIZE(names));
	buf_str(out, leaves ? "  next pid/tid: " : "  prev pid/tid: ");
	buf_printf(out, "%5d/%-5d", (int)v.values[0], (int)v.values[1]);
}

struct namespaces {
	struct buf *out;
	uint64_t pid, nr, dev;
};

static int take_namespace(void *ctx, const struct sonde_field *f)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup", "time" };
	struct namespaces *n = ctx;

	if (strcmp(f->name, "pid") == 0) {
		n->pid = f->u;
	} else if (strcmp(f->name, "tid") == 0) {
		buf_char(n->out, ' ');
		put_pair(n->out, (int32_t)n->pid, '/', (int32_t)f->u);
	} else if (strcmp(f->name, "nr") == 0) {
		n->nr = f->u;
		buf_str(n->out, " - nr_namespaces: ");
		buf_u64(n->out, n->nr);
		buf_put(n->out, "\n\t\t[", 4);
	} else if (strcmp(f->name, "dev") == 0) {
		n->dev = f->u;
	} else if (strcmp(f->name, "ino") == 0) {
		if (f->index && f->index % 4 == 0)
			buf_put(n->out, "\n\t\t ", 4);
		buf_u64(n->out, f->index);
		buf_char(n->out, '/');
		buf_str(n->out, f->index < ARRAY_SIZE(names) ? names[f->index] : "unknown");
		buf_put(n->out, ": ", 2);
		buf_u64(n->out, n->dev);
		buf_char(n->out, '/');
		put_0x(n->out, f->u);
		buf_str(n->out, f->index + 1 == n->nr ? "]" : ", ");
	}
	return 0;
}

static void put_namespaces(struct buf *out, const struct sonde_event *ev)
{
	struct namespaces n = { .out = out };

	event_fields(ev, take_namespace, &n);
}

static void put_lost(struct buf *out, const struct sonde_event *ev)
{
	struct sonde_lost l;

	if (event_lost(ev, &l) < 0)
		return;
	buf_put(out, " lost ", 6);
	buf_u64(out, l.lost);
}

static void put_ksymbol(struct buf *out, const struct sonde_event *ev)
{
	struct sonde_ksymbol k;

	if (event_ksymbol(ev, &k) < 0)
		return;
	buf_put(out, " addr ", 6);
	buf_hex(out, k.addr);
	buf_put(out, " len ", 5);
	buf_u64(out, k.len);
	buf_put(out, " type ", 6);
	buf_u64(out, k.ksym_type);
	buf_put(out, " flags 0x", 9);
	buf_hex(out, k.flags);
	buf_put(out, " name ", 6);
	put_string(out, k.name);
}

static void put_bpf_event(struct buf *out, const struct sonde_event *ev)
{
	static const char *const names[] = { "type", "flags", "id" };
	struct named_numbers v = numbers_of(ev, names, ARRAY_SIZE(names));

	buf_put(out, " type ", 6);
	buf_u64(out, v.values[0]);
	buf_put(out, ", flags ", 8);
	buf_u64(out, v.values[1]);
	buf_put(out, ", id ", 5);
	buf_u64(out, v.values[2]);
}

static void put_cgroup(struct buf *out, const struct sonde_event *ev)
{
	static const char *const names[] = { "id" };
	struct named_numbers v = numbers_of(ev, names, ARRAY_SIZE(names));

	buf_str(out, " cgroup: ");
	buf_u64(out, v.values[0]);
	buf_char(out, ' ');
	put_string(out, v.text);
}

static void put_code(struct buf *out, const char *what, const struct sonde_bytes *bytes)
{
	if (!bytes->len)
		return;
	buf_char(out, '\n');
	buf_str(out, what);
	for (size_t i = 0; i < bytes->len; i++) {
		buf_char(out, ' ');
		buf_hex_zero(out, bytes->p[i], 2);
	}
}

static void put_text_poke(struct buf *out, const struct sonde_event *ev)
{
	struct sonde_text_poke t;

	if (event_text_poke(ev, &t) < 0)
		return;
	buf_char(out, ' ');
	buf_hex(out, t.addr);
	buf_put(out, "  old len ", 10);
	buf_u64(out, t.old_bytes.len);
	buf_put(out, " new len ", 9);
	buf_u64(out, t.new_bytes.len);
	put_code(out, "            Old bytes:", &t.old_bytes);
	put_code(out, "            New bytes:", &t.new_bytes);
}

static const struct {
	uint32_t type;
	void (*put)(struct buf *out, const struct sonde_event *ev);
} texts[] = {
	{ PERF_RECORD_COMM, put_comm },
	{ PERF_RECORD_FORK, put_task },
	{ PERF_RECORD_EXIT, put_task },
	{ PERF_RECORD_MMAP, put_mmap },
	{ PERF_RECORD_MMAP2, put_mmap },
	{ PERF_RECORD_SWITCH, put_switch },
	{ PERF_RECORD_SWITCH_CPU_WIDE, put_switch },
	{ PERF_RECORD_NAMESPACES, put_namespaces },
	{ PERF_RECORD_LOST, put_lost },
	{ PERF_RECORD_LOST_SAMPLES, put_lost },
	{ RECORD_KSYMBOL, put_ksymbol },
	{ RECORD_BPF_EVENT, put_bpf_event },
	{ RECORD_CGROUP, put_cgroup },
	{ RECORD_TEXT_POKE, put_text_poke },
};

bool record_text(struct buf *out, const struct sonde_event *ev)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].type == ev->type) {
			texts[i].put(out, ev);
			return true;
		}
	return false;
}
