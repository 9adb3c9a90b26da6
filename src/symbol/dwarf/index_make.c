/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/index_make.h"

#include <stdlib.h>

#include "base/thread.h"
#include "symbol/dwarf/index_builder.h"

enum { HELPERS_MAX = 31 };

/* The line programs of all units, compared with the section that they are in. */
enum { LINES_SHARED_MAX = 16 };

uint64_t index_line_bytes(struct dwarf *d)
{
	struct unit_lines lines;

	if (!dwarf_nr_units(d) || dwarf_unit_lines(d, 0, &lines) < 0)
		return 0;
	return lines.line.n > UINT64_MAX / LINES_SHARED_MAX ? UINT64_MAX : lines.line.n * LINES_SHARED_MAX;
}

/* Takes the bytes of a unit's line program off those that are left; false: there are not enough. */
static bool take_lines(struct dwarf *d, uint32_t unit, uint64_t *line_bytes)
{
	struct unit_lines lines;
	uint64_t size;

	if (dwarf_unit_lines(d, unit, &lines) < 0)
		return false;
	size = line_header_unit_size(&lines);
	if (!size || size > *line_bytes)
		return false;
	*line_bytes -= size;
	return true;
}

/* Damaged units have what was sound. */
static int make_piece(struct dwarf *d, uint32_t unit, bool has_lines, struct index_piece *p)
{
	struct unit_tree tree = { 0 };
	struct line_table table = { 0 };
	struct unit_lines lines;
	int failed = dwarf_unit_tree(d, unit, &tree) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;

	if (!failed && has_lines && dwarf_unit_lines(d, unit, &lines) == 0)
		failed = line_table_read(&table, &lines, d) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;
	if (!failed)
		failed = index_piece_make(p, &tree, &table);
	unit_tree_free(&tree);
	line_table_free(&table);
	return failed;
}

int index_make_unit(struct dwarf *d, uint32_t unit, uint64_t *line_bytes, uint8_t **bytes, size_t *size)
{
	static const uint64_t no_identity[2];
	struct index_builder b = { 0 };
	struct index_piece p = { 0 };
	int failed = make_piece(d, unit, take_lines(d, unit, line_bytes), &p);

	if (!failed)
		failed = index_builder_add(&b, &p);
	if (!failed)
		failed = index_builder_seal(&b, no_identity, bytes, size);
	index_builder_free(&b);
	return failed;
}

/* All units while they are indexed: any thread makes a piece, and the one that finds the next piece made adds it. */
struct making {
	struct dwarf *d;
	uint32_t nr_units;
	bool *has_lines;             /* of each unit */

	pthread_mutex_t lock;        /* of what follows; the builder is that of the thread which is adding */
	uint32_t next;               /* unit that is not begun */
	uint32_t added;
	bool adding;
	int failed;
	struct index_piece **pieces; /* made, and not yet added */
	struct index_builder builder;
};

/* Adds the pieces that come next, unless another thread is at it, which then adds this one too. Has the lock. */
static void add_pieces(struct making *m)
{
	if (m->adding)
		return;
	m->adding = true;
	while (!m->failed && m->added < m->nr_units && m->pieces[m->added]) {
		struct index_piece *p = m->pieces[m->added];
		int failed;

		m->pieces[m->added] = NULL;
		pthread_mutex_unlock(&m->lock);
		failed = index_builder_add(&m->builder, p);
		index_piece_free(p);
		free(p);
		pthread_mutex_lock(&m->lock);
		m->added++;
		m->failed = failed;
	}
	m->adding = false;
}

static void *make_pieces(void *arg)
{
	struct making *m = arg;

	pthread_mutex_lock(&m->lock);
	while (!m->failed && m->next < m->nr_units) {
		uint32_t unit = m->next++;
		struct index_piece *p;
		int failed;

		pthread_mutex_unlock(&m->lock);
		p = calloc(1, sizeof(*p));
		failed = p ? make_piece(m->d, unit, m->has_lines[unit], p) : -SONDE_NOMEM;
		pthread_mutex_lock(&m->lock);
		m->pieces[unit] = p;
		if (failed)
			m->failed = failed;
		add_pieces(m);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

static void make_all(struct making *m, unsigned helpers)
{
	pthread_t threads[HELPERS_MAX];
	unsigned nr = 0;

	if (helpers > HELPERS_MAX)
		helpers = HELPERS_MAX;
	while (nr < helpers && nr + 1 < m->nr_units && thread_begin(&threads[nr], make_pieces, m) == 0)
		nr++;
	make_pieces(m);
	while (nr)
		pthread_join(threads[--nr], NULL);
}

int index_make(struct dwarf *d, unsigned helpers, const uint64_t identity[2], uint8_t **bytes, size_t *size)
{
	struct making m = { .d = d, .nr_units = dwarf_nr_units(d), .lock = PTHREAD_MUTEX_INITIALIZER };
	uint64_t line_bytes = index_line_bytes(d);

	m.has_lines = calloc(m.nr_units + 1u, sizeof(*m.has_lines));
	m.pieces = calloc(m.nr_units + 1u, sizeof(*m.pieces));
	if (!m.has_lines || !m.pieces) {
		free(m.has_lines);
		free(m.pieces);
		return -SONDE_NOMEM;
	}
	for (uint32_t i = 0; i < m.nr_units; i++)
		m.has_lines[i] = take_lines(d, i, &line_bytes);
	make_all(&m, helpers);
	if (!m.failed)
		m.failed = index_builder_seal(&m.builder, identity, bytes, size);
	for (uint32_t i = 0; i < m.nr_units; i++) {
		if (m.pieces[i])
			index_piece_free(m.pieces[i]);
		free(m.pieces[i]);
	}
	index_builder_free(&m.builder);
	free(m.has_lines);
	free(m.pieces);
	return m.failed;
}
