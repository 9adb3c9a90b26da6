/* SPDX-License-Identifier: MIT */
/* machine.h - numbers of this machine, by the names that perf's metrics and tool events give them */
#ifndef STAT_MACHINE_H
#define STAT_MACHINE_H

/* "num_cpus", "smt_on", ...; NAN: there is no such number, or it is not known here. */
double machine_number(const char *name);

#endif
