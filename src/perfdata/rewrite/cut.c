/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/cut.h"

#include <stdlib.h>

#include "model/selection.h"
#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/record_body.h"
#include "perfdata/read/event.h"
#include "perfdata/rewrite/comm_history.h"
#include "perfdata/rewrite/rewrite.h"

#define AUXTRACE_CPU_AT 40
#define AUXTRACE_BYTES 48
#define DEFERRED_COOKIE_AT 8
#define SAMPLE_BYTES_MAX 65536
#define ATTR_EXCLUDE_CALLCHAIN (SONDE_ATTR_BIT(21) | SONDE_ATTR_BIT(22))

struct cut {
	struct rewrite *w;
	const struct sonde_cut_opts *opts;
	struct sonde_query query;
	struct comm_history comms;   /* used if the options name threads */
	bool *events;                /* by index: whether samples of it are wanted; NULL: all */
	struct sonde_attr *attrs;    /* by index: as they were; NULL: samples need not be looked into */
	uint64_t dropped;            /* bits of sample_type */
	uint8_t *shorter;            /* the sample that is passed */
	struct u64map cookies;       /* of samples whose callchain is yet to come */
	uint64_t first, last;        /* times of what was kept */
};

/* ---- which records ---- */

/* Where and when, for all that is counted by time; the time of a record that has none is no reason to leave it out. */
static bool is_inside(const struct cut *c, const struct sonde_event *ev)
{
	const struct sonde_query *q = &c->query;

	return (ev->time == SONDE_NONE ||
		(ev->time >= q->time_min && ev->time <= q->time_max &&
		 selects_time(q->times, q->nr_times, ev->time))) &&
		selects_number(q->cpus, q->nr_cpus, ev->cpu);
}

static bool is_of_task(const struct cut *c, const struct sonde_event *ev)
{
	const struct sonde_query *q = &c->query;

	return selects_number(q->pids, q->nr_pids, ev->pid) && selects_number(q->tids, q->nr_tids, ev->tid) &&
		(c->opts->nr_comms == 0 ||
		 selects_name(c->opts->comms, c->opts->nr_comms,
			      comm_history_at(&c->comms, thread_key(ev->machine_pid, ev->tid), ev->time)));
}

static bool wants_sample(const struct cut *c, const struct sonde_event *ev)
{
	return is_inside(c, ev) && is_of_task(c, ev) && ev->evsel && (!c->events || c->events[ev->evsel->index]);
}

/* Records of tasks and mappings are needed from the beginning on, up to the end of the cut. */
static bool wants_other(const struct cut *c, const struct sonde_event *ev)
{
	switch (ev->type) {
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
	case RECORD_READ:
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		return is_inside(c, ev) && is_of_task(c, ev);
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
	case RECORD_AUX:
		return is_inside(c, ev);
	case RECORD_CALLCHAIN_DEFERRED:
		return ev->raw_size >= DEFERRED_COOKIE_AT + 8 &&
			u64map_get(&c->cookies, load_u64(ev->raw + DEFERRED_COOKIE_AT, c->w->in.header.swap)) !=
			U64MAP_NONE;
	}
	return ev->time == SONDE_NONE || ev->time <= c->query.time_max;
}

static bool wants_auxtrace(const struct cut *c, const struct rewrite_record *record)
{
	return record->n < AUXTRACE_BYTES ||
		selects_number(c->query.cpus, c->query.nr_cpus,
			       (int32_t)load_u32(record->p + AUXTRACE_CPU_AT, c->w->in.header.swap));
}

/* ---- what of them ---- */

/* The chain of a sample that is kept may end with a cookie; the record that it stands for is kept too. */
static int note_cookie(struct cut *c, const struct sonde_attr *attr, const uint8_t *p, const struct sample_field *field)
{
	if (!(attr->flags & SONDE_ATTR_DEFER_CALLCHAIN) || field->bits != SAMPLE_CALLCHAIN || field->bytes < 24)
		return 0;
	return u64map_set(&c->cookies, load_u64(p + field->at + field->bytes - 8, c->w->in.header.swap), 1);
}

