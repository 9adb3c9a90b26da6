/* SPDX-License-Identifier: MIT */
#include "export/page/page.h"

#include <inttypes.h>

#include "base/strpool.h"
#include "export/page/columns.h"
#include "export/page/script_text.h"

enum { TIME_STEPS = 1 << 26 };    /* of a whole recording: many more than a screen has pixels */

struct data_writer {
	struct buf *out;
	struct buf text;          /* one string as JSON, not yet safe for HTML */
	struct strpool strings;
	struct columns *columns;
	uint64_t start_ns, step_ns;  /* of the times */
	bool compares;            /* the page has a baseline */
	int failed;
};

static void put_string(struct data_writer *w, const char *s)
{
	script_text_put(w->out, &w->text, s);
}

static void put_strings(struct data_writer *w, const char *const *strings, size_t n)
{
	buf_char(w->out, '[');
	for (size_t i = 0; i < n; i++) {
		script_text_comma(w->out, i);
		put_string(w, strings[i]);
	}
	buf_char(w->out, ']');
}

static void put_info(struct data_writer *w, const struct html_profile *profile)
{
	buf_str(w->out, ",\n\"wall_ns\":");
	buf_u64(w->out, profile->wall_ns);
	buf_str(w->out, ",\n\"info\":[");
	for (size_t i = 0; i < profile->nr_info; i++) {
		script_text_comma(w->out, i);
		buf_char(w->out, '[');
		put_string(w, profile->info[i].name);
		buf_char(w->out, ',');
		put_string(w, profile->info[i].value);
		buf_char(w->out, ']');
	}
	buf_str(w->out, "],\n\"losses\":");
	put_strings(w, profile->losses, profile->nr_losses);
}

static uint32_t number_of(struct data_writer *w, const char *s)
{
	uint32_t number = strpool_add(&w->strings, s, strlen(s));

	if (number == UINT32_MAX)
		w->failed = -SONDE_NOMEM;
	return number;
}

static void put_number_of(struct data_writer *w, size_t i, const char *s)
{
	script_text_comma(w->out, i);
	buf_u64(w->out, number_of(w, s));
}

/* Ends a column; those before it in the list: i. */
static void put_column(struct data_writer *w, size_t i, const char *name)
{
	script_text_comma(w->out, i);
	columns_end(w->columns, name, w->out);
}

static void put_tasks(struct data_writer *w, const struct html_profile *profile)
{
	const struct html_task *tasks = profile->tasks;

	buf_str(w->out, ",\n\"columns\":[");
	for (size_t i = 0; i < profile->nr_tasks; i++)
		columns_put(w->columns, (uint32_t)tasks[i].pid);
	put_column(w, 0, "pid");
	for (size_t i = 0; i < profile->nr_tasks; i++)
		columns_put(w->columns, (uint32_t)tasks[i].tid);
	put_column(w, 1, "tid");
	for (size_t i = 0; i < profile->nr_tasks; i++)
		columns_put(w->columns, number_of(w, tasks[i].comm));
	put_column(w, 2, "comm");
	for (size_t i = 0; i < profile->nr_tasks; i++)
		columns_put(w->columns, tasks[i].machine);
	put_column(w, 3, "machine");
	buf_char(w->out, ']');
}

static uint64_t steps(const struct data_writer *w, uint64_t time_ns)
{
	return time_ns > w->start_ns ? (time_ns - w->start_ns) / w->step_ns : 0;
}

/* Times are kept as finely as TIME_STEPS allow, in a step that is a power of ten: small numbers pack well. */
uint64_t html_time_step(uint64_t first_ns, uint64_t last_ns)
{
	uint64_t step_ns = 1;

	while ((last_ns - first_ns) / step_ns >= TIME_STEPS)
		step_ns *= 10;
	return step_ns;
}

