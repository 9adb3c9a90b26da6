/* SPDX-License-Identifier: MIT */
#include "record/event/event_cgroup.h"

#include <string.h>

int event_cgroups_add(struct events *list, const char *names, size_t *next, struct sonde_error *err)
{
	for (const char *p = names;; p++) {
		size_t len = strcspn(p, ",");

		if (*next >= list->n)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "%s", list->n ?
				       "there are more control groups than events before them" :
				       "events come first (-e), then their control groups");
		if (len && !(list->at[*next].cgroup = arena_strndup(&list->arena, p, len)))
			return err_nomem(err);
		++*next;
		p += len;
		if (!*p)
			break;
	}
	for (size_t i = 1; *next == 1 && i < list->n; i++)
		list->at[i].cgroup = list->at[0].cgroup;
	return 0;
}

/* A copy that owns its lists. The names stay in the arena. */
static int add_copy(struct events *list, size_t i, uint32_t leader, const char *cgroup)
{
	struct event copy = list->at[i];
	int r = 0;

	copy.leader = leader;
	copy.cgroup = cgroup;
	copy.cpus = (struct cpus){ 0 };
	copy.filters = (struct names){ 0 };
	for (size_t k = 0; r == 0 && k < list->at[i].cpus.n; k++)
		r = vec_push(&copy.cpus, list->at[i].cpus.at[k]);
	for (size_t k = 0; r == 0 && k < list->at[i].filters.n; k++)
		r = vec_push(&copy.filters, list->at[i].filters.at[k]);
	r = r < 0 ? r : vec_push(list, copy);
	if (r < 0) {
		vec_free(&copy.cpus);
		vec_free(&copy.filters);
	}
	return r;
}

int event_cgroups_expand(struct events *list, const char *names, struct sonde_error *err)
{
	size_t n = list->n, copies = 0;

	for (const char *p = names; *p; copies++) {
		size_t len = strcspn(p, ",");
		const char *cgroup = arena_strndup(&list->arena, p, len);

		if (!len)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "a control group has no name");
		if (!cgroup)
			return err_nomem(err);
		for (size_t i = 0; i < n; i++) {
			if (copies == 0)
				list->at[i].cgroup = cgroup;
			else if (add_copy(list, i, (uint32_t)(list->at[i].leader + copies * n), cgroup) < 0)
				return err_nomem(err);
		}
		p += len + (p[len] == ',');
	}
	return copies ? 0 : err_set(err, SONDE_USAGE, SONDE_NONE, "no control group is named");
}
