/* SPDX-License-Identifier: MIT */
#include "analyze/profile/gathering.h"

#include <linux/perf_event.h>
#include <string.h>

#include "analyze/tables/annotated_functions.h"
#include "analyze/profile/profile_samples.h"
#include "analyze/profile/profile_tasks.h"
#include "model/reader.h"

enum { USUAL_TIME_STEP_NS = 100000000 };

/* Opens the readers of binaries that columns ask for. 0 or -SONDE_NOMEM. */
static int make_readers(struct gathering *p)
{
	p->images = unwind_images_new(p->symbols);
	if (!p->images)
		return -SONDE_NOMEM;
	if (p->wants.inlined || p->frames.by_line) {
		p->frames.lines = p->lines = source_lines_new(p->symbols);
		if (!p->lines)
			return -SONDE_NOMEM;
	}
	if (p->kept.by & SONDE_BY_DATA_TYPE) {
		p->data_types = data_types_new(p->symbols);
		if (!p->data_types)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* Copies the lists of the options: what to take, and the fields of tracepoints to show. 0 or -SONDE_NOMEM. */
static int copy_lists(struct gathering *p, const struct sonde_profile_opts *opts)
{
	const char *const *comms = OPT(opts, comms, NULL);
	uint32_t name;

	for (size_t i = 0; i < OPT(opts, nr_sockets, 0); i++)
		if (vec_push(&p->wants.sockets, opts->sockets[i]) < 0)
			return -SONDE_NOMEM;
	for (size_t i = 0; i < OPT(opts, nr_pids, 0); i++)
		if (vec_push(&p->wants.pids, opts->pids[i]) < 0)
			return -SONDE_NOMEM;
	for (size_t i = 0; i < OPT(opts, nr_tids, 0); i++)
		if (vec_push(&p->wants.tids, opts->tids[i]) < 0)
			return -SONDE_NOMEM;
	for (size_t i = 0; i < OPT(opts, nr_parallelism, 0); i++)
		parallelism_want(&p->parallelism, (uint32_t)opts->parallelism[i]);
	if (trace_fields_init(&p->trace_fields, OPT(opts, trace_fields, NULL), OPT(opts, nr_trace_fields, 0),
			      p->kept.raw_trace) < 0 ||
	    field_counts_init(&p->field_counts, p->tracks.on) < 0)
		return -SONDE_NOMEM;
	if (p->trace_fields.words.n)
		p->kept.by |= SONDE_BY_TRACE_FIELDS;
	else if (p->kept.by & SONDE_BY_TRACE_FIELDS && trace_fields_add(&p->trace_fields, "trace_fields/raw") < 0)
		return -SONDE_NOMEM;
	if (p->wants.trace_if_only && p->kept.raw_trace && trace_fields_add(&p->trace_fields, "trace_fields") < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < OPT(opts, nr_comms, 0); i++) {
		name = strpool_add(&p->names, comms[i], strlen(comms[i]));
		if (name == UINT32_MAX || vec_push(&p->kept.comms, strpool_get(&p->names, name)) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

int gathering_init(struct gathering *p, const struct sonde_profile_opts *opts, struct symbols *symbols)
{
	enum sonde_profile_mode mode = OPT(opts, mode, SONDE_PROFILE_FUNCTIONS);
	bool history = mode == SONDE_PROFILE_BRANCH_HISTORY;
	bool blocks = OPT(opts, basic_blocks, false) || OPT(opts, by, 0) & SONDE_BY_BLOCKS;

	*p = (struct gathering){
		.profile = { .symbols = symbols,
			     .kept = { .by = OPT(opts, by, 0) & ~(uint32_t)SONDE_BY_BLOCKS,
				       .time_step_ns = OPT(opts, time_step_ns, 0),
				       .callchains = (mode == SONDE_PROFILE_STACKS || history) &&
						     (!blocks || OPT(opts, branches_if_any, false)),
				       .branches = mode == SONDE_PROFILE_BRANCHES,
				       .branch_history = history,
				       .weights = OPT(opts, weights, false),
				       .raw_trace = OPT(opts, raw_trace, false) },
			     .timed = { .on = OPT(opts, timed, false), .most = OPT(opts, timed_most, 0) },
			     .tracks = { .on = OPT(opts, tracks, false), .text = BUF_MEMORY,
					 .sched = { .most = TRACKS_CHANGES_MOST } },
			     .times = NO_TIMES },
		.wants = { .callchains_if_any = mode == SONDE_PROFILE_STACKS_IF_ANY,
			   .branches_if_any = OPT(opts, branches_if_any, false),
			   .stack_branches = history || OPT(opts, stack_branches, false),
			   .blocks = blocks,
			   .named_only = OPT(opts, named_only, false),
			   .inlined = OPT(opts, inlined, false),
			   .stitch_lbr = OPT(opts, stitch_lbr, false),
			   .trace_if_only = OPT(opts, trace_if_only, false),
			   .dated_steps = OPT(opts, dated_steps, false),
			   .any_task = OPT(opts, any_task, false),
			   .threads = OPT(opts, threads, 0) },
		.trace = { .late_times = NO_TIMES },
	};
	p->tasks = &p->moment.tasks;
	if (p->kept.weights)  /* the keys of such a report without --sort */
		p->kept.by |= SONDE_BY_WEIGHT | SONDE_BY_DATA_ADDR | SONDE_BY_DATA_SRC;
	if (!symbols || moment_init(&p->moment, symbols_jit(symbols)) < 0 || stacks_init(&p->stacks) < 0 ||
	    details_init(&p->details) < 0)
		return -SONDE_NOMEM;
	frames_init(&p->frames, symbols);
	p->frames.inlined = p->wants.inlined && p->kept.callchains;
	p->frames.callers = p->kept.callchains;
	p->frames.by_place = history || OPT(opts, places, false);
	p->frames.by_branch = history;
	p->frames.by_line = p->kept.by & SONDE_BY_SRCLINE;
	p->frames.full_paths = OPT(opts, full_source_path, false);
	if (!p->kept.time_step_ns)
		p->kept.time_step_ns = USUAL_TIME_STEP_NS;
	p->stacks.named_only = p->wants.named_only;
	p->stacks.keeps_outermost = OPT(opts, outermost, false);
	p->stacks.max_frames = OPT(opts, max_stack, 0);
	if (!p->stacks.max_frames)
		p->stacks.max_frames = USUAL_STACK_LIMIT;
	return make_readers(p) < 0 || copy_lists(p, opts) < 0 ? -SONDE_NOMEM : 0;
}

void gathering_free(struct gathering *p)
{
	sample_batches_end(p);
	cell_memo_forget(&p->memo);
	chain_finder_free(&p->chains);
	unwind_images_free(p->images);
	call_stacks_free(&p->trace.call_stacks);
	vec_free(&p->trace.late);
	vec_free(&p->trace.event_of_evsel);
	u64map_free(&p->trace.evsels_of_name);
	u64map_free(&p->trace.unnamed);
	hash_index_free(&p->who_index);
	hash_index_free(&p->cell_index);
	u64map_free(&p->event_of_name);
	vec_free(&p->wants.pids);
	vec_free(&p->wants.tids);
	vec_free(&p->wants.sockets);
	moment_free(&p->moment);
	profile_tables_free(&p->profile);
}

/* The times of the trace at hand become a span, into which go those that it overlaps. */
int profile_end_span(struct gathering *p)
{
	struct times now = p->times;
	size_t kept = 0;

	p->times = NO_TIMES;
	if (now.first == SONDE_NONE)
		return 0;
	for (size_t i = 0; i < p->spans.n; i++) {
		const struct times span = p->spans.at[i];

		if (times_overlap(&span, &now)) {
			times_note(&now, span.first);
			times_note(&now, span.last);
		} else {
			p->spans.at[kept++] = span;
		}
	}
	p->spans.n = kept;
	return vec_push(&p->spans, now);
}

int profile_begin_trace(struct gathering *p, const struct tracefmt *formats)
{
	call_stacks_free(&p->trace.call_stacks);
	if (profile_end_span(p) < 0 || frames_begin(&p->frames, formats) < 0)
		return -SONDE_NOMEM;
	cell_memo_forget(&p->memo);
	basic_blocks_restart(&p->blocks);
	p->trace.has_blocks = p->trace.tracks_need_events = false;
	parallelism_restart(&p->parallelism);
	p->trace.event_of_evsel.n = 0;
	u64map_free(&p->trace.evsels_of_name);
	p->trace.fusing_known = false;
	u64map_free(&p->trace.unnamed);
	p->chains.kernel = formats;
	p->chains.call_stacks = p->wants.stitch_lbr ? &p->trace.call_stacks : NULL;
	return code_changes_begin_trace(&p->code_changes) < 0 ? -SONDE_NOMEM : moment_restart(&p->moment);
}

/* The kernel has changed its code: samples from now on are of other code at the same address. */
static int note_code_change(struct gathering *p, const struct sonde_event *ev)
{
	struct sonde_text_poke t;

	if (ev->type != PERF_RECORD_TEXT_POKE || ev->machine_pid || event_text_poke(ev, &t) < 0)
		return 0;
	if (sample_batches_wait(&p->batches) && sample_batches_end(p) < 0)
		return -SONDE_NOMEM;
	cell_memo_forget(&p->memo);
	return code_changes_add(&p->code_changes, t.addr, t.old_bytes, t.new_bytes);
}

int profile_event(struct gathering *p, const struct sonde_event *ev, const struct meta *meta)
{
	if (tracks_take(&p->tracks, ev, p->trace.formats) < 0)
		return -SONDE_NOMEM;
	if (ev->kind == SONDE_KIND_SAMPLE)
		return profile_sample_take(p, ev, meta);
	if (moment_has_news(&p->moment, meta) && sample_batches_end(p) < 0)  /* nobody may be looking at binaries */
		return -SONDE_NOMEM;
	parallelism_apply(&p->parallelism, ev);
	if (profile_tasks_note(p, ev) < 0)
		return -SONDE_NOMEM;
	if (p->kept.by & SONDE_BY_SYMBOL_OFFSET && note_code_change(p, ev) < 0)
		return -SONDE_NOMEM;
	if (p->kept.by & SONDE_BY_CGROUP && details_note_cgroup(&p->details, ev) < 0)
		return -SONDE_NOMEM;
	if (p->kept.by & SONDE_BY_NAMESPACE && details_note_namespaces(&p->details, ev) < 0)
		return -SONDE_NOMEM;
	return moment_apply(&p->moment, ev, meta);
}

/* Samples that turned out to have no symbol are as if they had not been. */
static void take_late_counts(struct gathering *p)
{
	for (size_t i = 0; i < p->trace.late.n; i++) {
		struct sonde_profile_event *e = &p->events.at[i];
		const struct late_counts *l = &p->trace.late.at[i];

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
	p->trace.late.n = 0;
	times_note(&p->times, p->trace.late_times.first);
	times_note(&p->times, p->trace.late_times.last);
	p->trace.late_times = NO_TIMES;
}

int profile_end_trace(struct gathering *p)
{
	const struct binaries *b = &p->moment.tasks.binaries;
	char text[256];
	uint32_t name;

	if (sample_batches_end(p) < 0 || symbols_out_of_memory(p->symbols))
		return -SONDE_NOMEM;
	free(p->found.samples_of_binary);
	p->found.samples_of_binary = calloc(b->list.n + 1, sizeof(*p->found.samples_of_binary));
	if (!p->found.samples_of_binary)
		return -SONDE_NOMEM;
	take_late_counts(p);
	timed_samples_sort(&p->timed);
	if (tracks_end_trace(&p->tracks, &p->moment.tasks) < 0 || field_counts_settle(&p->field_counts) < 0)
		return -SONDE_NOMEM;
	while (p->dso_names.n < b->list.n) {
		binary_short_name(b->list.at[p->dso_names.n], text, sizeof(text));
		name = strpool_add(&p->names, text, strlen(text));
		if (name == UINT32_MAX || vec_push(&p->dso_names, strpool_get(&p->names, name)) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

void profile_end_counting(struct gathering *p)
{
	cell_memo_forget(&p->memo);
	frames_end(&p->frames);
}
