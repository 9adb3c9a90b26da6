/* SPDX-License-Identifier: MIT */
/* Any bytes as a jitdump: its code as mappings, and as symbols. */
#include <stdlib.h>

#include "symbol/list/jitdump.h"
#include "symbol/list/jitdump_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct jit_changes *given;

static const struct jit_changes *open_given(struct jit_source *source, const struct binary *dump)
{
	(void)source;
	(void)dump;
	return given;
}

static void untimed(struct jit_source *source, const struct binary *dump)
{
	(void)source;
	(void)dump;
}

/* Every change, a moment each: its code is what is found at its start then. */
static void map_all(const struct jitdump *d)
{
	struct binary binary = { .kind = BINARY_JITDUMP, .name = "/jit-1.dump", .pid = 1 };
	struct jit_source source = { open_given, untimed };
	struct jit_code code = { .dump = &binary };
	struct maps_pool pool = { 0 };
	maps_root root = NULL;

	given = &d->changes;
	for (size_t i = 0; i < d->changes.n; i++) {
		const struct jit_change *c = &d->changes.at[i];
		const struct mapping *m;

		if (i + 1 < d->changes.n && d->changes.at[i + 1].time == c->time)
			continue;
		if (!d->changes.other_clock && c->time < SONDE_NONE &&
		    jit_code_advance(&code, &source, &pool, c->time, &root) < 0)
			break;
		m = maps_find(root, c->start);
		if (!d->changes.other_clock && c->time < SONDE_NONE &&
		    (!m || !jitdump_find(d, mapping_to_binary(m, c->start)) ||
		     mapping_to_binary(m, c->start) != c->offset))
			abort();
	}
	maps_pool_free(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab_builder b = { 0 };
	struct jitdump_line line;
	struct jitdump_lines lines = { 0 };
	struct jitdump d;
	struct symtab *t;
	uint8_t byte;

	if (jitdump_read(&d, input_of_memory("jit-1.dump", data, size), NULL) == 0) {
		if (d.functions.n > size || d.list.n > size)
			abort();
		for (size_t i = 0; i < d.functions.n; i++)
			if (jitdump_find(&d, d.functions.at[i].offset) != &d.functions.at[i] ||
			    !jitdump_bytes(&d, d.functions.at[i].offset + d.functions.at[i].size - 1, &byte, 1))
				abort();
		for (size_t i = 0; i < d.functions.n && i < 16; i++)
			jitdump_line(&lines, &d, d.functions.at[i].offset, &line);
		map_all(&d);
		jitdump_reuses(&d);
		jitdump_add(&d, &b);
		t = symtab_build(&b, SYMTAB_SAME_LAST);
		for (uint32_t i = 0; t && i < t->n; i++)
			if (!symtab_name(t, i)[0])
				abort();
		symtab_free(t);
	}
	jitdump_lines_free(&lines);
	jitdump_close(&d);
	return 0;
}
