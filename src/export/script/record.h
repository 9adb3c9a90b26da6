/* SPDX-License-Identifier: MIT */
/* record.h - the line of a record that is no sample: --show-task-events and similar options */
#ifndef EXPORT_SCRIPT_RECORD_H
#define EXPORT_SCRIPT_RECORD_H

#include "export/script/script.h"

/* Prints the line if it was requested. Called after the tasks have taken in the record; for EXIT, before. */
void script_record(struct script *s, const struct sonde_event *ev);

#endif
