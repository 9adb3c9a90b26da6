/* SPDX-License-Identifier: MIT */
#include "analyze/profile.h"

#include <linux/perf_event.h>
#include <string.h>

#include "analyze/annotated_functions.h"
#include "analyze/cells.h"
#include "analyze/profile_tasks.h"
#include "analyze/sample_count.h"
#include "analyze/sample_details.h"
#include "base/bytes.h"
#include "model/reader.h"
#include "tracefmt/tracefmt.h"

enum { USUAL_TIME_STEP_NS = 100000000 };

int profile_init(struct sonde_profile *p, const struct sonde_profile_opts *opts, struct symbols *symbols)
{
	const char *const *comms = OPT(opts, comms, NULL);
	bool blocks = OPT(opts, basic_blocks, false) || OPT(opts, by, 0) & SONDE_BY_BLOCKS;
	uint32_t name;

	*p = (struct sonde_profile){ .symbols = symbols,
				     .branch_history = OPT(opts, branch_history, false),
				     .callchains = (OPT(opts, callchains, false) || OPT(opts, branch_history, false)) &&
						   !OPT(opts, branches, false) &&
						   (!blocks || OPT(opts, branches_if_any, false)),
				     .by = OPT(opts, by, 0) & ~(uint32_t)SONDE_BY_BLOCKS,
				     .callchains_if_any = OPT(opts, callchains_if_any, false),
				     .named_only = OPT(opts, named_only, false),
				     .branches = OPT(opts, branches, false),
				     .branches_if_any = OPT(opts, branches_if_any, false),
				     .weights = OPT(opts, weights, false),
				     .wants_blocks = blocks,
				     .raw_trace = OPT(opts, raw_trace, false),
				     .trace_if_only = OPT(opts, trace_if_only, false),
				     .timed = { .on = OPT(opts, timed, false), .most = OPT(opts, timed_most, 0) },
				     .tracks = { .on = OPT(opts, tracks, false), .text = BUF_MEMORY,
						 .sched = { .most = TRACKS_CHANGES_MOST } },
				     .moment = 1,
				     .times = NO_TIMES,
				     .late_times = NO_TIMES };
	if (p->weights)  /* the keys of such a report without --sort */
		p->by |= SONDE_BY_WEIGHT | SONDE_BY_DATA_ADDR | SONDE_BY_DATA_SRC;
	if (!symbols || tasks_init(&p->tasks) < 0 || stacks_init(&p->stacks) < 0 || details_init(&p->details) < 0)
		return -SONDE_NOMEM;
	frames_init(&p->frames, symbols);
	p->tasks.jit = symbols_jit(symbols);
	p->inlined = OPT(opts, inlined, false);
	p->frames.inlined = p->inlined && p->callchains;
	p->frames.callers = p->callchains;
	p->frames.by_place = p->branch_history;
	p->frames.by_line = p->by & SONDE_BY_SRCLINE;
	p->frames.full_paths = OPT(opts, full_source_path, false);
	if (p->inlined || p->frames.by_line) {
		p->frames.lines = p->lines = source_lines_new(symbols);
		if (!p->lines)
			return -SONDE_NOMEM;
	}
	p->images = unwind_images_new(symbols);
	if (!p->images)
		return -SONDE_NOMEM;
	if (p->by & SONDE_BY_DATA_TYPE)
		p->data_types = data_types_new(symbols);
	if (p->by & SONDE_BY_DATA_TYPE && !p->data_types)
		return -SONDE_NOMEM;
	p->threads = OPT(opts, threads, 0);
	p->time_step_ns = OPT(opts, time_step_ns, 0);
	if (!p->time_step_ns)
		p->time_step_ns = USUAL_TIME_STEP_NS;
	p->dated_steps = OPT(opts, dated_steps, false);
	p->any_task = OPT(opts, any_task, false);
	for (size_t i = 0; i < OPT(opts, nr_sockets, 0); i++)
		if (vec_push(&p->sockets, opts->sockets[i]) < 0)
			return -SONDE_NOMEM;
	p->stitch_lbr = OPT(opts, stitch_lbr, false);
	p->stacks.named_only = p->named_only;
	p->stacks.keeps_outermost = OPT(opts, outermost, false);
	p->stacks.max_frames = OPT(opts, max_stack, 0);
	if (!p->stacks.max_frames)
		p->stacks.max_frames = USUAL_STACK_LIMIT;
	for (size_t i = 0; i < OPT(opts, nr_parallelism, 0); i++)
		parallelism_want(&p->parallelism, (uint32_t)opts->parallelism[i]);
	if (trace_fields_init(&p->trace_fields, OPT(opts, trace_fields, NULL), OPT(opts, nr_trace_fields, 0),
			      p->raw_trace) < 0)
		return -SONDE_NOMEM;
	if (p->trace_fields.words.n)
		p->by |= SONDE_BY_TRACE_FIELDS;
	if (p->trace_if_only && p->raw_trace && trace_fields_add(&p->trace_fields, "trace_fields") < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < OPT(opts, nr_comms, 0); i++) {
		name = strpool_add(&p->names, comms[i], strlen(comms[i]));
		if (name == UINT32_MAX || vec_push(&p->comms, strpool_get(&p->names, name)) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

void profile_free(struct sonde_profile *p)
{
	sample_batches_end(p);
	annotated_functions_drop(p);
	cell_memo_forget(&p->memo);
	tasks_free(&p->tasks);
	frames_free(&p->frames);
	stacks_free(&p->stacks);
	data_types_free(p->data_types);
	unwind_images_free(p->images);
	call_stacks_free(&p->call_stacks);
	source_lines_free(p->lines);
	symbols_free(p->symbols);
	details_free(&p->details);
	basic_blocks_free(&p->blocks);
	code_changes_free(&p->code_changes);
	vec_free(&p->block_rows);
	vec_free(&p->ipc);
	trace_fields_free(&p->trace_fields);
	u64map_free(&p->last_comms);
	vec_free(&p->late);
	strpool_free(&p->names);
	vec_free(&p->events);
	vec_free(&p->who);
	vec_free(&p->hosts);
	hash_index_free(&p->who_index);
	u64map_free(&p->unnamed);
	vec_free(&p->cells);
	timed_samples_free(&p->timed);
	tracks_free(&p->tracks);
	hash_index_free(&p->cell_index);
	vec_free(&p->event_of_evsel);
	u64map_free(&p->evsels_of_name);
	u64map_free(&p->event_of_name);
	vec_free(&p->dso_names);
	vec_free(&p->comms);
	vec_free(&p->sockets);
	vec_free(&p->moved);
	free(p->samples_of_binary);
	vec_free(&p->dso_notes);
	vec_free(&p->binaries);
	arena_free(&p->binary_texts);
	vec_free(&p->inputs);
}

static uint64_t wall_of_trace(const struct sonde_profile *p)
{
	return p->times.first == SONDE_NONE ? 0 : p->times.last - p->times.first;
}

uint64_t sonde_profile_wall_ns(const struct sonde_profile *p)
{
	return p->wall_ns + wall_of_trace(p);
}

int profile_begin_trace(struct sonde_profile *p, const struct tracefmt *formats)
{
	p->wall_ns += wall_of_trace(p);
	p->times = NO_TIMES;
	call_stacks_free(&p->call_stacks);
	if (frames_begin(&p->frames, formats) < 0)
		return -SONDE_NOMEM;
	cell_memo_forget(&p->memo);
	basic_blocks_restart(&p->blocks);
	p->has_blocks = p->tracks_need_events = false;
	parallelism_restart(&p->parallelism);
	p->event_of_evsel.n = 0;
	u64map_free(&p->evsels_of_name);
	p->fusing_known = false;
	u64map_free(&p->unnamed);
	p->moment++;
	return code_changes_begin_trace(&p->code_changes) < 0 ? -SONDE_NOMEM : tasks_restart(&p->tasks);
}

/* Branches are counted from the first event on that was recorded with them, if they are no call stack. */
static void expect_branches(struct sonde_profile *p, const struct sonde_attr *attr)
{
	if (p->branches_if_any && !p->cells.n && attr && attr->sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    !(attr->sample_type & PERF_SAMPLE_STACK_USER) &&
	    !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
		p->branches = true;
	if (p->branches)
		p->callchains = false;
}

/* Stacks are kept from the first event on that was recorded with them. */
static void expect_callchains(struct sonde_profile *p, const struct sonde_attr *attr)
{
	if (p->callchains || p->branches || (p->wants_blocks && !p->branches_if_any) || !p->callchains_if_any ||
	    !attr || !(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	p->callchains = true;
	p->frames.inlined = p->inlined;
	p->frames.callers = true;
	frames_forget(&p->frames);  /* addresses were looked up without what stacks need */
	cell_memo_forget(&p->memo);
}

bool sonde_profile_has_branches(const struct sonde_profile *p)
{
	return p->branches;
}

bool sonde_profile_has_latency(const struct sonde_profile *p)
{
	return p->parallelism.known;
}

bool sonde_profile_has_callchains(const struct sonde_profile *p)
{
	return p->callchains;
}

const char *sonde_profile_unknown_field(const struct sonde_profile *p)
{
	return trace_fields_unknown(&p->trace_fields);
}

bool sonde_profile_fields_left_out(const struct sonde_profile *p, size_t i)
{
	const struct trace_columns *columns = i < p->events.n ? trace_fields_columns(&p->trace_fields, (uint32_t)i) :
								NULL;

	return columns && columns->left_out;
}

/* Takes over the group of an event that leads or is a member. 0 or -SONDE_NOMEM. */
static int take_group(struct sonde_profile *p, const struct sonde_evsel *evsel, struct sonde_profile_event *event)
{
	uint32_t name;

	if (evsel->leader < evsel->index && p->event_of_evsel.at[evsel->leader])
		event->leader = p->event_of_evsel.at[evsel->leader] - 1;
	if (!evsel->group)
		return 0;
	name = strpool_add(&p->names, evsel->group, strlen(evsel->group));
	if (name == UINT32_MAX)
		return -SONDE_NOMEM;
	event->group = strpool_get(&p->names, name);
	return 0;
}

/*
 * The event of the n-th evsel of that name in a trace is the n-th of that name: two of one name (for two cgroups)
 * stay two.
 */
static uint32_t event_of_name(struct sonde_profile *p, const struct sonde_evsel *evsel)
{
	uint32_t name = strpool_add(&p->names, evsel->name, strlen(evsel->name)), before, i;
	struct sonde_profile_event event;
	uint64_t key;

	if (name == UINT32_MAX)
		return UINT32_MAX;
	before = u64map_get(&p->evsels_of_name, name);
	before = before == U64MAP_NONE ? 0 : before;
	key = (uint64_t)name << 32 | before;
	i = u64map_get(&p->event_of_name, key);
	if (u64map_set(&p->evsels_of_name, name, before + 1) < 0)
		return UINT32_MAX;
	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)p->events.n;
	expect_branches(p, evsel->attr);
	event = (struct sonde_profile_event){ .name = strpool_get(&p->names, name), .attr = evsel->attr, .leader = i };
	if (take_group(p, evsel, &event) < 0 || vec_push(&p->events, event) < 0 ||
	    u64map_set(&p->event_of_name, key, i) < 0)
		return UINT32_MAX;
	expect_callchains(p, evsel->attr);
	return i;
}

uint32_t profile_add_evsel(struct sonde_profile *p, const struct sonde_evsel *evsel)
{
	uint32_t i;

	while (p->event_of_evsel.n <= evsel->index)
		if (vec_push(&p->event_of_evsel, 0) < 0)
			return UINT32_MAX;
	parallelism_expect(&p->parallelism, evsel->attr);
	p->has_blocks |= p->wants_blocks && basic_blocks_expected(evsel->attr);
	i = event_of_name(p, evsel);
	if (i != UINT32_MAX)
		p->event_of_evsel.at[evsel->index] = i + 1;
	return i;
}

/* A buffer that has outlived a boot has addresses of the kernel before. One that nobody can place becomes 0. */
static int move_to_this_boot(struct sonde_profile *p, const char *buffer, struct u64s *chain)
{
	const struct tracefmt *formats = p->frames.kernel;
	const struct tracefmt_boot *boot = tracefmt_boot(formats, buffer);

	if (!boot)
		return 0;
	p->moved.n = 0;
	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t ip = u64s_at(chain, i);

		if (!tracefmt_boot_address(formats, boot, &ip))
			ip = 0;
		if (vec_push(&p->moved, ip) < 0)
			return -SONDE_NOMEM;
	}
	*chain = (struct u64s){ .p = (const uint8_t *)p->moved.at, .nr = p->moved.n };
	return 0;
}

/* Takes the latency of a sample into account; false: the filter leaves it out. */
static bool take_latency(struct sonde_profile *p, const struct sonde_event *ev, const struct meta *meta,
			 struct profile_sample *s)
{
	if (!p->parallelism.known)
		return !p->parallelism.filtered;
	s->parallelism = parallelism_at(&p->parallelism, ev, meta->nr_cpus_available);
	s->latency = s->period * LATENCY_UNITS / s->parallelism;
	p->events.at[s->event].all_latency += s->latency;
	return parallelism_is_wanted(&p->parallelism, s->parallelism);
}

static int stitch(struct sonde_profile *p, const struct sonde_event *ev, const struct meta *meta,
		  struct branches *out)
{
	struct sample s;

	event_sample(ev, &s);
	return call_stacks_stitch(&p->call_stacks, meta, ev->machine_pid, &s, out);
}

static bool is_wanted_socket(const struct sonde_profile *p, const struct meta *meta, int32_t cpu)
{
	uint64_t socket = p->sockets.n ? sample_details_socket(meta, cpu) : 0;

	for (size_t i = 0; i < p->sockets.n; i++)
		if (socket && (int64_t)socket - 1 == p->sockets.at[i])
			return true;
	return p->sockets.n == 0;
}

static int take_sample(struct sonde_profile *p, const struct sonde_event *ev, const struct meta *meta)
{
	struct profile_sample s = { .cpu = p->by & SONDE_BY_CPU ? ev->cpu : -1,
				    .ran_on = ev->cpu,
				    .time = ev->time,
				    .cpumode = ev->cpumode };
	const struct reader *reader = event_of(ev)->reader;
	const struct known_task *known;
	struct sonde_profile_event *event;
	struct u64s chain = { 0 };
	struct copied_stack stack;
	struct long_stack is_long;
	struct sample fields;
	bool wanted, has_stack = false;
	int r;

	if (!ev->evsel)
		return 0;
	s.event = profile_evsel(p, ev->evsel);
	r = tasks_advance(&p->tasks, ev);
	if (r < 0)
		return r;
	p->moment += (uint32_t)r;
	known = profile_task_known(p, ev->machine_pid, ev->pid, ev->tid);
	s.task = known->number;
	if (s.event == UINT32_MAX || s.task == NO_TASK)
		return -SONDE_NOMEM;
	if ((sample_details_decode(p) || p->has_blocks || p->branch_history) &&
	    event_sample(ev, &fields) == -SONDE_USAGE)
		fields = (struct sample){ 0 };
	if (p->branches && !fields.branches.nr)
		return 0;
	s.period = sample_details_period(p, ev, &fields);
	event = &p->events.at[s.event];
	event->all_samples++;
	event->all_period += s.period;
	times_note(&p->times, ev->time);
	wanted = take_latency(p, ev, meta, &s);
	if (s.task == TASK_LEFT_OUT || !is_wanted_socket(p, meta, ev->cpu))
		return 0;
	event->samples++;
	event->period += s.period;
	if (!wanted)
		return 0;
	if (p->has_blocks && basic_blocks_expected(ev->evsel->attr) &&
	    basic_blocks_take(&p->blocks, p->symbols, &known->roots, &fields.branches, ev->evsel->attr) < 0)
		return -SONDE_NOMEM;
	if (p->callchains)
		chain = event_of(ev)->deferred_callchain.nr ? event_of(ev)->deferred_callchain :
							      reader->ops->callchain(reader, ev);
	if (p->callchains && copied_stack_expected(ev->evsel)) {
		has_stack = copied_stack_find(ev, meta->arch, &stack);
		if (p->stitch_lbr && stack.branches.nr && stitch(p, ev, meta, &stack.branches) < 0)
			return -SONDE_NOMEM;
	} else if (chain.nr) {
		is_long = long_stack_of(&chain, ev->evsel->attr, p->stacks.max_frames);
		event->cut_stacks += is_long.cut;
		event->shortened_stacks += is_long.shortened;
	}
	if (chain.nr && p->frames.kernel && tracefmt_has_boots(p->frames.kernel) &&
	    move_to_this_boot(p, ev->evsel->buffer, &chain) < 0)
		return -SONDE_NOMEM;
	s.ip = !ev->ip && chain.nr ? u64s_at(&chain, 0) : ev->ip;  /* a trace.dat has stacks, and no address besides */
	s.roots = known->roots;
	if (p->branches)
		return sample_details_count_branches(p, ev, &fields, meta, &s);
	if (profile_has_details(p) && sample_details_find(p, ev, &fields, meta, &s) < 0)
		return -SONDE_NOMEM;
	if (p->branch_history && fields.branches.nr && basic_blocks_expected(ev->evsel->attr)) {
		if (sample_batches_wait(&p->batches) && sample_batches_end(p) < 0)
			return -SONDE_NOMEM;
		return sample_count_history(p, &s, &chain, &fields.branches);
	}
	if (has_stack || sample_batches_wait(&p->batches))
		return sample_batch_add(p, &s, &chain, has_stack ? &stack : NULL);
	return sample_count(p, &s, &chain);
}

/* The kernel has changed its code: samples from now on are of other code at the same address. */
static int note_code_change(struct sonde_profile *p, const struct sonde_event *ev)
{
	struct sonde_text_poke t;

	if (ev->type != PERF_RECORD_TEXT_POKE || ev->machine_pid || event_text_poke(ev, &t) < 0)
		return 0;
	if (sample_batches_wait(&p->batches) && sample_batches_end(p) < 0)
		return -SONDE_NOMEM;
	cell_memo_forget(&p->memo);
	return code_changes_add(&p->code_changes, t.addr, t.old_bytes, t.new_bytes);
}

int profile_event(struct sonde_profile *p, const struct sonde_event *ev, const struct meta *meta)
{
	if (tracks_take(&p->tracks, ev, p->trace_formats) < 0)
		return -SONDE_NOMEM;
	if (ev->kind == SONDE_KIND_SAMPLE)
		return take_sample(p, ev, meta);
	if (meta->nr_build_ids != p->tasks.binaries.nr_noted) {  /* binaries change: nobody may be looking at them */
		if (sample_batches_end(p) < 0 || binaries_note_build_ids(&p->tasks.binaries, meta) < 0)
			return -SONDE_NOMEM;
	}
	p->moment++;
	parallelism_apply(&p->parallelism, ev);
	if (profile_tasks_note(p, ev) < 0)
		return -SONDE_NOMEM;
	if (p->by & SONDE_BY_SYMBOL_OFFSET && note_code_change(p, ev) < 0)
		return -SONDE_NOMEM;
	if (p->by & SONDE_BY_CGROUP && details_note_cgroup(&p->details, ev) < 0)
		return -SONDE_NOMEM;
	if (p->by & SONDE_BY_NAMESPACE && details_note_namespaces(&p->details, ev) < 0)
		return -SONDE_NOMEM;
	return tasks_apply(&p->tasks, ev);
}

/* Samples that turned out to have no symbol are as if they had not been. */
static void take_late_counts(struct sonde_profile *p)
{
	for (size_t i = 0; i < p->late.n; i++) {
		struct sonde_profile_event *e = &p->events.at[i];
		const struct late_counts *l = &p->late.at[i];

		e->samples -= l->samples;
		e->all_samples -= l->samples;
		e->period -= l->period;
		e->all_period -= l->period;
		e->all_latency -= l->latency;
		e->unwound_complete += l->ends[UNWIND_COMPLETE];
		e->unwound_cut += l->ends[UNWIND_CUT];
		e->unwound_no_table += l->ends[UNWIND_NO_CFI];
		e->unwound_error += l->ends[UNWIND_ERROR];
		e->unwound_uretprobe += l->ends[UNWIND_URETPROBE];
		e->shortened_stacks += l->ends[UNWIND_TOO_DEEP] + l->shortened_stacks;
		e->cut_stacks += l->cut_stacks;
		e->samples += l->taken;
		e->all_samples += l->taken;
		e->period += l->taken_period;
		e->all_period += l->taken_period;
	}
	p->late.n = 0;
	times_note(&p->times, p->late_times.first);
	times_note(&p->times, p->late_times.last);
	p->late_times = NO_TIMES;
}

int profile_end_trace(struct sonde_profile *p)
{
	const struct binaries *b = &p->tasks.binaries;
	char text[256];
	uint32_t name;

	if (sample_batches_end(p) < 0 || symbols_out_of_memory(p->symbols))
		return -SONDE_NOMEM;
	free(p->samples_of_binary);
	p->samples_of_binary = calloc(b->list.n + 1, sizeof(*p->samples_of_binary));
	if (!p->samples_of_binary)
		return -SONDE_NOMEM;
	take_late_counts(p);
	timed_samples_sort(&p->timed);
	if (tracks_end_trace(&p->tracks, &p->tasks) < 0)
		return -SONDE_NOMEM;
	while (p->dso_names.n < b->list.n) {
		binary_short_name(b->list.at[p->dso_names.n], text, sizeof(text));
		name = strpool_add(&p->names, text, strlen(text));
		if (name == UINT32_MAX || vec_push(&p->dso_names, strpool_get(&p->names, name)) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

void profile_end_counting(struct sonde_profile *p)
{
	cell_memo_forget(&p->memo);
	frames_end(&p->frames);
}

void profile_frame(const struct sonde_profile *p, size_t number, struct sonde_profile_frame *out)
{
	const struct frame *f = &p->frames.list.at[number];
	bool is_kernel = f->name && f->cpumode == CPUMODE_KERNEL;

	*out = (struct sonde_profile_frame){ .symbol = frame_symbol(f),
					     .dso_name = is_kernel ? "[kernel.kallsyms]" : "[unknown]",
					     .addr = f->addr,
					     .size = frame_size(f),
					     .mapping_size = f->mapping_size,
					     .kind = is_kernel ? SONDE_BINARY_KERNEL : SONDE_BINARY_OTHER,
					     .level = frame_level(f),
					     .inlined = f->inlined,
					     .file = f->file,
					     .line = f->line };
	if (!f->binary)
		return;
	out->dso = f->binary->name;
	out->dso_name = f->binary->index < p->dso_names.n ? p->dso_names.at[f->binary->index] : f->binary->name;
	out->kind = binary_public_kind(f->binary);
}
