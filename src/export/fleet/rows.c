/* SPDX-License-Identifier: MIT */
#include "export/fleet/rows.h"

#include <string.h>

#include "base/ascii.h"
#include "base/put.h"
#include "base/xxh64.h"
#include "export/build_id_text.h"
#include "export/fleet/service.h"
#include "export/fleet/stack_rows.h"
#include "export/recording_notes.h"

enum { DAY_S = 24 * 60 * 60 };
#define SECOND_NS UINT64_C(1000000000)

/* The facts of a task. */
struct task_texts { const char *comm, *build_id; };

/* The making of the rows: what each number of the profile has become. */
struct rows_making {
	struct fleet_rows *f;
	const struct sonde_profile *p;
	uint64_t window_s, wall;     /* wall: date of the first sample */
	struct stack_rows stacks;
	struct task_texts *tasks;    /* by task; comm NULL: not made yet */
	const char **services;       /* by detail; NULL: not made yet */
	struct hash_index rows;
};

/* ---- tasks and services ---- */

/* The program that a process runs: the binary that is mapped lowest, below its libraries. NULL: not known. */
static const struct binary *program_of(const struct sonde_profile *p, const struct sonde_profile_task *t)
{
	maps_root maps = tasks_maps(p->tasks, t->machine_pid, t->pid);
	const struct mapping *at = maps_next(maps, 0);

	while (at && at->binary->kind != BINARY_FILE)
		at = at->start == UINT64_MAX ? NULL : maps_next(maps, at->start + 1);
	return at ? at->binary : NULL;
}

/* NULL when out of memory. */
static const struct task_texts *task_texts(struct rows_making *m, uint32_t number)
{
	const struct sonde_profile_task *t = &m->p->who.at[number];
	struct task_texts *texts = &m->tasks[number];
	const struct binary *program;

	if (texts->comm)
		return texts;
	program = program_of(m->p, t);
	texts->build_id = fleet_text(&m->f->texts, program ? build_id_text(program).s : "");
	if (!texts->build_id || (program && stack_rows_add_module(&m->stacks, program, texts->build_id, false) < 0))
		return NULL;
	texts->comm = fleet_text(&m->f->texts, t->comm);
	return texts->comm ? texts : NULL;
}

/* NULL when out of memory. */
static const char *service_of(struct rows_making *m, const struct sonde_profile_cell *c, const char *comm)
{
	const char *given = m->f->x->fleet.service, *path;
	char name[SERVICE_MAX];

	if (!m->services[c->detail]) {
		path = sonde_profile_cgroup(m->p, m->p->details.list.at[c->detail].cgroup);
		if (!given && path && service_of_cgroup(path, name, sizeof(name)))
			given = name;
		m->services[c->detail] = fleet_text(&m->f->texts, given ? given : "");
	}
	return m->services[c->detail] && !*m->services[c->detail] ? comm : m->services[c->detail];
}

/* ---- samples ---- */

static bool is_same(const struct fleet_sample *a, const struct fleet_sample *b)
{
	return a->stack_id == b->stack_id && a->time_s == b->time_s && a->service == b->service &&
	       a->comm == b->comm && a->event == b->event && a->build_id == b->build_id && a->cpu_mode == b->cpu_mode;
}

/* Adds to the row of the same values. 0 or -SONDE_NOMEM */
static int add_sample(struct rows_making *m, const struct fleet_sample *s)
{
	uint64_t hash = hash_two(hash_index_seed(&m->rows) ^ (uint64_t)s->stack_id, (uint64_t)s->time_s);
	struct fleet_rows *f = m->f;
	uint32_t i;

	hash = hash_two(hash ^ (uintptr_t)s->service, (uintptr_t)s->comm);
	hash_index_each(&m->rows, hash, i) {
		if (!is_same(&f->samples.at[i], s))
			continue;
		f->samples.at[i].samples += s->samples;
		f->samples.at[i].weight += s->weight;
		return 0;
	}
	if (f->samples.n >= HASH_INDEX_NONE || hash_index_add(&m->rows, hash, (uint32_t)f->samples.n) < 0)
		return -SONDE_NOMEM;
	return vec_push(&f->samples, *s);
}

/*
 * When the window of a sample began. A sample without a time is in that of the first one. The profile has rounded the
 * time down, even to one before the first sample.
 */
static uint64_t window_of(const struct rows_making *m, uint64_t time)
{
	uint64_t first = m->p->times.first, wall = m->wall, wall_s;

	if (time >= first)
		wall += time - first;
	else if (time)
		wall -= first - time < wall ? first - time : wall;
	wall_s = wall / SECOND_NS;
	return wall_s - wall_s % m->window_s;
}