static void put_time(struct data_writer *w, const struct html_profile *profile)
{
	buf_printf(w->out, ",\n\"time\":{\"start_ns\":%" PRIu64 ",\"step_ns\":%" PRIu64 ",\"end\":%" PRIu64 "}",
		   w->start_ns, w->step_ns, steps(w, profile->last_ns));
	buf_str(w->out, ",\n\"lost\":[");
	for (size_t i = 0; i < profile->nr_lost; i++) {
		const struct html_lost *lost = &profile->lost[i];

		script_text_comma(w->out, i);
		buf_printf(w->out, "[%" PRIu64 ",%" PRIu64 ",%" PRId32 ",", steps(w, lost->first), steps(w, lost->last),
			   lost->cpu);
		put_string(w, lost->text);
		buf_char(w->out, ']');
	}
	buf_char(w->out, ']');
}

static void put_frames(struct data_writer *w, const struct html_profile *profile)
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
		script_text_comma(w->out, i);
		buf_u64(w->out, frames[i].kind);
	}
	buf_str(w->out, "],\n\"inlined\":[");
	for (size_t i = 0, n = 0; i < profile->nr_frames; i++) {
		if (!frames[i].inlined)
			continue;
		script_text_comma(w->out, n++);
		buf_u64(w->out, i);
	}
	if (w->compares)
		buf_str(w->out, "],\n\"build_id\":[");
	for (size_t i = 0; w->compares && i < profile->nr_frames; i++)
		put_number_of(w, i, frames[i].build_id ? frames[i].build_id : "");
	buf_str(w->out, "]},\n\"strings\":[");
	for (size_t i = 0; i < w->strings.names.n; i++) {
		script_text_comma(w->out, i);
		put_string(w, strpool_get(&w->strings, (uint32_t)i));
	}
	buf_char(w->out, ']');
}

/* Puts a time as steps since the one before. An event that comes too late has the time of that. */
static void put_next_time(struct data_writer *w, uint64_t *before, uint64_t time_ns)
{
	const uint64_t at = steps(w, time_ns);
	const uint64_t next = at > *before ? at : *before;

	columns_put(w->columns, next - *before);
	*before = next;
}

/* A column of one value for each element of a vector. */
#define PUT_EACH(w, name, list, value) \
	do { \
		for (size_t i = 0; i < (list)->n; i++) { \
			const __typeof__(*(list)->at) *at = &(list)->at[i]; \
			columns_put((w)->columns, (value)); \
		} \
		put_column(w, 1, name); \
	} while (0)

#define PUT_TIMES(w, name, list) \
	do { \
		uint64_t before = 0; \
		for (size_t i = 0; i < (list)->n; i++) \
			put_next_time(w, &before, (list)->at[i].time); \
		put_column(w, 1, name); \
	} while (0)

static uint64_t cpu_and_1(int32_t cpu)
{
	return cpu < 0 ? 0 : (uint64_t)cpu + 1;
}

static uint64_t number_and_1(uint32_t number)
{
	return number == UINT32_MAX ? 0 : (uint64_t)number + 1;
}

