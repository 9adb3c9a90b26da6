/* SPDX-License-Identifier: MIT */
#include "export/script/script.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "export/sample_text.h"
#include "export/script/output.h"
#include "export/script/record.h"
#include "tracefmt/blob.h"

#define DEFAULT_MAX_STACK 127
#define FORMATS_MOST 16
#define RECORD_USER 64  /* from here on, records are the recorder's */
#define SAMPLE_CGROUP (UINT64_C(1) << 21)
#define SAMPLE_SIMPLE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
	 PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | \
	 PERF_SAMPLE_RAW)

int script_init(struct script *s, const struct sonde_script_opts *opts, struct symbols *symbols,
		const struct meta *meta, struct script_out *out, struct sonde_error *err)
{
	const char *const *fields = OPT(opts, fields, NULL);
	size_t nr_fields = OPT(opts, nr_fields, 0);
	int r = 0;

	*s = (struct script){ .name.p = "", .meta = meta, .out = out, .err = err };
	s->show = OPT(opts, show, 0);
	s->clock = OPT(opts, clock, SONDE_CLOCK_TRACE);
	s->ns = OPT(opts, ns, false);
	s->stitch_lbr = OPT(opts, stitch_lbr, false);
	s->no_callchain = OPT(opts, no_callchain, false);
	s->max_stack = OPT(opts, max_stack, 0);
	if (!s->max_stack)
		s->max_stack = DEFAULT_MAX_STACK;
	s->comms = OPT(opts, comms, NULL);
	s->nr_comms = OPT(opts, nr_comms, 0);
	s->dsos = OPT(opts, dsos, NULL);
	s->nr_dsos = OPT(opts, nr_dsos, 0);
	s->names = OPT(opts, symbols, NULL);
	s->nr_names = OPT(opts, nr_symbols, 0);
	script_fields_default(&s->fields);
	for (size_t i = 0; i < nr_fields && r == 0; i++)
		r = script_fields_parse(&s->fields, fields[i], err);
	if (r < 0)
		return r;
	address_cache_init(&s->addresses);
	s->inlined = OPT(opts, inlined, false);
	s->full_source_path = OPT(opts, full_source_path, false);
	s->lines = source_lines_new(symbols);
	address_cache_use(&s->addresses, symbols, s->lines, NULL);
	s->images = unwind_images_new(symbols);
	s->chains.unwinder.images = s->images;
	s->chains.call_stacks = s->stitch_lbr ? &s->call_stacks : NULL;
	if (moment_init(&s->now, symbols_jit(symbols)) < 0 || !s->images || !s->lines)
		return err_nomem(err);
	return 0;
}

void script_free(struct script *s)
{
	moment_free(&s->now);
	address_cache_free(&s->addresses);
	chain_finder_free(&s->chains);
	call_stacks_free(&s->call_stacks);
	unwind_images_free(s->images);
	source_lines_free(s->lines);
	for (size_t i = 0; i < s->own_formats.n; i++)
		tracefmt_free(s->own_formats.at[i]);
	vec_free(&s->own_formats);
	vec_free(&s->list);
	vec_free(&s->evsels);
	vec_free(&s->cgroups);
	script_stat_free(&s->stat);
	u64map_free(&s->by_id);
	u64map_free(&s->cgroup_of);
	arena_free(&s->arena);
}

void script_set_formats(struct script *s, const struct tracefmt *formats)
{
	s->formats = s->chains.kernel = formats;
	address_cache_use(&s->addresses, s->addresses.locator.symbols, s->lines, formats);
}

int script_set_evsels(struct script *s, const struct sonde_evsel *const *list, size_t n)
{
	s->list.n = s->evsels.n = 0;
	s->width = 0;
	if (vec_reserve(&s->list, n) < 0)
		return err_nomem(s->err);
	for (size_t i = 0; i < n; i++) {
		s->list.at[s->list.n++] = list[i];
		for (size_t k = 0; k < list[i]->nr_ids; k++)
			if (u64map_set(&s->by_id, list[i]->ids[k], (uint32_t)i) < 0)
				return err_nomem(s->err);
	}
	return 0;
}

