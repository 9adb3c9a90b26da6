/* SPDX-License-Identifier: MIT */
#include "export/recording_notes.h"

#include <inttypes.h>

#include "export/trace_clock.h"

static const struct sonde_attr *first_attr(const struct sonde_profile *p)
{
	for (size_t i = 0; i < p->events.n; i++)
		if (p->events.at[i].attr)
			return p->events.at[i].attr;
	return NULL;
}

const char *recording_clock(const struct export *x)
{
	const struct meta *meta = x->recorded.meta;

	return meta && x->profile->times.first != SONDE_NONE ? trace_clock_name(meta, first_attr(x->profile)) : NULL;
}

uint64_t recording_wall_ns(const struct export *x)
{
	const struct meta *meta = x->recorded.meta;
	uint64_t wall = meta ? trace_clock_wall_ns(meta, first_attr(x->profile), x->profile->times.first) : SONDE_NONE;

	return wall == SONDE_NONE ? 0 : wall;
}

struct notes {
	void (*take)(void *ctx, const char *text);
	void *ctx;
	struct buf line;
	bool failed;
};

static void note(struct notes *n)
{
	buf_char(&n->line, '\0');
	if (n->line.failed)
		n->failed = true;
	else
		n->take(n->ctx, n->line.p);
	n->line.n = 0;
}

static void note_text(struct notes *n, const char *what, const char *text)
{
	if (!text || !*text)
		return;
	buf_printf(&n->line, "%s: %s", what, text);
	note(n);
}

static void note_meta(struct notes *n, const struct meta *meta)
{
	buf_str(&n->line, "command line:");
	for (size_t i = 0; i < meta->nr_cmdline; i++) {
		buf_char(&n->line, ' ');
		buf_str(&n->line, meta->cmdline[i]);
	}
	if (meta->nr_cmdline)
		note(n);
	n->line.n = 0;
	note_text(n, "host", meta->hostname);
	note_text(n, "kernel", meta->osrelease);
	note_text(n, "CPU", meta->cpudesc);
}

int recording_notes(const struct export *x, void (*take)(void *ctx, const char *text), void *ctx)
{
	struct notes n = { .take = take, .ctx = ctx, .line = BUF_MEMORY };
	const struct meta *meta = x->recorded.meta;
	const struct ledger *losses = x->recorded.losses;
	const char *clock = recording_clock(x);

	buf_printf(&n.line, "written by sonde %s", SONDE_VERSION);
	note(&n);
	if (meta)
		note_meta(&n, meta);
	for (size_t i = 1; i < x->profile->hosts.n; i++)
		note_text(&n, "host", x->profile->hosts.at[i]);
	if (clock) {
		buf_printf(&n.line, "first sample: %" PRIu64 " ns of the clock %s", x->profile->times.first, clock);
		note(&n);
	}
	for (size_t i = 0; losses && i < losses->rows.n; i++) {
		buf_printf(&n.line, "lost: %" PRIu64 " %s", losses->rows.at[i].count, losses->rows.at[i].text);
		note(&n);
	}
	buf_free(&n.line);
	return n.failed ? -SONDE_NOMEM : 0;
}
