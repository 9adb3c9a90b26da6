/* SPDX-License-Identifier: MIT */
#include "export/ctf/ctf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/safe_text.h"
#include "export/ctf/tsdl.h"
#include "io/output.h"
#include "threads/callchain.h"
#include "tracefmt/field.h"

enum { MAGIC = 0xc1fc1fc1, PACKET_BYTES = 256 * 1024, CPUS_MOST = 1 << 12, LENGTH_MOST = UINT16_MAX };

/* Where in a packet its context begins, and what is in it. */
enum { HEADER_BYTES = 24, AT_BEGIN = HEADER_BYTES, AT_END = AT_BEGIN + 8, AT_CONTENT = AT_END + 8,
       AT_SIZE = AT_CONTENT + 8, AT_NUMBER = AT_SIZE + 8, AT_DISCARDED = AT_NUMBER + 8, AT_CPU = AT_DISCARDED + 8,
       FIRST_EVENT = AT_CPU + 4 };

/* The file of a CPU. */
struct ctf_stream {
	struct output out;
	bool opened, pending;        /* pending: a packet must be written, though it may have no events */
	uint32_t cpu;
	struct buf packet;           /* that is being filled */
	uint64_t first, last;        /* times in it; last: also of the packets before it */
	uint64_t nr_packets, discarded;
};

struct ctf {
	struct event_rows *e;
	uint8_t uuid[16];
	VEC(struct ctf_stream) streams;
	struct u64map stream_of;     /* machine << 32 | CPU + 1: index in streams */
	VEC(enum tsdl_kind *) kinds; /* of fields, by number of the source; NULL: not known yet, or no tracepoint */
};

/* ---- packets ---- */

static void put_u16(struct buf *b, uint64_t v)
{
	uint8_t bytes[2];

	store_u16(bytes, (uint16_t)v, host_is_big_endian());
	buf_put(b, bytes, sizeof(bytes));
}

static void put_u32(struct buf *b, uint32_t v)
{
	uint8_t bytes[4];

	store_u32(bytes, v, host_is_big_endian());
	buf_put(b, bytes, sizeof(bytes));
}

static void put_u64(struct buf *b, uint64_t v)
{
	uint8_t bytes[8];

	store_u64(bytes, v, host_is_big_endian());
	buf_put(b, bytes, sizeof(bytes));
}

/* A string ends with its NUL. */
static void put_text(struct buf *b, const char *s, size_t len)
{
	buf_utf8(b, s, strnlen(s, len));
	buf_char(b, '\0');
}

static void begin_packet(const struct ctf *c, struct ctf_stream *s)
{
	put_u32(&s->packet, MAGIC);
	buf_put(&s->packet, c->uuid, sizeof(c->uuid));
	put_u32(&s->packet, 0);
	buf_pad(&s->packet, '\0', FIRST_EVENT - HEADER_BYTES);
	s->first = s->last;
}

static void set_u64(struct ctf_stream *s, size_t at, uint64_t v)
{
	store_u64(s->packet.p + at, v, host_is_big_endian());
}

/* Writes the packet at hand, also one without events. */
static int end_packet(struct ctf *c, struct ctf_stream *s)
{
	if (!s->packet.n)
		begin_packet(c, s);
	if (s->packet.failed)
		return err_nomem(c->e->err);
	set_u64(s, AT_BEGIN, s->first);
	set_u64(s, AT_END, s->last);
	set_u64(s, AT_CONTENT, s->packet.n * 8);
	set_u64(s, AT_SIZE, s->packet.n * 8);
	set_u64(s, AT_NUMBER, s->nr_packets++);
	set_u64(s, AT_DISCARDED, s->discarded);
	store_u32(s->packet.p + AT_CPU, s->cpu, host_is_big_endian());
	buf_put(&s->out.buf, s->packet.p, s->packet.n);
	s->packet.n = 0;
	s->pending = false;
	return s->out.buf.failed;
}

static uint32_t stream_number(struct ctf *c, uint32_t space, uint32_t cpu_1)
{
	uint64_t key = (uint64_t)space << 32 | cpu_1;
	uint32_t at = u64map_get(&c->stream_of, key);

	if (at != U64MAP_NONE)
		return at;
	at = (uint32_t)c->streams.n;
	return vec_push(&c->streams, ((struct ctf_stream){ .cpu = cpu_1 - 1, .packet = BUF_MEMORY })) < 0 ||
	       u64map_set(&c->stream_of, key, at) < 0 ? U64MAP_NONE : at;
}

