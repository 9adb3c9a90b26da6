/* SPDX-License-Identifier: MIT */
/* undo.h - settings of an instance that existed before the recording are the same after it. */
#ifndef RECORD_FTRACE_UNDO_H
#define RECORD_FTRACE_UNDO_H

#include "record/ftrace/instance.h"

/* Writes a file of the instance. If the instance existed before, the old content of the file is kept. */
int ftrace_instance_write(struct ftrace_instance *in, const char *file, const char *value, bool append);

/* Writes the old contents back, the last one first. */
void ftrace_instance_restore(struct ftrace_instance *in, const struct messenger *m);

#endif
