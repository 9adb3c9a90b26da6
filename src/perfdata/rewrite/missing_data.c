/* SPDX-License-Identifier: MIT */
/* missing_data.c - a directory of records whose `data`, which describes their events, is not there under its name. */
#include "perfdata/rewrite/missing_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "perfdata/format/header.h"
#include "perfdata/scan/directory.h"

static bool is_part(const char *name, const struct part_numbers *parts)
{
	char part[PART_NAME_BYTES];

	for (size_t i = 0; i < parts->n; i++) {
		snprintf(part, sizeof(part), "data.%u", parts->at[i]);
		if (strcmp(part, name) == 0)
			return true;
	}
	return false;
}

/* How well a file can stand for `data`: 2 when it says that it is of a directory, 1 when it has a header, else 0. */
static int fitness(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	uint8_t head[PERFDATA_HEADER_BYTES];
	struct header h;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	if (n < (ssize_t)sizeof(head) || header_decode(head, (size_t)n, &h, NULL) < 0 || h.pipe)
		return 0;
	return header_has(&h, SONDE_FEAT_DIR_FORMAT) ? 2 : 1;
}

/*
 * The first of the best by name, so that the answer does not depend on the order of the directory; NULL if there is
 * none.
 */
static const char *find_data(int dir_fd, const struct directory_names *names, const struct part_numbers *parts)
{
	const char *best = NULL;
	int best_fitness = 1;

	for (size_t i = 0; i < names->n; i++) {
		int fits = is_part(names->at[i], parts) ? 0 : fitness(dir_fd, names->at[i]);

		if (fits < best_fitness || (best && fits == best_fitness && strcmp(names->at[i], best) > 0))
			continue;
		best = names->at[i];
		best_fitness = fits;
	}
	return best;
}

static int take(struct sonde_rewrite *handle, const char *path, int dir_fd, const char *name, struct image *im)
{
	int r = image_open_at(im, dir_fd, name, &handle->err);

	if (r < 0)
		return r;
	im->dir_fd = dir_fd;
	im->path = path;
	err_clear(&handle->err);
	ledger_add(&handle->ledger, SONDE_LOSS_TRUNCATED, 1, SONDE_NONE, SONDE_NONE, -1,
		   "{file|files} data, which {describes|describe} the events of the others, {is|are} missing: %s was "
		   "taken for it", name);
	return 1;
}

static int say_missing(struct sonde_rewrite *handle, const struct part_numbers *parts)
{
	err_clear(&handle->err);  /* of the one who could not open it */
	return err_set(
		&handle->err, SONDE_MISSING, SONDE_NONE,
		"its file data is missing, and nothing else there describes the events of data.%u%s: expected data, or "
		"a file with the header of a perf.data under another name",
		parts->at[0], parts->n > 1 ? " and the others" : "");
}

int perfdata_open_without_data(struct sonde_rewrite *handle, const char *path, struct image *im)
{
	int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;
	struct directory_names names = { 0 };
	struct part_numbers parts = { 0 };
	const char *name;

	if (dir_fd < 0 || faccessat(dir_fd, "data", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		if (dir_fd >= 0)
			close(dir_fd);
		return 0;
	}
	r = directory_list_parts(dir_fd, &parts, &handle->err);
	if (r == 0 && parts.n)
		r = directory_list(dir_fd, &names, &handle->err);
	if (r == 0 && parts.n) {
		name = find_data(dir_fd, &names, &parts);
		r = name ? take(handle, path, dir_fd, name, im) : say_missing(handle, &parts);
	}
	if (r <= 0)
		close(dir_fd);
	directory_names_free(&names);
	vec_free(&parts);
	return r;
}
