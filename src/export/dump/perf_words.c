/* SPDX-License-Identifier: MIT */
#include "export/dump/perf_words.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/bytes.h"
#include "export/record_text.h"
#include "model/event.h"

/* Records of the kernel that are newer than the headers we are compiled with, and those of the recorder. */
enum {
	AUX_OUTPUT_HW_ID = 21,
	HEADER_ATTR = 64, HEADER_EVENT_TYPE, HEADER_TRACING_DATA, HEADER_BUILD_ID, FINISHED_ROUND, ID_INDEX,
	AUXTRACE_INFO, AUXTRACE, AUXTRACE_ERROR, THREAD_MAP, CPU_MAP, STAT_CONFIG, STAT, STAT_ROUND, EVENT_UPDATE,
	TIME_CONV, HEADER_FEATURE,
};

enum { AUX_TRUNCATED = 1, AUX_OVERWRITE = 2, AUX_PARTIAL = 4 };
enum { CPUS_MAX = 1024 };            /* of a CPU map that are shown one by one */

static void put_0x(struct buf *out, uint64_t v)
{
	if (v)
		buf_put(out, "0x", 2);
	buf_hex(out, v);
}

/* ---- types whose fields follow each other, each behind a word ---- */

enum word_value { DECIMAL, HEX, FRACTION, TEXT };

/* In the order of the fields in the record, so that one walk finds each; elements of an array come again and again. */
static const struct perf_word {
	uint32_t type;
	const char *field;
	const char *before;          /* NULL: perf does not print it */
	enum word_value how;
} words[] = {
	{ PERF_RECORD_AUX, "aux_offset", " offset: ", HEX },
	{ PERF_RECORD_AUX, "aux_size", " size: ", HEX },
	{ PERF_RECORD_AUX, "flags", " flags: ", HEX },
	{ PERF_RECORD_ITRACE_START, "pid", " pid: ", DECIMAL },
	{ PERF_RECORD_ITRACE_START, "tid", " tid: ", DECIMAL },
	{ AUX_OUTPUT_HW_ID, "hw_id", " hw_id: ", HEX },
	{ PERF_RECORD_LOST, "id", ": id:", DECIMAL },
	{ PERF_RECORD_LOST, "lost", ": lost:", DECIMAL },
	{ ID_INDEX, "nr", " nr: ", DECIMAL },
	{ ID_INDEX, "id", "\n ... id: ", DECIMAL },
	{ ID_INDEX, "idx", "  idx: ", DECIMAL },
	{ ID_INDEX, "cpu", "  cpu: ", DECIMAL },
	{ ID_INDEX, "tid", "  tid: ", DECIMAL },
	{ AUXTRACE_INFO, "type", " type: ", DECIMAL },
	{ AUXTRACE, "size", " size: ", HEX },
	{ AUXTRACE, "offset", "  offset: ", HEX },
	{ AUXTRACE, "reference", "  ref: ", HEX },
	{ AUXTRACE, "idx", "  idx: ", DECIMAL },
	{ AUXTRACE, "tid", "  tid: ", DECIMAL },
	{ AUXTRACE, "cpu", "  cpu: ", DECIMAL },
	{ STAT, "id", "\n... id ", DECIMAL },
	{ STAT, "cpu", ", cpu ", DECIMAL },
	{ STAT, "thread", ", thread ", DECIMAL },
	{ STAT, "val", "\n... value ", DECIMAL },
	{ STAT, "ena", ", enabled ", DECIMAL },
	{ STAT, "run", ", running ", DECIMAL },
	{ EVENT_UPDATE, "type", NULL, DECIMAL },
	{ EVENT_UPDATE, "id", "\n... id:    ", DECIMAL },
	{ EVENT_UPDATE, "unit", "\n... unit:  ", TEXT },
	{ EVENT_UPDATE, "scale", "\n... scale: ", FRACTION },
	{ EVENT_UPDATE, "name", "\n... name:  ", TEXT },
	{ TIME_CONV, "shift", "\n... Time Shift      ", DECIMAL },
	{ TIME_CONV, "mult", "\n... Time Muliplier  ", DECIMAL },
	{ TIME_CONV, "zero", "\n... Time Zero       ", DECIMAL },
	{ TIME_CONV, "time_cycles", "\n... Time Cycles     ", DECIMAL },
	{ TIME_CONV, "time_mask", "\n... Time Mask       ", HEX },
	{ TIME_CONV, "cap_user_time_zero", "\n... Cap Time Zero   ", DECIMAL },
	{ TIME_CONV, "cap_user_time_short", "\n... Cap Time Short  ", DECIMAL },
};

