/* SPDX-License-Identifier: MIT */
/* ids.h - numbers of the sections and options of a trace.dat */
#ifndef TRACEDAT_FORMAT_IDS_H
#define TRACEDAT_FORMAT_IDS_H

#include <stdint.h>

#define SECTION_POINTERS 26          /* ids below this can be options that point to the section of the same id */

enum section_id {
	SECTION_OPTIONS = 0, SECTION_BUFFER = 3, SECTION_STRINGS = 15, SECTION_HEADER_INFO = 16, SECTION_FTRACE_FORMATS,
	SECTION_EVENT_FORMATS, SECTION_KALLSYMS, SECTION_PRINTK, SECTION_CMDLINES, SECTION_BUFFER_TEXT, SECTION_BTF,
	SECTION_MODULES = 25,
};

#define OPTION_DONE 0

enum {
	DAT_OPTION_DATE = 1,
	DAT_OPTION_CPUSTAT,
	DAT_OPTION_BUFFER,
	DAT_OPTION_TRACECLOCK,
	DAT_OPTION_UNAME,
	DAT_OPTION_HOOK,
	DAT_OPTION_OFFSET,
	DAT_OPTION_CPUCOUNT,
	DAT_OPTION_VERSION,
	DAT_OPTION_PROCMAPS,
	DAT_OPTION_TRACEID,
	DAT_OPTION_TIME_SHIFT,
	DAT_OPTION_GUEST,
	DAT_OPTION_TSC2NSEC,
	DAT_OPTION_LAST_BOOT_INFO = 24,
};

/*
 * What option CPUSTAT says in a file that sonde is recording, until it finishes it and the statistics are known. The
 * texts of all CPUSTAT are one for trace-cmd, which shows them to its user.
 */
#define DAT_UNFINISHED "Recording: unfinished\n"

/* What a line of CPUSTAT begins with that says how many events of the CPU sonde could not write,
 * because the disk was full. */
#define DAT_UNWRITTEN "unwritten events: "

#endif
