/* SPDX-License-Identifier: MIT */
#include "api/base/file_output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "-", or /dev/stdout, which can be a regular file. */
static bool is_standard_output(const char *path)
{
	struct stat st, out;

	return strcmp(path, "-") == 0 ||
		(stat(path, &st) == 0 && fstat(STDOUT_FILENO, &out) == 0 && st.st_dev == out.st_dev &&
		 st.st_ino == out.st_ino);
}

/* A FIFO or a device, such as >(COMMAND) of a shell: it is written directly, without a temporary file. */
static bool is_passage(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));
}

int file_output_write(const char *path, const struct file_id *inputs, size_t nr_inputs,
		      int (*write)(void *ctx, const struct sonde_output *to, struct sonde_error *err), void *ctx,
		      struct sonde_error *err)
{
	struct sonde_output to = { .sz = sizeof(to) };
	struct output o;
	int r, failed;

	if (is_standard_output(path))
		return write(ctx, NULL, err);
	if (is_passage(path)) {
		to.fd = open(path, O_WRONLY | O_CLOEXEC);
		if (to.fd < 0)
			return err_sys(err, errno, "cannot open %s", path);
		r = write(ctx, &to, err);
		close(to.fd);
		return r;
	}
	r = output_open_shared(&o, path, inputs, nr_inputs, err);
	if (r < 0)
		return r;
	to.fd = o.buf.fd;
	r = write(ctx, &to, err);
	failed = r < 0 ? 0 : output_finish(&o, err);
	output_close(&o);
	return failed < 0 ? failed : r;
}