/* Tracing data may come late in a pipe. Tracepoints have no text until then. */
static int load_formats(struct script *s)
{
	for (; s->nr_features < s->meta->nr_raw; s->nr_features++) {
		const struct sonde_raw_feature *f = &s->meta->raw[s->nr_features];
		struct tracefmt *formats = NULL;

		if (f->id != SONDE_FEAT_TRACING_DATA)
			continue;
		tracefmt_open(f->payload, f->file_offset, &formats, NULL);
		if (vec_push(&s->own_formats, formats) < 0) {
			tracefmt_free(formats);
			return err_nomem(s->err);
		}
		s->width = 0;
	}
	return 0;
}

/* The newest format of a tracepoint; NULL if there is none. Recorders write formats once, so the list is short. */
static const struct tracefmt_event *format_of(const struct script *s, uint64_t number)
{
	const struct tracefmt_event *e = NULL;
	size_t oldest = s->own_formats.n > FORMATS_MOST ? s->own_formats.n - FORMATS_MOST : 0;

	for (size_t i = s->own_formats.n; i > oldest && !e; i--)
		e = s->own_formats.at[i - 1] ? tracefmt_event(s->own_formats.at[i - 1], number) : NULL;
	return e || !s->formats ? e : tracefmt_event(s->formats, number);
}

/* The name of an event; the format of a tracepoint names it if the file does not. */
static const char *event_name(const struct script *s, const struct sonde_evsel *evsel)
{
	const struct tracefmt_event *e = NULL;

	if (evsel->attr->type == PERF_TYPE_TRACEPOINT && !strchr(evsel->name, ':'))
		e = format_of(s, evsel->attr->config);
	return e ? e->full_name : evsel->name;
}

static size_t longest_name(const struct script *s)
{
	size_t longest = 0;

	for (size_t i = 0; i < s->list.n; i++) {
		size_t len = line_name_length(event_name(s, s->list.at[i]));

		longest = len > longest ? len : longest;
	}
	return longest;
}

/* Right-aligns the name to the longest name of the trace, as perf does. */
static int name_event(struct script *s, const struct sonde_evsel *evsel, struct sonde_str *out)
{
	struct buf text = BUF_MEMORY;
	const char *name = event_name(s, evsel);
	size_t len = line_name_length(name);

	if (!s->width)
		s->width = longest_name(s);
	if (len < s->width)          /* the name may have become longer since */
		buf_pad(&text, ' ', s->width - len);
	text_line_name(&text, name);
	buf_put(&text, ": ", 2);
	out->p = text.failed ? NULL : arena_strndup(&s->arena, text.p, text.n);
	out->len = text.n;
	buf_free(&text);
	return out->p ? 0 : err_nomem(s->err);
}

/* A sample of a trace.dat has an address if a stack follows it: no attr tells. */
static int find_fields(struct script *s, const struct sonde_evsel *evsel, struct script_evsel *ss)
{
	struct sonde_attr attr = *evsel->attr;
	int r;

	if (!s->formats)
		return script_fields_of(&s->fields, &attr, evsel->name, &ss->fields, s->err);
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IP;
	r = script_fields_of(&s->fields, &attr, evsel->name, &ss->fields, s->err);
	ss->boot = tracefmt_boot(s->formats, evsel->buffer);
	ss->stack_fields = !s->no_callchain && ss->fields & SCRIPT_BIT(IP) ? ss->fields : 0;
	ss->fields &= ~SCRIPT_OF_PLACE;
	return r;
}

