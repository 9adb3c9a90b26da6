/* SPDX-License-Identifier: MIT */
#include "export/named_functions.h"

#include <string.h>

#include "export/frame_name.h"

static uint32_t number_of_name(struct named_functions *n, const struct sonde_profile_frame *f, struct buf *text)
{
	text->n = 0;
	if (f->symbol && *f->symbol)
		buf_str(text, f->symbol);
	else if (f->size)
		frame_put_nameless(text, f);
	else if (f->dso || f->addr)
		buf_printf(text, "0x%llx", (unsigned long long)f->addr);
	else
		buf_str(text, "[unknown]");
	return text->failed ? UINT32_MAX : strpool_add(&n->names, text->p, text->n);
}

/* Where the function of a frame begins, and what the linker calls it. */
static void take_symbol(struct named_function *to, const struct frame *f)
{
	if (f->symbol == SYMTAB_NONE) {
		to->addr = f->addr;
		to->size = f->size;
		return;
	}
	to->addr = symtab_start(f->table, f->symbol);
	to->size = (uint32_t)(symtab_end(f->table, f->symbol) - to->addr);
	to->linkage_name = symtab_linkage_name(f->table, f->symbol);
}

static int add(struct named_functions *n, const struct sonde_profile *p, uint32_t frame, struct buf *text)
{
	const struct frame *f = &p->frames.list.at[frame];
	uint32_t binary = f->binary ? f->binary->index : NO_BINARY, name, number;
	struct sonde_profile_frame pub;
	struct named_function *known;
	uint64_t key;

	profile_frame(p, frame, &pub);
	name = number_of_name(n, &pub, text);
	if (name == UINT32_MAX)
		return -SONDE_NOMEM;
	key = (uint64_t)(binary + 1) << 32 | name;
	number = u64map_get(&n->by_name, key);
	if (number == U64MAP_NONE) {
		number = (uint32_t)n->list.n;
		if (vec_push(&n->list, ((struct named_function){ .name = strpool_get(&n->names, name),
								 .binary = binary,
								 .in_kernel = strchr("kgH", pub.level),
								 .is_symbol = pub.symbol })) < 0 ||
		    u64map_set(&n->by_name, key, number) < 0)
			return -SONDE_NOMEM;
	}
	known = &n->list.at[number];
	if (!known->file)
		known->file = pub.file;
	if (!f->inlined && !known->addr)
		take_symbol(known, f);
	n->of_frame[frame] = number;
	return 0;
}

int named_functions_make(struct named_functions *n, const struct sonde_profile *p)
{
	size_t nr = p->frames.list.n;
	struct buf text = BUF_MEMORY;
	int r = 0;

	*n = (struct named_functions){ .of_frame = malloc((nr + 1) * sizeof(*n->of_frame)) };
	if (!n->of_frame)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < nr && r == 0; i++)
		r = add(n, p, i, &text);
	buf_free(&text);
	return r;
}

void named_functions_free(struct named_functions *n)
{
	vec_free(&n->list);
	free(n->of_frame);
	strpool_free(&n->names);
	u64map_free(&n->by_name);
}
