/* SPDX-License-Identifier: MIT */
#include "analyze/profile/ignored_callees.h"

#include <regex.h>
#include <stdlib.h>

#include "base/err.h"

/* By stack: its outermost part that ends in a function that matches; 0: none does. NULL when out of memory. */
static uint32_t *find_ends(const struct gathering *p, const regex_t *regex)
{
	const struct sonde_profile_stack *stacks = p->stacks.list.at;
	size_t nr = p->stacks.list.n;
	bool *matches = calloc(p->frames.list.n + 1, sizeof(*matches));
	uint32_t *ends = calloc(nr + 1, sizeof(*ends));

	for (size_t i = 0; matches && i < p->frames.list.n; i++) {
		const char *name = frame_symbol(&p->frames.list.at[i]);

		matches[i] = name && regexec(regex, name, 0, NULL, 0) == 0;
	}
	for (uint32_t i = 1; matches && ends && i < nr; i++) {
		uint32_t outer = ends[stacks[i].parent];

		ends[i] = outer ? outer : matches[stacks[i].frame] ? i : 0;
	}
	if (!matches) {
		free(ends);
		ends = NULL;
	}
	free(matches);
	return ends;
}

int ignored_callees_cut(struct gathering *p, const char *expression)
{
	regex_t regex;
	uint32_t *ends;

	if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0)
		return err_set(&p->err, SONDE_USAGE, SONDE_NONE, "'%s' is not a regular expression", expression);
	ends = find_ends(p, &regex);
	regfree(&regex);
	if (!ends)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < p->cells.n; i++) {
		struct sonde_profile_cell *c = &p->cells.at[i];

		if (!ends[c->stack])
			continue;
		c->stack = ends[c->stack];
		c->frame = p->stacks.list.at[c->stack].frame;
	}
	free(ends);
	return 0;
}
