/* SPDX-License-Identifier: MIT */
#include "tracedat/write/recording_file.h"

#include "base/fd_io.h"

int dat_recording_write(struct recording *r, const void *bytes, size_t n, uint64_t at, struct sonde_error *err)
{
	int bad = fd_write_at(r->file.fd, bytes, n, at);

	return bad ? err_sys(err, bad, "cannot write the recording") : 0;
}

int dat_recording_write_u64(struct recording *r, uint64_t v, uint64_t at, struct sonde_error *err)
{
	return dat_recording_write(r, &v, sizeof(v), at, err);
}