struct walk {
	struct buf *out;
	uint32_t type;
	bool unknown;                /* a field had no word */
};

static void put_value(struct buf *out, const struct sonde_field *f, enum word_value how)
{
	switch (how) {
	case DECIMAL:
		if (f->kind == SONDE_FIELD_I64)
			buf_i64(out, (int64_t)f->u);
		else
			buf_u64(out, f->u);
		break;
	case HEX:
		put_0x(out, f->u);
		break;
	case FRACTION:
		buf_printf(out, "%f", f->d);
		break;
	case TEXT:
		buf_text(out, f->text.p, f->text.len);
		break;
	}
}

static int put_word(void *ctx, const struct sonde_field *f)
{
	struct walk *w = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].type == w->type && strcmp(words[i].field, f->name) == 0) {
			if (words[i].before) {
				buf_str(w->out, words[i].before);
				put_value(w->out, f, words[i].how);
			}
			return 0;
		}
	w->unknown = true;
	return 0;
}

static bool put_words(struct buf *out, const struct sonde_event *ev)
{
	struct walk w = { .out = out, .type = ev->type };
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		known = known || words[i].type == ev->type;
	if (!known)
		return false;
	event_fields(ev, put_word, &w);
	return !w.unknown;
}

/* ---- types with an order of their own ---- */

/* Numbers by the name of their field: those of the last element of an array. */
struct last_numbers {
	const char *const *names;
	size_t nr;
	uint64_t at[4];
};

static int take_number(void *ctx, const struct sonde_field *f)
{
	struct last_numbers *n = ctx;

	for (size_t i = 0; i < n->nr; i++)
		if (strcmp(n->names[i], f->name) == 0)
			n->at[i] = f->u;
	return 0;
}

static void put_aux_flags(struct buf *out, const struct sonde_event *ev)
{
	static const char *const names[] = { "flags" };
	struct last_numbers n = { names, ARRAY_SIZE(names), { 0 } };

	event_fields(ev, take_number, &n);
	buf_printf(out, " [%s%s%s]", n.at[0] & AUX_TRUNCATED ? "T" : "", n.at[0] & AUX_OVERWRITE ? "O" : "",
		   n.at[0] & AUX_PARTIAL ? "P" : "");
}

static void put_lost_samples(struct buf *out, const struct sonde_event *ev)
{
	struct sonde_lost l;

	if (event_lost(ev, &l) < 0)
		return;
	buf_str(out, ": id:");
	buf_u64(out, ev->id);
	buf_str(out, ": lost samples :");
	buf_u64(out, l.lost);
}

static void put_round(struct buf *out, const struct sonde_event *ev)
{
	static const char *const names[] = { "type", "time" };
	struct last_numbers n = { names, ARRAY_SIZE(names), { 0 } };

	event_fields(ev, take_number, &n);
	buf_str(out, "\n... time ");
	buf_u64(out, n.at[1]);
	buf_str(out, n.at[0] ? ", type FINAL" : ", type INTERVAL");
}

/* A list of tags and values, by the names of perf's struct. */
struct config {
	uint64_t tag;
	uint64_t values[3];          /* by tag */
};

static int take_config(void *ctx, const struct sonde_field *f)
{
	struct config *c = ctx;

	if (strcmp(f->name, "tag") == 0)
		c->tag = f->u;
	else if (strcmp(f->name, "val") == 0 && c->tag < ARRAY_SIZE(c->values))
		c->values[c->tag] = f->u;
	return 0;
}

static void put_config(struct buf *out, const struct sonde_event *ev)
{
	struct config c = { 0 };

	event_fields(ev, take_config, &c);
	buf_str(out, "\n... aggr_mode ");
	buf_u64(out, c.values[0]);
	buf_str(out, "\n... scale     ");
	buf_u64(out, c.values[2]);
	buf_str(out, "\n... interval  ");
	buf_u64(out, c.values[1]);
}

