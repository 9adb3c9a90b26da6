/* SPDX-License-Identifier: MIT */
/*
 * svg.c - a flame graph as a picture: no script, no network; a browser shows the name of a frame below the pointer
 *
 * The widths of frames are their shares of the samples. Frames too narrow to be seen are left out, and more of them
 * where there would be too many for a browser; the subtitle says how many.
 */
#include "export/svg/svg.h"

#include <inttypes.h>
#include <string.h>

#include "base/safe_text.h"
#include "base/text.h"
#include "base/u64map.h"
#include "export/named_functions.h"
#include "export/recording_notes.h"

enum {
	WIDTH = 1200, MARGIN = 10, INNER = WIDTH - 2 * MARGIN, ROW = 16, ABOVE = 54, FONT = 12,
	MOST_FRAMES = 20000, LEAST_CHARACTERS = 3,
};

#define CHARACTER (FONT * 0.59)      /* the usual width of one */
#define LEAST_WIDTH 0.1

/* The root is node 0; its children are commands; theirs are functions. */
struct svg_node {
	uint32_t parent;
	uint32_t name;               /* a function; or from the number of functions on, a command */
	uint32_t depth;
	uint64_t weight, samples;
	uint64_t begins;             /* weight to the left of it */
	uint64_t filled;             /* the end of its children that have their places */
};

struct svg {
	struct export *x;
	const struct sonde_profile *p;
	struct named_functions functions;
	struct strpool comms;
	VEC(struct svg_node) nodes;
	struct u64map children;      /* parent << 32 | name: node */
	VEC(uint32_t) path;
	uint32_t *order;             /* nodes by parent, those of one parent by name */
	double least;                /* width of a frame that is shown */
	uint32_t left_out, rows;
};

/* UINT32_MAX when out of memory. */
static uint32_t child_of(struct svg *w, uint32_t parent, uint32_t name)
{
	uint64_t key = (uint64_t)parent << 32 | name;
	uint32_t i = u64map_get(&w->children, key);

	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)w->nodes.n;
	if (vec_push(&w->nodes, ((struct svg_node){ .parent = parent, .name = name,
						.depth = w->nodes.at[parent].depth + 1 })) < 0 ||
	    u64map_set(&w->children, key, i) < 0)
		return UINT32_MAX;
	return i;
}

static int add_cell(struct svg *w, const struct sonde_profile_cell *cell)
{
	const struct sonde_profile_stack *stacks = w->p->stacks.list.at;
	const char *comm = w->p->who.at[cell->task].comm;
	uint32_t name = strpool_add(&w->comms, comm, strlen(comm)), node;

	w->path.n = 0;
	if (name == UINT32_MAX || (!cell->stack && vec_push(&w->path, cell->frame) < 0))
		return -SONDE_NOMEM;
	for (uint32_t at = cell->stack; at; at = stacks[at].parent)
		if (vec_push(&w->path, stacks[at].frame) < 0)
			return -SONDE_NOMEM;
	node = child_of(w, 0, (uint32_t)w->functions.list.n + name);
	while (w->path.n && node != UINT32_MAX)
		node = child_of(w, node, w->functions.of_frame[w->path.at[--w->path.n]]);
	if (node == UINT32_MAX)
		return -SONDE_NOMEM;
	w->nodes.at[node].samples += cell->samples;
	w->nodes.at[node].weight += w->x->opts.weight == SONDE_WEIGHT_SAMPLES ? cell->samples : cell->period;
	return 0;
}

static const char *name_of(const struct svg *w, const struct svg_node *n)
{
	if (n == w->nodes.at)
		return "all";
	return n->name < w->functions.list.n ? w->functions.list.at[n->name].name :
					       strpool_get(&w->comms, n->name - (uint32_t)w->functions.list.n);
}

static double width_of(const struct svg *w, uint64_t weight)
{
	uint64_t total = w->nodes.at[0].weight;

	return total ? (double)weight / (double)total * INNER : 0;
}

