/* SPDX-License-Identifier: MIT */
#include "export/arrow/event_batches.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "export/events/values.h"

enum { TIME, CPU, PID, TID, COMM, EVENT, KIND, PERIOD, IP, SYMBOL, MODULE, STACK, FIELDS };

static const struct {
	const char *name;
	enum arrow_kind kind;
} columns[EVENT_COLUMNS] = {
	[TIME] = { "time", ARROW_I64 },     [CPU] = { "cpu", ARROW_I32 },        [PID] = { "pid", ARROW_I32 },
	[TID] = { "tid", ARROW_I32 },       [COMM] = { "comm", ARROW_WORD },     [EVENT] = { "event", ARROW_WORD },
	[KIND] = { "kind", ARROW_WORD },    [PERIOD] = { "period", ARROW_U64 },  [IP] = { "ip", ARROW_U64 },
	[SYMBOL] = { "symbol", ARROW_WORD }, [MODULE] = { "module", ARROW_WORD }, [STACK] = { "stack", ARROW_LIST },
	[FIELDS] = { "fields", ARROW_STRUCT },
};

/* ---- the fields of a tracepoint ---- */

/* The kind of column for the values that event_values() gives of a field. */
static enum arrow_kind kind_of(const struct sonde_tracepoint_field *f)
{
	bool is_signed = f->flags & SONDE_TRACEPOINT_SIGNED;

