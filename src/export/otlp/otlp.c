/* SPDX-License-Identifier: MIT */
/*
 * otlp.c - a message ProfilesData of OpenTelemetry: a profile for each event of a machine, a sample for each thread and
 * stack
 *
 * Field numbers: opentelemetry-proto 1.11, profiles/v1development, which is not stable yet. Samples have their times if
 * the recording tells how its clock and the wall clock lie to each other, since they must be dates; else one sum.
 */
#include "export/otlp/otlp.h"

#include <string.h>

#include "base/protobuf.h"
#include "export/otlp/dictionary.h"
#include "export/recording_notes.h"
#include "export/weights.h"

enum { RESOURCE_PROFILES = 1, DICTIONARY };                     /* ProfilesData */
enum { RESOURCE = 1, SCOPE_PROFILES };                          /* ResourceProfiles */
enum { SCOPE = 1, PROFILES };                                   /* ScopeProfiles */
enum { SAMPLE_TYPE = 1, SAMPLES, TIME, DURATION, PERIOD_TYPE, PERIOD, ATTRIBUTES = 11 };       /* Profile */
enum { STACK = 1, SAMPLE_ATTRIBUTES, VALUES = 4, TIMES };       /* Sample */

struct otlp {
	struct export *x;
	const struct sonde_profile *p;
	struct otlp_dictionary dictionary;
	struct buf message;
	uint64_t (*attributes)[3];   /* by task: of its thread's id, name and process; 0: not made yet */
	uint32_t *first;             /* by cell: its first sample in `order`; one more entry is the end */
	uint32_t *order;             /* numbers of samples by cell and time */
	uint64_t wall;               /* the date of the first sample; 0: not known */
	bool any;
};

/* The samples of each cell together. */
static int order_samples(struct otlp *w)
{
	const struct sonde_profile *p = w->p;
	size_t n = p->timed.list.n;

	w->first = calloc(p->cells.n + 2, sizeof(*w->first));
	w->order = malloc((n + 1) * sizeof(*w->order));
	if (!w->first || !w->order || n > UINT32_MAX)
		return -SONDE_NOMEM;
	/* counted two places further on, so that the entries are right when all samples have their places */
	for (size_t i = 0; i < n; i++)
		w->first[p->timed.list.at[i].cell + 2]++;
	for (size_t i = 2; i < p->cells.n + 2; i++)
		w->first[i] += w->first[i - 1];
	for (uint32_t i = 0; i < n; i++)
		w->order[w->first[p->timed.list.at[i].cell + 1]++] = i;
	return 0;
}

static void put_key_value(struct buf *m, uint32_t field, const char *key, const char *text)
{
	size_t attribute, value;

	if (!text || !*text)
		return;
	attribute = pb_begin(m, field);
	pb_str(m, 1, key);
	value = pb_begin(m, 2);
	pb_str(m, 1, text);
	pb_end(m, value);
	pb_end(m, attribute);
}

static void put_type(struct otlp *w, uint32_t field, const struct sonde_profile_event *e)
{
	size_t m = pb_begin(&w->message, field);
	bool by_samples = w->x->opts.weight == SONDE_WEIGHT_SAMPLES && field == SAMPLE_TYPE;

	pb_u64(&w->message, 1, otlp_string(&w->dictionary, by_samples ? "samples" : e->name));
	pb_u64(&w->message, 2, otlp_string(&w->dictionary, !by_samples && weight_is_ns(e) ? "ns" : "count"));
	pb_end(&w->message, m);
}

static void put_task(struct otlp *w, uint32_t number)
{
	const struct sonde_profile_task *task = &w->p->who.at[number];
	uint64_t *own = w->attributes[number];

	if (!own[0]) {
		own[0] = otlp_attribute_number(&w->dictionary, "thread.id", task->tid);
		own[1] = otlp_attribute_text(&w->dictionary, "thread.name", task->comm);
		own[2] = otlp_attribute_number(&w->dictionary, "process.pid", task->pid);
	}
	pb_packed(&w->message, SAMPLE_ATTRIBUTES, own, 3);
}

/* One value for each sample, at its time. */
static void put_times(struct otlp *w, uint32_t cell)
{
	const struct sonde_profile_sample *samples = w->p->timed.list.at;
	size_t m = pb_begin(&w->message, VALUES);

	for (uint32_t i = w->first[cell]; i < w->first[cell + 1]; i++)
		pb_varint(&w->message, w->x->opts.weight == SONDE_WEIGHT_SAMPLES ? 1 : samples[w->order[i]].period);
	pb_end(&w->message, m);
	m = pb_begin(&w->message, TIMES);
	for (uint32_t i = w->first[cell]; i < w->first[cell + 1]; i++) {
		uint64_t time = samples[w->order[i]].time;
		uint64_t date = time == SONDE_NONE ? w->wall : w->wall + (time - w->p->times.first);

		for (int byte = 0; byte < 8; byte++)
			buf_char(&w->message, (char)(date >> 8 * byte));
	}
	pb_end(&w->message, m);
}

