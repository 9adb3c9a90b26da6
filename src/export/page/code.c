/* SPDX-License-Identifier: MIT */
#include "export/page/code.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/annotate/annotation.h"
#include "base/strpool.h"
#include "export/page/script_text.h"

/* A function while it is written. */
struct written_function {
	struct buf *out;
	const struct export *x;
	const uint32_t *function_of;     /* by frame of the profile: its function in the page */
	const struct sonde_annotation *a;
	struct strpool files;
	struct buf scratch;
};

static void put_key(struct written_function *f, const char *key)
{
	buf_printf(f->out, ",\n\"%s\":[", key);
}

static void put_text(struct written_function *f, const char *key, const char *text)
{
	buf_printf(f->out, ",\"%s\":", key);
	script_text_put(f->out, &f->scratch, text);
}

/* Puts the function itself, or those that are inlined into it. */
static void put_functions(struct written_function *f, bool inlined, size_t *n)
{
	const struct annotated_function *own = &f->a->counts.function;

	for (size_t i = 0; i < f->x->profile->frames.list.n; i++) {
		const struct frame *frame = &f->x->profile->frames.list.at[i];

		if (frame->binary != own->binary || frame->symbol != own->symbol || !frame->inlined == inlined)
			continue;
		script_text_comma(f->out, (*n)++);
		buf_u64(f->out, f->function_of[i]);
	}
}

static void put_frames(struct written_function *f)
{
	size_t n = 0;

	buf_str(f->out, "{\"frames\":[");
	put_functions(f, false, &n);
	put_functions(f, true, &n);
	buf_char(f->out, ']');
}

/* The number of an event in the page, which has only those that are wanted; UINT64_MAX: it is not there. */
static uint64_t event_in_page(const struct export *x, uint32_t event)
{
	uint64_t n = 0;

	if (!export_wants_event(x, event))
		return UINT64_MAX;
	for (uint32_t i = 0; i < event; i++)
		n += export_wants_event(x, i);
	return n;
}

static void put_about(struct written_function *f)
{
	const struct sonde_annotation *a = f->a;

	put_text(f, "name", a->info.symbol);
	put_text(f, "from", a->info.source);
	buf_printf(f->out, ",\"start\":\"%" PRIx64 "\"", a->info.start);
	put_key(f, "notes");
	for (size_t i = 0; i < a->notes.list.n; i++) {
		script_text_comma(f->out, i);
		script_text_put(f->out, &f->scratch, a->notes.list.at[i]);
	}
	buf_str(f->out, "]");
	put_key(f, "events");
	for (size_t i = 0; i < a->counts.events.n; i++) {
		uint64_t event = event_in_page(f->x, a->counts.events.at[i]);

		script_text_comma(f->out, i);
		if (event == UINT64_MAX)
			buf_str(f->out, "-1");
		else
			buf_u64(f->out, event);
	}
	buf_char(f->out, ']');
}

/* A number of each row. */
static uint64_t at_of(struct written_function *f, const struct sonde_annotation_row *row)
{
	return row->addr - f->a->info.start;
}

static uint64_t kind_of(struct written_function *f, const struct sonde_annotation_row *row)
{
	(void)f;
	return row->kind;
}

static uint64_t line_of(struct written_function *f, const struct sonde_annotation_row *row)
{
	(void)f;
	return row->line;
}

static uint64_t target_of(struct written_function *f, const struct sonde_annotation_row *row)
{
	(void)f;
	return row->target == SONDE_NO_ROW ? 0 : row->target + 1;
}

static uint64_t file_of(struct written_function *f, const struct sonde_annotation_row *row)
{
	uint32_t number = row->file ? strpool_add(&f->files, row->file, strlen(row->file)) : UINT32_MAX;

	if (row->file && number == UINT32_MAX)
		f->out->failed = -SONDE_NOMEM;
	return number == UINT32_MAX ? 0 : number + UINT64_C(1);
}

static void put_numbers(struct written_function *f, const char *key,
			uint64_t (*number)(struct written_function *f, const struct sonde_annotation_row *row))
{
	struct sonde_annotation_row row;

	put_key(f, key);
	for (size_t i = 0; annotation_view(f->a, i, &row); i++) {
		script_text_comma(f->out, i);
		buf_u64(f->out, number(f, &row));
	}
	buf_char(f->out, ']');
}

static void put_texts(struct written_function *f)
{
	struct sonde_annotation_row row;

	put_key(f, "text");
	for (size_t i = 0; annotation_view(f->a, i, &row); i++) {
		script_text_comma(f->out, i);
		script_text_put(f->out, &f->scratch, row.text);
	}
	buf_char(f->out, ']');
}

static void put_files(struct written_function *f)
{
	put_key(f, "files");
	for (uint32_t i = 0; i < f->files.names.n; i++) {
		script_text_comma(f->out, i);
		script_text_put(f->out, &f->scratch, strpool_get(&f->files, i));
	}
	buf_char(f->out, ']');
}

static void put_samples(struct written_function *f)
{
	struct sonde_annotation_row row;
	size_t n = 0;

	put_key(f, "samples");
	for (size_t i = 0; annotation_view(f->a, i, &row); i++)
		for (size_t k = 0; k < row.nr_percent; k++) {
			if (!row.counts[k].samples)
				continue;
			script_text_comma(f->out, n++);
			buf_printf(f->out, "[%zu,%zu,%" PRIu64 ",%" PRIu64 "]", i, k, row.counts[k].samples,
				   row.counts[k].period);
		}
	buf_str(f->out, "]}");
}

int code_write(struct buf *out, const struct export *x, const uint32_t *function_of)
{
	buf_char(out, '[');
	for (size_t i = 0; i < x->page.nr_code && !out->failed; i++) {
		struct written_function f = { .out = out, .x = x, .function_of = function_of, .a = x->page.code[i],
				      .scratch = BUF_MEMORY };

		script_text_comma(f.out, i);
		put_frames(&f);
		put_about(&f);
		put_numbers(&f, "at", at_of);
		put_numbers(&f, "kind", kind_of);
		put_texts(&f);
		put_numbers(&f, "line", line_of);
		put_numbers(&f, "target", target_of);
		put_numbers(&f, "file", file_of);
		put_files(&f);
		put_samples(&f);
		strpool_free(&f.files);
		buf_free(&f.scratch);
	}
	buf_char(out, ']');
	return out->failed;
}
