/* SPDX-License-Identifier: MIT */
/* event.c - the look into an event: every format answers through its reader. */
#include "model/event.h"

#include "base/bytes.h"
#include "model/reader.h"

static const struct reader *reader_of(const struct sonde_event *ev)
{
	return event_of(ev)->reader;
}

int event_sample(const struct sonde_event *ev, struct sample *out)
{
	int r = reader_of(ev)->ops->sample(reader_of(ev), ev, out);

	if (event_of(ev)->deferred_callchain.nr && r != -SONDE_USAGE)
		out->callchain = event_of(ev)->deferred_callchain;
	if (event_of(ev)->read_by && r != -SONDE_USAGE) {
		out->id = ev->id;
		out->period = ev->period;
		if (event_of(ev)->read_by != ev->evsel)
			out->raw = (struct sonde_bytes){ 0 };  /* of a tracepoint: its fields, not those of others */
	}
	return r;
}

int event_mmap(const struct sonde_event *ev, struct sonde_mmap *out)
{
	return reader_of(ev)->ops->body(reader_of(ev), ev, BODY_MMAP, out);
}

int event_comm(const struct sonde_event *ev, struct sonde_comm *out)
{
	return reader_of(ev)->ops->body(reader_of(ev), ev, BODY_COMM, out);
}

int event_task(const struct sonde_event *ev, struct sonde_task *out)
{
	return reader_of(ev)->ops->body(reader_of(ev), ev, BODY_TASK, out);
}

int event_lost(const struct sonde_event *ev, struct sonde_lost *out)
{
	return reader_of(ev)->ops->body(reader_of(ev), ev, BODY_LOST, out);
}

int event_ksymbol(const struct sonde_event *ev, struct sonde_ksymbol *out)
{
	return reader_of(ev)->ops->body(reader_of(ev), ev, BODY_KSYMBOL, out);
}

int event_text_poke(const struct sonde_event *ev, struct sonde_text_poke *out)
{
	return reader_of(ev)->ops->body(reader_of(ev), ev, BODY_TEXT_POKE, out);
}

int event_callchain_deferred(const struct sonde_event *ev, struct callchain_deferred *out)
{
	return reader_of(ev)->ops->body(reader_of(ev), ev, BODY_CALLCHAIN_DEFERRED, out);
}

int event_fields(const struct sonde_event *ev, sonde_field_fn fn, void *ctx)
{
	return reader_of(ev)->ops->fields(reader_of(ev), ev, fn, ctx);
}

uint64_t u64s_at(const struct u64s *a, uint64_t i)
{
	return load_u64(a->p + i * 8, a->swap);
}

#define READ_FORMAT_ENABLED 1
#define READ_FORMAT_RUNNING 2
#define READ_FORMAT_ID 4
#define READ_FORMAT_GROUP 8
#define READ_FORMAT_LOST 16

/* A group's values follow each other; the single value of the other form stands before the times, its id after
 * them. */
struct sonde_read_value read_value_at(const struct read_counts *r, uint64_t i)
{
	struct sonde_read_value v = { .id = SONDE_NONE };
	uint64_t format = r->read_format;
	const uint8_t *p = r->values;

	if (format & READ_FORMAT_GROUP)
		p += i * 8 * (1 + !!(format & READ_FORMAT_ID) + !!(format & READ_FORMAT_LOST));
	v.value = load_u64(p, r->swap);
	p += 8;
	if (!(format & READ_FORMAT_GROUP))
		p += 8 * (!!(format & READ_FORMAT_ENABLED) + !!(format & READ_FORMAT_RUNNING));
	if (format & READ_FORMAT_ID) {
		v.id = load_u64(p, r->swap);
		p += 8;
	}
	if (format & READ_FORMAT_LOST)
		v.lost = load_u64(p, r->swap);
	return v;
}

/*
 * Width by width, from bit 0 of the little-endian numbering: mispred, predicted, in_tx, abort, cycles, type, spec,
 * new_type, priv, reserved.
 */
uint64_t sample_branch_flags(uint64_t flags, bool from_big)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t other = 0;
	unsigned low = 0;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		unsigned high = 64 - low - widths[i];

		other |= (flags >> (from_big ? high : low) & ((UINT64_C(1) << widths[i]) - 1))
			<< (from_big ? low : high);
		low += widths[i];
	}
	return other;
}

size_t branches_bytes(const struct branches *b)
{
	return (size_t)b->nr * BRANCH_BYTES;
}

struct sonde_branch sample_branch_at(const struct sample *s, uint64_t i)
{
	const uint8_t *p = s->branches.entries + i * BRANCH_BYTES;
	bool big = host_is_big_endian() != s->branches.swap;
	struct sonde_branch b;

	b.from = load_u64(p, s->branches.swap);
	b.to = load_u64(p + 8, s->branches.swap);
	b.flags = load_u64(p + 16, s->branches.swap);
	b.counters = s->branches.counters ? load_u64(s->branches.counters + i * 8, s->branches.swap) : 0;
	if (big)
		b.flags = sample_branch_flags(b.flags, true);
	return b;
}
