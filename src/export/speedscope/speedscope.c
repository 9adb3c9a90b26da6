/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c - the file format of speedscope: for each event and thread a profile, its stacks by time
 *
 * Schema: speedscope.app/file-format-schema.json. A stack is written once for samples that follow each other with it.
 */
#include "export/speedscope/speedscope.h"

#include "base/json.h"
#include "export/named_functions.h"
#include "export/thread_samples.h"
#include "export/weights.h"

struct speedscope {
	struct export *x;
	const struct sonde_profile *p;
	struct json j;
	struct named_functions functions;
	struct thread_samples samples;
	VEC(uint32_t) path;          /* of a stack, from the innermost frame outwards */
	bool several;                /* events */
};

static void put_frames(struct speedscope *w)
{
	json_key(&w->j, "shared");
	json_object(&w->j);
	json_key(&w->j, "frames");
	json_array(&w->j);
	for (size_t i = 0; i < w->functions.list.n; i++) {
		const struct named_function *f = &w->functions.list.at[i];

		json_object(&w->j);
		json_member_text(&w->j, "name", f->name);
		if (f->file)
			json_member_text(&w->j, "file", f->file);
		else if (f->binary != NO_BINARY)
			json_member_text(&w->j, "file", w->p->tasks->binaries.list.at[f->binary]->name);
		json_end(&w->j);
	}
	json_end(&w->j);
	json_end(&w->j);
}

static const struct sonde_profile_sample *sample_of(const struct speedscope *w, const struct sampled_thread *run,
						    size_t i)
{
	return &w->p->timed.list.at[w->samples.order[run->first + i]];
}

static uint64_t weight_of(const struct speedscope *w, const struct sonde_profile_sample *s)
{
	return w->x->opts.weight == SONDE_WEIGHT_SAMPLES ? 1 : s->period;
}

/* The functions of a cell, the outermost first. */
static int put_stack(struct speedscope *w, const struct sonde_profile_cell *cell)
{
	const struct sonde_profile_stack *stacks = w->p->stacks.list.at;

	w->path.n = 0;
	if (!cell->stack && vec_push(&w->path, cell->frame) < 0)
		return -SONDE_NOMEM;
	for (uint32_t at = cell->stack; at; at = stacks[at].parent)
		if (vec_push(&w->path, stacks[at].frame) < 0)
			return -SONDE_NOMEM;
	json_array(&w->j);
	while (w->path.n)
		json_u64(&w->j, w->functions.of_frame[w->path.at[--w->path.n]]);
	json_end(&w->j);
	return 0;
}

/* Whether a sample has the stack of the one before it. */
static bool goes_on(const struct speedscope *w, const struct sampled_thread *run, size_t i)
{
	return i && sample_of(w, run, i)->cell == sample_of(w, run, i - 1)->cell;
}

static int put_stacks(struct speedscope *w, const struct sampled_thread *run)
{
	int r = 0;

	json_key(&w->j, "samples");
	json_array(&w->j);
	for (size_t i = 0; i < run->n && r == 0; i++)
		if (!goes_on(w, run, i))
			r = put_stack(w, &w->p->cells.at[sample_of(w, run, i)->cell]);
	json_end(&w->j);
	return r;
}

static void put_weights(struct speedscope *w, const struct sampled_thread *run)
{
	uint64_t weight = 0, total = 0;

	json_key(&w->j, "weights");
	json_array(&w->j);
	for (size_t i = 0; i < run->n; i++) {
		if (i && !goes_on(w, run, i)) {
			json_u64(&w->j, weight);
			weight = 0;
		}
		weight += weight_of(w, sample_of(w, run, i));
		total += weight_of(w, sample_of(w, run, i));
	}
	if (run->n)
		json_u64(&w->j, weight);
	json_end(&w->j);
	json_member_u64(&w->j, "startValue", 0);
	json_member_u64(&w->j, "endValue", total);
}

static int put_profile(struct speedscope *w, const struct sampled_thread *run)
{
	const struct sonde_profile_event *e = &w->p->events.at[run->event];
	const struct sonde_profile_task *task = &w->p->who.at[run->task];
	struct buf name = BUF_MEMORY;
	int r;

	buf_printf(&name, "%s %d", task->comm, task->tid);
	if (task->host_name)
		buf_printf(&name, " (%s)", task->host_name);
	if (w->several)
		buf_printf(&name, " (%s)", e->name);
	if (name.failed) {
		buf_free(&name);
		return -SONDE_NOMEM;
	}
	json_object(&w->j);
	json_member_text(&w->j, "type", "sampled");
	json_key(&w->j, "name");
	json_text_n(&w->j, name.p, name.n);
	buf_free(&name);
	json_member_text(&w->j, "unit",
			 weight_is_ns(e) && w->x->opts.weight != SONDE_WEIGHT_SAMPLES ? "nanoseconds" : "none");
	r = put_stacks(w, run);
	put_weights(w, run);
	json_end(&w->j);
	return r;
}

static int put_all(struct speedscope *w)
{
	uint32_t nr_events = 0;
	int r = 0;

	if (named_functions_make(&w->functions, w->p) < 0 || thread_samples_make(&w->samples, w->x) < 0)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < w->p->events.n; i++)
		nr_events += export_wants_event(w->x, i);
	w->several = nr_events > 1;
	json_object(&w->j);
	json_member_text(&w->j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_member_text(&w->j, "exporter", "sonde@" SONDE_VERSION);
	put_frames(w);
	json_key(&w->j, "profiles");
	json_array(&w->j);
	for (size_t i = 0; i < w->samples.runs.n && r == 0; i++)
		r = put_profile(w, &w->samples.runs.at[i]);
	json_end(&w->j);
	json_end(&w->j);
	buf_char(w->x->out, '\n');
	return r < 0 ? r : w->samples.runs.n > 0;
}

int export_speedscope(struct export *x)
{
	struct speedscope w = { .x = x, .p = x->profile, .j = json_new(x->out) };
	int r = export_names_event(x) ? export_event(x) : 0;

	if (r >= 0)
		r = put_all(&w);
	named_functions_free(&w.functions);
	thread_samples_free(&w.samples);
	vec_free(&w.path);
	return r;
}
