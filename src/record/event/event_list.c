/* SPDX-License-Identifier: MIT */
#include "record/event/event_list.h"

#include <string.h>

struct event event_blank(uint32_t type, uint64_t config)
{
	return (struct event){ .attr = { .type = type, .config = config }, .inherit = -1, .time = -1, .overwrite = -1,
			       .scale = 1 };
}

int event_list_add(struct event_scan *s, const struct event *proto, const char *name)
{
	struct event e = *proto;

	e.name = scan_keep(s, name, strlen(name));
	e.leader = (uint32_t)s->list->n;
	if (!e.name || vec_push(s->list, e) < 0) {
		vec_free(&e.cpus);
		return err_nomem(s->err);
	}
	return 0;
}

int event_list_name(struct event_scan *s, size_t first, const char *start)
{
	const char *end = s->p;

	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (size_t i = first; i < s->list->n; i++) {
		struct event *e = &s->list->at[i];

		if (*e->name)
			continue;
		e->name = scan_keep(s, start, (size_t)(end - start));
		if (!e->name)
			return err_nomem(s->err);
	}
	return 0;
}
