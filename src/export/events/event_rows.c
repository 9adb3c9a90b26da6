/* SPDX-License-Identifier: MIT */
#include "export/events/event_rows.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "export/trace_clock.h"
#include "resolve/copied_stack.h"

/* The number of a machine in e->spaces; UINT32_MAX when out of memory. */
static uint32_t space_of(struct event_rows *e, uint32_t host, int32_t machine)
{
	uint64_t key = (uint64_t)host << 32 | (uint32_t)machine;
	uint32_t i = u64map_get(&e->space_of, key);

	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)e->spaces.n;
	if (vec_push(&e->spaces, ((struct row_space){ host, machine })) < 0 || u64map_set(&e->space_of, key, i) < 0)
		return UINT32_MAX;
	return i;
}

static void find_hosts(struct event_rows *e)
{
	for (uint32_t i = 0; i < e->nr_inputs; i++)
		for (e->inputs[i].host = 0; e->inputs[i].host < i; e->inputs[i].host++)
			if (clocks_one_machine(e->inputs[e->inputs[i].host].reader, e->inputs[i].reader))
				break;
}

/* The next event is of that input. 0 or -SONDE_NOMEM. */
static int turn_to(struct event_rows *e, size_t input)
{
	e->at = &e->inputs[input];
	e->places.locator.kernel = e->chains.kernel = e->at->kernel;
	e->chains.call_stacks = e->opts.stitch_lbr ? &e->at->call_stacks : NULL;
	return moment_turn_to(&e->moment, (uint32_t)input);
}

int event_rows_init(struct event_rows *e)
{
	e->at = e->inputs;
	find_hosts(e);
	e->start = SONDE_NONE;
	if (!e->opts.max_stack)
		e->opts.max_stack = USUAL_STACK_LIMIT;
	if (moment_init(&e->moment, symbols_jit(e->symbols)) < 0 || places_init(&e->places, e->symbols) < 0 ||
	    stacks_init(&e->stacks) < 0 || space_of(e, 0, 0) == UINT32_MAX || turn_to(e, 0) < 0)
		return err_nomem(e->err);
	if (e->opts.inlined)
		e->places.lines = e->lines = source_lines_new(e->symbols);
	e->chains.unwinder.images = e->images = unwind_images_new(e->symbols);
	return (e->lines || !e->opts.inlined) && e->images ? 0 : err_nomem(e->err);
}

void event_rows_free(struct event_rows *e)
{
	moment_free(&e->moment);
	places_free(&e->places);
	stacks_free(&e->stacks);
	chain_finder_free(&e->chains);
	for (size_t i = 0; i < e->nr_inputs; i++) {
		call_stacks_free(&e->inputs[i].call_stacks);
		vec_free(&e->inputs[i].sources);
		u64map_free(&e->inputs[i].evsel_of_id);
		sched_scope_free(&e->inputs[i].scope);
	}
	unwind_images_free(e->images);
	source_lines_free(e->lines);
	vec_free(&e->sources);
	vec_free(&e->spaces);
	u64map_free(&e->space_of);
	u64map_free(&e->pid_of);
	strpool_free(&e->names);
	arena_free(&e->arena);
}

/* ---- sources ---- */

static struct event_source *new_source(struct event_rows *e, const struct sonde_evsel *evsel)
{
	struct event_source *s = arena_alloc(&e->arena, sizeof(*s));
	const struct tracefmt *formats;

	if (!s)
		return NULL;
	*s = (struct event_source){ .number = (uint32_t)e->sources.n, .name = evsel->name, .evsel = evsel,
				    .input = (uint32_t)(e->at - e->inputs) };
	s->is_tracepoint = evsel->attr && evsel->attr->type == PERF_TYPE_TRACEPOINT;
	formats = s->is_tracepoint ? e->formats(e->ctx, s->input) : NULL;
	s->format = formats ? tracefmt_event(formats, evsel->attr->config) : NULL;
	if (s->format && !strchr(s->name, ':'))
		s->name = s->format->full_name;
	return vec_push(&e->sources, s) < 0 ? NULL : s;
}

static const struct event_source *source_of(struct event_rows *e, const struct sonde_evsel *evsel)
{
	while (e->at->sources.n <= evsel->index)
		if (vec_push(&e->at->sources, NULL) < 0)
			return NULL;
	if (!e->at->sources.at[evsel->index])
		e->at->sources.at[evsel->index] = new_source(e, evsel);
	return e->at->sources.at[evsel->index];
}

/* ---- stacks ---- */

