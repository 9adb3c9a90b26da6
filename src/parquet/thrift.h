/* SPDX-License-Identifier: MIT */
/*
 * thrift.h - structs in the compact protocol of Apache Thrift, in which Parquet has its headers and its footer
 *
 * Layout: thrift/doc/specs/thrift-compact-protocol.md.
 */
#ifndef PARQUET_THRIFT_H
#define PARQUET_THRIFT_H

#include "base/buf.h"
#include "base/cursor.h"

enum thrift_type {
	THRIFT_STOP = 0, THRIFT_TRUE = 1, THRIFT_FALSE = 2, THRIFT_I8 = 3, THRIFT_I16 = 4, THRIFT_I32 = 5,
	THRIFT_I64 = 6, THRIFT_DOUBLE = 7, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_SET = 10, THRIFT_MAP = 11,
	THRIFT_STRUCT = 12,
};

/* Structs deeper than this are neither written nor read. */
#define THRIFT_DEPTH 16

/* { .to = buffer } writes the fields of a struct, in the order of their ids. */
struct thrift_writer {
	struct buf *to;
	unsigned depth;
	int last[THRIFT_DEPTH];      /* the id of the last field of each struct that is open */
};

void thrift_put_bool(struct thrift_writer *t, int id, bool v);
void thrift_put_i32(struct thrift_writer *t, int id, int32_t v);
void thrift_put_i64(struct thrift_writer *t, int id, int64_t v);
void thrift_put_binary(struct thrift_writer *t, int id, const void *p, size_t n);

/* A struct in a field; its fields follow, then thrift_end(), as after every struct. */
void thrift_begin(struct thrift_writer *t, int id);
void thrift_end(struct thrift_writer *t);

/* A list of n elements, which follow. */
void thrift_put_list(struct thrift_writer *t, int id, enum thrift_type type, size_t n);

/* Elements of a list. */
void thrift_begin_element(struct thrift_writer *t);
void thrift_put_i32_element(struct thrift_writer *t, int32_t v);
void thrift_put_binary_element(struct thrift_writer *t, const void *p, size_t n);

/*
 * A field of a struct that is read:
 *
 *	struct thrift_field f = { 0 };
 *
 *	while (thrift_next(from, &f))
 *		switch (f.id) {
 *		case 1: version = thrift_int(from, &f); break;
 *		default: thrift_skip(from, &f);
 *		}
 *
 * A field of another type than the function takes fails the cursor.
 */
struct thrift_field {
	int64_t id;
	enum thrift_type type;
};

/* False: the struct has ended, or the cursor has failed. */
bool thrift_next(struct cursor *from, struct thrift_field *f);

int64_t thrift_int(struct cursor *from, const struct thrift_field *f);
struct sonde_bytes thrift_binary(struct cursor *from, const struct thrift_field *f);

/* The number of elements, of a type, that follow; not more than there are bytes. */
uint64_t thrift_list(struct cursor *from, const struct thrift_field *f, enum thrift_type type);

/* Whether the fields of a struct follow. */
bool thrift_struct(struct cursor *from, const struct thrift_field *f);

/* 0, or the failure of the cursor: what it has noted in its error. */
int thrift_failure(const struct cursor *from);

/* A field of no interest. */
void thrift_skip(struct cursor *from, const struct thrift_field *f);

#endif
