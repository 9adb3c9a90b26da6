/* SPDX-License-Identifier: MIT */
/* symbol.c - functions at addresses, with a small cache: most addresses of a trace soon come again */
#include <sonde/symbol.h>

#include <stdlib.h>

#include "analyze/addr_location.h"
#include "api/symbol.h"
#include "api/tasks.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "threads/callchain.h"

enum { CACHE_SLOTS = 8192 };     /* a power of two; an address has one slot */

struct cached {
	maps_root root;             /* NULL: empty */
	struct sonde_frame frame;
};

struct sonde_symbols {
	struct symbols *symbols;
	struct sonde_error err;      /* of the options: every call fails with it */
	struct sonde_frame nowhere;  /* an address where nothing is mapped */
	struct cached cache[CACHE_SLOTS];
};

struct symbols *symbols_from_opts(const struct sonde_symbols_opts *opts)
{
	struct symbols_opts o = { .symfs = OPT(opts, symfs, NULL), .kallsyms = OPT(opts, kallsyms, NULL),
				  .vmlinux = OPT(opts, vmlinux, NULL), .debug_dirs = OPT(opts, debug_dirs, NULL),
				  .sysroot = OPT(opts, sysroot, NULL), .buildid_dir = OPT(opts, buildid_dir, NULL),
				  .archive = OPT(opts, archive, NULL),
				  .debuginfod = OPT(opts, debuginfod, false), .fetched = OPT(opts, fetched, NULL),
				  .fetched_ctx = OPT(opts, fetched_ctx, NULL),
				  .cache_dir = OPT(opts, no_cache, false) ? "" : NULL,
				  .no_demangle = OPT(opts, no_demangle, false),
				  .demangle_kernel = OPT(opts, demangle_kernel, false) };

	return symbols_new(&o);
}

struct sonde_symbols *sonde_symbols_new(const struct sonde_symbols_opts *opts)
{
	struct sonde_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	err_clear(&s->err);
	if (OPTS_CHECK(sonde_symbols_opts, opts, &s->err) < 0)
		opts = NULL;
	s->symbols = symbols_from_opts(opts);
	if (!s->symbols) {
		free(s);
		return NULL;
	}
	return s;
}

void sonde_symbols_free(struct sonde_symbols *symbols)
{
	if (!symbols)
		return;
	symbols_free(symbols->symbols);
	free(symbols);
}

const struct sonde_error *sonde_symbols_error(const struct sonde_symbols *symbols)
{
	return &symbols->err;
}

static void look_up(struct symbols *s, maps_root root, uint64_t ip, struct sonde_frame *out)
{
	struct addr_location p = addr_location_find(s, root, ip, false);

	*out = (struct sonde_frame){ .ip = ip, .dso_addr = ip };
	if (!p.mapping)
		return;
	out->symbol = addr_location_symbol(&p, ip, &out->symbol_offset);
	out->dso = p.mapping->binary->name;
	out->dso_addr = mapping_to_binary(p.mapping, ip);
	out->kind = binary_public_kind(p.mapping->binary);
	out->build_id = p.mapping->binary->build_id;
	out->build_id_size = p.mapping->binary->build_id_size;
}

static int resolve(struct sonde_symbols *symbols, maps_root root, uint64_t ip, const struct sonde_frame **out)
{
	struct cached *c = &symbols->cache[hash_two((uintptr_t)root, ip) & (CACHE_SLOTS - 1)];

	if (symbols->err.code)
		return -(int)symbols->err.code;
	if (!root) {
		symbols->nowhere = (struct sonde_frame){ .ip = ip, .dso_addr = ip };
		*out = &symbols->nowhere;
		return 0;
	}
	if (c->root != root || c->frame.ip != ip) {
		look_up(symbols->symbols, root, ip, &c->frame);
		c->root = root;
	}
	*out = &c->frame;
	return 0;
}

/* @ev: its process, and its time, up to which the process has made code */
static int resolve_at(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, const struct sonde_event *ev,
		      uint8_t cpumode, uint64_t ip, const struct sonde_frame **out)
{
	struct tasks *t = (struct tasks *)(uintptr_t)&tasks->tasks;  /* code that is found in a dump was always there */

	t->jit = symbols_jit(symbols->symbols);
	if (tasks_advance(t, ev) < 0)
		return err_nomem(&symbols->err);
	return resolve(symbols, tasks_root_of(t, ev->machine_pid, ev->pid, cpumode, ip), ip, out);
}

int sonde_symbols_resolve(struct sonde_symbols *symbols, const struct sonde_tasks *tasks, int32_t pid, uint8_t cpumode,
			  uint64_t ip, const struct sonde_frame **out)
{
	struct sonde_event at = tasks->last;

	at.machine_pid = 0;
	at.pid = pid;
	return resolve_at(symbols, tasks, &at, cpumode, ip, out);
}

int sonde_symbols_resolve_of(struct sonde_symbols *symbols, const struct sonde_tasks *tasks,
			     const struct sonde_event *ev, uint8_t cpumode, uint64_t ip, const struct sonde_frame **out)
{
	return resolve_at(symbols, tasks, ev, cpumode, ip, out);
}

int sonde_chain_next(const uint64_t *chain, size_t nr, size_t *at, uint8_t *cpumode, uint64_t *ip)
{
	struct callchain c = { .ips = { .p = (const uint8_t *)chain, .nr = nr }, .next = *at, .cpumode = *cpumode };
	bool found = callchain_next(&c, ip, cpumode);

	*at = (size_t)c.next;
	if (c.bad)
		return -SONDE_CORRUPT;
	return found;
}