/* The frames of a chain into stacks.frames, innermost first; none if it makes no sense. 0 or -SONDE_NOMEM. */
static int resolve(struct event_rows *e, const struct task_roots *roots, struct callchain chain)
{
	uint64_t ip;
	uint8_t mode;

	e->stacks.frames.n = 0;
	for (uint32_t n = 0; n < e->opts.max_stack && callchain_next(&chain, &ip, &mode); n++) {
		uint32_t number = places_find(&e->places, task_roots_get(roots, mode, ip), mode, ip, chain.is_caller);

		if (number == UINT32_MAX)
			return -SONDE_NOMEM;
		if (e->places.list.at[number].is_handler_entry)
			caller_rule_interrupted(&chain.rule);
		for (uint32_t i = 0; i < e->places.list.at[number].n; i++)
			if (vec_push(&e->stacks.frames, e->places.list.at[number].first + i) < 0)
				return -SONDE_NOMEM;
	}
	if (chain.bad)
		e->stacks.frames.n = 0;
	return 0;
}

/* The stack of the frames at hand. */
static uint32_t push_frames(struct event_rows *e)
{
	uint32_t stack = 0;

	for (size_t i = e->stacks.frames.n; i-- > 0 && stack != HASH_INDEX_NONE;)
		stack = stacks_push(&e->stacks, stack, e->stacks.frames.at[i]);
	return stack;
}

static int find_place(struct event_rows *e, struct event_row *row, const struct task_roots *roots)
{
	uint64_t ip = row->sample.ip;
	uint32_t number;

	if (!(row->sample.present & PERF_SAMPLE_IP))
		return 0;
	number = places_find(&e->places, task_roots_get(roots, row->ev->cpumode, ip), row->ev->cpumode, ip, false);
	if (number == UINT32_MAX)
		return -SONDE_NOMEM;
	row->place = &e->places.list.at[number];
	return 0;
}

static int find_stack(struct event_rows *e, struct event_row *row, const struct task_roots *roots)
{
	struct callchain chain;

	if (chain_of(&e->chains, row->ev, &row->sample, roots->user, e->opts.max_stack, &chain) < 0)
		return -SONDE_NOMEM;
	if (!chain.ips.nr)
		return find_place(e, row, roots);
	if (resolve(e, roots, chain) < 0)
		return -SONDE_NOMEM;
	row->stack = push_frames(e);
	return row->stack == HASH_INDEX_NONE ? -SONDE_NOMEM : find_place(e, row, roots);
}

uint32_t event_rows_stack(struct event_rows *e, const struct event_row *row)
{
	if (row->stack || !row->place)
		return row->stack;
	e->stacks.frames.n = 0;
	for (uint32_t i = 0; i < row->place->n; i++)
		if (vec_push(&e->stacks.frames, row->place->first + i) < 0)
			return UINT32_MAX;
	return push_frames(e);
}

/* ---- rows ---- */

static bool is_wanted(const struct event_rows *e, const struct sonde_event *ev, const char *comm)
{
	bool found = !e->opts.nr_tids;

	for (size_t i = 0; i < e->opts.nr_tids && !found; i++)
		found = e->opts.tids[i] == ev->tid;
	if (!found || !e->opts.nr_comms)
		return found;
	found = false;
	for (size_t i = 0; i < e->opts.nr_comms && comm && !found; i++)
		found = strcmp(e->opts.comms[i], comm) == 0;
	return found;
}

static void note_gaps(struct event_rows *e, const struct event_row *row)
{
	const struct reader *r = e->at->reader;
	const struct place_frame *at = event_rows_function(e, row);

	if (!at && row->stack)
		at = &e->places.frames.at[e->stacks.list.at[row->stack].frame];
	e->gaps.unnamed += !row->comm;
	e->gaps.unmapped += at && !at->module && !at->symbol;
	e->gaps.lone_stacks += r->ops->is_lone_stack && r->ops->is_lone_stack(r, row->ev);
}

/* Notes whose counts have which id; those of a stream become more. 0 or -SONDE_NOMEM. */
static int note_ids(struct row_input *in)
{
	if (in->nr_ids == in->reader->nr_ids && in->nr_ids)
		return 0;
	for (size_t i = 0; i < in->reader->evsels.n; i++)
		for (size_t k = 0; k < in->reader->evsels.at[i]->nr_ids; k++)
			if (u64map_set(&in->evsel_of_id, in->reader->evsels.at[i]->ids[k], (uint32_t)i) < 0)
				return -SONDE_NOMEM;
	in->nr_ids = in->reader->nr_ids;
	return 0;
}

