/* SPDX-License-Identifier: MIT */
/* parts.c - the files of a directory that its reader has open */
#include "perfdata/read/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/scan/directory.h"

static int add_part(struct perfdata *f, const char *name, int fd, uint64_t begin, uint64_t end, struct sonde_error *err)
{
	struct part p = { arena_strndup(&f->base.arena, name, strlen(name)), fd, begin, end };

	if (!p.name || vec_reserve(&f->part_names, 1) < 0 || vec_push(&f->parts, p) < 0)
		return err_nomem(err);
	f->part_names.at[f->part_names.n++] = p.name;
	return 0;
}

static int open_part(struct perfdata *f, uint32_t number, struct sonde_error *err)
{
	char name[PART_NAME_BYTES];
	struct stat st;
	int fd, r;

	snprintf(name, sizeof(name), "data.%u", number);
	fd = openat(f->input.dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_sys(err, errno, "cannot open its file %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	r = add_part(f, name, fd, 0, (uint64_t)st.st_size, err);
	if (r < 0) {
		close(fd);
		return r;
	}
	f->base.nr_bytes += (uint64_t)st.st_size;
	f->base.info.size_bytes += (uint64_t)st.st_size;
	return 0;
}

static void note_missing(struct perfdata *f, const struct part_numbers *have)
{
	uint64_t missing = directory_missing_parts(&f->base.meta, have);

	if (missing)
		ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, missing, SONDE_NONE, SONDE_NONE, -1,
			   "{file|files} data.N {is|are} missing from the directory");
}

int perfdata_open_directory(struct perfdata *f, struct sonde_error *err)
{
	struct sonde_trace_info *info = &f->base.info;
	struct part_numbers numbers = { 0 };
	int r = add_part(f, "data", f->input.fd, info->data_offset, info->data_offset + info->data_size, err);

	if (r == 0 && directory_may_have_parts(&f->base.meta))
		r = directory_list_parts(f->input.dir_fd, &numbers, err);
	for (size_t i = 0; r == 0 && i < numbers.n; i++)
		r = open_part(f, numbers.at[i], err);
	if (r == 0)
		note_missing(f, &numbers);
	vec_free(&numbers);
	info->mode = SONDE_MODE_DIRECTORY;
	info->files = f->part_names.at;
	info->nr_files = f->part_names.n;
	f->base.nr_parts = (uint32_t)f->parts.n;
	return r;
}

void perfdata_close_directory(struct perfdata *f)
{
	for (size_t i = 1; i < f->parts.n; i++)
		close(f->parts.at[i].fd);
	vec_free(&f->parts);
	vec_free(&f->part_names);
}
