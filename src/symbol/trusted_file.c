/* SPDX-License-Identifier: MIT */
#include "symbol/trusted_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/plain_file.h"
#include "symbol/process_files.h"

int trusted_file_open(const char *path, const struct file_trust *trust, struct stat *out, struct sonde_error *err)
{
	bool running = false;
	struct stat st;
	uid_t user;
	int fd = plain_file_open(path, O_NOFOLLOW, &st, err);

	if (fd < 0)
		return fd;
	if (st.st_uid != 0 && st.st_uid != geteuid() && !trust->all) {
		running = process_user(trust->pid, trust->recorded_s, &user);
		if (!running || user != st.st_uid) {
			close(fd);
			return err_set(err, SONDE_DENIED, SONDE_NONE,
				       "belongs to user %u, %s, so it is not believed (-f believes it)", st.st_uid,
				       running ? "which is not that of the process" : "and the process has ended");
		}
	}
	if (out)
		*out = st;
	return fd;
}
