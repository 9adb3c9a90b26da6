/* SPDX-License-Identifier: MIT */
#include "export/page/about.h"
#include "export/stack_ends.h"
#include "export/weights.h"

#include <ctype.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "analyze/needs/missing_symbols.h"
#include "base/plain_locale.h"

enum {
	EVENTS_SHOWN = 8,       /* with their rates; a recording can have thousands of tracepoints */
	NOTABLE_CUT = 1000,     /* a thousandth of the stacks: fewer do not change a number visibly */
	NOTABLE_NAMELESS = 100, /* a hundredth of the samples */
};

/* Copies the text in a->line; NULL when out of memory. */
static const char *take_line(struct html_about *a)
{
	const char *text = a->line.failed ? NULL : arena_strndup(&a->text, a->line.p, a->line.n);

	a->line.n = 0;
	return text;
}

/* Adds a row, unless it has no value. */
static int add_row(struct html_about *a, const char *name, const char *value)
{
	return value && *value ? vec_push(&a->rows, ((struct html_info){ name, value })) : 0;
}

static int add_line(struct html_about *a, const char *name)
{
	const char *value = take_line(a);

	return value ? add_row(a, name, value) : -SONDE_NOMEM;
}

/* The command, which is told in full besides; a trace.dat has none, but a name. */
static int set_title(struct html_about *a, const struct recorded *recorded)
{
	const struct meta *meta = recorded->meta;
	const char *slash;

	for (size_t i = 0; i < meta->nr_cmdline; i++) {
		if (i)
			buf_char(&a->line, ' ');
		buf_str(&a->line, meta->cmdline[i]);
	}
	a->title = take_line(a);
	if (!a->title || add_row(a, "Command line", a->title) < 0)
		return -SONDE_NOMEM;
	if (a->title[0] || !recorded->path || strcmp(recorded->path, "-") == 0)
		return 0;
	slash = strrchr(recorded->path, '/');
	buf_str(&a->line, slash ? slash + 1 : recorded->path);
	a->title = take_line(a);
	return a->title ? 0 : -SONDE_NOMEM;
}

static bool is_trace_dat(const struct meta *meta)
{
	return meta->nr_buffers > 0;
}

static int add_date(struct html_about *a, const struct meta *meta, int64_t recorded_s)
{
	uint64_t tod_s = meta->clock_data.tod_ns / 1000000000;
	time_t at = (time_t)(tod_s ? (int64_t)tod_s : recorded_s);
	struct plain_locale plain;
	char text[64];
	struct tm tm;

	if (at == 0 || !localtime_r(&at, &tm))
		return 0;
	plain = plain_locale_begin();
	if (strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm))
		buf_str(&a->line, text);
	plain_locale_end(plain);
	return add_line(a, "Recorded");
}

/* Two clocks of ftrace do not count time. */
static uint64_t wall_time(const struct sonde_profile *p, const struct meta *meta)
{
	const char *clock = meta->trace_clock ? meta->trace_clock : "";

	return strcmp(clock, "counter") == 0 || strcmp(clock, "uptime") == 0 ? 0 : sonde_profile_wall_ns(p);
}

static int add_duration(struct html_about *a, uint64_t wall_ns)
{
	if (wall_ns)
		buf_printf(&a->line, "%" PRIu64 ".%03" PRIu64 " s from the first sample to the last",
			   wall_ns / 1000000000, wall_ns % 1000000000 / 1000000);
	return add_line(a, "Duration");
}

static void put_rate(struct buf *b, const struct sonde_profile_event *e)
{
	buf_printf(b, "%s: ", e->name);
	if (e->attr->flags & SONDE_ATTR_FREQ)
		buf_printf(b, "%" PRIu64 " samples per second", e->attr->sample_period);
	else if (attr_counts_ns(e->attr))
		buf_printf(b, "a sample every %.6g ms", (double)e->attr->sample_period / 1e6);
	else if (e->attr->sample_period == 1)
		buf_str(b, "every event");
	else
		buf_printf(b, "a sample every %" PRIu64 " events", e->attr->sample_period);
}

