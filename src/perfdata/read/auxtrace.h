/* SPDX-License-Identifier: MIT */
/* auxtrace.h - hardware trace: the bytes that follow an AUXTRACE record */
#ifndef PERFDATA_READ_AUXTRACE_H
#define PERFDATA_READ_AUXTRACE_H

#include "perfdata/read/perfdata.h"

int perfdata_auxtrace(struct reader *r, const struct sonde_event *ev, struct sonde_auxtrace *out);

#endif
