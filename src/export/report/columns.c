/* SPDX-License-Identifier: MIT */
#include "export/report/columns.h"

#include <string.h>

#include "analyze/tables/profile.h"
#include "analyze/rows/stack_tree.h"
#include "base/bytes.h"
#include "export/frame_name.h"
#include "export/report/branch_columns.h"
#include "export/report/column_rows.h"
#include "export/report/data_columns.h"
#include "export/report/functions.h"
#include "export/report/memory_columns.h"
#include "export/report/memory_shares.h"
#include "export/report/table.h"

static double percent(uint64_t value, uint64_t of)
{
	return of ? 100.0 * (double)value / (double)of : 0;
}

static void put_percent(struct buf *b, const struct report_table *t, uint64_t value)
{
	buf_printf(b, "%.2f%%", percent(value, t->hists.total));
}

static const struct sonde_profile_task *task_of(const struct sonde_profile *p, const struct hist_entry *row)
{
	return &p->who.at[row->last_task];
}

/* Orders rows by share, largest first. With trees, equal shares of one task are ordered by the depth of their trees. */
static int children_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	int r = ORDER(b->children, a->children);

	if (r == 0 && o->children && o->graph && p->who.at[a->task].tid == p->who.at[b->task].tid)
		r = o->callee ? ORDER(a->depth, b->depth) : ORDER(b->depth, a->depth);
	return r;
}

static void children_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_percent(b, t, row->children);
}

static void put_latency(struct buf *b, const struct report_table *t, uint64_t value)
{
	buf_printf(b, "%.2f%%", percent(value, t->hists.total_latency));
}

static void put_number(struct buf *b, const struct report_table *t, uint64_t value)
{
	UNUSED(t);
	buf_u64(b, value);
}

/* Orders rows by a figure, largest first. */
#define LARGEST_FIRST(name, value) \
	static int name##_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a, \
				const struct hist_entry *b) \
	{ \
		UNUSED(o), UNUSED(p); \
		return ORDER(b->value, a->value); \
	}
#define PUT_FIGURE(name, put, value) \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		put(b, t, row->value); \
	}
#define PUT_MEMBER(name, member, value) \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		UNUSED(t); \
		json_member_u64(j, member, row->value); \
	}

LARGEST_FIRST(self, self)
PUT_FIGURE(self, put_percent, self)
PUT_FIGURE(period, put_number, self)

LARGEST_FIRST(sample, samples)
PUT_FIGURE(sample, put_number, samples)

LARGEST_FIRST(latency_children, latency_children)
PUT_FIGURE(latency_children, put_latency, latency_children)
PUT_MEMBER(latency_children, "latency_children", latency_children / LATENCY_UNITS)

LARGEST_FIRST(latency, latency)
PUT_FIGURE(latency, put_latency, latency)
PUT_MEMBER(latency, "latency", latency / LATENCY_UNITS)

#define MODE(name, mode) \
	LARGEST_FIRST(name, modes[mode]) \
	PUT_FIGURE(name, put_percent, modes[mode]) \
	PUT_MEMBER(name, #name, modes[mode])
MODE(sys, HIST_KERNEL)
MODE(usr, HIST_USER)
MODE(guest_sys, HIST_GUEST_KERNEL)
MODE(guest_usr, HIST_GUEST_USER)

static uint64_t comm_of(const struct hists_opts *o, const struct sonde_profile *p,
			const struct sonde_profile_cell *c)
{
	UNUSED(o);
	return (uintptr_t)p->who.at[c->task].comm;
}

static int comm_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
		      const struct hist_entry *b)
{
	UNUSED(o);
	return strcmp(p->who.at[a->task].comm, p->who.at[b->task].comm);
}

static void comm_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *comm = t->x->profile->who.at[row->task].comm;

	buf_text(b, comm, strlen(comm));
}

static void comm_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "comm", t->x->profile->who.at[row->task].comm);
}

/* Numbers mean something on their machine. */
static uint64_t of_host(const struct sonde_profile_task *task, int32_t number)
{
	return (uint64_t)task->host << 32 | (uint32_t)number;
}

static uint64_t thread_of(const struct hists_opts *o, const struct sonde_profile *p,
			  const struct sonde_profile_cell *c)
{
	UNUSED(o);
	return of_host(&p->who.at[c->task], p->who.at[c->task].tid);
}

