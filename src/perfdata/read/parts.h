/* SPDX-License-Identifier: MIT */
/* parts.h - the files of a directory that its reader has open */
#ifndef PERFDATA_READ_PARTS_H
#define PERFDATA_READ_PARTS_H

#include "perfdata/read/perfdata.h"

/* Opens the files beside `data`. */
int perfdata_open_directory(struct perfdata *f, struct sonde_error *err);
void perfdata_close_directory(struct perfdata *f);

#endif
