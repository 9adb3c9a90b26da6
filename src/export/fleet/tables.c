/* SPDX-License-Identifier: MIT */
#include "export/fleet/tables.h"

#include <string.h>

static void put_int(struct fleet_writer *w, size_t column, int64_t value)
{
	w->format->put_int(w->to, column, value);
}

static void put_count(struct fleet_writer *w, size_t column, uint64_t value)
{
	put_int(w, column, (int64_t)value);
}

static void put_text(struct fleet_writer *w, size_t column, const char *text)
{
	w->format->put_text(w->to, column, text, strlen(text));
}

/* ---- rows, in the order of their columns ---- */

static void put_sample(const struct fleet_rows *f, size_t i, struct fleet_writer *w)
{
	const struct fleet_sample *s = &f->samples.at[i];

	put_int(w, FLEET_SAMPLES_TIME_S, s->time_s);
	put_text(w, FLEET_SAMPLES_SERVICE, s->service);
	put_text(w, FLEET_SAMPLES_COMM, s->comm);
	put_text(w, FLEET_SAMPLES_EVENT, s->event);
	put_text(w, FLEET_SAMPLES_BUILD_ID, s->build_id);
	put_int(w, FLEET_SAMPLES_CPU_MODE, s->cpu_mode);
	put_int(w, FLEET_SAMPLES_STACK_ID, s->stack_id);
	put_count(w, FLEET_SAMPLES_SAMPLES, s->samples);
	put_count(w, FLEET_SAMPLES_WEIGHT, s->weight);
	put_int(w, FLEET_SAMPLES_RUN_ID, f->run_id);
}

static void put_stack(const struct fleet_rows *f, size_t i, struct fleet_writer *w)
{
	const struct fleet_stack *s = &f->stacks.at[i];

	put_int(w, FLEET_STACKS_STACK_ID, s->id);
	w->format->put_list(w->to, FLEET_STACKS_FRAMES, f->frame_ids.at + s->first, s->n);
	put_count(w, FLEET_STACKS_DEPTH, s->n);
}

static void put_frame(const struct fleet_rows *f, size_t i, struct fleet_writer *w)
{
	const struct fleet_frame *frame = &f->frames.at[i];

	put_int(w, FLEET_FRAMES_FRAME_ID, frame->id);
	put_text(w, FLEET_FRAMES_FUNCTION, frame->function);
	put_text(w, FLEET_FRAMES_FILE, frame->file);
	put_text(w, FLEET_FRAMES_MODULE, frame->module);
	put_int(w, FLEET_FRAMES_LINE, frame->line);
	put_count(w, FLEET_FRAMES_ADDRESS, frame->address);
	put_text(w, FLEET_FRAMES_BUILD_ID, frame->build_id);
	put_int(w, FLEET_FRAMES_INLINED, frame->inlined);
}

static void put_module(const struct fleet_rows *f, size_t i, struct fleet_writer *w)
{
	const struct fleet_module *m = &f->modules.at[i];

	put_text(w, FLEET_MODULES_BUILD_ID, m->build_id);
	put_text(w, FLEET_MODULES_PATH, m->path);
	put_text(w, FLEET_MODULES_KIND, m->kind);
	put_int(w, FLEET_MODULES_SYMBOLISED, m->symbolised);
}

static void put_run(const struct fleet_rows *f, size_t i, struct fleet_writer *w)
{
	const struct fleet_run *r = &f->runs.at[i];

	put_int(w, FLEET_RUNS_RUN_ID, f->run_id);
	put_count(w, FLEET_RUNS_START_NS, f->start_ns);
	put_count(w, FLEET_RUNS_END_NS, f->end_ns);
	put_text(w, FLEET_RUNS_TOOL, "sonde " SONDE_VERSION);
	put_text(w, FLEET_RUNS_KERNEL, f->kernel);
	put_text(w, FLEET_RUNS_CPU_MODEL, f->cpu_model);
	put_int(w, FLEET_RUNS_CPUS, f->cpus);
	put_text(w, FLEET_RUNS_EVENT, r->event);
	put_count(w, FLEET_RUNS_PERIOD, r->period);
	put_count(w, FLEET_RUNS_LOST, r->lost);
	put_count(w, FLEET_RUNS_TRUNCATED_STACKS, r->truncated_stacks);
	put_count(w, FLEET_RUNS_UNRESOLVED, r->unresolved);
	put_text(w, FLEET_RUNS_CMDLINE, f->cmdline);
}

#define OF_ROWS(rows) \
	static size_t count_##rows(const struct fleet_rows *f) \
	{ \
		return f->rows.n; \
	}

OF_ROWS(samples)
OF_ROWS(stacks)
OF_ROWS(frames)
OF_ROWS(modules)
OF_ROWS(runs)

static int64_t id_of_stack(const struct fleet_rows *f, size_t i)
{
	return f->stacks.at[i].id;
}

static int64_t id_of_frame(const struct fleet_rows *f, size_t i)
{
	return f->frames.at[i].id;
}

static int64_t id_of_module(const struct fleet_rows *f, size_t i)
{
	return f->modules.at[i].id;
}

const struct fleet_source fleet_sources[FLEET_TABLES] = {
	{ FLEET_MODULES, count_modules, id_of_module, put_module, false },
	{ FLEET_FRAMES, count_frames, id_of_frame, put_frame, false },
	{ FLEET_STACKS, count_stacks, id_of_stack, put_stack, false },
	{ FLEET_RUNS, count_runs, NULL, put_run, false },
	{ FLEET_SAMPLES, count_samples, NULL, put_sample, true },
};

const struct fleet_source *fleet_source_find(const char *name)
{
	for (size_t i = 0; i < FLEET_TABLES; i++)
		if (strcmp(fleet_source_table(&fleet_sources[i])->name, name) == 0)
			return &fleet_sources[i];
	return NULL;
}

int fleet_source_put(const struct fleet_source *s, const struct fleet_rows *f, size_t first, size_t n,
		     const struct sonde_export_known *known, struct fleet_writer *w)
{
	int r = 0;

	for (size_t i = first; i < first + n && r == 0; i++) {
		if (s->id && known_has(known, f->date, s->id(f, i)))
			continue;
		w->format->begin_row(w->to, s->of_windows ? f->samples.at[i].date : f->date, f->host);
		s->put(f, i, w);
		r = w->format->end_row(w->to);
	}
	return r;
}

bool fleet_source_has_news(const struct fleet_source *s, const struct fleet_rows *f,
			   const struct sonde_export_known *known)
{
	size_t n = s->count(f);

	for (size_t i = 0; i < n; i++)
		if (!s->id || !known_has(known, f->date, s->id(f, i)))
			return true;
	return false;
}

int fleet_sources_note(const struct fleet_rows *f, struct sonde_export_known *known)
{
	for (const struct fleet_source *s = fleet_sources; s < fleet_sources + FLEET_TABLES; s++)
		for (size_t i = 0; s->id && i < s->count(f); i++)
			if (known_add(known, f->date, s->id(f, i)) < 0)
				return -SONDE_NOMEM;
	return 0;
}