static int thread_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			const struct hist_entry *b)
{
	UNUSED(o);
	return ORDER(of_host(task_of(p, a), task_of(p, a)->tid), of_host(task_of(p, b), task_of(p, b)->tid));
}

/* perf shows the tid right-aligned before the last name of the task. */
static void put_task(struct buf *b, const struct report_table *t, const struct sonde_profile_task *task, int32_t number)
{
	const char *comm = profile_last_comm(t->x->profile, task);

	buf_printf(b, "%7d:", number);
	buf_text(b, comm, strlen(comm));
	if (task->host_name) {
		buf_str(b, " (");
		buf_text(b, task->host_name, strlen(task->host_name));
		buf_char(b, ')');
	}
}

static void thread_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_profile_task *task = task_of(t->x->profile, row);

	put_task(b, t, task, task->tid);
}

static void thread_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "tid");
	json_i64(j, task_of(t->x->profile, row)->tid);
}

static uint64_t process_of(const struct hists_opts *o, const struct sonde_profile *p,
			   const struct sonde_profile_cell *c)
{
	UNUSED(o);
	return of_host(&p->who.at[c->task], p->who.at[c->task].pid);
}

static int process_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	UNUSED(o);
	return ORDER(of_host(task_of(p, a), task_of(p, a)->pid), of_host(task_of(p, b), task_of(p, b)->pid));
}

static void process_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	struct sonde_profile_task leader = *task_of(t->x->profile, row);

	leader.tid = leader.pid;
	put_task(b, t, &leader, leader.pid);
}

static void process_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "pid");
	json_i64(j, task_of(t->x->profile, row)->pid);
}

static int dso_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
		     const struct hist_entry *b)
{
	UNUSED(o);
	return function_order_dsos(p, a->frame, b->frame);
}

static void dso_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	function_put_dso(b, t->x->profile, row->frame);
}

static void dso_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	struct sonde_profile_frame f;

	profile_frame(t->x->profile, row->frame, &f);
	json_member_text(j, "dso", f.dso);
}

static int symbol_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			const struct hist_entry *b)
{
	UNUSED(o);
	return function_order_symbols(p, a->frame, b->frame);
}

static void symbol_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	function_put_symbol(b, t->x->profile, row->frame);
}

static void symbol_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	struct sonde_profile_frame f;

	profile_frame(t->x->profile, row->frame, &f);
	json_member_text(j, "symbol", f.symbol);
	if (!f.symbol)
		frame_put_address(j, &f);
	json_key(j, "level");
	json_text_n(j, &f.level, 1);
	if (f.inlined) {
		json_key(j, "inlined");
		json_bool(j, true);
	}
}

/* Interned, so that equal names are one number. */
static uint64_t srcfile_of(const struct stack_tree *f, uint32_t frame)
{
	return (uintptr_t)f->p->frames.list.at[frame].file;
}

static int srcfile_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	const char *f = p->frames.list.at[a->frame].file, *g = p->frames.list.at[b->frame].file;

	UNUSED(o);
	return f && g ? strcmp(f, g) : ORDER(!f, !g);
}

static void srcfile_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *file = t->x->profile->frames.list.at[row->frame].file;

	if (file)
		buf_text(b, file, strlen(file));
}

static void srcfile_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "file", t->x->profile->frames.list.at[row->frame].file);
}

/* "" in a profile without lines */
static const char *srcline_of_row(const struct sonde_profile *p, const struct hist_entry *row)
{
	const char *srcline = p->frames.list.at[row->frame].srcline;

	return srcline ? srcline : "";
}

static int srcline_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	UNUSED(o);
	return strcmp(srcline_of_row(p, a), srcline_of_row(p, b));
}

static void srcline_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *srcline = srcline_of_row(t->x->profile, row);

	buf_text(b, srcline, strlen(srcline));
}

static void srcline_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	const struct frame *at = &t->x->profile->frames.list.at[row->frame];

	srcfile_json(j, t, row);
	json_key(j, "line");
	if (at->file)
		json_u64(j, at->line);
	else
		json_null(j);
}

static uint64_t symbol_offset_of_row(const struct sonde_profile *p, const struct hist_entry *row)
{
	return detail_of(p, cell_of(p, row))->symbol_offset;
}

