/* SPDX-License-Identifier: MIT */
#include "symbol/jitdumps.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "symbol/bundles.h"
#include "symbol/process_files.h"
#include "symbol/trusted_file.h"

/* Names are in memory. Of further dumps, no lines, no unwind information and nothing that is added can be read. */
#define OPEN_MOST 128

/* A dump of a bundle, as a file without a name. */
static bool take_bundled(const struct jitdumps *all, const struct binary *b, struct input *in)
{
	const struct bundles *bundles = all->paths->bundles;
	uint8_t *bytes;
	size_t size;
	bool written = false;

	for (size_t i = 0; !find_paths_given(all->paths) && i < bundles->list.n && !written; i++) {
		if (!bundles_take(bundles, i, b, BUNDLE_FILE, &bytes, &size))
			continue;
		in->fd = memfd_create("jitdump", MFD_CLOEXEC);
		written = in->fd >= 0 && fd_write(in->fd, bytes, size) == 0;
		if (!written)
			input_close(in);
		free(bytes);
	}
	return written;
}

/* The file of a dump, its descriptor -1 if it cannot be opened. */
static int open_dump(const struct jitdumps *all, const struct binary *b, char path[PATH_MAX], struct stat *st,
		     struct sonde_error *err)
{
	const struct file_trust trust = { .all = all->force, .pid = b->pid, .recorded_s = all->recorded_s };
	const struct find_paths *p = all->paths;

	if (p->sysroot[0] && snprintf(path, PATH_MAX, "%s%s", p->sysroot, b->name) < PATH_MAX &&
	    access(path, F_OK) == 0)
		return trusted_file_open(path, &trust, st, err);
	if (!p->symfs[0] && process_file_path(path, b->pid, b->name, all->recorded_s))
		return trusted_file_open(path, &trust, st, err);
	return snprintf(path, PATH_MAX, "%s%s", p->symfs, b->name) < PATH_MAX ?
		trusted_file_open(path, &trust, st, err) : -1;
}

static struct jitdumps_entry read_dump(struct jitdumps *all, const struct binary *b)
{
	struct jitdumps_entry e = { .pid = b->pid, .dump = calloc(1, sizeof(*e.dump)) };
	struct sonde_error err = { 0 };
	struct input in = INPUT_NONE;
	char path[PATH_MAX];
	struct stat st;

	if (!e.dump)
		return e;
	if (take_bundled(all, b, &in))
		snprintf(path, sizeof(path), "the bundle");
	else
		in.fd = open_dump(all, b, path, &st, &err);
	if (in.fd >= 0 && fstat(in.fd, &st) == 0) {
		in.size = (uint64_t)st.st_size;
		if (jitdump_read(e.dump, in, &err) == 0) {
			if (all->nr_open++ >= OPEN_MOST)
				input_close(&e.dump->in);
			return e;
		}
		jitdump_close(e.dump);
	}
	free(e.dump);
	e.dump = NULL;
	if (asprintf(&e.failure, "%s: %s", path, err.text) < 0)
		e.failure = NULL;
	return e;
}

static void free_entry(struct jitdumps_entry *e)
{
	if (e->dump)
		jitdump_close(e->dump);
	free(e->dump);
	free(e->failure);
}

/* NULL when out of memory. The lock is held. */
static struct jitdumps_entry *entry_of(struct jitdumps *all, const struct binary *b)
{
	uint32_t i = u64map_get(&all->by_binary, b->index);
	struct jitdumps_entry e;

	if (i != U64MAP_NONE)
		return &all->list.at[i];
	e = read_dump(all, b);
	if (vec_push(&all->list, e) < 0) {
		free_entry(&e);
		return NULL;
	}
	if (u64map_set(&all->by_binary, b->index, (uint32_t)(all->list.n - 1)) < 0)
		return NULL;
	return &all->list.at[all->list.n - 1];
}

struct jitdump *jitdumps_get(struct jitdumps *all, const struct binary *b)
{
	struct jitdumps_entry *e;
	struct jitdump *dump;

	if (b->guest && !find_paths_given(all->paths))
		return NULL;  /* a process of the host has that number */
	pthread_mutex_lock(&all->lock);
	e = entry_of(all, b);
	dump = e ? e->dump : NULL;
	pthread_mutex_unlock(&all->lock);
	return dump;
}

int jitdumps_read_on(struct jitdumps *all, const struct binary *b)
{
	struct jitdumps_entry *e, again;
	uint32_t i;
	int r = 0;

	pthread_mutex_lock(&all->lock);
	i = u64map_get(&all->by_binary, b->index);
	e = i == U64MAP_NONE ? NULL : &all->list.at[i];
	if (e && e->dump) {
		r = jitdump_read_on(e->dump);
	} else if (e) {
		again = read_dump(all, b);
		r = again.dump != NULL;
		all->source.nr_late += again.dump != NULL;
		free_entry(e);
		*e = again;
	}
	pthread_mutex_unlock(&all->lock);
	return r;
}

bool jitdumps_doubted(struct jitdumps *all, const struct binary *b)
{
	struct jitdumps_entry *e;
	bool doubted;

	pthread_mutex_lock(&all->lock);
	e = entry_of(all, b);
	doubted = e && e->untimed && e->dump && jitdump_reuses(e->dump) > 0;
	pthread_mutex_unlock(&all->lock);
	return doubted;
}

void jitdumps_failure(struct jitdumps *all, int32_t pid, struct buf *out)
{
	pthread_mutex_lock(&all->lock);
	for (size_t i = 0; i < all->list.n; i++)
		if (all->list.at[i].pid == pid && all->list.at[i].failure) {
			buf_str(out, all->list.at[i].failure);
			break;
		}
	pthread_mutex_unlock(&all->lock);
}

static const struct jit_changes *open_source(struct jit_source *source, const struct binary *dump)
{
	struct jitdump *d = jitdumps_get((struct jitdumps *)source, dump);

	return d ? &d->changes : NULL;
}

static void note_untimed(struct jit_source *source, const struct binary *dump)
{
	struct jitdumps *all = (struct jitdumps *)source;
	struct jitdumps_entry *e;

	pthread_mutex_lock(&all->lock);
	e = entry_of(all, dump);
	if (e)
		e->untimed = true;
	pthread_mutex_unlock(&all->lock);
}

void jitdumps_init(struct jitdumps *all, const struct find_paths *paths)
{
	all->source.open = open_source;
	all->source.untimed = note_untimed;
	all->paths = paths;
	pthread_mutex_init(&all->lock, NULL);
}

void jitdumps_free(struct jitdumps *all)
{
	for (size_t i = 0; i < all->list.n; i++)
		free_entry(&all->list.at[i]);
	vec_free(&all->list);
	u64map_free(&all->by_binary);
	pthread_mutex_destroy(&all->lock);
}
