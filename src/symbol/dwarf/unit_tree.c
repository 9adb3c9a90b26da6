/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/unit_tree.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbol/dwarf/die_names.h"
#include "symbol/dwarf/die_walk.h"
#include "symbol/dwarf/range_list.h"

enum {
	RECENT_NAMES = 256,          /* a function that is inlined once is inlined again soon */
	RANGES_FREE = 256,           /* of a unit; more must be fewer than its bytes */
};

#define NO_NODE TREE_NO_PARENT

struct tree_builder {
	struct unit_tree *tree;
	struct die_names *names;
	const struct code_areas *code;
	struct die_walk walk;
	struct range_list list;      /* of the entry */
	uint64_t budget;             /* ranges that may still be read or made */
	uint32_t node_at[WALK_DEPTH_MAX + 1];    /* the node that the entries below depth belong to */
	struct { uint64_t origin; const char *name; } recent[RECENT_NAMES];
};

/* Most inlined functions have a name by their origin only. */
static const char *name_of(struct tree_builder *b)
{
	const struct die *die = &b->walk.die;
	struct unit *u = b->walk.unit, *to;
	uint64_t offset, slot;

	if (DIE_HAS(die, ATTR_LINKAGE_NAME) || DIE_HAS(die, ATTR_NAME) ||
	    !die_referred(u, die, ATTR_ABSTRACT_ORIGIN, &to, &offset) || to->file != u->file)
		return die_names_of_function(b->names, u, die);
	slot = offset * UINT64_C(0x9e3779b97f4a7c15) >> 56;
	if (b->recent[slot].origin != offset) {
		b->recent[slot].origin = offset;
		b->recent[slot].name = die_names_of_function(b->names, u, die);
	}
	return b->recent[slot].name;
}

static int add_range(struct tree_builder *b, uint64_t start, uint64_t end)
{
	if (!b->budget)
		return -SONDE_CORRUPT;
	b->budget--;
	return vec_push(&b->tree->ranges, ((struct tree_range){ start, end }));
}

/* The parts of a range that are the parent's too. */
static int add_clipped(struct tree_builder *b, const struct tree_range *range, const struct tree_node *parent)
{
	size_t first = parent->first_range, end = first + parent->nr_ranges;
	/* the first one that ends after the start */
	size_t i = first + sorted_nr_at_most(b->tree->ranges.at + first, parent->nr_ranges, end, range->start);
	int r = 0;

	for (; r == 0 && i < end && b->tree->ranges.at[i].start < range->end; i++) {
		const struct tree_range *p = &b->tree->ranges.at[i];

		r = add_range(b, range->start > p->start ? range->start : p->start,
			      range->end < p->end ? range->end : p->end);
	}
	return r;
}

static uint32_t call_number(const struct die *die, enum die_attr attr)
{
	return DIE_HAS(die, attr) && die->value[attr] <= UINT32_MAX ? (uint32_t)die->value[attr] : 0;
}

/* Sets *added to the node, or to NO_NODE if the entry has no code. */
static int add_node(struct tree_builder *b, uint32_t parent, uint32_t *added)
{
	const struct die *die = &b->walk.die;
	struct unit_tree *t = b->tree;
	struct tree_node node = { .parent = parent, .first_range = (uint32_t)t->ranges.n };
	int r = range_list_read(&b->list, b->walk.unit, die, b->code, &b->budget);

	*added = NO_NODE;
	for (size_t i = 0; r == 0 && i < b->list.ranges.n; i++)
		r = parent == NO_NODE ? add_range(b, b->list.ranges.at[i].start, b->list.ranges.at[i].end) :
					add_clipped(b, &b->list.ranges.at[i], &t->nodes.at[parent]);
	if (r < 0 || t->ranges.n == node.first_range)
		return r;
	if (t->ranges.n > UINT32_MAX || t->nodes.n >= NO_NODE)
		return -SONDE_CORRUPT;
	node.nr_ranges = (uint32_t)(t->ranges.n - node.first_range);
	node.name = name_of(b);
	if (parent != NO_NODE) {
		node.call_file = call_number(die, ATTR_CALL_FILE);
		node.call_line = call_number(die, ATTR_CALL_LINE);
		node.call_column = call_number(die, ATTR_CALL_COLUMN);
	}
	*added = (uint32_t)t->nodes.n;
	return vec_push(&t->nodes, node);
}

static int add_entry(struct tree_builder *b)
{
	const struct die_walk *w = &b->walk;
	uint32_t around = w->depth ? b->node_at[w->depth - 1] : NO_NODE, *here = &b->node_at[w->depth];
	int r = 0;

	*here = NO_NODE;
	switch (w->die.abbrev->kind) {
	case DIE_BLOCK:
		*here = around;
		break;
	case DIE_FUNCTION:
		if (die_has_ranges(&w->die))
			r = add_node(b, NO_NODE, here);
		break;
	case DIE_INLINED:
		if (around != NO_NODE && die_has_ranges(&w->die))
			r = add_node(b, around, here);
		break;
	}
	return r;
}

int unit_tree_read(struct unit_tree *t, struct unit *u, struct die_names *names, const struct code_areas *code)
{
	struct tree_builder *b = calloc(1, sizeof(*b));
	int r = 0;

	if (!b)
		return -SONDE_NOMEM;
	b->tree = t;
	b->names = names;
	b->code = code;
	b->budget = RANGES_FREE + (u->end - u->offset);
	if (!die_walk_begin(&b->walk, u))
		r = -SONDE_CORRUPT;
	while (r == 0 && die_walk_next(&b->walk))
		r = add_entry(b);
	if (r == 0 && b->walk.s.failed)
		r = -SONDE_CORRUPT;
	vec_free(&b->list.ranges);
	free(b);
	return r;
}

void unit_tree_free(struct unit_tree *t)
{
	vec_free(&t->nodes);
	vec_free(&t->ranges);
}
