/* SPDX-License-Identifier: MIT */
/* stacks.h - the stacks of samples for analyses that want them */
#ifndef API_INSIGHT_STACKS_H
#define API_INSIGHT_STACKS_H

#include <sonde/symbol.h>

#include "insight/base/analysis.h"

struct stack_source {
	struct sonde_tasks *tasks;
	struct sonde_symbols *symbols;
	struct analysis_stacks stacks;       /* of this source */
};

/* @opts: of the names, may be NULL. 0 or negative with an error; stack_source_free() in any case. */
int stack_source_init(struct stack_source *s, struct sonde_trace *t, const struct sonde_symbols_opts *opts,
		      struct sonde_error *err);
void stack_source_free(struct stack_source *s);

#endif
