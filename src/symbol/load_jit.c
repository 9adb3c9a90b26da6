/* SPDX-License-Identifier: MIT */
#include "symbol/load_jit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "symbol/list/perfmap.h"
#include "symbol/process_files.h"
#include "symbol/trusted_file.h"

#define PERFMAP_MAX ((size_t)1 << 30)

/* Read, not mapped: the process that writes it may cut it short. */
static int read_map(struct fmap *m, int fd, struct sonde_error *err)
{
	VEC(char) text = { 0 };
	ssize_t n;

	do {
		if (text.n > PERFMAP_MAX || vec_reserve(&text, 65536) < 0) {
			vec_free(&text);
			return err_nomem(err);
		}
		n = read(fd, text.at + text.n, text.cap - text.n);
		text.n += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	*m = (struct fmap){ .data = (uint8_t *)text.at, .size = text.n };
	return 0;
}

/* A number comes back: the file may be that of an earlier process. */
static void doubt_old_map(struct load *l, const char *path, const struct stat *st)
{
	const struct symbols *s = l->s;
	uint64_t begun = l->binary->begun, written = (uint64_t)st->st_mtime;

	if (!begun || !s->clock_tod_ns || l->doubt.n)
		return;
	begun = (s->clock_tod_ns + (begun - s->clock_ns)) / 1000000000;
	if (written < begun)
		buf_printf(&l->doubt, "%s: is older than process %d by %" PRIu64 " s, so its names may be those of an "
			   "earlier process", path, l->binary->pid, begun - written);
}

void load_jit(struct load *l)
{
	const struct file_trust trust = {
		.all = l->s->opts.force, .pid = l->binary->pid, .recorded_s = l->s->recorded_s,
	};
	struct sonde_error err = { 0 };
	struct fmap text = { 0 };
	char path[PATH_MAX];
	struct stat st;
	size_t bad;
	int fd;

	if (l->binary->guest && !l->s->paths.symfs[0])
		return;  /* a process of the host has that number */
	jitdumps_failure(&l->s->dumps, l->binary->pid, &l->doubt);
	if (l->s->paths.symfs[0] || !process_map_path(path, l->binary->pid, l->s->map_dir, l->s->recorded_s))
		snprintf(path, sizeof(path), "%s%s/perf-%d.map", l->s->paths.symfs, l->s->map_dir, l->binary->pid);
	fd = trusted_file_open(path, &trust, &st, &err);
	if (fd >= 0) {
		read_map(&text, fd, &err);
		doubt_old_map(l, path, &st);
		close(fd);
	}
	if (err.code == SONDE_SYSTEM && access(path, F_OK) < 0)
		buf_printf(&l->reason, "there is no %s, where process %d would name the code that it makes", path,
			   l->binary->pid);
	else if (err.code)
		buf_printf(&l->reason, "%s: %s", path, err.text);
	if (err.code)
		return;
	l->same = SYMTAB_SAME_LAST;  /* memory is used again: the newest function is at the end */
	bad = perfmap_add(&l->builder, (const char *)text.data, text.size);
	if (bad)
		buf_printf(&l->reason, "%s: %zu lines make no sense", path, bad);
	buf_str(&l->source, path);
	fmap_close(&text);
}

void load_jitdump(struct load *l)
{
	const struct jitdump *dump = jitdumps_get(&l->s->dumps, l->binary);

	if (!dump)
		return;
	jitdump_add(dump, &l->builder);
	buf_str(&l->source, l->binary->name);
	if (jitdumps_doubted(&l->s->dumps, l->binary))
		buf_printf(&l->doubt, "%s: memory was used for several functions, one after the other, and the "
			   "recording has another clock, so only the last one is named (record -k mono avoids that)",
			   l->binary->name);
	else if (dump->nr_bad)
		buf_printf(&l->doubt, "%s: %" PRIu64 " %s, so functions may be missing", l->binary->name, dump->nr_bad,
			   dump->nr_bad == 1 ? "record makes no sense" : "records make no sense");
}
