/* SPDX-License-Identifier: MIT */
#include "export/page/trees.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/u64map.h"
#include "export/build_id_text.h"
#include "export/frame_name.h"
#include "export/page/fields.h"
#include "export/weights.h"

/* The tree under construction: nodes by their parent and frame, of stacks also by comm and stack. */
struct tree {
	VEC(struct html_node) nodes;
	VEC(struct html_cell) cells;
	struct u64map by_child, by_stack, by_cell;
};

static uint64_t node_key(uint32_t comm, uint32_t number)
{
	return (uint64_t)comm << 32 | number;
}

/* Finds or makes the node of a frame below @parent; U64MAP_NONE when out of memory. */
static uint32_t get_node(struct tree *t, uint32_t parent, uint32_t frame)
{
	uint64_t key = node_key(parent, frame);
	uint32_t node = u64map_get(&t->by_child, key);

	if (node != U64MAP_NONE)
		return node;
	node = (uint32_t)t->nodes.n;
	if (t->nodes.n >= U64MAP_NONE - 1 ||
	    vec_push(&t->nodes, ((struct html_node){ .parent = parent, .frame = frame })) < 0 ||
	    u64map_set(&t->by_child, key, node) < 0)
		return U64MAP_NONE;
	return node;
}

/* Stack 0, the empty one, is the task itself. */
static uint32_t node_of_stack(struct profile_page *page, struct tree *t, uint32_t comm, uint32_t stack)
{
	uint32_t node = get_node(t, HTML_NO_PARENT, page->nr_functions + comm);
	uint32_t found, at;

	page->path.n = 0;
	for (at = stack; at != 0 && node != U64MAP_NONE; at = page->stacks[at].parent) {
		found = u64map_get(&t->by_stack, node_key(comm, at));
		if (found != U64MAP_NONE) {
			node = found;
			break;
		}
		if (vec_push(&page->path, at) < 0)
			return U64MAP_NONE;
	}
	while (page->path.n > 0 && node != U64MAP_NONE) {
		at = page->path.at[--page->path.n];
		node = get_node(t, node, page->function_of[page->stacks[at].frame]);
		if (node != U64MAP_NONE && u64map_set(&t->by_stack, node_key(comm, at), node) < 0)
			node = U64MAP_NONE;
	}
	return node;
}

/*
 * The frame of a comm. Every CPU's idle task has pid 0; a program that calls itself "swapper" has another pid.
 * UINT32_MAX when out of memory.
 */
static uint32_t comm_number(struct profile_page *page, const struct sonde_profile_task *task)
{
	uint32_t comm;

	buf_char(&page->line, task->pid == 0 ? 'i' : 't');
	buf_str(&page->line, task->comm);
	comm = page->line.failed ? UINT32_MAX : strpool_add(&page->comms, page->line.p, page->line.n);
	page->line.n = 0;
	return comm;
}

/* Finds or makes the cell of a task and a node; U64MAP_NONE when out of memory. */
static uint32_t get_cell(struct tree *t, uint32_t task, uint32_t node)
{
	uint32_t cell = u64map_get(&t->by_cell, node_key(task, node));

	if (cell != U64MAP_NONE)
		return cell;
	cell = (uint32_t)t->cells.n;
	if (vec_push(&t->cells, ((struct html_cell){ task, node, 0, 0 })) < 0 ||
	    u64map_set(&t->by_cell, node_key(task, node), cell) < 0)
		return U64MAP_NONE;
	return cell;
}

static int add_cell(struct profile_page *page, struct tree *t, uint32_t number)
{
	const struct sonde_profile_cell *cell = &page->profile->cells.at[number];
	uint32_t comm = comm_number(page, &page->tasks[cell->task]);
	uint32_t node = comm == UINT32_MAX ? U64MAP_NONE : node_of_stack(page, t, comm, cell->stack);
	uint32_t made;

	if (node != U64MAP_NONE && cell->stack == 0)
		node = get_node(t, node, page->function_of[cell->frame]);
	made = node == U64MAP_NONE ? U64MAP_NONE : get_cell(t, cell->task, node);
	if (made == U64MAP_NONE)
		return -SONDE_NOMEM;
	t->cells.at[made].weight += cell->period;
	t->cells.at[made].samples += cell->samples;
	page->cell_of[number] = made;
	return 0;
}

/* A copy that lives as long as the page; NULL when out of memory. */
static const void *copy_of(struct profile_page *page, const void *p, size_t size)
{
	return arena_memdup(&page->text, size ? p : "", size ? size : 1);
}

