/* SPDX-License-Identifier: MIT */
#include "export/script/lines.h"

#include <stdlib.h>

#include "base/err.h"
#include "export/script/output.h"

#define TEXT_BYTES (64 * 1024)  /* usual most bytes of an item */

struct script_lines {
	struct script *scripts;
	struct script_out *out;
	script_next *next;
	void *next_ctx;
	struct script_input in;
	bool waiting;                /* it is taken in after everything before it has been written */
};

/* The caches of one formatting thread. */
struct formatter {
	struct line_heads heads;
	struct address_cache addresses;        /* with the symbols of the last sample's trace */
	struct chain_finder chains;            /* the same */
	struct sample simple;                  /* zeros but for callchain and raw bytes */
};

static void *formatter_new(void *ctx)
{
	struct formatter *f = calloc(1, sizeof(*f));

	(void)ctx;
	if (f)
		address_cache_init(&f->addresses);
	return f;
}

static void formatter_free(void *formatter)
{
	struct formatter *f = formatter;

	address_cache_free(&f->addresses);
	chain_finder_free(&f->chains);
	free(f);
}

/* Decodes the parts of a sample that its lines show; in @spare, or where zeros are kept. */
static const struct sample *decode(struct formatter *f, const struct script_moment *m, struct sample *spare)
{
	const struct reader_ops *ops = m->event.reader->ops;

	if (!m->look->simple || !ops->raw) {
		event_sample(&m->event.pub, spare);
		return spare;
	}
	f->simple.callchain = m->look->chain ? ops->callchain(m->event.reader, &m->event.pub) : (struct u64s){ 0 };
	f->simple.raw = ops->raw(m->event.reader, &m->event.pub);
	return &f->simple;
}

static void format_line(void *formatter, void *item, const uint8_t *raw, struct buf *out)
{
	struct formatter *f = formatter;
	struct script_line *line = item;
	struct script_moment *m = &line->sample;
	struct sample_printer printer = {
		.heads = &f->heads, .addresses = &f->addresses, .chains = &f->chains, .out = out,
	};
	struct sample sample;

	if (line->is_text) {
		buf_put(out, raw, line->text_size);
		return;
	}
	printer.script = m->script;
	address_cache_use(&f->addresses, m->script->addresses.locator.symbols, m->script->lines, m->script->formats);
	f->chains.unwinder.images = m->script->images;
	f->chains.kernel = m->script->formats;
	if (line->is_head)
		m->event.reader->ops->load_sample(m->event.reader, m->event.pub.evsel, raw, m->event.pub.raw_size,
						  &m->event);
	m->event.pub.raw = raw;
	script_sample(&printer, m, decode(f, m, &sample));
}

/* Takes in the next event. Returns an enum ordered_pool_read, or negative. */
static int take_next(struct script_lines *l)
{
	int r = l->waiting ? 1 : l->next(l->next_ctx, &l->in);
	struct script *s = &l->scripts[l->in.script];

	if (r <= 0)
		return r;
	if (l->in.head) {
		r = script_head_of_sample(s, l->in.reader, l->in.head);
		return r < 0 ? r : ORDERED_POOL_MORE;
	}
	l->waiting = !l->waiting && script_must_settle(s, l->in.ev);
	if (l->waiting)
		return ORDERED_POOL_SETTLE;
	r = script_event(s, l->in.ev);
	if (r == 0 && l->out->text.n > TEXT_BYTES && script_put_text(l->out) < 0)
		r = err_nomem(s->err);
	return r < 0 ? r : ORDERED_POOL_MORE;
}

static int read_lines(void *ctx)
{
	struct script_lines *l = ctx;
	int r;

	do
		r = take_next(l);
	while (r == ORDERED_POOL_MORE && !ordered_pool_is_full(l->out->pool));
	if (script_put_text(l->out) < 0 && r >= 0)
		r = err_nomem(l->scripts[0].err);
	return r;
}

int script_run(struct script *scripts, script_next *next, void *ctx, unsigned helpers, struct buf *to)
{
	struct script_lines lines = { .scripts = scripts, .out = scripts[0].out, .next = next, .next_ctx = ctx };
	const struct ordered_pool_work work = {
		.ctx = &lines, .item_bytes = sizeof(struct script_line), .worker_new = formatter_new,
		.worker_free = formatter_free, .read = read_lines, .format = format_line,
	};
	int r;

	if (ordered_pool_new(&lines.out->pool, &work, to) < 0)
		return err_nomem(scripts[0].err);
	r = ordered_pool_run(lines.out->pool, helpers);
	ordered_pool_free(lines.out->pool);
	lines.out->pool = NULL;
	buf_free(&lines.out->text);
	return r == -SONDE_NOMEM ? err_nomem(scripts[0].err) : r;
}
