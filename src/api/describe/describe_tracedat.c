/* SPDX-License-Identifier: MIT */
#include "api/describe/describe_tracedat.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sonde/tracepoint.h>

#include "api/describe/dat_counts.h"
#include "api/describe/describe.h"
#include "api/describe/describe_alignment.h"
#include "api/describe/describe_bundle.h"
#include "api/describe/describe_losses.h"
#include "api/trace/meta.h"
#include "base/bytes.h"
#include "base/strpool.h"
#include "tracedat/format/option.h"
#include "tracefmt/text.h"

struct describe_dat {
	struct sonde_trace *t;
	const struct sonde_trace_info *info;
	const struct meta *meta;
	bool counted, full;
	struct event_counts counts;
};

static uint64_t count_of(const struct describe_dat *d, size_t evsel)
{
	return evsel < d->counts.evsels.n ? d->counts.evsels.at[evsel] : 0;
}

static const char *event_name(const struct sonde_evsel *s)
{
	const char *colon = strchr(s->name, ':');

	return colon ? colon + 1 : s->name;
}

static void line(struct buf *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	buf_printf(out, "# %-15s: ", label);
	buf_text(out, text, strlen(text));
	buf_char(out, '\n');
}

/* Joins the lines of an option: "entries: 12, overrun: 0". */
static void put_option_text(struct buf *out, const char *text)
{
	bool first = true;

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n) {
			buf_str(out, first ? "" : ", ");
			buf_text(out, text, n);
			first = false;
		}
		text += n + (text[n] == '\n');
	}
}

static void print_options(struct buf *out, const struct meta *m)
{
	for (size_t i = 0; i < m->nr_options; i++) {
		const struct sonde_option *o = &m->options[i];
		const char *name = sonde_option_name(o->id);

		buf_str(out, "# option         : ");
		if (name)
			buf_printf(out, "%s ", name);
		else
			buf_printf(out, "%" PRIu32 " (not known), %zu bytes", o->id, o->data.len);
		if (o->text)
			put_option_text(out, o->text);
		buf_char(out, '\n');
	}
}

static void print_sections(struct buf *out, const struct meta *m)
{
	for (size_t i = 0; i < m->nr_sections; i++) {
		const struct sonde_section *s = &m->sections[i];

		buf_printf(out, "# section        : %" PRIu32 " at 0x%" PRIx64 ", %" PRIu64 " bytes%s", s->id,
			   s->file_offset, s->size, s->compressed ? ", compressed" : "");
		if (s->name) {
			buf_str(out, ", ");
			buf_text(out, s->name, strlen(s->name));
		}
		buf_char(out, '\n');
	}
}

/* The file of a recorder that was killed can have several extents of a CPU. */
static size_t count_cpus(const struct meta_buffer *b)
{
	uint8_t seen[DAT_CPUS_MAX / 8] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < b->nr_cpus; i++) {
		uint32_t cpu = b->cpus[i].cpu;

		n += cpu >= DAT_CPUS_MAX || !(seen[cpu / 8] >> cpu % 8 & 1);
		if (cpu < DAT_CPUS_MAX)
			seen[cpu / 8] |= (uint8_t)(1u << cpu % 8);
	}
	return n;
}

static void print_buffers(struct buf *out, const struct meta *m)
{
	for (size_t i = 0; i < m->nr_buffers; i++) {
		const struct meta_buffer *b = &m->buffers[i];
		size_t nr_cpus = count_cpus(b);
		uint64_t bytes = 0;

		for (size_t k = 0; k < b->nr_cpus; k++)
			bytes += b->cpus[k].size;
		buf_str(out, "# buffer         : ");
		if (*b->name)
			buf_text(out, b->name, strlen(b->name));
		else
			buf_str(out, "(top)");
		if (b->clock) {
			buf_str(out, ", clock ");
			buf_text(out, b->clock, strlen(b->clock));
		}
		buf_printf(out, ", pages of %" PRIu32 " bytes, %zu CPU%s with data, %" PRIu64 " bytes%s\n",
			   b->page_size, nr_cpus, nr_cpus == 1 ? "" : "s", bytes,
			   b->compressed ? " compressed" : "");
	}
}

/* Print formats are compiled only to be listed, because that is the slowest part of a description. */
static void print_formats(struct buf *out, const struct describe_dat *d)
{
	const struct tracefmt *f = d->t->reader_formats;
	size_t nr = f ? tracefmt_nr_events(f) : 0;

	buf_printf(out, "# event formats  : %zu\n", nr);
	for (size_t i = 0; i < nr && d->full; i++) {
		const struct tracefmt_event *e = tracefmt_event_at(f, i);
		const char *why = tracefmt_unprintable(e);

		if (!why)
			continue;
		buf_str(out, "#   ");
		buf_text(out, e->full_name, strlen(e->full_name));
		buf_str(out, " is printed as its fields: ");
		buf_text(out, why, strlen(why));
		buf_char(out, '\n');
	}
}