static int shorten(struct cut *c, const struct sonde_event *ev, struct rewrite_record *record)
{
	const struct sonde_attr *attr = &c->attrs[ev->evsel->index];
	bool swap = c->w->in.header.swap;
	struct sample_field fields[SAMPLE_FIELDS_MAX];
	size_t nr, at = RECORD_HEADER_BYTES;

	if (sample_fields(record->p, record->n, attr, swap, fields, &nr) < 0) {
		rewrite_lose(c->w, SONDE_LOSS_CORRUPT, 1, record->from->at, "{sample|samples} whose lengths are wrong");
		return REWRITE_DROP;
	}
	memcpy(c->shorter, record->p, RECORD_HEADER_BYTES);
	for (size_t i = 0; i < nr; i++) {
		if (!(c->dropped & SAMPLE_CALLCHAIN) && note_cookie(c, attr, record->p, &fields[i]) < 0)
			return err_nomem(&c->w->handle->err);
		if (fields[i].bits & c->dropped)
			continue;
		memcpy(c->shorter + at, record->p + fields[i].at, fields[i].bytes);
		at += fields[i].bytes;
	}
	store_u16(c->shorter + 6, (uint16_t)at, swap);
	record->p = c->shorter;
	record->n = at;
	return REWRITE_KEEP;
}

static int pass_sample(struct cut *c, const struct sonde_event *ev, struct rewrite_record *record)
{
	if (!wants_sample(c, ev))
		return REWRITE_DROP;
	if (ev->time != SONDE_NONE) {
		c->first = ev->time < c->first ? ev->time : c->first;
		c->last = ev->time > c->last ? ev->time : c->last;
	}
	return c->attrs ? shorten(c, ev, record) : REWRITE_KEEP;
}

static int change(struct rewrite *w, struct rewrite_record *record)
{
	uint32_t type = record->from->h.type;
	struct cut *c = w->ctx;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;

	if (type == RECORD_AUXTRACE)
		return wants_auxtrace(c, record) ? REWRITE_KEEP : REWRITE_DROP;
	if (type >= RECORD_USER)
		return REWRITE_KEEP;
	record_load(&w->in.evlist, record->p, w->in.header.swap, &e);
	if (type == RECORD_SAMPLE)
		return pass_sample(c, ev, record);
	return wants_other(c, ev) ? REWRITE_KEEP : REWRITE_DROP;
}

/* ---- header ---- */

