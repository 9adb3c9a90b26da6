/* SPDX-License-Identifier: MIT */
/*
 * perfdata_pipe.c - the reader of a stream, through a real pipe
 *
 * An input without the magic of a perf.data is the records of a stream whose event is described.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "consume.h"
#include "stream.h"

enum { PIPE_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf b = BUF_MEMORY;
	int fds[2];

	if (size < 8 || (memcmp(data, "PERFILE2", 8) != 0 && memcmp(data, "2ELIFREP", 8) != 0))
		put_stream_begin(&b);
	buf_put(&b, data, size);
	if (pipe2(fds, O_CLOEXEC) == 0) {
		/* all of it fits, so that no second thread is needed to write it */
		if (fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES) >= 0 && b.n < PIPE_BYTES &&
		    write(fds[1], b.p, b.n) == (ssize_t)b.n) {
			close(fds[1]);
			fds[1] = -1;
			consume_fd(fds[0], data[0] & 1 ? SONDE_ORDER_TIME : SONDE_ORDER_FILE);
		}
		close(fds[0]);
		if (fds[1] >= 0)
			close(fds[1]);
	}
	buf_free(&b);
	return 0;
}