struct thread_words {
	struct buf *out;
	uint64_t nr;
};

static int put_thread(void *ctx, const struct sonde_field *f)
{
	struct thread_words *t = ctx;

	if (strcmp(f->name, "nr") == 0) {
		t->nr = f->u;
		buf_str(t->out, " nr: ");
		buf_u64(t->out, f->u);
	} else if (strcmp(f->name, "pid") == 0) {
		buf_str(t->out, f->index ? ", " : t->nr > 1 ? " threads: " : " thread: ");
		buf_i64(t->out, (int64_t)f->u);
	}
	return 0;
}

static void put_threads(struct buf *out, const struct sonde_event *ev)
{
	struct thread_words t = { .out = out };

	event_fields(ev, put_thread, &t);
}

/* "0-1,4": CPUs in ascending order, as the map has them. */
struct cpu_list_text {
	struct buf *out;
	int64_t first, last;         /* of the range at hand; first > last: none yet */
	uint64_t nr, start;
	bool any;
};

static void end_range(struct cpu_list_text *c)
{
	if (c->first > c->last)
		return;
	buf_str(c->out, c->any ? "," : "");
	buf_i64(c->out, c->first);
	if (c->last > c->first) {
		buf_char(c->out, '-');
		buf_i64(c->out, c->last);
	}
	c->any = true;
}

static void take_cpu(struct cpu_list_text *c, int64_t cpu)
{
	if (c->first <= c->last && cpu == c->last + 1) {
		c->last = cpu;
		return;
	}
	end_range(c);
	c->first = c->last = cpu;
}

static int put_cpus_of(void *ctx, const struct sonde_field *f)
{
	struct cpu_list_text *c = ctx;

	if (strcmp(f->name, "cpu") == 0) {
		take_cpu(c, (int64_t)f->u);
	} else if (strcmp(f->name, "any_cpu") == 0 && f->u) {
		take_cpu(c, -1);
	} else if (strcmp(f->name, "start_cpu") == 0) {
		c->start = f->u;
	} else if (strcmp(f->name, "end_cpu") == 0) {
		end_range(c);
		c->first = (int64_t)c->start;
		c->last = (int64_t)f->u;
	} else if (strcmp(f->name, "mask") == 0 && f->index != SONDE_NONE && f->index < CPUS_MAX) {
		for (unsigned bit = 0; bit < 64; bit++)
			if (f->u >> bit & 1)
				take_cpu(c, (int64_t)(f->index * 64 + bit));
	}
	return 0;
}

static void put_cpus(struct buf *out, const struct sonde_event *ev)
{
	struct cpu_list_text c = { .out = out, .first = 1, .last = 0 };

	buf_str(out, ": ");
	event_fields(ev, put_cpus_of, &c);
	end_range(&c);
}

/* perf says no more of these than their names. */
static void put_nothing(struct buf *out, const struct sonde_event *ev)
{
	(void)out;
	(void)ev;
}

static const struct {
	uint32_t type;
	void (*put)(struct buf *out, const struct sonde_event *ev);
} special[] = {
	{ PERF_RECORD_LOST_SAMPLES, put_lost_samples },
	{ HEADER_ATTR, put_nothing },
	{ HEADER_EVENT_TYPE, put_nothing },
	{ HEADER_TRACING_DATA, put_nothing },
	{ HEADER_BUILD_ID, put_nothing },
	{ FINISHED_ROUND, put_nothing },
	{ HEADER_FEATURE, put_nothing },
	{ THREAD_MAP, put_threads },
	{ CPU_MAP, put_cpus },
	{ STAT_CONFIG, put_config },
	{ STAT_ROUND, put_round },
};

static bool put_special(struct buf *out, const struct sonde_event *ev)
{
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (special[i].type == ev->type) {
			special[i].put(out, ev);
			return true;
		}
	return false;
}

bool perf_words(struct buf *out, const struct sonde_event *ev)
{
	bool told = put_special(out, ev) || put_words(out, ev) || record_text(out, ev);

	if (ev->type == PERF_RECORD_AUX)
		put_aux_flags(out, ev);
	buf_char(out, '\n');
	return told && ev->type != AUXTRACE_INFO;
}
