/* SPDX-License-Identifier: MIT */
#include "cli/stat/report.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <search.h>
#include <sonde/trace.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/options.h"
#include "cli/stat/file.h"
#include "cli/stat/keys.h"
#include "cli/stat/print.h"

#define NS 1e-9
#define HEADING_EVERY 25
#define THREADS_MAX 65536
#define CELLS_MAX 65536        /* counts of a round: a recording may ask for any number of CPUs and rounds */

static struct {
	const char *input, *separator, *output;
	bool json, no_big_num;
	bool by_given;
	enum stat_aggregation by;
} words;

static int told_apart(enum stat_aggregation by)
{
	words.by = by;
	words.by_given = true;
	return 0;
}

static int by_cpu(const char *arg) { (void)arg; return told_apart(STAT_CPU); }
static int by_core(const char *arg) { (void)arg; return told_apart(STAT_CORE); }
static int by_die(const char *arg) { (void)arg; return told_apart(STAT_DIE); }
static int by_socket(const char *arg) { (void)arg; return told_apart(STAT_SOCKET); }
static int by_node(const char *arg) { (void)arg; return told_apart(STAT_NODE); }

static int set_separator(const char *arg)
{
	words.separator = strcmp(arg, "\\t") == 0 ? "\t" : arg;
	return *arg ? 0 : (say_usage("-x: the separator is empty"), -SONDE_USAGE);
}

static const struct option_row report_options[] = {
	{ "input", 'i', OPTION_STRING, &words.input, .arg = "FILE", .help = "read FILE, not perf.data; - is a pipe" },
	{ "field-separator", 'x', OPTION_CALL, .call = set_separator, .arg = "TEXT",
	  .help = "separate fields by this" },
	{ "json-output", 'j', OPTION_FLAG, &words.json, .help = "one JSON object for each line" },
	{ "no-aggr", 'A', OPTION_CALL, .call = by_cpu, .help = "one line for each CPU" },
	{ "per-core", 0, OPTION_CALL, .call = by_core, .help = "one line for each core" },
	{ "per-die", 0, OPTION_CALL, .call = by_die, .help = "one line for each die" },
	{ "per-socket", 0, OPTION_CALL, .call = by_socket, .help = "one line for each socket" },
	{ "per-node", 0, OPTION_CALL, .call = by_node, .help = "one line for each NUMA node" },
	{ "no-big-num", 0, OPTION_FLAG, &words.no_big_num, .help = "do not separate thousands" },
	{ 0 },
};

static const struct command report_command = { .name = "stat", .options = report_options, .reads_no_trace = true };

/* One cell of an event, with the counts of its last record. */
struct recorded_cell {
	size_t row, key;
	uint64_t id;
	int32_t cpu, thread;
	struct sonde_counter_value now, before;
};

/* An id and the event that it belongs to. */
struct known_id {
	uint64_t id;
	const struct sonde_evsel *evsel;
};

struct report {
	struct sonde_trace *trace;
	void *ids, *places;          /* trees of known_id by id, of counted by id, CPU and thread */
	size_t nr_known;             /* events whose ids are in the tree */
	struct stat_table table;
	struct stat_format format;
	struct recorded_cell **cells;
	size_t nr_cells;
	int32_t *tids;               /* of the thread map */
	size_t nr_tids;
	uint64_t mode, last_round, rounds;
	bool has_mode, has_level, any, is_pipe;
	/* the record at hand */
	uint64_t type, val, ena, run, id, time, tag, interval;
	int32_t cpu, thread;
};

static int take_field(void *ctx, const struct sonde_field *f)
{
	struct report *r = ctx;
	const struct {
		const char *name;
		uint64_t *to;
	} fields[] = {
		{ "id", &r->id }, { "val", &r->val }, { "ena", &r->ena }, { "run", &r->run }, { "time", &r->time },
		{ "type", &r->type }, { "tag", &r->tag },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(f->name, fields[i].name))
			*fields[i].to = f->u;
	if (!strcmp(f->name, "cpu"))
		r->cpu = (int32_t)f->u;
	if (!strcmp(f->name, "thread"))
		r->thread = (int32_t)f->u;
	return 0;
}

