/* SPDX-License-Identifier: MIT */
/* scsi.h - commands of SCSI devices in words: scsi_trace_parse_cdb() of print formats */
#ifndef TRACEFMT_SCSI_H
#define TRACEFMT_SCSI_H

#include "tracefmt/seq_buf.h"

/* "lba=2048 txlen=8 protect=0" for reads, writes and the like, "-" for other commands. */
void scsi_print_command(struct seq_buf *o, struct sonde_bytes cdb);

#endif
