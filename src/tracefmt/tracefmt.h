/* SPDX-License-Identifier: MIT */
/*
 * tracefmt.h - formats of kernel events: what lies where in the raw bytes of a tracepoint, and how the kernel prints it
 *
 * A set of formats (struct tracefmt) belongs to one recorder: one byte order, one size of long. It is filled from the
 * "tracing data" of a perf.data at once, or text by text (trace.dat, tracefs), and only read after that: events, fields
 * and printing can then be used by any number of threads. What is needed to print is made when it is first asked for:
 * print formats are compiled, and symbols are read, once for all threads.
 */
#ifndef TRACEFMT_TRACEFMT_H
#define TRACEFMT_TRACEFMT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include <sonde/tracepoint.h>

struct tracefmt_text;

struct tracefmt_event {
	uint32_t id;                 /* common_type of its records, config of its perf attr */
	const char *full_name;       /* "sched:sched_switch" */
	const char *system, *name;   /* "sched", "sched_switch" */
	const struct sonde_tracepoint_field *fields;
	size_t nr_fields;            /* the common ones first */
	struct sonde_str print_fmt;  /* the expression as the kernel wrote it */
	bool swap;                   /* the recorder's byte order is not this machine's */
	uint8_t long_size;           /* of the recorder: 4 or 8 */
	bool is_tracer;              /* system "ftrace": its messages may have several lines */
	const struct tracefmt *set;
	/* How it is printed: found out when that is first asked for. */
	const struct tracefmt_text *_Atomic text;
};

struct tracefmt;

/** tracefmt_new - an empty set; NULL when out of memory */
struct tracefmt *tracefmt_new(bool big_endian, uint8_t long_size);
void tracefmt_free(struct tracefmt *t);

/**
 * tracefmt_add_format - one `format` text of tracefs
 * The first event of an id stays. Returns 0, -SONDE_CORRUPT when the text is no format, -SONDE_NOMEM.
 */
int tracefmt_add_format(struct tracefmt *t, const char *system, struct sonde_str text, struct sonde_error *err);

/* printk_formats and saved_cmdlines of tracefs; lines that make no sense are passed over. 0 or -SONDE_NOMEM. */
int tracefmt_add_printk(struct tracefmt *t, struct sonde_str text);
int tracefmt_add_cmdlines(struct tracefmt *t, struct sonde_str text);

/**
 * tracefmt_symbols_from - where the text of /proc/kallsyms comes from
 * @load: writes it to @out, a buffer in memory; 0, or negative if it cannot. Called once, when the first symbol is
 * asked for,
 *        on the thread that does.
 */
void tracefmt_symbols_from(struct tracefmt *t, int (*load)(void *ctx, struct buf *out), void *ctx);

/**
 * tracefmt_add_last_boot - last_boot_info of a buffer that has outlived a boot
 * Addresses in its events are those of the kernel before; symbols, modules and printk formats are of the one after it.
 * Returns 0 or -SONDE_NOMEM; lines that make no sense are passed over.
 */
int tracefmt_add_last_boot(struct tracefmt *t, const char *buffer, struct sonde_str text);
/* The text of /proc/modules, which says where modules are now. 0 or -SONDE_NOMEM. */
int tracefmt_add_modules(struct tracefmt *t, struct sonde_str text);
/* The boot of a buffer; NULL if it is that of the symbols. Stays as long as the set, once all have been added. */
struct tracefmt_boot;
const struct tracefmt_boot *tracefmt_boot(const struct tracefmt *t, const char *buffer);
bool tracefmt_has_boots(const struct tracefmt *t);
/* Changes an address of that boot to one of the symbols' boot; false if its place there is not known. @boot
 * NULL: the address stays. */
bool tracefmt_boot_address(const struct tracefmt *t, const struct tracefmt_boot *boot, uint64_t *address);

/* The function of the recorded kernel at an address, by the recorder's own table: its name, a view, and how far into
 * it.
 * @boot: that of the address; NULL: that of the table */
bool tracefmt_symbol(const struct tracefmt *t, const struct tracefmt_boot *boot, uint64_t address,
		     struct sonde_str *name, uint64_t *offset);

/* The event of an id (attr.config, common_type), or of a "system:name"; NULL if there is none. */
const struct tracefmt_event *tracefmt_event(const struct tracefmt *t, uint64_t id);
const struct tracefmt_event *tracefmt_event_named(const struct tracefmt *t, const char *full_name);

/* All events, in the order in which they were added. */
size_t tracefmt_nr_events(const struct tracefmt *t);
const struct tracefmt_event *tracefmt_event_at(const struct tracefmt *t, size_t index);

/* The recorder's machine. */
bool tracefmt_big_endian(const struct tracefmt *t);
uint8_t tracefmt_long_size(const struct tracefmt *t);

/* The string constant of the kernel at an address (printk_formats); NULL if not known. */
const char *tracefmt_printk(const struct tracefmt *t, uint64_t address);
/* The last command name of a thread; NULL if not known. */
const char *tracefmt_comm(const struct tracefmt *t, int32_t pid);

#endif
