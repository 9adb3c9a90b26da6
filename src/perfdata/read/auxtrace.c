/* SPDX-License-Identifier: MIT */
/*
 * auxtrace.c - hardware trace: the bytes that follow an AUXTRACE record. Layout: tools/lib/perf/include/perf/event.h.
 */
#include "perfdata/read/auxtrace.h"


#define AUXTRACE_BYTES 48

/* Reads n bytes of a file, or as many as there are, into memory that is used again. */
static int read_payload(struct perfdata *f, const struct sonde_event *ev, uint64_t n, struct sonde_bytes *out)
{
	struct part part = { NULL, f->input.fd, 0, f->base.info.data_offset + f->base.info.data_size };
	uint64_t at = ev->file_offset + ev->raw_size, left;
	struct sonde_error err = { 0 };
	uint8_t *room;
	int64_t got;

	if (f->parts.n)
		part = f->parts.at[ev->file];
	left = at < part.end ? part.end - at : 0;
	if (n > left)
		n = left;
	if (n > SIZE_MAX)
		return -SONDE_NOMEM;
	if (n > f->aux_cap) {
		room = realloc(f->aux, (size_t)n);
		if (!room)
			return -SONDE_NOMEM;
		f->aux = room;
		f->aux_cap = (size_t)n;
	}
	got = n ? input_read(part.fd, at, f->aux, (size_t)n, &err) : 0;
	if (got < 0)
		return (int)got;
	*out = (struct sonde_bytes){ f->aux, (size_t)got };
	return 0;
}

static struct sonde_bytes payload_in_memory(const struct perfdata *f, const struct sonde_event *ev, uint64_t n)
{
	struct sonde_bytes b = { ev->raw + ev->raw_size, 0 };
	uint64_t at = ev->file_offset + ev->raw_size, end = f->base.info.data_offset + f->base.info.data_size;

	b.len = n < end - at ? (size_t)n : (size_t)(end - at);
	return b;
}

static struct sonde_bytes payload_in_stream(const struct perfdata *f, const struct sonde_event *ev, uint64_t n)
{
	if (f->stream_aux.len == 0 || f->stream_aux.p != ev->raw || f->stream_aux.len != ev->raw_size + n)
		return (struct sonde_bytes){ NULL, 0 };
	return (struct sonde_bytes){ ev->raw + ev->raw_size, (size_t)n };
}

int perfdata_auxtrace(struct reader *r, const struct sonde_event *ev, struct sonde_auxtrace *out)
{
	struct perfdata *f = perfdata_of(r);
	struct sonde_auxtrace a = { 0 };
	struct cursor c;
	int e = 0;

	if (ev->type != RECORD_AUXTRACE)
		return -SONDE_USAGE;
	if (ev->raw_size < AUXTRACE_BYTES)
		return -SONDE_CORRUPT;
	c = cur_new(ev->raw + 8, AUXTRACE_BYTES - 8, 0, f->header.swap, NULL);
	a.size = cur_u64(&c);
	a.offset = cur_u64(&c);
	a.reference = cur_u64(&c);
	a.idx = cur_u32(&c);
	a.tid = (int32_t)cur_u32(&c);
	a.cpu = (int32_t)cur_u32(&c);
	if (ev->unpacked)
		;  /* recorders do not compress trace: the bytes after it are no payload */
	else if (f->input.fd < 0)
		a.payload = payload_in_memory(f, ev, a.size);
	else if (f->input.stream)
		a.payload = payload_in_stream(f, ev, a.size);
	else
		e = read_payload(f, ev, a.size, &a.payload);
	if (e == 0)
		*out = a;
	return e;
}
