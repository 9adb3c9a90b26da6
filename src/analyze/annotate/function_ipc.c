/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/function_ipc.h"

#include <stdlib.h>

#include "analyze/annotate/annotation.h"

static int compare(const void *a, const void *b)
{
	const struct function_ipc *x = a, *y = b;

	return block_function_compare(&x->function, &y->function);
}

static struct function_ipc *find(const struct sonde_profile *p, const struct block_function *f)
{
	const struct function_ipc key = { .function = *f };

	return p->ipc.n && f->binary ? bsearch(&key, p->ipc.at, p->ipc.n, sizeof(key), compare) : NULL;
}

struct function_ipc function_ipc_of(const struct sonde_profile *p, const struct frame *f)
{
	const struct function_ipc *found = find(p, &(struct block_function){ f->binary, f->table, f->symbol });

	return found ? *found : (struct function_ipc){ 0 };
}

/* Each function that has blocks with cycles. */
static int list_functions(struct sonde_profile *p)
{
	const struct block_end *list;
	size_t n;
	int r = basic_blocks_ends(&p->blocks, NULL, &list, &n);

	p->ipc.n = 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		if (i == 0 || block_function_compare(&list[i - 1].function, &list[i].function) != 0)
			r = vec_push(&p->ipc, ((struct function_ipc){ .function = list[i].function }));
	return r;
}

/* Counts the instructions of a function, the nth of its event. One whose code is not here has no IPC. */
static int measure(struct sonde_profile *p, uint32_t event, size_t nth, struct function_ipc *of)
{
	const struct sonde_annotate_opts opts = { .sz = sizeof(opts), .event = event, .nth = nth };
	struct sonde_error why = { .sz = sizeof(why) };
	struct sonde_annotation a;
	int r = annotation_make(&a, p, &opts, &why);

	if (r == 0) {
		of->ipc = a.info.ipc;
		of->coverage = a.info.ipc_coverage;
		of->known = true;
	}
	annotation_free(&a);
	return r == -SONDE_NOMEM ? r : 0;
}

static int measure_event(struct sonde_profile *p, uint32_t event)
{
	const struct annotated_functions *all = annotated_functions_get(p, event);
	size_t nth = 0;
	int r = all ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < all->list.n; i++) {
		const struct annotated_function *f = &all->list.at[i];
		struct function_ipc *of = find(p, &(struct block_function){ f->binary, f->table, f->symbol });

		if (!f->samples)
			continue;
		if (of && !of->known)
			r = measure(p, event, nth, of);
		nth++;
	}
	return r;
}

int sonde_profile_find_ipc(struct sonde_profile *p)
{
	uint32_t by = p->kept.by;
	int r = list_functions(p);

	p->kept.by |= SONDE_BY_SYMBOL_OFFSET;  /* annotations want it for their counts, which nobody looks at here */
	for (uint32_t event = 0; p->ipc.n && event < p->events.n && r == 0; event++)
		if (p->events.at[event].samples)
			r = measure_event(p, event);
	p->kept.by = by;
	return r;
}