/* STAT_CONFIG: tags with their values. */
static int take_config(void *ctx, const struct sonde_field *f)
{
	struct report *r = ctx;

	if (!strcmp(f->name, "tag"))
		r->tag = f->u;
	if (strcmp(f->name, "val") != 0)
		return 0;
	if (r->tag == 0) {
		r->mode = f->u;
		r->has_mode = true;
	} else if (r->tag == 1) {
		r->interval = f->u;
	} else if (r->tag == 3) {
		r->has_level = true;
	}
	return 0;
}

static int take_thread(void *ctx, const struct sonde_field *f)
{
	struct report *r = ctx;
	int32_t *more;

	if (strcmp(f->name, "pid") != 0 || r->nr_tids >= THREADS_MAX)
		return 0;
	more = realloc(r->tids, (r->nr_tids + 1) * sizeof(*more));
	if (!more)
		return -SONDE_NOMEM;
	r->tids = more;
	more[r->nr_tids++] = (int32_t)f->u;
	return 0;
}

/* ---- rows ---- */

static char *copy_of(const char *text)
{
	return strdup(text ? text : "");
}

static int add_row(struct report *r, const struct sonde_evsel *evsel)
{
	struct stat_table *t = &r->table;
	struct stat_row *more = realloc(t->rows, (t->nr_rows + 1) * sizeof(*more)), *row;

	if (!more)
		return say_out_of_memory();
	t->rows = more;
	row = &more[t->nr_rows];
	memset(row, 0, sizeof(*row));
	row->name = copy_of(evsel->name);
	row->is_clock = evsel->attr && evsel->attr->type == PERF_TYPE_SOFTWARE &&
			evsel->attr->config <= PERF_COUNT_SW_TASK_CLOCK;
	row->unit = copy_of(evsel->unit ? evsel->unit : row->is_clock ? "msec" : "");
	row->scale = row->is_clock && evsel->scale == 1.0 ? 1e-6 : evsel->scale;
	row->event = evsel->index;
	row->cells = calloc(t->nr_keys, sizeof(*row->cells));
	if (!row->name || !row->unit || !row->cells)
		return say_out_of_memory();
	t->nr_rows++;
	return 0;
}

static int row_of(struct report *r, const struct sonde_evsel *evsel, size_t *out)
{
	for (size_t i = 0; i < r->table.nr_rows; i++)
		if (r->table.rows[i].event == evsel->index) {
			*out = i;
			return 0;
		}
	*out = r->table.nr_rows;
	return add_row(r, evsel);
}