/* The stream of a CPU of a machine, whose file is made if it is new; NULL after a failure. */
static struct ctf_stream *stream_of(struct ctf *c, uint32_t space, int32_t cpu)
{
	uint32_t cpu_1 = cpu >= 0 && cpu < CPUS_MOST ? (uint32_t)cpu + 1 : 0, at = stream_number(c, space, cpu_1);
	char machine[16] = "", name[48];
	struct ctf_stream *s;

	if (at == U64MAP_NONE) {
		err_nomem(c->e->err);
		return NULL;
	}
	s = &c->streams.at[at];
	if (space)
		snprintf(machine, sizeof(machine), "%u_", space);
	if (cpu_1)
		snprintf(name, sizeof(name), "stream_%s%u", machine, cpu_1 - 1);
	else
		snprintf(name, sizeof(name), "stream_%sunknown_cpu", machine);
	if (!s->opened && output_open_in(&s->out, c->e->dir, name, c->e->err) < 0)
		return NULL;
	s->opened = true;
	return s;
}

/* ---- events ---- */

static void put_addresses(struct buf *b, const struct event_row *row)
{
	struct callchain chain = { .ips = row->sample.callchain, .cpumode = row->ev->cpumode };
	size_t at = b->n;
	uint64_t ip, n = 0;
	uint8_t mode;

	put_u16(b, 0);
	while (n < LENGTH_MOST && callchain_next(&chain, &ip, &mode)) {
		put_u64(b, ip);
		n++;
	}
	if (!b->failed)
		store_u16(b->p + at, (uint16_t)n, host_is_big_endian());
}

static void put_frames(const struct event_rows *e, struct buf *b, uint32_t stack)
{
	const struct sonde_profile_stack *list = e->stacks.list.at;
	size_t at = b->n, n = 0;

	put_u16(b, 0);
	for (; stack && n < LENGTH_MOST; stack = list[stack].parent, n++) {
		const char *name = e->places.frames.at[list[stack].frame].symbol;

		name = name ? name : "[unknown]";
		put_text(b, name, strlen(name));
	}
	if (!b->failed)
		store_u16(b->p + at, (uint16_t)n, host_is_big_endian());
}

