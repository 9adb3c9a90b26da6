/* SPDX-License-Identifier: MIT */
#include "symbol/trusted_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/plain_file.h"

int trusted_file_open(const char *path, struct stat *out, struct sonde_error *err)
{
	struct stat st;
	int fd = plain_file_open(path, O_NOFOLLOW, &st, err);

	if (fd < 0)
		return fd;
	if (st.st_uid != 0 && st.st_uid != geteuid()) {
		close(fd);
		return err_set(err, SONDE_DENIED, SONDE_NONE, "belongs to another user (uid %u), not believed",
			       st.st_uid);
	}
	if (out)
		*out = st;
	return fd;
}
