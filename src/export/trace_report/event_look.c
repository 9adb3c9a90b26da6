/* SPDX-License-Identifier: MIT */
#include "export/trace_report/event_look.h"

#include "base/bytes.h"
#include "export/sample_text.h"
#include "tracefmt/field.h"

#define OPTION_TSC2NSEC 14

/* Clocks of nanoseconds, as trace-cmd sees them. Stamps of other clocks are printed as they are. */
static bool has_integer_time(const struct meta *meta)
{
	static const char *const ns[] = { "local", "global", "uptime", "perf", "mono", "mono_raw", "tai", "tsc2nsec" };

	for (size_t i = 0; i < meta->nr_options; i++)
		if (meta->options[i].id == OPTION_TSC2NSEC)
			return false;
	for (size_t i = 0; meta->trace_clock && i < sizeof(ns) / sizeof(*ns); i++)
		if (strcmp(meta->trace_clock, ns[i]) == 0)
			return false;
	return meta->trace_clock;
}

/* ---- prefixes ---- */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The longest name of a buffer; with several traces, also of a file. */
static size_t widest(const struct trace_report *t)
{
	size_t width = 0;

	for (size_t i = 0; i < t->nr_parts; i++) {
		const struct meta *meta = t->parts[i].in.meta;

		if (t->nr_parts > 1 && strlen(last_part(t->parts[i].in.path)) > width)
			width = strlen(last_part(t->parts[i].in.path));
		for (size_t k = 0; k < meta->nr_buffers; k++)
			if (strlen(meta->buffers[k].name) > width)
				width = strlen(meta->buffers[k].name);
	}
	return width;
}

/* "  one: ", right-aligned; nothing if the top buffer is the only one. Several traces have the names of their files. */
static int make_prefix(struct trace_report *t, const struct report_part *part, const char *buffer, size_t width,
		       struct sonde_str *out)
{
	const char *name = *buffer || t->nr_parts == 1 ? buffer : last_part(part->in.path);
	struct buf text = BUF_MEMORY;

	if (width) {
		buf_pad(&text, ' ', width - strlen(name));
		buf_text(&text, name, strlen(name));
		buf_str(&text, *name ? ": " : "  ");
	}
	out->p = text.failed ? NULL : arena_strndup(&t->arena, text.p ? text.p : "", text.n);
	out->len = text.n;
	buf_free(&text);
	return out->p ? 0 : err_nomem(t->err);
}

static int make_prefixes_of(struct trace_report *t, struct report_part *part, size_t width)
{
	const struct sonde_evsel *const *list = part->in.evsels;
	size_t n = part->in.nr_evsels;
	int r = make_prefix(t, part, "", width, &part->blank.prefix);

	part->looks = calloc(n ? n : 1, sizeof(*part->looks));
	if (r < 0 || !part->looks)
		return err_nomem(t->err);
	for (size_t i = 0; i < n && r == 0; i++)
		if (i == 0 || list[i]->buffer != list[i - 1]->buffer)
			r = make_prefix(t, part, list[i]->buffer, width, &part->looks[i].prefix);
		else
			part->looks[i].prefix = part->looks[i - 1].prefix;
	return r;
}

int report_make_prefixes(struct trace_report *t)
{
	size_t width = widest(t);
	int r = 0;

	for (size_t i = 0; i < t->nr_parts && r == 0; i++)
		r = make_prefixes_of(t, &t->parts[i], width);
	return r;
}

/* ---- events ---- */

static struct sonde_str name_column(struct trace_report *t, const char *name)
{
	struct buf text = BUF_MEMORY;
	struct sonde_str column = { 0 };

	buf_char(&text, ' ');
	text_line_name(&text, name);
	buf_str(&text, ": ");
	if (strlen(name) < 20)
		buf_pad(&text, ' ', 20 - strlen(name));
	column.len = text.n;
	if (text.n < REPORT_COPY)
		buf_pad(&text, ' ', REPORT_COPY - text.n);
	if (!text.failed)
		column.p = arena_strndup(&t->arena, text.p, text.n);
	buf_free(&text);
	return column;
}

static bool is_ftrace(const struct tracefmt_event *e, const char *name)
{
	return strcmp(e->system, "ftrace") == 0 && strcmp(e->name, name) == 0;
}

static uint32_t byte_field(const struct tracefmt_event *e, const char *name)
{
	const struct sonde_tracepoint_field *f = tracefmt_field(e, name);

	return f && f->size == 1 ? f->offset : REPORT_NOWHERE;
}

struct report_look *report_look_of(struct trace_report *t, const struct sonde_evsel *evsel)
{
	struct report_look *look = &t->part->looks[evsel->index];
	const struct tracefmt_event *e;

	if (look->ready)
		return look;
	e = tracefmt_event(t->part->in.formats, evsel->attr->config);
	look->format = e;
	look->boot = tracefmt_boot(t->part->in.formats, evsel->buffer);
	look->integer_time = t->part->in.raw_stamps || has_integer_time(t->part->in.meta);
	look->flags_at = byte_field(e, "common_flags");
	look->count_at = byte_field(e, "common_preempt_count");
	look->migrate_disable = tracefmt_field(e, "common_migrate_disable");
	look->lock_depth = tracefmt_field(e, "common_lock_depth");
	look->naming = report_naming_of(e);
	look->names = look->naming.pid[0] && !t->style.raw;
	if (!t->style.raw &&
	    (is_ftrace(e, "funcgraph_entry") || (!t->style.old && is_ftrace(e, "fgraph_retaddr_entry"))))
		look->entry = tracefmt_field(e, "func");
	if (is_ftrace(e, "funcgraph_exit"))
		look->exit = tracefmt_field(e, "func");
	if (is_ftrace(e, "function") || is_ftrace(e, "func_repeats")) {
		look->ip = tracefmt_field(e, "ip");
		look->parent_ip = tracefmt_field(e, "parent_ip");
	}
	look->name = name_column(t, e->name);
	look->tied = look->entry || look->exit || look->ip;
	look->ready = look->name.p && report_choice_concern(&t->choice, e, &t->arena, &look->concern) == 0;
	return look->ready ? look : NULL;
}
