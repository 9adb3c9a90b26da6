/* SPDX-License-Identifier: MIT */
#include "export/fleet/service.h"

#include <stdio.h>
#include <string.h>

enum { CONTAINER_ID = 64, CONTAINER_SHOWN = 12 };

static bool ends_with(const char *name, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n > len && memcmp(name + n - len, end, len) == 0;
}

/*
 * Where the id of a container begins in a part of a path: "docker-ID.scope", "cri-containerd-ID.scope", "ID". NULL: it
 * has none.
 */
static const char *container_id(const char *name, size_t n)
{
	if (ends_with(name, n, ".scope"))
		n -= strlen(".scope");
	if (n < CONTAINER_ID)
		return NULL;
	name += n - CONTAINER_ID;
	return strspn(name, "0123456789abcdef") >= CONTAINER_ID ? name : NULL;
}

static bool take_part(const char *name, size_t n, char *out, size_t size)
{
	const char *id = container_id(name, n);

	if (id)
		snprintf(out, size, "%.*s", CONTAINER_SHOWN, id);
	/* the instance of the manager of a user's services is no service */
	else if (ends_with(name, n, ".service") && strncmp(name, "user@", 5) != 0)
		snprintf(out, size, "%.*s", (int)(n - strlen(".service")), name);
	else
		return false;
	return true;
}

bool service_of_cgroup(const char *path, char *out, size_t size)
{
	bool found = false;

	while (*path) {
		size_t n = strcspn(path, "/");

		if (take_part(path, n, out, size))
			found = true;  /* the innermost counts */
		path += n + (path[n] == '/');
	}
	return found;
}
