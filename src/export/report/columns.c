/* SPDX-License-Identifier: MIT */
#include "export/report/columns.h"

#include <string.h>

#include "analyze/profile/profile_tasks.h"
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
FIRST(children)
{
	int r = ORDER(b->children, a->children);

	if (r == 0 && o->children && o->graph && p->who.at[a->task].tid == p->who.at[b->task].tid)
		r = o->callee ? ORDER(a->depth, b->depth) : ORDER(b->depth, a->depth);
	return r;
}

PUT(children)
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
#define LARGEST_FIRST(name, value) FIRST(name) { UNUSED(o), UNUSED(p); return ORDER(b->value, a->value); }
#define PUT_FIGURE(name, put, value) PUT(name) { put(b, t, row->value); }
#define PUT_MEMBER(name, member, value) PUT_JSON(name) { UNUSED(t); json_member_u64(j, member, row->value); }

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

OF_CELL(comm)
{
	UNUSED(o);
	return (uintptr_t)p->who.at[c->task].comm;
}

FIRST(comm)
{
	UNUSED(o);
	return strcmp(p->who.at[a->task].comm, p->who.at[b->task].comm);
}

PUT(comm)
{
	const char *comm = t->x->profile->who.at[row->task].comm;

	buf_text(b, comm, strlen(comm));
}

PUT_JSON(comm)
{
	json_member_text(j, "comm", t->x->profile->who.at[row->task].comm);
}

/* Numbers mean something on their machine. */
static uint64_t of_host(const struct sonde_profile_task *task, int32_t number)
{
	return (uint64_t)task->host << 32 | (uint32_t)number;
}

OF_CELL(thread)
{
	UNUSED(o);
	return of_host(&p->who.at[c->task], p->who.at[c->task].tid);
}

FIRST(thread)
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

PUT(thread)
{
	const struct sonde_profile_task *task = task_of(t->x->profile, row);

	put_task(b, t, task, task->tid);
}

PUT_JSON(thread)
{
	json_key(j, "tid");
	json_i64(j, task_of(t->x->profile, row)->tid);
}

OF_CELL(process)
{
	UNUSED(o);
	return of_host(&p->who.at[c->task], p->who.at[c->task].pid);
}

FIRST(process)
{
	UNUSED(o);
	return ORDER(of_host(task_of(p, a), task_of(p, a)->pid), of_host(task_of(p, b), task_of(p, b)->pid));
}

PUT(process)
{
	struct sonde_profile_task leader = *task_of(t->x->profile, row);

	leader.tid = leader.pid;
	put_task(b, t, &leader, leader.pid);
}

PUT_JSON(process)
{
	json_key(j, "pid");
	json_i64(j, task_of(t->x->profile, row)->pid);
}

FIRST(dso)
{
	UNUSED(o);
	return function_order_dsos(p, a->frame, b->frame);
}

PUT(dso)
{
	function_put_dso(b, t->x->profile, row->frame);
}

PUT_JSON(dso)
{
	struct sonde_profile_frame f;

	profile_frame(t->x->profile, row->frame, &f);
	json_member_text(j, "dso", f.dso);
}

FIRST(symbol)
{
	UNUSED(o);
	return function_order_symbols(p, a->frame, b->frame);
}

PUT(symbol)
{
	function_put_symbol(b, t->x->profile, row->frame);
}

PUT_JSON(symbol)
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
OF_FRAME(srcfile)
{
	return (uintptr_t)f->p->frames.list.at[frame].file;
}

FIRST(srcfile)
{
	const char *f = p->frames.list.at[a->frame].file, *g = p->frames.list.at[b->frame].file;

	UNUSED(o);
	return f && g ? strcmp(f, g) : ORDER(!f, !g);
}

PUT(srcfile)
{
	const char *file = t->x->profile->frames.list.at[row->frame].file;

	if (file)
		buf_text(b, file, strlen(file));
}

PUT_JSON(srcfile)
{
	json_member_text(j, "file", t->x->profile->frames.list.at[row->frame].file);
}

/* "" in a profile without lines */
static const char *srcline_of_row(const struct sonde_profile *p, const struct hist_entry *row)
{
	const char *srcline = p->frames.list.at[row->frame].srcline;

	return srcline ? srcline : "";
}

FIRST(srcline)
{
	UNUSED(o);
	return strcmp(srcline_of_row(p, a), srcline_of_row(p, b));
}

PUT(srcline)
{
	const char *srcline = srcline_of_row(t->x->profile, row);

	buf_text(b, srcline, strlen(srcline));
}

PUT_JSON(srcline)
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