/* Whether a stack has more than one frame. */
static bool has_stacks(const struct profile_page *page, const uint32_t *cells, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t stack = page->profile->cells.at[cells[i]].stack;

		if (stack && page->stacks[stack].parent)
			return true;
	}
	return false;
}

static int add_event(struct profile_page *page, uint32_t number, const struct sonde_profile_event *event,
		     const struct meta *meta)
{
	size_t nr_cells;
	const uint32_t *cells = event_cells_of(page->cells, number, &nr_cells);
	struct tree t = { 0 };
	struct html_event made = { .name = event->name, .unit = weight_is_ns(event) ? "ns" : "" };
	int ret = 0;

	for (size_t i = 0; i < nr_cells && ret == 0; i++)
		ret = add_cell(page, &t, cells[i]);
	if (ret == 0 && !has_stacks(page, cells, nr_cells))
		ret = html_fields_gather(&made, page->profile, number, &page->text);
	if (ret == 0)
		ret = html_about_notes(&page->about, page->profile, event, meta);
	if (ret == 0) {
		made.nr_nodes = t.nodes.n;
		made.nr_cells = t.cells.n;
		made.nr_notes = page->about.notes.n;
		made.nodes = copy_of(page, t.nodes.at, t.nodes.n * sizeof(*t.nodes.at));
		made.cells = copy_of(page, t.cells.at, t.cells.n * sizeof(*t.cells.at));
		made.notes = copy_of(page, page->about.notes.at, made.nr_notes * sizeof(*made.notes));
		ret = made.nodes && made.cells && made.notes ? vec_push(&page->events, made) : -SONDE_NOMEM;
	}
	if (ret == 0)
		ret = vec_push(&page->event_numbers, number);
	u64map_free(&t.by_child);
	u64map_free(&t.by_stack);
	u64map_free(&t.by_cell);
	vec_free(&t.nodes);
	vec_free(&t.cells);
	return ret;
}

static enum html_kind kind_of(const struct sonde_profile_frame *frame)
{
	if (!frame->symbol)
		return HTML_UNKNOWN;
	if (frame->kind == SONDE_BINARY_JIT)
		return HTML_JIT;
	return frame->level == 'k' || frame->level == 'g' || frame->level == 'H' ? HTML_KERNEL : HTML_USER;
}

/* Copies the text in page->line; NULL when out of memory. */
static const char *take_line(struct profile_page *page)
{
	const char *text = page->line.failed ? NULL : arena_strndup(&page->text, page->line.p, page->line.n);

	page->line.n = 0;
	return text;
}

/* Of its binary, "" if it is not known; NULL when out of memory. */
static const char *build_id_of(struct profile_page *page, uint32_t frame)
{
	const struct binary *binary = page->profile->frames.list.at[frame].binary;
	const struct build_id_text text = binary ? build_id_text(binary) : (struct build_id_text){ "" };

	return arena_strndup(&page->text, text.s, strlen(text.s));
}

/* A name for people, in page->line. */
static void put_name(struct profile_page *page, const struct sonde_profile_frame *f)
{
	if (f->symbol)
		buf_str(&page->line, f->symbol);
	else if (f->size)
		frame_put_nameless(&page->line, f);
	else if (f->dso || f->addr)
		buf_printf(&page->line, "0x%" PRIx64, f->addr);
	else
		buf_str(&page->line, "[unknown]");
}

/*
 * Finds or makes the function of a frame: a function is told by its name and binary, wherever it was inlined, as in
 * the formats of export/named_functions.h.
 */
static int add_function(struct profile_page *page, uint32_t number)
{
	struct sonde_profile_frame f;
	struct html_frame made;
	uint32_t known;

	profile_frame(page->profile, number, &f);
	put_name(page, &f);
	made = (struct html_frame){ take_line(page), f.dso ? f.dso : "[unknown]", kind_of(&f),
				    build_id_of(page, number), f.inlined };
	if (!made.symbol || !made.build_id)
		return -SONDE_NOMEM;
	buf_printf(&page->line, "%s\n%s\n%s", made.build_id, made.dso, made.symbol);
	known = page->line.failed ? UINT32_MAX : strpool_add(&page->functions, page->line.p, page->line.n);
	page->line.n = 0;
	if (known == UINT32_MAX)
		return -SONDE_NOMEM;
	page->function_of[number] = known - 1;   /* the first string of a pool is the empty one */
	if (known <= page->frames.n) {
		page->frames.at[known - 1].inlined &= f.inlined;
		return 0;
	}
	return vec_push(&page->frames, made);
}

static int add_functions(struct profile_page *page)
{
	const size_t n = page->profile->frames.list.n;
	int ret = 0;

	page->function_of = malloc((n + 1) * sizeof(*page->function_of));
	if (!page->function_of)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < n && ret == 0; i++)
		ret = add_function(page, i);
	page->nr_functions = (uint32_t)page->frames.n;
	return ret;
}

