/* SPDX-License-Identifier: MIT */
/* consume.h - a reader that believes every promise of the public API: it reads each byte of each view. */
#ifndef FUZZ_CONSUME_H
#define FUZZ_CONSUME_H

#include <sonde/trace.h>

struct consumed {
	uint64_t events, samples;
	uint64_t raw_bytes;          /* of all records */
	uint64_t end;                /* where the last record of the file ends */
	bool stream;                 /* pipe mode: it may end after any record */
	size_t losses;               /* rows of the ledger */
	int opened, ended;           /* what sonde_trace_open_memory() and the last sonde_iter_next() returned */
};

/* Opens the bytes, reads everything there is, in the order asked for. */
struct consumed consume_trace(const void *data, size_t size, enum sonde_order order);

/* As above from a file, stream or directory. */
struct consumed consume_fd(int fd, enum sonde_order order);
struct consumed consume_path(const char *path, enum sonde_order order);

#endif