/* A trace.dat has every event, and no attr that could say so. */
static int add_rates(struct html_about *a, const struct sonde_profile *p, const struct meta *meta)
{
	const struct sonde_profile_event *events = p->events.at;
	size_t n = p->events.n, shown = 0;

	for (size_t i = 0; i < n; i++) {
		if (!events[i].samples || !events[i].attr || !events[i].attr->sample_period || is_trace_dat(meta))
			continue;
		if (shown++ < EVENTS_SHOWN) {
			buf_str(&a->line, shown > 1 ? "; " : "");
			put_rate(&a->line, &events[i]);
		}
	}
	if (shown > EVENTS_SHOWN)
		buf_printf(&a->line, "; and %zu more", shown - EVENTS_SHOWN);
	return add_line(a, "Rate");
}

static int add_cpus(struct html_about *a, const struct meta *meta)
{
	uint32_t online = meta->nr_cpus_online ? meta->nr_cpus_online : meta->nr_cpus_available;

	if (online)
		buf_printf(&a->line, "%" PRIu32, online);
	if (meta->nr_cpus_available > online)
		buf_printf(&a->line, " online of %" PRIu32, meta->nr_cpus_available);
	return add_line(a, "CPUs");
}

/* perf and trace-cmd note only their version, sonde its name too. */
static int add_recorder(struct html_about *a, const struct meta *meta)
{
	const char *version = meta->version ? meta->version : "";

	if (isdigit((unsigned char)*version))
		buf_str(&a->line, is_trace_dat(meta) ? "trace-cmd " : "perf ");
	buf_str(&a->line, version);
	return add_line(a, "Recorder");
}

static void put_cut(struct buf *b, uint64_t cut, uint64_t samples)
{
	buf_printf(b,
		   "%" PRIu64 " of %" PRIu64
		   " stacks %s cut at the kernel's limit of frames (kernel.perf_event_max_stack)",
		   cut, samples, cut == 1 ? "was" : "were");
}

static int add_stacks(struct html_about *a, const struct sonde_profile *p)
{
	const struct sonde_profile_event *events = p->events.at;
	uint64_t cut = 0, shortened = 0, samples = 0;

	for (size_t i = 0; i < p->events.n; i++) {
		cut += events[i].cut_stacks;
		shortened += events[i].shortened_stacks;
		samples += events[i].samples;
	}
	if (cut)
		put_cut(&a->line, cut, samples);
	if (shortened)
		buf_printf(&a->line, "%s%" PRIu64 " of %" PRIu64 " stacks %s more frames than are shown (--max-stack)",
			   cut ? "; " : "", shortened, samples, shortened == 1 ? "has" : "have");
	return add_line(a, "Stacks");
}

static void put_losses(struct buf *b, const struct ledger *losses, bool *any)
{
	for (size_t i = 0; losses && i < losses->rows.n; i++, *any = true)
		buf_printf(b, "%s%" PRIu64 " %s", *any ? "; " : "", losses->rows.at[i].count, losses->rows.at[i].text);
}

static int add_losses(struct html_about *a, const struct recorded *recorded)
{
	bool any = false;

	if (!recorded->nr_inputs)
		put_losses(&a->line, recorded->losses, &any);
	for (size_t i = 0; i < recorded->nr_inputs; i++)
		put_losses(&a->line, recorded->inputs[i].losses, &any);
	if (!any)
		buf_str(&a->line, "none known");
	return add_line(a, "Losses");
}

