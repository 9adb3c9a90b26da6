/* SPDX-License-Identifier: MIT */
#include "export/page/page.h"

#include <inttypes.h>

#include "base/strpool.h"
#include "export/page/columns.h"
#include "export/page/script_text.h"

enum { TIME_STEPS = 1 << 26 };    /* of a whole recording: many more than a screen has pixels */

struct writer {
	struct buf *out;
	struct buf text;          /* one string as JSON, not yet safe for HTML */
	struct strpool strings;
	struct columns columns;
	uint64_t start_ns, step_ns;  /* of the times */
	int failed;
};

static void put_string(struct writer *w, const char *s)
{
	script_text_put(w->out, &w->text, s);
}

static void put_comma(struct writer *w, size_t i)
{
	if (i > 0)
		buf_char(w->out, ',');
}

static void put_strings(struct writer *w, const char *const *strings, size_t n)
{
	buf_char(w->out, '[');
	for (size_t i = 0; i < n; i++) {
		put_comma(w, i);
		put_string(w, strings[i]);
	}
	buf_char(w->out, ']');
}

static void put_info(struct writer *w, const struct html_profile *profile)
{
	buf_str(w->out, ",\n\"wall_ns\":");
	buf_u64(w->out, profile->wall_ns);
	buf_str(w->out, ",\n\"info\":[");
	for (size_t i = 0; i < profile->nr_info; i++) {
		put_comma(w, i);
		buf_char(w->out, '[');
		put_string(w, profile->info[i].name);
		buf_char(w->out, ',');
		put_string(w, profile->info[i].value);
		buf_char(w->out, ']');
	}
	buf_str(w->out, "],\n\"losses\":");
	put_strings(w, profile->losses, profile->nr_losses);
}

static uint32_t number_of(struct writer *w, const char *s)
{
	uint32_t number = strpool_add(&w->strings, s, strlen(s));

	if (number == UINT32_MAX)
		w->failed = -SONDE_NOMEM;
	return number;
}

static void put_number_of(struct writer *w, size_t i, const char *s)
{
	put_comma(w, i);
	buf_u64(w->out, number_of(w, s));
}

/* Ends a column; those before it in the list: i. */
static void put_column(struct writer *w, size_t i, const char *name)
{
	put_comma(w, i);
	columns_end(&w->columns, name, w->out);
}

static void put_tasks(struct writer *w, const struct html_profile *profile)
{
	const struct html_task *tasks = profile->tasks;

	buf_str(w->out, ",\n\"columns\":[");
	for (size_t i = 0; i < profile->nr_tasks; i++)
		columns_put(&w->columns, (uint32_t)tasks[i].pid);
	put_column(w, 0, "pid");
	for (size_t i = 0; i < profile->nr_tasks; i++)
		columns_put(&w->columns, (uint32_t)tasks[i].tid);
	put_column(w, 1, "tid");
	for (size_t i = 0; i < profile->nr_tasks; i++)
		columns_put(&w->columns, number_of(w, tasks[i].comm));
	put_column(w, 2, "comm");
	buf_char(w->out, ']');
}

static uint64_t steps(const struct writer *w, uint64_t time_ns)
{
	return time_ns > w->start_ns ? (time_ns - w->start_ns) / w->step_ns : 0;
}

/* Times are kept as finely as TIME_STEPS allow, in a step that is a power of ten: small numbers pack well. */
static void put_time(struct writer *w, const struct html_profile *profile)
{
	w->start_ns = profile->first_ns;
	w->step_ns = 1;
	while ((profile->last_ns - profile->first_ns) / w->step_ns >= TIME_STEPS)
		w->step_ns *= 10;
	buf_printf(w->out, ",\n\"time\":{\"start_ns\":%" PRIu64 ",\"step_ns\":%" PRIu64 ",\"end\":%" PRIu64 "}",
		   w->start_ns, w->step_ns, steps(w, profile->last_ns));
	buf_str(w->out, ",\n\"lost\":[");
	for (size_t i = 0; i < profile->nr_lost; i++) {
		const struct html_lost *lost = &profile->lost[i];

		put_comma(w, i);
		buf_printf(w->out, "[%" PRIu64 ",%" PRIu64 ",%" PRId32 ",", steps(w, lost->first), steps(w, lost->last),
			   lost->cpu);
		put_string(w, lost->text);
		buf_char(w->out, ']');
	}
	buf_char(w->out, ']');
}