static void put_array(const struct event_row *row, const struct sonde_tracepoint_field *f, struct buf *b, bool whole)
{
	const struct tracefmt_event *format = row->source->format;
	struct sonde_bytes bytes = { NULL, 0 };
	size_t n;
	uint64_t v;

	if (!tracefmt_bytes(format, f, row->sample.raw, &bytes))
		bytes.len = 0;
	n = whole ? bytes.len : bytes.len / f->elem_size;
	n = n < LENGTH_MOST ? n : LENGTH_MOST;
	put_u16(b, n);
	if (whole) {
		buf_put(b, bytes.p, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		v = 0;
		tracefmt_element(format, f, row->sample.raw, i, &v);
		put_u64(b, v);
	}
}

/* The kinds of the fields of a source, once for all its events. 0 or -SONDE_NOMEM. */
static int find_kinds(struct ctf *c, const struct event_source *source)
{
	while (c->kinds.n <= source->number)
		if (vec_push(&c->kinds, NULL) < 0)
			return err_nomem(c->e->err);
	if (source->format && !c->kinds.at[source->number])
		c->kinds.at[source->number] = tsdl_kinds_new(source->format);
	return source->format && !c->kinds.at[source->number] ? err_nomem(c->e->err) : 0;
}

/* Every field of the layout, also one that the record has lost. */
static void put_fields(const struct event_row *row, const enum tsdl_kind *kinds, struct buf *b)
{
	const struct tracefmt_event *format = row->source->format;

	for (size_t i = 0; format && i < format->nr_fields; i++) {
		const struct sonde_tracepoint_field *f = &format->fields[i];
		struct sonde_str text = { "", 0 };
		uint64_t v = 0;

		switch (kinds[i]) {
		case TSDL_LEFT_OUT:
			break;
		case TSDL_U64:
		case TSDL_I64:
		case TSDL_ADDRESS:
			tracefmt_u64(format, f, row->sample.raw, &v);
			put_u64(b, v);
			break;
		case TSDL_TEXT:
			tracefmt_string(format, f, row->sample.raw, &text);
			put_text(b, text.p, text.len);
			break;
		case TSDL_BYTES:
		case TSDL_U64S:
		case TSDL_I64S:
			put_array(row, f, b, kinds[i] == TSDL_BYTES);
			break;
		}
	}
}

static void put_host(const struct event_rows *e, uint32_t space, struct buf *b)
{
	struct buf name = BUF_MEMORY;

	event_rows_space_name(e, space, &name);
	buf_take_failure(b, &name);
	put_text(b, name.p, name.n);
	buf_free(&name);
}

/* Times of a stream do not go back: an event that came too late gets the time of the one before it. */
static int put_event(struct ctf *c, struct ctf_stream *s, const struct event_row *row)
{
	const struct place_frame *f = event_rows_function(c->e, row);
	const char *symbol = f && f->symbol ? f->symbol : "", *module = f && f->module ? f->module : "",
		   *comm = row->comm ? row->comm : "";
	struct buf *b = &s->packet;

	if (find_kinds(c, row->source) < 0)
		return -SONDE_NOMEM;
	if (row->time != SONDE_NONE && row->time > s->last)
		s->last = row->time;
	if (!b->n)
		begin_packet(c, s);
	put_u32(b, row->source->number);
	put_u64(b, s->last);
	put_u32(b, (uint32_t)row->ev->pid);
	put_u32(b, (uint32_t)row->ev->tid);
	put_text(b, comm, strlen(comm));
	if (c->e->nr_inputs > 1)
		put_host(c->e, row->space, b);
	put_u64(b, row->sample.ip);
	put_u64(b, row->ev->period);
	put_text(b, symbol, strlen(symbol));
	put_text(b, module, strlen(module));
	put_addresses(b, row);
	put_frames(c->e, b, row->stack);
	put_fields(row, c->kinds.at[row->source->number], b);
	s->pending = true;
	return b->n >= PACKET_BYTES ? end_packet(c, s) : b->failed;
}

/* Readers take the difference of two packets for what was lost between them. */
static int put_loss(struct ctf *c, struct ctf_stream *s, const struct event_row *row)
{
	struct sonde_lost loss;
	int r;

	if (event_lost(row->ev, &loss) < 0 || loss.lost == SONDE_NONE)
		loss.lost = 1;       /* at least: the recorder does not know */
	if (row->time != SONDE_NONE && row->time > s->last && !s->packet.n)
		s->last = row->time;
	r = end_packet(c, s);
	if (row->time != SONDE_NONE && row->time > s->last)
		s->last = row->time;
	s->discarded += loss.lost;
	s->pending = true;
	return r;
}

static int put_rows(struct ctf *c)
{
	const struct event_row *row;
	struct ctf_stream *s;
	int r;

	while ((r = event_rows_next(c->e, &row)) > 0) {
		if (!row->is_sample && !event_row_is_loss(row))
			continue;
		s = stream_of(c, row->space, row->ev->cpu);
		if (!s)
			return c->e->err && c->e->err->code ? -(int)c->e->err->code : -SONDE_SYSTEM;
		r = row->is_sample ? put_event(c, s, row) : put_loss(c, s, row);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- the directory ---- */

static int finish_stream(struct ctf *c, struct ctf_stream *s)
{
	int r = s->pending ? end_packet(c, s) : 0;

	return r < 0 ? r : output_finish(&s->out, c->e->err);
}

static int put_metadata(struct ctf *c)
{
	struct output o;
	int r = output_open_in(&o, c->e->dir, "metadata", c->e->err);

	if (r < 0)
		return r;
	r = tsdl_put(c->e, c->uuid, &o.buf) < 0 ? err_nomem(c->e->err) : output_finish(&o, c->e->err);
	output_close(&o);
	return r;
}

int export_ctf(struct event_rows *e)
{
	struct ctf c = { .e = e };
	const char *path = event_rows_reader(e)->info.path, *host = event_rows_reader(e)->meta.hostname;
	uint64_t half = hash_bytes(path, strlen(path));
	int r;

	store_u64(c.uuid, half, false);
	store_u64(c.uuid + 8, hash_two(half, host ? hash_bytes(host, strlen(host)) : 0), false);
	r = put_rows(&c);
	for (size_t i = 0; i < c.streams.n; i++) {
		struct ctf_stream *s = &c.streams.at[i];

		if (r >= 0 && s->opened)
			r = finish_stream(&c, s);
		if (s->opened)
			output_close(&s->out);
		buf_free(&s->packet);
	}
	vec_free(&c.streams);
	u64map_free(&c.stream_of);
	for (size_t i = 0; i < c.kinds.n; i++)
		free(c.kinds.at[i]);
	vec_free(&c.kinds);
	return r < 0 ? r : put_metadata(&c);
}
