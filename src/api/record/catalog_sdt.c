/* SPDX-License-Identifier: MIT */
#include "api/record/catalog_sdt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/elf/stapsdt.h"

#define NAME_BYTES 1024              /* longer names are left out */

struct filling {
	struct catalog *c;
	const char *file;
};

static int add_one(void *ctx, const struct stapsdt_probe *p)
{
	const struct filling *to = ctx;
	struct sonde_catalog_event e = { .kind = SONDE_CATALOG_SDT, .kind_name = "SDT event", .topic = "SDT events" };
	char name[NAME_BYTES];
	int n = snprintf(name, sizeof(name), "sdt:%s:%s:%s", to->file, p->provider.p, p->name.p);

	if (n < 0 || (size_t)n >= sizeof(name))
		return 0;
	e.name = arena_strndup(&to->c->arena, name, (size_t)n);
	return !e.name || vec_push(to->c, e) < 0 ? err_nomem(to->c->err) : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct sonde_catalog_event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int catalog_add_sdt(struct catalog *c, const char *file)
{
	struct filling to = { c, file };
	struct elf_file f = { 0 };
	size_t first = c->n, kept = first;
	int r = elf_file_open(&f, file, c->err);

	if (r < 0)
		return r;
	r = stapsdt_each(&f, add_one, &to);
	elf_file_close(&f);
	if (c->n > first)
		qsort(c->at + first, c->n - first, sizeof(*c->at), by_name);
	for (size_t i = first; i < c->n; i++)
		if (i == first || strcmp(c->at[i].name, c->at[kept - 1].name) != 0)
			c->at[kept++] = c->at[i];
	c->n = kept;
	return r;
}
