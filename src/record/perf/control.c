/* SPDX-License-Identifier: MIT */
#include "record/perf/control.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "record/perf/recorder.h"

/* The line of an event in the answer to evlist. */
static void describe(struct buf *b, const struct event *e, char how)
{
	const struct sonde_attr *a = &e->attr;

	buf_str(b, e->name);
	if (how == 'F')
		buf_printf(b, ": %s=%" PRIu64, a->flags & SONDE_ATTR_FREQ ? "sample_freq" : "sample_period",
			   a->sample_period);
	if (how == 'v')
		buf_printf(b,
			   ": type: %" PRIu32 ", size: %" PRIu32 ", config: %#" PRIx64 ", %s: %" PRIu64
			   ", sample_type: %#" PRIx64 ", read_format: %#" PRIx64,
			   a->type, a->size, a->config,
			   a->flags & SONDE_ATTR_FREQ ? "{ sample_period, sample_freq }" : "sample_period",
			   a->sample_period, a->sample_type, a->read_format);
}

/* "cpu-clock", a line each; with -g a group is "{a,b}". */
static int list_events(const struct sonde_perf_recorder *r, const char *option)
{
	const struct events *list = &r->events;
	char how = option[0] == '-' ? option[1] : '\0';
	struct buf b = BUF_MEMORY;
	int e;

	for (size_t i = 0; i < list->n; i++) {
		bool leads = how == 'g' && list->at[i].group && list->at[i].leader == i;
		bool joins = i + 1 < list->n && list->at[i + 1].leader == list->at[i].leader;

		if (leads)
			buf_str(&b, "{");
		describe(&b, &list->at[i], how);
		if (how == 'g' && list->at[i].group)
			buf_str(&b, joins ? "," : "}");
		if (!(how == 'g' && list->at[i].group && joins))
			buf_str(&b, "\n");
	}
	buf_put(&b, "", 1);
	e = b.failed;
	if (e == 0 && r->opts.calls.print)
		r->opts.calls.print(r->opts.calls.ctx, (const char *)b.p);
	buf_free(&b);
	return e;
}

/* "enable" or "enable EVENT": the name, NULL if there is none. */
static const char *name_behind(const char *word)
{
	word += strspn(word, " ");
	return *word ? word : NULL;
}

/* 1: known and done, 0: unknown, negative: the kernel refused it */
static int obey(struct sonde_perf_recorder *r, const char *line)
{
	static const char *const words[] = { "enable", "disable", "snapshot", "evlist", "ping", "stop" };
	enum { ENABLE, DISABLE, SNAPSHOT, EVLIST, PING, STOP, NOTHING } word = ENABLE;
	size_t len = strcspn(line, " ");
	int e = 0;

	while (word < NOTHING && (strlen(words[word]) != len || strncmp(words[word], line, len) != 0))
		word++;
	switch (word) {
	case ENABLE:
	case DISABLE:
		e = counters_turn(&r->counters, events_named(name_behind(line + len)), word == ENABLE, &r->err);
		break;
	case SNAPSHOT:
		atomic_store(&r->snapshot_wanted, true);
		break;
	case EVLIST:
		e = list_events(r, line + len + strspn(line + len, " "));
		break;
	case STOP:
		atomic_store(&r->stopping, true);
		break;
	case PING:
		break;
	case NOTHING:
		return 0;
	}
	if (e == -SONDE_MISSING) {   /* no such event: told, not acknowledged */
		messenger_say(&r->messenger, "--control: %s", r->err.text);
		err_clear(&r->err);
		return 0;
	}
	return e < 0 ? e : 1;
}

/* A peer that does not read its answers does not stop the recording. */
static void acknowledge(const struct control *c)
{
	ssize_t r = c->ack >= 0 ? write(c->ack, "ack\n", sizeof("ack\n")) : 0;

	(void)r;
}

static int take_byte(struct control *c, struct sonde_perf_recorder *r, char byte)
{
	int e;

	if (byte != '\n' && byte != '\0') {
		c->overlong |= c->n + 1 == sizeof(c->line);
		if (!c->overlong)
			c->line[c->n++] = byte;
		return 0;
	}
	c->line[c->n] = '\0';
	e = c->overlong || !c->n ? 0 : obey(r, c->line);
	c->n = 0;
	c->overlong = false;
	if (e > 0)
		acknowledge(c);
	return e < 0 ? e : 0;
}

int control_serve(struct control *c, struct sonde_perf_recorder *r)
{
	char bytes[CONTROL_LINE_BYTES];
	ssize_t n = read(c->fd, bytes, sizeof(bytes));
	int e = 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : 1;
	for (ssize_t i = 0; e == 0 && i < n; i++)
		e = take_byte(c, r, bytes[i]);
	return e < 0 ? e : n == 0;
}
