/* SPDX-License-Identifier: MIT */
/* format_set.h - what is in a struct tracefmt; for the files of this room that fill it */
#ifndef TRACEFMT_FORMAT_SET_H
#define TRACEFMT_FORMAT_SET_H

#include <pthread.h>

#include "base/u64map.h"
#include "base/vec.h"
#include "tracefmt/boot.h"
#include "tracefmt/ksyms.h"
#include "tracefmt/tracefmt.h"

struct tracefmt {
	/* Guards what is made when it is first asked for: texts of events (in the arena) and symbols. */
	pthread_mutex_t lock;
	struct arena arena;
	bool big_endian;
	uint8_t long_size;
	VEC(struct tracefmt_event *) events;
	struct u64map by_id;                     /* index in events */
	VEC(const char *) printk;
	struct u64map printk_by_address;         /* index in printk */
	VEC(const char *) comms;
	struct u64map comm_by_pid;               /* index in comms */
	struct sonde_str kallsyms;               /* of tracing data; empty: none */
	int (*load_symbols)(void *ctx, struct buf *out);
	void *load_ctx;
	struct buf symbols_text;                 /* the text from load_symbols() */
	struct ksyms symbols;
	struct boots boots;
	_Atomic bool has_symbols;                /* they have been read, or cannot be */
};

#endif
