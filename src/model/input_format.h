/* SPDX-License-Identifier: MIT */
/* input_format.h - what a file format gives so that its files are recognised and opened */
#ifndef MODEL_INPUT_FORMAT_H
#define MODEL_INPUT_FORMAT_H

#include "io/input.h"
#include "model/reader.h"

struct input_format {
	const char *name;
	bool (*probe)(const uint8_t *p, size_t n);
	/* True when the format can be read from a pipe as it comes; otherwise all of it is read first. */
	bool (*can_stream)(const uint8_t *p, size_t n);
	/* Takes @in over, also on failure. */
	int (*open)(struct input *in, struct reader **out, struct sonde_error *err);
};

#endif