/* 1, 0 if the sample is not wanted, or -SONDE_NOMEM. */
static int take_sample(struct event_rows *e, const struct sonde_event *ev)
{
	struct event_row *row = &e->row;
	const struct moment_task *task;

	if (moment_advance(&e->moment, ev) < 0)
		return -SONDE_NOMEM;
	if (!ev->evsel)
		return 0;
	task = moment_task_of(&e->moment, ev);
	if (!is_wanted(e, ev, task->comm))
		return 0;
	row->source = source_of(e, ev->evsel);
	if (!row->source)
		return -SONDE_NOMEM;
	row->is_sample = true;
	row->kind = row->source->is_tracepoint ? "tracepoint" : "sample";
	row->comm = task->comm;
	if (event_sample(ev, &row->sample) == -SONDE_USAGE)
		row->sample = (struct sample){ 0 };
	if (row->sample.present & PERF_SAMPLE_READ) {
		if (note_ids(e->at) < 0)
			return -SONDE_NOMEM;
		row->evsel_of_id = &e->at->evsel_of_id;
	}
	e->nr_samples++;
	if (find_stack(e, row, &task->roots) < 0)
		return -SONDE_NOMEM;
	note_gaps(e, row);
	return 1;
}

/* The kind of a record that is no sample; NULL: no row is made of it. */
static const char *kind_of(const struct sonde_event *ev)
{
	static const char *const names[] = {
		[PERF_RECORD_MMAP] = "mmap", [PERF_RECORD_LOST] = "lost", [PERF_RECORD_COMM] = "comm",
		[PERF_RECORD_EXIT] = "exit", [PERF_RECORD_THROTTLE] = "throttle",
		[PERF_RECORD_UNTHROTTLE] = "unthrottle", [PERF_RECORD_FORK] = "fork", [PERF_RECORD_READ] = "read",
		[PERF_RECORD_MMAP2] = "mmap", [PERF_RECORD_AUX] = "aux", [PERF_RECORD_ITRACE_START] = "itrace_start",
		[PERF_RECORD_LOST_SAMPLES] = "lost", [PERF_RECORD_SWITCH] = "switch",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "switch", [PERF_RECORD_NAMESPACES] = "namespaces",
		[PERF_RECORD_KSYMBOL] = "ksymbol", [PERF_RECORD_BPF_EVENT] = "bpf", [PERF_RECORD_CGROUP] = "cgroup",
		[PERF_RECORD_TEXT_POKE] = "text_poke",
	};

	if (ev->type == SONDE_TYPE_TEXT)
		return "text";
	return ev->type < ARRAY_SIZE(names) ? names[ev->type] : NULL;
}

/* 1, 0 if no row is made of the record, or -SONDE_NOMEM. */
static int take_record(struct event_rows *e, const struct sonde_event *ev)
{
	struct event_row *row = &e->row;

	if (moment_apply(&e->moment, ev, &e->at->reader->meta) < 0)
		return -SONDE_NOMEM;
	row->kind = kind_of(ev);
	if (!row->kind)
		return 0;
	row->comm = moment_task_of(&e->moment, ev)->comm;
	if (!is_wanted(e, ev, row->comm) && ev->kind != SONDE_KIND_LOSS)
		return 0;
	if (ev->evsel && ev->kind == SONDE_KIND_LOSS) {
		row->source = source_of(e, ev->evsel);
		if (!row->source)
			return -SONDE_NOMEM;
	}
	/* records that the recorder made of what was there before have the time 0 */
	row->time = ev->time ? ev->time : SONDE_NONE;
	return 1;
}

/* A trace.dat knows threads by their tid alone; a perf.data of the same machine has their pids. 0 or -SONDE_NOMEM. */
static int complete(struct event_rows *e)
{
	const struct sonde_event *ev = e->row.ev;
	uint64_t key = (uint64_t)e->row.space << 32 | (uint32_t)ev->tid;
	uint32_t pid = ev->tid < 0 ? U64MAP_NONE : u64map_get(&e->pid_of, key);

	if (ev->tid >= 0 && ev->pid >= 0)
		return pid == (uint32_t)ev->pid ? 0 : u64map_set(&e->pid_of, key, (uint32_t)ev->pid);
	if (pid == U64MAP_NONE)
		return 0;
	e->completed = *event_of(ev);
	e->completed.pub.pid = (int32_t)pid;
	e->row.ev = &e->completed.pub;
	return 0;
}

int event_rows_next(struct event_rows *e, const struct event_row **out)
{
	const struct sonde_event *ev;
	size_t input = 0;
	int r;

	do {
		r = e->next(e->ctx, &ev, &input);
		if (r <= 0)
			return r;
		if (turn_to(e, input) < 0)
			return err_nomem(e->err);
		e->row = (struct event_row){ .ev = ev, .time = ev->time, .input = (uint32_t)input };
		r = ev->kind == SONDE_KIND_SAMPLE ? take_sample(e, ev) : take_record(e, ev);
	} while (r == 0);
	e->row.space = r < 0 ? UINT32_MAX : space_of(e, e->at->host, ev->machine_pid);
	if (e->row.space == UINT32_MAX || (e->nr_inputs > 1 && complete(e) < 0))
		return err_nomem(e->err);
	if (e->start == SONDE_NONE)
		e->start = e->row.time;
	e->nr_rows++;
	*out = &e->row;
	return 1;
}

