/* SPDX-License-Identifier: MIT */
#include "export/report/functions.h"

#include <string.h>

#include "export/frame_name.h"

static int order(bool a, bool b)
{
	return (a > b) - (a < b);
}

uint64_t function_symbol_of(const struct stack_tree *f, uint32_t frame)
{
	return f->symbol_of_frame[frame];
}

uint64_t function_dso_of(const struct stack_tree *f, uint32_t frame)
{
	const struct binary *binary = f->p->frames.list.at[frame].binary;

	return binary ? (uintptr_t)f->p->dso_names.at[binary->index] : 0;
}

/* Interned, so that equal names are one number. */
uint64_t function_srcline_of(const struct stack_tree *f, uint32_t frame)
{
	return (uintptr_t)f->p->frames.list.at[frame].srcline;
}

int function_order_dsos(const struct sonde_profile *p, uint32_t a, uint32_t b)
{
	struct sonde_profile_frame f, g;

	profile_frame(p, a, &f);
	profile_frame(p, b, &g);
	return f.dso && g.dso ? strcmp(f.dso_name, g.dso_name) : order(!f.dso, !g.dso);
}

void function_put_dso(struct buf *b, const struct sonde_profile *p, uint32_t frame)
{
	struct sonde_profile_frame f;

	profile_frame(p, frame, &f);
	buf_text(b, f.dso_name, strlen(f.dso_name));
}

int function_order_symbols(const struct sonde_profile *p, uint32_t a, uint32_t b)
{
	struct sonde_profile_frame f, g;

	profile_frame(p, a, &f);
	profile_frame(p, b, &g);
	return f.symbol && g.symbol ? strcmp(f.symbol, g.symbol) : order(!f.symbol, !g.symbol);
}

void function_put_symbol(struct buf *b, const struct sonde_profile *p, uint32_t frame)
{
	struct sonde_profile_frame f;

	profile_frame(p, frame, &f);
	buf_char(b, '[');
	buf_char(b, f.level);
	buf_str(b, "] ");
	if (f.symbol) {
		buf_text(b, f.symbol, strlen(f.symbol));
	} else if (f.size) {
		frame_put_nameless(b, &f);
	} else {
		if (f.addr)
			buf_str(b, "0x");
		buf_hex_zero(b, f.addr, 16);
	}
	frame_put_inlined(b, &f);
}
