/* SPDX-License-Identifier: MIT */
/*
 * pprof.c - profile.proto of pprof, compressed: samples with their labels, then the tables that they refer to
 *
 * Field numbers: github.com/google/pprof, proto/profile.proto. Each cell of the profile is a sample. Addresses are
 * those in the binaries, as symbols have them: each binary is one mapping from 0 on, whatever process mapped it where.
 */
#include "export/pprof/pprof.h"

#include <string.h>

#include "base/protobuf.h"
#include "codec/gzip.h"
#include "export/build_id_text.h"
#include "export/locations.h"
#include "export/main_binary.h"
#include "export/named_functions.h"
#include "export/recording_notes.h"
#include "export/weights.h"

enum profile_field {
	SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING_TABLE, TIME_NANOS = 9, DURATION_NANOS, PERIOD_TYPE,
	PERIOD, COMMENT, DEFAULT_SAMPLE_TYPE,
};
enum pprof_sample_field { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum label_field { LABEL_KEY = 1, LABEL_STR, LABEL_NUM };
enum mapping_field {
	MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_BUILD_ID, HAS_FUNCTIONS,
	HAS_FILENAMES, HAS_LINE_NUMBERS, HAS_INLINE_FRAMES,
};
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum function_field { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILENAME };

#define PAGE UINT64_C(4096)

struct pprof {
	struct export *x;
	const struct sonde_profile *p;
	struct named_functions functions;
	struct locations locations;
	struct strpool strings;      /* string_table; 0 is "" */
	struct buf message;          /* the one at hand, with those around it */
	struct buf *out;
	VEC(uint32_t) events;        /* those to write */
	uint64_t *limits;            /* by binary: the end of what lies in it; 0: nothing is known to */
	bool failed;                 /* memory was too short for a string */
	bool any;
};

/* The index of a string. */
static uint64_t string(struct pprof *w, const char *s)
{
	uint32_t number = strpool_add(&w->strings, s, strlen(s));

	w->failed |= number == UINT32_MAX;
	return number;
}

/* The message at hand is complete. */
static void emit(struct pprof *w)
{
	buf_take_failure(w->out, &w->message);
	buf_put(w->out, w->message.p, w->message.n);
	w->message.n = 0;
}

static void put_type(struct pprof *w, uint32_t field, const char *type, const char *unit)
{
	size_t m = pb_begin(&w->message, field);

	pb_u64(&w->message, 1, string(w, type));
	pb_u64(&w->message, 2, string(w, unit));
	pb_end(&w->message, m);
	emit(w);
}

/* The name of an event's weight. A profile of one clock has the name that pprof knows. */
static const char *weight_name(const struct pprof *w, const struct sonde_profile_event *e)
{
	return w->events.n == 1 && attr_counts_ns(e->attr) ? "cpu" : e->name;
}

/* Two values for each event: its samples and their weight. */
static void put_types(struct pprof *w)
{
	struct buf name = BUF_MEMORY;

	for (size_t i = 0; i < w->events.n; i++) {
		const struct sonde_profile_event *e = &w->p->events.at[w->events.at[i]];

		name.n = 0;
		if (w->events.n > 1)
			buf_printf(&name, "%s ", e->name);
		buf_str(&name, "samples");
		buf_char(&name, '\0');
		w->failed |= name.failed;
		put_type(w, SAMPLE_TYPE, name.failed ? "" : name.p, "count");
		put_type(w, SAMPLE_TYPE, weight_name(w, e), weight_unit(e));
	}
	buf_free(&name);
	if (w->events.n == 0)
		put_type(w, SAMPLE_TYPE, "samples", "count");
}

static void put_label(struct pprof *w, const char *key, uint32_t field, uint64_t value)
{
	size_t m = pb_begin(&w->message, SAMPLE_LABEL);

	pb_u64(&w->message, LABEL_KEY, string(w, key));
	pb_u64(&w->message, field, value);
	pb_end(&w->message, m);
}

static void put_values(struct pprof *w, const struct sonde_profile_cell *cell)
{
	size_t values = pb_begin(&w->message, SAMPLE_VALUE);

	for (size_t i = 0; i < w->events.n; i++) {
		bool own = w->events.at[i] == cell->event;

		pb_varint(&w->message, own ? cell->samples : 0);
		pb_varint(&w->message, own ? cell->period : 0);
	}
	pb_end(&w->message, values);
}

static int put_sample(struct pprof *w, const struct sonde_profile_cell *cell)
{
	const struct sonde_profile_task *task = &w->p->who.at[cell->task];
	size_t m;

	if (locations_of_cell(&w->locations, cell) < 0)
		return -SONDE_NOMEM;
	m = pb_begin(&w->message, SAMPLE);
	pb_packed(&w->message, SAMPLE_LOCATION, w->locations.path.at, w->locations.path.n);
	put_values(w, cell);
	put_label(w, "comm", LABEL_STR, string(w, task->comm));
	put_label(w, "pid", LABEL_NUM, (uint64_t)(int64_t)task->pid);
	put_label(w, "tid", LABEL_NUM, (uint64_t)(int64_t)task->tid);
	if (task->host_name)  /* the comment names the first machine */
		put_label(w, "host", LABEL_STR, string(w, task->host_name));
	pb_end(&w->message, m);
	emit(w);
	w->any = true;
	return 0;
}

static int put_samples(struct pprof *w)
{
	const uint32_t *cells;
	size_t n;
	int r = 0;

	for (size_t i = 0; i < w->events.n; i++) {
		cells = event_cells_of(&w->x->cells, w->events.at[i], &n);
		for (size_t k = 0; k < n && r == 0; k++)
			r = put_sample(w, &w->p->cells.at[cells[k]]);
	}
	return r;
}

static const struct named_function *function_of(const struct pprof *w, uint32_t frame)
{
	return &w->functions.list.at[w->functions.of_frame[frame]];
}

/* A binary that has nothing beyond its limit yet. */
static void note_limit(struct pprof *w, const struct named_function *f)
{
	uint64_t end = f->addr + f->size + 1;

	if (f->binary != NO_BINARY && w->limits[f->binary] < end)
		w->limits[f->binary] = end;
}

static void put_line(struct pprof *w, uint32_t frame)
{
	size_t m = pb_begin(&w->message, LOCATION_LINE);

	pb_u64(&w->message, 1, (uint64_t)w->functions.of_frame[frame] + 1);
	if (w->p->frames.list.at[frame].line)
		pb_u64(&w->message, 2, w->p->frames.list.at[frame].line);
	pb_end(&w->message, m);
}

static void put_locations(struct pprof *w)
{
	for (uint32_t i = 0; i < w->locations.list.n; i++) {
		const struct location *l = &w->locations.list.at[i], *outer = l;
		size_t m = pb_begin(&w->message, LOCATION);
		const struct named_function *f;

		while (outer->into != NO_LOCATION)
			outer = &w->locations.list.at[outer->into];
		f = function_of(w, outer->frame);
		note_limit(w, f);
		pb_u64(&w->message, LOCATION_ID, (uint64_t)i + 1);
		if (f->binary != NO_BINARY)
			pb_u64(&w->message, LOCATION_MAPPING, (uint64_t)f->binary + 1);
		pb_u64(&w->message, LOCATION_ADDRESS, f->addr);
		for (;; l = &w->locations.list.at[l->into]) {
			put_line(w, l->frame);
			if (l->into == NO_LOCATION)
				break;
		}
		pb_end(&w->message, m);
		emit(w);
	}
}

static void put_functions(struct pprof *w)
{
	for (size_t i = 0; i < w->functions.list.n; i++) {
		const struct named_function *f = &w->functions.list.at[i];
		size_t m = pb_begin(&w->message, FUNCTION);

		pb_u64(&w->message, FUNCTION_ID, i + 1);
		pb_u64(&w->message, FUNCTION_NAME, string(w, f->name));
		pb_u64(&w->message, FUNCTION_SYSTEM_NAME, string(w, f->linkage_name ? f->linkage_name : f->name));
		if (f->file)
			pb_u64(&w->message, FUNCTION_FILENAME, string(w, f->file));
		pb_end(&w->message, m);
		emit(w);
	}
}

static void put_mapping(struct pprof *w, const struct binary *b)
{
	size_t m = pb_begin(&w->message, MAPPING);
	bool is_kernel = b->kind == BINARY_KERNEL;

	pb_u64(&w->message, MAPPING_ID, (uint64_t)b->index + 1);
	pb_u64(&w->message, MAPPING_START, is_kernel ? b->ref_addr : 0);
	pb_u64(&w->message, MAPPING_LIMIT,
	       is_kernel ? UINT64_MAX : (w->limits[b->index] + PAGE - 1) / PAGE * PAGE);
	pb_u64(&w->message, MAPPING_FILE, string(w, b->name));
	pb_u64(&w->message, MAPPING_BUILD_ID, string(w, build_id_text(b).s));
	pb_u64(&w->message, HAS_FUNCTIONS, true);
	pb_u64(&w->message, HAS_FILENAMES, w->p->frames.by_line);
	pb_u64(&w->message, HAS_LINE_NUMBERS, w->p->frames.by_line);
	pb_u64(&w->message, HAS_INLINE_FRAMES, w->p->frames.inlined);
	pb_end(&w->message, m);
	emit(w);
}

static int put_mappings(struct pprof *w)
{
	struct binary *const *list = w->p->tasks->binaries.list.at;
	uint32_t main;

	if (main_binary_find(w->p, &main) < 0)
		return -SONDE_NOMEM;
	if (main != NO_BINARY)  /* the first one is the program for pprof */
		put_mapping(w, list[main]);
	for (uint32_t i = 0; i < w->p->tasks->binaries.list.n; i++)
		if (w->limits[i] && i != main)
			put_mapping(w, list[i]);
	return 0;
}

static void put_comment(void *ctx, const char *text)
{
	struct pprof *w = ctx;

	pb_u64(&w->message, COMMENT, string(w, text));
}

static void put_head(struct pprof *w)
{
	const struct sonde_profile_event *e = w->events.n ? &w->p->events.at[w->events.at[0]] : NULL;

	pb_u64(&w->message, TIME_NANOS, recording_wall_ns(w->x));
	pb_u64(&w->message, DURATION_NANOS, sonde_profile_wall_ns(w->p));
	if (e) {
		pb_u64(&w->message, DEFAULT_SAMPLE_TYPE, string(w, weight_name(w, e)));
		put_type(w, PERIOD_TYPE, weight_name(w, e), weight_unit(e));
	}
	if (e && e->attr && !(e->attr->flags & SONDE_ATTR_FREQ))
		pb_u64(&w->message, PERIOD, e->attr->sample_period);
	if (recording_notes(w->x, put_comment, w) < 0)
		w->failed = true;
	emit(w);
}

static void put_strings(struct pprof *w)
{
	for (size_t i = 0; i < w->strings.names.n; i++) {
		pb_str(&w->message, STRING_TABLE, w->strings.names.at[i]);
		emit(w);
	}
}

static int put_all(struct pprof *w)
{
	w->limits = calloc(w->p->tasks->binaries.list.n + 1, sizeof(*w->limits));
	if (!w->limits || strpool_add(&w->strings, "", 0) == UINT32_MAX)
		return -SONDE_NOMEM;
	if (named_functions_make(&w->functions, w->p) < 0 || locations_make(&w->locations, w->p) < 0)
		return -SONDE_NOMEM;
	put_types(w);
	if (put_samples(w) < 0)
		return -SONDE_NOMEM;
	put_locations(w);
	put_functions(w);
	if (put_mappings(w) < 0)
		return -SONDE_NOMEM;
	put_head(w);
	put_strings(w);
	return w->failed ? -SONDE_NOMEM : w->any;
}

int export_pprof(struct export *x)
{
	struct pprof w = { .x = x, .p = x->profile, .message = BUF_MEMORY };
	int chosen = export_names_event(x) ? export_event(x) : 0, r = chosen < 0 ? chosen : 0, ended;
	struct buf packed;
	struct gzip gzip;

	for (uint32_t i = 0; i < w.p->events.n && r == 0; i++)
		if (export_wants_event(x, i))
			r = vec_push(&w.events, i);
	if (r == 0) {
		packed = gzip_begin(&gzip, x->out);
		w.out = &packed;
		r = put_all(&w);
		ended = gzip_end(&gzip, &packed);
		r = r < 0 ? r : ended < 0 ? ended : r;
	}
	named_functions_free(&w.functions);
	locations_free(&w.locations);
	strpool_free(&w.strings);
	buf_free(&w.message);
	vec_free(&w.events);
	free(w.limits);
	return r;
}
