/* SPDX-License-Identifier: MIT */
/* extract.h - a trace.dat of the events that the buffers of the kernel hold already. */
#ifndef RECORD_FTRACE_EXTRACT_H
#define RECORD_FTRACE_EXTRACT_H

#include "record/ftrace/recorder.h"

int ftrace_recorder_extract(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts,
			    ftrace_sink make_sink);

#endif
