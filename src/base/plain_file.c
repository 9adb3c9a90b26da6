/* SPDX-License-Identifier: MIT */
#include "base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/path.h"

/* Not in every <linux/magic.h>. */
#define FUSECTL_MAGIC 0x65735543
#define CONFIGFS_SUPER_MAGIC 0x62656570
#define MQUEUE_SUPER_MAGIC 0x19800202
#define RPC_PIPEFS_SUPER_MAGIC 0x67596969

/* Filesystems whose files are functions of the kernel. */
static const uint32_t kernel_filesystems[] = {
	PROC_SUPER_MAGIC,     SYSFS_MAGIC,         TRACEFS_MAGIC,        DEBUGFS_MAGIC,      SECURITYFS_MAGIC,
	CGROUP_SUPER_MAGIC,   CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,         PSTOREFS_MAGIC,     EFIVARFS_MAGIC,
	BINFMTFS_MAGIC,       SELINUX_MAGIC,       SMACK_MAGIC,          NSFS_MAGIC,         DEVPTS_SUPER_MAGIC,
	RDTGROUP_SUPER_MAGIC, FUSECTL_MAGIC,       CONFIGFS_SUPER_MAGIC, MQUEUE_SUPER_MAGIC, RPC_PIPEFS_SUPER_MAGIC,
};

static bool is_kernel_filesystem(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(kernel_filesystems); i++)
		if ((uint32_t)fs.f_type == kernel_filesystems[i])
			return true;
	return false;
}

/* A descriptor opened with O_PATH has opened nothing yet: 0, or negative. */
static int look(int at, struct stat *st, struct sonde_error *err)
{
	if (fstat(at, st) < 0)
		return err_sys(err, errno, "cannot open");
	if (!S_ISREG(st->st_mode))
		return err_set(err, SONDE_FORMAT, SONDE_NONE, "not a regular file");
	if (is_kernel_filesystem(at))
		return err_set(err, SONDE_FORMAT, SONDE_NONE, "a file of the kernel, which is not opened");
	return st->st_size ? 0 : err_set(err, SONDE_FORMAT, SONDE_NONE, "an empty file");
}

/* dir: AT_FDCWD, or that below which the path is opened without following links. */
static int open_path(int dir, const char *path, int flags)
{
	return dir == AT_FDCWD ? open(path, flags | O_CLOEXEC) : path_open_below(dir, path, flags);
}

/* The very file that was looked at; without /proc by its path again, which may lead to another one by now. */
static int open_looked_at(int at, int dir, const char *path, int flags, const struct stat *looked)
{
	char link[32];
	struct stat st;
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	fd = open(link, (flags & ~O_NOFOLLOW) | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open_path(dir, path, flags | O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_dev != looked->st_dev || st.st_ino != looked->st_ino)) {
		close(fd);
		errno = ESTALE;
		return -1;
	}
	return fd;
}

static int open_plain(int dir, const char *path, int flags, struct stat *st, struct sonde_error *err)
{
	int at = open_path(dir, path, flags | O_PATH), fd, failed;
	struct stat looked;

	if (at < 0)
		return err_sys(err, errno, "cannot open");
	failed = look(at, &looked, err);
	fd = failed ? failed : open_looked_at(at, dir, path, flags, &looked);
	if (!failed && fd < 0)
		fd = err_sys(err, errno, "cannot open");
	close(at);
	if (st && fd >= 0)
		*st = looked;
	return fd;
}

int plain_file_open(const char *path, int flags, struct stat *st, struct sonde_error *err)
{
	return open_plain(AT_FDCWD, path, flags, st, err);
}

int plain_file_open_below(int dir, const char *path, struct stat *st, struct sonde_error *err)
{
	return open_plain(dir, path, 0, st, err);
}
