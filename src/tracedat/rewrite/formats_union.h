/* SPDX-License-Identifier: MIT */
/*
 * formats_union.h - the event formats of several traces in one file
 *
 * Kernels and modules number events as they are loaded: two traces may have one number for two events, and two numbers
 * for one event. The first event keeps its number. Another event with that number gets the number that it has in the
 * union already, or a new one above all others.
 */
#ifndef TRACEDAT_REWRITE_FORMATS_UNION_H
#define TRACEDAT_REWRITE_FORMATS_UNION_H

#include "model/ledger.h"
#include "tracedat/write/writer.h"
#include "tracefmt/tracefmt.h"

#define EVENT_ID_MAX 65535   /* a record has 16 bits for it */

struct formats_union {
	struct dat_writer *to;
	struct tracefmt *formats;    /* the formats of the union */
	VEC(struct sonde_str) texts; /* of each format, to tell whether two are the same */
	uint32_t next_id;            /* none above is taken */
	size_t nr_traces;            /* traces whose formats have been taken, with the present one */
	uint16_t **new_ids;          /* of the present trace */
	struct arena arena;
	struct ledger *ledger;
	struct sonde_error *err;
};

/* 0 or -SONDE_NOMEM; dat_formats_union_free() in any case. @like: the formats of a trace of the
 * same kind of machine. */
int dat_formats_union_begin(struct formats_union *u, struct dat_writer *to, const struct tracefmt *like,
			    struct ledger *ledger, struct sonde_error *err);

/* Before the first format is taken: the formats that will be. */
void dat_formats_union_announce(struct formats_union *u, const struct tracefmt *t);

/* The formats that follow are of the next trace. @new_ids: set to an array by id, to be freed; 0: the id
 * stays. NULL: all stay. */
void dat_formats_union_next(struct formats_union *u, uint16_t **new_ids);

/* A dat_format_fn of a struct formats_union. */
int dat_formats_union_take(void *formats_union, const char *system, struct sonde_str text, uint64_t at);

void dat_formats_union_free(struct formats_union *u);

#endif
