/* SPDX-License-Identifier: MIT */
#include "export/script/trace_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int by_last_part(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int order = strcmp(last_part(x), last_part(y));

	return order ? order : strcmp(x, y);
}

/* Whether several files have the same name in different directories: most are called perf.data. */
static int are_ambiguous(const char *const *paths, size_t n, bool *out)
{
	const char **sorted = malloc(n * sizeof(*sorted));

	*out = false;
	if (!sorted)
		return -SONDE_NOMEM;
	memcpy(sorted, paths, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_last_part);
	for (size_t i = 1; i < n; i++)
		*out |= strcmp(last_part(sorted[i - 1]), last_part(sorted[i])) == 0 &&
			strcmp(sorted[i - 1], sorted[i]) != 0;
	free(sorted);
	return 0;
}

int script_name(struct script *scripts, const char *const *paths, size_t n)
{
	size_t width = 0;
	bool ambiguous;

	if (are_ambiguous(paths, n, &ambiguous) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(ambiguous ? paths[i] : last_part(paths[i]));

		width = len > width ? len : width;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = ambiguous ? paths[i] : last_part(paths[i]);
		struct buf text = BUF_MEMORY;

		buf_pad(&text, ' ', width - strlen(name));
		buf_text(&text, name, strlen(name));
		buf_put(&text, ": ", 2);
		scripts[i].name.p = text.failed ? NULL : arena_strndup(&scripts[i].arena, text.p, text.n);
		scripts[i].name.len = text.n;
		buf_free(&text);
		if (!scripts[i].name.p)
			return -SONDE_NOMEM;
	}
	return 0;
}