static int add_cell(struct rows_making *m, const struct sonde_profile_cell *c, struct fleet_run *run)
{
	const struct task_texts *task = task_texts(m, c->task);
	struct fleet_sample s = { .event = run->event, .samples = c->samples, .weight = c->period,
				  .cpu_mode = m->p->frames.list.at[c->frame].cpumode,
				  .stack_id = stack_rows_id(&m->stacks, c),
				  .time_s = (int64_t)window_of(m, m->p->details.list.at[c->detail].time) };

	if (!task || !s.stack_id)
		return -SONDE_NOMEM;
	s.date = s.time_s / DAY_S;
	s.comm = task->comm;
	s.build_id = task->build_id;
	s.service = service_of(m, c, task->comm);
	if (!frame_symbol(&m->p->frames.list.at[c->frame]))
		run->unresolved += c->samples;
	return s.service ? add_sample(m, &s) : -SONDE_NOMEM;
}

/* By date and by what is asked for: readers pass over the rest. */
static int compare_samples(const void *va, const void *vb)
{
	const struct fleet_sample *a = va, *b = vb;
	int r = a->date < b->date ? -1 : a->date > b->date;

	r = r ? r : strcmp(a->service, b->service);
	r = r ? r : a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
	r = r ? r : strcmp(a->event, b->event);
	r = r ? r : strcmp(a->comm, b->comm);
	r = r ? r : strcmp(a->build_id, b->build_id);
	r = r ? r : (int)a->cpu_mode - (int)b->cpu_mode;
	return r ? r : a->stack_id < b->stack_id ? -1 : a->stack_id > b->stack_id;
}

/* ---- frames and stacks ---- */

/* Functions of a binary have similar names, and addresses near one another. */
static int compare_frames(const void *va, const void *vb)
{
	const struct fleet_frame *a = va, *b = vb;
	int r = strcmp(a->build_id, b->build_id);

	r = r ? r : strcmp(a->module, b->module);
	r = r ? r : a->address < b->address ? -1 : a->address > b->address;
	return r ? r : a->id < b->id ? -1 : a->id > b->id;
}

