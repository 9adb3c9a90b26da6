/* SPDX-License-Identifier: MIT */
#include "export/json_lines/json_lines.h"

#include <linux/perf_event.h>

#include "base/json.h"
#include "export/events/frame_texts.h"
#include "export/events/values.h"

/* A file of JSON lines that is being written. */
struct lines {
	struct event_rows *e;
	struct frame_texts frames;
	uint32_t nr_sources;         /* that were described */
	bool told_clock;
};

static void put_frame(const struct place_frame *f, struct buf *out)
{
	struct json j = json_new(out);

	json_object(&j);
	if (f->symbol)
		json_member_text(&j, "f", f->symbol);
	if (f->module)
		json_member_text(&j, "m", f->module);
	json_key(&j, "a");
	json_hex(&j, f->addr);
	if (f->file) {
		json_member_text(&j, "s", f->file);
		json_member_u64(&j, "l", f->line);
	}
	if (f->inlined)
		json_member_u64(&j, "i", 1);
	json_end(&j);
}

static void put_start(const struct event_rows *e, struct buf *out)
{
	const struct meta *meta = &event_rows_reader(e)->meta;
	struct json j = json_new(out);

	json_object(&j);
	json_member_text(&j, "kind", "start");
	json_member_text(&j, "schema", "sonde-events-1");
	json_member_text(&j, "tool", "sonde " SONDE_VERSION);
	json_member_text(&j, "format", event_rows_reader(e)->info.format);
	if (meta->hostname)
		json_member_text(&j, "host", meta->hostname);
	if (meta->osrelease)
		json_member_text(&j, "release", meta->osrelease);
	if (meta->arch)
		json_member_text(&j, "arch", meta->arch);
	json_end(&j);
	buf_char(out, '\n');
}

/* Of several traces, each one. */
static void put_inputs(const struct event_rows *e, struct buf *out)
{
	for (size_t i = 0; i < e->nr_inputs && e->nr_inputs > 1; i++) {
		buf_str(out, "{\"kind\":\"input\",");
		event_rows_input_json(e, i, out);
		buf_str(out, "}\n");
	}
}

/* An event of the evlist, before its first row. */
static void put_source(const struct event_rows *e, const struct event_source *s, struct buf *out)
{
	const struct sonde_attr *attr = s->evsel->attr;
	struct json j = json_new(out);

	json_object(&j);
	json_member_text(&j, "kind", "source");
	json_member_u64(&j, "src", s->number);
	if (e->nr_inputs > 1)
		json_member_u64(&j, "input", s->input);
	json_member_text(&j, "event", s->name);
	if (attr) {
		json_member_u64(&j, "type", attr->type);
		json_key(&j, "config");
		json_hex(&j, attr->config);
	}
	if (s->evsel->buffer && s->evsel->buffer[0])
		json_member_text(&j, "buffer", s->evsel->buffer);
	json_end(&j);
	buf_char(out, '\n');
}

/* A line about the trace: its kind, and members of JSON. */
static void put_about(const struct event_rows *e, const char *kind,
		      void (*put)(const struct event_rows *e, struct buf *out))
{
	buf_printf(e->out, "{\"kind\":\"%s\",", kind);
	put(e, e->out);
	buf_str(e->out, "}\n");
}

/* A negative number is not known. */
static void put_known(struct buf *out, const char *key, int32_t v)
{
	if (v < 0)
		return;
	buf_str(out, key);
	buf_u64(out, (uint64_t)v);
	buf_char(out, ',');
}

static void put_task(const struct event_row *row, struct buf *out)
{
	const struct sonde_event *ev = row->ev;

	put_known(out, "\"cpu\":", ev->cpu);
	put_known(out, "\"pid\":", ev->pid);
	put_known(out, "\"tid\":", ev->tid);
	if (ev->machine_pid) {
		buf_str(out, "\"machine\":");
		buf_u64(out, (uint64_t)ev->machine_pid);
		buf_char(out, ',');
	}
	if (row->comm) {
		buf_str(out, "\"comm\":");
		buf_json(out, row->comm, strlen(row->comm));
		buf_char(out, ',');
	}
}