/* By parent, name, and number, which tells functions of one name in two binaries apart. */
static int compare_nodes(const void *va, const void *vb, void *ctx)
{
	const struct svg *w = ctx;
	uint32_t x = *(const uint32_t *)va, y = *(const uint32_t *)vb;
	const struct svg_node *a = &w->nodes.at[x], *b = &w->nodes.at[y];
	int r;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	r = strcmp(name_of(w, a), name_of(w, b));
	return r ? r : x < y ? -1 : x > y;
}

/* Gives each node its place. A parent has a lower number than its children, so it is placed before them. */
static int lay_out(struct svg *w)
{
	size_t n = w->nodes.n;

	for (size_t i = n; --i > 0;) {
		struct svg_node *parent = &w->nodes.at[w->nodes.at[i].parent];

		parent->weight += w->nodes.at[i].weight;
		parent->samples += w->nodes.at[i].samples;
	}
	w->order = malloc(n * sizeof(*w->order));
	if (!w->order)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		w->order[i] = i;
	qsort_r(w->order + 1, n - 1, sizeof(*w->order), compare_nodes, w);
	for (size_t i = 1; i < n; i++) {
		struct svg_node *node = &w->nodes.at[w->order[i]], *parent = &w->nodes.at[node->parent];

		node->begins = node->filled = parent->filled;
		parent->filled += node->weight;
	}
	return 0;
}

/* Chooses the width below which frames are left out. */
static void choose_least(struct svg *w)
{
	size_t shown;

	for (w->least = LEAST_WIDTH;; w->least *= 1.5) {
		shown = 0;
		w->rows = 0;
		for (size_t i = 0; i < w->nodes.n; i++) {
			if (width_of(w, w->nodes.at[i].weight) < w->least)
				continue;
			shown++;
			w->rows = w->nodes.at[i].depth + 1 > w->rows ? w->nodes.at[i].depth + 1 : w->rows;
		}
		if (shown <= MOST_FRAMES)
			break;
	}
	w->left_out = (uint32_t)(w->nodes.n - shown);
}

/* The bytes of the first characters of a text. */
static size_t bytes_of(const char *s, size_t characters)
{
	size_t len = strlen(s), at = 0, n;

	for (; characters && at < len; characters--) {
		n = utf8_length((const uint8_t *)s + at, len - at);
		at += n ? n : 1;
	}
	return at;
}

/* As much of a name as there is room for, with two dots where it is cut; nothing where that is too little. */
static void put_label(struct svg *w, const char *name, double width)
{
	size_t room = (size_t)(width / CHARACTER);

	if (room < LEAST_CHARACTERS)
		return;
	if (!name[bytes_of(name, room)]) {
		buf_xml(w->x->out, name, strlen(name));
		return;
	}
	buf_xml(w->x->out, name, bytes_of(name, room - 2));
	buf_str(w->x->out, "..");
}

/* Functions in warm colours, those of the kernel in blue, commands in grey; one name has one colour. */
static void put_colour(struct svg *w, const struct svg_node *n)
{
	const char *name = name_of(w, n);
	uint32_t hash = 0;

	for (const char *c = name; *c; c++)
		hash = hash * 31 + (uint8_t)*c;
	hash ^= hash >> 13;
	if (n->depth < 2)
		buf_printf(w->x->out, "rgb(%u,%u,%u)", 200, 200, 200);
	else if (w->functions.list.at[n->name].in_kernel)
		buf_printf(w->x->out, "rgb(%u,%u,%u)", 110 + hash % 40, 160 + hash / 64 % 40, 225);
	else
		buf_printf(w->x->out, "rgb(%u,%u,%u)", 225 + hash % 30, 120 + hash / 64 % 100, 50 + hash / 8192 % 40);
}