/* Of several recordings, each with what was added to its times. */
static int add_inputs(struct html_about *a, const struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->nr_inputs; i++) {
		const struct sonde_alignment *how = recorded->inputs[i].alignment;
		int64_t ns = how ? how->offset_ns : 0;
		uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

		buf_str(&a->line, recorded->inputs[i].path);
		if (how)
			buf_printf(&a->line, ": %s%" PRIu64 ".%09" PRIu64 " s added to its times: %s",
				   ns < 0 ? "-" : "", size / 1000000000, size % 1000000000, how->text);
		if (add_line(a, "Recording") < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

int html_about_fill(struct html_about *a, const struct sonde_profile *p, const struct recorded *recorded)
{
	const struct meta *meta = recorded->meta;

	a->title = "";
	if (!meta)
		return 0;
	a->wall_ns = wall_time(p, meta);
	if (set_title(a, recorded) < 0 ||
	    add_date(a, meta, recorded->at_s) < 0 || add_duration(a, a->wall_ns) < 0 ||
	    add_rates(a, p, meta) < 0 || add_row(a, "Host", meta->hostname) < 0 || add_cpus(a, meta) < 0 ||
	    add_row(a, "CPU", meta->cpudesc) < 0 || add_row(a, "Architecture", meta->arch) < 0 ||
	    add_row(a, "Kernel", meta->osrelease) < 0 || add_recorder(a, meta) < 0 || add_stacks(a, p) < 0 ||
	    add_losses(a, recorded) < 0 || add_inputs(a, recorded) < 0)
		return -SONDE_NOMEM;
	return 0;
}

static int add_note(struct html_about *a)
{
	const char *text = take_line(a);

	return text ? vec_push(&a->notes, text) : -SONDE_NOMEM;
}

/* The same hint as in a report: install debug symbols. */
static int note_nameless(struct html_about *a, const struct sonde_profile *p)
{
	struct sonde_profile_nameless n;

	if (!profile_nameless(p, &n) || n.samples <= n.all_samples / NOTABLE_NAMELESS)
		return 0;
	if (n.kind == SONDE_BINARY_JIT) {
		buf_printf(&a->line, "%" PRIu64 " of %" PRIu64 " samples %s in code of %s that has no names", n.samples,
			   n.all_samples, n.samples == 1 ? "is" : "are", n.dso_name);
		if (n.reason && n.reason[0])
			buf_printf(&a->line, ": %s", n.reason);
		buf_char(&a->line, '.');
		return add_note(a);
	}
	buf_printf(&a->line, "%" PRIu64 " of %" PRIu64 " samples %s in functions of %s that have no symbol: %s.",
		   n.samples, n.all_samples, n.samples == 1 ? "is" : "are", n.dso_name, n.packaged ?
		   "its debug symbols have the names (Debian, Ubuntu: find-dbgsym-packages; Fedora: dnf "
		   "debuginfo-install)" : "it is stripped, or it is not here");
	return add_note(a);
}

int html_about_notes(struct html_about *a, const struct sonde_profile *p, const struct sonde_profile_event *event,
		     const struct meta *meta)
{
	a->notes.n = 0;
	if (note_nameless(a, p) < 0)
		return -SONDE_NOMEM;
	if (event->attr && !(event->attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	    !(meta && is_trace_dat(meta))) {
		buf_str(&a->line, "Recorded without -g: samples name the function that ran, not its callers.");
		if (add_note(a) < 0)
			return -SONDE_NOMEM;
	}
	if (event->unwound_cut + event->unwound_no_table + event->unwound_error +
	    event->unwound_uretprobe) {
		buf_str(&a->line, "Stacks: ");
		stack_ends_put(&a->line, event);
		buf_char(&a->line, '.');
		if (add_note(a) < 0)
			return -SONDE_NOMEM;
	}
	if (event->cut_stacks > event->samples / NOTABLE_CUT) {
		put_cut(&a->line, event->cut_stacks, event->samples);
		buf_str(&a->line, ": the outermost callers are missing.");
		if (add_note(a) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

void html_about_free(struct html_about *a)
{
	vec_free(&a->rows);
	vec_free(&a->notes);
	buf_free(&a->line);
	arena_free(&a->text);
}