static int key_for(struct report *r, size_t *out)
{
	struct stat_table *t = &r->table;
	int32_t tid = r->thread >= 0 && (size_t)r->thread < r->nr_tids ? r->tids[r->thread] : r->thread;
	struct sonde_counter_value v = { .cpu = r->cpu, .tid = tid };
	size_t before = t->nr_keys;
	int key = stat_key_of(t, t->by, &v, 0);

	if (key < 0)
		return 1;
	for (size_t i = 0; t->nr_keys > before && i < t->nr_rows; i++) {
		struct stat_cell *more = realloc(t->rows[i].cells, t->nr_keys * sizeof(*more));

		if (!more)
			return say_out_of_memory();
		memset(&more[before], 0, sizeof(*more));
		t->rows[i].cells = more;
	}
	*out = (size_t)key;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct known_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_place(const void *a, const void *b)
{
	const struct recorded_cell *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* A stream tells its events as it goes. */
static const struct sonde_evsel *evsel_of(struct report *r, uint64_t id)
{
	struct known_id wanted = { .id = id }, **found;

	for (; r->nr_known < sonde_trace_evsel_count(r->trace); r->nr_known++) {
		const struct sonde_evsel *e = sonde_trace_evsel_at(r->trace, r->nr_known);

		for (size_t k = 0; k < e->nr_ids; k++) {
			struct known_id *known = malloc(sizeof(*known));

			if (!known)
				return NULL;
			*known = (struct known_id){ e->ids[k], e };
			found = tsearch(known, &r->ids, by_id);
			if (!found || *found != known)
				free(known);
		}
	}
	found = tfind(&wanted, &r->ids, by_id);
	return found ? (*found)->evsel : NULL;
}

static void set_now(const struct report *r, struct recorded_cell *c)
{
	c->now.raw = r->val;
	c->now.time_enabled = r->ena;
	c->now.time_running = r->run;
}

static int add_cell(struct report *r, const struct recorded_cell *place, const struct sonde_evsel *evsel)
{
	struct recorded_cell **more = realloc(r->cells, (r->nr_cells + 1) * sizeof(struct recorded_cell *));
	struct recorded_cell *c = malloc(sizeof(*c));

	if (more)
		r->cells = more;
	if (!more || !c) {
		free(c);
		return say_out_of_memory();
	}
	*c = *place;
	r->cells[r->nr_cells++] = c;     /* owned by the list from here on */
	if (key_for(r, &c->key) || row_of(r, evsel, &c->row) || !tsearch(c, &r->places, by_place))
		return 1;
	if (r->nr_cells > CELLS_MAX || r->table.nr_rows * r->table.nr_keys > CELLS_MAX) {
		say("the recording has more than %d counts in a round", CELLS_MAX);
		return 1;
	}
	set_now(r, c);
	r->table.rows[c->row].cells[c->key].nr++;
	return 0;
}

static int take_stat(struct report *r)
{
	const struct sonde_evsel *evsel;
	struct recorded_cell place = { .id = r->id, .cpu = r->cpu, .thread = r->thread }, **old;

	old = tfind(&place, &r->places, by_place);
	if (old) {
		set_now(r, *old);
		return 0;
	}
	evsel = evsel_of(r, r->id);
	if (!evsel)
		return 0;
	r->any = true;
	return add_cell(r, &place, evsel);
}

/* ---- rounds ---- */

static void fill_table(struct report *r)
{
	struct stat_table *t = &r->table;
	struct sonde_counter_value *sums = calloc(t->nr_rows * t->nr_keys, sizeof(*sums));

	for (size_t i = 0; sums && i < r->nr_cells; i++) {
		struct recorded_cell *c = r->cells[i];
		struct sonde_counter_value *sum = &sums[c->row * t->nr_keys + c->key];

		sum->raw += c->now.raw - c->before.raw;
		sum->time_enabled += c->now.time_enabled - c->before.time_enabled;
		sum->time_running += c->now.time_running - c->before.time_running;
		c->before = c->now;
	}
	for (size_t i = 0; sums && i < t->nr_rows; i++)
		for (size_t k = 0; k < t->nr_keys; k++) {
			struct stat_cell *cell = &t->rows[i].cells[k];
			const struct sonde_counter_value *s = &sums[i * t->nr_keys + k];
			double value = (double)s->raw;

			if (s->time_running && s->time_running < s->time_enabled)
				value = value * (double)s->time_enabled / (double)s->time_running;
			cell->value = cell->enabled = cell->running = (struct stat_mean){ .n = 0 };
			mean_add(&cell->value, value);
			mean_add(&cell->enabled, (double)s->time_enabled);
			mean_add(&cell->running, (double)s->time_running);
		}
	free(sums);
}

static void name_target(const struct report *r, char *out, size_t size)
{
	const struct sonde_meta *meta = sonde_trace_meta(r->trace);
	size_t n = (size_t)snprintf(out, size, "'");

	for (size_t i = 0; i < meta->nr_cmdline && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "", meta->cmdline[i]);
	if (meta->nr_cmdline == 0 || r->is_pipe)
		n = (size_t)snprintf(out, size, "'pipe");
	if (n < size)
		snprintf(out + n, size - n, "'");
}

static void end_round(struct report *r)
{
	struct stat_end end = { .no_rows = r->table.nr_rows == 0 };
	static char target[4096];

	r->table.seconds = (double)(r->time - (r->interval ? r->last_round : 0)) * NS;
	fill_table(r);
	if (r->interval) {
		if (r->rounds % HEADING_EVERY == 0)
			stat_print_heading(&r->format, &r->table);
		stat_print_table(&r->format, &r->table, (double)r->time * NS);
	} else {
		name_target(r, target, sizeof(target));
		mean_add(&end.elapsed, (double)r->time * NS);
		stat_print_title(&r->format, target, 1);
		stat_print_table(&r->format, &r->table, STAT_NO_TIME);
		stat_print_end(&r->format, &end);
	}
	r->last_round = r->time;
	r->rounds++;
}

/* Chooses the CPUs that share a line: by the option, or as it was recorded. */
static void choose_lines(struct report *r)
{
	r->table.recorded = r->trace;
	if (words.by_given)
		r->table.by = words.by;
	else if (!stat_file_aggregation(r->mode, r->has_level, &r->table.by))
		r->table.by = STAT_GLOBAL;
	if (r->table.by < STAT_CORE || stat_keys_are_recorded(r->trace, r->table.by))
		return;
	say("the recording does not say which CPUs belong together: one line for each CPU");
	r->table.by = STAT_CPU;
}

static int take_event(struct report *r, const struct sonde_event *ev)
{
	const char *type = sonde_event_type_name(ev->type);

	if (!type)
		return 0;
	if (!strcmp(type, "STAT_CONFIG")) {
		sonde_event_fields(ev, take_config, r);
		choose_lines(r);
	} else if (!strcmp(type, "THREAD_MAP")) {
		return sonde_event_fields(ev, take_thread, r) == -SONDE_NOMEM ? say_out_of_memory() : 0;
	} else if (!strcmp(type, "STAT")) {
		return sonde_event_fields(ev, take_field, r) < 0 ? 0 : take_stat(r);
	} else if (!strcmp(type, "STAT_ROUND") && sonde_event_fields(ev, take_field, r) == 0) {
		end_round(r);
	}
	return 0;
}

static int read_all(struct report *r, const char *path)
{
	struct sonde_iter *it = sonde_iter_new(r->trace, NULL);
	const struct sonde_event *ev;
	int n = 0, status = 0;

	while (it && !status && (n = sonde_iter_next(it, &ev)) > 0)
		status = take_event(r, ev);
	if (!it)
		status = say_out_of_memory();
	else if (n < 0)
		status = say_error(path, sonde_iter_error(it));
	sonde_iter_free(it);
	if (!status && !r->any) {
		say("%s has no counts: `sonde stat record` writes some, `sonde report` shows samples", path);
		status = 1;
	}
	return status;
}

/* The list of cells owns the nodes of their tree. */
static void keep(void *cell)
{
	(void)cell;
}

int stat_report(int argc, char **argv)
{
	struct report r = { .format = { .out = stderr } };
	const char *path;
	int status;

	switch (options_parse(&report_command, &argc, argv)) {
	case OPTIONS_USAGE:
		return 2;
	case OPTIONS_HELP:
		puts("sonde stat report [-i FILE] [-x TEXT | -j] [-A | --per-core | --per-die | --per-socket | "
		     "--per-node] [--no-big-num]");
		return 0;
	default:
		break;
	}
	path = input_path(words.input, argc, argv);
	if (!path)
		return 2;
	r.is_pipe = strcmp(path, "-") == 0;
	r.format.separator = words.separator;
	r.format.json = words.json;
	r.format.big_numbers = !words.no_big_num;
	r.table.runs = 1;
	r.table.derived = r.table.only_known = !words.separator && !words.json;
	r.trace = sonde_trace_new();
	if (!r.trace)
		return say_out_of_memory();
	status = sonde_trace_open(r.trace, path, NULL) < 0 ? say_error(path, sonde_trace_error(r.trace)) :
							     read_all(&r, path);
	table_free(&r.table);
	tdestroy(r.ids, free);
	tdestroy(r.places, keep);
	for (size_t i = 0; i < r.nr_cells; i++)
		free(r.cells[i]);
	free(r.cells);
	free(r.tids);
	sonde_trace_free(r.trace);
	return status;
}
