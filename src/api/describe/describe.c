/* SPDX-License-Identifier: MIT */
#include "api/describe/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/base/error.h"
#include "api/base/text_output.h"
#include "api/describe/counts.h"
#include "api/describe/describe_alignment.h"
#include "api/describe/describe_bundle.h"
#include "api/describe/describe_losses.h"
#include "api/describe/describe_profile.h"
#include "api/describe/describe_tracedat.h"
#include "api/trace/meta.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "base/plain_locale.h"
#include "perfdata/format/attr_text.h"
#include "perfdata/format/feature.h"

#define RECORD_SAMPLE 9

static const char *const mode_names[] = {
	[SONDE_MODE_FILE] = "file", [SONDE_MODE_PIPE] = "pipe", [SONDE_MODE_DIRECTORY] = "directory",
};

#define SIMPLEPERF_TYPES 32768  /* simpleperf's record types begin here */

struct describe {
	struct sonde_trace *t;
	const struct sonde_trace_info *info;
	const struct meta *meta;
	bool full, counted, header;
	struct counts counts;
};

/* Reads everything, or a stream up to its first sample: the features come before that. */
static int read_events(struct describe *d, bool all, struct sonde_error *err)
{

	const struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_FILE };
	struct single *it = single_new(d->t, &query);
	const struct sonde_event *ev;
	struct sample_heads heads;
	int r;

	if (!it)
		return err_nomem(err);
	while ((r = all ? single_next_heads(it, &ev, &heads) : single_next(it, &ev)) > 0) {
		if (r == 2)
			r = counts_add_heads(&d->counts, it, &heads);
		else if (all)
			r = counts_add(&d->counts, d->t, ev);
		else if (ev->type == RECORD_SAMPLE)
			r = 0;
		else
			continue;
		if (r < 0 || !all)
			break;
	}
	single_free(it);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0 && err && err->code == 0)
		*err = *sonde_trace_error(d->t);
	return r;
}

static void line_u64(struct buf *out, const char *label, uint64_t v)
{
	buf_printf(out, "# %-15s: %" PRIu64 "\n", label, v);
}

static void print_captured(struct buf *out, const char *path)
{
	bool stream = strcmp(path, "-") == 0;
	struct stat st;
	struct plain_locale plain;
	char text[64];
	struct tm tm;

	/* the time of a pipe is not that of its content */
	if (stream && (fstat(STDIN_FILENO, &st) < 0 || !S_ISREG(st.st_mode))) {
		buf_str(out, "# captured on    : unknown (a stream does not say)\n");
		return;
	}
	if ((!stream && stat(path, &st) < 0) || !localtime_r(&st.st_mtime, &tm))
		return;
	plain = plain_locale_begin();
	strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
	plain_locale_end(plain);
	buf_printf(out, "# captured on    : %s\n", text);
}

/* Names the known features that are missing. A pipe does not announce its features, so none can be missing. */
static void print_missing(struct buf *out, const struct meta *meta)
{
	buf_str(out, "# missing features: ");
	for (uint32_t id = SONDE_FEAT_TRACING_DATA; id <= SONDE_FEAT_CLN_SIZE; id++)
		if (!feature_has(meta, id))
			buf_printf(out, "%s ", sonde_feature_name(id));
	buf_char(out, '\n');
}

/* Unit, scale and CPUs of an event's counts, from EVENT_UPDATE records. */
static void print_counting(struct buf *out, const struct sonde_evsel *s)
{
	if (s->unit) {
		buf_str(out, ", unit ");
		buf_text(out, s->unit, strlen(s->unit));
	}
	if (s->scale != 1.0)
		buf_printf(out, ", scale %g", s->scale);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		buf_str(out, i ? "," : ", CPUs ");
		if (s->cpus[i]->first < 0)
			buf_str(out, "any");
		else if (s->cpus[i]->first == s->cpus[i]->last)
			buf_printf(out, "%" PRId32, s->cpus[i]->first);
		else
			buf_printf(out, "%" PRId32 "-%" PRId32, s->cpus[i]->first, s->cpus[i]->last);
	}
}

static void print_evsels(struct buf *out, struct describe *d)
{
	for (size_t i = 0; i < sonde_trace_evsel_count(d->t); i++) {
		const struct sonde_evsel *s = sonde_trace_evsel_at(d->t, i);

		buf_str(out, "# event          : ");
		buf_text(out, s->name, strlen(s->name));
		buf_printf(out, ", %zu id%s", s->nr_ids, s->nr_ids == 1 ? "" : "s");
		if (s->leader != s->index)
			buf_printf(out, ", in the group of event %" PRIu32, s->leader);
		print_counting(out, s);
		buf_char(out, '\n');
	}
}

static void type_name(struct buf *out, uint32_t type)
{
	const char *name = sonde_event_type_name(type);

	if (name)
		buf_str(out, name);
	else
		buf_u64(out, type);
}

