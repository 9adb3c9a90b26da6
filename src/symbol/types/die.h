/* SPDX-License-Identifier: MIT */
/*
 * die.h - types in DWARF: what a variable, member or pointer is of, sizes, names, members
 *
 * DWARF comes from files that anybody may have written: chains of types are followed to a depth, and children of an
 * entry are taken in the order of the file, so that no loop is endless. `work` is the number of entries that may be
 * looked at yet.
 */
#ifndef SYMBOL_TYPES_DIE_H
#define SYMBOL_TYPES_DIE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/buf.h"

/* The first child, and the next one after it; false: there is none. */
bool die_first(Dwarf_Die *die, Dwarf_Die *child);
bool die_next(Dwarf_Die *child);

/* The type of a variable, member, pointer or typedef, without const and the like; a typedef stays. */
bool die_type(Dwarf_Die *die, Dwarf_Die *type);

/* The type that a typedef stands for in the end; other types are themselves. False: none (void). */
bool die_real(const Dwarf_Die *type, Dwarf_Die *real);

/* The type that a pointer or reference points to, or that an array is made of; typedefs of them too. */
bool die_pointee(const Dwarf_Die *type, Dwarf_Die *pointee);

bool die_is_pointer(const Dwarf_Die *type);
bool die_is_compound(const Dwarf_Die *type);
bool die_is_same(const Dwarf_Die *a, const Dwarf_Die *b);

/* Bytes; 0: not known. */
uint64_t die_size(const Dwarf_Die *type);

/*
 * The type of the innermost member or element at an offset; of other types they themselves. As perf has it, not under
 * the name of a typedef. False: there is none.
 */
bool die_member_type(const Dwarf_Die *type, int64_t offset, Dwarf_Die *member, uint64_t *work);

/* "struct node", "long int[]", "char*" */
void die_put_name(struct buf *b, const Dwarf_Die *type);

/* "point.x"; nothing for types without members. */
void die_put_member(struct buf *b, const Dwarf_Die *type, int64_t offset, uint64_t *work);

/* Takes some steps of what is left; false, and nothing is left, if they are more. */
bool die_work(uint64_t *work, uint64_t steps);

/* Does b tell more than a? Pointers more than others, large types more than small ones, structs more than others. */
bool die_is_better(const Dwarf_Die *a, const Dwarf_Die *b);

#endif
