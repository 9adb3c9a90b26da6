/* SPDX-License-Identifier: MIT */
#include "api/insight/stacks.h"

#include "base/err.h"

static int load(void *ctx, const struct sonde_event *ev, uint32_t most)
{
	struct stack_source *s = ctx;

	return sonde_symbols_chain_of(s->symbols, s->tasks, ev, most);
}

static const char *at(void *ctx, size_t i)
{
	struct stack_source *s = ctx;
	const struct sonde_frame *frame = sonde_symbols_chain_at(s->symbols, i);

	return frame ? frame->symbol : NULL;
}

int stack_source_init(struct stack_source *s, struct sonde_trace *t, const struct sonde_symbols_opts *opts,
		      struct sonde_error *err)
{
	*s = (struct stack_source){ .tasks = sonde_tasks_new(t), .symbols = sonde_symbols_new(opts),
				    .stacks = { s, load, at } };
	if (!s->tasks || !s->symbols)
		return err_nomem(err);
	if (sonde_symbols_error(s->symbols)->code) {
		*err = *sonde_symbols_error(s->symbols);
		return -(int)err->code;
	}
	return 0;
}

void stack_source_free(struct stack_source *s)
{
	sonde_symbols_free(s->symbols);
	sonde_tasks_free(s->tasks);
}