static void print_counts(struct buf *out, struct describe *d)
{
	const struct counts *c = &d->counts;

	for (size_t i = 0; i < c->types.n; i++) {
		buf_str(out, "# records        : ");
		type_name(out, c->types.at[i].type);
		buf_printf(out, " %" PRIu64 "\n", c->types.at[i].n);
	}
	for (size_t i = 1; i < d->info->nr_files; i++)
		buf_printf(out, "# records        : %" PRIu64 " in %s\n", i < c->files.n ? c->files.at[i] : 0,
			   d->info->files[i]);
	for (size_t i = 0; i < c->samples.n; i++) {
		const struct sonde_evsel *s = sonde_trace_evsel_at(d->t, i);

		if (!c->samples.at[i])
			continue;
		buf_str(out, "# samples        : ");
		buf_text(out, s->name, strlen(s->name));
		buf_printf(out, " %" PRIu64 "\n", c->samples.at[i]);
	}
	if (c->other_samples)
		buf_printf(out, "# samples        : %" PRIu64 " of events that the trace does not describe\n",
			   c->other_samples);
	if (c->time_min != SONDE_NONE)
		buf_printf(out,
			   "# sample times   : %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 ", %zu thread%s\n",
			   c->time_min / 1000000000, c->time_min % 1000000000, c->time_max / 1000000000,
			   c->time_max % 1000000000, c->tids.entries.n, c->tids.entries.n == 1 ? "" : "s");
	if (c->without_time)
		buf_printf(out, "# sample times   : %" PRIu64 " samples have none\n", c->without_time);
}

static void print_features(struct buf *out, struct describe *d)
{
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)
		if (feature_has(d->meta, id))
			feature_print(out, id, d->full, d->meta);
}

static void describe_text(struct buf *out, struct describe *d)
{
	const struct sonde_trace_info *info = d->info;
	bool pipe = info->mode == SONDE_MODE_PIPE;

	buf_str(out, "# ========\n");
	print_captured(out, info->path);
	/* perf counts versions from 0, and shows no data offset of a stream. */
	line_u64(out, "header version", info->version - 1);
	line_u64(out, "data offset", pipe ? 0 : info->data_offset);
	line_u64(out, "data size", pipe ? 0 : info->data_size);
	line_u64(out, "feat offset", pipe ? 0 : info->data_offset + info->data_size);
	print_features(out, d);
	if (!pipe)
		print_missing(out, d->meta);
	describe_alignment(out, d->t);
	buf_str(out, "# ========\n#\n");
	if (d->header)
		return;
	buf_printf(out, "# format         : %s version %" PRIu32 ", %s mode, %s-endian\n", info->format, info->version,
		   mode_names[info->mode], info->big_endian ? "big" : "little");
	print_evsels(out, d);
	if (d->counted)
		print_counts(out, d);
	describe_bundle(out, d->t);
	describe_losses(out, d->t, d->counted);
	buf_str(out, "#\n");
}

static void json_features(struct json *j, const struct describe *d)
{
	json_key(j, "features");
	json_object(j);
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		const char *name = sonde_feature_name(id);
		char key[32];

		if (!feature_has(d->meta, id))
			continue;
		if (name)
			snprintf(key, sizeof(key), "%s", name);
		else
			snprintf(key, sizeof(key), "feature_%" PRIu32, id);
		for (char *p = key; *p; p++)
			*p = *p >= 'A' && *p <= 'Z' ? (char)(*p | 0x20) : *p;
		json_key(j, key);
		feature_json(j, id, d->meta);
	}
	json_end(j);
}

static void json_counting(struct json *j, const struct sonde_evsel *s)
{
	if (s->unit)
		json_member_text(j, "unit", s->unit);
	if (s->scale != 1.0) {
		json_key(j, "scale");
		json_double(j, s->scale);
	}
	if (!s->nr_cpus)
		return;
	json_key(j, "cpus");
	json_array(j);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		json_array(j);
		json_i64(j, s->cpus[i]->first);
		json_i64(j, s->cpus[i]->last);
		json_end(j);
	}
	json_end(j);
}

static void json_evsels(struct json *j, const struct describe *d)
{
	json_key(j, "evlist");
	json_array(j);
	for (size_t i = 0; i < sonde_trace_evsel_count(d->t); i++) {
		const struct sonde_evsel *s = sonde_trace_evsel_at(d->t, i);

		json_object(j);
		json_member_text(j, "name", s->name);
		describe_u64(j, "ids", s->nr_ids);
		describe_u64(j, "leader", s->leader);
		if (d->counted)
			describe_u64(j, "samples", i < d->counts.samples.n ? d->counts.samples.at[i] : 0);
		json_counting(j, s);
		if (s->attr) {
			json_key(j, "attr");
			attr_json(j, s->attr);
		}
		json_end(j);
	}
	json_end(j);
}

static void json_records(struct json *j, const struct counts *c)
{
	json_key(j, "records");
	json_object(j);
	for (size_t i = 0; i < c->types.n; i++) {
		struct buf name = BUF_MEMORY;

		if (c->types.at[i].type < SIMPLEPERF_TYPES)
			type_name(&name, c->types.at[i].type);
		else  /* by number, as before the schema knew the name */
			buf_u64(&name, c->types.at[i].type);
		buf_char(&name, '\0');
		if (!name.failed)
			describe_u64(j, name.p, c->types.at[i].n);
		buf_free(&name);
	}
	json_end(j);
}