	if (event_field_is_array(f))
		return ARROW_LIST;
	if (f->flags & SONDE_TRACEPOINT_STRING)
		return ARROW_WORD;
	if (f->flags & SONDE_TRACEPOINT_ARRAY || (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		return ARROW_BYTES;
	if (f->size == 8)
		return is_signed ? ARROW_I64 : ARROW_U64;
	return is_signed ? ARROW_I32 : ARROW_U32;
}

static size_t count_fields(const struct tracefmt_event *format)
{
	size_t n = 0;

	for (size_t i = 0; i < format->nr_fields; i++)
		n += !(format->fields[i].flags & SONDE_TRACEPOINT_COMMON);
	return n;
}

static int make_fields(struct event_batches *b)
{
	struct arrow_column *column = &b->columns[FIELDS];
	size_t n = count_fields(b->format), at = 0;

	b->fields = calloc(n + 1, sizeof(*b->fields));
	b->elements = calloc(n + 1, sizeof(*b->elements));
	if (!b->fields || !b->elements)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < b->format->nr_fields; i++) {
		const struct sonde_tracepoint_field *f = &b->format->fields[i];

		if (f->flags & SONDE_TRACEPOINT_COMMON)
			continue;
		b->fields[at] = ARROW_COLUMN(f->name, kind_of(f));
		if (b->fields[at].kind == ARROW_LIST) {
			b->elements[at] = ARROW_COLUMN("item", f->flags & SONDE_TRACEPOINT_SIGNED ? ARROW_I64 :
										       ARROW_U64);
			b->fields[at].children = &b->elements[at];
			b->fields[at].nr_children = 1;
		}
		at++;
	}
	column->children = b->fields;
	column->nr_children = at;
	return 0;
}

/* The values of a row come in the order of its fields, without those that are not whole. */
struct putting {
	struct event_batches *b;
	size_t field, column;        /* the next ones */
};

static void put_array(struct arrow_column *c, const struct event_value *v)
{
	for (uint64_t i = 0; i < v->nr; i++)
		arrow_put_int(&c->children[0], event_value_element(v, i));
	arrow_end_row(c);
}

static void put_value(struct arrow_column *c, const struct event_value *v)
{
	switch (v->kind) {
	case EVENT_VALUE_U64:
	case EVENT_VALUE_I64:
	case EVENT_VALUE_ADDRESS:
		arrow_put_int(c, v->u);
		break;
	case EVENT_VALUE_ARRAY:
		put_array(c, v);
		break;
	case EVENT_VALUE_TEXT:
		arrow_put_text(c, v->text.p, v->text.len);
		break;
	case EVENT_VALUE_BYTES:
		arrow_put_text(c, (const char *)v->bytes.p, v->bytes.len);
		break;
	}
}

/* Columns of fields up to @wanted, which has a value if @v is not NULL. */
static void put_fields_up_to(struct putting *p, const struct sonde_tracepoint_field *wanted,
			     const struct event_value *v)
{
	const struct tracefmt_event *format = p->b->format;

	for (; p->field < format->nr_fields; p->field++) {
		const struct sonde_tracepoint_field *f = &format->fields[p->field];

		if (f->flags & SONDE_TRACEPOINT_COMMON)
			continue;
		if (f == wanted) {
			put_value(&p->b->fields[p->column++], v);
			p->field++;
			return;
		}
		arrow_put_null(&p->b->fields[p->column++]);
	}
}

static int take_value(void *ctx, const struct event_value *v)
{
	struct putting *p = ctx;

	if (v->field)                    /* not a count that the sample has besides */
		put_fields_up_to(p, v->field, v);
	return 0;
}

static void put_fields(struct event_batches *b, const struct event_row *row)
{
	struct putting p = { .b = b };

	if (!row->is_sample || row->source->format != b->format || !row->sample.raw.len) {
		arrow_put_null(&b->columns[FIELDS]);
		return;
	}
	event_values(row, take_value, &p);
	put_fields_up_to(&p, NULL, NULL);
	arrow_end_row(&b->columns[FIELDS]);
}

/* ---- rows ---- */

/* Equal names have one address as long as the walk lasts. */
static void put_name(struct arrow_column *c, const char *name)
{
	if (name)
		arrow_put_word(c, (uintptr_t)name, name);
	else
		arrow_put_null(c);
}

/* Innermost first. */
static void put_stack(struct event_batches *b, uint32_t stack)
{
	const struct sonde_profile_stack *list = b->e->stacks.list.at;

	if (!stack) {
		arrow_put_null(&b->columns[STACK]);
		return;
	}
	for (; stack; stack = list[stack].parent) {
		uint32_t frame = list[stack].frame;
		const char *symbol = b->e->places.frames.at[frame].symbol;

		arrow_put_word(&b->frame, frame, symbol ? symbol : "[unknown]");
	}
	arrow_end_row(&b->columns[STACK]);
}

static void put_row(struct event_batches *b, const struct event_row *row)
{
	const struct place_frame *f = event_rows_function(b->e, row);
	struct arrow_column *c = b->columns;
	bool has_period = row->is_sample &&
			  (!row->source->is_tracepoint || row->sample.present & PERF_SAMPLE_PERIOD);

	arrow_put_int_if(&c[TIME], row->time != SONDE_NONE, row->time);
	arrow_put_int_if(&c[CPU], row->ev->cpu >= 0, (uint64_t)row->ev->cpu);
	arrow_put_int_if(&c[PID], row->ev->pid >= 0, (uint64_t)row->ev->pid);
	arrow_put_int_if(&c[TID], row->ev->tid >= 0, (uint64_t)row->ev->tid);
	put_name(&c[COMM], row->comm);
	put_name(&c[EVENT], row->source ? row->source->name : NULL);
	put_name(&c[KIND], row->kind);
	arrow_put_int_if(&c[PERIOD], has_period, row->ev->period);
	arrow_put_int_if(&c[IP], row->is_sample && row->sample.present & PERF_SAMPLE_IP, row->sample.ip);
	put_name(&c[SYMBOL], f ? f->symbol : NULL);
	put_name(&c[MODULE], f ? f->module : NULL);
	put_stack(b, row->stack);
	if (b->format)
		put_fields(b, row);
	arrow_end_row(&b->root);
}

/* 1, 0 at the end, or a failure. */
static int next_row(struct event_batches *b, const struct event_row **row)
{
	int r;

	if (b->first) {
		*row = b->first;
		b->first = NULL;
		return 1;
	}
	do
		r = event_rows_next(b->e, row);
	while (r > 0 && !(*row)->is_sample && !b->opts.records);
	return r;
}

/* ---- the tracepoint whose fields are asked for ---- */

static const struct tracefmt_event *format_of(struct event_batches *b, const struct sonde_evsel *evsel)
{
	const struct tracefmt *formats = b->e->formats(b->e->ctx, 0);

	if (!formats || !evsel->attr || evsel->attr->type != PERF_TYPE_TRACEPOINT ||
	    strcmp(evsel->name, b->e->opts.event) != 0)
		return NULL;
	return tracefmt_event(formats, evsel->attr->config);
}

/* The formats of a stream come with its records, before the first sample. */
static int find_format(struct event_batches *b)
{
	const struct reader *reader = event_rows_reader(b->e);
	int r;

	if (!b->e->opts.event)
		return err_set(b->e->err, SONDE_USAGE, SONDE_NONE, "the fields of one tracepoint need its name");
	for (size_t i = 0; i < reader->evsels.n && !b->format; i++)
		b->format = format_of(b, reader->evsels.at[i]);
	if (b->format)
		return 0;
	r = next_row(b, &b->first);
	if (r < 0)
		return r;
	b->ended = r == 0;
	b->first = r > 0 ? b->first : NULL;
	if (b->first && b->first->source)
		b->format = b->first->source->format;
	return b->format ? 0 : err_set(b->e->err, SONDE_MISSING, SONDE_NONE, "'%s' is no tracepoint of this trace",
				       b->e->opts.event);
}

int event_batches_init(struct event_batches *b, struct event_rows *e, const struct sonde_arrow_opts *opts)
{
	int r;

	*b = (struct event_batches){ .e = e, .opts = *opts };
	b->frame = ARROW_COLUMN("item", ARROW_WORD);
	for (size_t i = 0; i < EVENT_COLUMNS; i++)
		b->columns[i] = ARROW_COLUMN(columns[i].name, columns[i].kind);
	b->columns[STACK].children = &b->frame;
	b->columns[STACK].nr_children = 1;
	b->root = ARROW_COLUMN("", ARROW_STRUCT);
	b->root.children = b->columns;
	b->root.nr_children = FIELDS;
	if (!opts->fields)
		return 0;
	r = find_format(b);
	if (r < 0)
		return r;
	b->root.nr_children++;
	return make_fields(b) < 0 ? err_nomem(e->err) : 0;
}

void event_batches_free(struct event_batches *b)
{
	arrow_column_free(&b->root);
	free(b->fields);
	free(b->elements);
}

static int fail(struct event_batches *b, int code)
{
	if (code == -SONDE_UNSUPPORTED)
		return err_set(b->e->err, SONDE_UNSUPPORTED, SONDE_NONE, "the texts of one batch have more than 2 GiB");
	return err_nomem(b->e->err);
}

int event_batches_next(struct event_batches *b, struct ArrowArray *out)
{
	const struct event_row *row;
	int r;

	while (!b->ended && b->root.n < b->opts.batch_rows && arrow_column_bytes(&b->root) < b->opts.batch_bytes) {
		r = next_row(b, &row);
		if (r > 0)
			put_row(b, row);
		else
			b->ended = r < 0 ? r : 1;
	}
	if (!b->root.n)
		return b->ended < 0 ? b->ended : 0;
	r = arrow_column_take(&b->root, out);
	if (r < 0) {
		arrow_column_free(&b->root);
		b->ended = fail(b, r);
		return b->ended;
	}
	return 1;
}
