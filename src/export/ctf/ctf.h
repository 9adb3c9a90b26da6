/* SPDX-License-Identifier: MIT */
/* ctf.h - the events of a trace as a directory of the Common Trace Format 1.8, a stream for each CPU */
#ifndef EXPORT_CTF_CTF_H
#define EXPORT_CTF_CTF_H

#include "export/events/event_rows.h"

/* Writes files into event_rows.dir. */
int export_ctf(struct event_rows *e);

#endif