/*
 * One member for each event, in the order of the evlist. Events may share a name (one for each cgroup), so a member
 * may come twice; `samples` of an evsel is unambiguous.
 */
static void json_samples(struct json *j, const struct describe *d)
{
	const struct counts *c = &d->counts;

	json_key(j, "samples");
	json_object(j);
	for (size_t i = 0; i < c->samples.n; i++) {
		if (c->samples.at[i] == 0)
			continue;
		json_key_text(j, sonde_trace_evsel_at(d->t, i)->name);
		json_u64(j, c->samples.at[i]);
	}
	json_end(j);
}

static void json_files(struct json *j, const struct describe *d)
{
	json_key(j, "files");
	json_object(j);
	for (size_t i = 0; i < d->info->nr_files; i++)
		describe_u64(j, d->info->files[i], i < d->counts.files.n ? d->counts.files.at[i] : 0);
	json_end(j);
}

static void json_counts(struct json *j, const struct describe *d)
{
	const struct counts *c = &d->counts;

	if (d->info->nr_files)
		json_files(j, d);
	json_records(j, c);
	json_samples(j, d);
	json_key(j, "totals");
	json_object(j);
	json_key(j, "sum_ip");
	json_hex(j, c->sum_ip);
	describe_u64(j, "sum_period", c->sum_period);
	json_key(j, "sum_addr");
	json_hex(j, c->sum_addr);
	describe_u64(j, "sample_tids", c->tids.entries.n);
	describe_u64(j, "callchain_entries", c->callchain_entries);
	describe_u64(j, "branch_entries", c->branch_entries);
	describe_u64(j, "user_stack_bytes", c->user_stack_bytes);
	describe_u64(j, "other_samples", c->other_samples);
	json_end(j);
	json_key(j, "time");
	json_object(j);
	describe_u64(j, "min_ns", c->time_min);
	json_key(j, "max_ns");
	/* perf gives a sample without a time the latest possible time; a trace without any times has none. */
	if (c->time_min == SONDE_NONE)
		json_null(j);
	else
		json_u64(j, c->without_time ? SONDE_NONE : c->time_max);
	describe_u64(j, "without", c->without_time);
	json_end(j);
}

static void describe_json(struct buf *out, struct describe *d)
{
	const struct sonde_trace_info *info = d->info;
	struct json j = json_new(out);

	json_object(&j);
	describe_u64(&j, "schema", INFO_JSON_SCHEMA);
	json_member_text(&j, "path", info->path);
	json_member_text(&j, "format", info->format);
	describe_u64(&j, "version", info->version);
	json_member_text(&j, "mode", mode_names[info->mode]);
	json_member_text(&j, "endian", info->big_endian ? "big" : "little");
	describe_u64(&j, "long_size", info->long_size);
	describe_u64(&j, "size_bytes", info->size_bytes);
	describe_u64(&j, "data_offset", info->data_offset);
	describe_u64(&j, "data_size", info->data_size);
	describe_alignment_json(&j, d->t);
	json_features(&j, d);
	json_evsels(&j, d);
	if (d->counted)
		json_counts(&j, d);
	describe_bundle_json(&j, d->t);
	describe_losses_json(&j, d->t);
	json_end(&j);
	buf_char(out, '\n');
}

int describe_read_beginning(struct sonde_trace *t, struct sonde_error *err)
{
	struct describe d = { .t = t };
	int r = t->reader && t->reader->ops->first_records ? t->reader->ops->first_records(t->reader, err) : 0;

	return r == 0 && sonde_trace_info(t)->mode == SONDE_MODE_PIPE ? read_events(&d, false, err) : r;
}

static int trace_describe(struct sonde_trace *t, const struct sonde_output *to,
			  const struct sonde_describe_opts *opts, struct sonde_error *err)
{
	struct describe d = {
		.t = t,
		.info = sonde_trace_info(t),
		.full = OPT(opts, full, false),
		.counted = OPT(opts, count, false),
		.header = OPT(opts, header, false),
		.counts = COUNTS_INIT,
	};
	struct buf out = text_output(to, err);
	int r = OPTS_CHECK(sonde_describe_opts, opts, err), w;

	if (r < 0)
		return r;
	if (sonde_trace_profile_format(t)) {
		r = describe_profile(t, &out, OPT(opts, json, false), err);
		goto write;
	}
	if (strcmp(d.info->format, "trace.dat") == 0) {
		r = describe_tracedat(t, &out, opts, err);
		goto write;
	}
	r = d.counted ? read_events(&d, true, err) : describe_read_beginning(t, err);
	d.meta = trace_meta(t);
	if (OPT(opts, json, false))
		describe_json(&out, &d);
	else
		describe_text(&out, &d);
write:
	w = buf_flush(&out);
	buf_free(&out);
	counts_free(&d.counts);
	return r < 0 ? r : w;
}

int sonde_trace_describe(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_describe_opts *opts,
			 struct sonde_error *err)
{
	WITH_ERROR(err, own, trace_describe(t, to, opts, &own));
}
