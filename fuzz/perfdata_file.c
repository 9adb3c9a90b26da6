/* SPDX-License-Identifier: MIT */
/* perfdata_file.c - the reader of a file, which is read block by block: the same events as when all of it is in
 * memory */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "consume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct consumed whole = consume_trace(data, size, SONDE_ORDER_FILE), blocks;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		lseek(fd, 0, SEEK_SET);
		blocks = consume_fd(fd, SONDE_ORDER_FILE);
		if (blocks.opened != whole.opened || blocks.events != whole.events ||
		    blocks.raw_bytes != whole.raw_bytes)
			abort();
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
