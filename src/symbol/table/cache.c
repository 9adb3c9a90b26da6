/* SPDX-License-Identifier: MIT */
#include "symbol/table/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_io.h"

/*
 * Changes with the layout and with the rules by which symbols are chosen. Reads differently on a host of other byte
 * order.
 */
#define MAGIC UINT64_C(0x0001736d79736473)

/* Followed by starts, entries, strings, and the name of the source with its NUL. */
struct file_header {
	uint64_t magic;
	uint64_t identity[2], refs[2];
	uint64_t strings_size;
	uint32_t n;
	uint32_t source_size;
};

static bool path_of(char path[PATH_MAX], const char *dir, const char *name)
{
	return dir[0] && name[0] && snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX;
}

/* Maps a file that only this user could have written. */
static bool map_own(struct fmap *m, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool mapped;

	if (fd < 0)
		return false;
	mapped = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) &&
		fmap_fd(m, fd, NULL) == 0;
	close(fd);
	return mapped;
}

/* Points the table at the parts of the file; false if they are not all there. */
static bool view(struct symtab *t, const struct fmap *m, const struct file_header *h)
{
	uint64_t left = m->size - sizeof(*h), per_symbol = sizeof(*t->starts) + sizeof(*t->entries);
	const uint8_t *p = m->data + sizeof(*h);
	const char *source;

	if (h->n > left / per_symbol || h->strings_size > left - h->n * per_symbol ||
	    h->source_size != left - h->n * per_symbol - h->strings_size || !h->strings_size || !h->source_size)
		return false;
	t->n = h->n;
	t->starts = (const uint64_t *)p;
	p += h->n * sizeof(*t->starts);
	t->entries = (const struct symtab_entry *)p;
	p += h->n * sizeof(*t->entries);
	t->strings = (const char *)p;
	t->strings_size = h->strings_size;
	source = (const char *)p + h->strings_size;
	if (t->strings[h->strings_size - 1] || source[h->source_size - 1])
		return false;
	t->source = source;
	return true;
}

struct symtab *cache_find(const char *dir, const struct cache_key *key, uint64_t refs[2])
{
	struct symtab *t = symtab_new();
	struct file_header h;
	char path[PATH_MAX];

	if (!t || !path_of(path, dir, key->name) || !map_own(&t->map, path))
		goto none;
	if (t->map.size < sizeof(h))
		goto none;
	memcpy(&h, t->map.data, sizeof(h));
	if (h.magic != MAGIC || memcmp(h.identity, key->identity, sizeof(h.identity)) || !view(t, &t->map, &h))
		goto none;
	if (refs)
		memcpy(refs, h.refs, sizeof(h.refs));
	return t;
none:
	symtab_free(t);
	return NULL;
}

/* As mkdir -p, for the user alone. */
static void make_dirs(const char *dir)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return;
	for (char *p = path + 1; *p; p++) {
		if (*p == '/') {
			*p = 0;
			mkdir(path, 0700);
			*p = '/';
		}
	}
	mkdir(path, 0700);
}

void cache_store(const char *dir, const struct cache_key *key, const struct symtab *t, const uint64_t refs[2])
{
	struct file_header h = {
		.magic = MAGIC, .identity = { key->identity[0], key->identity[1] }, .refs = { refs[0], refs[1] },
		.strings_size = t->strings_size, .n = t->n, .source_size = (uint32_t)strlen(t->source) + 1,
	};
	char path[PATH_MAX], temporary[PATH_MAX];
	int fd;

	if (!path_of(path, dir, key->name) || !path_of(temporary, dir, ".new-XXXXXX"))
		return;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		make_dirs(dir);
		path_of(temporary, dir, ".new-XXXXXX");
		fd = mkostemp(temporary, O_CLOEXEC);
	}
	if (fd < 0)
		return;
	if (fd_write(fd, &h, sizeof(h)) || fd_write(fd, t->starts, t->n * sizeof(*t->starts)) ||
	    fd_write(fd, t->entries, t->n * sizeof(*t->entries)) || fd_write(fd, t->strings, t->strings_size) ||
	    fd_write(fd, t->source, h.source_size) || rename(temporary, path) < 0)
		unlink(temporary);
	close(fd);
}