static uint64_t symoff_of(const struct hists_opts *o, const struct sonde_profile *p,
			  const struct sonde_profile_cell *c)
{
	UNUSED(o);
	return detail_of(p, c)->symbol_offset;
}

static int symoff_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			const struct hist_entry *b)
{
	int r = symbol_first(o, p, a, b);

	return r ? r : ORDER(symbol_offset_of_row(p, a), symbol_offset_of_row(p, b));
}

/* The offset of an address in no function is the whole address. */
static void symoff_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	struct sonde_profile_frame f;

	profile_frame(t->x->profile, row->frame, &f);
	buf_printf(b, "[%c] ", f.level);
	if (f.symbol) {
		buf_text(b, f.symbol, strlen(f.symbol));
		buf_char(b, '+');
	}
	buf_printf(b, "0x%llx", (unsigned long long)symbol_offset_of_row(t->x->profile, row));
}

static void symoff_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	symbol_json(j, t, row);
	json_member_u64(j, "symbol_offset", symbol_offset_of_row(t->x->profile, row));
}

static void put_size(struct buf *b, uint64_t size)
{
	if (size)
		buf_u64(b, size);
	else
		buf_str(b, "unknown");
}

/* A number of the function, shown as a size. */
#define SIZE_OF_FUNCTION(name, value) \
	static uint64_t name##_number(const struct frame *f) { return value; } \
	static uint64_t name##_of_row(const struct sonde_profile *p, const struct hist_entry *row) \
	{ \
		return name##_number(&p->frames.list.at[row->frame]); \
	} \
	static uint64_t name##_of(const struct stack_tree *f, uint32_t frame) \
	{ \
		return name##_number(&f->p->frames.list.at[frame]); \
	} \
	static int name##_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a, \
				const struct hist_entry *b) \
	{ \
		UNUSED(o); \
		return ORDER(name##_of_row(p, a), name##_of_row(p, b)); \
	} \
	static void name##_put(struct buf *b, const struct report_table *t, const struct hist_entry *row) \
	{ \
		put_size(b, name##_of_row(t->x->profile, row)); \
	} \
	static void name##_json(struct json *j, const struct report_table *t, const struct hist_entry *row) \
	{ \
		json_member_u64(j, #name, name##_of_row(t->x->profile, row)); \
	}
SIZE_OF_FUNCTION(symbol_size, frame_size(f))
SIZE_OF_FUNCTION(dso_size, f->mapping_size)

NUMBER_OF_SAMPLE(cpu, int32_t, c->cpu)

static void cpu_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_printf(b, "%.3d", cpu_of_row(t->x->profile, row));
}

static void cpu_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "cpu"), json_i64(j, cpu_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(time, uint64_t, detail_of(p, c)->time)

static void time_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "time_ns", time_of_row(t->x->profile, row));
}

static void time_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	uint64_t ns = time_of_row(t->x->profile, row);
	unsigned long long s = ns / 1000000000, rest = ns % 1000000000;

	if (t->x->report.nanoseconds)
		buf_printf(b, "%llu.%09llu", s, rest);
	else
		buf_printf(b, "%llu.%06llu", s, rest / 1000);
}

/* perf compares addresses as signed numbers: the kernel's are negative. */
NUMBER_OF_SAMPLE(addr, int64_t, detail_of(p, c)->addr)

static void addr_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_printf(b, "%#llx", (unsigned long long)addr_of_row(t->x->profile, row));
}

static void addr_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "ip"), json_hex(j, (uint64_t)addr_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(parallelism, uint32_t, detail_of(p, c)->parallelism)

static void parallelism_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_u64(b, parallelism_of_row(t->x->profile, row));
}

static void parallelism_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_u64(j, "parallelism", parallelism_of_row(t->x->profile, row));
}

NUMBER_OF_SAMPLE(cgroup, uint64_t, detail_of(p, c)->cgroup)

static void cgroup_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "cgroup", sonde_profile_cgroup(t->x->profile, cgroup_of_row(t->x->profile, row)));
}

static void cgroup_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *path = sonde_profile_cgroup(t->x->profile, cgroup_of_row(t->x->profile, row));

	path = path ? path : "N/A";
	buf_text(b, path, strlen(path));
}

NUMBER_OF_SAMPLE(trace, uint64_t, detail_of(p, c)->trace)

