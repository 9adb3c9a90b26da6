/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/index_make.h"

#include <stdlib.h>

#include "base/crew.h"
#include "symbol/dwarf/index_builder.h"

/* The line programs of all units, compared with the section that they are in. */
enum { LINES_SHARED_MAX = 16 };

uint64_t index_line_bytes(struct dwarf *d)
{
	struct unit_lines lines;

	if (!dwarf_nr_units(d))
		return 0;
	dwarf_unit_lines(d, 0, &lines);
	return (uint64_t)lines.line.n * LINES_SHARED_MAX;    /* bytes in memory: less than 2^60 */
}

/* Takes the bytes of a unit's line program off those that are left; false: there are not enough. */
static bool take_lines(struct dwarf *d, uint32_t unit, uint64_t *line_bytes)
{
	struct unit_lines lines;
	uint64_t size;

	dwarf_unit_lines(d, unit, &lines);
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

	dwarf_unit_lines(d, unit, &lines);
	if (!failed && has_lines)
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

/* All units while they are indexed. */
struct index_making {
	struct dwarf *d;
	struct index_builder builder;
	int failed;                  /* atomic */
};

/* A unit: any thread makes its piece, and the pieces are added in the order of the units. */
struct unit_job {
	struct crew_job job;
	struct index_making *m;
	uint32_t unit;
	bool has_lines;
	struct index_piece piece;
};

static void fail(struct index_making *m, int failed)
{
	if (failed)
		__atomic_store_n(&m->failed, failed, __ATOMIC_RELAXED);
}

static void prepare(struct crew_job *job, unsigned member)
{
	struct unit_job *j = (struct unit_job *)job;

	(void)member;
	if (!__atomic_load_n(&j->m->failed, __ATOMIC_RELAXED))
		fail(j->m, make_piece(j->m->d, j->unit, j->has_lines, &j->piece));
}

static void finish(struct crew_job *job)
{
	struct unit_job *j = (struct unit_job *)job;

	if (!__atomic_load_n(&j->m->failed, __ATOMIC_RELAXED))
		fail(j->m, index_builder_add(&j->m->builder, &j->piece));
	index_piece_free(&j->piece);
}

static int make_all(struct index_making *m, unsigned members)
{
	uint32_t n = dwarf_nr_units(m->d);
	struct unit_job *jobs = calloc(n + 1u, sizeof(*jobs));
	uint64_t line_bytes = index_line_bytes(m->d);
	struct crew *crew = crew_new(members);

	if (!jobs || !crew)
		fail(m, -SONDE_NOMEM);
	for (uint32_t i = 0; i < n && !m->failed; i++)
		jobs[i] = (struct unit_job){ .job = { .prepare = prepare, .finish = finish }, .m = m, .unit = i,
					     .has_lines = take_lines(m->d, i, &line_bytes) };
	if (jobs && crew) {
		for (uint32_t i = 0; i < n; i++)
			crew_give(crew, &jobs[i].job);
		for (uint32_t i = 0; i < n; i++)
			crew_wait(crew, &jobs[i].job);
	}
	crew_free(crew);
	free(jobs);
	return m->failed;
}

int index_make(struct dwarf *d, unsigned threads, const uint64_t identity[2], uint8_t **bytes, size_t *size)
{
	struct index_making m = { .d = d };
	int failed;

	dwarf_load_all(d);
	failed = make_all(&m, threads < CREW_MOST ? threads : CREW_MOST);

	if (!failed)
		failed = index_builder_seal(&m.builder, identity, bytes, size);
	index_builder_free(&m.builder);
	return failed;
}