OF_CELL(symoff)
{
	UNUSED(o);
	return detail_of(p, c)->symbol_offset;
}

FIRST(symoff)
{
	int r = symbol_first(o, p, a, b);

	return r ? r : ORDER(symbol_offset_of_row(p, a), symbol_offset_of_row(p, b));
}

/* The offset of an address in no function is the whole address. */
PUT(symoff)
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

PUT_JSON(symoff)
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
	OF_FRAME(name) { return name##_number(&f->p->frames.list.at[frame]); } \
	FIRST(name) { UNUSED(o); return ORDER(name##_of_row(p, a), name##_of_row(p, b)); } \
	PUT(name) { put_size(b, name##_of_row(t->x->profile, row)); } \
	PUT_JSON(name) { json_member_u64(j, #name, name##_of_row(t->x->profile, row)); }
SIZE_OF_FUNCTION(symbol_size, frame_size(f))
SIZE_OF_FUNCTION(dso_size, f->mapping_size)

NUMBER_OF_SAMPLE(cpu, int32_t, c->cpu)
PUT(cpu) { buf_printf(b, "%.3d", cpu_of_row(t->x->profile, row)); }
PUT_JSON(cpu) { json_key(j, "cpu"), json_i64(j, cpu_of_row(t->x->profile, row)); }

NUMBER_OF_SAMPLE(time, uint64_t, detail_of(p, c)->time)
PUT_JSON(time) { json_member_u64(j, "time_ns", time_of_row(t->x->profile, row)); }

PUT(time)
{
	uint64_t ns = time_of_row(t->x->profile, row);
	unsigned long long s = ns / 1000000000, rest = ns % 1000000000;

	if (t->x->opts.nanoseconds)
		buf_printf(b, "%llu.%09llu", s, rest);
	else
		buf_printf(b, "%llu.%06llu", s, rest / 1000);
}

/* perf compares addresses as signed numbers: the kernel's are negative. */
NUMBER_OF_SAMPLE(addr, int64_t, detail_of(p, c)->addr)
PUT(addr) { buf_printf(b, "%#llx", (unsigned long long)addr_of_row(t->x->profile, row)); }
PUT_JSON(addr) { json_key(j, "ip"), json_hex(j, (uint64_t)addr_of_row(t->x->profile, row)); }

NUMBER_OF_SAMPLE(parallelism, uint32_t, detail_of(p, c)->parallelism)
PUT(parallelism) { buf_u64(b, parallelism_of_row(t->x->profile, row)); }
PUT_JSON(parallelism) { json_member_u64(j, "parallelism", parallelism_of_row(t->x->profile, row)); }

NUMBER_OF_SAMPLE(cgroup, uint64_t, detail_of(p, c)->cgroup)
PUT_JSON(cgroup)
{
	json_member_text(j, "cgroup", sonde_profile_cgroup(t->x->profile, cgroup_of_row(t->x->profile, row)));
}

PUT(cgroup)
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

PUT(trace)
{
	const char *text = trace_of_entry(t, row);

	text = text ? text : "N/A";
	buf_text(b, text, strlen(text));
}

PUT_JSON(trace) { json_member_text(j, "trace", trace_of_entry(t, row)); }

/* The function + 1 that is the parent of a row's samples; 0: none */
OF_CELL(parent)
{
	UNUSED(p);
	return o->parents[c->stack];
}

static const char *parent_name(const struct hists_opts *o, const struct sonde_profile *p, const struct hist_entry *row)
{
	uint32_t frame = o->parents[cell_of(p, row)->stack];

	return frame ? frame_symbol(&p->frames.list.at[frame - 1]) : NULL;
}

FIRST(parent)
{
	const char *x = parent_name(o, p, a), *y = parent_name(o, p, b);

	return x && y ? strcmp(x, y) : ORDER(!x, !y);
}

PUT(parent)
{
	const char *name = parent_name(&t->opts, t->x->profile, row);

	name = name ? name : "[other]";
	buf_text(b, name, strlen(name));
}

PUT_JSON(parent)
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

OF_CELL(comm_nodigit)
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

PUT(comm_nodigit)
{
	put_without_digits(b, t->x->profile->who.at[row->task].comm);
}

PUT_JSON(comm_nodigit)
{
	struct buf name = BUF_MEMORY;

	put_without_digits(&name, t->x->profile->who.at[row->task].comm);
	json_key(j, "comm_nodigit");
	json_text_n(j, name.n ? name.p : "", name.n);
	buf_free(&name);
}

NUMBER_OF_SAMPLE(socket, int64_t, (int64_t)detail_of(p, c)->socket - 1)
PUT(socket) { buf_printf(b, "%.3d", (int)socket_of_row(t->x->profile, row)); }
PUT_JSON(socket) { json_key(j, "socket"), json_i64(j, socket_of_row(t->x->profile, row)); }

OF_CELL(cgroup_id)
{
	UNUSED(o);
	return hash_two(detail_of(p, c)->namespace_dev, detail_of(p, c)->namespace_ino);
}

FIRST(cgroup_id)
{
	const struct sonde_profile_detail *x = detail_of(p, cell_of(p, a)), *y = detail_of(p, cell_of(p, b));

	UNUSED(o);
	return x->namespace_dev != y->namespace_dev ? ORDER(x->namespace_dev, y->namespace_dev) :
						      ORDER(x->namespace_ino, y->namespace_ino);
}

PUT(cgroup_id)
{
	const struct sonde_profile_detail *d = detail_of(t->x->profile, cell_of(t->x->profile, row));

	buf_printf(b, "%llu/0x%llx", (unsigned long long)d->namespace_dev, (unsigned long long)d->namespace_ino);
}

PUT_JSON(cgroup_id)
{
	const struct sonde_profile_detail *d = detail_of(t->x->profile, cell_of(t->x->profile, row));

	json_member_u64(j, "namespace_dev", d->namespace_dev);
	json_member_u64(j, "namespace_ino", d->namespace_ino);
}

/* Of columns in which rows do not differ. */
FIRST(same)
{
	UNUSED(o), UNUSED(p), UNUSED(a), UNUSED(b);
	return 0;
}

PUT(event)
{
	const char *event = t->x->profile->events.at[t->event].name;

	UNUSED(row);
	buf_text(b, event, strlen(event));
}

OF_CELL(simd) { UNUSED(o), UNUSED(p), UNUSED(c); return 0; }
PUT(simd) { UNUSED(b), UNUSED(t), UNUSED(row); }

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
	{ WORDS("the command", "comm"), .title = "Command", OF_SAMPLES(comm), .filter = COLUMN_FILTER_COMM },
	{ WORDS("the thread: its number and name", "pid", "tid"), .title = "    Pid:Command", OF_SAMPLES(thread) },
	{ WORDS("the process: its number and name", "tgid"), .title = "   Tgid:Command", OF_SAMPLES(process) },
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
	  .title = "Source File", OF_FUNCTIONS(srcfile), .ragged = true },
	{ WORDS("the size of the function in bytes", "symbol_size"),
	  .title = "Symbol size", OF_FUNCTIONS(symbol_size), .right = true },
	{ WORDS("the size of the mapping of the binary in bytes", "dso_size"),
	  .title = "DSO size", OF_FUNCTIONS(dso_size), .right = true },
	{ WORDS("the CPU", "cpu", NULL, SONDE_BY_CPU), .title = "CPU", OF_SAMPLES(cpu) },
	{ WORDS("the time, in steps of --time-quantum", "time", NULL, SONDE_BY_TIME),
	  .title = "Time", OF_SAMPLES(time), .width = 12 },
	{ WORDS("the address of the instruction", "addr", NULL, SONDE_BY_ADDR),
	  .title = "Address", OF_SAMPLES(addr), .width = 18 },
	{ WORDS("the number of threads that ran", "parallelism", NULL, SONDE_BY_PARALLELISM),
	  .title = "Parallelism", OF_SAMPLES(parallelism),
	  .right = true },
	{ WORDS("the path of the cgroup", "cgroup", NULL, SONDE_BY_CGROUP), .title = "Cgroup", OF_SAMPLES(cgroup) },
	{ WORDS("the cgroup namespace, as device and inode", "cgroup_id", NULL, SONDE_BY_NAMESPACE),
	  .title = "cgroup id (dev/inode)", OF_SAMPLES(cgroup_id) },
	{ WORDS("the command with <N> in place of numbers", "comm_nodigit"),
	  .title = "CommandNoDigit", .key.of_cell = comm_nodigit_of, .order = comm_first,
	  .put = comm_nodigit_put, .put_json = comm_nodigit_json },
	{ WORDS("the processor package of the CPU", "socket", NULL, SONDE_BY_SOCKET),
	  .title = "Socket", OF_SAMPLES(socket), .right = true },
	{ WORDS("the text of the tracepoint", "trace", NULL, SONDE_BY_TRACE),
	  .title = "Trace output", OF_SAMPLES(trace), .ragged = true },
	{ WORDS("the innermost caller that matches --parent", "parent"), .title = "Parent symbol", OF_SAMPLES(parent) },
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
