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

int dat_recording_set_end(struct recording *r, uint64_t end, struct sonde_error *err)
{
	const struct buffer *last = &r->buffers[r->nr_buffers - 1];

	r->end = end;
	return dat_recording_write_u64(r, end - (last->section_at + 16), last->section_at + 8, err);
}

int dat_recording_add_entry(struct recording *r, struct buffer *b, size_t cpu, struct recorded_extent *extent,
			    uint64_t used, struct sonde_error *err)
{
	struct buf entry = BUF_MEMORY;
	uint32_t nr;
	int e;

	pthread_mutex_lock(&r->lock);
	nr = b->nr_entries;
	extent->entry_at = b->table_at + 4 + (uint64_t)nr * ENTRY_BYTES;
	put_u32(&entry, (uint32_t)b->cpus[cpu], false);
	put_u64(&entry, extent->at, false);
	put_u64(&entry, used, false);
	e = entry.failed ? err_nomem(err) : dat_recording_write(r, entry.p, entry.n, extent->entry_at, err);
	b->nr_entries = ++nr;
	if (e == 0)
		e = dat_recording_write(r, &nr, sizeof(nr), b->table_at, err);
	pthread_mutex_unlock(&r->lock);
	buf_free(&entry);
	return e;
}
