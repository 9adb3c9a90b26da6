/* SPDX-License-Identifier: MIT */
/* conversion.h - what stands after a '%' in a format of printf */
#ifndef TRACEFMT_CONVERSION_H
#define TRACEFMT_CONVERSION_H

#include "tracefmt/seq_buf.h"

/**
 * conversion_parse - flags, width, precision, length and letter
 * @at: after the '%'; moved after the letter (not after the letters that may follow a 'p')
 * @long_size: of the recorder
 * The letter is '\0' when the format ends before it.
 */
struct conversion conversion_parse(struct sonde_str format, size_t *at, uint8_t long_size);

#endif