static void put_sample(struct otlp *w, uint32_t number)
{
	const struct sonde_profile_cell *cell = &w->p->cells.at[number];
	uint64_t sum = w->x->opts.weight == SONDE_WEIGHT_SAMPLES ? cell->samples : cell->period;
	size_t m = pb_begin(&w->message, SAMPLES);

	pb_u64(&w->message, STACK, otlp_stack(&w->dictionary, cell));
	put_task(w, cell->task);
	if (w->wall)
		put_times(w, number);
	else
		pb_packed(&w->message, VALUES, &sum, 1);
	pb_end(&w->message, m);
	w->any = true;
}

/* The losses of the recording, as one attribute of a profile. */
static void put_losses(struct otlp *w)
{
	const struct ledger *losses = w->x->recorded.losses;
	struct buf text = BUF_MEMORY;
	uint64_t attribute;

	for (size_t i = 0; losses && i < losses->rows.n; i++)
		buf_printf(&text, "%s%llu %s", i ? "; " : "", (unsigned long long)losses->rows.at[i].count,
			   losses->rows.at[i].text);
	buf_char(&text, '\0');
	w->dictionary.failed |= text.failed;
	if (text.n > 1) {
		attribute = otlp_attribute_text(&w->dictionary, "sonde.lost", text.p);
		pb_packed(&w->message, ATTRIBUTES, &attribute, 1);
	}
	buf_free(&text);
}

static bool has_samples(const struct otlp *w, uint32_t event, uint32_t host)
{
	size_t n;
	const uint32_t *cells = event_cells_of(&w->x->cells, event, &n);

	for (size_t i = 0; i < n; i++)
		if (w->p->who.at[w->p->cells.at[cells[i]].task].host == host)
			return true;
	return false;
}

static void put_profile(struct otlp *w, uint32_t event, uint32_t host)
{
	const struct sonde_profile_event *e = &w->p->events.at[event];
	size_t n, m = pb_begin(&w->message, PROFILES);
	const uint32_t *cells = event_cells_of(&w->x->cells, event, &n);

	put_type(w, SAMPLE_TYPE, e);
	for (size_t i = 0; i < n; i++)
		if (w->p->who.at[w->p->cells.at[cells[i]].task].host == host)
			put_sample(w, cells[i]);
	if (w->wall) {
		pb_fixed64(&w->message, TIME, w->wall);
		pb_u64(&w->message, DURATION, w->p->times.last - w->p->times.first + 1);
	} else {
		pb_u64(&w->message, DURATION, sonde_profile_wall_ns(w->p));
	}
	put_type(w, PERIOD_TYPE, e);
	if (e->attr && !(e->attr->flags & SONDE_ATTR_FREQ))
		pb_u64(&w->message, PERIOD, e->attr->sample_period);
	put_losses(w);
	pb_end(&w->message, m);
}

/* Only the name is known of another machine than the first one. */
static void put_resource(struct otlp *w, uint32_t host)
{
	const struct meta *meta = w->x->recorded.meta;
	size_t m = pb_begin(&w->message, RESOURCE);

	if (host) {
		put_key_value(&w->message, 1, "host.name", w->p->hosts.at[host]);
	} else if (meta) {
		put_key_value(&w->message, 1, "host.name", meta->hostname);
		put_key_value(&w->message, 1, "host.arch", meta->arch);
		put_key_value(&w->message, 1, "os.version", meta->osrelease);
	}
	pb_end(&w->message, m);
}

/* The profiles of a machine. */
static void put_host(struct otlp *w, uint32_t host)
{
	size_t resource = pb_begin(&w->message, RESOURCE_PROFILES), scopes, scope;

	put_resource(w, host);
	scopes = pb_begin(&w->message, SCOPE_PROFILES);
	scope = pb_begin(&w->message, SCOPE);
	pb_str(&w->message, 1, "sonde");
	pb_str(&w->message, 2, SONDE_VERSION);
	pb_end(&w->message, scope);
	for (uint32_t i = 0; i < w->p->events.n; i++)
		if (export_wants_event(w->x, i) && (host == 0 || has_samples(w, i, host)))
			put_profile(w, i, host);
	pb_end(&w->message, scopes);
	pb_end(&w->message, resource);
}

static int put_all(struct otlp *w)
{
	w->attributes = calloc(w->p->who.n + 1, sizeof(*w->attributes));
	w->wall = recording_wall_ns(w->x);
	if (!w->attributes || otlp_dictionary_make(&w->dictionary, w->p) < 0 || order_samples(w) < 0)
		return -SONDE_NOMEM;
	put_host(w, 0);
	for (uint32_t host = 1; host < w->p->hosts.n; host++)
		put_host(w, host);
	otlp_dictionary_put(&w->dictionary, &w->message, DICTIONARY);
	if (w->dictionary.failed || w->message.failed)
		return -SONDE_NOMEM;
	buf_move(w->x->out, &w->message);
	return w->any;
}

int export_otlp(struct export *x)
{
	struct otlp w = { .x = x, .p = x->profile, .message = BUF_MEMORY };
	int chosen = export_names_event(x) ? export_event(x) : 0, r = chosen < 0 ? chosen : 0;

	if (r == 0)
		r = put_all(&w);
	otlp_dictionary_free(&w.dictionary);
	buf_free(&w.message);
	free(w.attributes);
	free(w.first);
	free(w.order);
	return r;
}