static void put_frame(struct svg *w, const struct svg_node *n)
{
	double width = width_of(w, n->weight), x = MARGIN + width_of(w, n->begins);
	uint32_t y = ABOVE + (w->rows - 1 - n->depth) * ROW;
	struct buf *out = w->x->out;
	const char *name = name_of(w, n);

	buf_str(out, "<g><title>");
	buf_xml(out, name, strlen(name));
	buf_printf(out, " (%" PRIu64 " sample%s, %.2f%%)</title>", n->samples, n->samples == 1 ? "" : "s",
		   width / INNER * 100);
	buf_printf(out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.3f\" height=\"%u\" rx=\"1\" fill=\"", x, y, width,
		   ROW - 1);
	put_colour(w, n);
	buf_str(out, "\"/>");
	if (width >= LEAST_CHARACTERS * CHARACTER) {
		buf_printf(out, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + ROW - 5);
		put_label(w, name, width - 4);
		buf_str(out, "</text>");
	}
	buf_str(out, "</g>\n");
}

static void put_note(void *ctx, const char *text)
{
	struct svg *w = ctx;

	buf_xml(w->x->out, text, strlen(text));
	buf_char(w->x->out, '\n');
}

static int put_head(struct svg *w, const struct sonde_profile_event *e)
{
	uint32_t height = ABOVE + w->rows * ROW + MARGIN;
	const struct ledger *losses = w->x->recorded.losses;
	struct buf *out = w->x->out;
	int r;

	buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg version=\"1.1\" "
		   "xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
		   "font-family=\"Verdana, sans-serif\" font-size=\"%u\">\n", WIDTH, height, WIDTH, height, FONT);
	buf_str(out, "<title>Flame graph</title>\n<desc>");
	r = recording_notes(w->x, put_note, w);
	buf_str(out, "</desc>\n");
	buf_printf(out, "<rect width=\"%u\" height=\"%u\" fill=\"rgb(250,250,245)\"/>\n", WIDTH, height);
	buf_printf(out, "<text x=\"%u\" y=\"24\" font-size=\"17\" text-anchor=\"middle\">Flame graph</text>\n",
		   WIDTH / 2);
	buf_printf(out, "<text x=\"%u\" y=\"42\" text-anchor=\"middle\">", WIDTH / 2);
	if (e)
		buf_xml(out, e->name, strlen(e->name));
	buf_printf(out, "%s%" PRIu64 " samples", e ? ": " : "", w->nodes.at[0].samples);
	if (w->left_out)
		buf_printf(out, "; %" PRIu32 " frames are too narrow to be shown", w->left_out);
	for (size_t i = 0; losses && i < losses->rows.n; i++) {
		buf_printf(out, "; lost: %" PRIu64 " ", losses->rows.at[i].count);
		buf_xml(out, losses->rows.at[i].text, strlen(losses->rows.at[i].text));
	}
	buf_str(out, "</text>\n<g id=\"frames\">\n");
	return r;
}

static int put_all(struct svg *w, uint32_t event)
{
	const struct sonde_profile_event *e = event < w->p->events.n ? &w->p->events.at[event] : NULL;
	size_t n = 0;
	const uint32_t *cells = e ? event_cells_of(&w->x->cells, event, &n) : NULL;
	int r;

	if (named_functions_make(&w->functions, w->p) < 0 || vec_push(&w->nodes, ((struct svg_node){ 0 })) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++)
		if (add_cell(w, &w->p->cells.at[cells[i]]) < 0)
			return -SONDE_NOMEM;
	if (lay_out(w) < 0)
		return -SONDE_NOMEM;
	choose_least(w);
	r = put_head(w, e);
	for (size_t i = 0; i < w->nodes.n; i++)
		if (width_of(w, w->nodes.at[w->order[i]].weight) >= w->least)
			put_frame(w, &w->nodes.at[w->order[i]]);
	buf_str(w->x->out, "</g>\n</svg>\n");
	return r < 0 ? r : n > 0;
}

int export_svg(struct export *x)
{
	struct svg w = { .x = x, .p = x->profile };
	int event = export_event(x), r = event;

	if (r >= 0)
		r = put_all(&w, (uint32_t)event);
	named_functions_free(&w.functions);
	strpool_free(&w.comms);
	vec_free(&w.nodes);
	u64map_free(&w.children);
	vec_free(&w.path);
	free(w.order);
	return r;
}