/* ---- about the traces ---- */

static const struct sonde_attr *first_attr(const struct event_rows *e)
{
	const struct reader *r = event_rows_reader(e);

	return r->evsels.n ? r->evsels.at[0]->attr : NULL;
}

const char *event_rows_clock(const struct event_rows *e)
{
	return trace_clock_name(&event_rows_reader(e)->meta, first_attr(e));
}

uint64_t event_rows_wall_time(const struct event_rows *e, uint64_t time)
{
	const struct reader *r = event_rows_reader(e);

	return trace_clock_wall_ns(&r->meta, first_attr(e), clocks_move_back(time, r->time_shift));
}

uint64_t event_rows_lost(const struct event_rows *e)
{
	uint64_t lost = 0;

	for (size_t k = 0; k < e->nr_inputs; k++) {
		const struct ledger *l = &e->inputs[k].reader->ledger;

		for (size_t i = 0; i < l->rows.n; i++)
			if (l->rows.at[i].kind == SONDE_LOSS_RECORDER || l->rows.at[i].kind == SONDE_LOSS_SAMPLES)
				lost += l->rows.at[i].count;
	}
	return lost;
}

void event_rows_space_name(const struct event_rows *e, uint32_t space, struct buf *out)
{
	const struct row_space *s = &e->spaces.at[space];
	const struct reader *r = e->inputs[s->host].reader;
	const char *slash = strrchr(r->info.path, '/');
	bool named = r->meta.hostname && *r->meta.hostname;

	/* a guest that was recorded may have the name of its host, or of another guest */
	for (size_t i = 0; i < e->nr_inputs && named; i++)
		named = e->inputs[i].host == s->host || !e->inputs[i].reader->meta.hostname ||
			strcmp(e->inputs[i].reader->meta.hostname, r->meta.hostname) != 0;
	buf_str(out, named ? r->meta.hostname : slash ? slash + 1 : r->info.path);
	if (s->machine)
		buf_printf(out, " guest %d", s->machine);
}

void event_rows_input_json(const struct event_rows *e, size_t input, struct buf *out)
{
	const struct row_input *in = &e->inputs[input];
	const char *host = in->reader->meta.hostname;

	buf_printf(out, "\"input\":%zu,\"path\":", input);
	buf_json(out, in->reader->info.path, strlen(in->reader->info.path));
	buf_printf(out, ",\"format\":\"%s\"", in->reader->info.format);
	if (host) {
		buf_str(out, ",\"host\":");
		buf_json(out, host, strlen(host));
	}
	if (!in->alignment)
		return;
	buf_printf(out, ",\"offset_ns\":\"%" PRId64 "\",\"aligned\":", in->alignment->offset_ns);
	buf_json(out, in->alignment->text, strlen(in->alignment->text));
}

static void put_time(struct buf *out, const char *key, uint64_t time)
{
	if (time == SONDE_NONE)
		return;
	buf_str(out, key);
	buf_u64(out, time);
	buf_char(out, '"');
}

void event_rows_clock_json(const struct event_rows *e, struct buf *out)
{
	buf_str(out, "\"clock\":");
	buf_json(out, event_rows_clock(e), strlen(event_rows_clock(e)));
	put_time(out, ",\"start_ns\":\"", e->start);
	put_time(out, ",\"epoch_ns\":\"", event_rows_wall_time(e, e->start));
}

static void put_gap(struct buf *out, const char *name, uint64_t n)
{
	if (n)
		buf_printf(out, ",\"%s\":%" PRIu64, name, n);
}

void event_rows_gaps_json(const struct event_rows *e, struct buf *out)
{
	put_gap(out, "unnamed", e->gaps.unnamed);
	put_gap(out, "unmapped", e->gaps.unmapped);
	put_gap(out, "lone_stacks", e->gaps.lone_stacks);
}

void event_rows_sums_json(const struct event_rows *e, struct buf *out)
{
	buf_str(out, "\"events\":");
	buf_u64(out, e->nr_rows);
	buf_str(out, ",\"samples\":");
	buf_u64(out, e->nr_samples);
	buf_str(out, ",\"lost\":");
	buf_u64(out, event_rows_lost(e));
	event_rows_gaps_json(e, out);
}