/* Stacks with the same outer frames are neighbours. */
static int compare_stacks(const void *va, const void *vb, void *ctx)
{
	const struct fleet_stack *a = va, *b = vb;
	const struct fleet_rows *f = ctx;

	for (size_t i = 1; i <= a->n && i <= b->n; i++) {
		int64_t x = f->frame_ids.at[a->first + a->n - i], y = f->frame_ids.at[b->first + b->n - i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return a->n < b->n ? -1 : a->n > b->n;
}

/* The compressor finds more in rows that resemble the ones before. */
static void sort_rows(struct fleet_rows *f)
{
	if (f->samples.n)
		qsort(f->samples.at, f->samples.n, sizeof(*f->samples.at), compare_samples);
	if (f->frames.n)
		qsort(f->frames.at, f->frames.n, sizeof(*f->frames.at), compare_frames);
	if (f->stacks.n)
		qsort_r(f->stacks.at, f->stacks.n, sizeof(*f->stacks.at), compare_stacks, f);
}

/* ---- runs ---- */

static uint64_t count_lost(const struct export *x)
{
	uint64_t lost = 0;

	for (size_t i = 0; x->recorded.losses && i < x->recorded.losses->rows.n; i++) {
		const struct sonde_loss *l = &x->recorded.losses->rows.at[i];

		if (l->kind == SONDE_LOSS_RECORDER || l->kind == SONDE_LOSS_SAMPLES)
			lost += l->count;
	}
	return lost;
}

static int add_event(struct rows_making *m, uint32_t number)
{
	const struct sonde_profile_event *e = &m->p->events.at[number];
	struct fleet_run run = { .event = fleet_text(&m->f->texts, e->name),
				 .truncated_stacks = e->cut_stacks + e->shortened_stacks + e->unwound_cut,
				 .lost = m->f->runs.n ? 0 : count_lost(m->f->x) };
	size_t n;
	const uint32_t *cells = event_cells_of(&m->f->x->cells, number, &n);

	if (!run.event)
		return -SONDE_NOMEM;
	if (e->attr && !(e->attr->flags & SONDE_ATTR_FREQ))
		run.period = e->attr->sample_period;
	for (size_t i = 0; i < n; i++)
		if (add_cell(m, &m->p->cells.at[cells[i]], &run) < 0)
			return -SONDE_NOMEM;
	return vec_push(&m->f->runs, run);
}

/* 0 or -SONDE_NOMEM */
static int take_machine(struct fleet_rows *f)
{
	const struct meta *meta = f->x->recorded.meta;
	struct buf line = BUF_MEMORY;

	f->cpus = meta ? meta->nr_cpus_online : 0;
	f->kernel = fleet_text(&f->texts, meta && meta->osrelease ? meta->osrelease : "");
	f->cpu_model = fleet_text(&f->texts, meta && meta->cpudesc ? meta->cpudesc : "");
	for (size_t i = 0; meta && i < meta->nr_cmdline; i++) {
		if (i)
			buf_char(&line, ' ');
		buf_str(&line, meta->cmdline[i]);
	}
	buf_char(&line, '\0');
	f->cmdline = line.failed ? NULL : fleet_text(&f->texts, line.p);
	buf_free(&line);
	return f->kernel && f->cpu_model && f->cmdline ? 0 : -SONDE_NOMEM;
}

/*
 * A hash of what was recorded, whatever the symbols and the date of the export: a recording has the same id whenever it
 * is exported for a host.
 */
static int64_t run_id(struct fleet_rows *f)
{
	const struct sonde_profile *p = f->x->profile;

	f->texts.room.n = 0;
	put_strz(&f->texts.room, f->host);
	put_strz(&f->texts.room, f->kernel);
	put_strz(&f->texts.room, f->cmdline);
	put_u64(&f->texts.room, p->times.first, host_is_big_endian());
	put_u64(&f->texts.room, p->times.last, host_is_big_endian());
	for (size_t i = 0; i < p->events.n; i++) {
		put_strz(&f->texts.room, p->events.at[i].name);
		put_u64(&f->texts.room, p->events.at[i].samples, host_is_big_endian());
		put_u64(&f->texts.room, p->events.at[i].period, host_is_big_endian());
	}
	return f->texts.room.failed ? 0 : (int64_t)xxh64(f->texts.room.p, f->texts.room.n);
}

/* ---- all ---- */

/* The name of a host is that of a directory too. */
static const char *host_name(struct fleet_rows *f)
{
	const struct meta *meta = f->x->recorded.meta;
	const char *name = f->x->fleet.host;
	char safe[256];
	size_t n = 0;

	if (!name)
		name = meta && meta->hostname ? meta->hostname : "";
	for (; name[n] && n < sizeof(safe) - 1; n++)
		safe[n] = strchr("-._", name[n]) || is_alnum(name[n]) ? name[n] : '_';
	safe[n] = '\0';
	if (safe[0] == '.')
		safe[0] = '_';
	return fleet_text(&f->texts, n ? safe : "unknown");
}

static uint64_t wall_of_first(const struct export *x)
{
	const struct times *times = &x->profile->times;
	uint64_t wall = recording_wall_ns(x), recorded = (uint64_t)x->recorded.at_s * SECOND_NS;
	uint64_t length = times->first == SONDE_NONE ? 0 : times->last - times->first;

	if (wall)
		return wall;
	return x->recorded.at_s > 0 && recorded > length ? recorded - length : 0;
}

static int make(struct rows_making *m)
{
	struct fleet_rows *f = m->f;
	const struct sonde_profile *p = m->p;

	m->tasks = calloc(p->who.n + 1, sizeof(*m->tasks));
	m->services = calloc(p->details.list.n + 1, sizeof(*m->services));
	f->host = host_name(f);
	if (stack_rows_init(&m->stacks, f) < 0 || !m->tasks || !m->services || !f->host || take_machine(f) < 0)
		return -SONDE_NOMEM;
	f->start_ns = m->wall;
	f->end_ns = m->wall + (p->times.first == SONDE_NONE ? 0 : p->times.last - p->times.first);
	f->date = (int64_t)(f->start_ns / SECOND_NS / DAY_S);
	for (uint32_t i = 0; i < p->events.n; i++)
		if (export_wants_event(f->x, i) && add_event(m, i) < 0)
			return -SONDE_NOMEM;
	sort_rows(f);
	f->run_id = run_id(f);
	return f->texts.room.failed ? -SONDE_NOMEM : 0;
}

int fleet_rows_make(struct fleet_rows *f, const struct export *x)
{
	struct rows_making m = { .f = f, .p = x->profile, .wall = wall_of_first(x),
			    .window_s = x->profile->kept.time_step_ns / SECOND_NS };
	int r;

	*f = (struct fleet_rows){ .x = x, .texts.room = BUF_MEMORY };
	m.window_s = m.window_s ? m.window_s : 1;
	r = make(&m);
	stack_rows_free(&m.stacks);
	free(m.tasks);
	free(m.services);
	hash_index_free(&m.rows);
	return r;
}

void fleet_rows_free(struct fleet_rows *f)
{
	fleet_texts_free(&f->texts);
	vec_free(&f->samples);
	vec_free(&f->stacks);
	vec_free(&f->frame_ids);
	vec_free(&f->frames);
	vec_free(&f->modules);
	vec_free(&f->runs);
}
