/* SPDX-License-Identifier: MIT */
/* dictionary.h - the tables that the profiles of OTLP refer to by index; element 0 of each stands for nothing */
#ifndef EXPORT_OTLP_DICTIONARY_H
#define EXPORT_OTLP_DICTIONARY_H

#include "export/locations.h"
#include "export/named_functions.h"

struct otlp_dictionary {
	const struct sonde_profile *p;
	struct named_functions functions;
	struct locations locations;
	struct strpool strings;
	struct u64map stack_index;   /* stack; or the number of stacks and a frame: index */
	struct buf stacks;           /* stack_table so far */
	struct buf attributes;       /* attribute_table so far, without those of tasks and binaries */
	uint32_t nr_stacks, nr_attributes;
	uint32_t kernel, native;     /* attributes: the kinds of frames */
	uint32_t *build_id;          /* by binary: its attribute, 0: not known */
	bool failed;                 /* memory was too short for a string */
};

/* 0 or -SONDE_NOMEM. To be freed in either case. */
int otlp_dictionary_make(struct otlp_dictionary *d, const struct sonde_profile *p);

/* The indices of a string, of an attribute with a text or a number, of the stack of a cell; 0 when out of memory. */
uint32_t otlp_string(struct otlp_dictionary *d, const char *s);
uint32_t otlp_attribute_text(struct otlp_dictionary *d, const char *key, const char *text);
uint32_t otlp_attribute_number(struct otlp_dictionary *d, const char *key, int64_t number);
uint32_t otlp_stack(struct otlp_dictionary *d, const struct sonde_profile_cell *cell);

/* Writes the message, when all strings, attributes and stacks are known. */
void otlp_dictionary_put(struct otlp_dictionary *d, struct buf *out, uint32_t field);

void otlp_dictionary_free(struct otlp_dictionary *d);

#endif
