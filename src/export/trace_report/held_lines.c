/* SPDX-License-Identifier: MIT */
#include "export/trace_report/held_lines.h"

#include "base/bytes.h"
#include "tracefmt/field.h"

static int put_line(struct trace_report *t, const struct report_line *line, const uint8_t *record)
{
	struct report_line *next = ordered_pool_item(t->pool);

	if (!next)
		return err_nomem(t->err);
	*next = *line;
	return ordered_pool_put(t->pool, record, (size_t)line->size + line->leaf_size) < 0 ? err_nomem(t->err) : 0;
}

/* Prints the lines that need not wait any more. */
static int hand_on(struct trace_report *t)
{
	size_t done = 0;
	int r = 0;

	for (; r == 0 && done < t->nr_held && !t->held[done].waits; done++)
		r = put_line(t, &t->held[done].line, (const uint8_t *)t->held[done].record.p);
	if (!done)
		return r;
	t->nr_held -= done;
	for (size_t i = 0; i < t->nr_held; i++) {
		struct report_held spare = t->held[i];

		t->held[i] = t->held[i + done];
		t->held[i + done] = spare;
	}
	return r;
}

static int hold(struct trace_report *t, const struct report_line *line, const uint8_t *record, int32_t pid, bool waits)
{
	struct report_held *h;
	int r = 0;

	if (!t->held) {
		t->held = calloc(REPORT_HELD_MAX, sizeof(*t->held));
		if (!t->held)
			return err_nomem(t->err);
		for (size_t i = 0; i < REPORT_HELD_MAX; i++)
			t->held[i].record = BUF_MEMORY;
	}
	if (t->nr_held == REPORT_HELD_MAX) {
		t->held[0].waits = false;  /* there are too many lines after it */
		r = hand_on(t);
		if (r < 0)
			return r;
	}
	h = &t->held[t->nr_held++];
	h->line = *line;
	h->pid = pid;
	h->waits = waits;
	h->record.n = 0;
	buf_put(&h->record, record, line->size);
	return h->record.failed ? err_nomem(t->err) : 0;
}

static bool leaves(const struct report_held *entry, const struct report_look *look, const struct sonde_event *ev)
{
	const struct report_look *from = entry->line.look;
	uint64_t entered, left;

	return look->exit && entry->pid == ev->pid &&
		tracefmt_u64(from->format, from->entry,
			     (struct sonde_bytes){ (const uint8_t *)entry->record.p, entry->line.size }, &entered) &&
		tracefmt_u64(look->format, look->exit, (struct sonde_bytes){ ev->raw, ev->raw_size }, &left) &&
		entered == left;
}

int report_end_wait(struct trace_report *t, const struct report_look *look, const struct sonde_event *ev,
		    bool *swallowed)
{
	for (size_t i = 0; i < t->nr_held; i++) {
		struct report_held *h = &t->held[i];

		if (!h->waits || h->line.look->prefix.p != look->prefix.p)
			continue;
		h->waits = false;
		*swallowed = leaves(h, look, ev);
		if (*swallowed) {
			buf_put(&h->record, ev->raw, ev->raw_size);
			h->line.leaf_size = ev->raw_size;
		}
		if (h->record.failed)
			return err_nomem(t->err);
		break;
	}
	return hand_on(t);
}

int report_put_line(struct trace_report *t, const struct report_line *line, const uint8_t *record, int32_t pid)
{
	bool waits = line->look->entry;

	if (t->nr_held || waits)
		return hold(t, line, record, pid, waits);
	return put_line(t, line, record);
}

int report_end_all_waits(struct trace_report *t)
{
	for (size_t i = 0; i < t->nr_held; i++)
		t->held[i].waits = false;
	return hand_on(t);
}

void report_free_waits(struct trace_report *t)
{
	for (size_t i = 0; t->held && i < REPORT_HELD_MAX; i++)
		buf_free(&t->held[i].record);
	free(t->held);
}
