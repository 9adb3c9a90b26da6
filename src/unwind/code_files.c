/* SPDX-License-Identifier: MIT */
#include "unwind/code_files.h"

#include <pthread.h>
#include <sonde/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/brief_lock.h"
#include "base/plain_file.h"

enum { OPEN_MOST = 16 };

struct open_file {
	const struct code_file *file;  /* NULL: free */
	int fd;
	uint64_t used;               /* the larger, the later */
};

struct code_files {
	pthread_mutex_t lock;
	struct open_file open[OPEN_MOST];
	uint64_t uses;
};

struct code_files *code_files_new(void)
{
	struct code_files *c = calloc(1, sizeof(*c));

	if (c)
		*c = (struct code_files){ .lock = BRIEF_LOCK };
	return c;
}

void code_files_free(struct code_files *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < OPEN_MOST; i++)
		if (c->open[i].file)
			close(c->open[i].fd);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void code_file_free(struct code_file *file)
{
	free(file->path);
	*file = (struct code_file){ 0 };
}

/* In place of the one that nobody has read for the longest time. */
static struct open_file *keep(struct code_files *c, const struct code_file *file, int fd)
{
	struct open_file *place = &c->open[0];

	for (size_t i = 1; i < OPEN_MOST; i++)
		if (c->open[i].used < place->used)
			place = &c->open[i];
	if (place->file)
		close(place->fd);
	*place = (struct open_file){ .file = file, .fd = fd };
	return place;
}

int code_files_add(struct code_files *c, struct code_file *file, const char *path, int fd)
{
	struct stat st;

	*file = (struct code_file){ .path = strdup(path) };
	if (!file->path || fstat(fd, &st) < 0) {
		close(fd);
		return file->path ? 0 : -SONDE_NOMEM;
	}
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->size = st.st_size;
	pthread_mutex_lock(&c->lock);
	keep(c, file, fd)->used = ++c->uses;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

static struct open_file *open_again(struct code_files *c, const struct code_file *file)
{
	struct stat st;
	int fd = file->path ? plain_file_open(file->path, 0, &st, NULL) : -1;

	if (fd < 0)
		return NULL;
	if (st.st_dev == file->dev && st.st_ino == file->ino && st.st_size == file->size)
		return keep(c, file, fd);
	close(fd);
	return NULL;
}

bool code_files_read(struct code_files *c, const struct code_file *file, uint64_t offset, void *out, size_t size)
{
	struct open_file *found = NULL;
	bool ok;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < OPEN_MOST && !found; i++)
		if (c->open[i].file == file)
			found = &c->open[i];
	if (!found)
		found = open_again(c, file);
	if (found)
		found->used = ++c->uses;
	ok = found && offset <= INT64_MAX && pread(found->fd, out, size, (off_t)offset) == (ssize_t)size;
	pthread_mutex_unlock(&c->lock);
	return ok;
}
