/* SPDX-License-Identifier: MIT */
/* pointer.h - what the kernel's printf prints of the bytes behind a pointer: addresses, identifiers, bit maps */
#ifndef TRACEFMT_POINTER_H
#define TRACEFMT_POINTER_H

#include "tracefmt/seq_buf.h"

/* How a bit map's words lie in the record. */
struct bitmap_layout {
	bool swap;
	uint8_t long_size;
};

/* Each prints nothing but "(cut)" when there are fewer bytes than it needs. */
void pointer_mac(struct seq_buf *o, struct sonde_bytes b, const char *modifiers);       /* %pM %pm, F R */
void pointer_uuid(struct seq_buf *o, struct sonde_bytes b, char kind);                  /* %pU: b B l L */
/* %pI4 %pI6 %pIS and with i; modifiers: what follows the I, as "6c". big_endian: the recorder */
void pointer_ip(struct seq_buf *o, struct sonde_bytes b, bool plain, const char *modifiers, bool big_endian);

void pointer_hex(struct seq_buf *o, struct sonde_bytes b, const char *separator);       /* %*ph and __print_hex */
void pointer_bitmap(struct seq_buf *o, struct sonde_bytes b, uint64_t bits, struct bitmap_layout l);   /* %*pb */
void pointer_bitlist(struct seq_buf *o, struct sonde_bytes b, uint64_t bits, struct bitmap_layout l);  /* %*pbl */

/* print_hex_dump(): rows of bytes in groups; kind of prefix: 0 none, 1 address, 2 offset */
struct hex_dump {
	struct sonde_str prefix;
	uint8_t kind, row, group;
	bool ascii, swap;
};
void pointer_hex_dump(struct seq_buf *o, struct sonde_bytes b, const struct hex_dump *d);

#endif