static void drop_from_attr(struct sonde_attr *attr, uint64_t dropped)
{
	attr->sample_type &= ~dropped;
	if (dropped & SAMPLE_CALLCHAIN)
		attr->flags &= ~(ATTR_EXCLUDE_CALLCHAIN | SONDE_ATTR_DEFER_CALLCHAIN);
	if (dropped & SAMPLE_STACK_USER)
		attr->sample_stack_user = 0;
	if (dropped & SAMPLE_REGS_USER)
		attr->sample_regs_user = attr->sample_regs_intr = 0;
	if (dropped & SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = 0;
}

/* The attrs lose what samples lose; how the samples were is kept. */
static int change_attrs(struct cut *c)
{
	struct meta *meta = &c->w->in.meta;
	struct evlist *evlist = &c->w->in.evlist;
	bool defers = false;

	for (size_t i = 0; i < c->w->in.events.n; i++)
		defers |= evlist_at(evlist, i)->attr.flags & SONDE_ATTR_DEFER_CALLCHAIN;
	if (!c->dropped && !defers)
		return 0;
	c->shorter = malloc(SAMPLE_BYTES_MAX);
	c->attrs = malloc(c->w->in.events.n * sizeof(*c->attrs));
	if (!c->shorter || !c->attrs)
		return err_nomem(&c->w->handle->err);
	for (size_t i = 0; i < c->w->in.events.n; i++) {
		c->attrs[i] = evlist_at(evlist, i)->attr;
		drop_from_attr(&evlist_at(evlist, i)->attr, c->dropped);
	}
	for (size_t i = 0; i < meta->nr_event_descs; i++)
		drop_from_attr(&meta->event_descs[i].attr, c->dropped);
	c->w->events_changed = c->dropped;
	return 0;
}

/* The times of the first and last sample; a stream has them before its samples, so they are left out of one. */
static int change_feature(struct rewrite *w, uint32_t id, struct buf *out)
{
	(void)w;
	(void)out;
	return id == SONDE_FEAT_SAMPLE_TIME ? REWRITE_DROP : REWRITE_KEEP;
}

static int put_times(struct rewrite *w)
{
	struct cut *c = w->ctx;
	struct meta meta = { .sample_time_first = c->first, .sample_time_last = c->last };

	if (w->opts.pipe || !feature_has(&w->in.meta, SONDE_FEAT_SAMPLE_TIME) || c->first > c->last)
		return 0;
	return compose_fields(w->out, SONDE_FEAT_SAMPLE_TIME, &meta);
}

/* ---- the whole ---- */

static int note_task(struct cut *c, const uint8_t *p)
{
	bool swap = c->w->in.header.swap;
	struct record rec = { .p = p, .swap = swap };
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct sonde_comm comm;
	struct sonde_task task;

	record_load(&c->w->in.evlist, p, swap, &e);
	if (ev->type == RECORD_ID_INDEX)
		return evlist_note_machines(&c->w->in.evlist, p, ev->raw_size, swap);
	rec = (struct record){ p, ev->raw_size, ev->type, ev->misc, swap };
	if (ev->type == RECORD_COMM && record_body(&rec, BODY_COMM, &comm) == 0)
		return comm_history_comm(&c->comms, thread_key(ev->machine_pid, comm.tid), ev->time, comm.comm);
	if (ev->type == RECORD_FORK && record_body(&rec, BODY_TASK, &task) == 0)
		return comm_history_fork(&c->comms, thread_key(ev->machine_pid, task.tid),
					 thread_key(ev->machine_pid, task.ptid), ev->time);
	return 0;
}

static bool says_who(uint32_t type)
{
	return type == RECORD_COMM || type == RECORD_FORK || type == RECORD_ID_INDEX;
}

/* Names of threads come in records that may lie after those of their samples: they are read first. */
static int read_comms(struct cut *c)
{
	struct sonde_error *err = &c->w->handle->err;
	struct record_step got = { .step = SCAN_RECORD };
	struct record_source source;
	int r = record_source_open(&source, &c->w->in, c->w->image.dir_fd, true, err);

	while (r == 0 && (r = record_source_next(&source, &got)) == 0 && got.step != SCAN_END)
		if (got.step == SCAN_RECORD && says_who(got.record.h.type) && note_task(c, got.record.p) < 0)
			r = err_nomem(err);
	record_source_close(&source);
	if (r == 0 && comm_history_settle(&c->comms) < 0)
		r = err_nomem(err);
	return r;
}

static int choose_events(struct cut *c)
{
	const struct sonde_query *q = &c->query;
	struct evlist *evlist = &c->w->in.evlist;
	size_t n = c->w->in.events.n, chosen = 0;

	if (evlist_describe(evlist, &c->w->in.meta) < 0)
		return err_nomem(&c->w->handle->err);
	if (q->nr_events == 0)
		return 0;
	c->events = calloc(n, sizeof(*c->events));
	if (!c->events)
		return err_nomem(&c->w->handle->err);
	for (size_t i = 0; i < n; i++) {
		c->events[i] = selects_name(q->events, q->nr_events, evlist_at(evlist, i)->pub.name);
		chosen += c->events[i];
	}
	return chosen ? 0 :
			err_set(&c->w->handle->err, SONDE_MISSING, SONDE_NONE, "there is no event %s", q->events[0]);
}

static int cut(struct cut *c)
{
	struct rewrite *w = c->w;
	int r = layout_read(&w->in, &w->image, NULL, &w->handle->err);

	if (r < 0)
		return r;
	r = rewrite_collect(w);
	if (r == 0)
		r = rewrite_refuse(w);
	if (r < 0)
		return r;
	rewrite_lose_features(w);
	rewrite_lose_end(w);
	r = choose_events(c);
	if (r == 0 && c->opts->nr_comms)
		r = read_comms(c);
	if (r == 0)
		r = change_attrs(c);
	if (r < 0)
		return r;
	w->change = change;
	w->change_feature = change_feature;
	w->late_features = put_times;
	w->opts.slack = 0;
	w->ctx = c;
	return rewrite_run(w);
}

static uint64_t dropped_fields(uint32_t drop)
{
	return (drop & SONDE_DROP_CALLCHAIN ? SAMPLE_CALLCHAIN : 0) |
		(drop & SONDE_DROP_STACK ? SAMPLE_STACK_USER : 0) |
		(drop & SONDE_DROP_REGS ? SAMPLE_REGS_USER | SAMPLE_REGS_INTR : 0) |
		(drop & SONDE_DROP_RAW ? SAMPLE_RAW : 0) | (drop & SONDE_DROP_BRANCH ? SAMPLE_BRANCH_STACK : 0);
}

int perfdata_cut(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_cut_opts *opts)
{
	struct rewrite w;
	struct cut c = {
		.w = &w, .opts = opts, .query = *opts->query, .dropped = dropped_fields(opts->drop), .first = UINT64_MAX
	};
	int r = rewrite_open(&w, handle, im, out, SONDE_FORM_SAME);

	if (!c.query.time_max)
		c.query.time_max = UINT64_MAX;
	if (r == 0)
		r = cut(&c);
	rewrite_close(&w);
	comm_history_free(&c.comms);
	u64map_free(&c.cookies);
	free(c.events);
	free(c.attrs);
	free(c.shorter);
	return r;
}
