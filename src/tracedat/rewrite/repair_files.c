/* SPDX-License-Identifier: MIT */
/* repair_files.c - files with the pages of a CPU, which a killed recorder leaves */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "tracedat/rewrite/repair_files.h"


#define MAX_CPUS 65536

/* "trace.dat.cpu3", or "trace.dat.INSTANCE.cpu3": the CPU, and the length of the instance's name. */
static bool parse_name(const char *name, const char *prefix, uint32_t *cpu, struct sonde_str *instance)
{
	size_t n = strlen(prefix);
	const char *dot = strrchr(name, '.');
	char *end;
	unsigned long v;

	if (strncmp(name, prefix, n) != 0 || name[n] != '.' || !dot || strncmp(dot, ".cpu", 4) != 0 || dot[4] < '0' ||
	    dot[4] > '9')
		return false;
	v = strtoul(dot + 4, &end, 10);
	*cpu = (uint32_t)v;
	*instance = (struct sonde_str){ name + n + 1, dot > name + n + 1 ? (size_t)(dot - name - n - 1) : 0 };
	return *end == 0 && v < MAX_CPUS;
}

/* The buffer of an instance; it is added if it is missing. */
static int buffer_named(struct dat_file *f, struct sonde_str name, size_t *out)
{
	struct dat_buffer b = { .page_size = f->header.page_size, .clock = "local" };

	for (*out = 0; *out < f->buffers.n; ++*out)
		if (strlen(f->buffers.at[*out].name) == name.len &&
		    memcmp(f->buffers.at[*out].name, name.p, name.len) == 0)
			return 0;
	b.name = arena_strndup(&f->arena, name.p, name.len);
	return b.name ? dat_file_add_buffer(f, b, out) : -SONDE_NOMEM;
}

static int take_file(struct dat_rewrite *w, struct repair_files *others, int dir, const char *name, uint32_t cpu,
		     struct sonde_str instance)
{
	struct dat_extent a = { .cpu = cpu, .stated = SONDE_NONE };
	struct dat_file *other = calloc(1, sizeof(*other));
	struct image *im = calloc(1, sizeof(*im));
	size_t buffer;

	if (!other || !im || image_open_at(im, dir, name, &w->handle->err) < 0) {
		free(other);
		free(im);
		return w->handle->err.code ? -(int)w->handle->err.code : err_nomem(&w->handle->err);
	}
	dat_file_init(other, im);
	if (vec_push(&others->at, other) < 0) {
		image_close(im);
		free(im);
		free(other);
		return err_nomem(&w->handle->err);
	}
	a.bytes.n = im->size;
	a.from = other;
	if (buffer_named(&w->in, instance, &buffer) < 0)
		return err_nomem(&w->handle->err);
	w->in.buffers.at[buffer].packed = false;
	return vec_push(&w->in.buffers.at[buffer].extents, a) < 0 ? err_nomem(&w->handle->err) : 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The directory of a path, open and by name, and the last part of the path. */
struct output_place {
	char *folder;
	const char *base;
	DIR *dir;
};

static int open_place(struct output_place *p, const char *path)
{
	const char *slash = strrchr(path, '/');

	p->folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	p->base = slash ? slash + 1 : path;
	p->dir = p->folder ? opendir(p->folder) : NULL;
	return p->folder ? 0 : -SONDE_NOMEM;
}

static void close_place(struct output_place *p)
{
	if (p->dir)
		closedir(p->dir);
	free(p->folder);
}

static int take_files(struct dat_rewrite *w, struct repair_files *others, const struct output_place *p)
{
	struct dirent **entries = NULL;
	struct sonde_str instance;
	uint32_t cpu;
	int n = p->dir ? scandir(p->folder, &entries, NULL, by_name) : 0, r = 0;

	for (int i = 0; i < n; i++) {
		if (r == 0 && parse_name(entries[i]->d_name, p->base, &cpu, &instance)) {
			for (size_t b = 0; others->at.n == 0 && b < w->in.buffers.n; b++) {
				vec_free(&w->in.buffers.at[b].extents);
				vec_free(&w->in.buffers.at[b].order);
			}
			r = take_file(w, others, dirfd(p->dir), entries[i]->d_name, cpu, instance);
		}
		free(entries[i]);
	}
	free(entries);
	return r;
}

int dat_repair_find_files(struct dat_rewrite *w, struct repair_files *others)
{
	struct output_place p = { 0 };
	int r;

	if (!w->image.path)
		return 0;
	r = open_place(&p, w->image.path) < 0 ? err_nomem(&w->handle->err) : take_files(w, others, &p);
	close_place(&p);
	return r;
}

size_t dat_repair_count_files(const char *path, time_t *oldest)
{
	struct output_place p = { 0 };
	struct sonde_str instance;
	struct dirent *entry;
	uint32_t cpu;
	size_t nr = 0;

	if (open_place(&p, path) == 0 && p.dir)
		while ((entry = readdir(p.dir))) {
			struct stat st;

			if (!parse_name(entry->d_name, p.base, &cpu, &instance) ||
			    fstatat(dirfd(p.dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
				continue;
			*oldest = nr++ && *oldest < st.st_mtime ? *oldest : st.st_mtime;
		}
	close_place(&p);
	return nr;
}

void dat_repair_files_free(struct repair_files *others)
{
	for (size_t i = 0; i < others->at.n; i++) {
		image_close(others->at.at[i]->image);
		free(others->at.at[i]->image);
		dat_file_free(others->at.at[i]);
		free(others->at.at[i]);
	}
	vec_free(&others->at);
}
