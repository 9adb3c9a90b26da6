/* SPDX-License-Identifier: MIT */
/* bundle_table.h - a table of symbols as a member of a bundle: the symbols that a recording needs */
#ifndef SYMBOL_BUNDLE_TABLE_H
#define SYMBOL_BUNDLE_TABLE_H

#include "base/buf.h"
#include "symbol/table/symtab.h"

/* @used: numbers of symbols, sorted, each once. */
void bundle_table_encode(struct buf *out, const struct symtab *t, const uint32_t *used, size_t n);

/* A new table; NULL if the bytes make no sense or memory is short. Its doubt is "" or what the maker doubted. */
struct symtab *bundle_table_decode(const uint8_t *p, size_t n);

/*
 * Adds the symbols of `from` to `to`, a table of another recording of the same binary; where both have one, that of
 * `to` stays. A new table, NULL when out of memory. *disagree: they have different names for one address.
 */
struct symtab *bundle_table_merge(const struct symtab *to, const struct symtab *from, bool *disagree);

#endif