static int new_evsel(struct script *s, const struct sonde_evsel *evsel, const struct script_evsel **out)
{
	struct script_evsel *ss = arena_alloc(&s->arena, sizeof(*ss));
	int r;

	if (!ss)
		return err_nomem(s->err);
	*ss = (struct script_evsel){ 0 };
	r = evsel->attr->type == PERF_TYPE_TRACEPOINT ? load_formats(s) : 0;
	if (r == 0)
		r = find_fields(s, evsel, ss);
	if (r == 0 && ss->fields & SCRIPT_BIT(TOD) && !s->meta->clock_data.tod_ns)
		r = err_set(s->err, SONDE_USAGE, SONDE_NONE,
			    "field 'tod' needs the wall clock, which the recording lacks (record with -k CLOCK)");
	if (r == 0)
		r = name_event(s, evsel, &ss->event);
	if (r < 0)
		return r;
	ss->chain = evsel->attr->sample_type & PERF_SAMPLE_CALLCHAIN && !s->no_callchain &&
		ss->fields & SCRIPT_BIT(IP);
	if (evsel->attr->type == PERF_TYPE_TRACEPOINT)
		ss->format = format_of(s, evsel->attr->config);
	ss->plain = !(evsel->attr->sample_type & (PERF_SAMPLE_READ | SAMPLE_CGROUP)) &&
		    !(evsel->attr->flags & SONDE_ATTR_DEFER_CALLCHAIN) &&
		    !(s->stitch_lbr && evsel->attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	ss->simple = ss->plain && !(evsel->attr->sample_type & ~(uint64_t)SAMPLE_SIMPLE);
	*out = s->evsels.at[evsel->index] = ss;
	return 0;
}

static int evsel_ready(struct script *s, const struct sonde_evsel *evsel, const struct script_evsel **out)
{
	while (s->evsels.n <= evsel->index)
		if (vec_push(&s->evsels, NULL) < 0)
			return err_nomem(s->err);
	*out = s->evsels.at[evsel->index];
	return *out ? 0 : new_evsel(s, evsel, out);
}

static const char *cgroup_path(const struct script *s, uint64_t id)
{
	uint32_t i = u64map_get(&s->cgroup_of, id);

	return i == U64MAP_NONE ? "unknown" : s->cgroups.at[i].path;
}

/* The time of a sample as the clock of the options shows it. */
static uint64_t shown_time(struct script *s, uint64_t time)
{
	uint64_t since = s->clock == SONDE_CLOCK_RELATIVE ? s->out->first_time : s->out->last_time;

	if (s->clock == SONDE_CLOCK_TRACE || time == SONDE_NONE)
		return time;
	s->out->last_time = time;
	if (s->out->first_time == SONDE_NONE)
		s->out->first_time = time;
	return time > since ? time - since : 0;
}

/* Notes the state of the tasks that the text of a sample depends on. */
static void fill_moment(struct script *s, const struct moment_task *task, const struct script_evsel *look,
			struct script_moment *m)
{
	m->script = s;
	m->look = look;
	m->comm = task->comm;
	m->cgroup = "";
	m->user = task->roots.user;
	m->kernel = task->roots.kernel;
}

static void fill_moment_of_event(struct script *s, const struct sonde_event *ev, const struct script_evsel *look,
				 struct script_moment *m)
{
	const struct moment_task *task = moment_task_of(&s->now, ev);

	fill_moment(s, task, look, m);
	m->event = *event_of(ev);
	m->time = shown_time(s, ev->time);
	m->at_ip = task_roots_get(&task->roots, ev->cpumode, ev->ip);
}

static int print_sample(struct script *s, const struct sonde_event *ev, const struct script_evsel *look,
			const struct sample *sample)
{
	struct sample_printer printer = script_printer(s);
	struct script_moment m;

	if (!look->fields)
		return 0;
	fill_moment_of_event(s, ev, look, &m);
	m.cgroup = cgroup_path(s, sample->cgroup);
	script_sample(&printer, &m, sample);
	return 0;
}

static bool is_listed(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return n == 0;
}

/* Matches the path or its last part. */
static bool dso_is_listed(const struct script *s, const struct addr_location *location)
{
	const char *name = location->mapping ? location->mapping->binary->name : "[unknown]";
	const char *slash = strrchr(name, '/');

	return is_listed(name, s->dsos, s->nr_dsos) || (slash && is_listed(slash + 1, s->dsos, s->nr_dsos));
}

static bool is_wanted(struct script *s, const struct sonde_event *ev)
{
	struct addr_location location;
	char spare[SCRIPT_NUMBER];
	const char *symbol;
	uint64_t offset;

	if (s->nr_comms &&
	    !is_listed(script_comm(s, ev->machine_pid, ev->pid, ev->tid, spare), s->comms, s->nr_comms))
		return false;
	if (!s->nr_dsos && !s->nr_names)
		return true;
	location = locator_find(&s->addresses.locator,
				task_roots_get(&moment_task_of(&s->now, ev)->roots, ev->cpumode, ev->ip), ev->cpumode,
				ev->ip, false);
	symbol = addr_location_symbol(&location, ev->ip, &offset);
	return dso_is_listed(s, &location) && (!s->nr_names || (symbol && is_listed(symbol, s->names, s->nr_names)));
}

/* Puts a sample that any thread can format into the pool. */
static int put_sample(struct script *s, const struct sonde_event *ev, const struct script_evsel *look)
{
	struct script_line *line;

	if (script_put_text(s->out) < 0 || !(line = ordered_pool_item(s->out->pool)))
		return err_nomem(s->err);
	line->is_text = line->is_head = false;
	fill_moment_of_event(s, ev, look, &line->sample);
	line->sample.event.block = NULL;     /* the bytes that the pool keeps are a copy */
	return ordered_pool_put(s->out->pool, ev->raw, ev->raw_size) < 0 ? err_nomem(s->err) : 0;
}

bool script_takes_heads(const struct script *s, const struct sonde_evsel *evsel)
{
	const struct script_evsel *look = evsel->index < s->evsels.n ? s->evsels.at[evsel->index] : NULL;

	return look && look->plain && !s->now.tasks.nr_dumps && !s->nr_comms && !s->nr_dsos && !s->nr_names;
}

int script_head_of_sample(struct script *s, const struct reader *reader, const struct sample_head *head)
{
	const struct script_evsel *look = s->evsels.at[head->evsel->index];
	const struct moment_task *task = moment_task(&s->now, 0, head->pid, head->tid);
	struct script_line *line;

	if (!look->fields)
		return 0;
	if (script_put_text(s->out) < 0 || !(line = ordered_pool_item(s->out->pool)))
		return err_nomem(s->err);
	line->is_text = false;
	line->is_head = true;
	fill_moment(s, task, look, &line->sample);
	line->sample.event.reader = reader;
	line->sample.event.pub.evsel = head->evsel;
	line->sample.event.pub.raw_size = head->ref->size;
	line->sample.time = shown_time(s, head->time);
	line->sample.at_ip = task_roots_get(&task->roots, head->cpumode, head->ip);
	return ordered_pool_put(s->out->pool, head->ref->p, head->ref->size) < 0 ? err_nomem(s->err) : 0;
}

static bool has_stack(const struct sonde_event *ev)
{
	const struct reader *r = event_of(ev)->reader;

	return r->ops->callchain(r, ev).nr || (r->ops->user_callchain && r->ops->user_callchain(r, ev).nr);
}

static int take_sample(struct script *s, const struct sonde_event *ev)
{
	struct sample decoded;
	const struct script_evsel *ss;
	int r;

	if (!ev->evsel)
		return 0;
	if (moment_advance(&s->now, ev) < 0)
		return err_nomem(s->err);
	r = evsel_ready(s, ev->evsel, &ss);
	if (r < 0 || !is_wanted(s, ev))
		return r;
	/* the stack of an event of a trace.dat lies behind its record, which is all that other threads have */
	if (ss->plain && !(ss->stack_fields && has_stack(ev)))
		return ss->fields ? put_sample(s, ev, ss) : 0;
	event_sample(ev, &decoded);
	return print_sample(s, ev, ss, &decoded);
}

static int take_cgroup_field(void *ctx, const struct sonde_field *f)
{
	struct script *s = ctx;
	struct script_cgroup *last;

	if (strcmp(f->name, "id") == 0)
		return vec_push(&s->cgroups, ((struct script_cgroup){ .id = f->u, .path = "" }));
	if (strcmp(f->name, "path") != 0 || !s->cgroups.n)
		return 0;
	last = &s->cgroups.at[s->cgroups.n - 1];
	last->path = arena_strndup(&s->arena, f->text.p, f->text.len);
	return last->path ? u64map_set(&s->cgroup_of, last->id, (uint32_t)(s->cgroups.n - 1)) : -SONDE_NOMEM;
}

bool script_must_settle(const struct script *s, const struct sonde_event *ev)
{
	return ev->kind != SONDE_KIND_SAMPLE && moment_has_news(&s->now, s->meta);
}

int script_event(struct script *s, const struct sonde_event *ev)
{
	int r = 0;

	if (ev->kind == SONDE_KIND_SAMPLE)
		return take_sample(s, ev);
	if (ev->type == PERF_RECORD_CGROUP)
		r = event_fields(ev, take_cgroup_field, s);
	else if (ev->type >= RECORD_USER)
		r = script_stat_event(&s->stat, ev, &s->by_id, s->list.at, s->name, &s->out->text);
	if (r == -SONDE_NOMEM || moment_apply(&s->now, ev, s->meta) < 0)
		return err_nomem(s->err);
	if (!s->show)
		return 0;
	script_record(s, ev);
	return 0;
}