static void put_tracks(struct data_writer *w, const struct html_profile *profile)
{
	const struct tracks *t = profile->tracks;

	if (!t)
		return;
	buf_str(w->out, ",\n\"tracks\":{\"columns\":[");
	for (size_t i = 0; i < t->sched.states.tasks.n; i++)
		columns_put(w->columns, (uint32_t)t->sched.states.tasks.at[i].tid);
	put_column(w, 0, "tid");
	PUT_EACH(w, "comm", &t->sched.states.tasks,
		 at->comm ? number_of(w, strpool_get(&t->sched.states.comms, at->comm)) : 0);
	PUT_TIMES(w, "time", &t->sched.changes);
	PUT_EACH(w, "thread", &t->sched.changes, at->thread);
	PUT_EACH(w, "cpu", &t->sched.changes, cpu_and_1(at->cpu));
	PUT_EACH(w, "state", &t->sched.changes, at->state);
	PUT_TIMES(w, "wake_time", &t->sched.wakeups);
	PUT_EACH(w, "waker", &t->sched.wakeups, number_and_1(at->waker));
	PUT_EACH(w, "wakee", &t->sched.wakeups, at->wakee);
	PUT_TIMES(w, "mark_time", &t->marks);
	PUT_EACH(w, "mark_thread", &t->marks, number_and_1(at->thread));
	PUT_EACH(w, "mark_cpu", &t->marks, cpu_and_1(at->cpu));
	PUT_EACH(w, "mark_event", &t->marks, number_of(w, strpool_get(&t->texts, at->event)));
	PUT_EACH(w, "mark_text", &t->marks, at->text ? number_of(w, strpool_get(&t->texts, at->text)) : 0);
	PUT_TIMES(w, "count_time", &t->counts.list);
	PUT_EACH(w, "count_thread", &t->counts.list, number_and_1(at->thread));
	PUT_EACH(w, "count_cpu", &t->counts.list, cpu_and_1(at->cpu));
	PUT_EACH(w, "count_event", &t->counts.list, number_of(w, strpool_get(&t->texts, at->event)));
	PUT_EACH(w, "count", &t->counts.list, at->growth);
	PUT_TIMES(w, "khz_time", &t->frequencies);
	PUT_EACH(w, "khz_cpu", &t->frequencies, cpu_and_1(at->cpu));
	PUT_EACH(w, "khz", &t->frequencies, at->khz);
	buf_printf(w->out, "],\"marks\":%" PRIu64 ",\"counts\":%" PRIu64 ",\"given_up\":%s,\"some\":%s}",
		   t->nr_marks, t->counts.nr, t->sched.given_up ? "true" : "false", t->sched.some ? "true" : "false");
}

static void put_nodes(struct data_writer *w, const struct html_event *event)
{
	const struct html_node *nodes = event->nodes;

	for (size_t i = 0; i < event->nr_nodes; i++)
		columns_put(w->columns, nodes[i].parent == HTML_NO_PARENT ? 0 : i - nodes[i].parent);
	put_column(w, 0, "up");
	for (size_t i = 0; i < event->nr_nodes; i++)
		columns_put(w->columns, nodes[i].frame);
	put_column(w, 1, "frame");
}

static void put_cells(struct data_writer *w, const struct html_event *event)
{
	const struct html_cell *cells = event->cells;

	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(w->columns, cells[i].task);
	put_column(w, 1, "task");
	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(w->columns, cells[i].node);
	put_column(w, 1, "node");
	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(w->columns, cells[i].weight);
	put_column(w, 1, "weight");
	for (size_t i = 0; i < event->nr_cells; i++)
		columns_put(w->columns, cells[i].samples);
	put_column(w, 1, "samples");
}

static void put_samples(struct data_writer *w, const struct html_event *event)
{
	const struct html_sample *samples = event->samples;
	uint64_t before = 0;

	for (size_t i = 0; i < event->nr_samples; i++)
		put_next_time(w, &before, samples[i].time);
	put_column(w, 1, "time");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(w->columns, number_and_1(samples[i].cpu));
	put_column(w, 1, "cpu");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(w->columns, samples[i].cell);
	put_column(w, 1, "cell");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(w->columns, samples[i].weight);
	put_column(w, 1, "period");
	for (size_t i = 0; i < event->nr_samples; i++)
		columns_put(w->columns, samples[i].count);
	put_column(w, 1, "count");
}

static void put_field(struct data_writer *w, const struct html_field *field)
{
	buf_char(w->out, '[');
	put_string(w, field->name);
	buf_printf(w->out, ",%" PRIu64 ",[", field->distinct);
	for (size_t i = 0; i < field->nr_values; i++) {
		script_text_comma(w->out, i);
		buf_char(w->out, '[');
		put_string(w, field->values[i].text);
		buf_printf(w->out, ",%" PRIu64 "]", field->values[i].count);
	}
	buf_str(w->out, "]]");
}

