/* SPDX-License-Identifier: MIT */
#include "export/fleet/service.h"

#include <stdio.h>

#include "base/str.h"

enum { CONTAINER_ID = 64, CONTAINER_SHOWN = 12 };

/*
 * The id of a container in a part of a path: "docker-ID.scope", "cri-containerd-ID.scope", "ID". NULL: it has none.
 */
static const char *container_id(struct sonde_str part)
{
	const char *id;

	if (str_ends(part, ".scope"))
		part.len -= strlen(".scope");
	if (part.len < CONTAINER_ID)
		return NULL;
	id = part.p + part.len - CONTAINER_ID;
	return strspn(id, "0123456789abcdef") >= CONTAINER_ID ? id : NULL;
}

static bool take_part(struct sonde_str part, char *out, size_t size)
{
	const char *id = container_id(part);
	size_t unit = strlen(".service");

	if (id)
		snprintf(out, size, "%.*s", CONTAINER_SHOWN, id);
	/* the instance of the manager of a user's services is no service */
	else if (part.len > unit && str_ends(part, ".service") && !str_begins(part, "user@"))
		snprintf(out, size, "%.*s", (int)(part.len - unit), part.p);
	else
		return false;
	return true;
}

bool service_of_cgroup(const char *path, char *out, size_t size)
{
	struct sonde_str rest = { path, strlen(path) };
	bool found = false;

	while (rest.len)
		if (take_part(str_take(&rest, '/'), out, size))
			found = true;  /* the innermost counts */
	return found;
}