static int add_comms(struct profile_page *page)
{
	for (uint32_t i = 0; i < page->comms.names.n; i++) {
		const char *comm = strpool_get(&page->comms, i);
		enum html_kind kind = comm[0] == 'i' ? HTML_IDLE : HTML_TASK;

		comm += comm[0] != '\0';  /* the first string of a pool is the empty one */
		if (vec_push(&page->frames, ((struct html_frame){ .symbol = comm, .dso = "", .kind = kind })) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* Whether tracks have the records that tell of such losses, with the time of each. */
static bool has_records_of(const struct tracks *t, const struct sonde_loss *row)
{
	return t->losses.n && t->losses.n < TRACKS_LOSSES_MOST &&
	       (row->kind == SONDE_LOSS_RECORDER || row->kind == SONDE_LOSS_SAMPLES);
}

/* Each loss that a record tells of lies between the sample before it on that CPU and the record. */
static int add_lost_records(struct profile_page *page)
{
	const struct timed_samples *timed = &page->profile->timed;
	const struct tracks *t = &page->profile->tracks;
	uint64_t *before = calloc(HTML_MOST_CPUS, sizeof(*before));  /* by CPU: time of a sample; 0: none */
	size_t sample = 0;
	int r = before ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; i < t->losses.n && t->losses.n < TRACKS_LOSSES_MOST && r == 0; i++) {
		const struct track_loss *loss = &t->losses.at[i];
		struct html_lost lost = { loss->time, loss->time, loss->cpu, NULL };

		for (; sample < timed->list.n && timed->list.at[sample].time < loss->time; sample++)
			if (timed->list.at[sample].cpu < HTML_MOST_CPUS)
				before[timed->list.at[sample].cpu] = timed->list.at[sample].time;
		if (loss->cpu >= 0 && loss->cpu < HTML_MOST_CPUS && before[loss->cpu])
			lost.first = before[loss->cpu];
		if (loss->count == SONDE_NONE)
			buf_str(&page->line, "an unknown number of events");
		else
			buf_printf(&page->line, "%" PRIu64 " event%s", loss->count, loss->count == 1 ? "" : "s");
		lost.text = take_line(page);
		r = lost.text ? vec_push(&page->lost, lost) : -SONDE_NOMEM;
	}
	free(before);
	return r;
}

static int add_losses(struct profile_page *page, const struct ledger *losses)
{
	const char *text;

	for (size_t i = 0; losses && i < losses->rows.n; i++) {
		const struct sonde_loss *row = &losses->rows.at[i];

		buf_printf(&page->line, "%" PRIu64 " %s", row->count, row->text);
		if (row->cpu >= 0)
			buf_printf(&page->line, ": CPU %" PRId32, row->cpu);
		text = take_line(page);
		if (!text || vec_push(&page->losses, text) < 0)
			return -SONDE_NOMEM;
		if (row->time_first != SONDE_NONE && row->time_last != SONDE_NONE &&
		    !has_records_of(&page->profile->tracks, row) &&
		    vec_push(&page->lost, ((struct html_lost){ row->time_first, row->time_last, row->cpu, text })) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* The name of a task, of another machine than the first one with its name; NULL when out of memory. */
static const char *name_of_task(struct profile_page *page, const struct sonde_profile_task *task)
{
	if (!task->host_name)
		return task->comm;
	buf_printf(&page->line, "%s (%s)", task->comm, task->host_name);
	return take_line(page);
}

/* Numbers the machines of tasks, that of the first trace 0; @known: by host and guest. -SONDE_NOMEM: no memory. */
static int number_machine(const struct sonde_profile_task *task, struct u64map *known, uint32_t *number)
{
	const uint64_t key = (uint64_t)task->host << 32 | (uint32_t)task->machine_pid;

	*number = key ? u64map_get(known, key) : 0;
	if (*number != U64MAP_NONE)
		return 0;
	*number = (uint32_t)known->entries.n + 1;
	return u64map_set(known, key, *number);
}

static int add_tasks(struct profile_page *page)
{
	struct u64map machines = { 0 };
	int ret = 0;

	for (size_t i = 0; i < page->profile->who.n && ret == 0; i++) {
		const struct sonde_profile_task *task = &page->tasks[i];
		struct html_task row = { task->pid, task->tid, name_of_task(page, task), 0 };

		ret = row.comm ? number_machine(task, &machines, &row.machine) : -SONDE_NOMEM;
		if (ret == 0)
			ret = vec_push(&page->task_rows, row);
	}
	u64map_free(&machines);
	return ret;
}

/* Gives the events their timed samples. */
static int add_samples(struct profile_page *page)
{
	struct html_timed *t = &page->timed;
	int ret = html_timed_gather(t, page->profile, page->cell_of);

	for (size_t i = 0; i < page->events.n && ret == 0; i++) {
		struct html_event *event = &page->events.at[i];
		uint32_t number = page->event_numbers.at[i];

		event->samples = t->samples + t->first[number];
		event->nr_samples = html_timed_merge(t->samples + t->first[number],
						     t->first[number + 1] - t->first[number], HTML_MOST_SAMPLES,
						     &event->merged_ns);
		if (event->nr_samples == SIZE_MAX)
			ret = -SONDE_NOMEM;
	}
	return ret;
}

static int fill(struct profile_page *page, const struct export *x, bool with_samples)
{
	const struct sonde_profile_event *events = page->profile->events.at;
	size_t nr_events = page->profile->events.n;
	size_t nr_cells = page->profile->cells.n;
	int ret = add_functions(page);

	page->cell_of = malloc((nr_cells + 1) * sizeof(*page->cell_of));
	if (!page->cell_of)
		return -SONDE_NOMEM;
	memset(page->cell_of, 0xff, nr_cells * sizeof(*page->cell_of));
	page->tasks = page->profile->who.at;
	page->stacks = page->profile->stacks.list.at;
	for (uint32_t i = 0; i < nr_events && ret == 0; i++)
		if (export_wants_event(x, i))
			ret = add_event(page, i, &events[i], x->recorded.meta);
	if (ret == 0)
		ret = add_comms(page);
	if (ret == 0)
		ret = add_tasks(page);
	if (ret == 0 && with_samples)
		ret = add_samples(page);
	if (ret == 0)
		ret = add_losses(page, x->recorded.losses);
	return ret == 0 ? add_lost_records(page) : ret;
}

int page_gather(struct profile_page *page, const struct export *x, bool with_samples)
{
	int ret;

	*page = (struct profile_page){ .profile = x->profile, .cells = &x->cells, .line = BUF_MEMORY,
			       .about = { .line = BUF_MEMORY } };
	ret = fill(page, x, with_samples);
	return ret == 0 ? html_about_fill(&page->about, x->profile, &x->recorded) : ret;
}

static void cover(struct html_profile *view, uint64_t time)
{
	view->first_ns = time < view->first_ns ? time : view->first_ns;
	view->last_ns = time > view->last_ns ? time : view->last_ns;
}

/* The same of a list in order of time. */
#define COVER(view, list) \
	do { \
		if ((list)->n) { \
			cover(view, (list)->at[0].time); \
			cover(view, (list)->at[(list)->n - 1].time); \
		} \
	} while (0)

/* Shows the tracks of a profile, if there are any, beside its samples. */
static void view_tracks(struct html_profile *view, const struct tracks *t)
{
	if (!view->last_ns ||
	    !(t->sched.changes.n || t->marks.n || t->counts.list.n || t->frequencies.n || t->nr_marks ||
	      t->sched.given_up))
		return;
	view->tracks = t;
	COVER(view, &t->sched.changes);
	COVER(view, &t->marks);
	COVER(view, &t->counts.list);
	COVER(view, &t->frequencies);
}

struct html_profile page_view(const struct profile_page *page)
{
	struct html_profile view = {
		.title = page->about.title,
		.wall_ns = page->about.wall_ns,
		.info = page->about.rows.at,
		.nr_info = page->about.rows.n,
		.losses = page->losses.at,
		.nr_losses = page->losses.n,
		.frames = page->frames.at,
		.nr_frames = page->frames.n,
		.events = page->events.at,
		.nr_events = page->events.n,
		.tasks = page->task_rows.at,
		.nr_tasks = page->task_rows.n,
		.lost = page->lost.at,
		.nr_lost = page->lost.n,
		.first_ns = page->timed.first_ns,
		.last_ns = page->timed.last_ns,
	};

	view_tracks(&view, &page->profile->tracks);
	return view;
}

void page_free(struct profile_page *page)
{
	vec_free(&page->frames);
	vec_free(&page->events);
	vec_free(&page->task_rows);
	vec_free(&page->event_numbers);
	html_timed_free(&page->timed);
	free(page->cell_of);
	free(page->function_of);
	strpool_free(&page->functions);
	vec_free(&page->losses);
	vec_free(&page->lost);
	vec_free(&page->path);
	buf_free(&page->line);
	strpool_free(&page->comms);
	arena_free(&page->text);
	html_about_free(&page->about);
}
