/* SPDX-License-Identifier: MIT */
#include "api/stat/writer.h"

#include <sonde/perf_writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "stat/keys.h"
#include "stat/records.h"

enum { UPDATE_UNIT, UPDATE_SCALE };
enum { ROUND_INTERVAL, ROUND_FINAL };

#define RECORD_BYTES 65528
#define COMM_BYTES 16
#define WORDS_MAX 4096

struct stat_writer {
	struct sonde_perf_writer *writer;
	int32_t *tids;
	size_t nr_tids;
	int32_t *cpus;
	size_t nr_cpus;
	size_t last_tid, last_cpu;   /* numbers of those that were looked for last */
};

struct stat_record {
	size_t n;
	uint8_t bytes[RECORD_BYTES];
};

/* ---- records ---- */

static void record_begin(struct stat_record *r, uint32_t type)
{
	memset(r->bytes, 0, 8);
	memcpy(r->bytes, &type, sizeof(type));
	r->n = 8;                    /* misc stays 0; the size follows */
}

static void put(struct stat_record *r, const void *p, size_t n)
{
	if (n > sizeof(r->bytes) - r->n)
		n = 0;               /* a map of so many threads is cut; the counts have their numbers all the same */
	memcpy(r->bytes + r->n, p, n);
	r->n += n;
}

static void put_u64(struct stat_record *r, uint64_t v) { put(r, &v, sizeof(v)); }
static void put_u16(struct stat_record *r, uint16_t v) { put(r, &v, sizeof(v)); }
static void put_i32(struct stat_record *r, int32_t v) { put(r, &v, sizeof(v)); }

static int record_write(struct stat_writer *f, struct stat_record *r)
{
	static const uint8_t zeros[8];
	uint16_t size;

	put(r, zeros, (8 - r->n % 8) % 8);
	size = (uint16_t)r->n;
	memcpy(r->bytes + 6, &size, sizeof(size));
	return sonde_perf_writer_write(f->writer, r->bytes, r->n);
}

static void write_unit(struct stat_writer *f, const struct stat_row *row, uint64_t id)
{
	struct stat_record r;

	if (*row->unit) {
		record_begin(&r, STAT_EVENT_UPDATE);
		put_u64(&r, UPDATE_UNIT);
		put_u64(&r, id);
		put(&r, row->unit, strlen(row->unit) + 1);
		record_write(f, &r);
	}
	if (row->scale != 1.0) {
		record_begin(&r, STAT_EVENT_UPDATE);
		put_u64(&r, UPDATE_SCALE);
		put_u64(&r, id);
		put(&r, &row->scale, sizeof(row->scale));
		record_write(f, &r);
	}
}

static void write_maps(struct stat_writer *f)
{
	struct stat_record r;

	record_begin(&r, STAT_THREAD_MAP);
	put_u64(&r, f->nr_tids);
	for (size_t i = 0; i < f->nr_tids; i++) {
		char comm[COMM_BYTES] = "", path[64];
		FILE *p;

		snprintf(path, sizeof(path), "/proc/%d/comm", f->tids[i]);
		p = f->tids[i] > 0 ? fopen(path, "re") : NULL;
		if (p && fgets(comm, sizeof(comm), p))
			comm[strcspn(comm, "\n")] = '\0';
		if (p)
			fclose(p);
		put_u64(&r, (uint64_t)(int64_t)f->tids[i]);
		put(&r, comm, sizeof(comm));
	}
	record_write(f, &r);
	record_begin(&r, STAT_CPU_MAP);
	put_u16(&r, 0);              /* a list */
	put_u16(&r, (uint16_t)f->nr_cpus);
	for (size_t i = 0; i < f->nr_cpus; i++)
		put_u16(&r, (uint16_t)f->cpus[i]);
	record_write(f, &r);
}

static void write_config(struct stat_writer *f, const struct stat_table *t, uint64_t interval_ms)
{
	bool level = t->by >= SONDE_STAT_BY_THREAD && t->by != SONDE_STAT_BY_SOCKET && t->by != SONDE_STAT_BY_DIE;
	struct stat_record r;

	record_begin(&r, STAT_CONFIG);
	put_u64(&r, level ? 4 : 3);
	put_u64(&r, STAT_TAG_AGGREGATION);
	put_u64(&r, stat_recorded_mode(t->by));
	put_u64(&r, STAT_TAG_INTERVAL);
	put_u64(&r, interval_ms);
	put_u64(&r, STAT_TAG_SCALE);
	put_u64(&r, 1);
	if (level) {
		put_u64(&r, STAT_TAG_CACHE_LEVEL);
		put_u64(&r, 5);      /* the last level, as perf has it */
	}
	record_write(f, &r);
}

/* ---- the file ---- */

/* @hint: the number of the last one that was looked for; cells come in the order of their threads and CPUs */
static size_t number_in(int32_t **list, size_t *n, int32_t v, size_t *hint)
{
	int32_t *more;

	for (size_t i = 0; i < *n; i++) {
		size_t at = (*hint + i) % *n;

		if ((*list)[at] == v)
			return *hint = at;
	}
	more = realloc(*list, (*n + 1) * sizeof(*more));
	if (!more)
		return 0;
	*list = more;
	more[*n] = v;
	*hint = *n;
	return (*n)++;
}

