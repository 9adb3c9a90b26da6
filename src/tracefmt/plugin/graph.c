/* SPDX-License-Identifier: MIT */
/*
 * graph.c - records of the function graph tracer
 *
 *	! 119.148 us |  vfs_open();            a leaf: entered and left in one line
 *	             |  vfs_fstatat() {
 *	+ 25.550 us  |    vfs_statx();
 *	+ 61.031 us  |  }
 */
#include "tracefmt/field.h"
#include "tracefmt/plugin/plugins.h"

#include "base/bytes.h"

#define INDENT 2
#define MAX_DEPTH 4096               /* deeper than stacks of the kernel can be */

enum { FUNC, DEPTH, RETADDR, ARGS };
enum { EXIT_FUNC, EXIT_DEPTH, CALLTIME, RETTIME, RETVAL };

static void indent(const struct printing *p, uint64_t depth)
{
	seq_pad(p->out, ' ', INDENT * (depth < MAX_DEPTH ? depth : MAX_DEPTH));
}

/* Long durations are marked. */
static void print_mark(struct seq_buf *o, uint64_t ns)
{
	static const struct mark {
		uint64_t ns;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 1000000, '#' }, { 100000, '!' }, { 10000, '+' } };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (ns > marks[i].ns) {
			seq_char(o, marks[i].mark);
			seq_char(o, ' ');
			return;
		}
	seq_put(o, "  ", 2);
}

/* Microseconds; with nanoseconds after the point if there are less than seven digits. */
static void print_duration(struct seq_buf *o, uint64_t ns)
{
	char text[DIGITS_MAX + 4];
	size_t n = (size_t)(digits_put_decimal(text, ns / 1000) - text);

	if (n < 7) {
		text[n++] = '.';
		text[n] = (char)('0' + ns / 100 % 10);
		text[n + 1] = (char)('0' + ns / 10 % 10);
		text[n + 2] = (char)('0' + ns % 10);
		n += 3;
	}
	seq_put(o, text, n);
	seq_put(o, " us ", 4);
	if (n < 7)
		seq_pad(o, ' ', 7 - n);
	seq_put(o, "|  ", 3);
}

/* Arguments are the words that were in the registers: what they mean is not recorded. */
static void print_call(const struct printing *p)
{
	uint64_t v;

	printing_function(p, printing_u64(p, FUNC));
	seq_char(p->out, '(');
	for (uint64_t i = 0; p->fields[ARGS] && tracefmt_element(p->event, p->fields[ARGS], p->raw, i, &v); i++) {
		if (i)
			seq_put(p->out, ", ", 2);
		seq_hex(p->out, v);
	}
	seq_char(p->out, ')');
}

static void print_caller(const struct printing *p)
{
	if (!printing_has(p, RETADDR))
		return;
	printing_str(p, " /* <-");
	printing_function(p, printing_u64(p, RETADDR));
	printing_str(p, " */");
}

static void print_retval(const struct printing *p, uint64_t v)
{
	int64_t error = p->event->long_size == 4 ? (int32_t)v : (int64_t)v;

	printing_str(p, " (ret=");
	if (error < 0 && error >= -4095) {
		seq_signed(p->out, error);
	} else {
		seq_put(p->out, "0x", 2);
		seq_hex(p->out, v);
	}
	seq_char(p->out, ')');
}

static uint64_t leaf_u64(const struct tracefmt_event *exit, struct sonde_bytes raw, const char *name)
{
	const struct sonde_tracepoint_field *f = tracefmt_field(exit, name);
	uint64_t v;

	return f && tracefmt_u64(exit, f, raw, &v) ? v : 0;
}

static void print_leaf(const struct printing *p, const struct tracefmt_event *exit, struct sonde_bytes raw)
{
	uint64_t ns = leaf_u64(exit, raw, "rettime") - leaf_u64(exit, raw, "calltime");

	print_mark(p->out, ns);
	print_duration(p->out, ns);
	indent(p, printing_u64(p, DEPTH));
	print_call(p);
	seq_char(p->out, ';');
	if (tracefmt_field(exit, "retval"))
		print_retval(p, leaf_u64(exit, raw, "retval"));
	print_caller(p);
}

bool print_graph_entry(const struct printing *p)
{
	const struct tracefmt_event *exit = p->context && p->context->leaf.len ?
		tracefmt_event_named(p->event->set, "ftrace:funcgraph_exit") : NULL;

	if (exit) {
		print_leaf(p, exit, p->context->leaf);
		return true;
	}
	seq_pad(p->out, ' ', 13);
	seq_put(p->out, "|  ", 3);
	indent(p, printing_u64(p, DEPTH));
	print_call(p);
	seq_put(p->out, " {", 2);
	print_caller(p);
	return true;
}

bool print_graph_exit(const struct printing *p)
{
	uint64_t ns = printing_u64(p, RETTIME) - printing_u64(p, CALLTIME);

	print_mark(p->out, ns);
	print_duration(p->out, ns);
	indent(p, printing_u64(p, EXIT_DEPTH));
	seq_char(p->out, '}');
	if (printing_has(p, RETVAL))
		print_retval(p, printing_u64(p, RETVAL));
	return true;
}