static const char *trace_of_entry(const struct report_table *t, const struct hist_entry *row)
{
	return sonde_profile_trace(t->x->profile, trace_of_row(t->x->profile, row));
}

static void trace_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *text = trace_of_entry(t, row);

	text = text ? text : "N/A";
	buf_text(b, text, strlen(text));
}

static void trace_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "trace", trace_of_entry(t, row));
}

/* The function + 1 that is the parent of a row's samples; 0: none */
static uint64_t parent_of(const struct hists_opts *o, const struct sonde_profile *p,
			  const struct sonde_profile_cell *c)
{
	UNUSED(p);
	return o->parents[c->stack];
}

static const char *parent_name(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *row)
{
	uint32_t frame = o->parents[cell_of(p, row)->stack];

	return frame ? frame_symbol(&p->frames.list.at[frame - 1]) : NULL;
}

static int parent_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			const struct hist_entry *b)
{
	const char *x = parent_name(o, p, a), *y = parent_name(o, p, b);

	return x && y ? strcmp(x, y) : ORDER(!x, !y);
}

static void parent_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *name = parent_name(&t->opts, t->x->profile, row);

	name = name ? name : "[other]";
	buf_text(b, name, strlen(name));
}

static void parent_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_member_text(j, "parent", parent_name(&t->opts, t->x->profile, row));
}

/* perf's form of names that differ in a number: "kworker/<N>:<N>" */
static void put_without_digits(struct buf *b, const char *name)
{
	static const char digits[] = "0123456789";

	while (*name) {
		size_t n = strcspn(name, digits);

		buf_text(b, name, n);
		name += n;
		n = strspn(name, digits);
		if (n)
			buf_str(b, "<N>");
		name += n;
	}
}

static uint64_t comm_nodigit_of(const struct hists_opts *o, const struct sonde_profile *p,
				const struct sonde_profile_cell *c)
{
	const char *name = p->who.at[c->task].comm;
	uint64_t hash = 0;

	UNUSED(o);
	for (bool digit = false; *name; name++) {
		if (!digit || *name < '0' || *name > '9')
			hash = hash_two(hash, *name >= '0' && *name <= '9' ? '0' : (uint8_t)*name);
		digit = *name >= '0' && *name <= '9';
	}
	return hash;
}

static void comm_nodigit_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	put_without_digits(b, t->x->profile->who.at[row->task].comm);
}

static void comm_nodigit_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	struct buf name = BUF_MEMORY;

	put_without_digits(&name, t->x->profile->who.at[row->task].comm);
	json_key(j, "comm_nodigit");
	json_text_n(j, name.n ? name.p : "", name.n);
	buf_free(&name);
}

NUMBER_OF_SAMPLE(socket, int64_t, (int64_t)detail_of(p, c)->socket - 1)

static void socket_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	buf_printf(b, "%.3d", (int)socket_of_row(t->x->profile, row));
}

static void socket_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "socket"), json_i64(j, socket_of_row(t->x->profile, row));
}

static uint64_t cgroup_id_of(const struct hists_opts *o, const struct sonde_profile *p,
			     const struct sonde_profile_cell *c)
{
	UNUSED(o);
	return hash_two(detail_of(p, c)->namespace_dev, detail_of(p, c)->namespace_ino);
}

static int cgroup_id_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	const struct sonde_profile_detail *x = detail_of(p, cell_of(p, a)), *y = detail_of(p, cell_of(p, b));

	UNUSED(o);
	return x->namespace_dev != y->namespace_dev ? ORDER(x->namespace_dev, y->namespace_dev) :
						      ORDER(x->namespace_ino, y->namespace_ino);
}

static void cgroup_id_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_profile_detail *d = detail_of(t->x->profile, cell_of(t->x->profile, row));

	buf_printf(b, "%llu/0x%llx", (unsigned long long)d->namespace_dev, (unsigned long long)d->namespace_ino);
}

static void cgroup_id_json(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	const struct sonde_profile_detail *d = detail_of(t->x->profile, cell_of(t->x->profile, row));

	json_member_u64(j, "namespace_dev", d->namespace_dev);
	json_member_u64(j, "namespace_ino", d->namespace_ino);
}

/* Of columns in which rows do not differ. */
static int same_first(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *a,
		      const struct hist_entry *b)
{
	UNUSED(o), UNUSED(p), UNUSED(a), UNUSED(b);
	return 0;
}

