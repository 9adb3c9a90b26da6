/* SPDX-License-Identifier: MIT */
#include "record/host/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

#define DEPTH_MAX 64

/* The hierarchy of perf_event in version 1, where there is one, else version 2. */
static bool find_hierarchy(const char *mounts, char out[PATH_MAX])
{
	FILE *f = setmntent(mounts, "re");
	char text[PATH_MAX + 512];
	struct mntent m;
	bool found = false, first;

	while (f && getmntent_r(f, &m, text, sizeof(text))) {
		first = !strcmp(m.mnt_type, "cgroup") && hasmntopt(&m, "perf_event");
		if ((!first && (found || strcmp(m.mnt_type, "cgroup2") != 0)) || strlen(m.mnt_dir) >= PATH_MAX)
			continue;
		strcpy(out, m.mnt_dir);
		found = true;
		if (first)
			break;
	}
	if (f)
		endmntent(f);
	return found;
}

/* The id that the kernel puts into samples is the handle of the directory. */
static bool read_id(const char *path, uint64_t *id)
{
	union {
		struct file_handle h;
		uint8_t room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} handle = { .h.handle_bytes = sizeof(uint64_t) };
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &handle.h, &mount, 0) < 0 || handle.h.handle_bytes != sizeof(uint64_t))
		return false;
	memcpy(id, handle.room + offsetof(struct file_handle, f_handle), sizeof(*id));
	return true;
}

struct cgroup_walk {
	char path[PATH_MAX];
	size_t root;                 /* length of the mount point */
	int (*fn)(void *ctx, uint64_t id, const char *path);
	void *ctx;
};

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static int visit(struct cgroup_walk *w, int depth)
{
	size_t len = strlen(w->path);
	struct dirent *e;
	uint64_t id;
	DIR *d;
	int r;

	if (!read_id(w->path, &id))
		return depth ? 0 : -SONDE_MISSING;  /* it went away meanwhile, or there are no ids at all */
	r = w->fn(w->ctx, id, depth ? w->path + w->root : "/");
	d = r == 0 && depth < DEPTH_MAX ? opendir(w->path) : NULL;
	while (r == 0 && d && (e = readdir(d))) {
		if (e->d_type != DT_DIR || is_dots(e->d_name) || len + 1 + strlen(e->d_name) >= sizeof(w->path))
			continue;
		w->path[len] = '/';
		strcpy(w->path + len + 1, e->d_name);
		r = visit(w, depth + 1);
		w->path[len] = '\0';
	}
	if (d)
		closedir(d);
	return r;
}

int cgroup_each(const char *mounts, int (*fn)(void *ctx, uint64_t id, const char *path), void *ctx)
{
	struct cgroup_walk w = { .fn = fn, .ctx = ctx };

	if (!find_hierarchy(mounts, w.path))
		return -SONDE_MISSING;
	w.root = strlen(w.path);
	return visit(&w, 0);
}

int cgroup_open(const char *mounts, const char *path)
{
	char root[PATH_MAX], full[2 * PATH_MAX];
	int fd;

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!find_hierarchy(mounts, root))
		return -ENODEV;
	snprintf(full, sizeof(full), "%s/%s", root, path);
	fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && *path == '/')
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int cgroup_open_here(const char *path, struct sonde_error *err)
{
	int fd = cgroup_open("/proc/mounts", path);

	if (fd == -ENOENT || fd == -ENODEV)
		return err_set(err, SONDE_MISSING, SONDE_NONE, fd == -ENOENT ? "there is no control group '%.200s'" :
			       "no cgroup file system is mounted, which has the control group '%.200s'", path);
	return fd < 0 ? err_sys(err, -fd, "cannot open the control group '%.200s'", path) : fd;
}

int cgroup_check(const char *path, struct sonde_error *err)
{
	int fd = cgroup_open_here(path, err);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}