static void put_time(struct buf *out, uint64_t ns)
{
	buf_printf(out, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void print_counts(struct buf *out, const struct describe_dat *d)
{
	const struct event_counts *c = &d->counts;

	for (size_t i = 0; i < c->evsels.n; i++) {
		const struct sonde_evsel *s = sonde_trace_evsel_at(d->t, i);

		if (!c->evsels.at[i])
			continue;
		buf_str(out, "# events         : ");
		if (*s->buffer) {
			buf_text(out, s->buffer, strlen(s->buffer));
			buf_str(out, ": ");
		}
		buf_text(out, s->name, strlen(s->name));
		buf_printf(out, " %" PRIu64 "\n", c->evsels.at[i]);
	}
	if (c->unknown)
		buf_printf(out, "# events         : %" PRIu64 " that the trace does not describe\n", c->unknown);
	if (c->leaf_exits)
		buf_printf(out,
			   "# events         : %" PRIu64 " ftrace:funcgraph_exit, in one line with their entries\n",
			   c->leaf_exits);
	for (size_t i = 0; i < c->cpus.n; i++)
		buf_printf(out, "# events of CPU  : %" PRId32 " %" PRIu64 "\n", c->cpus.at[i].cpu, c->cpus.at[i].n);
	if (c->lines)
		buf_printf(out, "# text           : %" PRIu64 " lines\n", c->lines);
	if (c->events) {
		buf_str(out, "# event times    : ");
		put_time(out, c->time_min);
		buf_str(out, " to ");
		put_time(out, c->time_max);
		buf_char(out, '\n');
	}
}

static void describe_text(struct buf *out, const struct describe_dat *d)
{
	const struct sonde_trace_info *info = d->info;
	const struct meta *m = d->meta;

	buf_str(out, "# ========\n");
	line(out, "hostname", m->hostname);
	line(out, "os release", m->osrelease);
	line(out, "arch", m->arch);
	line(out, "trace-cmd", m->version);
	buf_printf(out, "# cpus           : %" PRIu32 "\n", m->nr_cpus_available);
	line(out, "trace clock", m->trace_clock);
	if (m->trace_id)
		buf_printf(out, "# trace id       : 0x%016" PRIx64 "\n", m->trace_id);
	describe_alignment(out, d->t);
	buf_str(out, "# ========\n#\n");
	buf_printf(out, "# format         : %s version %" PRIu32 ", %s-endian, %" PRIu32 "-byte long", info->format,
		   info->version, info->big_endian ? "big" : "little", info->long_size);
	if (m->compression && strcmp(m->compression, "none") != 0) {
		buf_str(out, ", compressed with ");
		buf_text(out, m->compression, strlen(m->compression));
		buf_char(out, ' ');
		buf_text(out, m->compression_version, strlen(m->compression_version));
	}
	buf_char(out, '\n');
	print_buffers(out, m);
	print_options(out, m);
	print_sections(out, m);
	print_formats(out, d);
	if (d->counted)
		print_counts(out, d);
	describe_bundle(out, d->t);
	describe_losses(out, d->t, d->counted);
	buf_str(out, "#\n");
}

static void json_buffers(struct json *j, const struct meta *m)
{
	json_key(j, "buffers");
	json_array(j);
	for (size_t i = 0; i < m->nr_buffers; i++) {
		const struct meta_buffer *b = &m->buffers[i];

		json_object(j);
		json_member_text(j, "name", b->name);
		json_member_text(j, "clock", b->clock);
		json_member_u64(j, "page_size", b->page_size);
		json_key(j, "compressed");
		json_bool(j, b->compressed);
		json_key(j, "cpus");
		json_array(j);
		for (size_t k = 0; k < b->nr_cpus; k++) {
			json_object(j);
			json_member_u64(j, "cpu", b->cpus[k].cpu);
			json_member_u64(j, "file_offset", b->cpus[k].file_offset);
			json_member_u64(j, "size", b->cpus[k].size);
			json_end(j);
		}
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void json_options(struct json *j, const struct meta *m)
{
	json_key(j, "options");
	json_array(j);
	for (size_t i = 0; i < m->nr_options; i++) {
		const struct sonde_option *o = &m->options[i];

		json_object(j);
		json_member_u64(j, "id", o->id);
		json_member_text(j, "name", sonde_option_name(o->id));
		json_member_u64(j, "file_offset", o->file_offset);
		json_member_u64(j, "size", o->data.len);
		json_member_text(j, "text", o->text);
		json_end(j);
	}
	json_end(j);
}

static void json_sections(struct json *j, const struct meta *m)
{
	json_key(j, "sections");
	json_array(j);
	for (size_t i = 0; i < m->nr_sections; i++) {
		const struct sonde_section *s = &m->sections[i];

		json_object(j);
		json_member_u64(j, "id", s->id);
		json_member_text(j, "name", s->name);
		json_member_u64(j, "file_offset", s->file_offset);
		json_member_u64(j, "size", s->size);
		json_key(j, "compressed");
		json_bool(j, s->compressed);
		json_end(j);
	}
	json_end(j);
}

/* One member for each name: several buffers have the same events, and systems may share a name. */
static void json_by_event(struct json *j, const struct describe_dat *d)
{
	const struct event_counts *c = &d->counts;
	struct strpool names = { 0 };
	VEC(uint64_t) n = { 0 };

	for (size_t i = 0; i < c->evsels.n; i++) {
		const char *name = event_name(sonde_trace_evsel_at(d->t, i));
		uint32_t number = c->evsels.at[i] ? strpool_add(&names, name, strlen(name)) : UINT32_MAX;

		while (number != UINT32_MAX && n.n <= number)
			if (vec_push(&n, 0) < 0)
				break;
		if (number < n.n)
			n.at[number] += c->evsels.at[i];
	}
	json_key(j, "by_event");
	json_object(j);
	for (size_t i = 0; i < n.n; i++) {
		if (!n.at[i])
			continue;
		json_key_text(j, strpool_get(&names, (uint32_t)i));
		json_u64(j, n.at[i]);
	}
	json_end(j);
	strpool_free(&names);
	vec_free(&n);
}

static void json_by_buffer(struct json *j, const struct describe_dat *d)
{
	size_t nr = sonde_trace_evsel_count(d->t);

	json_key(j, "by_buffer");
	json_object(j);
	for (size_t i = 0, end; i < nr; i = end) {
		const char *buffer = sonde_trace_evsel_at(d->t, i)->buffer;
		uint64_t n = 0;

		for (end = i; end < nr && sonde_trace_evsel_at(d->t, end)->buffer == buffer; end++)
			n += count_of(d, end);
		if (!n)
			continue;
		json_key_text(j, *buffer ? buffer : "top");
		json_u64(j, n);
	}
	json_end(j);
}

static void json_counts(struct json *j, const struct describe_dat *d)
{
	const struct event_counts *c = &d->counts;
	char key[16];

	json_member_u64(j, "events", c->events);
	json_member_u64(j, "leaf_exits", c->leaf_exits);
	json_member_u64(j, "unknown_events", c->unknown);
	json_member_u64(j, "lost_events", c->lost);
	json_member_u64(j, "losses_without_number", c->losses_unknown);
	json_member_u64(j, "text_lines", c->lines);
	json_by_event(j, d);
	json_key(j, "by_cpu");
	json_object(j);
	for (size_t i = 0; i < c->cpus.n; i++) {
		snprintf(key, sizeof(key), "%" PRId32, c->cpus.at[i].cpu);
		json_key(j, key);
		json_u64(j, c->cpus.at[i].n);
	}
	json_end(j);
	json_by_buffer(j, d);
	json_key(j, "time");
	json_object(j);
	describe_u64(j, "min_ns", c->time_min);
	describe_u64(j, "max_ns", c->time_max);
	json_end(j);
}

static void describe_json(struct buf *out, const struct describe_dat *d)
{
	const struct sonde_trace_info *info = d->info;
	const struct meta *m = d->meta;
	struct json j = json_new(out);

	json_object(&j);
	json_member_u64(&j, "schema", INFO_JSON_SCHEMA);
	json_member_text(&j, "path", info->path);
	json_member_text(&j, "format", info->format);
	json_member_u64(&j, "version", info->version);
	json_member_text(&j, "endian", info->big_endian ? "big" : "little");
	json_member_u64(&j, "long_size", info->long_size);
	json_member_u64(&j, "size_bytes", info->size_bytes);
	json_member_u64(&j, "data_offset", info->data_offset);
	json_member_u64(&j, "data_size", info->data_size);
	describe_alignment_json(&j, d->t);
	json_member_text(&j, "compression", m->compression);
	json_member_text(&j, "compression_version", m->compression_version);
	json_member_text(&j, "hostname", m->hostname);
	json_member_text(&j, "osrelease", m->osrelease);
	json_member_text(&j, "arch", m->arch);
	json_member_text(&j, "recorder", m->version);
	json_member_u64(&j, "cpus", m->nr_cpus_available);
	json_member_text(&j, "trace_clock", m->trace_clock);
	json_key(&j, "trace_id");
	if (m->trace_id)
		json_hex(&j, m->trace_id);
	else
		json_null(&j);
	json_member_u64(&j, "event_formats", d->t->reader_formats ? tracefmt_nr_events(d->t->reader_formats) : 0);
	json_buffers(&j, m);
	json_options(&j, m);
	json_sections(&j, m);
	if (d->counted)
		json_counts(&j, d);
	describe_bundle_json(&j, d->t);
	describe_losses_json(&j, d->t);
	json_end(&j);
	buf_char(out, '\n');
}

int describe_tracedat(struct sonde_trace *t, struct buf *out, const struct sonde_describe_opts *opts,
		      struct sonde_error *err)
{
	struct describe_dat d = { .t = t,
				  .info = sonde_trace_info(t),
				  .meta = trace_meta(t),
				  .counted = OPT(opts, count, false),
				  .full = OPT(opts, full, false) };
	int r = d.counted ? event_counts_make(&d.counts, t, err) : 0;

	if (OPT(opts, json, false))
		describe_json(out, &d);
	else
		describe_text(out, &d);
	event_counts_free(&d.counts);
	return r;
}