static void event_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	const char *event = t->x->profile->events.at[t->event].name;

	UNUSED(row);
	buf_text(b, event, strlen(event));
}

static uint64_t simd_of(const struct hists_opts *o, const struct sonde_profile *p,
			const struct sonde_profile_cell *c)
{
	UNUSED(o), UNUSED(p), UNUSED(c);
	return 0;
}

static void simd_put(struct buf *b, const struct report_table *t, const struct hist_entry *row)
{
	UNUSED(b), UNUSED(t), UNUSED(row);
}

#define OF_PLACES(name) \
	.key.of_frame = function_##name##_of, .order = name##_first, .put = name##_put, .put_json = name##_json

static const struct column_type column_types[] = {
	{ WORDS("the share of the samples that have the function in their stacks", "overhead_children", "children"),
	  .title = "Children", FIGURE(children, 8) },
	{ WORDS("the share of the samples", "overhead", "self"), .title = "Overhead", FIGURE(self, 8) },
	{ WORDS("as overhead_children, of the time divided by the number of threads that ran", "latency_children"),
	  .title = "Latency", FIGURE(latency_children, 0),
	  .put_json = latency_children_json },
	{ WORDS("the share of the time divided by the number of threads that ran", "latency"),
	  .title = "Latency", FIGURE(latency, 8), .put_json = latency_json },
	{ WORDS("the share in the kernel", "overhead_sys"), .title = "sys", FIGURE(sys, 8), .put_json = sys_json },
	{ WORDS("the share in user space", "overhead_us"), .title = "usr", FIGURE(usr, 8), .put_json = usr_json },
	{ WORDS("the share in the kernel of a guest", "overhead_guest_sys"),
	  .title = "guest sys", FIGURE(guest_sys, 9), .put_json = guest_sys_json },
	{ WORDS("the share in user space of a guest", "overhead_guest_us"),
	  .title = "guest usr", FIGURE(guest_usr, 9), .put_json = guest_usr_json },
	{ WORDS("the number of samples", "sample", "samples"), .title = "Samples", FIGURE(sample, 12) },
	{ WORDS("the sum of the periods of the samples", "period"),
	  .title = "Period", .figure = true, .right = true, .width = 12, .order = self_first,
	  .put = period_put },
	{ WORDS("the command", "comm"), .title = "Command",
	  .key.of_cell = comm_of, .order = comm_first, .put = comm_put,
	  .put_json = comm_json, .filter = COLUMN_FILTER_COMM },
	{ WORDS("the thread: its number and name", "pid", "tid"), .title = "    Pid:Command",
	  .key.of_cell = thread_of, .order = thread_first, .put = thread_put, .put_json = thread_json },
	{ WORDS("the process: its number and name", "tgid"), .title = "   Tgid:Command",
	  .key.of_cell = process_of, .order = process_first, .put = process_put, .put_json = process_json },
	{ WORDS("the program, library or kernel module", "dso"),
	  .title = "Shared Object", OF_PLACES(dso), .filter = COLUMN_FILTER_DSO },
	{ WORDS("the function", "symbol", "sym"), .title = "Symbol", OF_PLACES(symbol), .filter = COLUMN_FILTER_SYMBOL,
	  .ragged = true },
	{ WORDS("the instruction, as function and offset", "symoff", NULL, SONDE_BY_SYMBOL_OFFSET),
	  .title = "Symbol Offset",
	  .key = { symoff_of, function_symbol_of }, .order = symoff_first, .put = symoff_put, .put_json = symoff_json },
	{ WORDS("the source file and line", "srcline", NULL, SONDE_BY_SRCLINE),
	  .title = "Source:Line", OF_PLACES(srcline), .ragged = true },
	{ WORDS("the source file", "srcfile", NULL, SONDE_BY_SRCLINE),
	  .title = "Source File",
	  .key.of_frame = srcfile_of, .order = srcfile_first, .put = srcfile_put,
	  .put_json = srcfile_json, .ragged = true },
	{ WORDS("the size of the function in bytes", "symbol_size"),
	  .title = "Symbol size",
	  .key.of_frame = symbol_size_of, .order = symbol_size_first, .put = symbol_size_put,
	  .put_json = symbol_size_json, .right = true },
	{ WORDS("the size of the mapping of the binary in bytes", "dso_size"),
	  .title = "DSO size",
	  .key.of_frame = dso_size_of, .order = dso_size_first, .put = dso_size_put,
	  .put_json = dso_size_json, .right = true },
	{ WORDS("the CPU", "cpu", NULL, SONDE_BY_CPU), .title = "CPU",
	  .key.of_cell = cpu_of, .order = cpu_first, .put = cpu_put, .put_json = cpu_json },
	{ WORDS("the time, in steps of --time-quantum", "time", NULL, SONDE_BY_TIME),
	  .title = "Time",
	  .key.of_cell = time_of, .order = time_first, .put = time_put, .put_json = time_json, .width = 12 },
	{ WORDS("the address of the instruction", "addr", NULL, SONDE_BY_ADDR),
	  .title = "Address",
	  .key.of_cell = addr_of, .order = addr_first, .put = addr_put, .put_json = addr_json, .width = 18 },
	{ WORDS("the number of threads that ran", "parallelism", NULL, SONDE_BY_PARALLELISM),
	  .title = "Parallelism",
	  .key.of_cell = parallelism_of, .order = parallelism_first, .put = parallelism_put,
	  .put_json = parallelism_json,
	  .right = true },
	{ WORDS("the path of the cgroup", "cgroup", NULL, SONDE_BY_CGROUP), .title = "Cgroup",
	  .key.of_cell = cgroup_of, .order = cgroup_first, .put = cgroup_put, .put_json = cgroup_json },
	{ WORDS("the cgroup namespace, as device and inode", "cgroup_id", NULL, SONDE_BY_NAMESPACE),
	  .title = "cgroup id (dev/inode)",
	  .key.of_cell = cgroup_id_of, .order = cgroup_id_first, .put = cgroup_id_put, .put_json = cgroup_id_json },
	{ WORDS("the command with <N> in place of numbers", "comm_nodigit"),
	  .title = "CommandNoDigit", .key.of_cell = comm_nodigit_of, .order = comm_first,
	  .put = comm_nodigit_put, .put_json = comm_nodigit_json },
	{ WORDS("the processor package of the CPU", "socket", NULL, SONDE_BY_SOCKET),
	  .title = "Socket",
	  .key.of_cell = socket_of, .order = socket_first, .put = socket_put, .put_json = socket_json, .right = true },
	{ WORDS("the text of the tracepoint", "trace", NULL, SONDE_BY_TRACE),
	  .title = "Trace output",
	  .key.of_cell = trace_of, .order = trace_first, .put = trace_put, .put_json = trace_json, .ragged = true },
	{ WORDS("the innermost caller that matches --parent", "parent"), .title = "Parent symbol",
	  .key.of_cell = parent_of, .order = parent_first, .put = parent_put, .put_json = parent_json },
	{ WORDS("the name of the event", "event"), .title = "Event", .order = same_first, .put = event_put },
	{ WORDS("the vector instructions of an Arm SPE trace; empty, because hardware traces are not decoded", "simd"),
	  .title = "Simd", .width = 7, .key.of_cell = simd_of, .order = same_first, .put = simd_put },
};

static bool is_word(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && memcmp(name, word, len) == 0;
}

static const struct column_type *usual_column_at(size_t i)
{
	return i < ARRAY_SIZE(column_types) ? &column_types[i] : NULL;
}

/* The tables of columns; each gives NULL beyond its last one. */
static const struct column_type *(*const tables[])(size_t i) = {
	usual_column_at, data_column_at, branch_column_at, memory_column_at, memory_share_at,
};

static const struct column_type *type_at(size_t i)
{
	const struct column_type *type;

	for (size_t n = 0; n < ARRAY_SIZE(tables); n++) {
		size_t of_table = 0;

		while ((type = tables[n](of_table)) && of_table < i)
			of_table++;
		if (type)
			return type;
		i -= of_table;
	}
	return NULL;
}

const struct column_type *column_find(const char *word, size_t len)
{
	const struct column_type *type;

	for (size_t i = 0; (type = type_at(i)); i++)
		if (is_word(type->what.name, word, len) || is_word(type->what.other_name, word, len))
			return type;
	return NULL;
}

const struct sonde_report_column *sonde_report_column_at(size_t i)
{
	const struct column_type *type = type_at(i);

	return type ? &type->what : NULL;
}