static void put_hex_member(struct buf *out, const char *key, uint64_t v)
{
	buf_str(out, key);
	buf_hex(out, v);
	buf_char(out, '"');
}

/* A text beyond 53 bits, as everywhere. */
static void put_count_member(struct buf *out, const char *key, uint64_t v)
{
	const char *quote = v > UINT64_C(1) << 53 ? "\"" : "";

	buf_str(out, key);
	buf_str(out, quote);
	buf_u64(out, v);
	buf_str(out, quote);
}

static void put_text_member(struct buf *out, const char *key, const char *text)
{
	buf_str(out, key);
	buf_json(out, text, strlen(text));
}

static void put_sample(struct lines *l, const struct event_row *row, struct buf *out)
{
	const struct sample *s = &row->sample;
	const struct place_frame *f = event_rows_function(l->e, row);

	if (!row->source->is_tracepoint || s->present & PERF_SAMPLE_PERIOD)
		put_count_member(out, ",\"period\":", row->ev->period);
	if (s->present & PERF_SAMPLE_IP)
		put_hex_member(out, ",\"ip\":\"0x", s->ip);
	if (f && f->symbol)
		put_text_member(out, ",\"symbol\":", f->symbol);
	if (f && f->module)
		put_text_member(out, ",\"module\":", f->module);
	if (s->present & PERF_SAMPLE_ADDR)
		put_hex_member(out, ",\"addr\":\"0x", s->addr);
	if (s->present & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) {
		buf_str(out, ",\"weight\":\"");
		buf_u64(out, s->weight);
		buf_char(out, '"');
	}
	if (s->present & PERF_SAMPLE_DATA_SRC)
		put_hex_member(out, ",\"data_src\":\"0x", s->data_src);
	if (row->stack) {
		buf_str(out, ",\"stack\":[");
		frame_texts_put_stack(&l->frames, l->e, row->stack, ',', out);
		buf_char(out, ']');
	}
}

static void put_row(struct lines *l, const struct event_row *row, struct buf *out)
{
	buf_char(out, '{');
	if (row->time != SONDE_NONE) {
		buf_str(out, "\"t\":");
		buf_i64(out, event_rows_since(l->e, row->time));
		buf_char(out, ',');
	}
	if (l->e->nr_inputs > 1) {
		buf_str(out, "\"input\":");
		buf_u64(out, row->input);
		buf_char(out, ',');
	}
	put_task(row, out);
	buf_str(out, "\"kind\":\"");
	buf_str(out, row->kind);
	buf_char(out, '"');
	if (row->source) {
		buf_str(out, ",\"src\":");
		buf_u64(out, row->source->number);
		put_text_member(out, ",\"event\":", row->source->name);
	}
	if (row->is_sample)
		put_sample(l, row, out);
	if (event_has_values(row)) {
		buf_str(out, ",\"fields\":");
		event_values_json(row, out);
	}
	buf_put(out, "}\n", 2);
}

int export_json_lines(struct event_rows *e)
{
	struct lines l = { .e = e, .frames = FRAME_TEXTS(put_frame) };
	const struct event_row *row;
	int r;

	put_start(e, e->out);
	put_inputs(e, e->out);
	while ((r = event_rows_next(e, &row)) > 0 && !e->out->failed) {
		if (row->source && row->source->number >= l.nr_sources) {
			put_source(e, row->source, e->out);
			l.nr_sources = row->source->number + 1;
		}
		if (!l.told_clock && e->start != SONDE_NONE) {
			put_about(e, "clock", event_rows_clock_json);
			l.told_clock = true;
		}
		put_row(&l, row, e->out);
	}
	if (r >= 0)
		put_about(e, "end", event_rows_sums_json);
	frame_texts_free(&l.frames);
	return r;
}
