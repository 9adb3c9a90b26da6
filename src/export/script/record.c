/* SPDX-License-Identifier: MIT */
#include "export/script/record.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "export/script/output.h"

#define RECORD_KSYMBOL 17
#define RECORD_BPF_EVENT 18
#define RECORD_CGROUP 19
#define RECORD_TEXT_POKE 20
#define RECORD_FINISHED_ROUND 68
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
	uint32_t show;
	void (*put)(struct buf *out, const struct sonde_event *ev);
} shown[] = {
	{ PERF_RECORD_COMM, SONDE_SHOW_TASK, put_comm },
	{ PERF_RECORD_FORK, SONDE_SHOW_TASK, put_task },
	{ PERF_RECORD_EXIT, SONDE_SHOW_TASK, put_task },
	{ PERF_RECORD_MMAP, SONDE_SHOW_MMAP, put_mmap },
	{ PERF_RECORD_MMAP2, SONDE_SHOW_MMAP, put_mmap },
	{ PERF_RECORD_SWITCH, SONDE_SHOW_SWITCH, put_switch },
	{ PERF_RECORD_SWITCH_CPU_WIDE, SONDE_SHOW_SWITCH, put_switch },
	{ PERF_RECORD_NAMESPACES, SONDE_SHOW_NAMESPACE, put_namespaces },
	{ PERF_RECORD_LOST, SONDE_SHOW_LOST, put_lost },
	{ PERF_RECORD_LOST_SAMPLES, SONDE_SHOW_LOST, put_lost },
	{ RECORD_KSYMBOL, SONDE_SHOW_BPF, put_ksymbol },
	{ RECORD_BPF_EVENT, SONDE_SHOW_BPF, put_bpf_event },
	{ RECORD_CGROUP, SONDE_SHOW_CGROUP, put_cgroup },
	{ RECORD_TEXT_POKE, SONDE_SHOW_TEXT_POKE, put_text_poke },
};

/* The thread of a record: that of its body, if it has one. */
static const char *comm_of(const struct script *s, const struct sonde_event *ev, char spare[SCRIPT_NUMBER])
{
	int32_t machine = ev->machine_pid;
	struct sonde_task task;
	struct sonde_comm comm;
	struct sonde_mmap mmap;

	if (event_task(ev, &task) == 0)
		return script_comm(s, machine, task.pid, task.tid, spare);
	if (event_comm(ev, &comm) == 0)
		return script_comm(s, machine, comm.pid, comm.tid, spare);
	if (event_mmap(ev, &mmap) == 0)
		return mmap.pid == -1 ? "swapper" : script_comm(s, machine, mmap.pid, mmap.tid, spare);
	return ev->tid == -1 && ev->time == 0 ? "swapper" : script_comm(s, machine, ev->pid, ev->tid, spare);
}

/* The fields in the trailer of a record, as far as its event has them. */
static uint64_t head_fields(const struct script *s, const struct sonde_event *ev)
{
	uint64_t fields = SCRIPT_BIT(COMM);

	if (ev->evsel) {
		uint64_t wanted = s->fields.of[script_type_of(ev->evsel->attr)].fields;
		uint64_t has = ev->evsel->attr->sample_type;

		fields = wanted & SCRIPT_BIT(COMM);
		fields |= has & PERF_SAMPLE_TID ? wanted & (SCRIPT_BIT(PID) | SCRIPT_BIT(TID)) : 0;
		fields |= has & PERF_SAMPLE_CPU ? wanted & SCRIPT_BIT(CPU) : 0;
		fields |= has & PERF_SAMPLE_TIME ? wanted & (SCRIPT_BIT(TIME) | SCRIPT_BIT(TOD)) : 0;
		fields |= wanted & (SCRIPT_BIT(MISC) | SCRIPT_BIT(MACHINE_PID) | SCRIPT_BIT(VCPU));
	}
	return fields;
}

void script_record(struct script *s, const struct sonde_event *ev)
{
	struct sample_printer printer = script_printer(s);
	char spare[SCRIPT_NUMBER];

	if (ev->type == RECORD_FINISHED_ROUND && s->show & SONDE_SHOW_ROUND) {
		buf_put(printer.out, s->name.p, s->name.len);
		buf_str(printer.out, "PERF_RECORD_FINISHED_ROUND\n");
	}
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		if (shown[i].type != ev->type || !(shown[i].show & s->show))
			continue;
		script_head(&printer, ev, comm_of(s, ev, spare), ev->time, head_fields(s, ev), true);
		buf_str(printer.out, "PERF_RECORD_");
		buf_str(printer.out, sonde_event_type_name(ev->type));
		shown[i].put(printer.out, ev);
		buf_char(printer.out, '\n');
	}
}
