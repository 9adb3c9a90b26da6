/* SPDX-License-Identifier: MIT */
/*
 * bolt.c - fdata, a profile for llvm-bolt -data: branches, or samples after a line that says so
 *
 * A place is "1 function offset", in hexadecimal, or "0 [unknown] 0" outside of the binary. Blanks and backslashes of
 * names have a backslash before them.
 */
#include "export/bolt/bolt.h"

#include <inttypes.h>

#include "export/hot_code.h"

static void put_place(const struct export *x, const struct code_place *place)
{
	const char *name = place->frame == NO_FRAME ? "[unknown]" : hot_code_function(x->profile, place);

	buf_str(x->out, place->frame == NO_FRAME ? "0 " : "1 ");
	for (; *name; name++) {
		bool is_line_end = *name == '\n' || *name == '\r';

		if (*name == ' ' || *name == '\\')
			buf_char(x->out, '\\');
		buf_char(x->out, is_line_end ? '?' : *name);
	}
	buf_char(x->out, ' ');
	buf_hex(x->out, place->frame == NO_FRAME ? 0 : place->offset);
	buf_char(x->out, ' ');
}

static void put_all(const struct export *x, const struct hot_code *hot, uint32_t event)
{
	if (!hot->branches) {
		buf_str(x->out, "no_lbr ");
		for (const char *c = event < x->profile->events.n ? x->profile->events.at[event].name : "none"; *c; c++)
			buf_char(x->out, (uint8_t)*c <= ' ' ? '_' : *c);
		buf_char(x->out, '\n');
	}
	for (size_t i = 0; i < hot->list.n; i++) {
		if (hot->branches)
			put_place(x, &hot->list.at[i].from);
		put_place(x, &hot->list.at[i].to);
		if (hot->branches)
			buf_printf(x->out, "%" PRIu64 " ", hot->list.at[i].mispredicted);
		buf_printf(x->out, "%" PRIu64 "\n", hot->list.at[i].count);
	}
}

int export_bolt(struct export *x)
{
	int event = export_event(x), r = event;
	struct hot_code hot = { 0 };

	if (r >= 0)
		r = hot_code_make(&hot, x, (uint32_t)event);
	if (r == 0) {
		put_all(x, &hot, (uint32_t)event);
		r = hot.list.n > 0;
	}
	hot_code_free(&hot);
	return r;
}
