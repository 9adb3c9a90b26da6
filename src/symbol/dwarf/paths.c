/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/paths.h"

#include <string.h>

int dwarf_paths_init(struct dwarf_paths *p, const char *debug, const struct dwarf_opts *opts)
{
	const char *const *dirs = opts->debug_dirs;
	const char **copies;
	size_t n = 0;

	*p = (struct dwarf_paths){ 0 };
	while (dirs && dirs[n])
		n++;
	copies = arena_calloc(&p->text, n + 1, sizeof(*copies));
	p->debug_dirs = copies;
	for (size_t i = 0; copies && i < n; i++)
		if (!(copies[i] = arena_strndup(&p->text, dirs[i], strlen(dirs[i]))))
			return -SONDE_NOMEM;
	p->symfs = arena_strndup(&p->text, opts->symfs ? opts->symfs : "", opts->symfs ? strlen(opts->symfs) : 0);
	p->debug = arena_strndup(&p->text, debug, strlen(debug));
	if (opts->binary)
		p->binary = arena_strndup(&p->text, opts->binary, strlen(opts->binary));
	return copies && p->symfs && p->debug && (p->binary || !opts->binary) ? 0 : -SONDE_NOMEM;
}

void dwarf_paths_free(struct dwarf_paths *p)
{
	arena_free(&p->text);
}