static void put_frames(struct writer *w, const struct html_profile *profile)
{
	const struct html_frame *frames = profile->frames;

	buf_str(w->out, ",\n\"frames\":{\"symbol\":[");
	for (size_t i = 0; i < profile->nr_frames; i++)
		put_number_of(w, i, frames[i].symbol);
	buf_str(w->out, "],\n\"dso\":[");
	for (size_t i = 0; i < profile->nr_frames; i++)
		put_number_of(w, i, frames[i].dso);
	buf_str(w->out, "],\n\"kind\":[");
	for (size_t i = 0; i < profile->nr_frames; i++) {
		put_comma(w, i);
		buf_u64(w->out, frames[i].kind);
	}
	buf_str(w->out, "]},\n\"strings\":[");
	for (size_t i = 0; i < w->strings.names.n; i++) {
		put_comma(w, i);
		put_string(w, strpool_get(&w->strings, (uint32_t)i));
	}
	buf_char(w->out, ']');
}

static void put_nodes(struct writer *w, const struct html_event *event)
{
	const struct html_node *nodes = event->nodes;

	for (size_t i = 0; i < event->nr_nodes; i++)
		columns_put(&w->columns, nodes[i].parent == HTML_NO_PARENT ? 0 : i - nodes[i].parent);
	put_column(w, 0, "up");
	for (size_t i = 0; i < event->nr_nodes; i++)
		columns_put(&w->columns, nodes[i].frame);
	put_column(w, 1, "frame");
}

static void put_cells(struct writer *w, const struct html_event *event)
{
	const struct html_cell *cells = event->cells;

	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(&w->columns, cells[i].task);
	put_column(w, 1, "task");
	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(&w->columns, cells[i].node);
	put_column(w, 1, "node");
	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(&w->columns, cells[i].weight);
	put_column(w, 1, "weight");
	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(&w->columns, cells[i].samples);
	put_column(w, 1, "samples");
}

static void put_samples(struct writer *w, const struct html_event *event)
{
	const struct html_sample *samples = event->samples;
	uint64_t before = 0;

	for (size_t i = 0; i < event->nr_samples; i++) {
		uint64_t at = steps(w, samples[i].time);

		columns_put(&w->columns, at - before);
		before = at;
	}
	put_column(w, 1, "time");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(&w->columns, samples[i].cpu == UINT32_MAX ? 0 : (uint64_t)samples[i].cpu + 1);
	put_column(w, 1, "cpu");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(&w->columns, samples[i].cell);
	put_column(w, 1, "cell");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(&w->columns, samples[i].weight);
	put_column(w, 1, "period");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(&w->columns, samples[i].count);
	put_column(w, 1, "count");
}

static void put_event(struct writer *w, const struct html_event *event)
{
	buf_str(w->out, "{\"name\":");
	put_string(w, event->name);
	buf_str(w->out, ",\"unit\":");
	put_string(w, event->unit);
	buf_str(w->out, ",\"notes\":");
	put_strings(w, event->notes, event->nr_notes);
	buf_printf(w->out, ",\"merged_ns\":%" PRIu64 ",\n\"columns\":[", event->merged_ns);
	put_nodes(w, event);
	put_cells(w, event);
	put_samples(w, event);
	buf_str(w->out, "]}");
}

int html_write(struct buf *b, const struct html_profile *profile)
{
	struct writer w = { .out = b, .text = BUF_MEMORY, .columns = { .bytes = BUF_MEMORY } };

	buf_put(b, html_page[0].p, html_page[0].len);
	buf_str(b, "{\"title\":");
	put_string(&w, profile->title);
	put_info(&w, profile);
	put_tasks(&w, profile);
	put_frames(&w, profile);
	put_time(&w, profile);
	buf_str(b, ",\n\"events\":[");
	for (size_t i = 0; i < profile->nr_events; i++) {
		put_comma(&w, i);
		put_event(&w, &profile->events[i]);
	}
	buf_char(b, ']');
	if (profile->code.len) {
		buf_str(b, ",\n\"code\":");
		buf_put(b, profile->code.p, profile->code.len);
	}
	buf_char(b, '}');
	buf_put(b, html_page[1].p, html_page[1].len);
	if (!w.failed)
		w.failed = columns_write(&w.columns, b);
	buf_put(b, html_page[2].p, html_page[2].len);
	buf_free(&w.text);
	columns_free(&w.columns);
	strpool_free(&w.strings);
	return b->failed ? b->failed : w.failed;
}