static int add_events(struct stat_writer *f, const struct sonde_counter *c, const struct stat_table *t)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < t->rows.n; i++) {
		size_t n = t->rows.at[i].tool ? 0 : sonde_counter_cell_count(c, t->rows.at[i].event);
		uint64_t *ids = calloc(n ? n : 1, sizeof(*ids));

		for (size_t k = 0; ids && k < n; k++) {
			const struct sonde_counter_value *v = sonde_counter_cell_at(c, t->rows.at[i].event, k);

			ids[k] = v->id;
			number_in(&f->tids, &f->nr_tids, v->tid, &f->last_tid);
			number_in(&f->cpus, &f->nr_cpus, v->cpu, &f->last_cpu);
		}
		if (ids && n > 0)
			r = sonde_perf_writer_add_event(f->writer, sonde_counter_event_at(c, t->rows.at[i].event)->attr,
							sizeof(struct sonde_attr), t->rows.at[i].name, ids, n);
		free(ids);
	}
	return r;
}

/* Which core, die and socket each CPU belongs to: *ids is owned by the caller. */
static void set_topology(struct sonde_meta *meta, const char *sysfs, int32_t **ids)
{
	size_t n = meta->nr_cpus_available;

	*ids = n ? calloc(3 * n, sizeof(**ids)) : NULL;
	if (!*ids)
		return;
	meta->topology.core_ids = *ids;
	meta->topology.socket_ids = *ids + n;
	meta->topology.die_ids = *ids + 2 * n;
	meta->topology.nr_cpus = n;
	for (size_t i = 0; i < n; i++) {
		meta->topology.core_ids[i] = stat_topology(sysfs, (int32_t)i, "core_id");
		meta->topology.socket_ids[i] = stat_topology(sysfs, (int32_t)i, "physical_package_id");
		meta->topology.die_ids[i] = stat_topology(sysfs, (int32_t)i, "die_id");
	}
	meta->features[0] |= UINT64_C(1) << SONDE_FEAT_CPU_TOPOLOGY;
}

static void set_host(struct stat_writer *f, const char *sysfs, char *const *command)
{
	int32_t *ids;
	struct sonde_meta meta = { .sz = sizeof(meta) };
	const char *words[WORDS_MAX] = { "sonde", "stat", "record" };
	struct utsname host;

	meta.cmdline = words;
	meta.nr_cmdline = 3;
	for (; command && *command && meta.nr_cmdline < WORDS_MAX; command++)
		words[meta.nr_cmdline++] = *command;
	meta.features[0] = UINT64_C(1) << SONDE_FEAT_CMDLINE;
	if (uname(&host) == 0) {
		meta.hostname = host.nodename;
		meta.osrelease = host.release;
		meta.arch = host.machine;
		meta.features[0] |= UINT64_C(1) << SONDE_FEAT_HOSTNAME | UINT64_C(1) << SONDE_FEAT_OSRELEASE |
				    UINT64_C(1) << SONDE_FEAT_ARCH;
	}
	meta.nr_cpus_available = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	meta.nr_cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	meta.features[0] |= UINT64_C(1) << SONDE_FEAT_NRCPUS;
	set_topology(&meta, sysfs, &ids);
	sonde_perf_writer_set_meta(f->writer, &meta);
	free(ids);
	sonde_perf_writer_set_feature(f->writer, SONDE_FEAT_STAT, "", 0);
}

/* The writer's error, for whoever asked for the file. */
static int failure(const struct stat_writer *f, struct sonde_error *err)
{
	*err = *sonde_perf_writer_error(f->writer);
	return -(int)err->code;
}

struct stat_writer *stat_writer_new(const char *path, const struct sonde_counter *c, const struct stat_table *t,
				    uint64_t interval_ms, char *const *command, struct sonde_error *err)
{
	struct sonde_perf_writer_opts opts = { .sz = sizeof(opts) };
	struct stat_writer *f = calloc(1, sizeof(*f));

	if (f)
		f->writer = sonde_perf_writer_new();
	if (!f || !f->writer) {
		err_nomem(err);
		free(f);
		return NULL;
	}
	opts.form = strcmp(path, "-") ? SONDE_FORM_FILE : SONDE_FORM_PIPE;
	if (sonde_perf_writer_open(f->writer, path, &opts) < 0 || add_events(f, c, t) < 0) {
		failure(f, err);
		stat_writer_free(f);
		return NULL;
	}
	set_host(f, t->sysfs, command);
	for (size_t i = 0; i < t->rows.n; i++)
		if (!t->rows.at[i].tool && sonde_counter_cell_count(c, t->rows.at[i].event) > 0)
			write_unit(f, &t->rows.at[i], sonde_counter_cell_at(c, t->rows.at[i].event, 0)->id);
	write_maps(f);
	write_config(f, t, interval_ms);
	return f;
}

int stat_writer_add(struct stat_writer *f, const struct sonde_counter *c, uint64_t time_ns, bool last,
		    struct sonde_error *err)
{
	struct stat_record r;

	for (size_t i = 0; i < sonde_counter_count(c); i++)
		for (size_t k = 0; k < sonde_counter_cell_count(c, i); k++) {
			const struct sonde_counter_value *v = sonde_counter_cell_at(c, i, k);

			record_begin(&r, STAT_COUNT);
			put_u64(&r, v->id);
			put_i32(&r, v->cpu);
			put_i32(&r, (int32_t)number_in(&f->tids, &f->nr_tids, v->tid, &f->last_tid));
			put_u64(&r, v->raw);
			put_u64(&r, v->time_enabled);
			put_u64(&r, v->time_running);
			record_write(f, &r);
		}
	record_begin(&r, STAT_ROUND);
	put_u64(&r, last ? ROUND_FINAL : ROUND_INTERVAL);
	put_u64(&r, time_ns);
	return record_write(f, &r) < 0 ? failure(f, err) : 0;
}

int stat_writer_finish(struct stat_writer *f, struct sonde_error *err)
{
	return sonde_perf_writer_finish(f->writer) < 0 ? failure(f, err) : 0;
}

void stat_writer_free(struct stat_writer *f)
{
	if (!f)
		return;
	sonde_perf_writer_free(f->writer);
	free(f->tids);
	free(f->cpus);
	free(f);
}