static void put_fields(struct data_writer *w, const struct html_event *event)
{
	if (event->nr_fields) {
		buf_printf(w->out, ",\n\"counted\":%" PRIu64 ",\"fields\":[", event->nr_counted);
		for (size_t i = 0; i < event->nr_fields; i++) {
			script_text_comma(w->out, i);
			put_field(w, &event->fields[i]);
		}
		buf_char(w->out, ']');
	}
	if (event->nr_gaps) {
		buf_printf(w->out, ",\n\"gaps\":[%" PRIu64, event->nr_gaps);
		for (size_t i = 0; i < sizeof(event->gaps_ns) / sizeof(event->gaps_ns[0]); i++)
			buf_printf(w->out, ",%" PRIu64, event->gaps_ns[i]);
		buf_char(w->out, ']');
	}
}

static void put_event(struct data_writer *w, const struct html_event *event)
{
	buf_str(w->out, "{\"name\":");
	put_string(w, event->name);
	buf_str(w->out, ",\"unit\":");
	put_string(w, event->unit);
	buf_str(w->out, ",\"notes\":");
	put_strings(w, event->notes, event->nr_notes);
	buf_printf(w->out, ",\"merged_ns\":%" PRIu64, event->merged_ns);
	if (event->nr_served)
		buf_printf(w->out, ",\"served\":%" PRIu64, event->nr_served);
	put_fields(w, event);
	buf_str(w->out, ",\n\"columns\":[");
	put_nodes(w, event);
	put_cells(w, event);
	put_samples(w, event);
	buf_str(w->out, "]}");
}

/* All members of its object but the brace that ends it. */
static void put_profile(struct data_writer *w, const struct html_profile *profile)
{
	buf_str(w->out, "{\"title\":");
	put_string(w, profile->title);
	put_info(w, profile);
	put_tasks(w, profile);
	w->start_ns = profile->first_ns;
	w->step_ns = html_time_step(profile->first_ns, profile->last_ns);
	put_tracks(w, profile);
	put_frames(w, profile);
	put_time(w, profile);
	buf_str(w->out, ",\n\"events\":[");
	for (size_t i = 0; i < profile->nr_events; i++) {
		script_text_comma(w->out, i);
		put_event(w, &profile->events[i]);
	}
	buf_char(w->out, ']');
}

int html_write_block(struct buf *json, struct columns *columns, const struct html_profile *profile)
{
	struct data_writer w = { .out = json, .text = BUF_MEMORY, .columns = columns,
			    .compares = profile->baseline != NULL };

	put_profile(&w, profile);
	if (profile->code.len) {
		buf_str(json, ",\n\"code\":");
		buf_put(json, profile->code.p, profile->code.len);
	}
	if (profile->baseline) {
		strpool_free(&w.strings);
		w.strings = (struct strpool){ 0 };
		buf_str(json, ",\n\"baseline\":");
		put_profile(&w, profile->baseline);
		buf_char(json, '}');
	}
	buf_char(json, '}');
	buf_free(&w.text);
	strpool_free(&w.strings);
	if (json->failed)
		return json->failed;
	return w.failed ? w.failed : columns->failed ? columns->failed : columns->bytes.failed;
}

static void put_part(struct buf *b, const struct sonde_str *part)
{
	buf_put(b, part->p, part->len);
}

int html_write(struct buf *b, const struct html_profile *profile)
{
	struct columns columns = { .bytes = BUF_MEMORY };
	int ret;

	put_part(b, &html_page[0]);
	put_part(b, &html_page_policy[0]);
	put_part(b, &html_page[1]);
	ret = html_write_block(b, &columns, profile);
	put_part(b, &html_page[2]);
	if (ret == 0)
		ret = columns_write(&columns, b);
	put_part(b, &html_page[3]);
	put_part(b, &html_page[4]);
	columns_free(&columns);
	return b->failed ? b->failed : ret;
}

void html_write_served(struct buf *b)
{
	put_part(b, &html_page[0]);
	put_part(b, &html_page_policy[1]);
	for (size_t i = 1; i < 4; i++)
		put_part(b, &html_page[i]);
	put_part(b, &html_page_served[0]);
	put_part(b, &html_page[4]);
}
