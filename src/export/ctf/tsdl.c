/* SPDX-License-Identifier: MIT */
#include "export/ctf/tsdl.h"

#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "base/strpool.h"
#include "base/text.h"

#define NS_PER_SECOND UINT64_C(1000000000)

static enum tsdl_kind kind_of(const struct sonde_tracepoint_field *f)
{
	bool is_dynamic = f->flags & (SONDE_TRACEPOINT_DATA_LOC | SONDE_TRACEPOINT_REL_LOC);

	if (f->flags & SONDE_TRACEPOINT_COMMON || !text_is_identifier(f->name))
		return TSDL_LEFT_OUT;
	if (f->flags & SONDE_TRACEPOINT_STRING)
		return TSDL_TEXT;
	if (!(f->flags & SONDE_TRACEPOINT_ARRAY))
		return f->flags & SONDE_TRACEPOINT_POINTER ? TSDL_ADDRESS :
		       f->flags & SONDE_TRACEPOINT_SIGNED ? TSDL_I64 : TSDL_U64;
	if ((f->elem_size != 2 && f->elem_size != 4 && f->elem_size != 8) ||
	    (f->flags & SONDE_TRACEPOINT_BITMASK && is_dynamic))
		return TSDL_BYTES;
	return f->flags & SONDE_TRACEPOINT_SIGNED ? TSDL_I64S : TSDL_U64S;
}

enum tsdl_kind *tsdl_kinds_new(const struct tracefmt_event *format)
{
	enum tsdl_kind *kinds = calloc(format->nr_fields + 1, sizeof(*kinds));
	struct strpool names = { 0 };

	for (size_t i = 0; kinds && i < format->nr_fields; i++) {
		const char *name = format->fields[i].name;
		size_t known = names.names.n;
		uint32_t number = strpool_add(&names, name, strlen(name));

		if (number == UINT32_MAX) {
			free(kinds);
			kinds = NULL;
		} else if (number >= known) {  /* no field before has the name */
			kinds[i] = kind_of(&format->fields[i]);
		}
	}
	strpool_free(&names);
	return kinds;
}

/* A string literal; control characters and bytes that are not UTF-8 cannot be in one. */
static void put_literal(struct buf *out, const char *s)
{
	struct buf text = BUF_MEMORY;

	buf_utf8(&text, s, strlen(s));
	buf_take_failure(out, &text);
	buf_char(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		uint8_t c = (uint8_t)text.p[i];

		if (c == '"' || c == '\\')
			buf_char(out, '\\');
		buf_char(out, c < ' ' || c == 0x7f ? '?' : (char)c);
	}
	buf_char(out, '"');
	buf_free(&text);
}

static void put_types(struct buf *out)
{
	for (unsigned size = 8; size <= 64; size *= 2)
		buf_printf(out,
			   "typealias integer { size = %u; align = 8; signed = false; } := uint%u_t;\n"
			   "typealias integer { size = %u; align = 8; signed = true; } := int%u_t;\n",
			   size, size, size, size);
	buf_str(out, "typealias integer { size = 64; align = 8; signed = false; base = 16; } := addr_t;\n");
}

static void put_uuid(struct buf *out, const uint8_t uuid[16])
{
	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			buf_char(out, '-');
		buf_hex_zero(out, uuid[i], 2);
	}
}

static void put_number(const char *name, uint64_t n, struct buf *out)
{
	if (n)
		buf_printf(out, "\t%s = %llu;\n", name, (unsigned long long)n);
}

static void put_environment(const struct event_rows *e, struct buf *out)
{
	const struct meta *meta = &event_rows_reader(e)->meta;

	buf_str(out, "env {\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n\ttracer_name = \"perf\";\n"
		     "\texporter = \"sonde " SONDE_VERSION "\";\n");
	if (meta->hostname) {
		buf_str(out, "\thostname = ");
		put_literal(out, meta->hostname);
		buf_str(out, ";\n");
	}
	if (meta->osrelease) {
		buf_str(out, "\tkernel_release = ");
		put_literal(out, meta->osrelease);
		buf_str(out, ";\n");
	}
	put_number("unnamed", e->gaps.unnamed, out);
	put_number("unmapped", e->gaps.unmapped, out);
	put_number("lone_stacks", e->gaps.lone_stacks, out);
	buf_str(out, "};\n");
}

