/* SPDX-License-Identifier: MIT */
/* form.h - the forms of attributes: their sizes, and their values as numbers. */
#ifndef SYMBOL_DWARF_FORM_H
#define SYMBOL_DWARF_FORM_H

#include <dwarf.h>

#include "symbol/dwarf/scan.h"

/* Sizes that the header of a unit sets. */
struct form_sizes {
	uint8_t address;             /* 1, 2, 4 or 8 */
	uint8_t offset;              /* 4 or 8 */
	uint8_t ref_addr;            /* of DW_FORM_ref_addr: in DWARF 2 that of an address */
};

/* The size of a form; negative: it depends on the value, or the form is unknown. */
int form_size(uint16_t form, const struct form_sizes *sizes);

/* Skips one value of any form. */
void form_skip(struct dwarf_scan *s, uint16_t form, const struct form_sizes *sizes);

/*
 * Reads a value of a form that is a number: *form becomes the real one if it is indirect. The value of a
 * DW_FORM_string is the address of the string in memory; that of a block is of no use. DW_FORM_implicit_const is not
 * read here.
 */
uint64_t form_read(struct dwarf_scan *s, uint16_t *form, const struct form_sizes *sizes);

#endif
