/* SPDX-License-Identifier: MIT */
#include <sonde/types.h>

#include "base/bytes.h"

static const char *const texts[] = {
	[0] = "no error",
	[SONDE_SYSTEM] = "a system call failed",
	[SONDE_NOMEM] = "out of memory",
	[SONDE_USAGE] = "the arguments make no sense",
	[SONDE_FORMAT] = "not a trace that sonde knows",
	[SONDE_CORRUPT] = "the input contradicts itself",
	[SONDE_TRUNCATED] = "the input ends too early",
	[SONDE_UNSUPPORTED] = "not offered by this machine, kernel or build",
	[SONDE_DENIED] = "not permitted",
	[SONDE_MISSING] = "no such event, file, process or symbol",
	[SONDE_STOPPED] = "ended by a function of the program",
};

const char *sonde_strerror(int code)
{
	unsigned n = code < 0 ? 0U - (unsigned)code : (unsigned)code;

	return n < ARRAY_SIZE(texts) && texts[n] ? texts[n] : "unknown error";
}
