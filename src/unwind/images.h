/* SPDX-License-Identifier: MIT */
/*
 * images.h - the tables for unwinding of each binary of a trace
 *
 * A table is opened at the first question. The instructions of a function are run once, when the first of its
 * addresses is asked for: they give rows of (address, rule), and equal rules of a binary are one object.
 *
 * Several threads may call everything but unwind_images_free() at once. Rules and sections never change.
 */
#ifndef UNWIND_IMAGES_H
#define UNWIND_IMAGES_H

#include "symbol/elf/cfi.h"
#include "symbol/symbols.h"
#include "unwind/rule.h"

struct unwind_images;
struct unwind_image;

/* @symbols says where files are; it lives as long as the images. NULL when out of memory. */
struct unwind_images *unwind_images_new(struct symbols *symbols);
void unwind_images_free(struct unwind_images *images);

/* The image of a binary; NULL when out of memory. One without a file knows nothing. */
struct unwind_image *unwind_image_get(struct unwind_images *images, const struct binary *b);

/* How to unwind a frame. */
struct unwind_found {
	const struct unwind_rule *rule;        /* NULL: no table has the address */
	const struct cfi_section *section;     /* of the rule's expressions */
	uint64_t start, end;                   /* of the function, as file offsets like the one asked for */
};

/* Looks an address up, given as an offset in the file. What is found lives as long as the images. */
struct unwind_found unwind_image_find(struct unwind_image *image, uint64_t offset);

/* Bytes of the file; false if they are not there. */
bool unwind_image_read(struct unwind_image *image, uint64_t offset, void *out, size_t size);

/* Whether a process or its loader starts there: at the file's entry point, in the few instructions from there on. */
bool unwind_image_is_entry(const struct unwind_image *image, uint64_t offset);

/* Whether the file has tables for unwinding at all. */
bool unwind_image_has_tables(const struct unwind_image *image);

/* Whether there is a file, and it is of this machine (EM_*). */
bool unwind_image_is_of(const struct unwind_image *image, uint16_t machine);

/*
 * For whoever wants to know which parts of files unwinding needs: the images keep what is read of them from here on.
 * Call it before the first image is asked for.
 */
void unwind_images_keep_reads(struct unwind_images *images);

/* Reads are kept as numbers of pieces of so many bytes, in no order, some more than once. */
enum { UNWIND_READ_BYTES = 64 };
struct unwind_reads { uint64_t *at; size_t n, cap; };

/* The reads of the file of a binary; NULL if it was not unwound through, or has no file. */
const struct unwind_reads *unwind_images_reads(const struct unwind_images *images, const struct binary *b);

#endif