static void put_clock(const struct event_rows *e, struct buf *out)
{
	uint64_t wall = event_rows_wall_time(e, e->start), offset = wall == SONDE_NONE ? 0 : wall - e->start;

	buf_str(out, "clock {\n\tname = trace_clock;\n\tdescription = ");
	put_literal(out, event_rows_clock(e));
	buf_printf(out, ";\n\tfreq = 1000000000;\n\toffset_s = %llu;\n\toffset = %llu;\n};\n",
		   (unsigned long long)(offset / NS_PER_SECOND), (unsigned long long)(offset % NS_PER_SECOND));
	buf_str(out, "typealias integer { size = 64; align = 8; signed = false; map = clock.trace_clock.value; }"
		     " := stamp_t;\n");
}

/* Events of several traces say which machine they are of. */
static void put_stream(struct buf *out, bool several)
{
	buf_str(out,
		"stream {\n\tid = 0;\n"
		"\tpacket.context := struct {\n\t\tstamp_t timestamp_begin;\n\t\tstamp_t timestamp_end;\n"
		"\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n\t\tuint64_t packet_seq_num;\n"
		"\t\tuint64_t events_discarded;\n\t\tuint32_t cpu_id;\n\t};\n"
		"\tevent.header := struct {\n\t\tuint32_t id;\n\t\tstamp_t timestamp;\n\t};\n"
		"\tevent.context := struct {\n\t\tint32_t _pid;\n\t\tint32_t _tid;\n\t\tstring _comm;\n");
	buf_str(out, several ? "\t\tstring _host;\n\t};\n};\n" : "\t};\n};\n");
}

static void put_field(struct buf *out, enum tsdl_kind kind, const char *name)
{
	static const char *const types[] = {
		[TSDL_U64] = "uint64_t", [TSDL_I64] = "int64_t", [TSDL_ADDRESS] = "addr_t", [TSDL_TEXT] = "string",
		[TSDL_BYTES] = "uint8_t", [TSDL_U64S] = "uint64_t", [TSDL_I64S] = "int64_t",
	};

	if (kind >= TSDL_BYTES)
		buf_printf(out, "\t\tuint16_t _perf_length_%s;\n", name);
	buf_printf(out, "\t\t%s _%s", types[kind], name);
	if (kind >= TSDL_BYTES)
		buf_printf(out, "[_perf_length_%s]", name);
	buf_str(out, ";\n");
}

/* 0 or -SONDE_NOMEM. */
static int put_event(const struct event_source *s, struct buf *out)
{
	enum tsdl_kind *kinds = s->format ? tsdl_kinds_new(s->format) : NULL;

	if (s->format && !kinds)
		return -SONDE_NOMEM;
	buf_str(out, "event {\n\tname = ");
	put_literal(out, s->name);
	buf_printf(out, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", s->number);
	buf_str(out, "\t\taddr_t _perf_ip;\n\t\tuint64_t _perf_period;\n\t\tstring _perf_symbol;\n"
		     "\t\tstring _perf_module;\n\t\tuint16_t _perf_callchain_size;\n"
		     "\t\taddr_t _perf_callchain[_perf_callchain_size];\n\t\tuint16_t _perf_frames_size;\n"
		     "\t\tstring _perf_frames[_perf_frames_size];\n");
	for (size_t i = 0; kinds && i < s->format->nr_fields; i++)
		if (kinds[i] != TSDL_LEFT_OUT)
			put_field(out, kinds[i], s->format->fields[i].name);
	buf_str(out, "\t};\n};\n");
	free(kinds);
	return 0;
}

int tsdl_put(const struct event_rows *e, const uint8_t uuid[16], struct buf *out)
{
	buf_str(out, "/* CTF 1.8 */\n");
	put_types(out);
	buf_str(out, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	put_uuid(out, uuid);
	buf_str(out, "\";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"
		     "\t\tuint8_t uuid[16];\n\t\tuint32_t stream_id;\n\t};\n};\n");
	put_environment(e, out);
	put_clock(e, out);
	put_stream(out, e->nr_inputs > 1);
	for (size_t i = 0; i < e->sources.n; i++)
		if (put_event(e->sources.at[i], out) < 0)
			return -SONDE_NOMEM;
	return 0;
}
